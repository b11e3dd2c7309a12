//! For tests: the patches of the recorded HTTP session and the real API server's responses.

use super::apply::{ApplyError, Writer, apply, capture};
use super::fieldset::FieldSet;
use super::testing::{FactShape, kind};
use super::{json as json_patch, merge, strategic};
use crate::json::{Value, json};

const SESSION: &str = include_str!("../../../../testdata/facts/http-errors.tsv");

/// Rows whose response comes from a higher layer: routing, options, validation, preconditions or decoding.
const ABOVE: [&str; 20] = [
    "h085", "h086", "h087", "h105", "h108", "h109", "h110", "h111", "h112", "h113", "h114", "h115",
    "h116", "h117", "h122", "h123", "h124", "h127", "h129", "h130",
];

struct Live {
    path: &'static str,
    api_version: &'static str,
    shape: FactShape,
    object: Value,
}

fn objects() -> [Live; 3] {
    let live = |path, api_version, shape, object| Live {
        path,
        api_version,
        shape: kind(shape),
        object,
    };
    let cm1 = json!({"metadata": {"name": "cm1", "uid": "u"}, "data": {"a": "b"}});
    let d1 = json!({"metadata": {"name": "d1", "uid": "u"}, "spec": {"replicas": 1, "template": {"spec": {
        "containers": [{"name": "c", "image": "i"}]}}}});
    [
        live("/configmaps/cm1", "v1", "core.v1.ConfigMap", cm1),
        live("/deployments/d1", "apps/v1", "apps.v1.Deployment", d1),
        live("/configmaps/ssa", "v1", "core.v1.ConfigMap", json!({})),
    ]
}

/// Returns the result of the patch in one row, or the text of its error.
fn answer(
    live: &Live,
    content_type: &str,
    manager: &str,
    body: &Value,
    force: bool,
) -> Result<Value, String> {
    let (reset, empty) = (FieldSet::default(), json!({}));
    let writer = Writer {
        manager,
        api_version: live.api_version,
        subresource: "",
        time: "2026-01-01T00:00:00Z",
        reset: &reset,
        empty: &empty,
    };
    let mut object = live.object.clone();
    match content_type {
        "application/json-patch+json" => {
            json_patch::apply(&mut object, body).map_err(|e| e.to_string())?
        }
        "application/merge-patch+json" => {
            merge::check(body).map_err(|e| e.to_string())?;
            merge::apply(&mut object, body);
        }
        "application/strategic-merge-patch+json" => {
            object = strategic::apply(object, body, &live.shape).map_err(|e| e.to_string())?;
        }
        _ => {
            return apply(&object, body, &live.shape, &writer, force)
                .map_err(|e: ApplyError| e.to_string());
        }
    }
    capture(&live.object, &mut object, &live.shape, &writer);
    Ok(object)
}

#[test]
fn recorded_patches_produce_the_recorded_results() {
    let mut objects = objects();
    let mut checked = 0;
    for row in SESSION
        .lines()
        .filter(|row| ("h085".."h131").contains(&&row[..4]))
    {
        let cell: Vec<_> = row.split('\t').collect();
        let (id, url, content_type, body) = (cell[0], cell[3], cell[4], cell[6]);
        let (path, query) = url.split_once('?').unwrap_or((url, ""));
        let live = objects.iter_mut().find(|l| path.ends_with(l.path));
        let Some(live) = live.filter(|_| !ABOVE.contains(&id)) else {
            continue;
        };
        let body: Value = serde_yaml::from_str(&body.replace("\\n", "\n")).unwrap();
        let manager = query
            .split('&')
            .find_map(|q| q.strip_prefix("fieldManager="));
        let force = query.contains("force=true");
        let got = answer(live, content_type, manager.unwrap_or("curl"), &body, force);
        let expected: Value = serde_json::from_str(cell[10]).unwrap_or_default();
        match got {
            Ok(mut object) => {
                assert!(
                    matches!(cell[7], "200" | "201"),
                    "{id} must fail: {expected}"
                );
                if let Some(metadata) = object["metadata"].as_object_mut() {
                    metadata.insert("uid", "u".into());
                }
                live.object = object;
            }
            Err(message) => assert_eq!(Value::from(message), expected, "{id}"),
        }
        checked += 1;
    }
    assert_eq!(checked, 26);
}
