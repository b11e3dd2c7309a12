//! Administration of a cluster as a whole: its directory, leadership, settings, stored objects and YAML
//! files.

pub(crate) mod bootstrap;
pub(crate) mod configuration;
pub(crate) mod directory;
pub(crate) mod empty;
pub(crate) mod files;
pub(crate) mod import;
pub(crate) mod leadership;
pub(crate) mod mirror;
pub(crate) mod profile;
pub(crate) mod raw;
pub(crate) mod registrations;
pub(crate) mod remote;
pub(crate) mod removal;
pub(crate) mod roles;
