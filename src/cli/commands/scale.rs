//! `ctl scale`.

use std::process::ExitCode;
use std::time::Duration;

use clap::Args;

use super::Outcome;
use crate::api::json::{Value, json};
use crate::cli::api_path::SubresourceTarget;
use crate::cli::context::Context;
use crate::cli::error::CliError;
use crate::cli::flags::Span;
use crate::cli::options::{
    DryRun, DryRunArgs, ManagerArgs, OutputArgs, RecordArgs, ResultPrinter, write_options,
};
use crate::cli::resource::{Builder, FileArgs, Info, SelectorArgs};
use crate::cli::waiting;
use crate::cluster::{Cluster, FieldValidation, Part, PatchType, Response, WriteOptions};
use crate::kinds::tree::ensure;

/// Set the number of replicas of a workload
///
/// Examples:
///   ctl scale deploy web --replicas=3
///   ctl scale --current-replicas=3 --replicas=5 deploy/web
///   ctl scale -f web.yaml --replicas=0
#[derive(Args, Debug)]
#[command(verbatim_doc_comment)]
pub(crate) struct ScaleArgs {
    /// TYPE NAME or TYPE/NAME
    resources: Vec<String>,
    #[command(flatten)]
    files: FileArgs,
    /// Label selector
    #[arg(short = 'l', long, value_name = "SELECTOR")]
    selector: Option<String>,
    /// Select all objects of the given types
    #[arg(long)]
    all: bool,
    /// Desired number of replicas
    #[arg(long, value_name = "COUNT", required = true)]
    replicas: i64,
    /// Fail unless the current number of replicas is this
    #[arg(long, value_name = "COUNT", default_value_t = -1)]
    current_replicas: i64,
    /// Fail unless the object has this resource version
    #[arg(long, value_name = "VERSION")]
    resource_version: Option<String>,
    /// Time to wait for the replicas; 0 does not wait
    #[arg(long, value_name = "TIME", default_value = "0s")]
    timeout: Span,
    #[command(flatten)]
    dry_run: DryRunArgs,
    #[command(flatten)]
    manager: ManagerArgs,
    #[command(flatten)]
    record: RecordArgs,
    #[command(flatten)]
    output: OutputArgs,
}

pub(crate) fn run(args: &ScaleArgs, context: &Context) -> Outcome {
    let dry_run = args.dry_run.get(context)?;
    let mut printer = ResultPrinter::new(&args.output, dry_run, context)?;
    let refuse = |text: &str| Err(CliError::text(text));
    if args.replicas < 0 {
        return refuse(
            "The --replicas=COUNT flag is required, and COUNT must be greater than or equal to 0",
        );
    }
    if args.current_replicas < -1 {
        return refuse("The --current-replicas must specify an integer of -1 or greater");
    }
    let cluster = context.api()?;
    let selectors = SelectorArgs {
        selector: args.selector.clone(),
        field_selector: None,
    };
    let found = Builder::new(context, Some(&cluster))?
        .files(&args.files)
        .selectors(&selectors)
        .words(&args.resources, args.all)
        .find()?;
    let (infos, errors) = found.split();
    let conditional = args
        .resource_version
        .as_deref()
        .is_some_and(|v| !v.is_empty());
    // A resource version belongs to one object and would conflict on any other.
    if conditional && infos.len() > 1 {
        return refuse("cannot use --resource-version with multiple resources");
    }
    if infos.is_empty() && errors.is_empty() {
        return refuse("no objects passed to scale");
    }
    // kubectl's `scale` has no field manager of its own.
    let options = write_options(
        context,
        dry_run,
        args.manager.get("kubectl"),
        FieldValidation::Ignore,
    );
    for info in &infos {
        if dry_run != DryRun::Client {
            let scaled = || scale(args, &cluster, info, &options, context);
            context.ui.warn_of(&retried(&cluster, context, &scaled)?);
            // The scale has succeeded. As in kubectl, the command does not fail if the change-cause annotation cannot
            // be written.
            let _ = args.record.send(context, &cluster, info, &options);
            wait(args, &cluster, info, dry_run, context)?;
        }
        printer.print_result(&scaled(info, args.replicas), "scaled")?;
    }
    CliError::all(errors)?;
    Ok(ExitCode::SUCCESS)
}

