//! From files back to a store.

use std::fs::File;
use std::io::{self, Read as _};
use std::path::Path;

use vitrine_engine::ingest::IngestSession;
use vitrine_engine::keeping::{Keeper as _, Target};

use super::{Account, BlobFile, Lines, MANIFEST, Manifest, VERSION};
use crate::fault::Fault;
use crate::opened::Opened;

const READ_BYTES: usize = 256 * 1024;
const MAX_MANIFEST_BYTES: u64 = 256 * 1024 * 1024;
const MAX_BLOB_BYTES: u64 = 1024 * 1024 * 1024;

/// Loads an export into an empty store, and says how many records it has then.
pub(crate) async fn load(directory: &Path, opened: &Opened) -> Result<u64, Fault> {
    let text = read(directory, MANIFEST, MAX_MANIFEST_BYTES)?;
    let manifest: Manifest = serde_json::from_slice(&text).map_err(|_| not_an_export(directory))?;
    if manifest.version != VERSION {
        return Err(Fault::declined("newer_export", "The export was made by a newer version: use that one."));
    }
    let owner = opened.owner();
    for file in &manifest.sources {
        let text = read(directory, file, MAX_MANIFEST_BYTES)?;
        owner.register_source(&String::from_utf8_lossy(&text)).await?;
    }
    let mut records = 0;
    for account in &manifest.connections {
        let Account { connection_id, connector_key, display_name, streams, blobs } = account;
        owner.add_connection(connector_key, display_name, Some(connection_id)).await?;
        for BlobFile { file, about } in blobs {
            let bytes = read(directory, file, MAX_BLOB_BYTES)?;
            opened.store.put_blob(connection_id, about, &bytes).await?;
        }
        for lines in streams {
            records += stream(directory, connection_id, lines, opened).await?;
        }
    }
    Ok(records)
}

async fn stream(directory: &Path, connection_id: &str, lines: &Lines, opened: &Opened) -> Result<u64, Fault> {
    let target = Target { connection_id: connection_id.to_owned(), stream: lines.name.clone() };
    let mut session = IngestSession::start(&*opened.store, target).await?;
    let mut file = open(directory, &lines.file)?;
    let mut buffer = vec![0; READ_BYTES];
    loop {
        match file.read(&mut buffer)? {
            0 => break,
            read => session.push(&buffer[..read]).await?,
        }
    }
    let result = session.finish().await?;
    if result.records_accepted != lines.records || result.records_rejected > 0 {
        let refused = result.rejections.first().map(|line| format!(", the first because: {}", line.message));
        let message = format!(
            "{}: {} of {} records were taken, {} rejected{}",
            lines.file,
            result.records_accepted,
            lines.records,
            result.records_rejected,
            refused.unwrap_or_default()
        );
        return Err(Fault::declined("damaged_export", message));
    }
    Ok(result.records_accepted)
}

/// Files named by a manifest lie below it, never elsewhere.
fn open(directory: &Path, name: &str) -> Result<File, Fault> {
    let below = Path::new(name).components().all(|part| matches!(part, std::path::Component::Normal(_)));
    if !below {
        return Err(not_an_export(directory));
    }
    let path = directory.join(name);
    File::open(&path).map_err(|error| Fault::unreadable(&path.display().to_string(), &error))
}

fn read(directory: &Path, name: &str, most: u64) -> Result<Vec<u8>, Fault> {
    let mut bytes = Vec::new();
    let file = open(directory, name)?;
    if file.metadata()?.len() > most {
        return Err(io::Error::new(io::ErrorKind::FileTooLarge, format!("{name} is longer than {most} bytes")).into());
    }
    file.take(most).read_to_end(&mut bytes)?;
    Ok(bytes)
}

fn not_an_export(directory: &Path) -> Fault {
    let message = format!("{} is not a directory made by `vitrine export`.", directory.display());
    Fault::declined("not_an_export", message)
}
