//! Calls that are answered at the same time enter their lines with one write.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

use tokio::sync::oneshot;
use tokio::task::yield_now;
use vitrine_engine::port::{StoreError, StoreResult};

use super::Result;
use super::pen::Line;

/// After so many writes of one line, nobody else seems to be about.
const PATIENCE: usize = 4;
/// Then it is every so many that looks again.
const LOOK: usize = 32;

/// Lines that wait, and who waits for them.
#[derive(Default)]
pub(super) struct Queue {
    waiting: Mutex<Waiting>,
    /// Writes of one line only, since the last of several.
    alone: AtomicUsize,
}

#[derive(Default)]
struct Waiting {
    lines: Vec<Line>,
    /// All but the first, who writes.
    told: Vec<oneshot::Sender<StoreResult<()>>>,
}

/// Whose turn it is to write what waits, come what may: others have left their lines to them.
struct Scribe<'a, W: FnOnce(&[Line]) -> Result<()>> {
    queue: &'a Queue,
    write: Option<W>,
}

impl Queue {
    /// Has a line written: by whoever is about to write, or else by the caller, for all who come by meanwhile.
    pub(super) async fn enter(&self, line: Line, write: impl FnOnce(&[Line]) -> Result<()>) -> StoreResult<()> {
        let Some(written) = self.join(line) else {
            let mut scribe = Scribe { queue: self, write: Some(write) };
            if self.expects_company() {
                // Other calls of this thread come as far as this.
                yield_now().await;
            }
            return scribe.write();
        };
        written.await.unwrap_or_else(|_| Err(StoreError::Failed("the ledger could not be written".to_owned())))
    }

    fn expects_company(&self) -> bool {
        let alone = self.alone.load(Ordering::Relaxed);
        alone < PATIENCE || alone.is_multiple_of(LOOK)
    }

    /// Waits in the queue; the first has nobody to wait for.
    fn join(&self, line: Line) -> Option<oneshot::Receiver<StoreResult<()>>> {
        let mut waiting = self.waiting.lock().unwrap_or_else(PoisonError::into_inner);
        waiting.lines.push(line);
        (waiting.lines.len() > 1).then(|| {
            let (tell, told) = oneshot::channel();
            waiting.told.push(tell);
            told
        })
    }
}

impl<W: FnOnce(&[Line]) -> Result<()>> Scribe<'_, W> {
    fn write(&mut self) -> StoreResult<()> {
        let Some(write) = self.write.take() else { return Ok(()) };
        let Waiting { lines, told } =
            std::mem::take(&mut *self.queue.waiting.lock().unwrap_or_else(PoisonError::into_inner));
        match lines.len() {
            1 => self.queue.alone.fetch_add(1, Ordering::Relaxed),
            _ => self.queue.alone.swap(0, Ordering::Relaxed),
        };
        let outcome = write(&lines).map_err(StoreError::from);
        for tell in told {
            // Whoever has gone needs no answer.
            let _ = tell.send(outcome.clone());
        }
        outcome
    }
}

impl<W: FnOnce(&[Line]) -> Result<()>> Drop for Scribe<'_, W> {
    /// The call was given up on its way.
    fn drop(&mut self) {
        if let Err(error) = self.write() {
            tracing::error!(%error, "lines of the ledger could not be written");
        }
    }
}

#[cfg(test)]
mod tests {
    use std::cell::RefCell;
    use std::io;
    use std::pin::{Pin, pin};
    use std::task::Poll;

    use jiff::Timestamp;

    use super::super::{LedgerError, Settings};
    use super::*;

    fn line() -> Line {
        Line::settings(Settings::default(), Timestamp::UNIX_EPOCH).unwrap()
    }

    #[tokio::test]
    async fn calls_at_the_same_time_share_a_write() {
        let (queue, writes) = (Queue::default(), RefCell::new(Vec::new()));
        let enter = || {
            queue.enter(line(), |lines| {
                writes.borrow_mut().push(lines.len());
                Ok(())
            })
        };
        let (one, two, three) = tokio::join!(enter(), enter(), enter());
        assert!(one.is_ok() && two.is_ok() && three.is_ok());
        enter().await.unwrap();
        assert_eq!(*writes.borrow(), [3, 1]);
    }

    #[tokio::test]
    async fn a_write_that_fails_fails_for_all_who_waited_for_it() {
        let queue = Queue::default();
        let enter = || queue.enter(line(), |_| Err(LedgerError::from(io::Error::from(io::ErrorKind::StorageFull))));
        let (one, two) = tokio::join!(enter(), enter());
        assert_eq!(one.unwrap_err().to_string(), two.unwrap_err().to_string());
    }

    #[tokio::test]
    async fn a_call_that_is_given_up_leaves_nobody_waiting() {
        let (queue, writes) = (Queue::default(), RefCell::new(Vec::new()));
        let note = |lines: &[Line]| {
            writes.borrow_mut().push(lines.len());
            Ok(())
        };
        let mut second = pin!(queue.enter(line(), |_| panic!("the first writes")));
        {
            let mut first = pin!(queue.enter(line(), note));
            assert!(asked_once(first.as_mut()).await.is_none());
            assert!(asked_once(second.as_mut()).await.is_none());
        }
        assert!(asked_once(second.as_mut()).await.unwrap().is_ok());
        assert_eq!(*writes.borrow(), [2]);
    }

    #[tokio::test]
    async fn who_is_alone_soon_stops_to_wait_for_company() {
        let queue = Queue::default();
        for _ in 0..PATIENCE {
            assert!(asked_once(pin!(queue.enter(line(), |_| Ok(())))).await.is_none());
        }
        assert!(asked_once(pin!(queue.enter(line(), |_| Ok(())))).await.unwrap().is_ok());
        let waited = async || asked_once(pin!(queue.enter(line(), |_| Ok(())))).await.is_none();
        let mut looks = 0;
        for _ in 0..2 * LOOK {
            looks += usize::from(waited().await);
        }
        assert_eq!(looks, 2);
    }

    /// Asks once: nothing when it is not ready.
    async fn asked_once<T>(mut future: Pin<&mut impl Future<Output = T>>) -> Option<T> {
        std::future::poll_fn(|context| match future.as_mut().poll(context) {
            Poll::Ready(value) => Poll::Ready(Some(value)),
            Poll::Pending => Poll::Ready(None),
        })
        .await
    }
}
