//! The patches of the recorded session, and further properties that need a cluster.

use super::*;
use crate::api::json::json;
use crate::request::options::ApplyOptions;
use crate::testing::{Scratch, fresh, place};
use crate::{Cluster, Response};

const SESSION: &str = include_str!("../../../../../testdata/facts/http-errors.tsv");

/// Rows about the text of requests, which is parsed before it reaches the cluster.
const TEXT: [&str; 4] = ["h085", "h087", "h127", "h130"];

/// Returns the part of the recorded cluster that the rows need.
fn recorded_on() -> Scratch {
    let cluster = fresh();
    let options = WriteOptions::default();
    let cm1 = json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "cm1"},
        "data": {"a": "b"}});
    cluster
        .create(&place("configmaps"), &cm1, &options)
        .unwrap();
    let d1 = json!({"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "d1"},
        "spec": {"selector": {"matchLabels": {"app": "a"}}, "template": {
            "metadata": {"labels": {"app": "a"}},
            "spec": {"containers": [{"name": "c", "image": "i"}]}}}});
    cluster
        .create(&place("deployments"), &d1, &options)
        .unwrap();
    cluster
}

fn request(cluster: &Cluster, cell: &[&str]) -> Result<Response, ApiError> {
    let (path, query) = cell[3].split_once('?').unwrap_or((cell[3], ""));
    let mut parts = path.rsplit('/');
    let (name, resource) = (parts.next().unwrap(), parts.next().unwrap());
    let body: Value = serde_yaml::from_str(&cell[6].replace("\\n", "\n")).unwrap();
    let option = |name: &str| {
        let mut options = query.split('&').filter_map(|o| o.split_once('='));
        options.find(|(n, _)| *n == name).map_or("", |(_, v)| v)
    };
    let write = WriteOptions {
        field_manager: option("fieldManager").to_owned(),
        field_validation: match option("fieldValidation") {
            "Strict" => FieldValidation::Strict,
            _ => FieldValidation::Warn,
        },
        ..WriteOptions::default()
    };
    let place = place(resource);
    let how = match cell[4] {
        "application/json-patch+json" => PatchType::Json,
        "application/merge-patch+json" => PatchType::Merge,
        "application/strategic-merge-patch+json" => PatchType::Strategic,
        _ => {
            let options = ApplyOptions {
                write,
                force: option("force") == "true",
                ..ApplyOptions::default()
            };
            return cluster.apply(&place, name, &body, &options);
        }
    };
    cluster.patch(&place, name, (how, &body), false, &write)
}

/// Replaces the values of one run by the placeholders of the record.
fn anonymous(text: &str, cluster: &Cluster) -> String {
    let mut text = text.replace("2026-01-01T00:00:00Z", "TIME");
    for (resource, name) in [("configmaps", "cm1"), ("deployments", "d1")] {
        let object = cluster.get(&place(resource), name).unwrap();
        text = text.replace(objects::meta(&object, "uid"), "UID");
        let version = objects::meta(&object, "resourceVersion");
        for quote in ["\"", "\\\"", "\\\\\\\""] {
            let field = format!("resourceVersion{quote}:{quote}");
            text = text.replace(
                &format!("{field}{version}{quote}"),
                &format!("{field}RV{quote}"),
            );
        }
    }
    text
}

fn same(ours: &str, theirs: &str) -> bool {
    match theirs.strip_suffix('…') {
        Some(cut) => ours.starts_with(cut),
        None => ours == theirs,
    }
}

