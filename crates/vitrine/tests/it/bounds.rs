//! Whatever comes in, the work is bounded and the answer is typed.

mod bodies;
mod command_line;
mod generated;
mod pace;
mod requests;
mod windows;
