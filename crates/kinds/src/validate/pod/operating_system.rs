//! The fields that a Pod's operating system rules out.

use super::super::errors::Errors;
use super::super::path::Path;
use crate::api::json::Value;
use crate::tree::{as_text, field, flag, has, len, list};

const CONTAINERS: [&str; 3] = ["initContainers", "containers", "ephemeralContainers"];

/// Pod fields that Windows does not support, in the order of the errors: the parent field, empty for the spec itself,
/// and the name.
const OF_POD: &[(&str, &str)] = &[
    ("securityContext", "appArmorProfile"),
    ("securityContext", "seLinuxOptions"),
    ("", "hostUsers"),
    ("", "hostPID"),
    ("", "hostIPC"),
    ("securityContext", "seccompProfile"),
    ("securityContext", "fsGroup"),
    ("securityContext", "fsGroupChangePolicy"),
    ("securityContext", "sysctls"),
    ("", "shareProcessNamespace"),
    ("securityContext", "runAsUser"),
    ("securityContext", "runAsGroup"),
    ("securityContext", "supplementalGroups"),
    ("securityContext", "supplementalGroupsPolicy"),
    ("securityContext", "seLinuxChangePolicy"),
];

/// Fields of a container's security context that Windows does not support.
const OF_CONTAINER: &[&str] = &[
    "appArmorProfile",
    "seLinuxOptions",
    "seccompProfile",
    "capabilities",
    "readOnlyRootFilesystem",
    "privileged",
    "allowPrivilegeEscalation",
    "procMount",
    "runAsUser",
    "runAsGroup",
];

/// Validates the operating system of the pod spec at `path`, and the fields that depend on it.
pub(crate) fn operating_system(path: &Path<'_>, spec: &Value, errors: &mut Errors) {
    if !has(spec, "os") {
        return;
    }
    let os = path.child("os");
    let name = field(field(spec, "os"), "name");
    match as_text(name) {
        "" => errors.required(&os.child("name"), "cannot be empty"),
        "linux" => linux(path, spec, errors),
        "windows" => windows(path, spec, errors),
        _ => errors.not_supported(&os, name, &["linux", "windows"]),
    }
}

fn linux(path: &Path<'_>, spec: &Value, errors: &mut Errors) {
    let mut check = |path: &Path<'_>, holder: &Value| {
        if has(field(holder, "securityContext"), "windowsOptions") {
            let path = path.child("securityContext");
            errors.forbidden(
                &path.child("windowsOptions"),
                "windows options cannot be set for a linux pod",
            );
        }
    };
    check(path, spec);
    each_container(path, spec, &mut check);
}

fn windows(path: &Path<'_>, spec: &Value, errors: &mut Errors) {
    const DETAIL: &str = "cannot be set for a windows pod";
    for (holder, name) in OF_POD {
        let (path, holder) = match *holder {
            "" => (path.to_string(), spec),
            inner => (path.child(inner).to_string(), field(spec, inner)),
        };
        // For these fields, Go does not distinguish false or an empty list from an absent field.
        let set = match *name {
            "hostPID" | "hostIPC" => flag(holder, name),
            "sysctls" | "supplementalGroups" => len(holder, name) > 0,
            name => has(holder, name),
        };
        if set {
            errors.forbidden(&Path::root(&path).child(name), DETAIL);
        }
    }
    each_container(path, spec, &mut |path, container| {
        let (path, context) = (
            path.child("securityContext"),
            field(container, "securityContext"),
        );
        for name in OF_CONTAINER.iter().filter(|name| has(context, name)) {
            errors.forbidden(&path.child(name), DETAIL);
        }
    });
}

/// Visits each container of the spec at `path` with the container's own path.
pub(crate) fn each_container(
    path: &Path<'_>,
    spec: &Value,
    visit: &mut dyn FnMut(&Path<'_>, &Value),
) {
    for kind in CONTAINERS {
        let path = path.child(kind);
        for (index, container) in list(spec, kind).iter().enumerate() {
            visit(&path.index(index), container);
        }
    }
}
