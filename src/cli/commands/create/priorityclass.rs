//! `ctl create priorityclass`.

use clap::Args;

use super::new::{NewArgs, name};
use crate::api::json::json;
use crate::cli::commands::Outcome;
use crate::cli::context::Context;

/// Create a priority class
///
/// Example: ctl create priorityclass high --value=1000 --description='for the front'
#[derive(Args, Debug)]
pub(super) struct PriorityclassArgs {
    /// NAME
    words: Vec<String>,
    /// The priority
    #[arg(long, value_name = "NUMBER", default_value_t = 0)]
    value: i32,
    /// For pods that name no class
    #[arg(long)]
    global_default: bool,
    /// What it is for
    #[arg(long, value_name = "TEXT")]
    description: Option<String>,
    /// PreemptLowerPriority or Never
    #[arg(long, value_name = "POLICY", default_value = "PreemptLowerPriority")]
    preemption_policy: String,
    #[command(flatten)]
    new: NewArgs,
}

pub(super) fn run(args: &PriorityclassArgs, context: &Context) -> Outcome {
    let mut object = json!({
        "apiVersion": "scheduling.k8s.io/v1",
        "kind": "PriorityClass",
        "metadata": {"name": name(&args.words, context)?},
        "preemptionPolicy": args.preemption_policy,
        "value": args.value,
    });
    if args.global_default {
        object["globalDefault"] = json!(true);
    }
    if let Some(text) = args.description.as_deref().filter(|t| !t.is_empty()) {
        object["description"] = json!(text);
    }
    args.new
        .create(object, "failed to create priorityclass: ", context)
}
