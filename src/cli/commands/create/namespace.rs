//! `ctl create namespace`.

use clap::Args;

use super::new::{NewArgs, name};
use crate::api::json::json;
use crate::cli::commands::Outcome;
use crate::cli::context::Context;

/// Create a namespace
///
/// Example: ctl create namespace blue
#[derive(Args, Debug)]
pub(super) struct NamespaceArgs {
    /// NAME
    words: Vec<String>,
    #[command(flatten)]
    new: NewArgs,
}

pub(super) fn run(args: &NamespaceArgs, context: &Context) -> Outcome {
    let object = json!({
        "apiVersion": "v1",
        "kind": "Namespace",
        "metadata": {"name": name(&args.words, context)?},
        "spec": {},
        "status": {},
    });
    args.new.create(object, "", context)
}
