//! Determines the directory and namespace of a command from `--state`, `--server`, the context of `--context` or
//! `--cluster`, `CTL_STATE`, the current context, and the user's data directory, in this order.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use serde::Deserialize;

use super::client_config::{tree_of, unloaded, unreadable};
use super::error::CliError;
use super::global_args::GlobalArgs;
use crate::api::json;
use crate::cluster::STORE_FILE;
use crate::sys::bounded;

/// The target of a command.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Target {
    pub(crate) directory: PathBuf,
    pub(crate) namespace: String,
    /// The user in the kubeconfig, for messages.
    pub(crate) user: String,
}

/// The name of the user if the kubeconfig has none.
const USER: &str = "admin";

/// The parts of a kubeconfig that lead to a directory.
#[derive(Debug, Default, Deserialize)]
struct Config {
    #[serde(default, rename = "current-context")]
    current_context: Option<String>,
    #[serde(default)]
    contexts: Option<Vec<NamedContext>>,
    #[serde(default)]
    clusters: Option<Vec<NamedCluster>>,
    #[serde(default)]
    users: Option<Vec<NamedUser>>,
}

#[derive(Debug, Deserialize)]
struct NamedUser {
    name: String,
}

#[derive(Debug, Deserialize)]
struct NamedContext {
    name: String,
    #[serde(default)]
    context: Option<ContextPart>,
}

#[derive(Debug, Default, Deserialize)]
struct ContextPart {
    #[serde(default)]
    cluster: String,
    #[serde(default)]
    namespace: String,
    #[serde(default)]
    user: String,
}

#[derive(Debug, Deserialize)]
struct NamedCluster {
    name: String,
    #[serde(default)]
    cluster: Option<ClusterPart>,
}

#[derive(Debug, Default, Deserialize)]
struct ClusterPart {
    #[serde(default)]
    server: String,
}

/// Determines the target. `state_given` distinguishes `--state` from `CTL_STATE`, and `texts` selects the errors.
pub(crate) fn resolve(
    args: &GlobalArgs,
    state_given: bool,
    texts: Texts,
) -> Result<Target, CliError> {
    let files = config_files(args)?;
    let file = default_file(&files);
    // As in kubectl, a file named by the flag must exist; the other sources may be missing in the first run.
    if args.kubeconfig.as_deref().is_some_and(|f| !f.is_empty()) && !file.exists() {
        let text = format!("stat {}: no such file or directory", file.display());
        return Err(CliError::text(text));
    }
    let mut config = Config::default();
    for file in &files {
        config.add(read(file)?);
    }
    config.check_named(args, texts)?;
    let context = config.context(args, texts)?;
    let namespace = context.map_or("", |c| c.namespace.as_str());
    let namespace = if namespace.is_empty() {
        "default"
    } else {
        namespace
    };
    let asked = args.context.is_some() || args.cluster.is_some();
    // Flags take precedence: `CTL_STATE` yields to `--server`, `--context` and `--cluster`, and `--state` yields to
    // nothing.
    let directory = match (&args.state, &args.server) {
        // An unset variable in a script must not select the default cluster.
        (Some(state), _) if state_given && state.as_os_str().is_empty() => {
            return Err(CliError::text("--state needs a directory"));
        }
        (Some(state), _) if state_given => state.clone(),
        (_, Some(server)) => directory_of(server).ok_or_else(|| {
            CliError::text(format!("the server is {server:?}, not file:///DIRECTORY"))
        })?,
        (Some(state), None) if !asked => state.clone(),
        _ => match config.directory(args, context, file)? {
            Some(directory) => directory,
            None => clusters_directory()?.join("default"),
        },
    };
    Ok(Target {
        directory,
        namespace: namespace.to_owned(),
        user: args
            .user
            .as_deref()
            .or(context.map(|c| c.user.as_str()))
            .filter(|user| !user.is_empty())
            .unwrap_or(USER)
            .to_owned(),
    })
}

/// client-go's errors about a kubeconfig. They depend on the part that a command of kubectl reads first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Texts {
    /// The command reads the namespace first.
    Namespace,
    /// The command reads the client configuration first.
    Client,
}

