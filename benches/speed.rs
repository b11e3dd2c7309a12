//! Prints the speed table.
fn main() {}
