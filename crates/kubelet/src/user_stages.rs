//! Users' own stages: the ConfigMap `kube-system/ctl-stages`, in which each key is a YAML file.
//!
//! They are tried before the built-in ones. An invalid file is skipped, and reported by an event about the ConfigMap
//! and by `ctl settle`.

use std::error::Error as _;

use super::stage::{self, Stage, StageError};
use crate::cluster::find_kind;
use crate::kinds::find;
use crate::kinds::tree::entries;
use crate::runtime::{Cache, Change, Controller, EventNote, Object, Plan, ReconcileContext, Watch};

/// The ConfigMap with users' stages.
const STAGES: (&str, &str) = ("kube-system", "ctl-stages");

/// The reason of the event about an invalid file.
const INVALID: &str = "InvalidStages";

/// Returns true if a change concerns users' stages.
pub(super) fn is_stages(change: &Change) -> bool {
    change.object().is_some_and(holds_stages)
}

fn holds_stages(object: &Object) -> bool {
    // A Secret may have the same name.
    let is_named = (object.namespace(), object.name()) == STAGES;
    is_named && find("", "v1", "ConfigMap") == Some(object.kind())
}

fn files(map: &Object) -> impl Iterator<Item = Result<Vec<Stage>, StageError>> {
    entries(map, "data").map(|(name, text)| stage::read(name, text.as_str().unwrap_or_default()))
}

/// Returns the stages of a ConfigMap, followed by the built-in ones.
pub(super) fn stages(map: &Object) -> Vec<Stage> {
    files(map)
        .flatten()
        .flatten()
        // The built-in stages come last, so that a user's stage can take the place of one by applying first.
        .chain(stage::built_in().iter().cloned())
        .collect()
}

/// Returns the errors of the invalid files in a ConfigMap, if any.
fn mistakes(map: &Object) -> Option<String> {
    let told = files(map).filter_map(Result::err).map(|mistake| {
        let why = mistake
            .source()
            .map_or_else(String::new, ToString::to_string);
        format!("{}: {why}", mistake.name)
    });
    let told: Vec<String> = told.collect();
    (!told.is_empty()).then(|| format!("invalid stages are ignored: {}", told.join("; ")))
}

/// Reports invalid stages.
pub(super) struct InvalidStages;

impl Controller for InvalidStages {
    fn name(&self) -> &'static str {
        "kubelet-stages"
    }

    fn component(&self) -> &'static str {
        "kubelet"
    }

    fn field_manager(&self) -> &'static str {
        "kubelet"
    }

    fn watches(&self) -> Vec<Watch> {
        let maps = find_kind("v1", "ConfigMap").map(|maps| {
            Watch::new(maps, |change, _| {
                let written = change.after.iter().filter(|o| holds_stages(o));
                written.map(|o| o.key().clone()).collect()
            })
        });
        maps.into_iter().collect()
    }

    fn plan(&mut self, context: &ReconcileContext<'_>) -> Plan {
        let mut plan = Plan::done();
        let map =
            find_kind("v1", "ConfigMap").and_then(|maps| context.cache.by_key(maps, context.key));
        let Some((map, mistakes)) = map.and_then(|map| Some((map, mistakes(map)?))) else {
            return plan;
        };
        // Reported only once, by whichever process comes first.
        let events = find_kind("v1", "Event").into_iter();
        let mut told = events.flat_map(|events| context.cache.list(events, map.namespace()));
        let is_told = told.any(|event| {
            event["reason"] == INVALID
                && event["involvedObject"]["uid"] == *map.uid()
                // Concerns this version of the ConfigMap: after a correction that is wrong again, there is a new
                // report.
                && event.revision() > map.revision()
        });
        if !is_told {
            plan.events.push(EventNote::warning(map, INVALID, mistakes));
        }
        plan
    }

    fn stuck(&self, object: &Object, _: &Cache) -> Option<String> {
        holds_stages(object).then(|| mistakes(object)).flatten()
    }
}
