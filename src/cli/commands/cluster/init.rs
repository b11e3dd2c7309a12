//! `ctl cluster init`.

use std::io;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::{Args, ValueEnum};

use super::Outcome;
use crate::api::json::{Value, json};
use crate::cli::commands::clock;
use crate::cli::context::Context;
use crate::cli::error::CliError;
use crate::cli::options::StructuredOutputArgs;
use crate::cli::state_dir::clusters_directory;
use crate::cluster::{
    self, ClockMode, Cluster, InitOutcome, Level, PodMode, Profile, Remote, Retention, Settings,
};
use crate::sys::bounded;
use crate::sys::entropy::Seed;

/// Create a cluster
///
/// Creates the cluster in the directory of --state or CTL_STATE, or else as NAME in the user's data directory.
///
/// Examples:
///   ctl cluster init                             the default cluster, three nodes
///   ctl --state ./demo cluster init --nodes 5    a cluster in ./demo
///   ctl cluster init ci --clock virtual --seed 7 a cluster with reproducible runs
///   ctl cluster init --history 30d               with the history of the last 30 days
///   ctl cluster init local --profile kind        with kind's storage class and Pod addresses
///   ctl cluster init team --store etcd://127.0.0.1:2379/registry
#[derive(Args, Debug)]
#[command(verbatim_doc_comment)]
pub(crate) struct InitArgs {
    /// Name of the cluster
    name: Option<String>,
    /// Number of fake nodes
    #[arg(long, default_value_t = 3, value_parser = clap::value_parser!(u32).range(0..=10_000))]
    nodes: u32,
    /// Clock of the cluster
    #[arg(long, value_enum, default_value = "system")]
    clock: ClockArg,
    /// Seed of uids and generated names
    #[arg(long)]
    seed: Option<u64>,
    /// Behavior of fake Pods: with `running`, every Pod runs and is ready at once
    #[arg(long, value_enum, default_value = "default")]
    pods: PodsArg,
    /// Write each request to `.ctl/audit.log`: user, verb, object and result (Metadata), with its body (Request), or
    /// with the response too (RequestResponse)
    #[arg(long, value_name = "LEVEL", value_parser = LEVELS)]
    audit: Option<String>,
    /// Limit of the history: a size such as 2GiB, or an age such as 30d
    #[arg(long, value_name = "AGE|SIZE", default_value_t)]
    history: Retention,
    /// Storage classes, zones and node properties: those of eks, kind or minikube, or a YAML file
    #[arg(long, value_name = "NAME|FILE")]
    profile: Option<String>,
    #[command(flatten)]
    store: StoreArgs,
    #[command(flatten)]
    answer: StructuredOutputArgs,
}

/// The address of a cluster on etcd.
#[derive(Args, Debug)]
pub(super) struct StoreArgs {
    /// Keep the cluster on etcd: its members and the prefix of its keys. The directory contains
    /// only the address, and any number of machines can use the cluster
    // Parsed by clap, so that a mistyped address is reported as a mistake in the flag, with the usage.
    #[arg(long, value_name = "etcd://HOST:PORT[,HOST:PORT]/PREFIX", value_parser = Remote::parse)]
    store: Option<Remote>,
    /// File with the authority of etcd's certificate; without it, etcd is reached without TLS
    #[arg(long, value_name = "FILE", requires = "store")]
    ca: Option<PathBuf>,
    /// File with the client certificate for etcd
    #[arg(long, value_name = "FILE", requires_all = ["ca", "key"])]
    cert: Option<PathBuf>,
    /// File with the key of the client certificate
    #[arg(long, value_name = "FILE", requires = "cert")]
    key: Option<PathBuf>,
}

impl StoreArgs {
    /// Returns the address of the cluster if it is stored on etcd.
    pub(super) fn remote(&self) -> Result<Option<Remote>, CliError> {
        // Commands run in any directory, so the stored paths are absolute.
        let file = |path: &Option<PathBuf>| -> Result<Option<String>, CliError> {
            let absolute = path.as_deref().map(std::path::absolute).transpose()?;
            Ok(absolute.map(|path| path.display().to_string()))
        };
        // clap rejects the certificates without `--store`.
        let Some(remote) = self.store.clone() else {
            return Ok(None);
        };
        Ok(Some(Remote {
            ca: file(&self.ca)?,
            cert: file(&self.cert)?,
            key: file(&self.key)?,
            ..remote
        }))
    }
}

/// The levels of an audit log.
pub(crate) const LEVELS: [&str; 3] = [Level::ALL[0].1, Level::ALL[1].1, Level::ALL[2].1];

