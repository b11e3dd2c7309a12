//! The rules of a MutatingAdmissionPolicy.

use crate::admission::policy::mutating;
use crate::admission::policy::types::Names;
use crate::admissionregistration::validate::{
    POLICIES, compiled, constraints, match_conditions, mutating_operations, param_kind, variables,
};
use crate::api::json::Value;
use crate::tree::{field, has, len, list, text};
use crate::validate::common::one_of;
use crate::validate::errors::Errors;
use crate::validate::path::Path;
use crate::validate::{go, meta, names};

/// Validates a new MutatingAdmissionPolicy.
pub(crate) fn create(object: &Value, errors: &mut Errors) {
    meta::create(object, false, names::dns1123_subdomain, errors);
    let (path, spec) = (Path::root("spec"), field(object, "spec"));
    one_of(&path, spec, "failurePolicy", POLICIES, errors);
    param_kind(&path, spec, errors);
    constraints(&path, spec, errors);
    let matched = path.child("matchConstraints");
    mutating_operations(&matched, field(spec, "matchConstraints"), errors);
    match_conditions(&path, spec, has(spec, "paramKind"), errors);
    let names = variables(&path, spec, errors);
    if len(spec, "mutations") == 0 {
        let detail = "mutations must contain at least one item";
        errors.required(&path.child("mutations"), detail);
    }
    let mutations = path.child("mutations");
    for (index, mutation) in list(spec, "mutations").iter().enumerate() {
        self::mutation(&mutations.index(index), mutation, &names, errors);
    }
    match text(spec, "reinvocationPolicy") {
        "" => errors.required(&path.child("reinvocationPolicy"), ""),
        _ => one_of(
            &path,
            spec,
            "reinvocationPolicy",
            &["IfNeeded", "Never"],
            errors,
        ),
    }
}

/// The patch types, each with its field.
const PATCHES: [(&str, &str); 2] = [
    ("ApplyConfiguration", "applyConfiguration"),
    ("JSONPatch", "jsonPatch"),
];

fn mutation(path: &Path<'_>, mutation: &Value, names: &Names, errors: &mut Errors) {
    let wanted = text(mutation, "patchType");
    if wanted.is_empty() {
        return errors.required(&path.child("patchType"), "");
    }
    // The type decides which field is required, so nothing more can be checked without a known type.
    let Some((_, own)) = PATCHES.iter().find(|(name, _)| *name == wanted) else {
        let supported = PATCHES.map(|(name, _)| name);
        return errors.not_supported(
            &path.child("patchType"),
            field(mutation, "patchType"),
            &supported,
        );
    };
    if has(mutation, own) {
        patch(
            &path.child(own),
            wanted,
            field(mutation, own),
            names,
            errors,
        );
    } else {
        let detail = format!("must be specified when patchType is {wanted}");
        errors.required(&path.child(own), &detail);
    }
    for (_, other) in PATCHES.iter().filter(|(_, other)| other != own) {
        if has(mutation, other) {
            let detail = format!("must not be specified when patchType is {wanted}");
            // Like upstream, show the name of the field instead of its value.
            let shown = go::quoted(&format!("{{{other}}}"));
            errors.invalid_shown(&path.child(other), &shown, &detail);
        }
    }
}

fn patch(path: &Path<'_>, kind: &str, patch: &Value, names: &Names, errors: &mut Errors) {
    let path = path.child("expression");
    let expression = text(patch, "expression").trim();
    if expression.is_empty() {
        return errors.required(&path, "");
    }
    let names = mutating::names(names);
    let wanted = [mutating::result(kind)];
    compiled(&path, expression, &names, &wanted, errors);
}

/// Validates an update of a MutatingAdmissionPolicy.
pub(crate) fn update(object: &Value, old: &Value, errors: &mut Errors) {
    meta::update(object, old, errors);
    create(object, errors);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::admission::policy::types;
    use crate::api::json::json;
    use crate::cel::Type;

    #[test]
    fn a_mutation_has_the_patch_of_its_type() {
        let names = types::names(&Type::Dyn, None);
        let told = |mutation: Value| {
            let mut errors = Errors::default();
            super::mutation(&Path::root("m"), &mutation, &names, &mut errors);
            let causes = errors.into_causes();
            causes.iter().map(ToString::to_string).collect::<Vec<_>>()
        };
        let mutation = json!({"patchType": "JSONPatch", "jsonPatch": {"expression": " "},
            "applyConfiguration": {"expression": "Object{}"}});
        assert_eq!(
            told(mutation),
            [
                "m.jsonPatch.expression: Required value",
                "m.applyConfiguration: Invalid value: \"{applyConfiguration}\": must not be specified when patchType \
                 is JSONPatch",
            ]
        );
        assert_eq!(
            told(json!({"patchType": "ApplyConfiguration"})),
            [
                "m.applyConfiguration: Required value: must be specified when patchType is ApplyConfiguration"
            ]
        );
    }
}