impl Texts {
    /// The commands that read the namespace first, including their subcommands, except for those of `set`.
    const NAMESPACE_FIRST: [&[&str]; 28] = [
        &["annotate"],
        &["apply", "edit-last-applied"],
        &["apply", "set-last-applied"],
        &["apply", "view-last-applied"],
        &["attach"],
        &["auth", "reconcile"],
        &["cp"],
        &["create", "token"],
        &["debug"],
        &["delete"],
        &["describe"],
        &["edit"],
        &["events"],
        &["exec"],
        &["get"],
        &["label"],
        &["logs"],
        &["patch"],
        &["port-forward"],
        &["rollout"],
        &["scale"],
        &["set", "image"],
        &["set", "selector"],
        &["set", "resources"],
        &["set", "serviceaccount"],
        &["set", "subject"],
        &["taint"],
        &["top", "pod"],
    ];

    /// Returns the texts of a command.
    pub(crate) fn for_path(path: &[String]) -> Self {
        let begins = |first: &&[&str]| {
            path.iter().zip(*first).filter(|(a, b)| a == *b).count() == first.len()
        };
        match Self::NAMESPACE_FIRST.iter().any(begins) {
            true => Self::Namespace,
            false => Self::Client,
        }
    }

    fn no_cluster(self, name: &str) -> CliError {
        CliError::text(match self {
            Self::Namespace => format!("no server found for cluster {name:?}"),
            Self::Client => format!("cluster {name:?} does not exist"),
        })
    }

    fn no_context(self, name: &str) -> CliError {
        match self {
            Self::Namespace => CliError::Bare(format!(
                "Error in configuration: context was not found for specified context: {name}"
            )),
            Self::Client => CliError::text(format!("context {name:?} does not exist")),
        }
    }
}

/// Returns true if a directory contains a cluster.
pub(crate) fn is_cluster(directory: &Path) -> bool {
    // The directory of a cluster on etcd holds its address instead of its settings.
    directory.join("cluster.yaml").exists() || directory.join(STORE_FILE).exists()
}

/// Returns the parent directory of named clusters.
pub(crate) fn clusters_directory() -> Result<PathBuf, CliError> {
    let data = dirs::data_dir().ok_or_else(|| {
        CliError::text("no home directory: specify the cluster with --state or CTL_STATE")
    })?;
    Ok(data.join("ctl").join("clusters"))
}

/// Returns the file named by `--kubeconfig` or `CTL_CONFIG`, or the files in `KUBECONFIG` that refer to directories, or
/// ctl's own configuration. `~/.kube/config` is never written unless a flag names it.
pub(crate) fn config_files(args: &GlobalArgs) -> Result<Vec<PathBuf>, CliError> {
    if let Some(file) = args.kubeconfig.as_deref().filter(|f| !f.is_empty()) {
        return Ok(vec![file.into()]);
    }
    if let Some(file) = std::env::var_os("CTL_CONFIG") {
        return Ok(vec![file.into()]);
    }
    // KUBECONFIG is often set for real clusters, so only files that refer to directories count.
    let home = dirs::home_dir();
    let listed = std::env::var_os("KUBECONFIG");
    let files = listed.map(|files| of_environment(&files, home.as_deref()));
    if let Some(files) = files.filter(|files| !files.is_empty()) {
        return Ok(files);
    }
    let config = dirs::config_dir().ok_or_else(|| CliError::text("no home directory"))?;
    Ok(vec![config.join("ctl").join("config")])
}

/// Returns the file of a list for new entries: the first one that exists, or else the last.
pub(crate) fn default_file(files: &[PathBuf]) -> &Path {
    let first = files.iter().find(|file| file.exists()).or(files.last());
    first.map_or(Path::new(""), PathBuf::as_path)
}

/// Returns the files of a list that refer to a cluster in a directory or to no cluster yet. The others are for real
/// clusters.
fn of_environment(files: &OsStr, home: Option<&Path>) -> Vec<PathBuf> {
    // A link to kubectl's own file counts as that file.
    let real = |path: PathBuf| std::fs::canonicalize(&path).unwrap_or(path);
    let kubectl = home.map(|home| real(home.join(".kube").join("config")));
    std::env::split_paths(files)
        .filter(|file| !file.as_os_str().is_empty() && Some(real(file.clone())) != kubectl)
        .filter(|file| read(file).is_ok_and(|config| config.is_about_directories()))
        .collect()
}

