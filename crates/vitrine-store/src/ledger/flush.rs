//! The thread that forces entries to the disk within a second, and indexes closed segments.

use std::sync::{Arc, Condvar, Mutex, OnceLock, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use super::pen::Closed;
use super::{Result, Shared};

/// Half of what is promised: the other half is for the disk.
const PAUSE: Duration = Duration::from_millis(500);

pub(super) struct Flusher {
    shared: Arc<Shared>,
    work: Arc<Work>,
    thread: OnceLock<JoinHandle<()>>,
}

#[derive(Default)]
struct Work {
    todo: Mutex<Todo>,
    changed: Condvar,
}

#[derive(Default)]
struct Todo {
    flush: bool,
    index: Vec<Closed>,
    stop: bool,
}

impl Flusher {
    pub(super) fn new(shared: Arc<Shared>) -> Self {
        Self { shared, work: Arc::default(), thread: OnceLock::new() }
    }

    /// Something is to be flushed.
    pub(super) fn wake(&self) {
        self.ask(|todo| !std::mem::replace(&mut todo.flush, true));
    }

    /// A segment was closed.
    pub(super) fn index(&self, segment: Closed) {
        self.ask(|todo| {
            todo.index.push(segment);
            true
        });
    }

    fn ask(&self, add: impl FnOnce(&mut Todo) -> bool) {
        let is_news = add(&mut self.work.todo.lock().unwrap_or_else(PoisonError::into_inner));
        if is_news {
            self.thread.get_or_init(|| {
                let (shared, work) = (Arc::clone(&self.shared), Arc::clone(&self.work));
                thread::spawn(move || work.run(&shared))
            });
            self.work.changed.notify_one();
        }
    }
}

impl Work {
    fn run(&self, shared: &Shared) {
        loop {
            let todo = self.todo.lock().unwrap_or_else(PoisonError::into_inner);
            let idle = |todo: &mut Todo| !todo.flush && todo.index.is_empty() && !todo.stop;
            let todo = self.changed.wait_while(todo, idle).unwrap_or_else(PoisonError::into_inner);
            let waited = self.changed.wait_timeout_while(todo, PAUSE, |todo| !todo.stop);
            let mut todo = waited.unwrap_or_else(PoisonError::into_inner).0;
            let (flush, segments, stop) = (todo.flush, std::mem::take(&mut todo.index), todo.stop);
            todo.flush = false;
            drop(todo);
            let outcome = if flush { shared.flush() } else { Ok(()) };
            let indexed = segments.into_iter().try_for_each(|segment| segment.index(&shared.places));
            if let Err(error) = outcome.and(indexed) {
                tracing::error!(%error, "the ledger could not be flushed or indexed");
            }
            if stop {
                return;
            }
        }
    }
}

impl Shared {
    fn flush(&self) -> Result<()> {
        let (file, seq, hash) = self.with_pen(|pen| pen.unflushed())?;
        file.sync_data()?;
        let at = self.clock.now();
        self.with_pen(|pen| pen.flushed(seq, hash, at))
    }
}

impl Drop for Flusher {
    fn drop(&mut self) {
        self.work.todo.lock().unwrap_or_else(PoisonError::into_inner).stop = true;
        self.work.changed.notify_one();
        if let Some(thread) = self.thread.take()
            && thread.join().is_err()
        {
            tracing::error!("the thread that flushes the ledger has failed");
        }
    }
}
