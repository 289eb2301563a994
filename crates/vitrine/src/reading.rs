//! Reads what new texts mean and keeps the word index in order, in the background, for as long as a process serves.

use std::sync::Arc;
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::thread::JoinHandle;
use std::time::Duration;

use tokio::runtime::Handle;
use vitrine_store::Store;

/// Texts read at once: few, so that stopping does not take long.
const TEXTS: usize = 8;
/// How often to look for new texts when all are read; other processes bring some too.
const PAUSE: Duration = Duration::from_secs(1);
/// How long nothing has to be written before the word index is put in order.
const REST: Duration = Duration::from_secs(5);

/// Threads that do so; they stop when this is dropped.
pub(crate) struct Reading {
    _meanings: Repeated,
    _words: Repeated,
}

impl Reading {
    /// Starts reading. Must be called where the runtime can be found.
    pub(crate) fn start(store: &Arc<Store>) -> std::io::Result<Self> {
        Ok(Self {
            _meanings: Repeated::start("meanings", store, Duration::ZERO, read_meanings)?,
            _words: Repeated::start("words", store, REST, put_in_order)?,
        })
    }
}

/// Reads some texts; says when to go on.
fn read_meanings(store: &Store, runtime: &Handle) -> Duration {
    match runtime.block_on(store.read_meanings(TEXTS)) {
        Ok(0) => PAUSE,
        Ok(_) => Duration::ZERO,
        Err(error) => {
            tracing::warn!(%error, "what new texts mean could not be read; trying again");
            PAUSE * 10
        }
    }
}

fn put_in_order(store: &Store, runtime: &Handle) -> Duration {
    if let Err(error) = runtime.block_on(store.settle()) {
        tracing::warn!(%error, "the word index could not be put in order; trying again");
    }
    REST
}

/// Work that a thread does again and again, each time after the pause it asked for.
struct Repeated {
    stop: Option<Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl Repeated {
    fn start(
        name: &str,
        store: &Arc<Store>,
        mut pause: Duration,
        work: fn(&Store, &Handle) -> Duration,
    ) -> std::io::Result<Self> {
        let (stop, stopped) = channel::<()>();
        let (store, runtime) = (Arc::clone(store), Handle::current());
        let thread = std::thread::Builder::new().name(name.into()).spawn(move || {
            while stopped.recv_timeout(pause) == Err(RecvTimeoutError::Timeout) {
                pause = work(&store, &runtime);
            }
        })?;
        Ok(Self { stop: Some(stop), thread: Some(thread) })
    }
}

impl Drop for Repeated {
    fn drop(&mut self) {
        self.stop = None;
        if self.thread.take().is_some_and(|thread| thread.join().is_err()) {
            tracing::warn!("work in the background ended unexpectedly");
        }
    }
}
