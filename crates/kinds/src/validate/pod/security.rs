//! Security contexts of Pods and containers.

use std::collections::BTreeSet;

use super::super::common::one_of;
use super::super::errors::Errors;
use super::super::path::Path;
use super::super::{go, names};
use super::{Pod, windows};
use crate::api::json::{Value, json};
use crate::tree::{as_text, field, flag, has, list, opt_int, text};

const SYSCTL: &str = r"^([a-z0-9]([-_a-z0-9]*[a-z0-9])?[\./])*[a-z0-9]([-_a-z0-9]*[a-z0-9])?$";

/// The prefixes of the sysctls that belong to the IPC namespace.
const IPC: &[&str] = &["kernel.sem", "kernel.shm", "kernel.msg", "fs.mqueue."];

/// Validates the security context of a container.
pub(crate) fn container(path: &Path<'_>, context: &Value, pod: &Pod<'_>, errors: &mut Errors) {
    if context.is_null() {
        return;
    }
    identity(path, context, &["runAsUser", "runAsGroup"], errors);
    one_of(path, context, "procMount", &["Default", "Unmasked"], errors);
    // An unmasked /proc is safe only in a separate user namespace. An absent field means the node's.
    let host_users = field(pod.spec, "hostUsers").as_bool().unwrap_or(true);
    if host_users && text(context, "procMount") == "Unmasked" {
        errors.invalid(
            &path.child("procMount"),
            &json!("Unmasked"),
            "`hostUsers` must be false to use `Unmasked`",
        );
    }
    seccomp(path, context, errors);
    // Only an explicit false conflicts: `privileged` and CAP_SYS_ADMIN imply the escalation that it forbids.
    if field(context, "allowPrivilegeEscalation") == &json!(false) {
        escalation(path, context, errors);
    }
    other_profiles(path, context, errors);
}

fn escalation(path: &Path<'_>, context: &Value, errors: &mut Errors) {
    let mut wrong = |what: &str| {
        errors.invalid_shown(
            path,
            &go::shown_as("SecurityContext", context),
            &format!("cannot set `allowPrivilegeEscalation` to false and {what}"),
        );
    };
    if flag(context, "privileged") {
        wrong("`privileged` to true");
    }
    let added = list(field(context, "capabilities"), "add");
    for _ in added.iter().filter(|c| *c == "CAP_SYS_ADMIN") {
        wrong("`capabilities.Add` CAP_SYS_ADMIN");
    }
}

/// Validates the security context of a Pod.
pub(crate) fn pod(path: &Path<'_>, pod: &Pod<'_>, errors: &mut Errors) {
    let context = field(pod.spec, "securityContext");
    identity(
        path,
        context,
        &["fsGroup", "runAsUser", "runAsGroup"],
        errors,
    );
    if flag(pod.spec, "shareProcessNamespace") && flag(pod.spec, "hostPID") {
        errors.invalid(
            &path.child("shareProcessNamespace"),
            &json!(true),
            "ShareProcessNamespace and HostPID cannot both be enabled",
        );
    }
    sysctls(&path.child("sysctls"), pod.spec, errors);
    let policies = &["Always", "OnRootMismatch"];
    one_of(path, context, "fsGroupChangePolicy", policies, errors);
    seccomp(path, context, errors);
    other_profiles(path, context, errors);
    let policies = &["Merge", "Strict"];
    one_of(path, context, "supplementalGroupsPolicy", policies, errors);
    // `MountOption` belongs to the feature `SELinuxMount`, which is off by default.
    one_of(path, context, "seLinuxChangePolicy", &["Recursive"], errors);
}

/// Validates the ids in some fields, and those of additional groups.
pub(crate) fn identity(path: &Path<'_>, context: &Value, names: &[&str], errors: &mut Errors) {
    for name in names {
        number(&path.child(name), opt_int(context, name), errors);
    }
    let groups = path.child("supplementalGroups");
    for (index, group) in list(context, "supplementalGroups").iter().enumerate() {
        number(&groups.index(index), group.as_i64(), errors);
    }
}

fn number(path: &Path<'_>, id: Option<i64>, errors: &mut Errors) {
    // The kernel's ids are unsigned 32-bit numbers, but `IsValidUserID` permits only the lower half.
    let max = i64::from(i32::MAX);
    if let Some(id) = id.filter(|id| !(0..=max).contains(id)) {
        errors.invalid(path, &json!(id), &names::range(0, max));
    }
}