fn scale(
    args: &ScaleArgs,
    cluster: &Cluster,
    info: &Info,
    options: &WriteOptions,
    context: &Context,
) -> Result<Response, CliError> {
    info.require_name()?;
    let place = info.place();
    let version = args.resource_version.as_deref().filter(|v| !v.is_empty());
    if args.current_replicas >= 0 || version.is_some() {
        let mut scale = cluster.subresources().scale(&place, &info.name)?;
        let now = replicas(&scale);
        if args.current_replicas >= 0 && now != args.current_replicas {
            let wanted = args.current_replicas;
            let text = format!("Expected replicas to be {wanted}, was {now}");
            return Err(CliError::text(text));
        }
        let found = scale["metadata"]["resourceVersion"]
            .as_str()
            .unwrap_or_default();
        if let Some(version) = version.filter(|version| *version != found) {
            let text = format!("Expected resource version to be {version}, was {found}");
            return Err(CliError::text(text));
        }
        // The resourceVersion stays in the request, so that a change since the check is a conflict.
        ensure(&mut scale, "spec")["replicas"] = args.replicas.into();
        let below = SubresourceTarget {
            context,
            cluster,
            place: &place,
            name: &info.name,
            subresource: "scale",
        };
        return below.replace(&scale, options);
    }
    let patch = json!({"spec": {"replicas": args.replicas}});
    let how = (PatchType::Merge, &patch);
    Ok(cluster.patch(&place, &info.name, how, Part::Scale, options)?)
}

/// The time for which kubectl retries after conflicts.
const CONFLICTS: Duration = Duration::from_secs(5 * 60);

/// Scales again after a conflict, as kubectl does: the preconditions are checked against the new state.
fn retried(
    cluster: &Cluster,
    context: &Context,
    scale: &dyn Fn() -> Result<Response, CliError>,
) -> Result<Response, CliError> {
    let done = waiting::until(cluster, context, CONFLICTS, &mut || match scale() {
        Err(error) if error.is_conflict() => Ok(None),
        scaled => scaled.map(Some),
    })?;
    done.ok_or_else(|| CliError::TimedOut("timed out waiting for the condition".to_owned()))
}

/// Returns the object as it was read, with the new number of replicas: kubectl does not read it again. It prints a
/// custom resource without the number, because it does not know its field.
fn scaled(info: &Info, replicas: i64) -> Info {
    let mut object = info.object.clone();
    if info.kind.custom.is_none() {
        ensure(&mut object, "spec")["replicas"] = replicas.into();
    }
    info.with(object)
}

fn replicas(scale: &Value) -> i64 {
    scale["spec"]["replicas"].as_i64().unwrap_or(0)
}

/// Waits until the current number of replicas equals the desired number.
fn wait(
    args: &ScaleArgs,
    cluster: &Cluster,
    info: &Info,
    dry_run: DryRun,
    context: &Context,
) -> Result<(), CliError> {
    if dry_run != DryRun::None || args.timeout.duration() == Duration::ZERO {
        return Ok(());
    }
    let timeout = args.timeout.duration();
    let done = waiting::until(cluster, context, timeout, &mut || {
        let scale = cluster.subresources().scale(&info.place(), &info.name)?;
        let there = scale["status"]["replicas"].as_i64().unwrap_or(0);
        Ok((there == replicas(&scale)).then_some(()))
    })?;
    let name = &info.name;
    let text = format!("timed out waiting for {name:?} to be synced");
    done.ok_or(CliError::TimedOut(text))
}

#[cfg(test)]
mod tests {
    use crate::cli::testing::Shell;

    fn shell() -> Shell {
        let shell = Shell::new();
        shell.all(&[
            "create deployment web --image=nginx",
            "create deployment api --image=nginx --replicas=2",
        ]);
        shell
    }

    fn replicas(shell: &Shell, name: &str) -> String {
        shell.out(&format!(
            "get deployment {name} -o jsonpath={{.spec.replicas}}"
        ))
    }

    #[test]
    fn the_object_is_shown_with_the_new_number() {
        let shell = shell();
        shell.write(
            "web.yaml",
            "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: web}\nspec: {replicas: 1}\n",
        );
        for (number, of) in [
            (7, "deployment/web --dry-run=client"),
            (8, "deployment/web --dry-run=server"),
            (9, "deployment/web"),
            (10, "-f @/web.yaml"),
        ] {
            let shown = shell.json(&format!("scale --replicas={number} {of}"));
            assert_eq!(shown["spec"]["replicas"], number, "{of}");
        }
        assert_eq!(replicas(&shell, "web"), "10");
    }

