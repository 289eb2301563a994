//! Real exports, as people download them, become records.
//!
//! An importer reads an [`Export`] and hands what it finds to a [`Sink`], one record after the
//! other, so that a file of any size needs the memory of its largest record. It knows no store:
//! whoever takes the records checks, batches and writes them.

mod apple_health;
mod archive;
mod bank;
mod browser;
mod calendar;
mod chat;
mod components;
mod contacts;
mod dates;
mod delimited;
mod elements;
mod export;
mod hash;
mod json;
mod kind;
mod lines;
mod mail;
mod moments;
mod repeats;
mod sessions;
mod settings;
mod sink;
mod slack;
mod spotify;
mod table;
mod takeout;
#[cfg(test)]
mod testing;
#[cfg(test)]
mod tests;
mod text;
mod whatsapp;
mod zones;

pub use export::Export;
pub use kind::{FORMS, Kind, Prepared};
pub use settings::{DateOrder, Settings};
pub use sink::{ImportError, Outlet, Sink, Skip, Stopped, Values};
