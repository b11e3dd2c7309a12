//! Tests the rules of pod specs against the errors of the API server.

use super::annotations::{annotations, changes, match_fields};
use super::spec::pod_spec;
use crate::api::json::{Value, json};
use crate::api::patch::merge;
use crate::validate::errors::Errors;
use crate::validate::path::Path;

fn container() -> Value {
    json!({"name": "c", "image": "i", "imagePullPolicy": "Always", "terminationMessagePolicy": "File"})
}

fn texts(errors: &Errors) -> Vec<String> {
    let told = errors.iter().map(|e| format!("{}: {}", e.field, e.message));
    told.collect()
}

/// Returns the errors of a spec with these fields, in a Pod called `owner` or, if empty, in a template.
pub(super) fn told(owner: &str, fields: &Value) -> Vec<String> {
    let mut spec = json!({"restartPolicy": "Always", "dnsPolicy": "ClusterFirst", "containers": [container()]});
    merge::apply(&mut spec, fields);
    let mut errors = Errors::default();
    pod_spec(&Path::root("spec"), owner, &spec, &mut errors);
    texts(&errors)
}

/// Returns a container with these fields.
pub(super) fn with(fields: &Value) -> Value {
    let mut container = container();
    merge::apply(&mut container, fields);
    container
}

#[test]
fn a_label_key_is_used_once_in_a_term() {
    let both = "Invalid value: \"a\": exists in both matchLabelKeys and";
    let spread = |selector: Value| {
        json!({"topologySpreadConstraints": [{"maxSkew": 1, "topologyKey": "a zone",
            "whenUnsatisfiable": "DoNotSchedule", "matchLabelKeys": ["a"], "labelSelector": selector}]})
    };
    let affinity = |selector: Value| {
        json!({"affinity": {"podAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": [{
            "topologyKey": "zone", "labelSelector": selector, "matchLabelKeys": ["a"],
            "mismatchLabelKeys": ["b"]}]}}})
    };
    let term = "spec.affinity.podAffinity.requiredDuringSchedulingIgnoredDuringExecution[0]";
    let merged = json!({"key": "a", "operator": "In", "values": ["x"]});
    let labels = json!({"a": "x", "b": "y"});
    // Only the Pod, into which the keys are merged, is rejected, not the template.
    for once in [
        json!({"matchLabels": labels}),
        json!({"matchExpressions": [merged]}),
    ] {
        assert_eq!(told("", &spread(once.clone())), [""; 0]);
        assert_eq!(told("", &affinity(once)), [""; 0]);
    }
    let twice = json!({"matchLabels": labels, "matchExpressions": [merged]});
    assert_eq!(
        told("web", &spread(twice.clone())),
        [format!(
            "spec.topologySpreadConstraints[0][0]: {both} labelSelector"
        )]
    );
    let mut fields = affinity(twice);
    let rules = &mut fields["affinity"]["podAffinity"];
    rules["requiredDuringSchedulingIgnoredDuringExecution"][0]["mismatchLabelKeys"] = json!(["a"]);
    assert_eq!(
        told("web", &fields),
        [
            format!("{term}[0]: {both} labelSelector"),
            format!("{term}.matchLabelKeys[0]: {both} mismatchLabelKeys"),
        ]
    );
}

#[test]
fn values_of_preferred_nodes_are_free() {
    let expression =
        json!({"matchExpressions": [{"key": "a", "operator": "In", "values": ["x y"]}]});
    let preferred = json!([{"weight": 1, "preference": expression}]);
    let affinity = |rules: Value| json!({"affinity": {"nodeAffinity": rules}});
    let rules = json!({"preferredDuringSchedulingIgnoredDuringExecution": preferred});
    assert_eq!(told("", &affinity(rules)), [""; 0]);
    let rules = json!({"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": [expression]}});
    assert_eq!(told("", &affinity(rules)).len(), 1);
}

