//! The product from the outside: one module per file under `specs/`, and the rules of the house.

mod tidy;
