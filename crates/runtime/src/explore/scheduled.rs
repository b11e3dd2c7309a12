//! The schedule of a manager, and the objects that it need not parse again.

use std::sync::Arc;

use super::schedule::Shared;
use crate::cluster::{ApiError, Cluster, Kind, Revision};
use crate::controller::Controller;
use crate::object::Object;

/// Makes the controllers of a process, at its start and again after each crash.
pub type Make =
    Arc<dyn Fn(&Cluster) -> Result<Vec<Box<dyn Controller>>, ApiError> + Send + std::marker::Sync>;

/// The schedule of a manager.
pub(crate) struct Scheduled {
    pub(super) schedule: Shared,
    pub(super) make: Make,
    pub(super) crashed: bool,
}

/// Parsed objects of a revision, which all runs from there on share.
#[derive(Debug)]
pub struct SharedObjects {
    revision: Revision,
    objects: Vec<(&'static Kind, Vec<Object>)>,
}

impl SharedObjects {
    pub(super) fn new(revision: Revision, objects: Vec<(&'static Kind, Vec<Object>)>) -> Self {
        Self { revision, objects }
    }

    /// Returns the revision of the objects.
    pub(crate) fn revision(&self) -> Revision {
        self.revision
    }

    /// Returns the objects of a kind, if they were read.
    pub(crate) fn of(&self, kind: &'static Kind) -> Option<&[Object]> {
        let mut all = self.objects.iter();
        let found = all.find(|(own, _)| std::ptr::eq(*own, kind));
        found.map(|(_, objects)| &objects[..])
    }
}
