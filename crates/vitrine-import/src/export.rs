//! What the owner downloaded: a file, a directory of files, or a ZIP archive.

use std::collections::BTreeSet;
use std::fs::{self, File, Metadata};
use std::io::{self, BufRead, BufReader, Cursor, Read};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::SystemTime;

use super::archive::{Archive, refuse_other};
use super::sink::ImportError;

const READ_BYTES: usize = 256 * 1024;
const MAX_DEPTH: usize = 16;
const ZIP_STARTS: [&[u8]; 2] = [b"PK\x03\x04", b"PK\x05\x06"];

/// An export, ready to be read.
pub struct Export {
    place: Place,
    name: String,
    members: Vec<Member>,
    ignored: Vec<Ignored>,
    progress: Arc<AtomicU64>,
    /// The one file it is, archive or not, and how that was when it was opened.
    opened: Option<(PathBuf, State)>,
    /// What readers noticed on the way.
    notes: Notes,
}

/// Sentences that several readers of an export may add to.
pub(crate) type Notes = Arc<Mutex<BTreeSet<String>>>;

/// A file's length, and when it was last written.
type State = (u64, Option<SystemTime>);

enum Place {
    File(PathBuf),
    Directory(PathBuf),
    Archive(Box<Archive>),
    Bytes(Arc<[u8]>),
}

/// One file of an export.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Member {
    /// Its path inside the export, with forward slashes.
    pub(crate) name: String,
    /// Its size, as far as the export tells the truth.
    pub(crate) size: u64,
    pub(super) index: usize,
}

impl Member {
    /// Its name without the directories it is in.
    pub(crate) fn file_name(&self) -> &str {
        self.name.rsplit('/').next().unwrap_or(&self.name)
    }

    /// Whether its name ends in this extension, in letters of either case.
    pub(crate) fn has_extension(&self, extension: &str) -> bool {
        Path::new(&self.name).extension().is_some_and(|own| own.eq_ignore_ascii_case(extension))
    }

    /// The path of the directory it is in.
    pub(crate) fn parent(&self) -> &str {
        self.name.rsplit_once('/').map_or("", |(parent, _)| parent)
    }

    /// The name of the directory it is in.
    pub(crate) fn directory(&self) -> &str {
        self.name.rsplit('/').nth(1).unwrap_or_default()
    }
}

/// A file of an export that is passed over.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Ignored {
    pub(crate) reason: &'static str,
    pub(crate) name: String,
}

impl Export {
    /// Opens what lies at `path`.
    pub fn open(path: &Path) -> Result<Self, ImportError> {
        let named = |error: io::Error| io::Error::new(error.kind(), format!("{}: {error}", path.display()));
        let about = fs::metadata(path).map_err(named)?;
        let name = path.file_name().map_or_else(|| path.display().to_string(), |n| n.to_string_lossy().into_owned());
        if about.is_dir() {
            let (mut members, mut ignored) = (Vec::new(), Vec::new());
            walk(path, "", 0, &mut members, &mut ignored).map_err(named)?;
            members.sort_by(|a, b| a.name.cmp(&b.name));
            return Ok(Self::new(Place::Directory(path.to_owned()), name, members, ignored));
        }
        let mut file = File::open(path).map_err(named)?;
        let mut start = [0; 4];
        let read = read_fully(&mut file, &mut start).map_err(named)?;
        let opened = Some((path.to_owned(), state(&about)));
        if ZIP_STARTS.contains(&&start[..read]) {
            let (archive, members, ignored) = Archive::open(&name, Box::new(file), about.len())?;
            return Ok(Self { opened, ..Self::new(Place::Archive(Box::new(archive)), name, members, ignored) });
        }
        refuse_other(&name, &start[..read])?;
        let member = Member { name: name.clone(), size: about.len(), index: 0 };
        Ok(Self { opened, ..Self::new(Place::File(path.to_owned()), name, vec![member], Vec::new()) })
    }

    /// An export that was read before, under the name it had.
    pub fn of_bytes(name: &str, bytes: impl Into<Arc<[u8]>>) -> Result<Self, ImportError> {
        let bytes: Arc<[u8]> = bytes.into();
        let size = bytes.len() as u64;
        if ZIP_STARTS.iter().any(|start| bytes.starts_with(start)) {
            let (archive, members, ignored) = Archive::open(name, Box::new(Cursor::new(bytes)), size)?;
            return Ok(Self::new(Place::Archive(Box::new(archive)), name.to_owned(), members, ignored));
        }
        refuse_other(name, &bytes)?;
        let member = Member { name: name.to_owned(), size, index: 0 };
        Ok(Self::new(Place::Bytes(bytes), name.to_owned(), vec![member], Vec::new()))
    }

