//! The administration of a cluster as a whole: directories, stored objects, YAML files.

pub(crate) mod bootstrap;
pub(crate) mod directory;
pub(crate) mod pace;
pub(crate) mod raw;
