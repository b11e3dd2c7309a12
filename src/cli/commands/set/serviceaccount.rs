//! `ctl set serviceaccount`.

use clap::Args;
use serde_json::json;

use super::{CommonArgs, pod_spec};
use crate::cli::commands::Outcome;
use crate::cli::context::Context;
use crate::cli::error::CliError;
use crate::cli::options::RecordArgs;
use crate::cli::resource::Info;

/// Update the service account of a resource
///
/// Examples:
///   ctl set serviceaccount deployment web robot
#[derive(Args, Debug)]
#[command(verbatim_doc_comment)]
pub(super) struct ServiceAccountArgs {
    /// TYPE NAME or TYPE/NAME, then the service account
    words: Vec<String>,
    #[command(flatten)]
    common: CommonArgs,
    #[command(flatten)]
    record: RecordArgs,
}

pub(super) fn run(args: &ServiceAccountArgs, context: &Context) -> Outcome {
    let Some((account, words)) = args.words.split_last() else {
        return Err(CliError::text("serviceaccount is required"));
    };
    let change = &mut |info: &Info| {
        let mut object = info.object.clone();
        let spec = pod_spec(info, &mut object)?;
        spec["serviceAccountName"] = json!(account);
        // The old name of the same field follows by itself where it is there.
        if spec["serviceAccount"].is_string() {
            spec["serviceAccount"] = json!(account);
        }
        Ok(args.record.mark(context, object))
    };
    args.common
        .change(words, context, "serviceaccount updated", change)
}
