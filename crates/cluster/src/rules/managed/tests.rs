//! Tests of the managed fields that the recorded server noted for each create, and of the writes
//! that note none.

use super::*;
use crate::api::json::json;
use crate::kinds::{find, shape};

const TIME: &str = "2026-01-01T00:00:00Z";

fn recorded(name: &str) -> Value {
    let folder = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../../testdata/facts/defaults/"
    );
    let text = std::fs::read_to_string(format!("{folder}{name}")).unwrap();
    // The record does not contain the request itself.
    serde_yaml::from_str(&text.replace("CSRPEM", "LS0tLS0K")).unwrap()
}

fn names() -> Vec<String> {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../testdata/facts/defaults");
    let files = std::fs::read_dir(folder).unwrap();
    let names = files.filter_map(|file| {
        let name = file.unwrap().file_name().into_string().unwrap();
        name.strip_suffix(".in.yaml").map(str::to_owned)
    });
    names.collect()
}

#[test]
fn create_records_the_managed_fields_of_kubernetes() {
    let (mut wrong, mut checked) = (Vec::new(), 0);
    for name in names() {
        let input = recorded(&format!("{name}.in.yaml"));
        let text = |field: &str| input[field].as_str().unwrap_or_default().to_owned();
        let kind = find_by_api_version(&text("apiVersion"), &text("kind")).unwrap();
        let mut object = shape::read(kind, &input).unwrap().object;
        let by = FieldWriter {
            manager: "kubectl-create",
            subresource: "",
            time: TIME,
        };
        note(kind, None, &mut object, by);
        let output = recorded(&format!("{name}.out.yaml"));
        let mut expected = output["metadata"]["managedFields"].clone();
        for entry in expected.as_array_mut().into_iter().flatten() {
            entry["time"] = json!(TIME);
        }
        if object["metadata"]["managedFields"] != expected {
            wrong.push(format!(
                "{name}: {} not {}",
                object["metadata"]["managedFields"], expected
            ));
        }
        checked += 1;
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert_eq!(checked, 109);
}

#[test]
fn write_without_a_change_keeps_managed_fields_times() {
    let kind = find("", "v1", "ConfigMap").unwrap();
    let by = |manager, time| FieldWriter {
        manager,
        subresource: "",
        time,
    };
    let mut old = json!({"metadata": {"name": "a", "uid": "u"}, "data": {"k": "1"}});
    note(kind, None, &mut old, by("one", "2026-01-01T00:00:00Z"));
    old["metadata"]["resourceVersion"] = json!("7");
    let mut new = old.clone();
    new["metadata"]["managedFields"][0]["time"] = json!("2026-01-02T00:00:00Z");
    keep_times(&mut new, &old);
    assert_eq!(new, old);
    new["data"]["k"] = json!("2");
    note(
        kind,
        Some(&old),
        &mut new,
        by("one", "2026-01-03T00:00:00Z"),
    );
    let mut kept = new.clone();
    keep_times(&mut kept, &old);
    assert_eq!(kept, new);
    assert_eq!(
        new["metadata"]["managedFields"][0]["time"],
        "2026-01-03T00:00:00Z"
    );
}

#[test]
fn a_change_takes_the_fields_that_another_version_has_for_it() {
    let kind = |version| find("autoscaling", version, "HorizontalPodAutoscaler").unwrap();
    let by = |manager| FieldWriter {
        manager,
        subresource: "",
        time: TIME,
    };
    let scaler = json!({"apiVersion": "autoscaling/v1", "kind": "HorizontalPodAutoscaler",
        "metadata": {"name": "a", "uid": "u"},
        "spec": {"maxReplicas": 3, "targetCPUUtilizationPercentage": 50,
            "scaleTargetRef": {"kind": "Deployment", "name": "d"}}});
    let mut old = shape::read(kind("v1"), &scaler).unwrap().object;
    note(kind("v1"), None, &mut old, by("one"));
    convert(&mut old, kind("v2"));
    let mut new = old.clone();
    new["spec"]["metrics"][0]["resource"]["target"]["averageUtilization"] = json!(70);
    note(kind("v2"), Some(&old), &mut new, by("two"));
    let owned = |at: usize| new["metadata"]["managedFields"][at]["fieldsV1"]["f:spec"].clone();
    assert_eq!(owned(0)["f:targetCPUUtilizationPercentage"], Value::Null);
    assert_eq!(owned(0)["f:maxReplicas"], json!({}));
    assert_eq!(owned(1), json!({"f:metrics": {}}));
}
