//! Prints every recorded object and compares its cells with the recorded ones.

use jiff::{SignedDuration, Timestamp};

use super::server::{NOW, finish, kind_of, prepare, read};
use crate::api::json::{Value, json};
use crate::tree::{ensure, set};
use crate::{columns, shape};

fn now() -> Timestamp {
    NOW.parse().unwrap()
}

/// Replaces `NOW-600s` by the time 600 seconds before the request.
fn with_times(text: &str) -> String {
    let mut parts = text.split("NOW-");
    let mut out = parts.next().unwrap().to_owned();
    for part in parts {
        let (seconds, rest) = part.split_once('s').unwrap();
        let ago = SignedDuration::from_secs(seconds.parse().unwrap());
        out.push_str(&(now() - ago).to_string());
        out.push_str(rest);
    }
    out
}

/// Returns the object as it is stored: created, with its status, and deleted if the case requires it.
fn stored(case: &str, text: &str) -> Value {
    let text = with_times(text).replace("CSRPEM", super::server::REQUEST);
    let given: Value = serde_json::from_str(&text).unwrap();
    let kind = kind_of(&given);
    let object = prepare(kind, &given).and_then(|object| finish(kind, object));
    let mut object = object.unwrap_or_else(|status| panic!("{text}: {}", status.message));
    let decoded = shape::read(kind, &given).unwrap().object;
    if let Some(status) = given.get("status").and(decoded.get("status")) {
        set(&mut object, "status", status.clone());
        for name in ["phase", "qosClass"] {
            let kept = prepare(kind, &given).unwrap()["status"][name].clone();
            if !kept.is_null() {
                crate::tree::set_default(&mut object["status"], name, kept);
            }
        }
    }
    let metadata = ensure(&mut object, "metadata");
    set(metadata, "creationTimestamp", NOW);
    if case.contains("(after graceful delete)") {
        set(metadata, "deletionTimestamp", NOW);
    }
    if kind.kind == "FlowSchema" {
        let condition = json!({"type": "Dangling", "status": "False"});
        set(
            ensure(&mut object, "status"),
            "conditions",
            json!([condition]),
        );
    }
    shape::normalize(kind, &mut object);
    object
}

/// Returns true if two cells are equal apart from values that differ between runs.
fn same(ours: &Value, theirs: &Value, object: &Value, now: Timestamp) -> bool {
    let (Some(ours), Some(theirs)) = (ours.as_str(), theirs.as_str()) else {
        return ours == theirs;
    };
    let field = theirs
        .strip_prefix("AGE(")
        .and_then(|t| t.strip_suffix(')'));
    if let Some(field) = field {
        let since = json!({"metadata": {"creationTimestamp": object[field]}});
        return ours == columns::age(&since, now);
    }
    let theirs = theirs.replace("CREATION_TIME", NOW);
    let ports = |text: &str| {
        let parts: Vec<&str> = text.split(':').collect();
        match parts.as_slice() {
            [port, node] if node.ends_with("/TCP") => format!("{port}:NODE_PORT/TCP"),
            _ => text.to_owned(),
        }
    };
    ports(ours) == ports(&theirs)
}

#[test]
fn every_object_is_printed_as_the_server_prints_it() {
    let (mut all, mut wrong) = (0, Vec::new());
    for line in read("cells.tsv").lines().skip(1) {
        let fields: Vec<&str> = line.split('\t').collect();
        let [group, resource, case, text, cells] = fields[..] else {
            panic!("{line}");
        };
        if group == "example.com" {
            continue;
        }
        all += 1;
        let theirs: Vec<Value> = serde_json::from_str(cells).unwrap();
        let object = stored(case, text);
        let kind = kind_of(&object);
        let skimmed = columns::read_fields(kind, &serde_json::to_vec(&object).unwrap()).unwrap();
        assert_eq!(
            columns::cells(kind, &skimmed, now()),
            columns::cells(kind, &object, now()),
            "{text}"
        );
        // Some responses were recorded a second after the request.
        let equal = [0, 1].into_iter().any(|late| {
            let now = now() + SignedDuration::from_secs(late);
            let ours = columns::cells(kind, &object, now);
            let pairs = ours.iter().zip(&theirs);
            ours.len() == theirs.len() && pairs.into_iter().all(|(a, b)| same(a, b, &object, now))
        });
        if !equal {
            let ours = json!(columns::cells(kind, &object, now()));
            wrong.push(format!("{resource} {case}\n  ours {ours}\n  real {cells}"));
        }
    }
    println!("cells: {} of {all} equal", all - wrong.len());
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn custom_resource_cells_match_the_recorded_api_server() {
    let rows = read("cells.tsv");
    let mut rows = rows
        .lines()
        .filter(|line| line.starts_with("example.com\t"));
    let fields: Vec<&str> = rows.next().unwrap().split('\t').collect();
    let mut object: Value = serde_json::from_str(&with_times(fields[3])).unwrap();
    // The default in the schema of the definition.
    set(&mut object["spec"], "replicas", 1);
    let columns: Vec<Value> = [
        ("integer", ".spec.replicas"),
        ("string", ".spec.color"),
        ("date", ".spec.when"),
        ("boolean", ".spec.ok"),
        ("number", ".spec.num"),
        ("string", ".spec.list"),
        ("string", ".spec.obj"),
        ("string", ".spec.missing"),
        ("string", ".spec.list[0]"),
        ("integer", ".spec.color"),
    ]
    .iter()
    .map(|(kind, path)| json!({"type": kind, "jsonPath": path}))
    .collect();
    let theirs: Value = serde_json::from_str(fields[4]).unwrap();
    assert_eq!(json!(columns::custom(&columns, &object, now())), theirs);
    let plain = json!({"metadata": {"name": "b2", "creationTimestamp": NOW}});
    let theirs: Value =
        serde_json::from_str(rows.next().unwrap().split('\t').nth(4).unwrap()).unwrap();
    assert_eq!(json!(columns::custom(&[], &plain, now())), theirs);
}
