//! `ctl diff`.

mod changes;
mod masked;
mod revisions;
mod unified;

pub(super) use changes::kept_lines;
pub(super) use masked::mask;

use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

use clap::Args;
use jiff::Timestamp;

use super::Outcome;
use super::apply::object::warn_if_terminating;
use super::apply::patch_errors::patch_error;
use super::apply::prune::{Prunable, typed};
use crate::api::json::Value;
use crate::api::yaml;
use crate::cli::context::Context;
use crate::cli::error::{CliError, FAILURE, system_words};
use crate::cli::history::AtArgs;
use crate::cli::options::{DryRun, ManagerArgs, write_options};
use crate::cli::resource::{Builder, FileArgs, Info, SelectorArgs, to_create};
use crate::cluster::{ApplyOptions, Cluster, FieldValidation, PatchType, Response, WriteOptions};
use crate::kinds::last_applied::{self, Patch};
use crate::print::objects;
use crate::sys::scratch::{ScratchDir, run_in_foreground};

/// The exit code if the comparison itself fails.
pub(super) const TROUBLE: u8 = 2;

/// Show the changes that apply would make, or those between two revisions
///
/// With --revision, shows the objects that differ between two points in the history (revisions, times or
/// marks): all of them, or those of -n NAMESPACE or TYPE/NAME.
///
/// The exit code is 0 without differences, 1 with differences, and above 1 on errors.
/// `KUBECTL_EXTERNAL_DIFF` selects another diff program.
///
/// Examples:
///   ctl diff -f web.yaml
///   cat web.yaml | ctl diff -f -
///   ctl diff --revision before..after        the changes between two marks
///   ctl diff --revision 40.. deploy/web      the changes of an object since revision 40
#[derive(Args, Debug)]
#[command(verbatim_doc_comment)]
pub(crate) struct DiffArgs {
    /// With --revision: only this object
    #[arg(value_name = "[TYPE/NAME]")]
    words: Vec<String>,
    #[command(flatten)]
    files: FileArgs,
    /// Label selector
    #[arg(short = 'l', long, value_name = "SELECTOR")]
    selector: Option<String>,
    /// Compare with the result of a server-side apply
    #[arg(long)]
    server_side: bool,
    /// Resolve conflicts by taking over the fields, with --server-side
    #[arg(long)]
    force_conflicts: bool,
    /// Show the data of Secrets unmasked
    #[arg(long)]
    show_secrets: bool,
    /// Show managedFields
    #[arg(long)]
    show_managed_fields: bool,
    /// Include the objects that apply --prune would delete
    #[arg(long)]
    prune: bool,
    /// Kinds that --prune may delete, as GROUP/VERSION/KIND
    #[arg(long, value_name = "KIND")]
    prune_allowlist: Vec<String>,
    /// Has no effect here; accepted for compatibility with kubectl
    #[arg(long, value_name = "COUNT", default_value_t = 1)]
    concurrency: i64,
    /// Show the changes between two points in the history; without the second one, up to now
    #[arg(long, value_name = "A..B")]
    revision: Option<String>,
    #[command(flatten)]
    at: AtArgs,
    #[command(flatten)]
    manager: ManagerArgs,
}

/// An object in its live and its merged state.
struct Pair {
    file: String,
    live: String,
    merged: String,
}

pub(crate) fn run(args: &DiffArgs, context: &Context) -> Outcome {
    differences(args, context).map_err(|e| match e {
        // To scripts, 1 means "there are differences", so errors exit with a higher code.
        CliError::ReaderGone => CliError::ReaderGone,
        e => CliError::Coded(Box::new(e), TROUBLE),
    })
}

