//! The current fault rules of `cluster.yaml`.

use std::sync::Arc;

use super::settings::{ApiFault, Settings};
use crate::sys::fs::Stat;

/// The fault rules at the last read.
#[derive(Debug)]
pub(crate) struct Faults {
    /// The stat of the file at that time.
    pub(crate) seen: Option<Stat>,
    pub(crate) rules: Arc<[ApiFault]>,
    /// The paused controllers.
    pub(crate) paused: Arc<[String]>,
    /// The number of draws so far, once it was read.
    pub(crate) draws: Option<u64>,
}

impl Faults {
    /// Those of settings that were read from a file that was like this just before.
    pub(crate) fn new(settings: &Settings, seen: Option<Stat>) -> Self {
        Self {
            seen,
            rules: settings.faults.clone().into(),
            paused: settings.paused.clone().into(),
            draws: None,
        }
    }
}
