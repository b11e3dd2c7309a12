//! `ctl create serviceaccount`.

use clap::Args;

use super::new::{NewArgs, name};
use crate::api::json::json;
use crate::cli::commands::Outcome;
use crate::cli::context::Context;

/// Create a service account
///
/// Example: ctl create serviceaccount robot
#[derive(Args, Debug)]
pub(super) struct ServiceaccountArgs {
    /// NAME
    words: Vec<String>,
    #[command(flatten)]
    new: NewArgs,
}

pub(super) fn run(args: &ServiceaccountArgs, context: &Context) -> Outcome {
    let object = json!({
        "apiVersion": "v1",
        "kind": "ServiceAccount",
        "metadata": {"name": name(&args.words, context)?},
    });
    args.new
        .create(object, "failed to create serviceaccount: ", context)
}
