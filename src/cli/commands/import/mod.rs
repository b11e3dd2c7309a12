//! `ctl import`.

mod access;
mod live;
mod record;

use std::fs::File;
use std::io::{self, BufRead as _, BufReader, Read, Seek as _};
use std::path::Path;
use std::process::ExitCode;

use clap::Args;

use super::Outcome;
use crate::api::json::{Value, json};
use crate::cli::context::Context;
use crate::cli::error::CliError;
use crate::cli::options::StructuredOutputArgs;
use crate::cli::resource::{Builder, FileArgs};
use crate::cli::state_dir::is_cluster;
use crate::cli::waiting::{Completed, Progress};
use crate::cluster::{self, Cluster, Import, Range};
use crate::sys::archive;

/// Import objects of another cluster unchanged
///
/// Reads the output of `kubectl get -A -o yaml` or -o json, of `kubectl cluster-info dump`, or any manifests.
/// Unlike `ctl apply`, it keeps uids, owners, status, times and field owners. The fake kubelet takes over the
/// nodes. The import creates missing namespaces and nodes. It drops owner references without an owner, because the
/// garbage collector would delete the object, and does not change objects that exist with another uid: import into
/// a new cluster to get an exact copy. A file of `ctl export` becomes a new cluster with its history.
///
/// With --kubeconfig, it reads the objects of a live cluster through its API and writes nothing there. It replaces
/// the values of Secrets with REDACTED unless you add --secrets. With a message, it leaves out kinds that ctl does
/// not serve and kinds that the user may not list. With --watch, every further change becomes a commit, until you
/// interrupt the command: `ctl log`, `ctl get --at` and `ctl replay` show the history of the live cluster.
///
/// Examples:
///   kubectl get all,cm,ns,nodes,pvc,pv -A -o yaml | ctl import - --state ./copy
///   ctl import ./dump --state ./copy        a directory, read recursively
///   ctl import run.tgz --state ./run        an export, with its history
///   ctl import --kubeconfig ~/.kube/config --context prod --state ./prod
///   ctl import --kubeconfig ~/.kube/config --watch --state ./incident
#[derive(Args, Debug)]
#[command(verbatim_doc_comment)]
pub(crate) struct ImportArgs {
    /// Files or directories; - reads standard input
    #[arg(value_name = "FILE")]
    from: Vec<String>,
    /// kubeconfig of a live cluster to read
    #[arg(long, value_name = "FILE")]
    kubeconfig: Option<String>,
    /// Context of the kubeconfig; by default the current one
    #[arg(long, value_name = "NAME")]
    context: Option<String>,
    /// Record the changes of the live cluster until interrupted
    #[arg(short = 'w', long, requires = "kubeconfig", conflicts_with = "from")]
    watch: bool,
    /// Keep the values of the live cluster's Secrets
    #[arg(long, requires = "kubeconfig", conflicts_with = "from")]
    secrets: bool,
    #[command(flatten)]
    answer: StructuredOutputArgs,
}

/// The number of lines of one kind that are printed; the rest are only counted.
const SHOWN: usize = 10;

pub(crate) fn run(args: &ImportArgs, context: &Context) -> Outcome {
    args.answer.check()?;
    // With files, the flag selects the cluster to import into, as for every other command.
    if let (Some(file), true) = (&args.kubeconfig, args.from.is_empty()) {
        return live::run(args, file, context);
    }
    if args.from.is_empty() {
        return Err(context.usage(
            "import needs a FILE, a directory or - for standard input, or --kubeconfig FILE for a live cluster",
        ));
    }
    if let Some(directory) = args.from.iter().find(|from| is_cluster(Path::new(from))) {
        return Err(CliError::text(format!(
            "{directory} is a cluster of ctl: `ctl cluster copy` copies it with its history"
        )));
    }
    if let Some(archive) = archive(&args.from)? {
        return restore(args, archive, context);
    }
    let (objects, errors) = read(args, context)?;
    if objects.is_empty() {
        CliError::all(errors)?;
        return Err(CliError::text("no objects found to import"));
    }
    let cluster = target(context)?;
    store(&cluster, objects, errors, args, context)?;
    Ok(ExitCode::SUCCESS)
}

