//! `ctl fault`.

mod api;

use std::process::ExitCode;

use clap::{Args, Subcommand, ValueEnum};

use super::Outcome;
use crate::api::json::{Map, Text, Value, json};
use crate::cli::context::Context;
use crate::cli::error::CliError;
use crate::cli::options::{DryRun, OutputArgs, ResultPrinter, StructuredOutputArgs};
use crate::cli::resource::Info;
use crate::cluster::{ApiError, Cluster, PatchType, Place, WriteOptions};
use crate::kinds::fake;
use crate::kinds::moment;
use crate::kinds::tree::{at, entries, field, int, list, text};

/// Inject faults into nodes, Pods and the API
///
/// Faults of nodes and Pods are annotations that the fake kubelet reads; for workloads, set them in
/// the Pod template. Faults of the API are rules in cluster.yaml that apply to every request of
/// commands, of `ctl serve` and of the controllers. `ctl fault clear` removes them.
///
/// Examples:
///   ctl fault node node-1 --down
///   ctl fault pod web-0 --crash 137
///   ctl fault pod web-0 --image not-found --container app
///   ctl fault api --verb create,update --kind pods --rate 30% --code 500
///   ctl fault clear node node-1
///   ctl fault clear api
#[derive(Args, Debug)]
#[command(verbatim_doc_comment)]
pub(crate) struct FaultArgs {
    #[command(subcommand)]
    what: FaultCommand,
}

#[derive(Debug, Subcommand)]
enum FaultCommand {
    Node(NodeArgs),
    Pod(PodArgs),
    Api(api::ApiArgs),
    Clear(ClearArgs),
    List(ListArgs),
}

/// Take a node down, or make it not ready or slow
///
/// Examples:
///   ctl fault node node-1 --down
///   ctl fault node node-1 --not-ready='the disk is full'
///   ctl fault node node-1 --up
#[derive(Args, Debug)]
#[command(verbatim_doc_comment)]
struct NodeArgs {
    /// The node
    name: String,
    /// Stop the node's heartbeats
    #[arg(long, conflicts_with = "up")]
    down: bool,
    /// Resume the node's heartbeats
    #[arg(long)]
    up: bool,
    /// Make the node report NotReady, with this message
    #[arg(long, value_name = "MESSAGE", num_args = 0..=1, require_equals = true,
        default_missing_value = "the fault was ordered")]
    not_ready: Option<String>,
    /// Delay the start of containers on the node
    #[arg(long, value_name = "TIME")]
    slow: Option<String>,
    #[command(flatten)]
    output: OutputArgs,
}

/// Make the containers of a Pod crash, fail to start, or become slow or not ready
///
/// Examples:
///   ctl fault pod web-0 --crash 137
///   ctl fault pod web-0 --exit-code 1 --exit-after 30s
///   ctl fault pod web-0 --image not-found --container app
#[derive(Args, Debug)]
#[command(verbatim_doc_comment)]
struct PodArgs {
    /// The Pod
    name: String,
    /// Affect only this container
    #[arg(short, long)]
    container: Option<String>,
    /// Crash once, now, with this exit code
    #[arg(long, value_name = "CODE")]
    crash: Option<u8>,
    /// Exit code of every run
    #[arg(long, value_name = "CODE")]
    exit_code: Option<u8>,
    /// Time that a container runs before it exits
    #[arg(long, value_name = "TIME")]
    exit_after: Option<String>,
    /// Time after which a container runs out of memory
    #[arg(long, value_name = "TIME")]
    oom_after: Option<String>,
    /// Make the image unavailable
    #[arg(long, value_name = "WHY")]
    image: Option<ImageFault>,
    /// Time until a container starts
    #[arg(long, value_name = "TIME")]
    start_delay: Option<String>,
    /// Time until a container becomes ready
    #[arg(long, value_name = "TIME")]
    ready_delay: Option<String>,
    /// Make the readiness probe fail
    #[arg(long)]
    not_ready: bool,
    /// Make the liveness probe fail
    #[arg(long)]
    not_alive: bool,
    /// Time that the Pod takes to end when it is deleted
    #[arg(long, value_name = "TIME")]
    stop_delay: Option<String>,
    /// Evict the Pod, for this reason
    #[arg(long, value_name = "MESSAGE")]
    evict: Option<String>,
    #[command(flatten)]
    output: OutputArgs,
}

