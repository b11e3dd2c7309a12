//! Pods and pod specs: the rules that every workload with a template shares.

pub(crate) mod affinity;
pub(crate) mod annotations;
pub(crate) mod container;
pub(crate) mod env;
pub(crate) mod mounts;
pub(crate) mod operating_system;
pub(crate) mod probe;
pub(crate) mod remote;
pub(crate) mod scheduling;
pub(crate) mod security;
pub(crate) mod spec;
pub(crate) mod volume;
mod windows;

#[cfg(test)]
mod newer_tests;
#[cfg(test)]
mod tests;

use std::collections::HashMap;

use crate::api::json::Value;
use crate::tree::int;

/// A pod spec with the facts about it that several rules need.
pub(crate) struct Pod<'a> {
    spec: &'a Value,
    volumes: HashMap<&'a str, &'a Value>,
}

impl<'a> Pod<'a> {
    /// Creates a pod spec with its valid volumes by name. Mounts may refer only to valid volumes.
    pub(crate) fn new(spec: &'a Value, volumes: HashMap<&'a str, &'a Value>) -> Self {
        Self { spec, volumes }
    }

    fn volume(&self, name: &str) -> Option<&'a Value> {
        self.volumes.get(name).copied()
    }

    /// Returns the grace period in seconds. Negative numbers are valid and mean one second.
    fn grace_period(&self) -> i64 {
        int(self.spec, "terminationGracePeriodSeconds")
    }
}
