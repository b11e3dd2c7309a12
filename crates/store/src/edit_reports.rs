//! The reports about hand edits: the fields that changed, stayed, and were put back.

use super::admit::OWNED_METADATA;
use super::key::Key;
use super::revision::Revision;
use crate::api::changes::{Difference, differences, shown};
use crate::api::json::Value;

/// The number of changed fields that a message names.
const TOLD: usize = 4;

/// The versions of an object that an edit is about.
pub(crate) struct EditSides<'v> {
    /// The version that the editor had.
    pub(crate) base: &'v Value,
    /// The object in the file.
    pub(crate) mine: &'v Value,
    /// The stored object.
    pub(crate) new: &'v Value,
}

/// Returns edits of fields that only the server sets, which the object does not have afterwards.
pub(crate) fn put_back(
    path: &str,
    revision: Option<Revision>,
    sides: &EditSides<'_>,
) -> Vec<String> {
    let field = |value: &Value, name: &str| Some(value.get("metadata")?.get(name)?.clone());
    let is_ours = revision.is_some();
    let mut told = Vec::new();
    for name in OWNED_METADATA {
        let (before, asked, now) = (
            field(sides.base, name),
            field(sides.mine, name),
            field(sides.new, name),
        );
        // A manifest without a revision may omit server-owned fields without meaning.
        let edited = asked != before && (asked.is_some() || is_ours);
        if !edited || asked == now {
            continue;
        }
        let result = match (&now, *name) {
            (_, "managedFields") => "the file's was ignored".to_owned(),
            (None, _) => "removed".to_owned(),
            (Some(kept), _) => format!("kept {}", shown(Some(kept))),
        };
        told.push(format!(
            "{path}: metadata.{name} is owned by the server; {result}"
        ));
    }
    told
}

/// Returns the fields that a user changed in an object. `sed` also replaces a word in the status, so the status counts
/// only if nothing else differs.
pub(crate) fn edits_between(before: &Value, after: &Value) -> Vec<Difference> {
    let mut changes = differences(before, after);
    changes.retain(|change| !is_below(&change.path, OWNED));
    if changes.iter().any(|change| !is_below(&change.path, STATUS)) {
        changes.retain(|change| !is_below(&change.path, STATUS));
    }
    changes
}

/// Fields of every object that the cluster changes along with an edit.
const OWNED: &[&str] = &["metadata.generation", "metadata.managedFields"];

const STATUS: &[&str] = &["status"];

/// Returns true if a path is one of these fields, or is below one.
fn is_below(path: &str, fields: &[&str]) -> bool {
    let rest = fields.iter().filter_map(|field| path.strip_prefix(field));
    rest.into_iter()
        .any(|rest| rest.is_empty() || rest.starts_with(['.', '[']))
}

/// Fields of containers whose values may be secret.
const PRIVATE: &[&str] = &["env", "args", "command"];

/// Returns the first few changes as text. Values of a Secret must not appear on a terminal or in a log, nor
/// environments and command lines.
pub(crate) fn changes_words(changes: &[Difference], key: &Key) -> String {
    words(changes, |change| match is_private(&change.path, key) {
        true => change.path.clone(),
        false => change.to_string(),
    })
}

fn is_private(path: &str, key: &Key) -> bool {
    let names_one = path.split(['.', '[']).any(|name| PRIVATE.contains(&name));
    key.resource() == "secrets" || names_one
}

/// Describes the fields that kept the cluster's values.
pub(crate) fn kept_words(kept: &[Difference], key: &Key) -> String {
    words(kept, |kept| {
        match (is_private(&kept.path, key), &kept.after) {
            (true, _) => format!("{} is unchanged", kept.path),
            (_, None) => format!("{} remains removed", kept.path),
            (_, after) => format!("{} remains {}", kept.path, shown(after.as_ref())),
        }
    })
}

fn words(changes: &[Difference], word: impl Fn(&Difference) -> String) -> String {
    // A message is one line on a terminal.
    let mut words: Vec<String> = changes.iter().take(TOLD).map(word).collect();
    if changes.len() > TOLD {
        words.push(format!("and {} more", changes.len() - TOLD));
    }
    words.join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::api::json::json;

    fn said(resource: &str, before: &Value, after: &Value) -> String {
        let key = Key::new(resource, Some("default"), "web").unwrap();
        changes_words(&edits_between(before, after), &key)
    }

    #[test]
    fn the_report_of_an_edit_omits_changes_of_the_cluster() {
        let state = |replicas: u32, shown: u32| {
            json!({
                "metadata": {"generation": replicas, "managedFields": [replicas]},
                "spec": {"replicas": replicas}, "status": {"replicas": shown},
            })
        };
        let (before, after) = (state(2, 2), state(3, 3));
        assert_eq!(
            said("deployments.apps", &before, &after),
            "spec.replicas 2 -> 3"
        );
        let after = state(2, 3);
        assert_eq!(
            said("deployments.apps", &before, &after),
            "status.replicas 2 -> 3"
        );
    }

    #[test]
    fn possibly_secret_values_are_not_reported() {
        let secret = |value: &str| json!({"data": {"p": value}});
        assert_eq!(said("secrets", &secret("eQ=="), &secret("eA==")), "data.p");
        let pod = |value: &str| json!({"spec": {"env": [{"name": "P", "value": value}]}});
        assert_eq!(
            said("pods", &pod("hunter2"), &pod("x")),
            "spec.env[P].value"
        );
    }
}
