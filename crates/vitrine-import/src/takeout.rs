//! Google Takeout: My Activity and YouTube's history, and the location history in its three forms.

mod activity;
mod location;
mod page;

use super::elements;
use super::export::{Export, Member};
use super::kind::Importer;
use super::settings::Settings;
use super::sink::{ImportError, Sink};

pub(super) const IMPORTER: Importer = Importer::declared(
    "a Google Takeout",
    "a Takeout archive or directory with My Activity, YouTube or location history, or one of its files",
    include_str!("declarations/google-takeout.json"),
    recognizes,
    read,
);

/// Files looked into to tell whether this is a Takeout.
const MAX_LOOKED_INTO: usize = 2_000;

/// What a file of a Takeout holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Part {
    /// Entries of My Activity, which YouTube's history shares.
    Activity,
    /// The same as a page.
    ActivityPage,
    /// Positions, visits and trips.
    Location,
}

/// Files go by their content, because their names follow the account's language.
fn part(export: &mut Export, member: &Member) -> Result<Option<Part>, ImportError> {
    let (json, html) = (member.has_extension("json"), member.has_extension("html"));
    if !json && !html {
        return Ok(None);
    }
    let head = export.head(member, 16 * 1024)?;
    let has = |mark: &str| memchr::memmem::find(&head, mark.as_bytes()).is_some();
    Ok(if html {
        has("outer-cell").then_some(Part::ActivityPage)
    } else if has("\"header\"") && has("\"time\"") && has("\"title\"") {
        Some(Part::Activity)
    } else if ["\"locations\"", "\"timelineObjects\"", "\"semanticSegments\""].iter().any(|mark| has(mark))
        || (has("\"startTime\"") && (has("\"visit\"") || has("\"activity\"") || has("\"timelinePath\"")))
    {
        Some(Part::Location)
    } else {
        None
    })
}

fn recognizes(export: &mut Export) -> Result<bool, ImportError> {
    let members = export.members().iter().filter(|m| m.has_extension("json") || m.has_extension("html"));
    for member in members.take(MAX_LOOKED_INTO).cloned().collect::<Vec<_>>() {
        if part(export, &member)?.is_some() {
            return Ok(true);
        }
    }
    Ok(false)
}

fn read(export: &mut Export, settings: &Settings, sink: &mut Sink<'_>) -> Result<(), ImportError> {
    for member in export.members().to_vec() {
        match part(export, &member)? {
            Some(Part::ActivityPage) => page::read(&mut *export.reader(&member)?, &member.name, settings, sink)?,
            Some(kind) => {
                elements::each(&mut *export.reader(&member)?, &member.name, sink, &mut |array, number, text, sink| {
                    let place = format!("{}, entry {number}", member.name);
                    match kind {
                        Part::Location => location::take(array, text, &place, sink),
                        _ => activity::take(text, &place, sink),
                    }
                })?;
            }
            None if member.has_extension("mbox") => {
                sink.leave_out("mail: import it with `vitrine import mbox`", member.name);
            }
            None => sink.leave_out("a part of the Takeout that is not imported", member.name),
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests;
