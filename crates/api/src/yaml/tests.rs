//! Tests the module against recorded kubectl behavior, arbitrary values and hostile input.

mod facts;
mod hostile;
mod interface;
mod properties;