fn differences(args: &DiffArgs, context: &Context) -> Outcome {
    if let Some(range) = &args.revision {
        return revisions::run(args, range, context);
    }
    if !args.words.is_empty() {
        return Err(context.unexpected(&args.words));
    }
    args.files.require()?;
    if args.force_conflicts && !args.server_side {
        let text = "--force-conflicts only works with --server-side";
        return Err(CliError::text(text));
    }
    let cluster = args.at.api(context)?;
    let prunable = Prunable {
        cluster: &cluster,
        allowlist: &args.prune_allowlist,
        labels: args.selector.as_deref().unwrap_or_default(),
        namespace: context.explicit_namespace(),
        ui: &context.ui,
    };
    if args.prune {
        prunable.check()?;
    }
    let selectors = SelectorArgs {
        selector: args.selector.clone(),
        field_selector: None,
    };
    let found = Builder::new(context, Some(&cluster))?
        .files(&args.files)
        .selectors(&selectors)
        .find()?;
    let mut options = write_options(
        context,
        DryRun::Server,
        args.manager.get(if args.server_side {
            "kubectl"
        } else {
            "kubectl-client-side-apply"
        }),
        // An unknown field is only a warning here; a later apply rejects it.
        FieldValidation::Warn,
    );
    // A dry run of the request that apply would send computes the merged state, so it includes defaults and admission.
    options.dry_run = true;
    let mut pairs = Vec::new();
    let mut kept = Vec::new();
    let mut each = |item: Result<Info, CliError>| -> Result<(), CliError> {
        let mut info = item?;
        info.require_name()?;
        pairs.push(pair(args, &cluster, &info, &options, context)?);
        if args.prune {
            let live = cluster.get(&info.place(), &info.name);
            // Prune identifies the manifest's objects by uid, which only the live object has.
            info.object = live.unwrap_or_default();
            kept.push(info);
        }
        Ok(())
    };
    let read = found.items.into_iter().try_for_each(&mut each);
    if args.prune {
        // Pruning starts after the whole manifest was read, because no object in it may be pruned. kubectl looks for
        // these objects even if the manifest has an error.
        for info in prunable.find(&kept)? {
            let live = Some(info.object.clone());
            // kubectl hides managed fields of compared objects, but not of objects to prune.
            pairs.push(masked(args, &info, live, None));
        }
    }
    read?;
    // An external program compares directories in the order of file names, and the built-in comparison matches it.
    pairs.sort_by_cached_key(|pair| pair.file.clone());
    let now = cluster.now()?;
    compare(&pairs, &[("LIVE", now), ("MERGED", now)], context)
}

/// Compares two sides, each with a name and a time.
fn compare(pairs: &[Pair], sides: &[(&str, Timestamp); 2], context: &Context) -> Outcome {
    match std::env::var("KUBECTL_EXTERNAL_DIFF") {
        Ok(program) if !program.is_empty() => external(&program, pairs, sides),
        _ => built_in(pairs, sides, context),
    }
}

fn pair(
    args: &DiffArgs,
    cluster: &Cluster,
    info: &Info,
    options: &WriteOptions,
    context: &Context,
) -> Result<Pair, CliError> {
    let live = match cluster
        .get(&info.place(), &info.name)
        .map_err(CliError::from)
    {
        Ok(live) => Some(live),
        Err(e) if e.is_not_found() => None,
        Err(e) => return Err(e),
    };
    let merged = merged(args, cluster, info, live.as_ref(), options, context);
    if let Ok(Some(answer)) = &merged {
        context.ui.warn_of(answer);
    }
    if let Some(live) = &live {
        warn_if_terminating(context, live, info);
    }
    let merged = merged?.map(|answer| answer.object);
    let merged = merged.or_else(|| live.clone());
    // kubectl's mask turns a Secret that does not exist yet into a text.
    let is_masked = info.kind.is_confidential() && !args.show_secrets;
    let live = live.or(is_masked.then_some(Value::Null));
    for object in [&live, &merged].into_iter().flatten() {
        objects::check_yaml(object).map_err(CliError::text)?;
    }
    Ok(shown(args, info, live, merged))
}

impl Pair {
    /// Returns the two states of an object as text; a missing state is empty.
    fn new(file: String, live: Option<Value>, merged: Option<Value>) -> Self {
        let text = |o: Option<Value>| o.as_ref().map(yaml::to_string).unwrap_or_default();
        Self {
            file,
            live: text(live),
            merged: text(merged),
        }
    }
}

/// Returns both states of an object as `diff` shows them.
fn shown(args: &DiffArgs, info: &Info, live: Option<Value>, merged: Option<Value>) -> Pair {
    let [live, merged] = [live, merged].map(|object| stripped(args, object));
    masked(args, info, live, merged)
}

