//! `ctl create priorityclass`.

use clap::Args;

use super::common::{NewArgs, name};
use crate::api::json::json;
use crate::cli::commands::Outcome;
use crate::cli::context::Context;

/// Create a PriorityClass
///
/// Example: ctl create priorityclass high --value=1000 --description='for the front'
#[derive(Args, Debug)]
pub(super) struct PriorityclassArgs {
    /// NAME
    words: Vec<String>,
    /// Priority value
    #[arg(long, value_name = "NUMBER", default_value_t = 0)]
    value: i32,
    /// Make this the default class of Pods without one
    #[arg(long)]
    global_default: bool,
    /// Description of the class
    #[arg(long, value_name = "TEXT")]
    description: Option<String>,
    /// Preemption policy: PreemptLowerPriority or Never
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
    // `globalDefault` has `omitempty`, so false is omitted.
    if args.global_default {
        object["globalDefault"] = json!(true);
    }
    if let Some(text) = args.description.as_deref().filter(|t| !t.is_empty()) {
        object["description"] = json!(text);
    }
    args.new
        .create(object, "failed to create priorityclass: ", context)
}

#[cfg(test)]
mod tests {
    use crate::api::json::json;
    use crate::cli::testing::Shell;

    #[test]
    fn omitted_priorityclass_flags_leave_only_value_and_policy() {
        let shell = Shell::empty();
        let made = shell.made("create priorityclass low");
        assert_eq!(
            made,
            json!({
                "apiVersion": "scheduling.k8s.io/v1", "kind": "PriorityClass",
                "metadata": {"name": "low"}, "preemptionPolicy": "PreemptLowerPriority", "value": 0,
            })
        );
        let made = shell.made(
            "create pc high --value=-5 --global-default --description='for the front' --preemption-policy=Never",
        );
        assert_eq!(made["value"], -5);
        assert_eq!(made["globalDefault"], true);
        assert_eq!(made["description"], "for the front");
        assert_eq!(made["preemptionPolicy"], "Never");
    }

    #[test]
    fn priority_value_out_of_range_is_rejected() {
        let shell = Shell::new();
        let _ = shell.out("create priorityclass high --value=1000 --global-default");
        let wrong = shell.fails("create priorityclass top --value=1000000001");
        assert!(
            wrong.starts_with(
                "error: failed to create priorityclass: PriorityClass.scheduling.k8s.io \"top\" is"
            ),
            "{wrong}"
        );
        let wrong = shell.fails("create priorityclass top --value=5000000000");
        assert!(
            wrong.contains("invalid argument \"5000000000\" for \"--value\" flag: "),
            "{wrong}"
        );
    }
}
