//! Reads what new texts mean, in the background, for as long as a process serves.

use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread::JoinHandle;
use std::time::Duration;

use tokio::runtime::Handle;
use vitrine_store::Store;

/// Texts read at once: few, so that stopping does not take long.
const TEXTS: usize = 8;
/// How often to look for new texts when all are read; other processes bring some too.
const PAUSE: Duration = Duration::from_secs(1);

/// A thread that reads; it stops when this is dropped.
pub(crate) struct Reading {
    stop: Option<Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl Reading {
    /// Starts reading. Must be called where the runtime can be found.
    pub(crate) fn start(store: Arc<Store>) -> std::io::Result<Self> {
        let (stop, stopped) = channel();
        let runtime = Handle::current();
        let thread =
            std::thread::Builder::new().name("meanings".into()).spawn(move || run(&store, &runtime, &stopped))?;
        Ok(Self { stop: Some(stop), thread: Some(thread) })
    }
}

impl Drop for Reading {
    fn drop(&mut self) {
        self.stop = None;
        if self.thread.take().is_some_and(|thread| thread.join().is_err()) {
            tracing::warn!("reading what texts mean ended unexpectedly");
        }
    }
}

fn run(store: &Store, runtime: &Handle, stopped: &Receiver<()>) {
    let mut pause = Duration::ZERO;
    while stopped.recv_timeout(pause) == Err(RecvTimeoutError::Timeout) {
        pause = match runtime.block_on(store.read_meanings(TEXTS)) {
            Ok(0) => PAUSE,
            Ok(_) => Duration::ZERO,
            Err(error) => {
                tracing::warn!(%error, "what new texts mean could not be read; trying again");
                PAUSE * 10
            }
        };
    }
}