#[derive(Clone, Copy, Debug, ValueEnum)]
enum ClockArg {
    System,
    Virtual,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum PodsArg {
    Default,
    Running,
}

/// The text before the names of unrelated entries in a new cluster's directory.
const BESIDE: &str = "\nthe directory also contains other files; ctl reads files named NAMESPACE/RESOURCE/NAME.yaml as objects and ignores the rest:\n  ";

pub(crate) fn run(args: &InitArgs, context: &Context) -> Outcome {
    args.answer.check()?;
    let path = directory(args.name.as_deref(), context)?;
    // The seed is drawn once and stored in the settings, so that even a cluster without --seed can be replayed.
    let seed = args.seed.map_or_else(Seed::random, Seed);
    let mut settings = Settings::new(seed);
    settings.nodes = args.nodes;
    settings.clock = match args.clock {
        ClockArg::System => ClockMode::System,
        ClockArg::Virtual => ClockMode::Virtual,
    };
    settings.history = args.history;
    settings.pods = match args.pods {
        PodsArg::Default => PodMode::Default,
        PodsArg::Running => PodMode::Running,
    };
    settings.audit = args.audit.clone().unwrap_or_default();
    // The profile is read before the directory is created, so that a mistyped one does not leave half a cluster.
    let profile = args.profile.as_deref().map(profile).transpose()?;
    let last = path.file_name().map(|n| n.to_string_lossy().into_owned());
    settings.name = args.name.clone().or(last).unwrap_or(settings.name);
    let wanted = settings.clone();
    // This is the last step that can fail because of a flag; nothing before it creates keys or files.
    let (cluster, made) = match args.store.remote()? {
        Some(remote) => remote.init(&path, &context.open()?, &settings)?,
        None => Cluster::init(&path, context.open()?, settings)?,
    };
    context.fill(&cluster)?;
    // An existing cluster keeps its classes and zones, because init is idempotent and reports "unchanged".
    if let Some(profile) = profile.filter(|_| made == InitOutcome::New) {
        profile.equip(&cluster)?;
    }
    let name = &cluster.settings().name;
    let verb = if made == InitOutcome::New {
        "created"
    } else {
        "unchanged"
    };
    let place = cluster.place();
    let mut sentence = format!("cluster {name:?} in {place} {verb}");
    let mut data = about(&cluster, verb)?;
    // The directory of a cluster on etcd was empty before, so it has no other files.
    if made == InitOutcome::New && args.store.store.is_none() {
        // `--state .` in a project directory is an easy mistake, so unrelated files are mentioned.
        let others = cluster::inventory(&path)?.others;
        if !others.is_empty() {
            sentence.push_str(BESIDE);
            sentence.push_str(&others.join("\n  "));
            data["beside"] = json!(others);
        }
    }
    let ignored = match made {
        InitOutcome::New => Vec::new(),
        _ => ignored(&wanted, cluster.settings(), context),
    };
    if !ignored.is_empty() {
        let flags = ignored.join(", ");
        context.ui.note(&format!(
            "the cluster exists and keeps its settings; ignored: {flags}"
        ));
        data["ignored"] = json!(ignored);
    }
    args.answer.print(context, sentence, &data)?;
    Ok(ExitCode::SUCCESS)
}

/// Returns the flags that contradict the settings of an existing cluster.
fn ignored(wanted: &Settings, own: &Settings, context: &Context) -> Vec<String> {
    let flags = [
        ("nodes", wanted.nodes != own.nodes),
        ("clock", wanted.clock != own.clock),
        ("seed", wanted.seed != own.seed),
        ("pods", wanted.pods != own.pods),
        ("audit", wanted.audit != own.audit),
        ("history", wanted.history != own.history),
        // A profile cannot be compared, because classes and zones may have changed since.
        ("profile", true),
    ];
    let ignored = flags
        .into_iter()
        .filter(|(flag, differs)| *differs && context.given(flag));
    ignored.map(|(flag, _)| format!("--{flag}")).collect()
}

/// Returns a built-in profile, or reads a profile from a file.
fn profile(name: &str) -> Result<Profile, CliError> {
    if let Some(text) = Profile::built_in(name) {
        return Profile::read(text).map_err(|e| CliError::text(e.to_string()));
    }
    let unknown = |e: io::Error| {
        let names = Profile::names().collect::<Vec<_>>().join(", ");
        CliError::text(format!(
            "--profile: {name:?} is neither one of {names} nor a readable file: {e}"
        ))
    };
    let text = bounded::read_text(Path::new(name), bounded::SETTINGS).map_err(unknown)?;
    Profile::read(&text).map_err(|e| CliError::text(format!("{name}: {e}")))
}

/// Returns the description of a cluster as structured output, with the operation that was done.
pub(super) fn about(cluster: &Cluster, done: &str) -> Result<Value, CliError> {
    let settings = cluster.settings();
    Ok(json!({
        "name": settings.name, "directory": cluster.place(), "done": done,
        "nodes": settings.nodes, "clock": clock::name(settings.clock),
        "history": settings.history.to_string(),
        "revision": cluster.stored().revision()?,
    }))
}

/// Returns the directory of a named cluster, or the directory that the global flags select.
fn directory(name: Option<&str>, context: &Context) -> Result<PathBuf, CliError> {
    match name {
        Some(name) if context.global.state.is_none() => named(name),
        _ => context.directory(),
    }
}

/// Returns the directory of an existing cluster that a command removes or resets. A name prevails over `CTL_STATE`,
/// which could otherwise select a different cluster than the user named.
pub(super) fn existing(name: Option<&str>, context: &Context) -> Result<PathBuf, CliError> {
    match name {
        None => context.directory(),
        Some(_) if context.given("state") => {
            Err(context.usage("specify the cluster by NAME or by --state, not by both"))
        }
        Some(name) => named(name),
    }
}

/// Returns the directory of a named cluster.
fn named(name: &str) -> Result<PathBuf, CliError> {
    // The name becomes a directory, so it has no separators and no leading dot, which would hide it.
    let plain = |c: char| c.is_alphanumeric() || "-_.".contains(c);
    if name.is_empty() || name.starts_with('.') || !name.chars().all(plain) {
        let text = format!("invalid cluster name {name:?}: use letters, digits, - _ .");
        return Err(CliError::text(text));
    }
    Ok(clusters_directory()?.join(name))
}

#[cfg(test)]
mod tests {
    use crate::api::json::json;
    use crate::cli::testing::Shell;