fn seccomp(path: &Path<'_>, context: &Value, errors: &mut Errors) {
    let name = "seccompProfile";
    if has(context, name) {
        let given = field(context, name);
        profile(&path.child(name), given, "seccomp", errors);
    }
}

fn other_profiles(path: &Path<'_>, context: &Value, errors: &mut Errors) {
    windows::options(
        &path.child("windowsOptions"),
        field(context, "windowsOptions"),
        errors,
    );
    let name = "appArmorProfile";
    if has(context, name) {
        let given = field(context, name);
        profile(&path.child(name), given, "AppArmor", errors);
    }
}

fn profile(path: &Path<'_>, profile: &Value, called: &str, errors: &mut Errors) {
    const TYPES: &[&str] = &["Localhost", "RuntimeDefault", "Unconfined"];
    let (kind, is_seccomp) = (text(profile, "type"), called == "seccomp");
    if kind.is_empty() {
        let name = match is_seccomp {
            true => "seccompProfile",
            false => "appArmorProfile",
        };
        let detail = format!("type is required when {name} is set");
        errors.required(&path.child("type"), &detail);
    }
    one_of(path, profile, "type", TYPES, errors);
    let path = path.child("localhostProfile");
    let local = field(profile, "localhostProfile").as_str();
    match (kind, local) {
        // A seccomp profile is a file below the kubelet's directory, an AppArmor profile is a name.
        ("Localhost", Some(local)) if is_seccomp => {
            super::super::common::descending_path(&path, local, errors);
        }
        ("Localhost", None | Some("")) => {
            let detail = format!("must be set when {called} type is Localhost");
            errors.required(&path, &detail);
        }
        ("Localhost", Some(local)) if local.trim() != local => {
            let detail = "must not be padded with whitespace";
            errors.invalid_shown(&path, &go::quoted(local), detail);
        }
        ("Localhost", _) | (_, None) => {}
        // Upstream shows the whole profile for seccomp, but only its name for AppArmor, and that only with a known
        // type.
        (_, Some(local)) if is_seccomp || TYPES.contains(&kind) => {
            let detail = format!("can only be set when {called} type is Localhost");
            let shown = match is_seccomp {
                true => go::shown_as("SeccompProfile", profile),
                false => go::quoted(local),
            };
            errors.invalid_shown(&path, &shown, &detail);
        }
        _ => {}
    }
}

fn sysctls(path: &Path<'_>, spec: &Value, errors: &mut Errors) {
    let mut seen = BTreeSet::new();
    for (index, sysctl) in list(field(spec, "securityContext"), "sysctls")
        .iter()
        .enumerate()
    {
        // A path borrows its parent. Format this one, because its parent is a temporary value.
        let path = path.index(index).child("name").to_string();
        let path = Path::root(&path);
        let name = as_text(field(sysctl, "name"));
        if name.is_empty() {
            errors.required(&path, "");
        } else if !is_sysctl(name) {
            let detail = format!("must have at most 253 characters and match regex {SYSCTL}");
            errors.invalid_shown(&path, &go::quoted(name), &detail);
        } else if !seen.insert(name) {
            errors.duplicate(&path, &go::quoted(name));
        }
        // A Pod that shares this namespace with the node would change the node's setting. Dot and slash are the same
        // separator in sysctl names.
        let name_of_host = match name.replace('/', ".") {
            name if name.starts_with("net.") => "hostNetwork",
            name if IPC.iter().any(|prefix| name.starts_with(prefix)) => "hostIPC",
            _ => continue,
        };
        if flag(spec, name_of_host) {
            let detail = format!("may not be specified when '{name_of_host}' is true");
            errors.invalid_shown(&path, &go::quoted(name), &detail);
        }
    }
}

fn is_sysctl(name: &str) -> bool {
    // `SYSCTL` is only printed. This function matches the same language without a regular expression engine.
    let word = |b: u8| b.is_ascii_lowercase() || b.is_ascii_digit();
    let part = |part: &str| {
        let bytes = part.as_bytes();
        bytes.first().is_some_and(|b| word(*b))
            && bytes.last().is_some_and(|b| word(*b))
            && bytes.iter().all(|b| word(*b) || matches!(b, b'-' | b'_'))
    };
    name.len() <= 253 && name.split(['.', '/']).all(part)
}
