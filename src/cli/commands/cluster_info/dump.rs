//! `ctl cluster-info dump`.

use std::fs;
use std::path::Path;
use std::process::ExitCode;

use clap::Args;

use crate::api::json::{Value, json};
use crate::cli::commands::{Outcome, pods};
use crate::cli::context::Context;
use crate::cli::error::CliError;
use crate::cli::flags::Span;
use crate::cli::options::OutputArgs;
use crate::cluster::{Cluster, LogOptions, Place};
use crate::kinds::tree::{field, list, text};
use crate::kinds::{self, Kind};
use crate::kubelet::logs;
use crate::print::Format;

/// The namespaced kinds that are dumped, with the names of their files.
const KINDS: &[(&str, &str, &str)] = &[
    ("", "Event", "events"),
    ("", "ReplicationController", "replication-controllers"),
    ("", "Service", "services"),
    ("apps", "DaemonSet", "daemonsets"),
    ("apps", "Deployment", "deployments"),
    ("apps", "ReplicaSet", "replicasets"),
    ("", "Pod", "pods"),
];

/// Dump information for debugging
///
/// Examples:
///   ctl cluster-info dump
///   ctl cluster-info dump --output-directory=dump
///   ctl cluster-info dump --namespaces=default,kube-system -o yaml
#[derive(Args, Debug)]
#[command(verbatim_doc_comment)]
pub(super) struct DumpArgs {
    // kubectl ignores words.
    #[arg(id = "words", value_name = "WORDS", hide = true)]
    _words: Vec<String>,
    /// Select objects in all namespaces
    #[arg(short = 'A', long)]
    all_namespaces: bool,
    /// Namespaces to dump
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    namespaces: Vec<String>,
    /// Directory for the files; - or nothing prints to standard output
    #[arg(long, value_name = "DIR", default_value = "")]
    output_directory: String,
    /// Has no effect here: logs are available at once
    #[arg(long, value_name = "TIME", default_value = "20s")]
    pod_running_timeout: Span,
    #[command(flatten)]
    output: OutputArgs,
}

/// A dump in progress.
struct Dump<'a> {
    args: &'a DumpArgs,
    context: &'a Context,
    cluster: &'a Cluster,
    format: Format,
    ending: &'static str,
}

pub(super) fn run(args: &DumpArgs, context: &Context) -> Outcome {
    let mut output = args.output.clone();
    if output.output.is_none() && output.template.is_none() {
        // kubectl's dump defaults to JSON instead of a table, because programs read it.
        output.output = Some("json".to_owned());
    }
    if !output.is_human() && output.output.as_deref() != Some("name") {
        return dumped(args, context, &output);
    }
    // An empty format means names, which lists do not have.
    let text = "list types are not supported by name printing: *v1.NodeList";
    Err(CliError::text(text))
}

fn dumped(args: &DumpArgs, context: &Context, output: &OutputArgs) -> Outcome {
    let format = match output.format(false, false)? {
        // kubectl decodes into Go structs here, which determine the order of the fields and show an empty `status`.
        Format::Printer(printer) => Format::Printer(printer.typed()),
        other => other,
    };
    let cluster = context.api()?;
    pods::check_timeout(args.pod_running_timeout)?;
    let mut dump = Dump {
        args,
        context,
        cluster: &cluster,
        format,
        ending: match output.output.as_deref() {
            Some("json") => ".json",
            Some("yaml") => ".yaml",
            _ => ".txt",
        },
    };
    dump.objects("", kind("", "Node")?, "nodes")?;
    for namespace in dump.namespaces()? {
        dump.namespace(&namespace)?;
    }
    if !dump.is_on_stdout() {
        let directory = &args.output_directory;
        context
            .ui
            .line(format_args!("Cluster info dumped to {directory}"))?;
    }
    Ok(ExitCode::SUCCESS)
}

fn kind(group: &str, kind: &str) -> Result<&'static Kind, CliError> {
    kinds::find(group, "v1", kind).ok_or_else(|| CliError::text(format!("there is no kind {kind}")))
}

