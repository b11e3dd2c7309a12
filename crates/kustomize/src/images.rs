//! Sets new names, tags and digests of images.

use super::kustomization::Image;
use super::resources::Resources;
use super::spec::FieldSpec;
use super::{KustomizeError, Result};
use crate::api::json::{Value, json};

/// Changes an image in every container that uses it.
pub(super) fn change(resources: &mut Resources, image: &Image, specs: &[FieldSpec]) -> Result<()> {
    // As in kustomize, the name is an unescaped pattern. Tags may contain braces, because templates may fill them in
    // later.
    let pattern = format!(
        "^{}(:[a-zA-Z0-9_.{{}}-]*)?(@sha256:[a-zA-Z0-9_.{{}}-]*)?$",
        image.name
    );
    let pattern = regex::Regex::new(&pattern)
        .map_err(|e| KustomizeError::new(format!("error parsing regexp: {e}")))?;
    let change = |field: &mut Value| {
        if let Value::String(old) = field
            && pattern.is_match(old)
        {
            *field = json!(changed(old, image));
        }
        Ok(())
    };
    for resource in &mut resources.list {
        // The schema in a CRD may describe a field `containers` that contains `image`, which is not an image.
        if resource.kind() != "CustomResourceDefinition" {
            everywhere(&mut resource.object, &change)?;
        }
    }
    for resource in &mut resources.list {
        for spec in specs {
            spec.apply(&mut resource.object, None, &mut |field| change(field))?;
        }
    }
    Ok(())
}

/// Visits the images of all lists of containers, at any depth.
fn everywhere(value: &mut Value, change: &dyn Fn(&mut Value) -> Result<()>) -> Result<()> {
    match value {
        Value::Object(map) => {
            for (name, field) in map {
                everywhere(field, change)?;
                if name != "containers" && name != "initContainers" {
                    continue;
                }
                for container in field.as_array_mut().into_iter().flatten() {
                    if let Some(image) = container.get_mut("image") {
                        change(image)?;
                    }
                }
            }
            Ok(())
        }
        Value::Array(items) => items
            .iter_mut()
            .try_for_each(|item| everywhere(item, change)),
        _ => Ok(()),
    }
}

fn changed(old: &str, image: &Image) -> String {
    let (mut name, tag, mut digest) = split(old);
    if !image.new_name.is_empty() {
        name = &image.new_name;
    }
    // A new tag or digest replaces both, because the old digest would not match a new tag.
    let mut tag = tag.to_owned();
    if !image.new_tag.is_empty() || !image.digest.is_empty() {
        tag.clone_from(&image.new_tag);
        digest = &image.digest;
    } else if !image.tag_suffix.is_empty() {
        tag.push_str(&image.tag_suffix);
        digest = "";
    }
    let mut text = name.to_owned();
    if !tag.is_empty() {
        text.push(':');
        text.push_str(&tag);
    }
    if !digest.is_empty() {
        text.push('@');
        text.push_str(digest);
    }
    text
}

/// Splits an image into name, tag and digest. A colon before the first slash belongs to a port.
fn split(image: &str) -> (&str, &str, &str) {
    let (image, digest) = image.split_once('@').unwrap_or((image, ""));
    let from = image.find('/').unwrap_or(0);
    match image[from..].find(':') {
        Some(at) => (&image[..from + at], &image[from + at + 1..], digest),
        None => (image, "", digest),
    }
}