    fn new(place: Place, name: String, members: Vec<Member>, ignored: Vec<Ignored>) -> Self {
        Self { place, name, members, ignored, progress: Arc::default(), opened: None, notes: Notes::default() }
    }

    /// What it is called.
    pub(crate) fn name(&self) -> &str {
        &self.name
    }

    /// Its files.
    pub(crate) fn members(&self) -> &[Member] {
        &self.members
    }

    /// The files that are passed over, and why.
    pub(crate) fn ignored(&self) -> &[Ignored] {
        &self.ignored
    }

    /// Keeps only the files an importer is going to read, and takes them out to be read.
    pub(crate) fn select(&mut self, wanted: impl Fn(&Member) -> bool) -> Vec<Member> {
        self.members.retain(|member| wanted(member));
        self.members.clone()
    }

    /// Bytes there are to read.
    pub fn size(&self) -> u64 {
        self.members.iter().map(|member| member.size).fold(0, u64::saturating_add)
    }

    /// Counts the bytes read so far.
    pub fn progress(&self) -> Arc<AtomicU64> {
        Arc::clone(&self.progress)
    }

    /// The path of a member that is a file of its own on disk.
    pub(crate) fn path_of(&self, member: &Member) -> Option<PathBuf> {
        match &self.place {
            Place::File(path) => Some(path.clone()),
            Place::Directory(root) => Some(root.join(&member.name)),
            Place::Archive(_) | Place::Bytes(_) => None,
        }
    }

    /// Where readers put what they notice.
    pub(crate) fn notes(&self) -> Notes {
        Arc::clone(&self.notes)
    }

    /// What readers have noticed so far.
    pub(crate) fn take_notes(&self) -> Vec<String> {
        self.notes.lock().map(|mut notes| std::mem::take(&mut *notes)).unwrap_or_default().into_iter().collect()
    }

    /// Counts a file as read that was read by other means.
    pub(crate) fn note_read(&self, path: &Path) {
        self.progress.fetch_add(fs::metadata(path).map_or(0, |about| about.len()), Ordering::Relaxed);
    }

    /// Reads a member from its start.
    pub(crate) fn reader(&mut self, member: &Member) -> Result<Box<dyn BufRead + '_>, ImportError> {
        let progress = Arc::clone(&self.progress);
        let source = self.source(member)?;
        let counted = Counted { source, progress, name: member.name.clone() };
        Ok(Box::new(BufReader::with_capacity(READ_BYTES, counted)))
    }

    /// The first bytes of a member.
    pub(crate) fn head(&mut self, member: &Member, bytes: usize) -> Result<Vec<u8>, ImportError> {
        let named = |error: io::Error| io::Error::new(error.kind(), format!("{}: {error}", member.name));
        let mut head = Vec::new();
        self.source(member)?.take(bytes as u64).read_to_end(&mut head).map_err(named)?;
        Ok(head)
    }

    /// Whether a file is no longer as it was when it was opened.
    pub fn changed(&self) -> bool {
        let Some((path, was)) = &self.opened else { return false };
        fs::metadata(path).map_or(true, |about| state(&about) != *was)
    }

    fn source(&mut self, member: &Member) -> Result<Box<dyn Read + '_>, ImportError> {
        let named = |error: io::Error| io::Error::new(error.kind(), format!("{}: {error}", member.name));
        Ok(match &mut self.place {
            Place::File(path) => Box::new(File::open(path).map_err(named)?),
            Place::Directory(root) => Box::new(File::open(root.join(&member.name)).map_err(named)?),
            Place::Archive(archive) => Box::new(archive.reader(member.index).map_err(named)?),
            Place::Bytes(bytes) => Box::new(&bytes[..]),
        })
    }
}

fn state(about: &Metadata) -> State {
    (about.len(), about.modified().ok())
}

fn walk(
    directory: &Path,
    prefix: &str,
    depth: usize,
    members: &mut Vec<Member>,
    ignored: &mut Vec<Ignored>,
) -> io::Result<()> {
    for entry in fs::read_dir(directory)? {
        let entry = entry?;
        let kind = entry.file_type()?;
        let Ok(name) = entry.file_name().into_string() else {
            let name = entry.file_name().to_string_lossy().into_owned();
            ignored.push(Ignored { reason: "a file name that is no text", name });
            continue;
        };
        let name = format!("{prefix}{name}");
        if kind.is_symlink() {
            ignored.push(Ignored { reason: "a link", name });
        } else if kind.is_dir() && depth < MAX_DEPTH {
            walk(&entry.path(), &format!("{name}/"), depth + 1, members, ignored)?;
        } else if kind.is_file() {
            members.push(Member { name, size: entry.metadata()?.len(), index: 0 });
        }
    }
    Ok(())
}

