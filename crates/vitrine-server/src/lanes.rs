//! Threads that each serve some of the connections, from their first byte to their last.
//!
//! A call is a chain of small tasks. On one thread they follow each other; spread over several they would wake each
//! other up at every step, which takes longer than the steps.

use std::io;
use std::time::Duration;

use tokio::runtime::{Builder, Handle, Runtime};

/// Tasks of one lane that may be at something long at once; with more, the lane waits for the first to end.
const LONG_TASKS: usize = 16;
/// What a lane's last tasks have left, when everything else has ended.
const GRACE: Duration = Duration::from_secs(1);

/// The threads, and whose turn it is.
pub(crate) struct Lanes {
    runtimes: Vec<Runtime>,
    next: usize,
}

impl Lanes {
    /// One for each core.
    pub(crate) fn new() -> io::Result<Self> {
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        // One worker, and not a runtime of the current thread: a worker can be relieved while it is at something long.
        let lane = || {
            Builder::new_multi_thread()
                .worker_threads(1)
                .max_blocking_threads(LONG_TASKS)
                .thread_name("lane")
                .enable_all()
                .build()
        };
        Ok(Self { runtimes: (0..cores).map(|_| lane()).collect::<io::Result<_>>()?, next: 0 })
    }

    /// Each in turn.
    pub(crate) fn next(&mut self) -> &Handle {
        self.next = (self.next + 1) % self.runtimes.len();
        self.runtimes[self.next].handle()
    }

    /// Ends them, and what still runs there. Waits, so it is not for a task.
    pub(crate) fn close(mut self) {
        for lane in self.runtimes.drain(..) {
            lane.shutdown_timeout(GRACE);
        }
    }
}

/// Whoever is no longer waiting for the server does not wait for its lanes either.
impl Drop for Lanes {
    fn drop(&mut self) {
        for lane in self.runtimes.drain(..) {
            lane.shutdown_background();
        }
    }
}
