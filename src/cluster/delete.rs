//! Deleting objects: grace, finalizers, propagation, preconditions.

use jiff::{SignedDuration, Timestamp};
use serde_json::{Value, json};

use super::request::{Answer, ApiError, DeleteOptions, Place, Propagation, WriteOptions};
use super::transaction::{Decision, Step};
use super::write::seconds;
use super::{Cluster, Expect, objects};
use crate::api::status::Status;
use crate::kinds::Kind;
use crate::store::View;

const FOREGROUND: &str = "foregroundDeletion";
const ORPHAN: &str = "orphan";

impl Cluster {
    /// Deletes an object, or marks it where something has to happen first.
    ///
    /// # Errors
    /// Kubernetes' answer where it is not there or a precondition does not hold.
    pub fn delete(
        &self,
        place: &Place,
        name: &str,
        options: &DeleteOptions,
    ) -> Result<Answer, ApiError> {
        self.run(self.delete_step(place, name, options, &options.write)?)
    }

    pub(crate) fn delete_step<'s>(
        &'s self,
        place: &'s Place,
        name: &'s str,
        options: &'s DeleteOptions,
        write: &'s WriteOptions,
    ) -> Result<Step<'s>, ApiError> {
        let key = objects::key(place, name)?;
        let decide = move |view: &dyn View| {
            let stored = view
                .get(&key)?
                .ok_or_else(|| objects::not_found(place.kind, name))?;
            let old = objects::shown_as(place.kind, &stored)?;
            check_preconditions(place, name, &old, options)?;
            let expect = Expect::At(stored.revision);
            let marked = marked(place.kind, &old, view, options);
            let decision = match is_over(place.kind, &marked) {
                true => Decision::Remove(key.clone(), expect, marked),
                false if marked == old => Decision::Keep(old),
                false => Decision::Put(key.clone(), expect, marked),
            };
            Ok(decision.into())
        };
        Ok(Step {
            verb: "delete",
            kind: place.kind,
            options: write,
            decide: Box::new(decide),
        })
    }

    /// Deletes the wanted objects of a place, one after the other.
    ///
    /// # Errors
    /// The first answer that is not that the object is gone already.
    pub fn delete_collection(
        &self,
        place: &Place,
        wanted: super::read::Wanted<'_>,
        options: &DeleteOptions,
    ) -> Result<Vec<Answer>, ApiError> {
        let mut answers = Vec::new();
        for object in self.list(place, wanted, None)?.items {
            let own = Place::new(place.kind, objects::meta(&object, "namespace"));
            match self.delete(&own, objects::meta(&object, "name"), options) {
                Ok(answer) => answers.push(answer),
                Err(e) if e.status().is_some_and(|s| s.reason == "NotFound") => {}
                Err(e) => return Err(e),
            }
        }
        Ok(answers)
    }
}

fn check_preconditions(
    place: &Place,
    name: &str,
    old: &Value,
    options: &DeleteOptions,
) -> Result<(), ApiError> {
    let resource = place.kind.qualified_resource();
    let refuse = |what: &str, wanted: &str, found: &str| {
        let why = format!(
            "the {what} in the precondition ({wanted}) does not match the {what} in record ({found}). \
             The object might have been deleted and then recreated"
        );
        Err(Status::conflict(&resource, name, &why).into())
    };
    let uid = objects::meta(old, "uid");
    if let Some(wanted) = options.uid.as_deref().filter(|wanted| *wanted != uid) {
        return refuse("UID", wanted, uid);
    }
    let version = objects::meta(old, "resourceVersion");
    let wanted = options.resource_version.as_deref();
    if let Some(wanted) = wanted.filter(|wanted| *wanted != version) {
        let why = format!(
            "the ResourceVersion in the precondition ({wanted}) does not match the ResourceVersion \
             in record ({version}). The object might have been modified"
        );
        return Err(Status::conflict(&resource, name, &why).into());
    }
    Ok(())
}

/// The object with the marks of its deletion.
pub(crate) fn marked(kind: &Kind, old: &Value, view: &dyn View, options: &DeleteOptions) -> Value {
    let mut object = old.clone();
    let grace = grace_period(kind, old, options.grace_period);
    let finalizers = wanted_finalizers(old, options.propagation);
    let metadata = &mut object["metadata"];
    if let Some(metadata) = metadata.as_object_mut() {
        match finalizers.is_empty() {
            true => drop(metadata.remove("finalizers")),
            false => drop(metadata.insert("finalizers".to_owned(), json!(finalizers))),
        }
    }
    let going = metadata["deletionTimestamp"].is_string();
    let left = metadata["deletionGracePeriodSeconds"].as_i64();
    if !going || left.is_some_and(|left| grace < left) {
        metadata["deletionTimestamp"] = json!(deadline(view, grace));
        metadata["deletionGracePeriodSeconds"] = json!(grace);
        if !going && let Some(generation) = metadata["generation"].as_i64() {
            metadata["generation"] = json!(generation + 1);
        }
    }
    if kind.kind == "Namespace" && kind.group.is_empty() {
        object["status"]["phase"] = json!("Terminating");
    }
    object
}

/// When the grace is over.
fn deadline(view: &dyn View, grace: i64) -> String {
    let end: Option<Timestamp> = view
        .now()
        .checked_add(SignedDuration::from_secs(grace))
        .ok();
    end.map_or_else(
        || seconds(view),
        |end| end.strftime("%Y-%m-%dT%H:%M:%SZ").to_string(),
    )
}

/// How long the object has: only a Pod that runs somewhere has any time at all.
fn grace_period(kind: &Kind, object: &Value, asked: Option<i64>) -> i64 {
    if (kind.group, kind.kind) != ("", "Pod") {
        return 0;
    }
    let nowhere = object["spec"]["nodeName"]
        .as_str()
        .unwrap_or_default()
        .is_empty();
    let over = matches!(
        object["status"]["phase"].as_str(),
        Some("Succeeded" | "Failed")
    );
    if nowhere || over {
        return 0;
    }
    let own = object["spec"]["terminationGracePeriodSeconds"]
        .as_i64()
        .unwrap_or(30);
    asked.unwrap_or(own).max(0)
}

/// The finalizers that the deletion leaves: those of the owner's choice come and go with it.
fn wanted_finalizers(object: &Value, propagation: Option<Propagation>) -> Vec<String> {
    let listed = object["metadata"]["finalizers"]
        .as_array()
        .into_iter()
        .flatten();
    let mut finalizers: Vec<String> = listed
        .filter_map(Value::as_str)
        .map(str::to_owned)
        .collect();
    let Some(propagation) = propagation else {
        return finalizers;
    };
    finalizers.retain(|f| f != FOREGROUND && f != ORPHAN);
    match propagation {
        Propagation::Background => {}
        Propagation::Foreground => finalizers.push(FOREGROUND.to_owned()),
        Propagation::Orphan => finalizers.push(ORPHAN.to_owned()),
    }
    finalizers
}

/// Whether nothing keeps a marked object any longer.
pub(crate) fn is_over(kind: &Kind, object: &Value) -> bool {
    let some = |list: &Value| list.as_array().is_some_and(|l| !l.is_empty());
    let namespace = (kind.group, kind.kind) == ("", "Namespace");
    let grace = object["metadata"]["deletionGracePeriodSeconds"]
        .as_i64()
        .unwrap_or(0);
    let kept = some(&object["metadata"]["finalizers"])
        || (namespace && some(&object["spec"]["finalizers"]));
    !kept && grace == 0
}
