//! The rules that the kinds of this group share.

use crate::api::json::Value;
use crate::tree::{field, len, list, text};
use crate::validate::common::required_name;
use crate::validate::errors::Errors;
use crate::validate::path::Path;
use crate::validate::{go, meta, names};

const GROUP: &str = "rbac.authorization.k8s.io";

pub(crate) fn rules(object: &Value, namespaced: bool, errors: &mut Errors) {
    let path = Path::root("rules");
    for (index, rule) in list(object, "rules").iter().enumerate() {
        self::rule(&path.index(index), rule, namespaced, errors);
    }
}

fn rule(path: &Path<'_>, rule: &Value, namespaced: bool, errors: &mut Errors) {
    if len(rule, "verbs") == 0 {
        errors.required(
            &path.child("verbs"),
            "verbs must contain at least one value",
        );
    }
    if len(rule, "nonResourceURLs") > 0 {
        let (path, urls) = (
            path.child("nonResourceURLs"),
            field(rule, "nonResourceURLs"),
        );
        // Paths such as `/healthz` are not namespaced, so a Role can never grant access to them.
        if namespaced {
            let detail = "namespaced rules cannot apply to non-resource URLs";
            errors.invalid(&path, urls, detail);
        }
        let resources = ["apiGroups", "resources", "resourceNames"];
        if resources.iter().any(|name| len(rule, name) > 0) {
            let detail = "rules cannot apply to both regular resources and non-resource URLs";
            errors.invalid(&path, urls, detail);
        }
        // A rule is about either URLs or resources, so upstream requires no groups and resources if there are URLs.
        return;
    }
    if len(rule, "apiGroups") == 0 {
        let detail = "resource rules must supply at least one api group";
        errors.required(&path.child("apiGroups"), detail);
    }
    if len(rule, "resources") == 0 {
        let detail = "resource rules must supply at least one resource";
        errors.required(&path.child("resources"), detail);
    }
}

pub(crate) fn binding_update(object: &Value, old: &Value, errors: &mut Errors) {
    meta::update(object, old, errors);
    let role = field(object, "roleRef");
    // A changed role would give the subjects new rights through an existing binding. The binding must be replaced
    // instead.
    if role != field(old, "roleRef") {
        let shown = go::shown_as("RoleRef", role);
        errors.invalid_shown(&Path::root("roleRef"), &shown, "cannot change roleRef");
    }
}

pub(crate) fn binding(object: &Value, kinds: &[&str], namespaced: bool, errors: &mut Errors) {
    let (path, role) = (Path::root("roleRef"), field(object, "roleRef"));
    if text(role, "apiGroup") != GROUP {
        errors.not_supported(&path.child("apiGroup"), field(role, "apiGroup"), &[GROUP]);
    }
    if !kinds.contains(&text(role, "kind")) {
        errors.not_supported(&path.child("kind"), field(role, "kind"), kinds);
    }
    required_name(&path, role, "name", names::path_segment, errors);
    let path = Path::root("subjects");
    for (index, subject) in list(object, "subjects").iter().enumerate() {
        self::subject(&path.index(index), subject, namespaced, errors);
    }
}

fn subject(path: &Path<'_>, subject: &Value, namespaced: bool, errors: &mut Errors) {
    let name = text(subject, "name");
    if name.is_empty() {
        errors.required(&path.child("name"), "");
    }
    let (kind, group) = (field(subject, "kind"), text(subject, "apiGroup"));
    let group_path = path.child("apiGroup");
    match kind.as_str().unwrap_or("") {
        "ServiceAccount" => {
            if !name.is_empty() {
                errors.invalid_each(&path.child("name"), name, names::dns1123_subdomain(name));
            }
            if !group.is_empty() {
                errors.not_supported_shown(&group_path, &go::quoted(group), &[""]);
            }
            // In a RoleBinding, the namespace of the account defaults to that of the binding.
            if !namespaced && text(subject, "namespace").is_empty() {
                errors.required(&path.child("namespace"), "");
            }
        }
        "User" | "Group" if group != GROUP => {
            errors.not_supported_shown(&group_path, &go::quoted(group), &[GROUP]);
        }
        "User" | "Group" => {}
        _ => errors.not_supported(
            &path.child("kind"),
            kind,
            &["ServiceAccount", "User", "Group"],
        ),
    }
}
