//! Maildir: one file a mail, in `cur` and `new` of each folder.

use std::io::Read as _;

use super::message::{self, Envelope};
use super::{DECLARATION, MAX_MAIL_BYTES, TOO_LARGE, utf7};
use crate::export::{Export, Member};
use crate::kind::Importer;
use crate::settings::Settings;
use crate::sink::{ImportError, Sink};

pub(crate) const IMPORTER: Importer = Importer::declared(
    "a Maildir",
    "a directory with the subdirectories `cur` and `new`",
    DECLARATION,
    |export| Ok(export.members().iter().any(is_mail)),
    read,
);

fn is_mail(member: &Member) -> bool {
    matches!(member.directory(), "cur" | "new") && !member.file_name().starts_with('.')
}

fn read(export: &mut Export, settings: &Settings, sink: &mut Sink<'_>) -> Result<(), ImportError> {
    let notes = export.notes();
    for member in export.select(is_mail) {
        let mut bytes = Vec::new();
        export.reader(&member)?.take(MAX_MAIL_BYTES as u64 + 1).read_to_end(&mut bytes)?;
        if bytes.len() > MAX_MAIL_BYTES {
            sink.reject(TOO_LARGE, member.name);
            continue;
        }
        let unread = member.directory() == "new" || !flags(&member).contains('S');
        let folder = folder(&member);
        let (zone, place) = (&settings.time_zone, member.name.clone());
        let envelope = Envelope { folder: &folder, delivered: None, unread: Some(unread), zone, place, notes: &notes };
        message::take(&bytes, &envelope, sink)?;
    }
    Ok(())
}

/// The letters after `:2,`; some systems cannot have a colon there.
fn flags(member: &Member) -> &str {
    let name = member.file_name();
    [":2,", ";2,", "!2,"].iter().find_map(|mark| name.split_once(mark)).map(|(_, flags)| flags).unwrap_or_default()
}

/// The folder a mail is in; `.` stands for a slash in its name.
fn folder(member: &Member) -> String {
    let above = member.name.rsplit('/').nth(2).unwrap_or_default();
    match above.trim_matches('.') {
        "" => "Inbox".to_owned(),
        name => name.split('.').map(utf7::decoded).collect::<Vec<_>>().join("/"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folders_and_flags_come_from_the_path() {
        let member = |name: &str| Member { name: name.into(), size: 0, index: 0 };
        assert_eq!(folder(&member("cur/1.a:2,S")), "Inbox");
        assert_eq!(folder(&member(".Work.Invoices/cur/1.a:2,S")), "Work/Invoices");
        assert_eq!(folder(&member(".Arch&AOQ-v.2020/cur/1.a:2,S")), "Archäv/2020");
        assert_eq!(flags(&member("cur/1.a:2,FS")), "FS");
        assert_eq!(flags(&member("new/1.a")), "");
    }
}