#[test]
fn resources_of_a_pod_contain_those_of_its_containers() {
    let part = with(&json!({"resources": {"limits": {"cpu": "3"}, "requests": {"cpu": "1"}}}));
    let fields = json!({
        "containers": [part],
        "resources": {"claims": [], "limits": {"cpu": "2"}, "requests": {"cpu": "500m"}},
    });
    assert_eq!(
        told("web", &fields),
        [
            "spec.resources.claims: Forbidden: claims may not be set for Resources at pod-level",
            "spec.resources.requests[cpu]: Invalid value: \"500m\": must be greater than or equal to \
             aggregate container requests of 1",
            "spec.resources.containers[0][cpu].limits: Invalid value: \"3\": must be less than or equal to pod \
             limits of 2",
        ]
    );
}

#[test]
fn an_operating_system_excludes_the_fields_of_the_other() {
    let options = json!({"windowsOptions": {}});
    let linux = json!({"os": {"name": "linux"}, "securityContext": options,
        "containers": [with(&json!({"securityContext": options}))]});
    let detail = "Forbidden: windows options cannot be set for a linux pod";
    assert_eq!(
        told("web", &linux),
        [
            format!("spec.securityContext.windowsOptions: {detail}"),
            format!("spec.containers[0].securityContext.windowsOptions: {detail}"),
        ]
    );
    let inner = json!({"privileged": false, "capabilities": {}, "windowsOptions": {}});
    let windows = json!({"os": {"name": "windows"}, "hostPID": true, "shareProcessNamespace": false,
        "securityContext": {"fsGroup": 1, "runAsUser": 1, "runAsNonRoot": true},
        "containers": [with(&json!({"securityContext": inner}))]});
    let wanted = [
        "hostPID",
        "securityContext.fsGroup",
        "shareProcessNamespace",
        "securityContext.runAsUser",
        "containers[0].securityContext.capabilities",
        "containers[0].securityContext.privileged",
    ];
    let wanted =
        wanted.map(|field| format!("spec.{field}: Forbidden: cannot be set for a windows pod"));
    assert_eq!(told("web", &windows), wanted);
}

#[test]
fn profiles_and_sysctls_have_the_servers_texts() {
    let context = |context: Value, host: &str| {
        let mut fields = json!({"securityContext": context});
        fields[host] = json!(true);
        told("web", &fields)
    };
    let named = |kind: &str, name: &str| json!({"appArmorProfile": {"type": kind, "localhostProfile": name}});
    let path = "spec.securityContext.appArmorProfile.localhostProfile: Invalid value";
    assert_eq!(
        context(named("Localhost", " x"), "automountServiceAccountToken"),
        [format!(
            "{path}: \" x\": must not be padded with whitespace"
        )]
    );
    assert_eq!(
        context(named("RuntimeDefault", "x"), "automountServiceAccountToken"),
        [format!(
            "{path}: \"x\": can only be set when AppArmor type is Localhost"
        )]
    );
    for name in ["appArmorProfile", "seccompProfile"] {
        let mut profile = json!({});
        profile[name] = json!({"type": ""});
        assert_eq!(
            context(profile, "automountServiceAccountToken"),
            [format!(
                "spec.securityContext.{name}.type: Required value: type is required when {name} is set"
            )]
        );
    }
    let sysctl = |name: &str| json!({"sysctls": [{"name": name, "value": "1"}]});
    let detail = |name: &str, host: &str| {
        [format!(
            "spec.securityContext.sysctls[0].name: Invalid value: \"{name}\": may not be specified when \
             '{host}' is true"
        )]
    };
    let (net, ipc) = ("net.core.somaxconn", "kernel.shm_rmid_forced");
    assert_eq!(
        context(sysctl(net), "hostNetwork"),
        detail(net, "hostNetwork")
    );
    assert_eq!(context(sysctl(ipc), "hostIPC"), detail(ipc, "hostIPC"));
    assert_eq!(context(sysctl(ipc), "hostNetwork"), [""; 0]);
}

