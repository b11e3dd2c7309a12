//! Admission of Pods: service account and token, priority, RuntimeClass, default tolerations.

use std::collections::HashSet;
use std::sync::LazyLock;

use super::secrets;
use crate::admission::AdmissionContext;
use crate::api::json::{Value, json};
use crate::api::status::Status;
use crate::tree::{
    as_text, empty, ensure, entries, field, has, items, len, list, opt_int, push, set, set_default,
    text,
};

const TOKEN_PATH: &str = "/var/run/secrets/kubernetes.io/serviceaccount";
pub(super) const MIRROR: &str = "kubernetes.io/config.mirror";

/// The built-in PriorityClasses, which exist before any other object.
const SYSTEM_CLASSES: &[(&str, i64)] = &[
    ("system-cluster-critical", 2_000_000_000),
    ("system-node-critical", 2_000_001_000),
];

/// The prefix of the names of token volumes.
const TOKEN_VOLUMES: &str = "kube-api-access-";

/// The mount of the token volume, without the name of the volume.
static TOKEN_MOUNT: LazyLock<Value> =
    LazyLock::new(|| json!({"mountPath": TOKEN_PATH, "readOnly": true}));

/// The volume with a Pod's token, without the name of the volume.
static TOKEN_VOLUME: LazyLock<Value> = LazyLock::new(|| {
    let certificate = json!({"key": "ca.crt", "path": "ca.crt"});
    let reference = json!({"apiVersion": "v1", "fieldPath": "metadata.namespace"});
    json!({"projected": {"defaultMode": 0o644, "sources": [
        // An hour and seven seconds. The unusual lifetime marks the tokens that the API server itself has injected.
        {"serviceAccountToken": {"path": "token", "expirationSeconds": 3607}},
        {"configMap": {"name": "kube-root-ca.crt", "items": [certificate]}},
        {"downwardAPI": {"items": [{"path": "namespace", "fieldRef": reference}]}},
    ]}})
});

/// The tolerations that every Pod gets, which end after some time.
static OUTAGES: LazyLock<[Value; 2]> = LazyLock::new(|| {
    ["node.kubernetes.io/not-ready", "node.kubernetes.io/unreachable"].map(|key| {
        json!({"key": key, "operator": "Exists", "effect": "NoExecute", "tolerationSeconds": 300})
    })
});

/// Admits a new Pod.
pub(super) fn admit(
    pod: &mut Value,
    namespace: &str,
    context: &AdmissionContext<'_>,
) -> Result<(), Status> {
    let forbid = |why: String| Status::forbidden("pods", context.called, &why);
    let mirror = has(field(field(pod, "metadata"), "annotations"), MIRROR);
    let spec = ensure(pod, "spec");
    match context.token_volume {
        // A mirror Pod must stay equal to the kubelet's static Pod, so it gets no service account.
        Some(_) if mirror => secrets::check_mirror(spec).map_err(forbid)?,
        Some(volume) => service_account(spec, namespace, context, volume).map_err(forbid)?,
        None => {}
    }
    tolerate_outages(spec);
    priority(spec, context).map_err(forbid)?;
    runtime_class(spec, context).map_err(forbid)
}

/// Admits an update of a Pod.
pub(super) fn admit_update(pod: &mut Value) {
    tolerate_outages(ensure(pod, "spec"));
}

fn service_account(
    spec: &mut Value,
    namespace: &str,
    context: &AdmissionContext<'_>,
    token_volume: &str,
) -> Result<(), String> {
    if text(spec, "serviceAccountName").is_empty() {
        set(spec, "serviceAccountName", "default");
    }
    let name = text(spec, "serviceAccountName").to_owned();
    // The deprecated alias always has the same value.
    set(spec, "serviceAccount", name.clone());
    let account = (context.find)("serviceaccounts", namespace, &name).ok_or_else(|| {
        format!("error looking up service account {namespace}/{name}: serviceaccount \"{name}\" not found")
    })?;
    let wanted = [&*spec, &account]
        .iter()
        // The setting of the Pod takes precedence over that of the account.
        .find_map(|v| field(v, "automountServiceAccountToken").as_bool());
    if wanted.unwrap_or(true) {
        mount_token(spec, token_volume);
    }
    let secrets = field(&account, "imagePullSecrets");
    // The Secrets of the Pod replace those of the account; the lists are not merged.
    if len(spec, "imagePullSecrets") == 0 && !secrets.is_null() {
        set(spec, "imagePullSecrets", secrets.clone());
    }
    secrets::check_account(spec, &account)
}

