//! Makes the objects of `ctl debug`: a container in a Pod, a copy of a Pod, or a Pod on a node.

use super::DebugArgs;
use crate::api::json::{Value, json};
use crate::api::yaml::{self, Mode};
use crate::cli::error::CliError;
use crate::cluster::PatchType;
use crate::kinds;
use crate::kinds::tree::{ensure, field, items, list, text};

/// Returns the security context of a profile.
pub(super) fn security(profile: &str) -> Option<Value> {
    Some(match profile {
        "legacy" | "baseline" => Value::Null,
        // Only this capability lets a debugger attach to processes of other users.
        "" | "general" => json!({"capabilities": {"add": ["SYS_PTRACE"]}}),
        "netadmin" => json!({"capabilities": {"add": ["NET_ADMIN", "NET_RAW"]}}),
        "sysadmin" => json!({"privileged": true}),
        "restricted" => json!({
            "allowPrivilegeEscalation": false,
            "capabilities": {"drop": ["ALL"]},
            "runAsNonRoot": true,
            "seccompProfile": {"type": "RuntimeDefault"},
        }),
        _ => return None,
    })
}

/// Applies the security context of a profile to a container of the copied Pod.
fn secure(container: &mut Value, profile: &str) {
    // These two profiles discard the privileges of the container; all others only add to them.
    if matches!(profile, "baseline" | "restricted") {
        remove(container, "securityContext");
    }
    let wanted = security(profile).unwrap_or_default();
    for (name, value) in wanted.as_object().into_iter().flatten() {
        let own = ensure(ensure(container, "securityContext"), name.as_str());
        match value["add"].as_array() {
            // As in kubectl, a capability that the container already has is added once more.
            Some(more) => {
                let mut all = list(own, "add").to_vec();
                all.extend(more.iter().cloned());
                own["add"] = json!(all);
            }
            None => *own = value.clone(),
        }
    }
}

fn remove(from: &mut Value, name: &str) {
    if let Some(from) = from.as_object_mut() {
        from.remove(name);
    }
}

/// Returns the container that the flags describe.
pub(super) fn container(name: &str, args: &DebugArgs, words: &[String]) -> Value {
    let mut container = json!({"name": name, "terminationMessagePolicy": "File"});
    change(&mut container, args, words);
    if let Some(security) = security(&args.profile).filter(|s| !s.is_null()) {
        container["securityContext"] = security;
    }
    container
}

/// Prepares the patch of a Pod that has an ephemeral container with the name of the new one: kubectl's patch removes
/// the fields of the old one, and its profiles add their capabilities once for each container with the name.
pub(super) fn reset(old: &mut Value, new: &mut Value) {
    // The defaults of these fields are kept, because the API server would otherwise always see a change.
    const DEFAULTED: [&str; 5] = [
        "name",
        "imagePullPolicy",
        "resources",
        "terminationMessagePath",
        "terminationMessagePolicy",
    ];
    for (name, value) in old.as_object_mut().into_iter().flatten() {
        if !DEFAULTED.contains(&name.as_str()) {
            *value = Value::Null;
        }
    }
    let added = new.pointer_mut("/securityContext/capabilities/add");
    if let Some(added) = added.and_then(Value::as_array_mut) {
        added.extend(added.clone());
    }
}

/// Sets the fields of a container that have flags.
fn change(container: &mut Value, args: &DebugArgs, words: &[String]) {
    // Only given flags are applied, so that a changed container of a copy keeps the rest of its spec.
    let mut set = |name: &str, value: Value| container[name] = value;
    if let Some(image) = args.image() {
        set("image", json!(image));
    }
    if let Some(policy) = args.pull_policy() {
        set("imagePullPolicy", json!(policy));
    }
    if !args.env.is_empty() {
        let mut pairs: Vec<_> = args.env.iter().flat_map(|pairs| &pairs.all).collect();
        // The flag is an unordered map in kubectl; sorting by name makes the output stable.
        pairs.sort_unstable();
        let variable = |(name, value): &(String, String)| json!({"name": name, "value": value});
        set("env", pairs.into_iter().map(variable).collect());
    }
    for (name, on) in [("stdin", args.stdin), ("tty", args.tty)] {
        if on {
            set(name, json!(true));
        }
    }
    match (words, args.arguments_only) {
        ([], _) => {}
        (words, true) => set("args", json!(words)),
        (words, false) => set("command", json!(words)),
    }
}