#[test]
fn claims_and_drivers_have_valid_names() {
    let claims = json!([{"name": "a", "request": "r"}, {"name": "a", "request": "s"}, {"name": "a", "request": "r"}]);
    let fields = json!({"resourceClaims": [{"name": "a", "resourceClaimName": "x"}],
        "containers": [with(&json!({"resources": {"claims": claims}}))]});
    assert_eq!(
        told("web", &fields),
        ["spec.containers[0].resources.claims[2]: Duplicate value: \"a/r\""]
    );
    // The whole claim overlaps with each request of it.
    let claims = json!([{"name": "a", "request": "r"}, {"name": "a"}]);
    let fields = json!({"resourceClaims": [{"name": "a", "resourceClaimName": "x"}],
        "containers": [with(&json!({"resources": {"claims": claims}}))]});
    assert_eq!(
        told("web", &fields),
        ["spec.containers[0].resources.claims[1]: Duplicate value: \"a\""]
    );
    let volume = json!({"volumes": [{"name": "v", "csi": {"driver": "A_B"}}]});
    assert_eq!(told("web", &volume).len(), 1);
    let volume = json!({"volumes": [{"name": "v", "csi": {"driver": "Disks.Example.com"}}]});
    assert_eq!(told("web", &volume), [""; 0]);
}

#[test]
fn annotations_with_a_meaning_are_validated() {
    let spec = json!({"containers": [{"name": "c"}]});
    let apparmor = |name: &str| format!("container.apparmor.security.beta.kubernetes.io/{name}");
    let told = |key: &str, value: &str| {
        let mut errors = Errors::default();
        let mut all = json!({});
        all[key] = json!(value);
        annotations(
            &Path::root("metadata.annotations"),
            &all,
            &spec,
            &mut errors,
        );
        texts(&errors)
    };
    let cost = "controller.kubernetes.io/pod-deletion-cost";
    for value in ["abc", "+1", "01", "", "3000000000"] {
        let wanted = format!(
            "metadata.annotations[{cost}]: Invalid value: {value:?}: must be a 32bit integer"
        );
        assert_eq!(told(cost, value), [wanted]);
    }
    for value in ["0", "-1", "10"] {
        assert_eq!(told(cost, value), [""; 0]);
    }
    assert_eq!(
        told("seccomp.security.alpha.kubernetes.io/pod", "foo"),
        [
            "metadata.annotations.seccomp.security.alpha.kubernetes.io/pod: Invalid value: \"foo\": must be a valid \
          seccomp profile"
        ]
    );
    let (here, there) = (apparmor("c"), apparmor("zzz"));
    assert_eq!(
        told(&there, "unconfined"),
        [format!(
            "metadata.annotations[{there}]: Invalid value: \"zzz\": container not found"
        )]
    );
    assert_eq!(
        told(&here, "foo"),
        [format!(
            "metadata.annotations[{here}]: Invalid value: \"foo\": invalid AppArmor profile name: \"foo\""
        )]
    );
    let changed = |new: Value, old: Value| {
        let mut errors = Errors::default();
        changes(&Path::root("metadata.annotations"), &new, &old, &mut errors);
        texts(&errors)
    };
    let mut old = json!({});
    old[here.as_str()] = json!("unconfined");
    assert_eq!(
        changed(json!({}), old.clone()),
        [format!(
            "metadata.annotations[{here}]: Forbidden: may not remove or update AppArmor annotations"
        )]
    );
    assert_eq!(
        changed(old.clone(), Value::Null),
        [format!(
            "metadata.annotations[{here}]: Forbidden: may not add AppArmor annotations"
        )]
    );
    assert_eq!(changed(old.clone(), old), [""; 0]);
    assert_eq!(
        changed(json!({"kubernetes.io/config.mirror": "x"}), json!({})),
        [
            "metadata.annotations[kubernetes.io/config.mirror]: Forbidden: may not add mirror pod annotation"
        ]
    );
}