/// Remove all faults of a node, of a Pod or of the API
///
/// Examples:
///   ctl fault clear node node-1
///   ctl fault clear pod web-0
///   ctl fault clear api         every rule
///   ctl fault clear api slow    the rule of this name
#[derive(Args, Debug)]
#[command(verbatim_doc_comment)]
struct ClearArgs {
    /// node, pod or api
    kind: Clearable,
    /// Name of the node, the Pod or the rule; without it, all rules of the API
    name: Option<String>,
    #[command(flatten)]
    output: OutputArgs,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum Clearable {
    Node,
    Pod,
    Api,
}

/// List the injected faults
///
/// Example: ctl fault list -o json
#[derive(Args, Debug)]
struct ListArgs {
    #[command(flatten)]
    answer: StructuredOutputArgs,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum ImageFault {
    NotFound,
    Invalid,
    Never,
}

#[derive(Clone, Copy, Debug)]
enum FaultyKind {
    Node,
    Pod,
}

impl FaultyKind {
    fn name(self) -> &'static str {
        match self {
            Self::Node => "node",
            Self::Pod => "pod",
        }
    }

    fn kind(self) -> &'static str {
        match self {
            Self::Node => "Node",
            Self::Pod => "Pod",
        }
    }

    fn place(self, context: &Context) -> Result<Place, CliError> {
        let kind = crate::kinds::find_by_api_version("v1", self.kind());
        let kind = kind.ok_or_else(|| CliError::text("there are no such objects"))?;
        Ok(Place::new(kind, &context.namespace()?))
    }
}

pub(crate) fn run(args: &FaultArgs, context: &Context) -> Outcome {
    let mut cluster = context.api()?;
    match &args.what {
        FaultCommand::Node(args) => {
            let mut printer = ResultPrinter::new(&args.output, DryRun::None, context)?;
            let annotations = of_node(args, &cluster)?;
            let node = annotate(context, &cluster, FaultyKind::Node, &args.name, annotations)?;
            printer.print_result(&node, "annotated")?;
        }
        FaultCommand::Pod(args) => {
            let mut printer = ResultPrinter::new(&args.output, DryRun::None, context)?;
            let place = FaultyKind::Pod.place(context)?;
            // The Pod is read first, because --crash needs the current number of restarts.
            let pod = cluster.get(&place, &args.name)?;
            let annotations = of_pod(args, &pod)?;
            let pod = annotate(context, &cluster, FaultyKind::Pod, &args.name, annotations)?;
            printer.print_result(&pod, "annotated")?;
        }
        FaultCommand::Api(args) => return api::order(args, context, &mut cluster),
        FaultCommand::Clear(args) => {
            let kind = match args.kind {
                Clearable::Node => FaultyKind::Node,
                Clearable::Pod => FaultyKind::Pod,
                Clearable::Api => {
                    let answer = StructuredOutputArgs::from_output(&args.output);
                    return api::clear(args.name.as_deref(), &answer, context, &mut cluster);
                }
            };
            let name = args.name.as_deref();
            let name = name.ok_or_else(|| CliError::text("specify the name of the node or Pod"))?;
            clear(args, kind, name, context, &cluster)?;
        }
        FaultCommand::List(args) => show(args, context, &cluster)?,
    }
    Ok(ExitCode::SUCCESS)
}

fn clear(
    args: &ClearArgs,
    kind: FaultyKind,
    name: &str,
    context: &Context,
    cluster: &Cluster,
) -> Result<(), CliError> {
    let mut printer = ResultPrinter::new(&args.output, DryRun::None, context)?;
    let place = kind.place(context)?;
    let object = cluster.get(&place, name)?;
    let annotations: Map = faults(&object)
        // In a merge patch, null removes a key, and other annotations are not affected.
        .map(|(name, _)| (name.to_owned(), Value::Null))
        .collect();
    if annotations.is_empty() {
        // This is not an error, so that a script can clear faults without knowing if there are any.
        return printer.print_result(&Info::at(&place, object), "has no faults");
    }
    let now = annotate(context, cluster, kind, name, annotations)?;
    printer.print_result(&now, "annotated")
}

