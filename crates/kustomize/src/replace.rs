//! Replacements: copy a value of one object into others.

use super::id::Id;
use super::kustomization::{FieldOptions, Replacement, Source, Target, decode};
use super::loader::Loader;
use super::resources::Resources;
use super::{KustomizeError, Result, path};
use crate::api::json::{List, Value};
use crate::api::yaml::{self, Mode};

/// Applies one entry of `replacements`, inline or from a file.
pub(super) fn apply(
    resources: &mut Resources,
    replacement: &Replacement,
    loader: &Loader<'_>,
) -> Result<()> {
    if replacement.path.is_empty() {
        return apply_one(resources, replacement);
    }
    if replacement.source.is_some() || replacement.targets.is_some() {
        return Err(KustomizeError::new(
            "cannot specify both path and inline replacement",
        ));
    }
    let text = loader.load(&replacement.path)?;
    let parsed =
        yaml::parse_one(&text, Mode::Lenient).map_err(|e| KustomizeError::new(e.to_string()))?;
    let mut value = parsed.unwrap_or_default();
    value.drop_nulls();
    let list = match value {
        Value::Array(items) => items,
        Value::Object(_) => List::from([value]),
        _ => {
            return Err(KustomizeError::new(format!(
                "unsupported replacement type encountered within replacement path: {}",
                replacement.path
            )));
        }
    };
    for item in list {
        apply_one(resources, &decode(item).map_err(KustomizeError::new)?)?;
    }
    Ok(())
}

fn apply_one(resources: &mut Resources, replacement: &Replacement) -> Result<()> {
    let incomplete =
        || KustomizeError::new("replacements must specify a source and at least one target");
    let targets = replacement.targets.as_ref().ok_or_else(incomplete)?;
    let value = match (&replacement.source, &replacement.source_value) {
        (Some(_), Some(_)) => {
            return Err(KustomizeError::new(
                "value and resource selectors are mutually exclusive in replacement",
            ));
        }
        (None, Some(text)) => Value::from(text.as_str()),
        (Some(source), None) => found(resources, source)?,
        (None, None) => return Err(incomplete()),
    };
    targets
        .iter()
        .try_for_each(|target| write(resources, &value, target))
}

fn found(resources: &Resources, source: &Source) -> Result<Value> {
    let id = source.id();
    // Earlier names match as well, because a replacement may use the name in the base.
    let is_chosen = |ids: &[Id]| ids.iter().any(|own| own.is_selected(&id));
    let mut matches = resources.list.iter().filter(|r| is_chosen(&r.ids()));
    let object = match (matches.next(), matches.next()) {
        (Some(only), None) => &only.object,
        (None, _) => {
            return Err(KustomizeError::new(format!(
                "nothing selected by {}",
                said(&id, source)
            )));
        }
        (Some(_), Some(_)) => {
            return Err(KustomizeError::new(format!(
                "multiple matches for selector {}",
                said(&id, source)
            )));
        }
    };
    let field = match source.field_path.as_str() {
        "" => "metadata.name",
        field => field,
    };
    let is_empty = |value: &Value| match value {
        Value::Null => true,
        Value::Array(items) => items.is_empty(),
        Value::Object(map) => map.is_empty(),
        _ => false,
    };
    let value = path::get(object, &path::split(field))
        .filter(|value| !is_empty(value))
        .ok_or_else(|| {
            KustomizeError::new(format!(
                "fieldPath `{field}` is missing for replacement source {id}"
            ))
        })?;
    part_of(value, &source.options)
}

fn said(id: &Id, source: &Source) -> String {
    let mut said = id.to_string();
    if !source.field_path.is_empty() {
        said += &format!(":{}", source.field_path);
    }
    let FieldOptions {
        delimiter,
        index,
        create,
        ..
    } = &source.options;
    if !delimiter.is_empty() || *create {
        said += &format!(":{delimiter}({index}), create={create}");
    }
    said
}

