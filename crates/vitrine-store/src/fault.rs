//! Database faults, sorted by what can be done about them.

use vitrine_engine::port::StoreError;

/// A fault on its way out of the store.
#[derive(Debug)]
pub(crate) struct Fault(pub(crate) StoreError);

/// What the store's inner functions answer.
pub(crate) type Result<T> = std::result::Result<T, Fault>;

impl From<rusqlite::Error> for Fault {
    fn from(error: rusqlite::Error) -> Self {
        let code = error.sqlite_error_code();
        let extended = error.sqlite_error().map(|error| error.extended_code);
        Self(match code {
            Some(rusqlite::ErrorCode::OperationInterrupted) => StoreError::TooSlow,
            Some(rusqlite::ErrorCode::DiskFull) => StoreError::Refused(
                "The disk is full. Nothing of this batch was stored; make room and send it again.".into(),
            ),
            // A quota, or a limit on the length of files, is no full disk to SQLite.
            Some(_) if extended == Some(rusqlite::ffi::SQLITE_IOERR_WRITE) => StoreError::Failed(format!(
                "The store cannot be written ({error}): the disk may be full, or a quota used up. Nothing of this batch \
                 was stored; make room and send it again."
            )),
            _ => StoreError::Failed(error.to_string()),
        })
    }
}

impl From<StoreError> for Fault {
    fn from(error: StoreError) -> Self {
        Self(error)
    }
}

impl From<serde_json::Error> for Fault {
    fn from(error: serde_json::Error) -> Self {
        corrupt(&format!("stored JSON cannot be read: {error}"))
    }
}

/// Something stored is not as it was written.
pub(crate) fn corrupt(what: &str) -> Fault {
    Fault(StoreError::Failed(format!("the store is damaged: {what}")))
}

/// Something asked for cannot be done.
pub(crate) fn refused(message: impl Into<String>) -> Fault {
    Fault(StoreError::Refused(message.into()))
}
