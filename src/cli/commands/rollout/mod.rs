//! `ctl rollout`: inspects and manages the rollouts of workloads.

mod history;
mod marks;
mod status;
mod undo;

use clap::{Args, Subcommand};

use super::Outcome;
use crate::cli::context::Context;
use crate::cli::error::CliError;
use crate::cli::resource::{Builder, FileArgs, Info, NamedObjects, SelectorArgs};
use crate::cluster::{ApiError, Cluster, Place};
use crate::kinds::client::RolloutHistory;
use crate::kinds::rollout::{Revision, of_controller_revisions, of_replica_sets};
use crate::kinds::{self, Kind};

/// Manage the rollout of one or many resources
///
/// Example: ctl rollout status deploy/web
#[derive(Args, Debug)]
pub(crate) struct RolloutArgs {
    #[command(subcommand)]
    command: RolloutCommand,
}

#[derive(Debug, Subcommand)]
enum RolloutCommand {
    History(history::HistoryArgs),
    Pause(marks::PauseArgs),
    Restart(marks::RestartArgs),
    Resume(marks::ResumeArgs),
    Status(status::StatusArgs),
    Undo(undo::UndoArgs),
}

pub(crate) fn run(args: &RolloutArgs, context: &Context) -> Outcome {
    match &args.command {
        RolloutCommand::History(args) => history::run(args, context),
        RolloutCommand::Pause(args) => marks::pause(args, context),
        RolloutCommand::Restart(args) => marks::restart(args, context),
        RolloutCommand::Resume(args) => marks::resume(args, context),
        RolloutCommand::Status(args) => status::run(args, context),
        RolloutCommand::Undo(args) => undo::run(args, context),
    }
}

/// The subject of a rollout command.
#[derive(Args, Clone, Debug, Default)]
struct Subject {
    /// TYPE NAME or TYPE/NAME
    resources: Vec<String>,
    #[command(flatten)]
    files: FileArgs,
    /// Label selector
    #[arg(short = 'l', long, value_name = "SELECTOR")]
    selector: Option<String>,
}

impl Subject {
    /// Rejects a line that names no objects.
    fn require(&self) -> Result<(), CliError> {
        match self.resources.is_empty() && self.files.is_empty() {
            true => Err(CliError::text("required resource not specified")),
            false => Ok(()),
        }
    }

    /// Rejects a line that names no objects, and then a negative revision.
    fn check_revision(&self, revision: i64) -> Result<(), CliError> {
        self.require()?;
        match revision < 0 {
            true => Err(CliError::text(format!(
                "revision must be a positive integer: {revision}"
            ))),
            false => Ok(()),
        }
    }

    fn find(&self, cluster: &Cluster, context: &Context) -> Result<NamedObjects, CliError> {
        self.require()?;
        let selectors = SelectorArgs {
            selector: self.selector.clone(),
            field_selector: None,
        };
        Builder::new(context, Some(cluster))?
            .files(&self.files)
            .selectors(&selectors)
            // `rollout status deployment` without a name means all of them.
            .words(&self.resources, true)
            .latest()
            .typed()
            .find()
    }
}

/// Returns an error if kubectl does not know the kind at all. It knows the kinds below, but they have no history.
fn unknown(kind: &Kind) -> Option<String> {
    const KNOWN: [&str; 5] = [
        "Pod",
        "ReplicationController",
        "ReplicaSet.apps",
        "Job.batch",
        "CronJob.batch",
    ];
    let (group, name) = (kind.group, kind.kind);
    let is_known = KNOWN.contains(&kind.qualified_kind().as_str());
    (!is_known).then(|| format!("no visitor method exists for {{{group} {name}}}"))
}

/// Returns the history of a workload, oldest revision first, or `None` if its kind has none. `undoes` is true for
/// `rollout undo`.
fn history_of(
    cluster: &Cluster,
    info: &Info,
    undoes: bool,
) -> Result<Option<Vec<Revision>>, CliError> {
    let Some(kept_in) = info.kind.keeps_history_in() else {
        return Ok(None);
    };
    let (of, holders): (fn(&_, &[_]) -> _, _) = match kept_in {
        RolloutHistory::ReplicaSets => (of_replica_sets, "ReplicaSet"),
        RolloutHistory::ControllerRevisions => (of_controller_revisions, "ControllerRevision"),
    };
    let (owner, name) = (info.kind.kind, &info.name);
    // kubectl spells the kinds this way in this error.
    let shown = match (owner, undoes) {
        ("Deployment", false) => "deployment",
        ("StatefulSet", _) => "Statefulset",
        (owner, _) => owner,
    };
    let nameless = |e: CliError| e.with_context(&format!("failed to retrieve {shown} : "));
    info.require_name().map_err(nameless)?;
    let unread = |e: ApiError| {
        CliError::text(match kept_in {
            RolloutHistory::ReplicaSets => {
                format!("failed to retrieve replica sets from deployment {name}: {e}")
            }
            RolloutHistory::ControllerRevisions => {
                format!("unable to find history controlled by {owner} {name}: {e}")
            }
        })
    };
    let Some(kind) = kinds::find("apps", "v1", holders) else {
        return Ok(None);
    };
    let place = Place::new(kind, &info.namespace);
    // Owner references determine which revisions belong to the workload; labels alone may match those of another one.
    let holders = cluster.list(&place, &|_| true, None).map_err(unread)?.items;
    Ok(Some(of(&info.object, &holders)))
}

