//! This machine, as clients on it and commands to type see it.

use vitrine_server::clients::Here;

use crate::cli::Place;
use crate::fault::Fault;
use crate::opened::unusual_directory;
use crate::setup::machine::{Machine, platform};

/// This program, and the store at a place.
pub(crate) fn here(place: &Place) -> Result<Here, Fault> {
    let program = std::env::current_exe()?;
    let program = Machine::here().map_or_else(|| program.clone(), |machine| machine.lasting_path(&program));
    Ok(Here {
        program: program.to_string_lossy().into_owned(),
        data_dir: unusual_directory(place)?.map(|directory| directory.to_string_lossy().into_owned()),
        platform: platform(),
    })
}
