//! `ctl rollout status`.

use std::process::ExitCode;

use clap::Args;

use super::Subject;
use crate::api::status::Status;
use crate::cli::commands::Outcome;
use crate::cli::context::Context;
use crate::cli::error::CliError;
use crate::cli::flags::Span;
use crate::cli::resource::Info;
use crate::cli::waiting::{self, Completed, Progress};
use crate::cluster::{ApiError, Cluster, ListOptions};
use crate::kinds::rollout::{progress, replicas};

/// Show the status of the rollout
///
/// Examples:
///   ctl rollout status deployment/web
///   ctl rollout status deployment/web --watch=false
///   ctl rollout status deployment/web --timeout=1m
#[derive(Args, Debug)]
#[command(verbatim_doc_comment)]
pub(super) struct StatusArgs {
    #[command(flatten)]
    subject: Subject,
    /// Watch the rollout until it is complete
    #[arg(short, long, value_name = "BOOL", default_value_t = true, num_args = 0..=1,
        require_equals = true, default_missing_value = "true", action = clap::ArgAction::Set)]
    watch: bool,
    /// Fail if the rollout is not of this revision; 0 is the latest
    #[arg(long, value_name = "NUMBER", default_value_t = 0)]
    revision: i64,
    /// Time after which to give up; 0 never does
    #[arg(long, value_name = "TIME", default_value = "0s")]
    timeout: Span,
}

pub(super) fn run(args: &StatusArgs, context: &Context) -> Outcome {
    args.subject.check_revision(args.revision)?;
    context.exit_on_signal()?;
    let cluster = context.api()?;
    let items = args.subject.find(&cluster, context)?.in_turn();
    super::say_if_nothing(&items, context)?;
    let followed = items
        .into_iter()
        .map(|item| item.and_then(|info| follow(args, &cluster, &info, context)));
    CliError::all(followed.filter_map(Result::err).collect())?;
    Ok(ExitCode::SUCCESS)
}

/// Prints each new state of the rollout until it is complete.
fn follow(
    args: &StatusArgs,
    cluster: &Cluster,
    info: &Info,
    context: &Context,
) -> Result<(), CliError> {
    let timeout = match args.timeout.duration() {
        never if never.is_zero() => waiting::A_WEEK,
        some => some,
    };
    let (place, mut seen) = (info.place(), String::new());
    let options = ListOptions {
        fields: format!("metadata.name={}", info.name),
        ..ListOptions::default()
    };
    let timed_out = || CliError::TimedOut("timed out waiting for the condition".to_owned());
    let listed = match info.kind.keeps_history_in() {
        Some(_) => cluster.select(&place, &options).map(|page| page.items),
        // `progress` rejects a kind without rollouts below.
        None => Ok(vec![info.object.clone()]),
    };
    match listed {
        // kubectl's informer retries a forbidden list forever, so only the timeout ends the command.
        Err(ApiError::Status(status)) if status.reason == "Forbidden" => {
            let never = waiting::until(cluster, context, timeout, &mut || Ok(None::<()>))?;
            return never.ok_or_else(timed_out);
        }
        Ok(items) if items.is_empty() => {
            return Err(Status::not_found(&info.kind.qualified_resource(), &info.name).into());
        }
        Err(e) => return Err(e.into()),
        Ok(_) => {}
    }
    let uid = &info.object["metadata"]["uid"];
    let shown = Progress::new(&context.ui);
    let mut completed = Completed { done: 0, all: 1 };
    let what = format!("waiting for {}", info.shown());
    let done = waiting::until(cluster, context, timeout, &mut || {
        let object = match cluster.get(&place, &info.name).map_err(CliError::from) {
            Err(e) if e.is_not_found() => {
                return Err(CliError::text("object has been deleted"));
            }
            found => found?,
        };
        // An object recreated under the same name has its own rollout.
        if object["metadata"]["uid"] != *uid {
            return Err(CliError::text("object has been deleted"));
        }
        let version = object["metadata"]["resourceVersion"].as_str();
        // As kubectl prints a line for each watch event, each change of the object gives a line; the passing of time
        // does not.
        if version == Some(seen.as_str()) {
            shown.show(completed, &what);
            return Ok(None);
        }
        seen = version.unwrap_or_default().to_owned();
        let now = progress(&object, args.revision).map_err(CliError::text)?;
        // The progress bar shares the terminal with the output, so it is cleared first.
        shown.hide();
        context.ui.line(&now.text)?;
        let (done, all) = replicas(&object);
        completed = Completed { done, all };
        shown.show(completed, &what);
        Ok((now.done || !args.watch).then_some(()))
    })?;
    done.ok_or_else(timed_out)
}