#[test]
fn huge_pages_are_whole() {
    let limits = |amount: &str| {
        let limits = json!({"cpu": "1", "hugepages-2Mi": amount});
        json!({"containers": [with(&json!({"resources": {"limits": limits}}))]})
    };
    assert_eq!(told("web", &limits("4Mi")), [""; 0]);
    assert_eq!(
        told("web", &limits("3Mi")),
        [
            "spec.containers[0].resources.limits[hugepages-2Mi]: Invalid value: \"3Mi\": 3Mi is not positive integer \
             multiple of hugepages-2Mi"
        ]
    );
}

#[test]
fn a_file_with_variables_is_in_an_empty_directory() {
    let spec = |volume: Value| {
        let reference = json!({"key": "A", "volumeName": "v", "path": "a/b"});
        let env = json!([{"name": "A", "valueFrom": {"fileKeyRef": reference}}]);
        json!({"volumes": [volume], "containers": [with(&json!({"env": env}))]})
    };
    let empty = spec(json!({"name": "v", "emptyDir": {}}));
    assert_eq!(told("web", &empty), [""; 0]);
    let path = "spec.containers[0].env[0].valueFrom.fileKeyRef.volumeName";
    assert_eq!(
        told("web", &spec(json!({"name": "w", "emptyDir": {}}))),
        [format!("{path}: Not found: \"v\"")]
    );
    assert_eq!(
        told(
            "web",
            &spec(json!({"name": "v", "hostPath": {"path": "/a"}}))
        ),
        [format!(
            "{path}: Invalid value: \"v\": referenced volume must be of type emptyDir"
        )]
    );
}

#[test]
fn another_host_name_is_short_and_the_only_one() {
    let long = "a.".repeat(40) + "a";
    assert_eq!(
        told(
            "web",
            &json!({"hostnameOverride": long, "setHostnameAsFQDN": true})
        ),
        [
            "spec.hostnameOverride: Forbidden: may not be specified when setHostnameAsFQDN is true",
            "spec.hostnameOverride: Too long: may not be more than 64 bytes",
        ]
    );
}

#[test]
fn iscsi_names_have_a_form() {
    let volume = |name: &str| {
        json!({"volumes": [{"name": "v", "iscsi": {"targetPortal": "a".repeat(70), "lun": 1,
        "iqn": "iqn.2001-04.com.example:disk", "initiatorName": name}}]})
    };
    let portal = "spec.volumes[0].name: Invalid value: \"v\": Total length of <volume name>:<iscsi.targetPortal> must be \
        under 64 characters if iscsi.initiatorName is specified.";
    let wrong = "spec.volumes[0].iscsi.initiatorname: Invalid value:";
    for (name, told_too) in [
        ("eui.0123456789abcdef", None),
        ("eui.01", Some("\"eui.01\": must be valid format")),
        (
            "disk",
            Some("\"disk\": must be valid format starting with iqn, eui, or naa"),
        ),
        (
            "iqn.2001.x:y",
            Some("\"iqn.2001.x:y\": must be valid format"),
        ),
    ] {
        let told_too = told_too.map(|told| format!("{wrong} {told}"));
        let wanted: Vec<String> = told_too.into_iter().chain([portal.to_owned()]).collect();
        assert_eq!(told("web", &volume(name)), wanted);
    }
}

#[test]
fn annotations_agree_with_the_fields_that_replaced_them() {
    let seccomp = "seccomp.security.alpha.kubernetes.io/pod";
    let apparmor = "container.apparmor.security.beta.kubernetes.io/c";
    let local = json!({"type": "Localhost", "localhostProfile": "a"});
    let spec = json!({"securityContext": {"seccompProfile": {"type": "RuntimeDefault"}, "appArmorProfile": local},
        "containers": [container()]});
    let told = |annotations: Value| {
        let mut errors = Errors::default();
        match_fields(&Path::root("spec"), &annotations, &spec, &mut errors);
        texts(&errors)
    };
    assert_eq!(
        told(json!({seccomp: "docker/default", apparmor: "localhost/a"})),
        [""; 0]
    );
    let place = "spec.containers[0].securityContext.appArmorProfile";
    assert_eq!(
        told(json!({seccomp: "unconfined", apparmor: "localhost/b"})),
        [
            "spec.securityContext.seccompProfile.type: Forbidden: seccomp type in annotation and field must match"
                .to_owned(),
            format!("{place}.localhostProfile: Forbidden: apparmor profile in annotation and field must match"),
        ]
    );
    let mut errors = Errors::default();
    let all = json!({"scheduler.alpha.kubernetes.io/tolerations": "x"});
    annotations(&Path::root("annotations"), &all, &spec, &mut errors);
    assert_eq!(
        texts(&errors),
        [
            "annotations: Invalid value: \"scheduler.alpha.kubernetes.io/tolerations\": invalid character 'x' looking for \
             beginning of value"
        ]
    );
}