/// Returns a scalar as YAML text.
fn text(value: &Value) -> Result<String> {
    match value {
        Value::String(text) => Ok(text.to_string()),
        Value::Array(_) | Value::Object(_) => Err(KustomizeError::new(
            "delimiter option can only be used with scalar nodes",
        )),
        Value::Null => Ok(String::new()),
        other => Ok(other.to_string()),
    }
}

fn part_of(value: &Value, options: &FieldOptions) -> Result<Value> {
    if options.delimiter.is_empty() {
        return Ok(value.clone());
    }
    let whole = text(value)?;
    let parts: Vec<&str> = whole.split(options.delimiter.as_str()).collect();
    // A source index must exist, unlike a target index, because there is no value beyond the end.
    let part = usize::try_from(options.index)
        .ok()
        .and_then(|at| parts.get(at));
    part.map(|part| Value::from(*part)).ok_or_else(|| {
        KustomizeError::new(format!(
            "options.index {} is out of bounds for value {whole}",
            options.index
        ))
    })
}

fn write(resources: &mut Resources, value: &Value, target: &Target) -> Result<()> {
    let Some(select) = &target.select else {
        return Err(KustomizeError::new(
            "target must specify resources to select",
        ));
    };
    let selector = select.compile()?;
    let rejected = target
        .reject
        .iter()
        .map(|r| Ok((r.names_nothing(), r.compile()?)));
    let rejected = rejected.collect::<Result<Vec<_>>>()?;
    let default = vec!["metadata.name".to_owned()];
    let fields = if target.field_paths.is_empty() {
        &default
    } else {
        &target.field_paths
    };
    for resource in &mut resources.list {
        let ids = resource.ids();
        let fits = selector.fits_metadata(resource) && ids.iter().any(|id| selector.fits_id(id));
        let is_rejected = rejected.iter().any(|(names_nothing, selector)| {
            selector.fits_metadata(resource)
                && (*names_nothing || ids.iter().any(|id| selector.fits_id(id)))
        });
        if fits && !is_rejected {
            for field in fields {
                write_field(&mut resource.object, field, value, &target.options)?;
            }
        }
    }
    Ok(())
}

fn write_field(
    object: &mut Value,
    field: &str,
    value: &Value,
    options: &FieldOptions,
) -> Result<()> {
    let create = options.create;
    let doing = if create { "find or create" } else { "find" };
    let failed = format!("unable to {doing} field {field:?} in replacement target");
    let count = path::visit(object, &path::split(field), create, &mut |old| {
        set(old, value, options)
    })
    .map_err(|e| e.of(&failed))?;
    // A target that lacks the field is an error; otherwise, a typo would go unnoticed.
    if count == 0 {
        return Err(KustomizeError::new(failed));
    }
    Ok(())
}

fn set(old: &mut Value, value: &Value, options: &FieldOptions) -> Result<()> {
    let mut new = value.clone();
    if !options.delimiter.is_empty() {
        let whole = text(old)?;
        let mut parts: Vec<String> = whole
            .split(options.delimiter.as_str())
            .map(str::to_owned)
            .collect();
        let part = text(value)?;
        // As in kustomize, a negative index inserts the part at the start, and one beyond the end appends it.
        match usize::try_from(options.index) {
            Err(_) => parts.insert(0, part),
            Ok(at) if at >= parts.len() => parts.push(part),
            Ok(at) => parts[at] = part,
        }
        new = Value::from(parts.join(&options.delimiter));
    }
    *old = match (&*old, &new) {
        // A scalar keeps its type if the new text allows that.
        (Value::String(_), Value::Number(_) | Value::Bool(_)) => Value::from(text(&new)?),
        (Value::Number(_) | Value::Bool(_) | Value::Null, Value::String(text)) => plain(text),
        _ => new,
    };
    Ok(())
}

/// Parses a text as a plain YAML scalar.
fn plain(text: &str) -> Value {
    match yaml::parse_one(text.as_bytes(), Mode::Kustomize) {
        Ok(Some(scalar)) if !scalar.is_object() && !scalar.is_array() => scalar,
        _ => Value::from(text),
    }
}
