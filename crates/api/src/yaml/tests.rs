//! The module against what kubectl was seen to do, against arbitrary values and against hostile input.

mod facts;
mod hostile;
mod interface;
mod properties;
