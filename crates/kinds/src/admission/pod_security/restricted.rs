//! The restricted level, which requires current best practices for hardening Pods.

use super::baseline::proc_mount;
use super::{Finding, Parts, context, named, pod_and, quoted};
use crate::api::json::{Text, Value};
use crate::tree::{field, has, list, text, texts};

/// The allowed types of volumes.
const VOLUMES: &[&str] = &[
    "configMap",
    "csi",
    "downwardAPI",
    "emptyDir",
    "ephemeral",
    "image",
    "persistentVolumeClaim",
    "projected",
    "secret",
];

pub(super) fn check(pod: &Parts<'_>, found: &mut Vec<Finding>) {
    // Since 1.25, `spec.os.name: windows` exempts a Pod from rules about features that exist only on Linux.
    let exempt = pod.minor >= 25 && pod.is_windows();
    if pod.minor >= 8 && !exempt {
        escalation(pod, found);
    }
    if replaces("capabilities", pod.minor) && !exempt {
        capabilities(pod, found);
    }
    // Since 1.35, the baseline level relaxes this rule, so it must be checked here as well.
    if pod.minor >= 35 {
        proc_mount(pod, found);
    }
    volumes(pod, found);
    not_root(pod, found);
    if pod.minor >= 23 {
        user(pod, found);
    }
    if replaces("seccomp", pod.minor) && !exempt {
        seccomp(pod, found);
    }
}

/// Returns true if, in a version of the standards, this level has a stricter form of a baseline rule.
pub(super) fn replaces(rule: &str, minor: u32) -> bool {
    match rule {
        "capabilities" => minor >= 22,
        "seccomp" => minor >= 19,
        _ => rule == "volumes",
    }
}

fn push(found: &mut Vec<Finding>, rule: &str, who: String) {
    found.push((rule.to_owned(), who));
}

fn escalation(pod: &Parts<'_>, found: &mut Vec<Finding>) {
    // The container runtime treats an absent value as true, so only an explicit false passes.
    let names = pod.those(|c| context(c)["allowPrivilegeEscalation"] != Value::Bool(false));
    if !names.is_empty() {
        let who = named("container", &names);
        let what = "must set securityContext.allowPrivilegeEscalation=false";
        push(
            found,
            "allowPrivilegeEscalation != false",
            format!("{who} {what}"),
        );
    }
}

fn capabilities(pod: &Parts<'_>, found: &mut Vec<Finding>) {
    let own = |c: &Value, which: &str| -> Vec<String> {
        texts(field(context(c), "capabilities"), which)
            .map(str::to_owned)
            .collect()
    };
    let keep = pod.those(|c| !own(c, "drop").iter().any(|name| name == "ALL"));
    let adds = pod.those(|c| own(c, "add").iter().any(|name| name != "NET_BIND_SERVICE"));
    let mut details = Vec::new();
    if !keep.is_empty() {
        let who = named("container", &keep);
        details.push(format!(
            "{who} must set securityContext.capabilities.drop=[\"ALL\"]"
        ));
    }
    if !adds.is_empty() {
        let mut added: Vec<String> = pod.containers().flat_map(|c| own(c, "add")).collect();
        added.retain(|name| name != "NET_BIND_SERVICE");
        added.sort();
        added.dedup();
        let added: Vec<&str> = added.iter().map(String::as_str).collect();
        details.push(format!(
            "{} must not include {} in securityContext.capabilities.add",
            named("container", &adds),
            quoted(&added)
        ));
    }
    if !details.is_empty() {
        push(found, "unrestricted capabilities", details.join("; "));
    }
}

fn volumes(pod: &Parts<'_>, found: &mut Vec<Finding>) {
    let kind = |volume: &Value| -> Option<String> {
        let own = volume.as_object()?;
        own.keys()
            .find(|key| *key != "name" && !VOLUMES.contains(&key.as_str()))
            .map(Text::to_string)
    };
    let wrong: Vec<(&str, String)> = list(pod.spec, "volumes")
        .iter()
        .filter_map(|volume| Some((text(volume, "name"), kind(volume)?)))
        .collect();
    if wrong.is_empty() {
        return;
    }
    let names: Vec<&str> = wrong.iter().map(|(name, _)| *name).collect();
    let mut kinds: Vec<&str> = wrong.iter().map(|(_, kind)| kind.as_str()).collect();
    kinds.sort_unstable();
    kinds.dedup();
    let verb = if names.len() == 1 { "uses" } else { "use" };
    let plural = if kinds.len() == 1 { "" } else { "s" };
    let (who, what) = (named("volume", &names), quoted(&kinds));
    let who = format!("{who} {verb} restricted volume type{plural} {what}");
    push(found, "restricted volume types", who);
}

fn not_root(pod: &Parts<'_>, found: &mut Vec<Finding>) {
    let says = |security: &Value, value: bool| security["runAsNonRoot"] == Value::Bool(value);
    let refuses = says(pod.context(), false);
    let wrong = pod.those(|c| says(context(c), false));
    // The value of a container overrides that of the Pod, which counts only for containers without one.
    let silent = match says(pod.context(), true) {
        true => Vec::new(),
        false => pod.those(|c| !has(context(c), "runAsNonRoot")),
    };
    let who = if refuses && silent.is_empty() && wrong.is_empty() {
        // Every container overrides the value of the Pod.
        return;
    } else if !wrong.is_empty() || refuses {
        let who = pod_and(refuses, &wrong);
        format!("{who} must not set securityContext.runAsNonRoot=false")
    } else if !silent.is_empty() {
        let who = named("container", &silent);
        format!("pod or {who} must set securityContext.runAsNonRoot=true")
    } else {
        return;
    };
    push(found, "runAsNonRoot != true", who);
}

fn user(pod: &Parts<'_>, found: &mut Vec<Finding>) {
    let root = |security: &Value| security["runAsUser"] == 0;
    let containers = pod.those(|c| root(context(c)));
    if root(pod.context()) || !containers.is_empty() {
        let who = pod_and(root(pod.context()), &containers);
        push(
            found,
            "runAsUser=0",
            format!("{who} must not set runAsUser=0"),
        );
    }
}

fn seccomp(pod: &Parts<'_>, found: &mut Vec<Finding>) {
    let profile = |security: &Value| text(field(security, "seccompProfile"), "type").to_owned();
    let fine = |name: &str| matches!(name, "RuntimeDefault" | "Localhost");
    let whole = profile(pod.context());
    let wrong = pod.those(|c| {
        let own = profile(context(c));
        !own.is_empty() && !fine(&own)
    });
    let silent = match fine(&whole) {
        true => Vec::new(),
        false => pod.those(|c| profile(context(c)).is_empty()),
    };
    // The value of the Pod is reported even if every container overrides it.
    let refuses = !whole.is_empty() && !fine(&whole);
    let who = if refuses || !wrong.is_empty() {
        let who = pod_and(refuses, &wrong);
        format!("{who} must not set securityContext.seccompProfile.type to \"Unconfined\"")
    } else if !silent.is_empty() {
        format!(
            "pod or {} must set securityContext.seccompProfile.type to \"RuntimeDefault\" or \
             \"Localhost\"",
            named("container", &silent)
        )
    } else {
        return;
    };
    push(found, "seccompProfile", who);
}