    #[test]
    fn a_custom_resource_is_shown_as_it_was_read() {
        let shell = Shell::new();
        shell.write(
            "boats.yaml",
            include_str!("../../../testdata/sessions/manifests/boats-crd.yaml"),
        );
        shell.write(
            "boat.yaml",
            "apiVersion: sea.example.com/v1\nkind: Boat\nmetadata: {name: b}\nspec: {length: 5, replicas: 2}\n",
        );
        shell.all(&["apply -f @/boats.yaml", "apply -f @/boat.yaml"]);
        let shown = shell.json("scale boat b --replicas=3");
        assert_eq!(shown["spec"]["replicas"], 2);
        let now = shell.out("get boat b -o jsonpath={.spec.replicas}");
        assert_eq!(now, "3");
    }

    #[test]
    fn scale_changes_one_or_all_through_the_scale_subresource() {
        let shell = shell();
        let out = shell.out("scale deployment/web --replicas=3");
        assert_eq!(out, "deployment.apps/web scaled\n");
        assert_eq!(replicas(&shell, "web"), "3");
        let out = shell.out("scale deployment --all --replicas=0");
        assert_eq!(
            out,
            "deployment.apps/api scaled\ndeployment.apps/web scaled\n"
        );
        let made = shell.json("get deployment web --show-managed-fields");
        let managers = made["metadata"]["managedFields"].as_array().unwrap();
        let scale = managers
            .iter()
            .find(|m| m["subresource"] == "scale")
            .unwrap();
        assert_eq!(scale["manager"], "kubectl");
        assert!(scale["time"].is_null(), "{scale}");
        assert_eq!(
            scale["fieldsV1"].to_string(),
            "{\"f:spec\":{\"f:replicas\":{}}}"
        );
    }

    #[test]
    fn scale_checks_preconditions_before_writing() {
        let shell = shell();
        let version = shell.out("get deployment web -o jsonpath={.metadata.resourceVersion}");
        shell.refuses(&[
            (
                "scale deployment/web --replicas=3 --current-replicas=2",
                "Expected replicas to be 2, was 1",
            ),
            (
                "scale deployment/web --replicas=3 --resource-version=1",
                &format!("Expected resource version to be 1, was {version}"),
            ),
            (
                "scale deployment/web deployment/api --replicas=3 --resource-version=1",
                "cannot use --resource-version with multiple resources",
            ),
        ]);
        assert_eq!(replicas(&shell, "web"), "1");
        let line = format!(
            "scale deploy web --replicas=3 --current-replicas=1 --resource-version={version}"
        );
        let _ = shell.out(&line);
        assert_eq!(replicas(&shell, "web"), "3");
    }

    #[test]
    fn a_scale_with_preconditions_is_an_update() {
        let shell = shell();
        shell.all(&[
            "create clusterrole reads --verb=get --resource=deployments.apps,deployments.apps/scale",
            "create clusterrolebinding reads --clusterrole=reads --user=ro",
        ]);
        for (flags, verb) in [("", "patch"), ("--current-replicas=1", "update")] {
            let said = shell.fails(&format!(
                "scale deployment/web --replicas=3 {flags} --as=ro"
            ));
            let why = format!("User \"ro\" cannot {verb} resource \"deployments/scale\"");
            assert!(said.contains(&why), "{said}");
        }
    }

    #[test]
    fn missing_object_does_not_stop_other_scales() {
        let shell = shell();
        let said = shell.run("scale deployment/none deployment/web --replicas=3");
        assert_eq!(
            (said.code, said.out.as_str()),
            (1, "deployment.apps/web scaled\n")
        );
        assert_eq!(
            said.err,
            "Error from server (NotFound): deployments.apps \"none\" not found\n"
        );
        let out = shell.out("scale deployment/web --replicas=9 --dry-run=client");
        assert_eq!(out, "deployment.apps/web scaled (dry run)\n");
        let out = shell.out("scale deployment/web --replicas=9 --dry-run=server");
        assert_eq!(out, "deployment.apps/web scaled (server dry run)\n");
        assert_eq!(replicas(&shell, "web"), "3");
    }

    #[test]
    fn scale_requires_replicas_and_a_scalable_object() {
        let shell = shell();
        let _ = shell.out("create configmap c");
        shell.refuses(&[
            ("scale deployment/web", "required flag(s) \"replicas\" not set"),
            (
                "scale deployment/web --replicas=-1",
                "The --replicas=COUNT flag is required, and COUNT must be greater than or equal to 0",
            ),
            (
                "scale deployment/web --replicas=1 --current-replicas=-2",
                "The --current-replicas must specify an integer of -1 or greater",
            ),
            ("scale deployment -l a=b --replicas=1", "no objects passed to scale"),
            (
                "scale configmap/c --replicas=1",
                "Error from server (NotFound): the server could not find the requested resource",
            ),
            (
                "scale deployment/web --replicas=5 --timeout=10ms",
                "timed out waiting for \"web\" to be synced",
            ),
        ]);
    }
}