#[test]
fn patches_have_the_recorded_responses() {
    let cluster = recorded_on();
    let (mut checked, mut wrong) = (0, Vec::new());
    let rows = SESSION
        .lines()
        .filter(|row| ("h085".."h133").contains(&&row[..4]));
    for row in rows.filter(|row| !TEXT.contains(&&row[..4])) {
        let cell: Vec<_> = row.split('\t').collect();
        let response = request(&cluster, &cell);
        let (ours, code) = match &response {
            Ok(_) => (String::new(), 200),
            Err(e) => {
                let status = e.status().unwrap();
                (status.message.clone(), status.code)
            }
        };
        let recorded: u16 = cell[7].parse().unwrap();
        if recorded < 300 {
            if code != 200 {
                wrong.push(format!("{}: refused: {ours}", cell[0]));
            }
        } else {
            let theirs: Value = serde_json::from_str(cell[10]).unwrap();
            let ours = anonymous(&ours, &cluster);
            if code != recorded || !same(&ours, theirs.as_str().unwrap()) {
                wrong.push(format!(
                    "{}: {code} {ours}\n  not {recorded} {theirs}",
                    cell[0]
                ));
            }
            let details = response.as_ref().err().and_then(ApiError::status);
            let details = details.map(|s| s.to_value()["details"].to_string());
            let details = anonymous(&details.unwrap_or_default(), &cluster);
            let theirs: Value = serde_json::from_str(cell[11]).unwrap_or_default();
            let ours: Value = serde_json::from_str(&details).unwrap_or_default();
            // The recording leaves the cell of `details: {}` empty, as that of no details.
            let is_empty = theirs.is_null() && ours.as_object().is_some_and(Map::is_empty);
            if theirs != ours && theirs["truncated"].is_null() && !is_empty {
                wrong.push(format!("{}: details {ours}\n  not {theirs}", cell[0]));
            }
        }
        checked += 1;
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert_eq!(checked, 44);
}

#[test]
fn patch_without_a_difference_writes_nothing() {
    let cluster = recorded_on();
    let options = WriteOptions {
        field_manager: "other".to_owned(),
        ..WriteOptions::default()
    };
    let before = cluster.get(&place("deployments"), "d1").unwrap();
    for (how, patch) in [
        (PatchType::Merge, json!({"spec": {"replicas": 1}})),
        (PatchType::Merge, json!(null)),
        (PatchType::Strategic, json!({"spec": {"replicas": 1}})),
        (PatchType::Strategic, json!({"status": {"replicas": 9}})),
        (
            PatchType::Json,
            json!([{"op": "test", "path": "/spec/replicas", "value": 1}]),
        ),
    ] {
        let response = cluster.patch(&place("deployments"), "d1", (how, &patch), false, &options);
        let response = response.unwrap();
        assert!(!response.changed, "{patch}");
        assert_eq!(response.object, before, "{patch}");
    }
}

#[test]
fn strategic_patches_have_the_converters_texts() {
    let cluster = recorded_on();
    let deployments = place("deployments");
    let patch = |patch: Value, strict: bool| {
        let options = WriteOptions {
            field_validation: match strict {
                true => FieldValidation::Strict,
                false => FieldValidation::Warn,
            },
            ..WriteOptions::default()
        };
        cluster.patch(
            &deployments,
            "d1",
            (PatchType::Strategic, &patch),
            false,
            &options,
        )
    };
    let unknown = json!({"spec": {"colour": "red"}});
    let warned = patch(unknown.clone(), false).unwrap();
    assert_eq!(warned.warnings, ["unknown field \"spec.colour\""]);
    assert!(!warned.changed);
    for (body, code, message) in [
        (
            unknown,
            422,
            " \"\" is invalid: patch: Invalid value: \"map[spec:map[colour:red]]\": strict decoding error: unknown field \"spec.colour\"",
        ),
        (
            json!({"spec": {"paused": "x"}}),
            422,
            " \"\" is invalid: patch: Invalid value: \"map[spec:map[paused:x]]\": unrecognized type: bool",
        ),
        (
            json!({"spec": {"$retainKeys": 1}}),
            400,
            "invalid patch format of retainKeys",
        ),
        (
            json!({"spec": {"strategy": {"$retainKeys": ["type"], "rollingUpdate": {}}}}),
            422,
            "the server rejected our request due to an error in our request",
        ),
        (
            json!([]),
            400,
            "json: cannot unmarshal array into Go value of type map[string]interface {}",
        ),
    ] {
        let status = patch(body.clone(), true).unwrap_err();
        let status = status.status().unwrap();
        assert_eq!((status.code, &*status.message), (code, message), "{body}");
        // A 422 has details even if they are empty.
        assert_eq!(status.details.is_some(), code == 422, "{body}");
    }
}

#[test]
fn a_status_patch_writes_only_the_status() {
    let cluster = recorded_on();
    let deployments = place("deployments");
    let patch = json!({"spec": {"replicas": 7}, "status": {"readyReplicas": 1, "replicas": 1}});
    let options = WriteOptions {
        field_manager: "controller".to_owned(),
        ..WriteOptions::default()
    };
    for (how, dry_run) in [(PatchType::Strategic, true), (PatchType::Merge, false)] {
        let options = WriteOptions {
            dry_run,
            ..options.clone()
        };
        let response = cluster.patch(&deployments, "d1", (how, &patch), true, &options);
        let object = response.unwrap().object;
        assert_eq!(object["spec"]["replicas"], 1);
        assert_eq!(object["status"]["readyReplicas"], 1);
        assert_eq!(object["metadata"]["generation"], 1);
        // Writes of one second are sorted by the managers' names.
        let entry = &object["metadata"]["managedFields"][0];
        assert_eq!(entry["manager"], "controller");
        assert_eq!(entry["subresource"], "status");
        assert_eq!(
            entry["fieldsV1"],
            json!({"f:status": {"f:readyReplicas": {}, "f:replicas": {}}})
        );
        let stored = cluster.get(&deployments, "d1").unwrap();
        assert_eq!(stored["status"].get("replicas").is_none(), dry_run);
    }
}

#[test]
fn a_field_manager_is_short_and_printable() {
    let cluster = recorded_on();
    let object = json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "y1"}});
    for (manager, message) in [
        (
            "a".repeat(129),
            "CreateOptions.meta.k8s.io \"\" is invalid: fieldManager: Too long: may not be more than 128 bytes",
        ),
        (
            "a\n".to_owned(),
            "CreateOptions.meta.k8s.io \"\" is invalid: fieldManager: Invalid value: \"a\\n\": invalid character U+000A (at position 1)",
        ),
    ] {
        let options = WriteOptions {
            field_manager: manager,
            ..WriteOptions::default()
        };
        let refused = cluster.create(&place("configmaps"), &object, &options);
        assert_eq!(refused.unwrap_err().status().unwrap().message, message);
    }
}

