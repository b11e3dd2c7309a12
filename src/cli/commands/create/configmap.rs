//! `ctl create configmap`.

use base64::Engine as _;
use clap::Args;

use super::new::{NewArgs, name};
use super::sources::{Pair, SourceArgs, check_key, with_hash};
use crate::api::json::{Value, json};
use crate::cli::commands::Outcome;
use crate::cli::context::Context;
use crate::cli::error::CliError;

/// Create a config map
///
/// Example: ctl create configmap conf --from-literal=a=1 --from-file=conf.d
#[derive(Args, Debug)]
pub(super) struct ConfigmapArgs {
    /// NAME
    words: Vec<String>,
    #[command(flatten)]
    sources: SourceArgs,
    /// Append a hash of the content to the name
    #[arg(long)]
    append_hash: bool,
    #[command(flatten)]
    new: NewArgs,
}

pub(super) fn run(args: &ConfigmapArgs, context: &Context) -> Outcome {
    let name = name(&args.words, context)?;
    let mut object = config_map(name, args.sources.read()?)?;
    if args.append_hash {
        object = with_hash(object);
    }
    args.new
        .create(object, "failed to create configmap: ", context)
}

fn config_map(name: &str, pairs: Vec<Pair>) -> Result<Value, CliError> {
    let mut object = json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name}});
    for (key, bytes) in pairs {
        check_key(&key, "ConfigMap")?;
        let (field, shown, value) = match String::from_utf8(bytes) {
            Ok(text) => ("data", "Data", text),
            Err(e) => {
                let engine = base64::engine::general_purpose::STANDARD;
                ("binaryData", "BinaryData", engine.encode(e.as_bytes()))
            }
        };
        let taken = |field: &str| object[field].get(&key).is_some();
        if taken("data") || taken("binaryData") {
            return Err(CliError::text(format!(
                "cannot add key \"{key}\", another key by that name already exists in {shown} for \
                 ConfigMap \"{name}\""
            )));
        }
        object[field][&key] = json!(value);
    }
    Ok(object)
}
