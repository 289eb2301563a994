//! Connections to the file: one that writes, several that only read.

use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use rusqlite::config::DbConfig;
use rusqlite::{Connection, OpenFlags, TransactionBehavior};
use tokio::runtime::{Handle, RuntimeFlavor};
use vitrine_engine::port::StoreResult;

use crate::fault::Result;

/// How long a read may run.
const READ_DEADLINE: Duration = Duration::from_secs(10);
/// How often a running read looks at its deadline, in steps of `SQLite`'s machine.
const DEADLINE_STEPS: i32 = 20_000;
/// How long to wait for another process that is writing.
const BUSY_TIMEOUT: Duration = Duration::from_secs(30);
/// Idle readers that are kept.
const MAX_IDLE_READERS: usize = 8;
const STATEMENT_CACHE: usize = 256;

pub(crate) struct Database {
    path: PathBuf,
    /// Closed before the writer, who takes what is left in the write-ahead log to the file and removes it.
    readers: Mutex<Vec<Connection>>,
    writer: tokio::sync::Mutex<Connection>,
    /// Whether deleted text may still stand in the write-ahead log.
    forgetting: AtomicBool,
}

impl Database {
    pub(crate) fn new(path: &Path, writer: Connection) -> Self {
        let (writer, readers) = (tokio::sync::Mutex::new(writer), Mutex::new(Vec::new()));
        Self { path: path.to_owned(), readers, writer, forgetting: AtomicBool::new(false) }
    }

    /// Runs `work` on one consistent state of the store, where it is called: a few rows take less
    /// than handing them to another thread would.
    pub(crate) fn read<T>(&self, work: impl FnOnce(&Connection) -> Result<T>) -> StoreResult<T> {
        let idle = self.readers.lock().unwrap_or_else(std::sync::PoisonError::into_inner).pop();
        let mut connection = match idle {
            Some(connection) => connection,
            None => self.open_reader().map_err(|fault| fault.0)?,
        };
        let answer = read_with(&mut connection, work);
        let mut readers = self.readers.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        if readers.len() < MAX_IDLE_READERS {
            readers.push(connection);
        }
        answer.map_err(|fault| fault.0)
    }

    /// Like [`Self::read`], for what may take long.
    pub(crate) fn scan<T>(&self, work: impl FnOnce(&Connection) -> Result<T>) -> StoreResult<T> {
        aside(|| self.read(work))
    }

    /// Runs `work` on a connection of its own, for as long as it takes.
    pub(crate) fn inspect<T>(&self, work: impl FnOnce(&Connection) -> Result<T>) -> StoreResult<T> {
        self.open_reader().and_then(|connection| work(&connection)).map_err(|fault| fault.0)
    }

    /// Runs `work` and makes it durable, or leaves everything as it was.
    pub(crate) async fn write<T>(&self, work: impl FnOnce(&Connection) -> Result<T>) -> StoreResult<T> {
        let mut writer = self.writer.lock().await;
        aside(|| {
            let answer = write_with(&mut writer, work).map_err(|fault| fault.0);
            if self.forgetting.load(Ordering::Relaxed) {
                self.empty_log(&writer);
            }
            answer
        })
    }

    /// Empties the write-ahead log, where deleted text would otherwise stand until it is reused.
    /// While another reader holds it, the next write tries again.
    pub(crate) async fn forget(&self) {
        let writer = self.writer.lock().await;
        self.forgetting.store(true, Ordering::Relaxed);
        aside(|| self.empty_log(&writer));
    }

    fn empty_log(&self, writer: &Connection) {
        let busy = writer.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |row| row.get::<_, bool>(0));
        match busy {
            Ok(busy) => self.forgetting.store(busy, Ordering::Relaxed),
            Err(error) => tracing::warn!(%error, "the write-ahead log could not be emptied yet"),
        }
    }

    pub(crate) fn open_reader(&self) -> Result<Connection> {
        let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let connection = Connection::open_with_flags(&self.path, flags)?;
        connection.busy_timeout(BUSY_TIMEOUT)?;
        connection.set_prepared_statement_cache_capacity(STATEMENT_CACHE);
        keep_plans(&connection)?;
        connection.execute_batch("PRAGMA cache_size = -6000; PRAGMA temp_store = MEMORY;")?;
        Ok(connection)
    }
}

/// Does what may take long, while the other tasks of the calling thread go on in another.
pub(crate) fn aside<T>(work: impl FnOnce() -> T) -> T {
    match Handle::try_current().map(|runtime| runtime.runtime_flavor()) {
        Ok(RuntimeFlavor::MultiThread) => tokio::task::block_in_place(work),
        _ => work(),
    }
}

/// Keeps a statement's query plan whatever is bound to it. Otherwise a cached statement is prepared
/// anew each time a value that could matter to its plan is bound, which costs as much as a page.
fn keep_plans(connection: &Connection) -> Result<()> {
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_QPSG, true)?;
    Ok(())
}

/// Settings of the connection that writes. Large pages: most rows are, and what is written at once stands together.
/// A log that one large write made long gives its room back.
pub(crate) fn configure_writer(connection: &Connection) -> Result<()> {
    connection.busy_timeout(BUSY_TIMEOUT)?;
    connection.set_prepared_statement_cache_capacity(STATEMENT_CACHE);
    keep_plans(connection)?;
    connection.execute_batch(
        "PRAGMA page_size = 16384; PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA secure_delete = ON;
         PRAGMA cache_size = -32000; PRAGMA temp_store = MEMORY; PRAGMA foreign_keys = OFF;
         PRAGMA wal_autocheckpoint = 2000; PRAGMA journal_size_limit = 67108864;",
    )?;
    Ok(())
}

fn read_with<T>(connection: &mut Connection, work: impl FnOnce(&Connection) -> Result<T>) -> Result<T> {
    #[expect(clippy::disallowed_methods, reason = "a deadline on real work is measured in real time")]
    let end = Instant::now() + READ_DEADLINE;
    #[expect(clippy::disallowed_methods, reason = "a deadline on real work is measured in real time")]
    connection.progress_handler(DEADLINE_STEPS, Some(move || Instant::now() > end))?;
    connection.prepare_cached("BEGIN")?.execute([])?;
    let answer = work(connection);
    connection.prepare_cached("COMMIT")?.execute([])?;
    answer
}

fn write_with<T>(connection: &mut Connection, work: impl FnOnce(&Connection) -> Result<T>) -> Result<T> {
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    let answer = work(&transaction)?;
    transaction.commit()?;
    Ok(answer)
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc;

    use tokio::sync::oneshot;

    use super::*;

    #[tokio::test(flavor = "multi_thread", worker_threads = 1)]
    async fn what_takes_long_lets_the_other_tasks_of_its_thread_go_on() {
        let (start, started) = oneshot::channel();
        let (finish, finished) = mpsc::channel();
        let long = tokio::spawn(async move {
            aside(|| {
                start.send(()).unwrap();
                finished.recv_timeout(READ_DEADLINE)
            })
        });
        let other = tokio::spawn(async move {
            started.await.unwrap();
            finish.send(()).unwrap();
        });
        other.await.unwrap();
        assert_eq!(long.await.unwrap(), Ok(()), "nothing else ran meanwhile");
    }

    #[tokio::test]
    async fn what_takes_long_is_done_on_any_runtime() {
        assert_eq!(aside(|| 7), 7);
    }
}