fn read(file: &Path) -> Result<Config, CliError> {
    let text = match bounded::read_text(file, bounded::SETTINGS) {
        Ok(text) => text,
        Err(e) if e.kind() == std::io::ErrorKind::NotFound => return Ok(Config::default()),
        Err(e) => return Err(unreadable(file, &e)),
    };
    let tree = tree_of(&text).map_err(|e| unloaded(file, &e))?;
    json::read(&tree).map_err(|e| unloaded(file, &e.to_string()))
}

fn directory_of(server: &str) -> Option<PathBuf> {
    server.strip_prefix("file://").map(PathBuf::from)
}

impl Config {
    /// Adds the entries of a file with lower precedence. If two entries have one name, the first one counts.
    fn add(&mut self, other: Self) {
        if self.current_context.as_deref().is_none_or(str::is_empty) {
            self.current_context = other.current_context;
        }
        let contexts = other.contexts.into_iter().flatten();
        self.contexts.get_or_insert_default().extend(contexts);
        let clusters = other.clusters.into_iter().flatten();
        self.clusters.get_or_insert_default().extend(clusters);
        let users = other.users.into_iter().flatten();
        self.users.get_or_insert_default().extend(users);
    }

    /// Returns true if a cluster is a directory, or if there are no clusters.
    fn is_about_directories(&self) -> bool {
        let clusters = self.clusters.as_deref().unwrap_or_default();
        let mut parts = clusters.iter().filter_map(|c| c.cluster.as_ref());
        clusters.is_empty() || parts.any(|c| directory_of(&c.server).is_some())
    }

    /// Returns an error if the selected cluster or user is not in the file.
    fn check_named(&self, args: &GlobalArgs, texts: Texts) -> Result<(), CliError> {
        let given = |name: &Option<String>| name.clone().filter(|name| !name.is_empty());
        if let Some(name) = given(&args.user)
            && !self.users.iter().flatten().any(|user| user.name == name)
        {
            return Err(CliError::text(format!("auth info {name:?} does not exist")));
        }
        if let Some(name) = given(&args.cluster)
            && !self.clusters.iter().flatten().any(|c| c.name == name)
        {
            return Err(texts.no_cluster(&name));
        }
        Ok(())
    }

    /// Returns the requested context, or the current one.
    fn context(&self, args: &GlobalArgs, texts: Texts) -> Result<Option<&ContextPart>, CliError> {
        let current = self.current_context.as_deref();
        let asked = args.context.as_deref();
        let Some(name) = asked.or(current).filter(|name| !name.is_empty()) else {
            return Ok(None);
        };
        let mut contexts = self.contexts.iter().flatten();
        match contexts.find(|c| c.name == name) {
            Some(found) => Ok(found.context.as_ref()),
            // Only a named context must exist, because `delete-context` can leave `current-context` dangling.
            None if asked.is_some() => Err(texts.no_context(name)),
            None => Ok(None),
        }
    }

