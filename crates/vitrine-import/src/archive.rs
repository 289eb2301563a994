//! ZIP archives, read member by member and never unpacked to disk.

use std::io::{self, Read, Seek};

use zip::ZipArchive;

use super::export::{Ignored, Member};
use super::sink::ImportError;

/// How many times its packed size a member may unpack to, beyond [`FREE_BYTES`]. Text packs ten-
/// to fiftyfold.
const MAX_RATIO: u64 = 200;
/// What a member may unpack to, however small it is packed.
const FREE_BYTES: u64 = 16 * 1024 * 1024;

const ENCRYPTED: &str = "encrypted: unpack the archive first";
/// How archives start that are not read, and what they are.
const OTHER_ARCHIVES: [(&[u8], &str); 5] =
    [(b"\x1f\x8b", "gzip"), (b"7z\xbc\xaf", "7-Zip"), (b"Rar!", "RAR"), (b"BZh", "bzip2"), (b"\xfd7zX", "xz")];

/// Refuses a file that is packed in another way.
pub(super) fn refuse_other(name: &str, start: &[u8]) -> Result<(), ImportError> {
    match OTHER_ARCHIVES.iter().find(|(known, _)| start.starts_with(known)) {
        Some((_, packing)) => Err(ImportError::Wrong(format!(
            "{name} is packed with {packing}. Unpack it and import the file or directory that comes out."
        ))),
        None => Ok(()),
    }
}

/// What archives are read from.
pub(super) trait Seekable: Read + Seek + Send {}

impl<T: Read + Seek + Send> Seekable for T {}

pub(super) struct Archive {
    zip: ZipArchive<Box<dyn Seekable>>,
    /// What all members together may still unpack to.
    left: u64,
}

impl Archive {
    /// Opens an archive of `size` bytes; its members, and those that are passed over.
    pub(super) fn open(
        name: &str,
        source: Box<dyn Seekable>,
        size: u64,
    ) -> Result<(Self, Vec<Member>, Vec<Ignored>), ImportError> {
        let damaged = |error| {
            ImportError::Damaged(format!(
                "{name} is a ZIP archive that is cut off or damaged ({error}). Download it again."
            ))
        };
        let zip = ZipArchive::new(source).map_err(damaged)?;
        let (mut members, mut ignored) = (Vec::new(), Vec::new());
        for index in 0..zip.len() {
            let entry = zip.by_index_data(index).map_err(damaged)?;
            let name = String::from_utf8_lossy(entry.name_raw()).into_owned();
            if entry.is_dir() {
                continue;
            }
            let reason = if entry.is_symlink() {
                Some("a link inside the archive")
            } else if leads_outside(&name) {
                Some("a path that leads out of the archive")
            } else if entry.encrypted() {
                Some(ENCRYPTED)
            } else {
                None
            };
            match reason {
                Some(reason) => ignored.push(Ignored { reason, name }),
                None => members.push(Member { name, size: entry.size(), index }),
            }
        }
        if members.is_empty() && ignored.iter().any(|one| one.reason == ENCRYPTED) {
            return Err(ImportError::Wrong(format!(
                "{name} is protected with a password. Unpack it yourself and import the directory."
            )));
        }
        let left = size.saturating_mul(MAX_RATIO).saturating_add(FREE_BYTES);
        Ok((Self { zip, left }, members, ignored))
    }

    /// Reads a member, as far as it does not unpack to more than it should.
    pub(super) fn reader(&mut self, index: usize) -> io::Result<impl Read + '_> {
        let member = self.zip.by_index(index).map_err(io::Error::from)?;
        let left = member.compressed_size().saturating_mul(MAX_RATIO).saturating_add(FREE_BYTES);
        Ok(Unpacked { member, left, all: &mut self.left })
    }
}

/// Says what became of a member that cannot be unpacked. What the system says stands as it is.
fn damaged(error: io::Error) -> io::Error {
    if error.kind() == io::ErrorKind::Interrupted || error.raw_os_error().is_some() {
        return error;
    }
    io::Error::new(error.kind(), format!("is damaged inside the archive ({error}); download the archive again"))
}

fn leads_outside(name: &str) -> bool {
    name.starts_with('/') || name.contains(['\\', '\0']) || name.split('/').any(|part| part == "..")
}

struct Unpacked<'a, R> {
    member: R,
    left: u64,
    all: &'a mut u64,
}