#[test]
fn containers_on_a_windows_host_share_a_pod_only_with_their_kind() {
    let on_host = |value: bool| json!({"windowsOptions": {"hostProcess": value}});
    let told = |of_pod: Value, of_containers: &[Value], network: bool| {
        let containers: Vec<Value> = of_containers
            .iter()
            .enumerate()
            .map(|(index, context)| {
                with(&json!({"name": format!("c{index}"), "securityContext": context}))
            })
            .collect();
        let fields =
            json!({"securityContext": of_pod, "containers": containers, "hostNetwork": network});
        told("web", &fields)
    };
    let mixed = "spec: Invalid value: \"\": If pod contains any hostProcess containers then all containers must be \
        HostProcess containers";
    let network = "spec.hostNetwork: Invalid value: false: hostNetwork must be true if pod contains any hostProcess \
        containers";
    let differ = "spec.containers[0].securityContext.windowsOptions.hostProcess: Invalid value: false: pod hostProcess \
        value must be identical if both are specified, was true";
    let none = json!({});
    assert_eq!(
        told(none.clone(), &[none.clone(), on_host(true)], false),
        [mixed, network]
    );
    assert_eq!(
        told(on_host(true), &[on_host(false), none.clone()], true),
        [differ, mixed]
    );
    assert_eq!(
        told(on_host(true), &[none.clone(), on_host(true)], true),
        [""; 0]
    );
    assert_eq!(told(on_host(false), &[none], false), [""; 0]);
}

#[test]
fn an_invalid_host_name_has_its_index() {
    let told = told(
        "web",
        &json!({"hostAliases": [{"ip": "1.1.1.1", "hostnames": ["ok", "A_"]}]}),
    );
    let wanted = "spec.hostAliases[0].hostnames[1]: Invalid value: \"A_\": a lowercase RFC 1123";
    assert_eq!(told.len(), 1);
    assert!(told[0].starts_with(wanted), "{told:?}");
}

#[test]
fn claims_of_a_pod_have_one_name_and_one_source() {
    let claims =
        json!([{"name": "A_", "resourceClaimName": ""}, {"name": "A_", "resourceClaimName": "x"}]);
    let told = told("web", &json!({"resourceClaims": claims}));
    let wanted = [
        "spec.resourceClaims[0].name: Invalid value: \"A_\": a lowercase RFC 1123 label",
        "spec.resourceClaims[0].resourceClaimName: Invalid value: \"\": a lowercase RFC 1123",
        "spec.resourceClaims[1].name: Duplicate value: \"A_\"",
    ];
    assert_eq!(told.len(), wanted.len(), "{told:?}");
    for (told, wanted) in told.iter().zip(wanted) {
        assert!(told.starts_with(wanted), "{told}");
    }
}

/// Returns the errors of a container with these fields, without the container's path.
fn told_of_container(fields: &Value, volumes: &Value) -> Vec<String> {
    let told = told(
        "web",
        &json!({"containers": [with(fields)], "volumes": volumes}),
    );
    let path = "spec.containers[0].";
    told.iter()
        .map(|told| told.strip_prefix(path).unwrap_or(told).to_owned())
        .collect()
}

/// Checks the beginning of each error: the rest is a rule that is tested elsewhere.
fn assert_begin(told: &[String], wanted: &[&str]) {
    assert_eq!(told.len(), wanted.len(), "{told:#?}");
    for (told, wanted) in told.iter().zip(wanted) {
        assert!(told.starts_with(wanted), "{told} instead of {wanted}");
    }
}