    fn directory(
        &self,
        args: &GlobalArgs,
        context: Option<&ContextPart>,
        file: &Path,
    ) -> Result<Option<PathBuf>, CliError> {
        let named = context.map(|c| c.cluster.as_str());
        let Some(name) = args.cluster.as_deref().or(named) else {
            return match self.current_context.as_deref() {
                // Without a kubeconfig the default cluster is used, so that the first command works.
                None | Some("") => Ok(None),
                Some(name) => Err(CliError::text(format!(
                    "{}: context {name:?} has no cluster",
                    file.display()
                ))),
            };
        };
        let mut clusters = self.clusters.iter().flatten();
        let Some(found) = clusters.find(|c| c.name == name) else {
            let text = match args.cluster.is_some() {
                true => format!("cluster {name:?} does not exist"),
                false => format!("{}: cluster {name:?} does not exist", file.display()),
            };
            return Err(CliError::text(text));
        };
        let server = found.cluster.as_ref().map_or("", |c| c.server.as_str());
        match directory_of(server) {
            Some(directory) => Ok(Some(directory)),
            None => Err(CliError::text(format!(
                "{}: the server of cluster {name:?} is {server:?}, not file:///DIRECTORY",
                file.display()
            ))),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TWO: &str = "current-context: a\n\
         contexts: [{name: a, context: {cluster: c}}, {name: b, context: {cluster: d, namespace: blue}}]\n\
         clusters: [{name: c, cluster: {server: 'file:///x'}}, {name: d, cluster: {server: 'file:///y'}}]\n";

    fn target(text: &str, change: impl Fn(&mut GlobalArgs)) -> Result<(String, String), String> {
        use std::io::Write as _;
        let mut file = tempfile::NamedTempFile::new().unwrap();
        file.write_all(text.as_bytes()).unwrap();
        let mut args = GlobalArgs {
            kubeconfig: Some(file.path().display().to_string()),
            ..GlobalArgs::default()
        };
        change(&mut args);
        match resolve(&args, false, Texts::Client) {
            Ok(t) => Ok((t.directory.display().to_string(), t.namespace)),
            Err(e) => Err(e.to_string()),
        }
    }

    fn is(directory: &str, namespace: &str) -> Result<(String, String), String> {
        Ok((directory.to_owned(), namespace.to_owned()))
    }

    #[test]
    fn contexts_and_flags_lead_to_a_directory() {
        assert_eq!(target(TWO, |_| {}), is("/x", "default"));
        assert_eq!(
            target(TWO, |a| a.context = Some("b".into())),
            is("/y", "blue")
        );
        assert_eq!(
            target(TWO, |a| a.cluster = Some("d".into())),
            is("/y", "default")
        );
        assert_eq!(
            target(TWO, |a| a.state = Some("/z".into())),
            is("/z", "default")
        );
        let server = |a: &mut GlobalArgs| a.server = Some("file:///s".into());
        assert_eq!(target(TWO, server), is("/s", "default"));
        let (directory, _) = target("kind: Config\ncontexts: null\n", |_| {}).unwrap();
        assert!(directory.ends_with("ctl/clusters/default"), "{directory}");
    }

    #[test]
    fn kubeconfigs_with_a_directory_are_used() {
        let home = tempfile::tempdir().unwrap();
        let file = |name: &str, server: &str| {
            let path = home.path().join(name);
            let text = format!("clusters: [{{name: c, cluster: {{server: '{server}'}}}}]\n");
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            crate::cli::output::write_file(&path, &text).unwrap();
            path
        };
        let far = file("far", "https://example.org");
        let near = file("near", "file:///x");
        let own = file(".kube/config", "file:///y");
        let missing = home.path().join("missing");
        let chosen = |files: &[&PathBuf]| {
            let list = std::env::join_paths(files).unwrap();
            of_environment(&list, Some(home.path()))
        };
        let second = file("second", "file:///z");
        assert_eq!(chosen(&[&far, &near, &second]), [near.clone(), second]);
        assert_eq!(chosen(&[&own, &near]), std::slice::from_ref(&near));
        assert_eq!(chosen(&[&far, &missing]), std::slice::from_ref(&missing));
        assert!(chosen(&[&own, &far]).is_empty());
        // New entries go to the first file that exists, or else to the last.
        assert_eq!(default_file(&[missing.clone(), near.clone()]), near);
        let other = home.path().join("other");
        assert_eq!(default_file(&[missing, other.clone()]), other);
    }

    #[test]
    fn unknown_context_user_or_cluster_is_rejected() {
        let nope = |a: &mut GlobalArgs| a.context = Some("nope".into());
        assert_eq!(
            target(TWO, nope).unwrap_err(),
            "context \"nope\" does not exist"
        );
        let nope = |a: &mut GlobalArgs| a.user = Some("nope".into());
        assert_eq!(
            target(TWO, nope).unwrap_err(),
            "auth info \"nope\" does not exist"
        );
        let nope = |a: &mut GlobalArgs| a.cluster = Some("nope".into());
        assert_eq!(
            target(TWO, nope).unwrap_err(),
            "cluster \"nope\" does not exist"
        );
        let ann = |a: &mut GlobalArgs| a.user = Some("ann".into());
        let with_user = format!("{TWO}users: [{{name: ann}}]\n");
        assert_eq!(target(&with_user, ann), is("/x", "default"));
        let nope = |a: &mut GlobalArgs| a.kubeconfig = Some("/nope/config".into());
        assert_eq!(
            target(TWO, nope).unwrap_err(),
            "stat /nope/config: no such file or directory"
        );
        assert!(
            target("current-context: q\n", |_| {})
                .unwrap_err()
                .contains("has no cluster")
        );
        let https = TWO.replace("file:///", "https://");
        assert!(target(&https, |_| {}).unwrap_err().contains("not file:///"));
        assert!(target("[", |_| {}).is_err());
    }
}