/// Returns the cluster to import into.
fn target(context: &Context) -> Result<Cluster, CliError> {
    // `api` would fill a new cluster first, and its objects would keep out imported ones with their names.
    let mut cluster = context.cluster()?;
    cluster.act_as(context.user());
    Ok(cluster)
}

/// Imports the objects. Reports them and everything that could not be read.
fn store(
    cluster: &Cluster,
    objects: Vec<Value>,
    mut errors: Vec<CliError>,
    args: &ImportArgs,
    context: &Context,
) -> Result<(), CliError> {
    // A dump of a large cluster takes several commits and many seconds, so there is a progress bar.
    let (progress, all) = (Progress::new(&context.ui), objects.len());
    let report = cluster
        .stored()
        .import_with_progress(objects, &mut |done| {
            progress.show(Completed { done, all }, "importing objects");
        })?;
    // The bar is removed before anything is printed, or the first warning would be appended to it.
    drop(progress);
    for field in &report.unknown_fields {
        context.ui.warn(&format!("{field}: unknown field, dropped"));
    }
    if args.answer.is_human() {
        remarks(&report, context);
    }
    args.answer
        .print(context, sentence(&report), &data(&report))?;
    let refused = report.refused.iter();
    // The errors come last, because the accepted objects are imported despite them.
    errors.extend(refused.map(|(object, why)| CliError::text(format!("{object}: {why}"))));
    CliError::all(errors)
}

/// Returns the export if the arguments name one.
fn archive(from: &[String]) -> Result<Option<Box<dyn Read>>, CliError> {
    let [name] = from else {
        let is_export = |name: &&String| matches!(opened(name), Ok(Some(_)));
        return match from.iter().find(is_export) {
            Some(name) => Err(CliError::text(format!(
                "{name} is an export of a cluster: import it alone"
            ))),
            None => Ok(None),
        };
    };
    if name == "-" {
        // The bytes are not consumed, because manifests are read from the same stream.
        let mut input = io::stdin().lock();
        let begin = input
            .fill_buf()
            .map_err(|e| CliError::text(format!("STDIN: {e}")))?;
        return Ok(archive::is_archive(begin).then(|| Box::new(input) as Box<dyn Read>));
    }
    let file = opened(name)?;
    Ok(file.map(|file| Box::new(BufReader::new(file)) as Box<dyn Read>))
}

/// Opens a file if it is an export.
fn opened(name: &str) -> Result<Option<File>, CliError> {
    let Ok(mut file) = File::open(name) else {
        return Ok(None);
    };
    let mut begin = [0; 2];
    // A directory cannot be read here. Errors of a file are reported when its manifests are read.
    if file.read_exact(&mut begin).is_err() || !archive::is_archive(&begin) {
        return Ok(None);
    }
    let fail = |e: io::Error| CliError::text(format!("{name}: {e}"));
    file.rewind().map_err(fail)?;
    Ok(Some(file))
}

/// Restores a cluster from an export.
fn restore(args: &ImportArgs, archive: Box<dyn Read>, context: &Context) -> Outcome {
    let directory = context.directory()?;
    let from = &args.from[0];
    let restored = cluster::restore(archive, &directory, context.open()?);
    let cluster = restored.map_err(|e| CliError::text(format!("{from}: {e}")))?;
    let revision = cluster.stored().revision()?;
    let objects = cluster.stored().list(&Range::all(), None)?.items.len();
    let data = json!({"objects": objects, "revision": revision, "directory": directory.display().to_string()});
    let sentence = format!("imported a cluster of {objects} objects at revision {revision}");
    args.answer.print(context, sentence, &data)?;
    Ok(ExitCode::SUCCESS)
}

