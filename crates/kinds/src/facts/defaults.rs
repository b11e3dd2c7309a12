//! Creates every recorded manifest and compares the response with the recorded one.

use crate::api::json::Value;
use crate::{shape, strategy, validate};

use super::server::{NOW, finish, folder, kind_of, prepare, yaml};

fn names() -> Vec<String> {
    let mut names: Vec<String> = std::fs::read_dir(folder().join("defaults"))
        .unwrap()
        .filter_map(|entry| {
            let name = entry.unwrap().file_name().into_string().unwrap();
            name.strip_suffix(".in.yaml").map(str::to_owned)
        })
        .collect();
    names.sort();
    names
}

fn created(name: &str) -> Value {
    let input = yaml(&format!("defaults/{name}.in.yaml"));
    let kind = kind_of(&input);
    let object = prepare(kind, &input).and_then(|object| finish(kind, object));
    object.unwrap_or_else(|status| panic!("{name}: {}", status.message))
}

fn expected(name: &str) -> Value {
    let mut output = yaml(&format!("defaults/{name}.out.yaml"));
    if let Some(metadata) = output["metadata"].as_object_mut() {
        metadata.remove("managedFields");
    }
    output
}

/// Adds the paths at which two trees differ.
fn differences(path: &str, ours: &Value, theirs: &Value, out: &mut Vec<String>) {
    match (ours, theirs) {
        (Value::Object(a), Value::Object(b)) => {
            let keys: std::collections::BTreeSet<_> = a.keys().chain(b.keys()).collect();
            for key in keys {
                let (one, other) = (a.get(key), b.get(key));
                let path = format!("{path}/{key}");
                match (one, other) {
                    (Some(one), Some(other)) => differences(&path, one, other, out),
                    (one, other) => out.push(format!("{path}: {one:?} not {other:?}")),
                }
            }
        }
        (Value::Array(a), Value::Array(b)) if a.len() == b.len() => {
            for (index, (one, other)) in a.iter().zip(b).enumerate() {
                differences(&format!("{path}/{index}"), one, other, out);
            }
        }
        (Value::Number(_), Value::String(text)) if text == "NODE_PORT" => {}
        (Value::String(now), Value::String(text)) if text == "TIME" && now == NOW => {}
        (one, other) if one == other => {}
        (one, other) => out.push(format!("{path}: {one} not {other}")),
    }
}

#[test]
fn every_manifest_gets_the_recorded_defaults() {
    let names = names();
    assert_eq!(names.len(), 109);
    let mut wrong = Vec::new();
    for name in &names {
        let mut found = Vec::new();
        differences("", &created(name), &expected(name), &mut found);
        if !found.is_empty() {
            wrong.push(format!("{name}:\n  {}", found.join("\n  ")));
        }
    }
    println!(
        "defaults: {} of {} equal",
        names.len() - wrong.len(),
        names.len()
    );
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn defaults_are_the_same_when_set_twice() {
    for name in names() {
        let once = created(&name);
        let mut twice = once.clone();
        shape::normalize(kind_of(&once), &mut twice);
        assert_eq!(once, twice, "{name}");
    }
}

#[test]
fn update_with_the_stored_object_is_valid_and_unchanged() {
    for name in names() {
        let text = created(&name)
            .to_string()
            .replace("CLUSTER_IP", "10.96.20.1");
        let mut old: Value = serde_json::from_str(&text).unwrap();
        let kind = kind_of(&old);
        old["metadata"]["uid"] = "UID".into();
        old["metadata"]["creationTimestamp"] = NOW.into();
        let mut new = shape::read(kind, &old).unwrap().object;
        strategy::prepare_update(kind, &mut new, &old);
        shape::normalize(kind, &mut new);
        assert_eq!(validate::update(kind, &new, &old), [], "{name}");
        let mut found = Vec::new();
        differences("", &new, &old, &mut found);
        assert!(found.is_empty(), "{name}: {}", found.join("\n"));
        if kind.has_status() {
            let mut new = old.clone();
            strategy::prepare_status(kind, &mut new, &old);
            shape::normalize(kind, &mut new);
            assert_eq!(validate::status(kind, &new, &old), [], "{name} status");
            assert_eq!(new, old, "{name} status");
        }
    }
}
