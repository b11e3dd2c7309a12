//! Generates ConfigMaps and Secrets from literals, files and env files.

use std::collections::BTreeMap;

use base64::Engine as _;

use super::kustomization::{Generator, GeneratorOptions};
use super::loader::Loader;
use super::resource::{Behavior, Resource};
use super::{KustomizeError, Result};
use crate::api::json::{Map, Value, json};

/// The kind of the generated object.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    ConfigMap,
    Secret,
}

impl Kind {
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::ConfigMap => "ConfigMap",
            Self::Secret => "Secret",
        }
    }
}

/// Generates the object of one entry.
pub(super) fn generate(
    kind: Kind,
    generator: &Generator,
    general: Option<&GeneratorOptions>,
    loader: &Loader<'_>,
) -> Result<Resource> {
    if generator.name.is_empty() {
        // kustomize's message says "configmap" for Secrets, too.
        return Err(KustomizeError::new("a configmap must have a name"));
    }
    let options = generator.options.clone().with(general);
    let pairs = pairs(generator, loader)?;
    let mut object = json!({
        "apiVersion": "v1",
        "kind": kind.name(),
        "metadata": {"name": generator.name},
    });
    if !generator.namespace.is_empty() {
        object["metadata"]["namespace"] = json!(generator.namespace);
    }
    if kind == Kind::Secret {
        let secret_type = match generator.secret_type.as_str() {
            "" => "Opaque",
            text => text,
        };
        object["type"] = json!(secret_type);
    }
    fill(kind, &mut object, pairs);
    for (field, texts) in [
        ("labels", &options.labels),
        ("annotations", &options.annotations),
    ] {
        if !texts.is_empty() {
            object["metadata"][field] = json!(texts);
        }
    }
    if options.immutable {
        object["immutable"] = json!(true);
    }
    let mut resource = Resource::new(object);
    resource.needs_hash = !options.disable_name_suffix_hash;
    resource.behavior = Behavior::parse(&generator.behavior);
    Ok(resource)
}

fn fill(kind: Kind, object: &mut Value, pairs: BTreeMap<String, Vec<u8>>) {
    let (mut data, mut binary) = (Map::new(), Map::new());
    for (key, bytes) in pairs {
        match (kind, String::from_utf8(bytes)) {
            (Kind::ConfigMap, Ok(text)) => drop(data.insert(key, json!(text))),
            // Bytes that are not UTF-8 cannot be a JSON string; the API has `binaryData` for them.
            (Kind::ConfigMap, Err(e)) => {
                drop(binary.insert(key, json!(lines_of_base64(e.as_bytes()))))
            }
            (Kind::Secret, Ok(text)) => {
                drop(data.insert(key, json!(lines_of_base64(text.as_bytes()))))
            }
            (Kind::Secret, Err(e)) => drop(data.insert(key, json!(lines_of_base64(e.as_bytes())))),
        }
    }
    // A Secret has `data` even if it is empty, a ConfigMap does not.
    if kind == Kind::Secret || !data.is_empty() {
        object["data"] = Value::Object(data);
    }
    if !binary.is_empty() {
        object["binaryData"] = Value::Object(binary);
    }
}

/// Encodes bytes as base64, in lines of 70 characters unless the text is shorter than a line.
fn lines_of_base64(bytes: &[u8]) -> String {
    const LINE: usize = 70;
    let text = base64::engine::general_purpose::STANDARD.encode(bytes);
    // As in kustomize, a text of exactly one line also ends in a newline, and so becomes a YAML block.
    if text.len() < LINE {
        return text;
    }
    let mut lines = String::new();
    for (at, c) in text.chars().enumerate() {
        if at > 0 && at % LINE == 0 {
            lines.push('\n');
        }
        lines.push(c);
    }
    lines + "\n"
}

fn pairs(generator: &Generator, loader: &Loader<'_>) -> Result<BTreeMap<String, Vec<u8>>> {
    let loading = |e: KustomizeError| e.of("loading KV pairs");
    let said = |list: &[String]| list.join(" ");
    let mut all = Vec::new();
    // The order decides which source an error names: env files come first, then literals, then files.
    for path in &generator.envs {
        let lines = loader
            .load(path)
            .and_then(|text| env_lines(&text))
            .map_err(|e| loading(e.of(format!("env source files: [{}]", said(&generator.envs)))))?;
        all.extend(lines);
    }
    for source in &generator.literals {
        let pair = literal(source).map_err(|e| {
            loading(e.of(format!("literal sources [{}]", said(&generator.literals))))
        })?;
        all.push(pair);
    }
    for source in &generator.files {
        let pair = file_source(source)
            .and_then(|(key, path)| Ok((key, loader.load(&path)?)))
            .map_err(|e| loading(e.of(format!("file sources: [{}]", said(&generator.files)))))?;
        all.push(pair);
    }
    // A sorted map makes the result, and thus the hash, independent of the order of the sources.
    let mut pairs = BTreeMap::new();
    for (key, value) in all {
        if pairs.insert(key.clone(), value).is_some() {
            let name = &generator.name;
            return Err(KustomizeError::new(format!(
                "configmap {name} illegally repeats the key `{key}`"
            )));
        }
    }
    Ok(pairs)
}

fn literal(source: &str) -> Result<(String, Vec<u8>)> {
    // Only the first `=` separates key and value, because values such as connection strings may contain more.
    match source.split_once('=') {
        Some((key, value)) if !key.is_empty() => {
            Ok((key.to_owned(), without_quotes(value).as_bytes().to_vec()))
        }
        _ => Err(KustomizeError::new(format!(
            "invalid literal source {source}, expected key=value"
        ))),
    }
}

fn without_quotes(text: &str) -> &str {
    // One pair of quotes is removed, as a shell would, because literals are often copied from command lines.
    for quote in ['"', '\''] {
        let inner = text
            .strip_prefix(quote)
            .and_then(|rest| rest.strip_suffix(quote));
        if let Some(inner) = inner {
            return inner;
        }
    }
    text
}

fn file_source(source: &str) -> Result<(String, String)> {
    let refused = |text: String| Err(KustomizeError::new(text));
    match source.split_once('=') {
        None => {
            let name = source
                .trim_end_matches('/')
                .rsplit('/')
                .next()
                .unwrap_or(source);
            Ok((name.to_owned(), source.to_owned()))
        }
        Some(("", path)) => refused(format!(
            "missing key name for file path \"{path}\" in source \"{source}\""
        )),
        Some((key, "")) => refused(format!(
            "missing file path for key name \"{key}\" in source \"{source}\""
        )),
        Some((_, path)) if path.contains('=') => refused(format!(
            "source \"{source}\" key name or file path contains '='"
        )),
        Some((key, path)) => Ok((key.to_owned(), path.to_owned())),
    }
}

fn env_lines(text: &[u8]) -> Result<Vec<(String, Vec<u8>)>> {
    // Editors on Windows write a byte order mark, which would otherwise become part of the first key.
    let text = text.strip_prefix(b"\xef\xbb\xbf").unwrap_or(text);
    let text = std::str::from_utf8(text)
        .map_err(|e| KustomizeError::new(format!("line has invalid utf8 bytes: {e}")))?;
    let mut pairs = Vec::new();
    for line in text.lines() {
        let line = line.trim_start();
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        // kustomize takes the value of a key without `=` from its environment. This crate has no access to the
        // environment, so the value is empty, as for an unset variable.
        let (key, value) = line.split_once('=').unwrap_or((line, ""));
        pairs.push((key.to_owned(), value.as_bytes().to_vec()));
    }
    Ok(pairs)
}