#[test]
fn service_changed_to_external_name_releases_addresses_and_ports() {
    let cluster = recorded_on();
    let services = place("services");
    let service = json!({"apiVersion": "v1", "kind": "Service", "metadata": {"name": "out"},
        "spec": {"type": "NodePort", "ports": [{"port": 80}]}});
    let options = WriteOptions::default();
    cluster.create(&services, &service, &options).unwrap();
    let patch = json!({"spec": {"type": "ExternalName", "externalName": "x.example.com"}});
    let how = (PatchType::Strategic, &patch);
    let response = cluster.patch(&services, "out", how, false, &options);
    let spec = response.unwrap().object["spec"].take();
    assert_eq!(
        spec,
        json!({"type": "ExternalName", "externalName": "x.example.com", "sessionAffinity": "None",
            "ports": [{"port": 80, "protocol": "TCP", "targetPort": 80}]})
    );
}

#[test]
fn a_patch_without_effect_keeps_the_managers() {
    let cluster = recorded_on();
    let (deployments, own) = (
        place("deployments"),
        json!({"metadata": {"labels": {"a": "b"}}}),
    );
    let patch = |manager: &str, patch: &Value| {
        let options = WriteOptions {
            field_manager: manager.to_owned(),
            ..WriteOptions::default()
        };
        let how = (PatchType::Merge, patch);
        cluster
            .patch(&deployments, "d1", how, false, &options)
            .unwrap()
    };
    assert!(patch("a-manager", &own).changed);
    assert!(!patch("kubectl", &own).changed);
}

#[test]
fn a_patch_warns_as_an_update_does() {
    let (cluster, options) = (fresh(), WriteOptions::default());
    let twice =
        json!({"containers": [{"name": "c", "image": "i", "env": [{"name": "A"}, {"name": "A"}]}]});
    let app = json!({"app": "a"});
    for (plural, object) in [
        (
            "pods",
            json!({"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "w"}, "spec": twice}),
        ),
        (
            "deployments",
            json!({"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "w"},
                "spec": {"replicas": 0, "selector": {"matchLabels": app},
                    "template": {"metadata": {"labels": app}, "spec": twice}}}),
        ),
    ] {
        let place = place(plural);
        let created = cluster.create(&place, &object, &options).unwrap();
        assert_eq!(created.warnings.len(), 1, "{plural}");
        let warned = |patch: Value, part: Part| {
            let patch = (PatchType::Merge, &patch);
            let response = cluster.patch(&place, "w", patch, part, &options);
            response.unwrap().warnings.len()
        };
        let labels = json!({"metadata": {"labels": {"a": "b"}}});
        assert_eq!(warned(labels, Part::Whole), 0, "{plural}");
        let status = json!({"status": {"observedGeneration": 1}});
        assert_eq!(warned(status, Part::Status), 0, "{plural}");
        if plural == "deployments" {
            let replicas = json!({"spec": {"minReadySeconds": 1}});
            assert_eq!(warned(replicas, Part::Whole), 1);
        }
    }
}