/// Returns a copy of a Pod with a new or a changed container, and the name of that container. The name is empty if
/// there is no such container.
pub(super) fn copy(
    pod: &Value,
    args: &DebugArgs,
    words: &[String],
    default_name: &mut dyn FnMut(&Value) -> Result<String, CliError>,
) -> Result<(Value, String), CliError> {
    let metadata = field(pod, "metadata");
    let mut copy = json!({
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": args.copy_to, "namespace": text(metadata, "namespace")},
        "spec": field(pod, "spec"),
    });
    for name in ["labels", "annotations"] {
        if !field(metadata, name).is_null() {
            copy["metadata"][name] = field(metadata, name).clone();
        }
    }
    let spec = &mut copy["spec"];
    if let Some(spec) = spec.as_object_mut() {
        // The API server rejects a new Pod with ephemeral containers.
        spec.remove("ephemeralContainers");
        // Without --same-node, the scheduler places the copy like any new Pod.
        if !args.same_node {
            spec.remove("nodeName");
        }
    }
    for container in containers(spec) {
        let name = text(container, "name").to_owned();
        if let Some(image) = args.image_of(&name) {
            container["image"] = json!(image);
        }
    }
    let mut name = args.container().unwrap_or_default().to_owned();
    let lists = ["containers", "initContainers"];
    let place = lists.into_iter().find(|list| {
        let mut all = items(spec, list);
        all.any(|c| text(c, "name") == name)
    });
    let found = place.and_then(|list| items(spec, list).find(|c| text(c, "name") == name));
    if let Some(own) = found {
        // The flags replace these fields even if they are not given.
        remove(own, "stdin");
        remove(own, "tty");
        change(own, args, words);
        if !words.is_empty() && !args.arguments_only {
            // The old arguments belong to the old command.
            remove(own, "args");
        }
        secure(own, &args.profile);
        adapt(&mut copy, args);
        return Ok((copy, name));
    }
    // `--set-image` alone copies the Pod without a debug container, so there is nothing to attach to.
    if args.image().is_none() {
        return match args.set_image.is_empty() {
            false => Ok((copy, String::new())),
            true => Err(CliError::text(
                "you must specify image when creating new container",
            )),
        };
    }
    if name.is_empty() {
        name = default_name(&copy)?;
    }
    let new = container(&name, args, words);
    if let Some(list) = copy["spec"]["containers"].as_array_mut() {
        list.push(new);
    }
    adapt(&mut copy, args);
    Ok((copy, name))
}

/// Returns the container of a Pod with a name.
pub(super) fn named<'a>(pod: &'a mut Value, name: &str) -> Option<&'a mut Value> {
    containers(&mut pod["spec"]).find(|container| text(container, "name") == name)
}

fn containers(spec: &mut Value) -> impl Iterator<Item = &mut Value> {
    items(spec, "containers")
}

/// Applies the profile to a copy that has a debug container. A copy with only other images is not changed.
fn adapt(copy: &mut Value, args: &DebugArgs) {
    // The legacy profile removes only labels, and does so regardless of the flags.
    let is_legacy = args.profile == "legacy";
    if is_legacy || !args.keep_labels {
        remove(&mut copy["metadata"], "labels");
    }
    if is_legacy {
        return;
    }
    if !args.keep_annotations {
        remove(&mut copy["metadata"], "annotations");
    }
    let spec = &mut copy["spec"];
    // A paused or replaced program would fail its probes and be restarted while it is debugged.
    for (probe, kept) in [
        ("livenessProbe", args.keep_liveness),
        ("readinessProbe", args.keep_readiness),
        ("startupProbe", args.keep_startup),
    ] {
        if !kept {
            containers(spec).for_each(|container| remove(container, probe));
        }
    }
    if !args.keep_init_containers {
        remove(spec, "initContainers");
    }
    if field(spec, "shareProcessNamespace").is_null() {
        spec["shareProcessNamespace"] = json!(true);
    }
}