fn of_node(args: &NodeArgs, cluster: &Cluster) -> Result<Map, CliError> {
    let mut annotations = Map::new();
    if args.down {
        // The time is that of the cluster's clock, because an outage must make sense on a virtual clock.
        let now = moment::text(cluster.now()?);
        annotations.insert(fake::NODE_DOWN.to_owned(), json!(now));
    }
    if args.up {
        // `--up` ends both kinds of outage, but a slow node stays slow until `fault clear`.
        for name in [fake::NODE_DOWN, fake::NODE_NOT_READY] {
            annotations.insert(name.to_owned(), Value::Null);
        }
    }
    if let Some(message) = &args.not_ready {
        annotations.insert(fake::NODE_NOT_READY.to_owned(), json!(message));
    }
    if let Some(time) = &args.slow {
        annotations.insert(fake::NODE_SLOW.to_owned(), json!(checked(time)?));
    }
    some(annotations)
}

fn of_pod(args: &PodArgs, pod: &Value) -> Result<Map, CliError> {
    let mut annotations = Map::new();
    let mut add = |name: &str, value: String| {
        let name = match &args.container {
            // The fake kubelet prefers the annotation with the container's name to the general one.
            Some(container) => format!("{name}.{container}"),
            None => name.to_owned(),
        };
        annotations.insert(name, json!(value));
    };
    if let Some(code) = args.crash {
        add(
            fake::CRASH,
            // The count makes the container crash once: it no longer matches after the restart.
            format!("{code}@{}", restarts(pod, args.container.as_deref())?),
        );
    }
    if let Some(code) = args.exit_code {
        add(fake::EXIT_CODE, code.to_string());
    }
    if let Some(why) = args.image {
        let why = match why {
            ImageFault::NotFound => "not-found",
            ImageFault::Invalid => "invalid",
            ImageFault::Never => "never",
        };
        add(fake::IMAGE, why.to_owned());
    }
    for (name, time) in [
        (fake::EXIT_AFTER, &args.exit_after),
        (fake::OOM, &args.oom_after),
        (fake::START_DELAY, &args.start_delay),
        (fake::READY_DELAY, &args.ready_delay),
    ] {
        if let Some(time) = time {
            add(name, checked(time)?);
        }
    }
    if args.not_ready {
        add(fake::READY, "false".to_owned());
    }
    if args.not_alive {
        add(fake::LIVENESS, "fail".to_owned());
    }
    // These two affect the whole Pod, so they have no container name.
    if let Some(time) = &args.stop_delay {
        annotations.insert(fake::STOP_DELAY.to_owned(), json!(checked(time)?));
    }
    if let Some(message) = &args.evict {
        annotations.insert(fake::EVICT.to_owned(), json!(message));
    }
    some(annotations)
}

fn some(annotations: Map) -> Result<Map, CliError> {
    match annotations.is_empty() {
        true => Err(CliError::text(
            "specify at least one fault, such as --down or --crash",
        )),
        false => Ok(annotations),
    }
}

/// Checks a duration and returns it in its original form.
fn checked(time: &str) -> Result<String, CliError> {
    match moment::duration(time) {
        Some(_) => Ok(time.to_owned()),
        None => Err(CliError::text(format!(
            "{time:?} is not a duration such as 30s or 1m30s"
        ))),
    }
}

/// Returns the number of restarts of the container, or the highest number in the Pod.
fn restarts(pod: &Value, container: Option<&str>) -> Result<i64, CliError> {
    let mut statuses = list(field(pod, "status"), "containerStatuses").iter();
    match container {
        None => Ok(statuses.map(|s| int(s, "restartCount")).max().unwrap_or(0)),
        Some(name) => {
            let known = list(field(pod, "spec"), "containers")
                .iter()
                .any(|c| text(c, "name") == name);
            if !known {
                return Err(CliError::text(format!("the Pod has no container {name:?}")));
            }
            let own = statuses.find(|s| text(s, "name") == name);
            Ok(own.map_or(0, |s| int(s, "restartCount")))
        }
    }
}

/// Returns the annotations of an object that control the simulation.
pub(super) fn faults(object: &Value) -> impl Iterator<Item = (&str, &Value)> {
    entries(at(object, &["metadata"]), "annotations")
        .filter(|(name, _)| name.starts_with("ctl.dev/"))
}

fn annotate(
    context: &Context,
    cluster: &Cluster,
    kind: FaultyKind,
    name: &str,
    annotations: Map,
) -> Result<Info, CliError> {
    let names: Vec<&str> = annotations.keys().map(Text::as_str).collect();
    let options = WriteOptions {
        // The history shows the fault as the cause of everything that follows from it.
        rule: format!("fault: {}", names.join(", ")),
        ..WriteOptions::default()
    };
    let patch = json!({"metadata": {"annotations": annotations}});
    let place = kind.place(context)?;
    let answer: Result<_, ApiError> =
        cluster.patch(&place, name, (PatchType::Merge, &patch), false, &options);
    Ok(Info::at(&place, answer?.object))
}