/// Reads all objects in the files, even those of unknown kinds, because a definition may be in another file.
fn read(args: &ImportArgs, context: &Context) -> Result<(Vec<Value>, Vec<CliError>), CliError> {
    let files = FileArgs {
        filename: args.from.clone(),
        recursive: true,
        ..FileArgs::default()
    };
    // The kinds of an existing cluster help to read the files, but a failed import must not create a cluster.
    let there = context.api_if_exists()?;
    let found = Builder::new(context, there.as_ref())?
        .files(&files)
        .with_own_definitions()
        .without_logs()
        .find()?;
    let (found, errors) = found.split();
    Ok((found.into_iter().map(|info| info.object).collect(), errors))
}

fn count(report: &Import) -> usize {
    report.written.values().sum()
}

fn sentence(report: &Import) -> String {
    let (objects, kinds) = (count(report), report.written.len());
    if objects == 0 && report.refused.is_empty() {
        return "nothing to import: the cluster has these objects".to_owned();
    }
    let plural = |n: usize| if n == 1 { "" } else { "s" };
    format!(
        "imported {objects} object{} of {kinds} kind{} at revision {}",
        plural(objects),
        plural(kinds),
        report.revision
    )
}

/// Reports how the imported cluster differs from the files.
fn remarks(report: &Import, context: &Context) {
    let created = |what: &str, names: &[String]| -> Vec<String> {
        let line = |name: &String| format!("created {what} {name:?}, which is not in the import");
        names.iter().map(line).collect()
    };
    // Existing objects are never overwritten: an import may be repeated after the cluster has changed.
    let kept = report.kept.iter();
    let kept = kept.map(|object| format!("{object} exists with another uid and stays as it is"));
    let dropped = report.dropped.iter().map(|dropped| {
        let (object, owner) = (&dropped.object, &dropped.owner);
        format!("{object}: dropped the owner {owner}, which is not in the import")
    });
    for lines in [
        created("namespace", &report.namespaces),
        created("fake node", &report.nodes),
        kept.collect(),
        dropped.collect(),
    ] {
        // A dump of a real cluster refers to thousands of owners that it lacks; -o json lists all of them.
        note_some(&lines, context);
    }
}

/// Prints the first lines and the number of the others.
fn note_some(lines: &[String], context: &Context) {
    let first = lines.iter().take(SHOWN);
    first.for_each(|line| context.ui.note(line));
    let rest = lines.len().saturating_sub(SHOWN);
    if rest > 0 {
        context.ui.note(&format!("and {rest} more like this"));
    }
}

fn data(report: &Import) -> Value {
    let dropped = report.dropped.iter();
    let dropped: Vec<Value> = dropped
        .map(|d| json!({"object": d.object, "owner": d.owner}))
        .collect();
    let refused = report.refused.iter();
    let refused: Vec<Value> = refused
        .map(|(object, why)| json!({"object": object, "reason": why}))
        .collect();
    json!({
        "revision": report.revision, "objects": count(report), "written": report.written,
        "kept": report.kept, "droppedOwners": dropped, "createdNodes": report.nodes,
        "createdNamespaces": report.namespaces, "refused": refused,
        "unknownFields": report.unknown_fields,
    })
}

#[cfg(test)]
mod tests {
    use crate::api::json::json;
    use crate::cli::testing::Shell;

    const DUMP: &str = r#"
apiVersion: v1
kind: List
items:
- apiVersion: v1
  kind: Pod
  metadata:
    name: web-1
    namespace: shop
    uid: u-1
    creationTimestamp: "2025-05-05T05:05:05Z"
    ownerReferences:
    - {apiVersion: apps/v1, kind: ReplicaSet, name: web, uid: u-0, controller: true, blockOwnerDeletion: true}
  spec:
    nodeName: worker-1
    containers:
    - {name: c, image: nginx}
  status: {phase: Running, podIP: 10.1.2.3}
"#;

