//! A token reads what its grant names and nothing else.
