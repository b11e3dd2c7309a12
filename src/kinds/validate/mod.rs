//! The rules that an object must keep, in the words in which the server says that it does not.

mod errors;
pub mod go;
pub mod names;
mod path;

pub use errors::Errors;
pub use path::Path;
