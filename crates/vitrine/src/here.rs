//! This machine, as clients on it and commands to type see it.

use vitrine_server::clients::Here;

use crate::cli::Place;
use crate::fault::Fault;
use crate::opened::unusual_directory;
use crate::setup::machine::{Machine, platform};

/// This program, and the store at a place.
pub(crate) fn here(place: &Place) -> Result<Here, Fault> {
    let program = std::env::current_exe()?;
    let found = Machine::here().and_then(|machine| machine.on_search_path(&program));
    let typed = if found.is_some() { "vitrine".to_owned() } else { program.to_string_lossy().into_owned() };
    Ok(Here {
        // A link on the search path often outlives the file it points to.
        program: found.unwrap_or(program).to_string_lossy().into_owned(),
        typed,
        data_dir: unusual_directory(place)?.map(|directory| directory.to_string_lossy().into_owned()),
        platform: platform(),
    })
}