fn mount_token(spec: &mut Value, new: &str) {
    let mut names = list(spec, "volumes").iter().map(|v| text(v, "name"));
    // A Pod that is admitted again, for example because a webhook added a container, already has the volume.
    let own = names.find(|name| name.starts_with(TOKEN_VOLUMES));
    let (volume, is_new) = (own.unwrap_or(new).to_owned(), own.is_none());
    let named = |what: &Value| {
        let mut what = what.clone();
        set(&mut what, "name", volume.clone());
        what
    };
    let mut mounted = false;
    for name in ["initContainers", "containers"] {
        for container in items(spec, name) {
            let own = list(container, "volumeMounts");
            // A container that mounts something else there provides its own credentials.
            if !own.iter().any(|m| text(m, "mountPath") == TOKEN_PATH) {
                push(container, "volumeMounts", named(&TOKEN_MOUNT));
                mounted = true;
            }
        }
    }
    if mounted && is_new {
        push(spec, "volumes", named(&TOKEN_VOLUME));
    }
}

/// Adds the tolerations that keep a Pod on an unreachable node for five minutes before it is evicted.
pub(super) fn tolerate_outages(spec: &mut Value) {
    for toleration in OUTAGES.iter() {
        let key = text(toleration, "key");
        let covers = |t: &Value| {
            matches!(text(t, "key"), "")
                && text(t, "operator") == "Exists"
                && matches!(text(t, "effect"), "" | "NoExecute")
                || text(t, "key") == key && matches!(text(t, "effect"), "" | "NoExecute")
        };
        // A toleration set by the user replaces the default, whatever its duration.
        if !list(spec, "tolerations").iter().any(covers) {
            push(spec, "tolerations", toleration.clone());
        }
    }
}

fn priority(spec: &mut Value, context: &AdmissionContext<'_>) -> Result<(), String> {
    let (value, policy) = match text(spec, "priorityClassName") {
        "" => match context.default_priority_class {
            Some(class) => {
                let name = field(field(class, "metadata"), "name").clone();
                set(spec, "priorityClassName", name);
                class_values(class)
            }
            None => (0, "PreemptLowerPriority".to_owned()),
        },
        name => find_class(name, context)
            .ok_or_else(|| format!("no PriorityClass with name {name} was found"))?,
    };
    // Users must not set a priority that differs from the class. An equal value is accepted, so that exported Pods
    // can be created again.
    if let Some(own) = opt_int(spec, "priority").filter(|own| *own != value) {
        return Err(format!(
            "the integer value of priority ({own}) must not be provided in pod spec; priority admission \
             controller computed {value} from the given PriorityClass name"
        ));
    }
    let own = text(spec, "preemptionPolicy");
    if !own.is_empty() && own != policy {
        return Err(format!(
            "the string value of PreemptionPolicy ({own}) must not be provided in pod spec; priority \
             admission controller computed {policy} from the given PriorityClass name"
        ));
    }
    set(spec, "priority", value);
    set(spec, "preemptionPolicy", policy);
    Ok(())
}

fn find_class(name: &str, context: &AdmissionContext<'_>) -> Option<(i64, String)> {
    if let Some(class) = (context.find)("priorityclasses.scheduling.k8s.io", "", name) {
        return Some(class_values(&class));
    }
    let system = SYSTEM_CLASSES.iter().find(|(class, _)| *class == name);
    system.map(|(_, value)| (*value, "PreemptLowerPriority".to_owned()))
}