#[cfg(test)]
mod tests {
    use crate::cli::testing::Shell;

    #[test]
    fn rollout_status_prints_progress_and_success() {
        let shell = Shell::new();
        let _ = shell.out("create deployment web --image=nginx --replicas=2");
        let before = shell.out("rollout status deployment/web --watch=false");
        assert_eq!(
            before,
            "Waiting for deployment spec update to be observed...\n"
        );
        let _ = shell.out("settle");
        let done = "deployment \"web\" successfully rolled out\n";
        assert_eq!(shell.out("rollout status deployment/web"), done);
        assert_eq!(shell.out("rollout status deployment -l app=web"), done);
        let _ = shell.out("set image deployment/web nginx=nginx:2");
        let changed = shell.out("rollout status deployment/web --watch=false");
        assert_eq!(
            changed,
            "Waiting for deployment spec update to be observed...\n"
        );
    }

    #[test]
    fn a_rollout_is_looked_up_by_a_list() {
        let shell = Shell::new();
        let template =
            "template: {metadata: {labels: {a: b}}, spec: {containers: [{name: a, image: i}]}}";
        shell.write(
            "nameless.yaml",
            format!(
                "apiVersion: apps/v1\nkind: Deployment\nmetadata: {{generateName: g-}}\nspec: {{selector: {{matchLabels: \
                 {{a: b}}}}, {template}}}\n"
            ),
        );
        assert_eq!(
            shell.fails("rollout status -f @/nameless.yaml"),
            "Error from server (NotFound): deployments.apps \"\" not found"
        );
        shell.all(&[
            "create deployment web --image=nginx",
            "create clusterrole get --verb=get --resource=deployments.apps",
            "create clusterrolebinding get --clusterrole=get --user=go",
        ]);
        let said = shell.run("rollout status deployment/web --timeout=10ms --as=go");
        assert_eq!(
            (said.out.as_str(), said.err.as_str()),
            ("", "error: timed out waiting for the condition\n")
        );
    }

    #[test]
    fn rollout_status_timeout_exits_with_7_if_enabled() {
        let shell = Shell::new();
        let _ = shell.out("create deployment web --image=nginx");
        let line = "rollout status deployment/web --timeout=10ms";
        assert_eq!(
            shell.fails(line),
            "error: timed out waiting for the condition"
        );
        assert_eq!(shell.run(&format!("{line} --exit-codes")).code, 7);
    }

    #[test]
    fn kinds_without_a_rollout_are_rejected() {
        let shell = Shell::new();
        shell.all(&[
            "create configmap c",
            "create deployment web --image=nginx",
            "settle",
        ]);
        shell.refuses(&[
            (
                "rollout status --revision=-2",
                "required resource not specified",
            ),
            (
                "rollout status deployment/web --revision=-2",
                "revision must be a positive integer: -2",
            ),
            (
                "rollout status deployment/web --revision=9",
                "desired revision (9) is different from the running revision (1)",
            ),
            (
                "rollout status deployment/none",
                "Error from server (NotFound): deployments.apps \"none\" not found",
            ),
        ]);
        let none = shell.fails("rollout status configmap/c");
        assert_eq!(
            none,
            "error: no status viewer has been implemented for ConfigMap"
        );
    }
}