    #[test]
    fn init_creates_a_cluster_once_with_the_given_flags() {
        let shell = Shell::empty();
        let out = shell.out("cluster init --nodes 2 --clock virtual --seed 7");
        assert_eq!(out, "cluster \"state\" in @/state created\n");
        let nodes = shell.out("get nodes -o name");
        assert_eq!(nodes, "node/node-0\nnode/node-1\n");
        assert_eq!(shell.out("clock"), "2026-01-01T00:00:00Z\n");
        let said = shell.run("cluster init --nodes 5 --clock virtual --profile kind");
        assert_eq!(
            (said.out.as_str(), said.err.as_str()),
            (
                "cluster \"state\" in @/state unchanged\n",
                "the cluster exists and keeps its settings; ignored: --nodes, --profile\n"
            )
        );
        let _ = shell.out("cluster init --nodes 2");
        assert_eq!(shell.out("get nodes -o name"), nodes);
        let about = shell.json("cluster init");
        assert_eq!(
            (&about["done"], &about["nodes"]),
            (&json!("unchanged"), &json!(2))
        );
    }

    #[test]
    fn a_profile_brings_classes_and_facts_of_nodes() {
        let shell = Shell::empty();
        let _ = shell.out("cluster init --profile kind");
        assert_eq!(
            shell.out("get sc -o name"),
            "storageclass.storage.k8s.io/standard\n"
        );
        let ranges = shell.out("get nodes -o jsonpath={.items[*].spec.podCIDR}");
        assert_eq!(ranges, "10.244.0.0/24 10.244.1.0/24 10.244.2.0/24");
    }

    #[test]
    fn unknown_profile_creates_nothing() {
        let shell = Shell::empty();
        let told = shell.fails("cluster init --profile rocket");
        assert!(
            told.contains("neither one of eks, kind, minikube"),
            "{told}"
        );
        assert!(!shell.state().exists());
    }

    #[test]
    fn the_same_seed_gives_the_same_uids() {
        let uid = |seed: u32| {
            let shell = Shell::empty();
            let _ = shell.out(&format!("cluster init --seed {seed} --clock virtual"));
            shell.out("get namespace default -o jsonpath={.metadata.uid}")
        };
        assert_eq!(uid(7), uid(7));
        assert_ne!(uid(7), uid(8));
    }

    #[test]
    fn invalid_init_flags_create_nothing() {
        let shell = Shell::empty();
        for line in [
            "cluster init -o odd",
            "cluster init --nodes 10001",
            "cluster init --clock sideways",
        ] {
            let _ = shell.fails(line);
            assert!(!shell.state().exists(), "{line}");
        }
    }
}