impl<R: Read> Read for Unpacked<'_, R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.member.read(buffer).map_err(damaged)?;
        let bytes = read as u64;
        if bytes > self.left || bytes > *self.all {
            let message = "unpacks to many times its size, as a ZIP bomb does; unpack it yourself if you trust it";
            return Err(io::Error::new(io::ErrorKind::InvalidData, message));
        }
        self.left -= bytes;
        *self.all -= bytes;
        Ok(read)
    }
}

#[cfg(test)]
mod tests {
    use std::io::{Cursor, Write as _};

    use zip::ZipWriter;
    use zip::write::SimpleFileOptions;

    use super::*;
    use crate::export::Export;
    use crate::testing::{Found, read, settings, zip};
    use crate::{Kind, Sink};

    const MAIL: &[u8] = b"From x Sat Jan  3 01:05:34 1998\nMessage-ID: <1@x>\n\nHello\n";

    #[test]
    fn entries_that_lead_out_of_the_archive_are_named_and_passed_over() {
        let mut archive = ZipWriter::new(Cursor::new(Vec::new()));
        let outside = ["../up.mbox", "a/../../up.mbox", "/root.mbox", "a\\..\\..\\up.mbox"];
        for name in ["good.mbox", "also..good.mbox"].iter().chain(&outside) {
            archive.start_file(*name, SimpleFileOptions::default()).unwrap();
            archive.write_all(MAIL).unwrap();
        }
        archive.add_symlink("link.mbox", "/etc/passwd", SimpleFileOptions::default()).unwrap();
        let found = read(Kind::Mbox, "mail.zip", archive.finish().unwrap().into_inner());
        assert_eq!(found.of("messages").len(), 2);
        let told: Vec<_> = found.skips.iter().map(|skip| (skip.place.as_str(), skip.reason.as_ref())).collect();
        let mut expected: Vec<_> = outside.map(|name| (name, "a path that leads out of the archive")).into();
        expected.push(("link.mbox", "a link inside the archive"));
        assert_eq!(told, expected);
    }

    #[test]
    fn an_archive_that_cannot_be_opened_is_refused_with_the_reason() {
        let refused = |bytes: &[u8]| Export::of_bytes("mail.zip", bytes).err().map(|error| error.to_string());
        let mut locked = zip(&[("a.mbox", MAIL)]);
        // The lowest flag bit of a member, in front of it and in the directory at the end, says encrypted.
        let directory = memchr::memmem::find(&locked, b"PK\x01\x02").unwrap();
        locked[6] |= 1;
        locked[directory + 8] |= 1;
        assert!(refused(&locked).is_some_and(|why| why.contains("protected with a password")));
        assert!(refused(b"\x1f\x8b\x08\x00").is_some_and(|why| why.contains("packed with gzip")));
    }

    #[test]
    fn an_archive_that_is_cut_off_anywhere_is_refused_whole() {
        let archive = zip(&[("a.mbox", MAIL), ("b.mbox", MAIL)]);
        assert!(Export::of_bytes("mail.zip", archive.as_slice()).is_ok());
        for length in 4..archive.len() {
            let refused = Export::of_bytes("mail.zip", &archive[..length]);
            let told = matches!(&refused, Err(ImportError::Damaged(why)) if why.contains("cut off or damaged"));
            assert!(told, "cut at {length}");
        }
    }

    #[test]
    fn a_member_that_is_damaged_is_named_with_what_to_do() {
        let mail = |id: u32| format!("From x\nMessage-ID: <{id}@x>\n\n{}\n\n", id * id);
        let mails = (0..2_000).map(mail).collect::<Vec<_>>().concat();
        let whole = zip(&[("Takeout/Mail/a.mbox", mails.as_bytes())]);
        let first = 30 + "Takeout/Mail/a.mbox".len();
        for (place, at) in [("start", first), ("middle", whole.len() / 2)] {
            let mut archive = whole.clone();
            archive[at] ^= 0xff;
            let mut export = Export::of_bytes("mail.zip", archive).unwrap();
            let mut found = Found::default();
            let end = Kind::Mbox.prepare(&mut export, &settings(), "x").and_then(|prepared| {
                prepared.read(&mut export, &settings(), &mut Sink::new(&mut found, settings().now))
            });
            let why = end.unwrap_err().to_string();
            let told = why.starts_with("Takeout/Mail/a.mbox: is damaged inside the archive (");
            assert!(told && why.ends_with("; download the archive again"), "{place}: {why}");
        }
    }
}