impl Dump<'_> {
    fn is_on_stdout(&self) -> bool {
        matches!(self.args.output_directory.as_str(), "" | "-")
    }

    fn namespaces(&self) -> Result<Vec<String>, CliError> {
        if self.args.all_namespaces {
            let all = self.list(&Place::new(kind("", "Namespace")?, ""))?;
            let name = |object: &Value| text(&object["metadata"], "name").to_owned();
            return Ok(all.iter().map(name).collect());
        }
        if self.args.namespaces.is_empty() {
            // kubectl's default is the control plane's namespace and then the current one.
            return Ok(vec!["kube-system".to_owned(), self.context.namespace()?]);
        }
        Ok(self.args.namespaces.clone())
    }

    fn list(&self, place: &Place) -> Result<Vec<Value>, CliError> {
        Ok(self.cluster.list(place, &|_| true, None)?.items)
    }

    fn namespace(&mut self, namespace: &str) -> Result<(), CliError> {
        for (group, name, file) in KINDS {
            let file = format!("{namespace}/{file}");
            self.objects(namespace, kind(group, name)?, &file)?;
        }
        for pod in self.list(&Place::new(kind("", "Pod")?, namespace))? {
            let name = text(&pod["metadata"], "name");
            let mut log = String::new();
            // Init containers come first, as in kubectl, because their failure explains why the others have no log.
            for kind in ["initContainers", "containers"] {
                for container in list(&pod["spec"], kind) {
                    log.push_str(&self.log(&pod, text(container, "name"))?);
                }
            }
            self.write(&format!("{namespace}/{name}/logs.txt"), &log)?;
        }
        Ok(())
    }

    fn objects(
        &mut self,
        namespace: &str,
        kind: &'static Kind,
        file: &str,
    ) -> Result<(), CliError> {
        let place = Place::new(kind, namespace);
        let found = self.cluster.list(&place, &|_| true, None)?;
        let bare = |mut object: Value| {
            // Go does not serialize the kind of items in a typed list.
            if let Some(map) = object.as_object_mut() {
                map.remove("kind");
                map.remove("apiVersion");
            }
            object
        };
        let items: Vec<Value> = found.items.into_iter().map(bare).collect();
        // kubectl decodes protobuf here, in which an empty list is absent.
        let items = (!items.is_empty()).then_some(items);
        let list = json!({
            "apiVersion": place.kind.api_version(),
            "kind": place.kind.list_kind(),
            "metadata": {"resourceVersion": found.revision.to_string()},
            "items": items,
        });
        let made = match &mut self.format {
            Format::Printer(printer) => printer.print(&list),
            _ => Ok(String::new()),
        };
        match made {
            Ok(text) => self.write(&format!("{file}{}", self.ending), &text),
            Err(failure) => Err(CliError::text(failure.message)),
        }
    }

    fn write(&self, file: &str, text: &str) -> Result<(), CliError> {
        if self.is_on_stdout() {
            return self.context.ui.out(text);
        }
        let path = Path::new(&self.args.output_directory).join(file);
        let failed = |e: std::io::Error| CliError::text(format!("{}: {e}", path.display()));
        if let Some(parent) = path.parent() {
            fs::create_dir_all(parent).map_err(failed)?;
        }
        crate::cli::output::write_file(&path, text).map_err(failed)
    }

    fn log(&self, pod: &Value, container: &str) -> Result<String, CliError> {
        let meta = &pod["metadata"];
        let of = format!(
            "logs for container {container} of pod {}/{} ====\n",
            text(meta, "namespace"),
            text(meta, "name")
        );
        // The API server's log of a Pod without a node is empty.
        if text(field(pod, "spec"), "nodeName").is_empty() {
            return Ok(format!("==== START {of}==== END {of}"));
        }
        let (mode, now) = (self.cluster.settings().pods, self.cluster.now()?);
        let options = LogOptions::default();
        let read = logs::read(pod, container, mode, &options, now);
        // An unreadable log must not end a dump that is made to find a problem.
        let text = read.unwrap_or_else(|e| format!("Request log error: {}\n", e.message));
        Ok(format!("==== START {of}{text}==== END {of}"))
    }
}

#[cfg(test)]
mod tests {
    use crate::cli::testing::Shell;

    fn shell() -> Shell {
        let shell = Shell::new();
        shell.all(&["run web --image=nginx", "settle", "create ns blue"]);
        shell
    }

    #[test]
    fn files_lie_in_a_directory_for_each_namespace() {
        let shell = shell();
        let out = shell
            .out("cluster-info dump --output-directory=@/dump --namespaces=default,blue -o yaml");
        assert_eq!(out, "Cluster info dumped to @/dump\n");
        for file in [
            "nodes.yaml",
            "default/pods.yaml",
            "default/web/logs.txt",
            "blue/services.yaml",
        ] {
            assert!(shell.path("dump").join(file).exists(), "{file}");
        }
        assert!(!shell.path("dump/kube-system").exists());
        let pods = std::fs::read_to_string(shell.path("dump/default/pods.yaml")).unwrap();
        assert!(
            pods.contains("kind: PodList") && pods.contains("name: web"),
            "{pods}"
        );
    }

    #[test]
    fn dump_without_a_directory_prints_everything() {
        let shell = shell();
        let out = shell.out("cluster-info dump");
        assert!(
            out.starts_with("{\n    \"kind\": \"NodeList\","),
            "{}",
            &out[..80]
        );
        assert!(out.contains("==== START logs for container web of pod default/web ====\n"));
        assert!(!out.contains("\"namespace\": \"blue\""));
        let all = shell.out("cluster-info dump -A -o jsonpath={.kind}");
        assert!(all.len() > out.matches("List\",").count());
        assert_eq!(shell.out("cluster-info dump ignored"), out);
        let empty = shell.out("cluster-info dump --namespaces=none");
        assert!(empty.ends_with("    \"items\": null\n}\n"), "{empty}");
        shell.all(&["run waiting --image=nginx"]);
        let out = shell.out("cluster-info dump");
        let (_, log) = out
            .split_once("==== START logs for container waiting ")
            .unwrap();
        let lines: Vec<&str> = log.lines().take(2).collect();
        assert_eq!(
            lines,
            [
                "of pod default/waiting ====",
                "==== END logs for container waiting of pod default/waiting ===="
            ]
        );
        shell.refuses(&[(
            "cluster-info dump --pod-running-timeout=0",
            "--pod-running-timeout must be higher than zero",
        )]);
    }
}
