//! Pods and pod specs: the rules that every workload with a template shares.

pub(crate) mod affinity;
pub(crate) mod container;
pub(crate) mod env;
pub(crate) mod mounts;
pub(crate) mod probe;
pub(crate) mod scheduling;
pub(crate) mod security;
pub(crate) mod spec;
pub(crate) mod volume;

use std::collections::HashMap;

use crate::api::json::Value;
use crate::tree::{int, list, text};

/// A pod spec, with the facts that its parts need of each other.
pub(crate) struct Pod<'a> {
    spec: &'a Value,
    volumes: HashMap<&'a str, &'a Value>,
}

impl<'a> Pod<'a> {
    pub(crate) fn new(spec: &'a Value) -> Self {
        // Of two volumes with the same name the first is used.
        let volumes = list(spec, "volumes").iter().rev();
        Self {
            spec,
            volumes: volumes
                .map(|volume| (text(volume, "name"), volume))
                .collect(),
        }
    }

    fn volume(&self, name: &str) -> Option<&'a Value> {
        self.volumes.get(name).copied()
    }

    /// Returns the grace period in seconds; negative numbers are valid and mean one second.
    fn grace_period(&self) -> i64 {
        int(self.spec, "terminationGracePeriodSeconds")
    }
}
