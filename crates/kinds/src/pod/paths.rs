//! The warnings about files in a volume that hide each other.

use std::collections::BTreeSet;

use crate::api::json::{Map, Value};
use crate::tree::{field, has, list, text};

/// Adds the warnings for each volume of a Pod.
pub(super) fn overlaps(volumes: &[Value], warnings: &mut Vec<String>) {
    for volume in volumes {
        let name = text(volume, "name");
        for (kind, holder) in [
            ("ConfigMap", field(volume, "configMap")),
            ("Secret", field(volume, "secret")),
            ("DownwardAPI", field(volume, "downwardAPI")),
        ] {
            let of = match kind {
                "ConfigMap" => format!("{kind} {:?}", text(holder, "name")),
                "Secret" => format!("{kind} {:?}", text(holder, "secretName")),
                _ => kind.to_owned(),
            };
            let mut paths = items(holder);
            paths.sort_unstable();
            warn_overlaps(name, &of, &paths, &|_| true, warnings);
        }
        if has(volume, "projected") {
            projected(name, list(field(volume, "projected"), "sources"), warnings);
        }
    }
}

/// Adds the warnings for the sources of a projected volume, which share a directory.
fn projected(name: &str, sources: &[Value], warnings: &mut Vec<String>) {
    let mut before: BTreeSet<&str> = BTreeSet::new();
    for source in sources {
        if source.as_object().is_none_or(Map::is_empty) {
            warnings.push(format!(
                "volume {name:?} (Projected) has no sources provided"
            ));
            continue;
        }
        let (of, mut own) = files(source);
        let of = format!("Projected {of}");
        own.sort_unstable();
        warn_overlaps(name, &of, &own, &|_| true, warnings);
        // Report a file of an earlier source together with the source that hides it.
        let all: BTreeSet<&str> = before.iter().copied().chain(own.iter().copied()).collect();
        let all: Vec<&str> = all.into_iter().collect();
        warn_overlaps(name, &of, &all, &|path| own.contains(&path), warnings);
        before.extend(own);
    }
}

/// Returns the kind and name of a source, and the paths of its files.
fn files(source: &Value) -> (String, Vec<&str>) {
    let named = |kind: &str, holder| format!("{kind} {:?}", text(holder, "name"));
    let (map, secret) = (field(source, "configMap"), field(source, "secret"));
    let (token, bundle) = (
        field(source, "serviceAccountToken"),
        field(source, "clusterTrustBundle"),
    );
    match () {
        () if !map.is_null() => (named("ConfigMap", map), items(map)),
        () if !secret.is_null() => (named("Secret", secret), items(secret)),
        () if has(source, "downwardAPI") => (
            "DownwardAPI".to_owned(),
            items(field(source, "downwardAPI")),
        ),
        () if !token.is_null() => ("ServiceAccountToken".to_owned(), vec![text(token, "path")]),
        () if has(bundle, "name") => (
            named("ClusterTrustBundle", bundle),
            vec![text(bundle, "path")],
        ),
        () if !bundle.is_null() => {
            let of = format!("ClusterTrustBundle {:?}", text(bundle, "signerName"));
            (of, vec![text(bundle, "path")])
        }
        () => (String::new(), Vec::new()),
    }
}

fn items(holder: &Value) -> Vec<&str> {
    let items = list(holder, "items").iter();
    items
        .map(|item| text(item, "path").trim_end_matches('/'))
        .collect()
}

/// Adds the warnings for pairs of paths that hide each other, if `is_told` accepts one of the two. The paths must be
/// sorted.
fn warn_overlaps(
    volume: &str,
    of: &str,
    paths: &[&str],
    is_told: &dyn Fn(&str) -> bool,
    warnings: &mut Vec<String>,
) {
    for (number, path) in paths.iter().enumerate() {
        // Upstream compares strings, not path elements, so it also takes `config.yaml` for a file in `config`.
        let below = format!("{path}/");
        let hidden = paths[..number]
            .iter()
            .filter(|other| below.starts_with(**other));
        for other in hidden.filter(|other| is_told(path) || is_told(other)) {
            let warning =
                format!("volume {volume:?} ({of}): overlapping paths: {path:?} with {other:?}");
            if !warnings.contains(&warning) {
                warnings.push(warning);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::api::json::json;

    #[test]
    fn files_that_hide_each_other_are_warned_about() {
        let items = |paths: &[&str]| {
            let items = paths.iter().map(|path| json!({"key": "k", "path": path}));
            Value::from(items.collect::<Vec<_>>())
        };
        let volumes = [
            json!({"name": "a", "configMap": {"name": "x", "items": items(&["p", "p"])}}),
            json!({"name": "b", "secret": {"secretName": "y1", "items": items(&["p", "p/q"])}}),
            json!({"name": "c", "configMap": {"name": "x", "items": items(&["p", "q", "r/p"])}}),
            json!({"name": "d", "downwardAPI": {"items": items(&["a", "a/b"])}}),
            json!({"name": "q", "projected": {"sources": [
                {"configMap": {"name": "a", "items": items(&["b/c"])}},
                {"secret": {"name": "a", "items": items(&["b"])}},
                {"serviceAccountToken": {"path": "token"}},
                {},
            ]}}),
        ];
        let mut warnings = Vec::new();
        overlaps(&volumes, &mut warnings);
        assert_eq!(
            warnings,
            [
                "volume \"a\" (ConfigMap \"x\"): overlapping paths: \"p\" with \"p\"",
                "volume \"b\" (Secret \"y1\"): overlapping paths: \"p/q\" with \"p\"",
                "volume \"d\" (DownwardAPI): overlapping paths: \"a/b\" with \"a\"",
                "volume \"q\" (Projected Secret \"a\"): overlapping paths: \"b/c\" with \"b\"",
                "volume \"q\" (Projected) has no sources provided",
            ]
        );
    }
}
