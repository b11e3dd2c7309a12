//! Manifests: files, directories and standard input as objects with their places.

use std::io::Read as _;
use std::path::{Path, PathBuf};

use clap::Args;
use serde_json::Value;

use super::error::CliError;
use super::kustomize;
use crate::api::yaml::{self, Mode};
use crate::cluster::Place;
use crate::kinds::Catalogue;

/// The largest manifest that is read.
const MAX_MANIFEST: u64 = 64 << 20;

/// The flags that name manifests.
#[derive(Args, Clone, Debug, Default)]
pub(crate) struct ManifestArgs {
    /// A file, a directory or - for standard input
    #[arg(short, long, value_name = "FILE")]
    pub(crate) filename: Vec<String>,
    /// Go into directories
    #[arg(short = 'R', long)]
    pub(crate) recursive: bool,
    /// A directory with a kustomization
    #[arg(short, long, value_name = "DIR", conflicts_with = "filename")]
    pub(crate) kustomize: Option<String>,
}

/// An object of a manifest.
#[derive(Clone, Debug)]
pub(crate) struct Manifest {
    /// The file as the user named it; `STDIN` for standard input.
    pub(crate) source: String,
    /// Where it goes.
    pub(crate) place: Place,
    /// The object.
    pub(crate) object: Value,
}

impl Manifest {
    pub(crate) fn name(&self) -> &str {
        self.object["metadata"]["name"].as_str().unwrap_or_default()
    }
}

/// Reads all objects that the flags name; `namespace` is for those that say none.
pub(crate) fn read(
    kinds: &Catalogue,
    args: &ManifestArgs,
    namespace: Option<&str>,
) -> Result<Vec<Manifest>, CliError> {
    let mut manifests = Vec::new();
    let mut streams = Vec::new();
    for filename in &args.filename {
        streams.extend(texts(filename, args.recursive)?);
    }
    if let Some(directory) = &args.kustomize {
        streams.push((
            directory.clone(),
            kustomize::render(directory)?.into_bytes(),
        ));
    }
    for (source, text) in streams {
        let documents = yaml::parse(&text, Mode::Strict)
            .map_err(|e| CliError::text(format!("error parsing {source}: {}", e.message)))?;
        for document in documents {
            collect(kinds, &source, document.value, namespace, &mut manifests)?;
        }
    }
    if manifests.is_empty() {
        return Err(CliError::text("no objects passed to apply"));
    }
    Ok(manifests)
}

/// Takes an object, or the items of a list.
fn collect(
    kinds: &Catalogue,
    source: &str,
    object: Value,
    namespace: Option<&str>,
    manifests: &mut Vec<Manifest>,
) -> Result<(), CliError> {
    let text = |field: &str| object[field].as_str().unwrap_or_default().to_owned();
    let (api_version, kind) = (text("apiVersion"), text("kind"));
    let unusable = |what: &str| {
        CliError::text(format!(
            "unable to decode {source:?}: Object '{what}' is missing in '{object}'"
        ))
    };
    if kind.is_empty() {
        return Err(unusable("Kind"));
    }
    if api_version.is_empty() {
        return Err(unusable("apiVersion"));
    }
    if kind.ends_with("List") && object["items"].is_array() {
        for item in object["items"].as_array().into_iter().flatten() {
            collect(kinds, source, item.clone(), namespace, manifests)?;
        }
        return Ok(());
    }
    let Some(found) = kinds.find_by_api_version(&api_version, &kind) else {
        return Err(CliError::text(format!(
            "resource mapping not found for name: \"{}\" namespace: \"{}\" from \"{source}\": no matches \
             for kind \"{kind}\" in version \"{api_version}\"\nensure CRDs are installed first",
            object["metadata"]["name"].as_str().unwrap_or_default(),
            object["metadata"]["namespace"].as_str().unwrap_or_default(),
        )));
    };
    let own = object["metadata"]["namespace"].as_str();
    if let (Some(own), Some(asked), true) = (own, namespace, found.namespaced)
        && own != asked
    {
        return Err(CliError::text(format!(
            "the namespace from the provided object \"{own}\" does not match the namespace \"{asked}\". \
             You must pass '--namespace={own}' to perform this operation."
        )));
    }
    let place = Place::new(found, own.or(namespace).unwrap_or("default"));
    manifests.push(Manifest {
        source: source.to_owned(),
        place,
        object,
    });
    Ok(())
}

/// The texts that a file name leads to, with how they are called in messages.
fn texts(filename: &str, recursive: bool) -> Result<Vec<(String, Vec<u8>)>, CliError> {
    if filename == "-" {
        let mut text = Vec::new();
        std::io::stdin().take(MAX_MANIFEST).read_to_end(&mut text)?;
        return Ok(vec![("STDIN".to_owned(), text)]);
    }
    let path = Path::new(filename);
    if !path.exists() {
        return Err(CliError::text(format!(
            "the path {filename:?} does not exist"
        )));
    }
    let mut files = Vec::new();
    if path.is_dir() {
        walk(path, recursive, &mut files)?;
    } else {
        files.push(path.to_path_buf());
    }
    files
        .into_iter()
        .map(|file| Ok((file.display().to_string(), read_file(&file)?)))
        .collect()
}

fn read_file(path: &Path) -> Result<Vec<u8>, CliError> {
    let meta = std::fs::metadata(path)?;
    if meta.is_file() && meta.len() > MAX_MANIFEST {
        let text = format!("{} is over {} MiB", path.display(), MAX_MANIFEST >> 20);
        return Err(CliError::text(text));
    }
    let mut text = Vec::new();
    std::fs::File::open(path)?
        .take(MAX_MANIFEST)
        .read_to_end(&mut text)?;
    Ok(text)
}

fn walk(dir: &Path, recursive: bool, files: &mut Vec<PathBuf>) -> Result<(), CliError> {
    let mut entries: Vec<PathBuf> = std::fs::read_dir(dir)?
        .map(|e| Ok(e?.path()))
        .collect::<Result<_, std::io::Error>>()?;
    entries.sort();
    for path in entries {
        let known = path
            .extension()
            .is_some_and(|e| e == "yaml" || e == "yml" || e == "json");
        if path.is_dir() {
            if recursive {
                walk(&path, recursive, files)?;
            }
        } else if known {
            files.push(path);
        }
    }
    Ok(())
}