    #[test]
    fn a_dump_becomes_a_cluster_that_settles() {
        let shell = Shell::empty();
        shell.write("dump.yaml", DUMP);
        let said = shell.run("import @/dump.yaml");
        assert!(
            said.out
                .starts_with("imported 1 object of 1 kind at revision "),
            "{said:?}"
        );
        assert_eq!(
            said.err,
            "created namespace \"shop\", which is not in the import\n\
             created fake node \"worker-1\", which is not in the import\n\
             pods/web-1 in namespace shop: dropped the owner ReplicaSet/web, which is not in the import\n"
        );
        assert_eq!(shell.out("get nodes -o name"), "node/worker-1\n");
        let pod = "get pod web-1 -n shop -o jsonpath={.metadata.uid},{.status.podIP},{.metadata.ownerReferences}";
        assert_eq!(shell.out(pod), "u-1,10.1.2.3,");
        let _ = shell.out("settle");
        assert_eq!(shell.out(pod), "u-1,10.1.2.3,");
        // The Pod has run since the dump was made; importing the dump again restores the old state.
        let again = shell.json("import @/dump.yaml -o json");
        assert_eq!(
            (&again["kept"], &again["createdNodes"]),
            (&json!([]), &json!([]))
        );
    }

    /// Returns the definition of a kind, and an object of that kind.
    fn custom(kind: &str) -> (String, String) {
        let singular = kind.to_lowercase();
        let definition = format!(
            "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\n\
             metadata: {{name: {singular}s.example.com}}\nspec:\n  group: example.com\n  scope: Namespaced\n  \
             names: {{kind: {kind}, listKind: {kind}List, plural: {singular}s, singular: {singular}}}\n  \
             versions:\n  - name: v1\n    served: true\n    storage: true\n    \
             schema: {{openAPIV3Schema: {{type: object, x-kubernetes-preserve-unknown-fields: true}}}}\n"
        );
        let object = format!(
            "apiVersion: example.com/v1\nkind: {kind}\nmetadata: {{name: a, namespace: default, uid: u-{singular}}}\n"
        );
        (definition, object)
    }

    #[test]
    fn kinds_are_known_from_the_cluster_and_from_any_file() {
        let shell = Shell::empty();
        let (widgets, widget) = custom("Widget");
        let (gadgets, gadget) = custom("Gadget");
        shell.write("widgets.yaml", &widgets);
        let _ = shell.out("create -f @/widgets.yaml");
        shell.write("widget.yaml", &widget);
        let said = shell.out("import @/widget.yaml");
        assert!(said.starts_with("imported 1 object of 1 kind"), "{said}");
        // The definition comes after its object.
        shell.write("all.yaml", format!("{gadget}---\n{gadgets}---\n{widget}"));
        let said = shell.out("import @/all.yaml");
        assert!(said.starts_with("imported 2 objects of 2 kinds"), "{said}");
        assert_eq!(
            shell.out("get widgets,gadgets -o name"),
            "widget.example.com/a\ngadget.example.com/a\n"
        );
    }

    #[test]
    fn the_output_of_cluster_info_dump_becomes_a_cluster() {
        let shell = Shell::new();
        shell.all(&["run web --image=shop:1", "settle"]);
        // The lists of a dump name the kind of their items only once, and logs follow them.
        let dump = shell.out("cluster-info dump -A");
        assert!(dump.contains("\n==== START logs for container web of pod default/web ====\n"));
        let copy = Shell::empty();
        // Go writes an empty list as null.
        let empty = "{\"kind\": \"PodList\", \"apiVersion\": \"v1\", \"items\": null}\n";
        copy.write("dump.json", format!("{empty}{dump}"));
        let said = copy.run("import @/dump.json");
        assert_eq!(said.code, 0, "{said:?}");
        let uid = "get pods,nodes -A -o jsonpath={.items[*].metadata.uid}";
        assert_eq!(copy.out(uid), shell.out(uid));
    }

    #[test]
    fn files_that_are_no_export_leave_no_directory() {
        let shell = Shell::empty();
        // The file has the magic number of gzip.
        shell.write("cut.tgz", b"\x1f\x8b\x08");
        let told = shell.fails("import @/cut.tgz");
        assert!(!shell.state().exists(), "{told}");
    }

    #[test]
    fn nothing_to_import_makes_no_cluster() {
        let shell = Shell::empty();
        shell.write("none.yaml", "# nothing\n");
        let told = shell.fails("import @/none.yaml");
        assert_eq!(told, "error: no objects found to import");
        assert!(!shell.state().exists());
    }
}
