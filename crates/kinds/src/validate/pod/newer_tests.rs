//! Tests the rules of the newer fields of pod specs.

use super::tests::{told, with};
use crate::api::json::{Value, json};

#[test]
fn restart_rules_have_known_actions_and_operators() {
    let spec = |all: &str, fields: Value| {
        let mut spec = json!({});
        let mut container = with(&fields);
        container["name"] = json!("x");
        spec[all] = json!([container]);
        told("web", &spec)
    };
    let rules = json!([{"exitCodes": {}}]);
    let path = |all: &str, name: &str| format!("spec.{all}[0].restartPolicyRules[0].{name}");
    let wrong = |all: &str| {
        vec![
            path(
                all,
                "action: Unsupported value: \"\": supported values: \"Restart\", \"RestartAllContainers\"",
            ),
            path(
                all,
                "exitCodes.operator: Unsupported value: \"\": supported values: \"In\", \"NotIn\"",
            ),
        ]
    };
    for all in ["containers", "initContainers"] {
        let with_policy = json!({"restartPolicy": "Never", "restartPolicyRules": rules});
        assert_eq!(spec(all, with_policy), wrong(all));
        let required = format!(
            "spec.{all}[0].restartPolicy: Required value: must specify restartPolicy when restart rules are used"
        );
        let mut wanted = vec![required];
        if all == "containers" {
            wanted.extend(wrong(all));
        }
        assert_eq!(spec(all, json!({"restartPolicyRules": rules})), wanted);
    }
}

#[test]
fn only_sidecars_among_init_containers_restart_for_a_resize() {
    let policy = json!([{"resourceName": "cpu", "restartPolicy": "RestartContainer"}]);
    let spec = |fields: &Value| {
        let mut container = with(fields);
        container["name"] = json!("x");
        container["resizePolicy"] = policy.clone();
        told("web", &json!({"initContainers": [container]}))
    };
    assert_eq!(spec(&json!({"restartPolicy": "Always"})), [""; 0]);
    assert_eq!(
        spec(&json!({})),
        [
            "spec.initContainers[0].resizePolicy[0].restartPolicy: Invalid value: \"RestartContainer\": must not be set \
             to 'RestartContainer' for non-sidecar initContainers"
        ]
    );
}

#[test]
fn own_users_exclude_namespaces_of_the_host_and_block_devices() {
    let device = json!([{"name": "v", "devicePath": "/dev/a"}]);
    let fields = json!({"hostUsers": false, "hostPID": true, "hostIPC": true,
        "volumes": [{"name": "v", "persistentVolumeClaim": {"claimName": "c"}}],
        "containers": [with(&json!({"volumeDevices": device}))]});
    let wanted = ["HostPID", "HostIPC", "containers[0].volumeDevices"];
    let wanted = wanted.map(|path| format!("spec.{path}: Forbidden: when `hostUsers` is false"));
    assert_eq!(told("web", &fields), wanted);
}

#[test]
fn profiles_of_the_host_are_named_by_known_types() {
    let context = |context: Value| told("web", &json!({"securityContext": context}));
    let seccomp = json!({"seccompProfile": {"type": "Localhost", "localhostProfile": ""}});
    assert_eq!(context(seccomp), [""; 0]);
    let app_armor = json!({"appArmorProfile": {"type": "", "localhostProfile": "x"}});
    assert_eq!(
        context(app_armor),
        [
            "spec.securityContext.appArmorProfile.type: Required value: type is required when appArmorProfile is set"
        ]
    );
    assert_eq!(
        context(json!({"seLinuxChangePolicy": "MountOption"})),
        [
            "spec.securityContext.seLinuxChangePolicy: Unsupported value: \"MountOption\": supported values: \
             \"Recursive\""
        ]
    );
}

#[test]
fn a_windows_pod_has_no_resources_of_its_own() {
    let fields = json!({"os": {"name": "windows"}, "resources": {"limits": {"cpu": "x"}}});
    assert_eq!(
        told("web", &fields),
        ["spec.resources: Forbidden: may not be set for a windows pod"]
    );
}

#[test]
fn overhead_is_reported_like_limits() {
    assert_eq!(
        told("web", &json!({"overhead": {"cpu": "-1"}})),
        ["spec.overhead.limits[cpu]: Invalid value: \"-1\": must be greater than or equal to 0"]
    );
}

#[test]
fn the_name_of_an_ephemeral_volume_is_part_of_its_claim() {
    let template = json!({"spec": {"accessModes": ["ReadWriteOnce"],
        "resources": {"requests": {"storage": "1Gi"}}}});
    let volume = json!({"name": "v".repeat(60), "ephemeral": {"volumeClaimTemplate": template}});
    let owner = "a".repeat(250);
    let told = told(&owner, &json!({"volumes": [volume]}));
    assert_eq!(told.len(), 1, "{told:?}");
    assert!(
        told[0].starts_with("spec.volumes[0].name: Invalid value: \"vvv"),
        "{told:?}"
    );
}