#[test]
fn sources_of_variables_have_the_servers_paths_and_values() {
    let told = |source: Value| {
        let env = json!([{"name": "A", "valueFrom": source}]);
        told_of_container(&json!({"env": env}), &json!([]))
    };
    let path = "env[0].valueFrom";
    for name in ["configMapKeyRef", "secretKeyRef"] {
        for called in ["", "A_"] {
            let mut source = json!({});
            source[name] = json!({"name": called, "key": "k"});
            let wanted =
                format!("{path}.{name}.name: Invalid value: {called:?}: a lowercase RFC 1123");
            assert_begin(&told(source), &[&wanted]);
        }
    }
    let field = |path: &str| json!({"fieldRef": {"apiVersion": "v1", "fieldPath": path}});
    for (name, wanted) in [
        (
            "metadata.labels['a b']",
            "fieldRef: Invalid value: \"a b\": name part",
        ),
        (
            "metadata.labels['A.com/b']",
            "fieldRef: Invalid value: \"A.com/b\": prefix part",
        ),
        (
            "metadata.annotations['A b']",
            "fieldRef: Invalid value: \"a b\": name part",
        ),
        (
            "metadata.name['a']",
            "fieldRef.fieldPath: Invalid value: \"metadata.name['a']\": error converting fieldPath: field label does \
             not support subscript: metadata.name['a']",
        ),
        (
            "['a']",
            "fieldRef.fieldPath: Invalid value: \"['a']\": error converting fieldPath: field label not supported: ['a']",
        ),
    ] {
        assert_begin(&told(field(name)), &[&format!("{path}.{wanted}")]);
    }
    assert_eq!(told(field("metadata.annotations['A.com/b']")), [""; 0]);
}

#[test]
fn divisors_fit_the_resource() {
    let bytes = "1, 1k, 1M, 1G, 1T, 1P, 1E, 1Ki, 1Mi, 1Gi, 1Ti, 1Pi, 1Ei";
    for (resource, values, kind) in [
        ("limits.cpu", "1m and 1", "cpu"),
        ("requests.memory", bytes, "memory"),
        ("limits.ephemeral-storage", bytes, "local ephemeral storage"),
        ("limits.hugepages-2Mi", bytes, "hugepages"),
    ] {
        let told = |divisor: &str| {
            let source = json!({"resourceFieldRef": {"resource": resource, "divisor": divisor}});
            let env = json!([{"name": "A", "valueFrom": source}]);
            told_of_container(&json!({"env": env}), &json!([]))
        };
        assert_eq!(told("1"), [""; 0]);
        assert_eq!(
            told("3"),
            [format!(
                "env[0].valueFrom.resourceFieldRef.divisor: Invalid value: \"{resource}\": only divisor's values \
                 {values} are supported with the {kind} resource"
            )]
        );
    }
}

#[test]
fn environments_come_from_objects_with_valid_names() {
    let told = |name: &str, called: &str| {
        let mut source = json!({});
        source[name] = json!({"name": called});
        told_of_container(&json!({"envFrom": [source]}), &json!([]))
    };
    for name in ["configMapRef", "secretRef"] {
        let path = format!("envFrom[0].{name}.name");
        assert_eq!(told(name, ""), [format!("{path}: Required value")]);
        let wanted = format!("{path}: Invalid value: \"A_\": a lowercase RFC 1123 subdomain");
        assert_begin(&told(name, "A_"), &[&wanted]);
        assert_eq!(told(name, "prefix-"), [""; 0]);
    }
}

