//! `ctl set selector`.

use clap::Args;
use serde_json::{Map, Value, json};

use super::CommonArgs;
use crate::cli::commands::Outcome;
use crate::cli::context::Context;
use crate::cli::error::CliError;
use crate::cli::options::RecordArgs;
use crate::cli::resource::Info;

/// Set the selector on a resource
///
/// Examples:
///   ctl set selector service web app=web,tier=front
#[derive(Args, Debug)]
#[command(verbatim_doc_comment)]
pub(super) struct SelectorSetArgs {
    /// TYPE NAME or TYPE/NAME, then the labels
    words: Vec<String>,
    /// Only where the object is at this resource version
    #[arg(long, value_name = "VERSION")]
    resource_version: Option<String>,
    #[command(flatten)]
    common: CommonArgs,
    #[command(flatten)]
    record: RecordArgs,
}

pub(super) fn run(args: &SelectorSetArgs, context: &Context) -> Outcome {
    let at = args.words.iter().position(|w| w.contains('='));
    let (words, labels) = args.words.split_at(at.unwrap_or(args.words.len()));
    args.common.check(words, context)?;
    let [labels] = labels else {
        return Err(CliError::text("one selector is required"));
    };
    let labels = read(labels)?;
    let change = &mut |info: &Info| {
        if info.kind.kind != "Service" {
            let text = "setting a selector is only supported for Services";
            return Err(CliError::text(text));
        }
        let mut object = info.object.clone();
        object["spec"]["selector"] = json!(labels);
        if let Some(version) = args.resource_version.as_deref().filter(|v| !v.is_empty()) {
            object["metadata"]["resourceVersion"] = json!(version);
        }
        Ok(args.record.mark(context, object))
    };
    args.common
        .change(words, context, "selector updated", change)
}

/// `app=web,tier=front`.
fn read(text: &str) -> Result<Map<String, Value>, CliError> {
    let mut labels = Map::new();
    for part in text.split(',').filter(|p| !p.is_empty()) {
        let Some((key, value)) = part.split_once('=') else {
            return Err(CliError::text(format!("invalid selector: {part}")));
        };
        let value = value.strip_prefix('=').unwrap_or(value);
        labels.insert(key.trim().to_owned(), json!(value.trim()));
    }
    Ok(labels)
}
