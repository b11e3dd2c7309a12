//! `ctl set serviceaccount`.

use clap::Args;

use super::{CommonArgs, LabelArgs, ResultRules, pod_spec};
use crate::api::json::json;
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
    args.common.check_modes(context)?;
    args.common.check_local()?;
    let Some((account, words)) = args.words.split_last() else {
        return Err(CliError::text("serviceaccount is required"));
    };
    let cluster = args.common.cluster(context)?;
    // kubectl ignores names with `--local` here, and then reports that files are missing.
    let words: &[String] = if args.common.local { &[] } else { words };
    let found = args
        .common
        .find(words, &LabelArgs::default(), cluster.as_ref(), context)?;
    let change = &mut |info: &Info, _: &mut Vec<CliError>| {
        let mut object = info.object.clone();
        let spec = pod_spec(info, &mut object)?;
        // The API server copies the name to the deprecated field `serviceAccount`.
        spec["serviceAccountName"] = json!(account);
        Ok(args.record.mark(context, object))
    };
    let rules = ResultRules {
        done: "serviceaccount updated",
        failed: "failed to patch ServiceAccountName ",
        always: true,
    };
    args.common
        .change(found, cluster.as_ref(), context, &rules, change)
}

#[cfg(test)]
mod tests {
    use crate::cli::testing::Shell;

    #[test]
    fn set_serviceaccount_writes_both_template_fields() {
        let shell = Shell::new();
        let _ = shell.out("create deployment web --image=nginx");
        let out = shell.out("set serviceaccount deployment web robot");
        assert_eq!(out, "deployment.apps/web serviceaccount updated\n");
        let spec = &shell.json("get deploy web")["spec"]["template"]["spec"];
        assert_eq!(spec["serviceAccountName"], "robot");
        assert_eq!(spec["serviceAccount"], "robot");
        let _ = shell.out("set sa deploy/web other");
        let spec = &shell.json("get deploy web")["spec"]["template"]["spec"];
        assert_eq!(spec["serviceAccount"], "other");
    }

    #[test]
    fn set_serviceaccount_reports_unchanged_objects_as_updated() {
        let shell = Shell::new();
        let _ = shell.out("create deployment web --image=nginx");
        let told = "deployment.apps/web serviceaccount updated\n";
        assert_eq!(shell.out("set serviceaccount deploy/web robot"), told);
        assert_eq!(shell.out("set serviceaccount deploy/web robot"), told);
        let shown = shell.json("set serviceaccount deploy/web third --dry-run=client");
        let spec = &shown["spec"]["template"]["spec"];
        assert_eq!(spec["serviceAccountName"], "third");
        assert_eq!(spec["serviceAccount"], "robot");
        let out = shell.out("set serviceaccount deploy/web third --dry-run=client");
        assert_eq!(
            out,
            "deployment.apps/web serviceaccount updated (dry run)\n"
        );
        let spec = &shell.json("get deploy web")["spec"]["template"]["spec"];
        assert_eq!(spec["serviceAccountName"], "robot");
        shell.refuses(&[
            ("set serviceaccount", "serviceaccount is required"),
            (
                "set serviceaccount deploy/web robot --local --dry-run=server",
                "cannot specify --local and --dry-run=server - did you mean --dry-run=client?",
            ),
            (
                "set serviceaccount deploy/none robot",
                "Error from server (NotFound): deployments.apps \"none\" not found",
            ),
        ]);
    }
}