#[test]
fn mounts_are_compared_with_the_devices_of_their_volumes() {
    let claim = |name: &str| json!({"name": name, "persistentVolumeClaim": {"claimName": "x"}});
    let volumes = json!([claim("v"), {"name": "e", "emptyDir": {}}]);
    let told = |mounts: Value, devices: Value| {
        let fields = json!({"volumeMounts": mounts, "volumeDevices": devices});
        told_of_container(&fields, &volumes)
    };
    let none = json!([]);
    assert_eq!(
        told(json!([{"name": "", "mountPath": "/i"}]), none.clone()),
        [
            "volumeMounts[0].name: Required value",
            "volumeMounts[0].name: Not found: \"\"",
        ]
    );
    let read_only = json!([{"name": "e", "mountPath": "/e", "recursiveReadOnly": "Enabled"}]);
    assert_eq!(
        told(read_only, none.clone()),
        ["volumeMounts.recursiveReadOnly: Forbidden: may only be specified when readOnly is true"]
    );
    let devices = json!([
        {"name": "", "devicePath": ""},
        {"name": "x", "devicePath": ""},
        {"name": "e", "devicePath": "/a/../b"},
        {"name": "v", "devicePath": "/a\\..\\b"},
        {"name": "v", "devicePath": "/c"},
    ]);
    let only_claims = "Invalid value: \"e\": can only use volume source type of PersistentVolumeClaim or Ephemeral for \
        block mode";
    assert_eq!(
        told(none, devices),
        [
            "volumeDevices[0].name: Required value".to_owned(),
            "volumeDevices[0].name: Not found: \"\"".to_owned(),
            "volumeDevices[0].devicePath: Required value".to_owned(),
            "volumeDevices[1].name: Not found: \"x\"".to_owned(),
            "volumeDevices[1].devicePath: Required value".to_owned(),
            "volumeDevices[1].devicePath: Invalid value: \"\": must be unique".to_owned(),
            format!("volumeDevices[2].name: {only_claims}"),
            "volumeDevices[2].devicePath: Invalid value: \"/a/../b\": can not contain backsteps ('..')"
                .to_owned(),
            "volumeDevices[4].name: Invalid value: \"v\": must be unique".to_owned(),
        ]
    );
    // Of the two devices of one volume, only the last one has a path.
    let devices = json!([{"name": "v", "devicePath": "/a"}, {"name": "v", "devicePath": "/b"}]);
    let mounts = json!([{"name": "e", "mountPath": "/a"}, {"name": "e", "mountPath": "/c"}]);
    assert_eq!(
        told(mounts, devices),
        ["volumeDevices[1].name: Invalid value: \"v\": must be unique"]
    );
}

#[test]
fn rarely_broken_rules_have_the_servers_texts() {
    let one = |fields: &Value, wanted: &str| {
        let told = told("web", fields);
        assert_eq!(told.len(), 1, "{told:#?}");
        assert!(told[0].contains(wanted), "{} without {wanted}", told[0]);
    };
    let search = "a.".repeat(120) + "a";
    one(
        &json!({"dnsConfig": {"searches": vec![search; 9]}}),
        "must not have more than 2048 characters (including spaces) in the search list",
    );
    one(
        &json!({"resources": {"requests": {"foo": "1"}}}),
        "spec.resources.requests[foo]: Invalid value: \"foo\": must be a standard resource type or fully qualified",
    );
    one(
        &json!({"ephemeralContainers": [with(&json!({"name": "e", "image": " i"}))]}),
        "spec.ephemeralContainers[0].image: Invalid value: \" i\": must not have leading or trailing whitespace",
    );
    let policy = json!([{"resourceName": "cpu", "restartPolicy": "X"}]);
    let fields =
        json!({"restartPolicy": "Never", "containers": [with(&json!({"resizePolicy": policy}))]});
    assert_begin(
        &told("web", &fields),
        &[
            "spec.containers[0].resizePolicy: Unsupported value: \"X\"",
            "spec.containers[0].resizePolicy: Invalid value: \"X\": must be 'NotRequired'",
        ],
    );
    let context = json!({"allowPrivilegeEscalation": false, "privileged": true, "appArmorProfile": {"type": ""}});
    assert_begin(
        &told_of_container(&json!({"securityContext": context}), &json!([])),
        &[
            "securityContext: Invalid value: {",
            "securityContext.appArmorProfile.type: Required value",
        ],
    );
}
