//! What goes in comes back as it was, or is refused by name; what is deleted is gone.

mod ahead;
mod deletion;
mod durability;
mod fidelity;
mod lines;