fn show(args: &ListArgs, context: &Context, cluster: &Cluster) -> Result<(), CliError> {
    args.answer.check()?;
    let (mut lines, mut data) = api::list_rules(cluster);
    for kind in [FaultyKind::Node, FaultyKind::Pod] {
        let mut place = kind.place(context)?;
        // An empty namespace lists all namespaces, because a fault elsewhere is easily forgotten.
        place.namespace.clear();
        for object in cluster.list(&place, &|_| true, None)?.items {
            let meta = field(&object, "metadata");
            for (name, value) in faults(&object) {
                let (singular, object) = (kind.name(), text(meta, "name"));
                let name = name.trim_start_matches("ctl.dev/");
                let value = value.as_str().unwrap_or_default();
                lines.push(format!("{singular}/{object}: {name} = {value}"));
                data.push(json!({
                    "kind": kind.kind(), "name": object, "namespace": meta["namespace"],
                    "fault": name, "value": value,
                }));
            }
        }
    }
    if lines.is_empty() {
        lines.push("no faults are injected".to_owned());
    }
    args.answer
        .print(context, lines.join("\n"), &Value::from(data))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::testing::Shell;

    fn args() -> PodArgs {
        PodArgs {
            name: "p".to_owned(),
            container: None,
            crash: None,
            exit_code: None,
            exit_after: None,
            oom_after: None,
            image: None,
            start_delay: None,
            ready_delay: None,
            not_ready: false,
            not_alive: false,
            stop_delay: None,
            evict: None,
            output: OutputArgs::default(),
        }
    }

    #[test]
    fn faults_become_annotations() {
        let pod = json!({"spec": {"containers": [{"name": "c"}]}, "status": {"containerStatuses": [
            {"name": "c", "restartCount": 2},
        ]}});
        let crash = PodArgs {
            crash: Some(9),
            container: Some("c".to_owned()),
            stop_delay: Some("3s".to_owned()),
            ..args()
        };
        let annotations = of_pod(&crash, &pod).unwrap();
        let want = json!({"ctl.dev/crash.c": "9@2", "ctl.dev/stop-delay": "3s"});
        assert_eq!(Value::Object(annotations), want);
        let wrong = [
            PodArgs {
                start_delay: Some("soon".to_owned()),
                ..args()
            },
            PodArgs {
                container: Some("d".to_owned()),
                crash: Some(1),
                ..args()
            },
            args(),
        ];
        for args in wrong {
            assert!(of_pod(&args, &pod).is_err(), "{args:?}");
        }
    }

    #[test]
    fn faults_are_ordered_listed_and_taken_away() {
        let shell = Shell::empty();
        shell.all(&[
            "cluster init --nodes 1 --clock virtual",
            "run web --image=i",
        ]);
        assert_eq!(shell.out("fault list"), "no faults are injected\n");
        assert_eq!(
            shell.out("fault node node-0 --down"),
            "node/node-0 annotated\n"
        );
        assert_eq!(
            shell.out("fault pod web --exit-code 3 --exit-after 30s"),
            "pod/web annotated\n"
        );
        let listed = shell.out("fault list");
        assert!(listed.starts_with("node/node-0: node-down = "), "{listed}");
        assert!(
            listed.ends_with("pod/web: exit-after = 30s\npod/web: exit-code = 3\n"),
            "{listed}"
        );
        assert_eq!(
            shell.out("fault node node-0 --up"),
            "node/node-0 annotated\n"
        );
        assert_eq!(shell.out("fault clear pod web"), "pod/web annotated\n");
        assert_eq!(shell.out("fault clear pod web"), "pod/web has no faults\n");
        assert_eq!(shell.out("fault list"), "no faults are injected\n");
        shell.refuses(&[
            (
                "fault pod web",
                "specify at least one fault, such as --down or --crash",
            ),
            (
                "fault pod web --exit-after soon",
                "\"soon\" is not a duration such as 30s or 1m30s",
            ),
            ("fault clear node", "specify the name of the node or Pod"),
            (
                "fault pod none --crash 1",
                "Error from server (NotFound): pods \"none\" not found",
            ),
        ]);
    }
}