/// Returns an object without its managed fields, unless the flags request them.
fn stripped(args: &DiffArgs, mut object: Option<Value>) -> Option<Value> {
    if let (Some(object), false) = (&mut object, args.show_managed_fields) {
        objects::strip_managed_fields(object);
    }
    object
}

/// Returns both states of an object with all fields. The values of a Secret are masked.
fn masked(
    args: &DiffArgs,
    info: &Info,
    mut live: Option<Value>,
    mut merged: Option<Value>,
) -> Pair {
    if info.kind.is_confidential() && !args.show_secrets {
        // Both sides are masked together, so that a changed value looks different although neither value is shown.
        masked::hide(live.as_mut(), merged.as_mut());
    }
    let kind = info.kind;
    let group = match kind.group {
        "" => String::new(),
        group => format!("{group}."),
    };
    let file = format!(
        "{group}{}.{}.{}.{}",
        kind.version, kind.kind, info.namespace, info.name
    );
    Pair::new(file, live, merged)
}

/// Returns the response to the request that apply would send, if it sends one.
fn merged(
    args: &DiffArgs,
    cluster: &Cluster,
    info: &Info,
    live: Option<&Value>,
    options: &WriteOptions,
    context: &Context,
) -> Result<Option<Response>, CliError> {
    let place = info.place();
    if args.server_side {
        let options = ApplyOptions {
            write: options.clone(),
            force: args.force_conflicts,
            subresource: String::new(),
        };
        let applied = cluster.apply(&place, &info.name, &info.object, &options);
        let applied = applied.map_err(CliError::from);
        // kubectl repeats the request after any conflict, and then says this.
        if applied.as_ref().is_err_and(CliError::is_conflict) {
            let (kind, name) = (typed(info.kind), &info.name);
            let text = format!("Object ({kind}: {name}) keeps changing, diffing without lock");
            context.ui.log("diff.go:723", &text);
        }
        return applied.map(Some);
    }
    let Some(live) = live else {
        let sent = to_create(&info.object);
        return Ok(Some(cluster.create(&place, &sent, options)?));
    };
    let mut modified = last_applied::plain(&info.object);
    // kubectl compares with the state that it read, not with the state that the file was saved from.
    if let Some(version) = modified["metadata"].get_mut("resourceVersion") {
        *version = live["metadata"]["resourceVersion"].clone();
    }
    let doing = format!("error when patching {:?}: ", info.source);
    let patch = last_applied::three_way(info.kind, &modified, live)
        .map_err(|why| patch_error(context, info, &modified, live, &why).with_context(&doing))?;
    if patch.is_empty() {
        return Ok(None);
    }
    let how = match &patch {
        Patch::Strategic(value) => (PatchType::Strategic, value),
        Patch::Merge(value) => (PatchType::Merge, value),
    };
    let answer = cluster.patch(&place, &info.name, how, false, options);
    let answer = answer.map_err(|e| CliError::from(e).with_context(&doing))?;
    Ok(Some(answer))
}

fn built_in(pairs: &[Pair], sides: &[(&str, Timestamp); 2], context: &Context) -> Outcome {
    let form = |(_, time): (&str, Timestamp)| time.strftime("%Y-%m-%d %H:%M:%S.%9f +0000");
    let times = sides.map(form);
    let [live, merged] = sides.map(|(name, _)| directory(name));
    let mut out = String::new();
    for pair in pairs {
        let hunks = unified::hunks(&pair.live, &pair.merged);
        if hunks.is_empty() {
            continue;
        }
        let path = |dir: &Path| dir.join(&pair.file).display().to_string();
        let (live, merged) = (path(&live), path(&merged));
        out.push_str(&format!(
            "diff -u -N {live} {merged}\n--- {live}\t{}\n+++ {merged}\t{}\n{hunks}",
            times[0], times[1]
        ));
    }
    context.ui.out(&out)?;
    Ok(match out.is_empty() {
        true => ExitCode::SUCCESS,
        false => FAILURE.into(),
    })
}