fn read_fully(source: &mut impl Read, buffer: &mut [u8]) -> io::Result<usize> {
    let mut filled = 0;
    while filled < buffer.len() {
        match source.read(&mut buffer[filled..]) {
            Ok(0) => break,
            Ok(read) => filled += read,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(filled)
}

struct Counted<R> {
    source: R,
    progress: Arc<AtomicU64>,
    name: String,
}

impl<R: Read> Read for Counted<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.source.read(buffer).map_err(|error| match error.kind() {
            io::ErrorKind::Interrupted => error,
            kind => io::Error::new(kind, format!("{}: {error}", self.name)),
        })?;
        self.progress.fetch_add(read as u64, Ordering::Relaxed);
        Ok(read)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{Found, settings, zip};
    use crate::{Kind, Outlet, Sink, Skip, Stopped};
    use vitrine_engine::keeping::NewBlob;

    /// Does something to the file when the first record is found.
    struct Meddling<F: FnMut()> {
        found: Found,
        meddle: Option<F>,
    }

    impl<F: FnMut()> Outlet for Meddling<F> {
        fn line(&mut self, stream: &str, line: &[u8]) -> Result<(), Stopped> {
            if let Some(mut meddle) = self.meddle.take() {
                meddle();
            }
            self.found.line(stream, line)
        }

        fn blob(&mut self, blob: NewBlob) -> Result<(), Stopped> {
            self.found.blob(blob)
        }

        fn skip(&mut self, skip: Skip) {
            self.found.skip(skip);
        }

        fn note(&mut self, note: String) {
            self.found.note(note);
        }
    }

    fn mail(id: usize) -> String {
        format!("From x Sat Jan  3 01:05:34 1998\nMessage-ID: <{id}@x>\n\n{}\n\n", "word ".repeat(2_000))
    }

    /// How many mails are found in a file that is changed meanwhile, whether the import came to its
    /// end, and whether it noticed.
    fn read_while(bytes: &[u8], meddle: impl FnMut(&File)) -> (usize, Result<(), ImportError>, bool) {
        let (mut file, mut meddle) = (tempfile::NamedTempFile::new().unwrap(), meddle);
        std::io::Write::write_all(&mut file, bytes).unwrap();
        let mut export = Export::open(file.path()).unwrap();
        let prepared = Kind::Mbox.prepare(&mut export, &settings(), "x").unwrap();
        let mut outlet = Meddling { found: Found::default(), meddle: Some(|| meddle(file.as_file())) };
        let end = prepared.read(&mut export, &settings(), &mut Sink::new(&mut outlet, settings().now));
        (outlet.found.of("messages").len(), end, export.changed())
    }

    #[test]
    fn a_file_that_changes_while_it_is_read_is_noticed() {
        const MAILS: usize = 100;
        let text: String = (0..MAILS).map(mail).collect();
        let bytes = text.as_bytes();
        let (found, end, changed) = read_while(bytes, |_| {});
        assert_eq!((found, end.is_ok(), changed), (MAILS, true, false));

        let (found, end, changed) =
            read_while(bytes, |mut file| std::io::Write::write_all(&mut file, mail(MAILS).as_bytes()).unwrap());
        assert_eq!((found, end.is_ok(), changed), (MAILS + 1, true, true), "it grew");

        let half = bytes.len() / 2;
        let (found, end, changed) = read_while(bytes, |file| file.set_len(half as u64).unwrap());
        assert!(found < MAILS && end.is_ok() && changed, "it was cut off: {found} {end:?}");

        let archive = zip(&[("a.mbox", bytes), ("b.mbox", bytes)]);
        let (found, end, changed) = read_while(&archive, |file| file.set_len(archive.len() as u64 / 2).unwrap());
        assert!(found <= MAILS && matches!(end, Err(ImportError::Unreadable(_))) && changed, "{found} {end:?}");
    }

    #[cfg(unix)]
    #[test]
    fn links_in_a_directory_are_not_followed() {
        let (directory, elsewhere) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        fs::write(elsewhere.path().join("secret.mbox"), mail(1)).unwrap();
        fs::write(directory.path().join("own.mbox"), mail(2)).unwrap();
        let link = |to: &Path, name: &str| std::os::unix::fs::symlink(to, directory.path().join(name)).unwrap();
        link(&elsewhere.path().join("secret.mbox"), "a.mbox");
        link(elsewhere.path(), "b");
        link(directory.path(), "round and round");
        let export = Export::open(directory.path()).unwrap();
        assert_eq!(export.members().iter().map(|member| member.name.as_str()).collect::<Vec<_>>(), ["own.mbox"]);
        let mut ignored: Vec<_> = export.ignored().iter().map(|one| (one.name.as_str(), one.reason)).collect();
        ignored.sort_unstable();
        assert_eq!(ignored, [("a.mbox", "a link"), ("b", "a link"), ("round and round", "a link")]);
    }
}
