//! `ctl scale`.

use std::process::ExitCode;
use std::time::Duration;

use clap::Args;

use super::Outcome;
use crate::api::json::{Value, json};
use crate::cli::context::Context;
use crate::cli::error::CliError;
use crate::cli::flags::Span;
use crate::cli::options::{
    DryRun, DryRunArgs, ManagerArgs, OutputArgs, RecordArgs, Teller, write_options,
};
use crate::cli::resource::{Builder, FileArgs, Info, SelectorArgs};
use crate::cli::waiting;
use crate::cluster::{Cluster, FieldValidation, PatchType, WriteOptions};

/// Set how many replicas there should be
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
    /// Only objects with these labels
    #[arg(short = 'l', long, value_name = "SELECTOR")]
    selector: Option<String>,
    /// All objects of the types
    #[arg(long)]
    all: bool,
    /// How many replicas there should be
    #[arg(long, value_name = "COUNT", required = true)]
    replicas: i64,
    /// Only where there are this many now
    #[arg(long, value_name = "COUNT", default_value_t = -1)]
    current_replicas: i64,
    /// Only where the object is at this resource version
    #[arg(long, value_name = "VERSION")]
    resource_version: Option<String>,
    /// Wait this long until there are as many; 0 does not wait
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
    let mut teller = Teller::new(&args.output, dry_run, context)?;
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
    if conditional && infos.len() > 1 {
        return refuse("cannot use --resource-version with multiple resources");
    }
    if infos.is_empty() && errors.is_empty() {
        return refuse("no objects passed to scale");
    }
    // kubectl's scale has no name of its own among the field managers.
    let options = write_options(
        context,
        dry_run,
        args.manager.get("kubectl"),
        FieldValidation::Ignore,
    );
    for info in &infos {
        if dry_run != DryRun::Client {
            scale(args, &cluster, info, &options)?;
            let _ = args.record.send((context, &cluster), info, &options);
            wait(args, &cluster, info, dry_run, context)?;
        }
        teller.tell(info, "scaled")?;
    }
    CliError::all(errors)?;
    Ok(ExitCode::SUCCESS)
}

fn scale(
    args: &ScaleArgs,
    cluster: &Cluster,
    info: &Info,
    options: &WriteOptions,
) -> Result<(), CliError> {
    let place = info.place();
    let version = args.resource_version.as_deref().filter(|v| !v.is_empty());
    if args.current_replicas >= 0 || version.is_some() {
        let scale = cluster.scale(&place, &info.name)?;
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
    }
    let mut patch = json!({"spec": {"replicas": args.replicas}});
    if let Some(version) = version {
        patch["metadata"] = json!({"resourceVersion": version});
    }
    let how = (PatchType::Merge, &patch);
    cluster.patch_scale(&place, &info.name, how, options)?;
    Ok(())
}

fn replicas(scale: &Value) -> i64 {
    scale["spec"]["replicas"].as_i64().unwrap_or(0)
}

/// Waits until as many are there as were asked for.
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
        let scale = cluster.scale(&info.place(), &info.name)?;
        let there = scale["status"]["replicas"].as_i64().unwrap_or(0);
        Ok((there == replicas(&scale)).then_some(()))
    })?;
    done.ok_or_else(|| CliError::TimedOut("timed out waiting for the condition".to_owned()))
}