/// Reports that the selectors match nothing.
fn say_if_nothing(items: &[Result<Info, CliError>], context: &Context) -> Result<(), CliError> {
    if items.is_empty() {
        let namespace = context.namespace()?;
        let text = format!("No resources found in {namespace} namespace.");
        context.ui.note(&text);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use crate::cli::testing::Shell;

    #[test]
    fn rollout_without_a_subcommand_prints_help_and_fails() {
        let shell = Shell::empty();
        let said = shell.run("rollout");
        assert_eq!((said.code, said.err.as_str()), (1, ""));
        assert!(
            said.out.contains("Available Commands:\n")
                && said.out.contains("kubectl rollout SUBCOMMAND"),
            "{said:?}"
        );
        assert_eq!(shell.out("rollout --help"), said.out);
        shell.refuses(&[(
            "rollout odd",
            "unknown command \"odd\"\nSee 'kubectl rollout -h' for help and examples",
        )]);
        assert!(!shell.state().exists());
    }

    #[test]
    fn a_history_that_may_not_be_read_is_told_with_its_workload() {
        let shell = Shell::new();
        shell.write(
            "all.yaml",
            "apiVersion: rbac.authorization.k8s.io/v1\nkind: ClusterRole\nmetadata: {name: o}\n\
             rules: [{apiGroups: ['*'], resources: ['*'], verbs: [get]}]\n---\napiVersion: apps/v1\nkind: DaemonSet\n\
             metadata: {name: d}\nspec: {selector: {matchLabels: {a: b}}, template: {metadata: {labels: {a: b}}, spec: \
             {containers: [{name: a, image: i}]}}}\n",
        );
        shell.all(&[
            "create -f @/all.yaml",
            "create clusterrolebinding o --clusterrole=o --user=o",
            "create deployment web --image=nginx",
        ]);
        let may_not = |what: &str| {
            format!(
                "{what}.apps is forbidden: User \"o\" cannot list resource {what:?} in API group \"apps\" in the namespace \"default\""
            )
        };
        for line in ["rollout history", "rollout undo"] {
            let sets = may_not("replicasets");
            let told =
                format!("error: failed to retrieve replica sets from deployment web: {sets}");
            assert_eq!(shell.fails(&format!("{line} deploy web --as=o")), told);
            let revisions = may_not("controllerrevisions");
            let told =
                format!("error: unable to find history controlled by DaemonSet d: {revisions}");
            assert_eq!(shell.fails(&format!("{line} ds d --as=o")), told);
        }
    }

    #[test]
    fn errors_about_manifests_are_joined_to_one() {
        let shell = Shell::new();
        let map =
            |name: &str| format!("apiVersion: v1\nkind: ConfigMap\nmetadata: {{name: {name}}}\n");
        shell.write("a.yaml", "apiVersion: v1\nkind: Foo\nmetadata: {name: y}\n");
        shell.write("b.yaml", map("there"));
        shell.write("c.yaml", map("missing"));
        let _ = shell.out("create -f @/b.yaml");
        let all = "-f @/a.yaml -f @/b.yaml -f @/c.yaml";
        let joined = "[unable to decode \"@/a.yaml\": no kind \"Foo\" is registered for version \"v1\" in scheme \
                      \"pkg/scheme/scheme.go:28\", configmaps \"missing\" not found]";
        for (command, told) in [
            (
                "status",
                format!("no status viewer has been implemented for ConfigMap\n{joined}"),
            ),
            (
                "restart",
                format!("{joined}\nerror: configmaps \"there\" restarting is not supported"),
            ),
        ] {
            assert_eq!(shell.fails(&format!("rollout {command} {all}")), told);
        }
        for command in ["restart", "pause"] {
            assert_eq!(
                shell.fails(&format!("rollout {command} -f @/a.yaml")),
                "unable to decode \"@/a.yaml\": no kind \"Foo\" is registered for version \"v1\" in scheme \
                 \"pkg/scheme/scheme.go:28\""
            );
        }
        // A single error names its reason; several errors do not.
        let told = shell.fails("rollout status -f @/b.yaml -f @/c.yaml");
        assert!(
            told.ends_with("ConfigMap\nconfigmaps \"missing\" not found"),
            "{told}"
        );
        let told = shell.fails("rollout status -f @/c.yaml");
        assert_eq!(
            told,
            "Error from server (NotFound): configmaps \"missing\" not found"
        );
    }
}
