//! Tests the module against recorded kubectl behavior, arbitrary values and malicious input.

mod facts;
mod hostile;
mod interface;
mod properties;
