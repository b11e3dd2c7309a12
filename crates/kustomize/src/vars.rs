//! Vars: in some fields, `$(NAME)` is replaced by a field of another object.

use std::collections::BTreeMap;

use super::kustomization::Var;
use super::resources::Resources;
use super::spec::FieldSpec;
use super::{KustomizeError, Result, path};
use crate::api::json::Value;

/// A var of this kustomization or of a base.
#[derive(Debug, Clone)]
pub(super) struct DeclaredVar {
    var: Var,
}

/// Adds vars, whose names must be unique.
pub(super) fn merge(
    known: &mut Vec<DeclaredVar>,
    more: impl IntoIterator<Item = Var>,
) -> Result<()> {
    for var in more {
        // kustomize compares the vars of all bases, so a var that two overlays include is an error, too.
        if known.iter().any(|k| k.var.name == var.name) {
            return Err(KustomizeError::new(format!(
                "var '{}' already encountered",
                var.name
            )));
        }
        known.push(DeclaredVar { var });
    }
    Ok(())
}

/// Adds the vars of a base.
pub(super) fn merge_known(known: &mut Vec<DeclaredVar>, more: Vec<DeclaredVar>) -> Result<()> {
    merge(known, more.into_iter().map(|k| k.var))
}

/// Replaces the vars and returns the names of unused ones.
pub(super) fn resolve(
    resources: &mut Resources,
    vars: &[DeclaredVar],
    specs: &[FieldSpec],
) -> Result<Vec<String>> {
    if vars.is_empty() {
        return Ok(Vec::new());
    }
    let mut values = BTreeMap::new();
    // Reads all values before the first replacement, so that vars never expand into vars. Sorted, because kustomize
    // reports the first name, in this order, that has no value.
    let mut sorted: Vec<_> = vars.iter().collect();
    sorted.sort_by(|a, b| a.var.name.cmp(&b.var.name));
    for known in sorted {
        values.insert(known.var.name.clone(), value_of(resources, &known.var)?);
    }
    let mut used = Vec::new();
    for resource in &mut resources.list {
        for spec in specs {
            spec.apply(&mut resource.object, None, &mut |field| {
                expand(field, &values, &mut used);
                Ok(())
            })?;
        }
    }
    let mut unused: Vec<String> = values
        .into_keys()
        .filter(|name| !used.contains(name))
        .collect();
    unused.sort();
    Ok(unused)
}

/// Formats a var as Go prints the struct, where the object is only its type.
fn shown(var: &Var) -> String {
    format!("{{{} {} {{{}}}}}", var.name, var.id().gvk, var.field())
}

fn value_of(resources: &Resources, var: &Var) -> Result<Value> {
    let id = var.id();
    let first = |ids: &super::id::Id| {
        // Vars use the original names of objects, without prefixes and namespaces, so that a base works in every
        // overlay.
        ids.gvk == id.gvk
            && ids.name == id.name
            && (id.namespace.is_empty() || ids.same_namespace(&id))
    };
    let matches: Vec<_> = resources
        .list
        .iter()
        .filter(|r| first(&r.original_id()))
        .collect();
    match matches.as_slice() {
        [one] => path::get(&one.object, &path::split(&with_dots(var.field())))
            .cloned()
            .ok_or_else(|| {
                KustomizeError::new(format!(
                    "field specified in var '{}' not found in corresponding resource",
                    shown(var)
                ))
            }),
        [] => Err(KustomizeError::new(format!(
            "var '{}' cannot be mapped to a field in the set of known resources",
            shown(var)
        ))),
        more => Err(KustomizeError::new(format!(
            "found {} resId matches for var {} (unable to disambiguate)",
            more.len(),
            var.name
        ))),
    }
}

fn expand(field: &mut Value, values: &BTreeMap<String, Value>, used: &mut Vec<String>) {
    match field {
        Value::String(text) => {
            if let Some(new) = expanded(text, values, used) {
                *field = new;
            }
        }
        Value::Array(items) => items.iter_mut().for_each(|item| expand(item, values, used)),
        Value::Object(map) => map
            .values_mut()
            .for_each(|value| expand(value, values, used)),
        _ => {}
    }
}

/// Rewrites a path such as `ports[0].port` into dots only.
fn with_dots(path: &str) -> String {
    let mut out = String::new();
    for (at, part) in path.split('[').enumerate() {
        match part.split_once(']') {
            Some((index, rest)) if at > 0 && index.parse::<usize>().is_ok() => {
                out = format!("{out}.{index}{rest}");
            }
            _ if at > 0 => out = format!("{out}[{part}"),
            _ => out.push_str(part),
        }
    }
    out
}

/// Returns the text with its vars replaced. A text that is only one var gets the var's type.
fn expanded(text: &str, values: &BTreeMap<String, Value>, used: &mut Vec<String>) -> Option<Value> {
    let (mut out, mut rest, mut changed) = (String::new(), text, false);
    while let Some(at) = rest.find('$') {
        out.push_str(&rest[..at]);
        rest = &rest[at..];
        // `$$` is also the kubelet's escape in commands; kustomize resolves one level of it.
        if let Some(after) = rest.strip_prefix("$$") {
            out.push('$');
            changed = true;
            rest = after;
            continue;
        }
        let name = rest
            .strip_prefix("$(")
            .and_then(|inner| inner.split_once(')'));
        match name.and_then(|(name, after)| Some((name, values.get(name)?, after))) {
            Some((name, value, after)) => {
                used.push(name.to_owned());
                // A port stays a number: `$(PORT)` alone must not become a string.
                if rest.len() == text.len() && after.is_empty() && !value.is_string() {
                    return Some(value.clone());
                }
                match value {
                    Value::String(value) => out.push_str(value),
                    value => out.push_str(&value.to_string()),
                }
                changed = true;
                rest = after;
            }
            // An unknown name stays, because the kubelet expands `$(NAME)` later from the environment.
            None => {
                out.push('$');
                rest = &rest[1..];
            }
        }
    }
    out.push_str(rest);
    changed.then(|| Value::from(out))
}
