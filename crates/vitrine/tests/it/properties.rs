//! What must be true whatever the data: properties over generated stores, grants and requests.

mod changes;
mod doubles;
mod model;
mod model_reads;
mod noninterference;
mod pages;
mod requests;
mod searches;
mod windows;
mod world;