/// Returns the name of a side's directory. It does not exist, because the built-in comparison needs no files.
fn directory(side: &str) -> PathBuf {
    std::env::temp_dir().join(format!("{side}-{}", std::process::id()))
}

/// Runs another program to compare the objects as files.
fn external(program: &str, pairs: &[Pair], sides: &[(&str, Timestamp); 2]) -> Outcome {
    let side = |(name, _): (&str, Timestamp)| ScratchDir::new(&format!("{name}-"));
    let (live, merged) = (side(sides[0])?, side(sides[1])?);
    for pair in pairs {
        live.file(&pair.file, &pair.live)?;
        merged.file(&pair.file, &pair.merged)?;
    }
    let mut words = program.split(' ').filter(|w| !w.is_empty());
    let plain = |word: &&str| {
        word.chars()
            .all(|c| c.is_ascii_alphanumeric() || "-=".contains(c))
    };
    let mut command = Command::new(words.next().unwrap_or("diff"));
    command
        // kubectl drops words of the variable that contain other characters.
        .args(words.filter(plain))
        .args([live.path(), merged.path()]);
    let ran = run_in_foreground(&mut command);
    let status = ran.map_err(|e| {
        let why = match e.kind() {
            // kubectl looks the program up with Go, which prints this text even for a path.
            io::ErrorKind::NotFound => "executable file not found in $PATH".to_owned(),
            _ => system_words(&e),
        };
        CliError::text(format!("failed to run {program:?}: {why}"))
    })?;
    match status.code() {
        Some(0) => Ok(ExitCode::SUCCESS),
        // By convention, 1 means differences; anything higher is the program's own failure.
        Some(1) => Ok(FAILURE.into()),
        _ => {
            let text = format!("failed to run {program:?}: {status}");
            Err(CliError::text(text))
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::cli::testing::Shell;

    fn map(name: &str, value: &str) -> String {
        format!(
            "apiVersion: v1\nkind: ConfigMap\nmetadata: {{name: {name}, labels: {{app: web}}}}\ndata: {{a: '{value}'}}\n"
        )
    }

    fn changes(shell: &Shell, flags: &str) -> Vec<String> {
        let said = shell.run(&format!("diff {flags}"));
        assert_eq!((said.code, said.err.as_str()), (1, ""), "{said:?}");
        let changed = |line: &&str| {
            (line.starts_with('+') || line.starts_with('-'))
                && !line.starts_with("+++")
                && !line.starts_with("---")
        };
        said.out
            .lines()
            .filter(changed)
            .map(str::to_owned)
            .collect()
    }

    #[test]
    fn diff_of_an_outdated_manifest_has_no_conflict() {
        let shell = Shell::new();
        shell.all(&["create configmap c --from-literal=a=1"]);
        shell.write("c.yaml", shell.out("get cm c -o yaml"));
        shell.all(&["annotate cm c note=1"]);
        shell.write(
            "new.yaml",
            shell
                .out("get cm c -o yaml")
                .replace("a: \"1\"", "a: \"2\""),
        );
        shell.all(&["annotate cm c note-"]);
        let applied = shell.fails("apply -f @/c.yaml");
        assert!(
            applied.contains("the object has been modified"),
            "{applied}"
        );
        assert!(changes(&shell, "-f @/new.yaml").contains(&"+  a: \"2\"".to_owned()));
    }

    #[test]
    fn exit_code_is_0_equal_1_different_2_error() {
        let shell = Shell::new();
        shell.write("one.yaml", map("c", "1"));
        shell.write("two.yaml", map("c", "2"));
        let _ = shell.out("apply -f @/one.yaml");
        assert_eq!(shell.out("diff -f @/one.yaml"), "");
        assert_eq!(
            changes(&shell, "-f @/two.yaml"),
            ["-  a: \"1\"", "+  a: \"2\""]
        );
        let head = shell.run("diff -f @/two.yaml").out;
        assert!(
            head.starts_with("diff -u -N ") && head.contains("/v1.ConfigMap.default.c "),
            "{head}"
        );
        let said = shell.run("diff");
        assert_eq!(
            (said.code, said.err.as_str()),
            (2, "error: must specify one of -f and -k\n")
        );
        let said = shell.run("diff -f @/one.yaml --prune --prune-allowlist=odd");
        let odd =
            "error: invalid GroupVersionKind format: odd, please follow <group/version/kind>\n";
        assert_eq!((said.code, said.err.as_str()), (2, odd));
        let said = shell.run("diff --prune --force-conflicts");
        assert_eq!(said.err, "error: must specify one of -f and -k\n");
        shell.write("bad.yaml", "a: [");
        let said = shell.run("diff -f @/bad.yaml --prune");
        assert!(said.err.contains(" prune.go:71] Deprecated: "), "{said:?}");
        let said = shell.run("diff -f @/two.yaml --server-side --field-manager=other");
        let conflict = " diff.go:723] Object (/v1, Kind=ConfigMap: c) keeps changing, diffing without lock\nError from \
                        server (Conflict): ";
        assert!(said.err.contains(conflict), "{said:?}");
        let said = shell.run("diff -f @/one.yaml --force-conflicts");
        assert_eq!(
            (said.code, said.err.as_str()),
            (
                2,
                "error: --force-conflicts only works with --server-side\n"
            )
        );
        assert_eq!(shell.run("diff -f @/none.yaml").code, 2);
        let unknown = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: u}\ndat: {}\n";
        shell.write("unknown.yaml", unknown);
        let said = shell.run("diff -f @/unknown.yaml");
        assert_eq!(said.err, "Warning: unknown field \"dat\"\n");
        shell.write(
            "secret.yaml",
            "apiVersion: v1\nkind: Secret\nmetadata: {name: fresh}\n",
        );
        let said = shell.run("diff -f @/secret.yaml");
        assert!(said.out.contains("\n-null\n+apiVersion: v1\n"), "{said:?}");
        let said = shell.run("diff --odd");
        let told = "error: unknown flag: --odd\nSee 'kubectl diff -h' for help and examples\n";
        assert_eq!((said.code, said.err.as_str()), (2, told));
        assert_eq!(shell.out("get cm c -o jsonpath={.data.a}"), "1");
    }

    #[test]
    fn diff_shows_new_and_pruned_objects_and_masks_secrets() {
        let shell = Shell::new();
        shell.write("one.yaml", map("c", "1"));
        shell.write("other.yaml", map("d", "1"));
        let new = changes(&shell, "-f @/one.yaml");
        assert!(
            new.iter().all(|line| line.starts_with('+')) && new.len() > 5,
            "{new:?}"
        );
        shell.all(&["apply -f @/one.yaml", "apply -f @/other.yaml"]);
        let gone = shell.run("diff -f @/one.yaml --prune -l app=web");
        assert!(!gone.out.contains("\n+ "), "{gone:?}");
        assert!(gone.out.contains("\n-  name: d\n"), "{gone:?}");
        assert!(gone.out.contains("\n-  managedFields:\n"), "{gone:?}");
        let (_, err) = gone.err.split_once(" prune.go:71] ").unwrap();
        assert_eq!(
            (gone.code, err),
            (
                1,
                "Deprecated: kubectl apply will no longer prune non-namespaced resources by default when used with \
                 the --namespace flag in a future release. To preserve the current behaviour, list the resources \
                 you want to target explicitly in the --prune-allowlist flag.\n\
                 Warning: v1 Endpoints is deprecated in v1.33+; use discovery.k8s.io/v1 EndpointSlice\n"
            )
        );
        let secret = |value: &str| {
            format!(
                "apiVersion: v1\nkind: Secret\nmetadata: {{name: s}}\nstringData: {{k: {value}}}\n"
            )
        };
        shell.write("s1.yaml", secret("one"));
        shell.write("s2.yaml", secret("two"));
        let _ = shell.out("create -f @/s1.yaml");
        let masked = changes(&shell, "-f @/s2.yaml").join("\n");
        assert!(
            masked.contains("***") && !masked.contains("dHdv"),
            "{masked}"
        );
        assert!(
            changes(&shell, "-f @/s2.yaml --show-secrets")
                .join("\n")
                .contains("dHdv")
        );
    }
}