fn class_values(class: &Value) -> (i64, String) {
    let policy = match text(class, "preemptionPolicy") {
        "" => "PreemptLowerPriority",
        policy => policy,
    };
    (opt_int(class, "value").unwrap_or(0), policy.to_owned())
}

fn runtime_class(spec: &mut Value, context: &AdmissionContext<'_>) -> Result<(), String> {
    let name = text(spec, "runtimeClassName").to_owned();
    if name.is_empty() {
        return match has(spec, "overhead") {
            true => Err(
                "pod rejected: Pod Overhead set without corresponding RuntimeClass defined Overhead"
                    .to_owned(),
            ),
            false => Ok(()),
        };
    }
    let class = (context.find)("runtimeclasses.node.k8s.io", "", &name)
        .ok_or_else(|| format!("pod rejected: RuntimeClass \"{name}\" not found"))?;
    let overhead = field(field(&class, "overhead"), "podFixed");
    let own = field(spec, "overhead");
    if !own.is_null() && own != overhead {
        return Err(
            "pod rejected: Pod's Overhead doesn't match RuntimeClass's defined Overhead".to_owned(),
        );
    }
    if !overhead.is_null() {
        set(spec, "overhead", overhead.clone());
    }
    let scheduling = field(&class, "scheduling");
    for (key, value) in entries(scheduling, "nodeSelector") {
        let own = text(field(spec, "nodeSelector"), key);
        if !own.is_empty() && *value != own {
            let wanted = as_text(value);
            return Err(format!(
                "conflict: runtimeClass.scheduling.nodeSelector[{key}] = {wanted}; pod.spec.nodeSelector[{key}] = \
                 {own}"
            ));
        }
        set_default(spec, "nodeSelector", empty());
        set(ensure(spec, "nodeSelector"), key, value.clone());
    }
    let mut known: HashSet<Value> = list(spec, "tolerations").iter().cloned().collect();
    for toleration in list(scheduling, "tolerations") {
        if known.insert(toleration.clone()) {
            push(spec, "tolerations", toleration.clone());
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::admission::context::User;

    #[test]
    fn container_of_a_webhook_mounts_the_token_volume_of_the_pod() {
        let mut spec = json!({
            "initContainers": [{"name": "first"}], "containers": [{"name": "a"}],
            "volumes": [{"name": "data"}],
        });
        mount_token(&mut spec, "kube-api-access-11111");
        push(&mut spec, "initContainers", json!({"name": "proxy"}));
        push(&mut spec, "containers", json!({"name": "side"}));
        mount_token(&mut spec, "kube-api-access-22222");
        let volumes = list(&spec, "volumes").iter().map(|v| text(v, "name"));
        assert_eq!(
            volumes.collect::<Vec<_>>(),
            ["data", "kube-api-access-11111"]
        );
        for container in ["initContainers", "containers"]
            .map(|name| list(&spec, name))
            .concat()
        {
            let mounts = list(&container, "volumeMounts").iter();
            let names: Vec<&str> = mounts.map(|mount| text(mount, "name")).collect();
            assert_eq!(names, ["kube-api-access-11111"], "{container}");
        }
    }

    #[test]
    fn a_runtime_class_does_not_change_a_label_of_the_node_selector() {
        let user = User::default();
        let class = json!({"scheduling": {"nodeSelector": {"r": "gv"}}});
        let context = AdmissionContext {
            find: &|_, _, _| Some(class.clone()),
            default_priority_class: None,
            token_volume: None,
            user: &user,
            called: "a",
        };
        let spec = |value: &str| json!({"runtimeClassName": "gv", "nodeSelector": {"r": value}});
        assert_eq!(
            runtime_class(&mut spec("other"), &context),
            Err(
                "conflict: runtimeClass.scheduling.nodeSelector[r] = gv; pod.spec.nodeSelector[r] = other"
                    .to_owned()
            )
        );
        assert_eq!(runtime_class(&mut spec("gv"), &context), Ok(()));
    }
}