/// Returns a Pod with access to a whole node.
pub(super) fn on_node(node: &str, suffix: &str, args: &DebugArgs, words: &[String]) -> Value {
    let name = args.container().unwrap_or("debugger");
    let mut container = container(name, args, words);
    let mut spec = json!({
        "nodeName": node,
        "restartPolicy": "Never",
        // Nodes are debugged when they have problems, so no taint may keep the Pod away.
        "tolerations": [{"operator": "Exists"}],
    });
    let profile = args.profile.as_str();
    // At these levels, Pod Security forbids host namespaces and hostPath volumes.
    if !matches!(profile, "baseline" | "restricted") {
        for field in ["hostIPC", "hostNetwork", "hostPID"] {
            spec[field] = json!(true);
        }
    }
    if matches!(profile, "" | "general" | "legacy" | "sysadmin") {
        spec["volumes"] = json!([{"name": "host-root", "hostPath": {"path": "/"}}]);
        container["volumeMounts"] = json!([{"name": "host-root", "mountPath": "/host"}]);
    }
    if matches!(profile, "" | "general")
        && let Some(container) = container.as_object_mut()
    {
        container.remove("securityContext");
    }
    spec["containers"] = json!([container]);
    json!({
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {
            "name": format!("node-debugger-{node}-{suffix}"),
            "labels": {"app.kubernetes.io/managed-by": "kubectl-debug"},
        },
        "spec": spec,
    })
}

/// Returns true if a Pod has a container with this name.
pub(super) fn has_container(pod: &Value, name: &str) -> bool {
    let spec = field(pod, "spec");
    ["containers", "initContainers", "ephemeralContainers"]
        .iter()
        .flat_map(|kind| list(spec, kind))
        .any(|container| text(container, "name") == name)
}

/// Reads the partial container of `--custom`; `None` if the file is empty.
pub(super) fn partial(file: &[u8], path: &str) -> Result<Option<Value>, CliError> {
    let refuse = |why: String| {
        let text = format!("{path} does not contain a valid container spec: {why}");
        Err(CliError::text(text))
    };
    let found = match yaml::parse_one(file, Mode::Lenient) {
        Ok(found) => found.unwrap_or_default(),
        Err(e) => return refuse(e.message),
    };
    let type_name = match &found {
        Value::Null => return Ok(None),
        Value::Object(_) => return Ok(Some(found)),
        Value::Bool(_) => "bool",
        Value::Number(_) => "number",
        Value::String(_) => "string",
        Value::Array(_) => "array",
    };
    refuse(format!(
        "error unmarshaling JSON: while decoding JSON: json: cannot unmarshal {type_name} into Go value of type \
         v1.Container"
    ))
}

/// Merges the partial container of `--custom` into a container, as a strategic patch of a Pod does.
pub(super) fn customized(container: &Value, partial: &Value) -> Result<Value, CliError> {
    let mut partial = partial.clone();
    // kubectl decodes the file as a container, which has no nulls.
    partial.drop_nulls();
    partial["name"] = container["name"].clone();
    let pod_of = |container: &Value| json!({"spec": {"containers": [container]}});
    let kind = kinds::find("", "v1", "Pod").ok_or_else(|| CliError::text("there are no pods"))?;
    let patched = PatchType::Strategic.apply(kind, &pod_of(container), &pod_of(&partial));
    let mut pod = patched.map_err(|e| {
        let what = "error creating three way patch to add debug container";
        CliError::text(format!("{what}: {e}"))
    })?;
    Ok(pod["spec"]["containers"][0].take())
}

/// Rejects a partial container that sets fields with flags of their own, or immutable fields.
pub(super) fn check_partial(partial: &Value) -> Result<(), CliError> {
    let fixed = ["name", "command", "image", "lifecycle", "volumeDevices"];
    if fixed.iter().any(|name| !field(partial, name).is_null()) {
        return Err(CliError::text(
            "name, command, image, lifecycle and volume devices are not modifiable via custom \
             profile",
        ));
    }
    Ok(())
}
