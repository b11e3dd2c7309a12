//! `KEY=VALUE` and `KEY-` behind the objects of `ctl label` and `ctl annotate`.

use crate::api::json::{Value, json};
use crate::api::patch::diff::merge_two_way;
use crate::cli::error::CliError;
use crate::cli::resource::Info;
use crate::cluster::{Answer, Cluster, PatchType, WriteOptions};

/// The arguments apart: what names objects, and what changes them.
pub(super) fn split<'a>(
    args: &'a [String],
    what: &str,
) -> Result<(&'a [String], &'a [String]), CliError> {
    let changes = |arg: &String| {
        let sets = arg.contains('=') && !arg.starts_with('=');
        sets || (arg.ends_with('-') && arg != "-")
    };
    let at = args.iter().position(changes).unwrap_or(args.len());
    let (resources, pairs) = args.split_at(at);
    match pairs.iter().find(|arg| !changes(arg)) {
        None => Ok((resources, pairs)),
        Some(late) => Err(CliError::text(format!(
            "all resources must be specified before {what} changes: {late}"
        ))),
    }
}

/// The changes to one map of the metadata.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Changes {
    pub(super) set: Vec<(String, String)>,
    pub(super) removed: Vec<String>,
}

impl Changes {
    pub(super) fn is_empty(&self) -> bool {
        self.set.is_empty() && self.removed.is_empty()
    }

    /// The object with the changes in the map `field` of its metadata.
    pub(super) fn apply(&self, object: &Value, field: &str) -> Value {
        let mut object = object.clone();
        let map = &mut object["metadata"][field];
        if !map.is_object() {
            *map = json!({});
        }
        if let Some(map) = map.as_object_mut() {
            for (key, value) in &self.set {
                map.insert(key.clone(), json!(value));
            }
            for key in &self.removed {
                map.remove(key);
            }
            if map.is_empty()
                && let Some(metadata) = object["metadata"].as_object_mut()
            {
                metadata.remove(field);
            }
        }
        object
    }

    /// The keys that have another value already, with it.
    pub(super) fn taken<'a>(&'a self, object: &'a Value, field: &str) -> Vec<(&'a str, &'a str)> {
        let map = &object["metadata"][field];
        let mut keys: Vec<_> = self
            .set
            .iter()
            .filter_map(|(key, value)| Some((key.as_str(), value, map[key].as_str()?)))
            .filter(|(_, value, old)| value != old)
            .map(|(key, _, old)| (key, old))
            .collect();
        keys.sort_unstable();
        keys
    }
}

/// Sends what leads from one state to another; a resource version is sent as a condition.
pub(super) fn send(
    cluster: &Cluster,
    info: &Info,
    changed: &Value,
    resource_version: &str,
    options: &WriteOptions,
) -> Result<Answer, CliError> {
    let mut patch = merge_two_way(&info.object, changed);
    if !resource_version.is_empty() {
        patch["metadata"]["resourceVersion"] = json!(resource_version);
    }
    let how = (PatchType::Merge, &patch);
    Ok(cluster.patch(&info.place(), &info.name, how, false, options)?)
}

/// The lines of `--list`.
pub(super) fn listed(info: &Info, field: &str, single: bool) -> String {
    let mut out = String::new();
    let indent = if single { "" } else { " " };
    if !single {
        let (kind, group) = (info.kind.kind, info.kind.group);
        out.push_str(&format!(
            "Listing {field} for {kind}.{group}/{}:\n",
            info.name
        ));
    }
    let map = info.object["metadata"][field].as_object();
    for (key, value) in map.into_iter().flatten() {
        let value = value.as_str().unwrap_or_default();
        out.push_str(&format!("{indent}{key}={value}\n"));
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(text: &str) -> Vec<String> {
        text.split_whitespace().map(str::to_owned).collect()
    }

    #[test]
    fn objects_come_before_changes() {
        let args = words("cm one a=1 b-");
        let (resources, pairs) = split(&args, "label").unwrap();
        assert_eq!((resources.len(), pairs.len()), (2, 2));
        let odd = words("cm =x - a-");
        let (resources, pairs) = split(&odd, "label").unwrap();
        assert_eq!((resources.len(), pairs.len()), (3, 1));
        let error = split(&words("cm a=1 one"), "label")
            .unwrap_err()
            .to_string();
        assert_eq!(
            error,
            "all resources must be specified before label changes: one"
        );
    }

    #[test]
    fn changes_set_and_remove_and_know_what_is_taken() {
        let changes = Changes {
            set: vec![("a".into(), "2".into()), ("c".into(), "3".into())],
            removed: vec!["b".into()],
        };
        let object = json!({"metadata": {"labels": {"a": "1", "b": "x"}}});
        assert_eq!(changes.taken(&object, "labels"), [("a", "1")]);
        let labels = &changes.apply(&object, "labels")["metadata"]["labels"];
        assert_eq!(*labels, json!({"a": "2", "c": "3"}));
        let gone = Changes {
            removed: vec!["a".into(), "b".into()],
            ..Changes::default()
        };
        assert_eq!(gone.apply(&object, "labels"), json!({"metadata": {}}));
    }
}
