//! Administration of a cluster as a whole: its directory, leadership, settings, stored objects and YAML
//! files.

pub(crate) mod bootstrap;
pub(crate) mod directory;
pub(crate) mod faults;
pub(crate) mod leadership;
pub(crate) mod maintenance;
pub(crate) mod pace;
pub(crate) mod past;
pub(crate) mod profile;
pub(crate) mod raw;
