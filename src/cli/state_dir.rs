//! Which directory a command works on: `--state`, `CTL_STATE`, the current context, the user's
//! data directory, in this order.

use std::path::{Path, PathBuf};

use serde::Deserialize;

use super::args::GlobalArgs;
use super::error::CliError;

/// The parts of a kubeconfig that lead to a directory.
#[derive(Debug, Default, Deserialize)]
struct Config {
    #[serde(default, rename = "current-context")]
    current_context: String,
    #[serde(default)]
    contexts: Vec<Named>,
    #[serde(default)]
    clusters: Vec<Named>,
}

#[derive(Debug, Deserialize)]
struct Named {
    name: String,
    #[serde(default)]
    context: Target,
    #[serde(default)]
    cluster: Target,
}

#[derive(Debug, Default, Deserialize)]
struct Target {
    #[serde(default)]
    cluster: String,
    #[serde(default)]
    server: String,
}

/// The directory that `args` lead to.
pub(crate) fn resolve(args: &GlobalArgs) -> Result<PathBuf, CliError> {
    if let Some(state) = &args.state {
        return Ok(state.clone());
    }
    match context_directory(&config_file()?)? {
        Some(directory) => Ok(directory),
        None => Ok(clusters_directory()?.join("default")),
    }
}

/// Where clusters live that have a name and no directory of their own.
pub(crate) fn clusters_directory() -> Result<PathBuf, CliError> {
    let data = dirs::data_dir().ok_or_else(|| {
        CliError::text("no home directory: say where the cluster is with --state or CTL_STATE")
    })?;
    Ok(data.join("ctl").join("clusters"))
}

/// ctl's own configuration; the user's kubeconfig is never read or written.
fn config_file() -> Result<PathBuf, CliError> {
    if let Some(file) = std::env::var_os("CTL_CONFIG") {
        return Ok(file.into());
    }
    let config = dirs::config_dir().ok_or_else(|| CliError::text("no home directory"))?;
    Ok(config.join("ctl").join("config"))
}

fn context_directory(file: &Path) -> Result<Option<PathBuf>, CliError> {
    let text = match std::fs::read_to_string(file) {
        Ok(text) => text,
        Err(e) if e.kind() == std::io::ErrorKind::NotFound => return Ok(None),
        Err(e) => return Err(CliError::text(format!("{}: {e}", file.display()))),
    };
    let config: Config = serde_yaml::from_str(&text)
        .map_err(|e| CliError::text(format!("{}: {e}", file.display())))?;
    if config.current_context.is_empty() {
        return Ok(None);
    }
    let context = config
        .contexts
        .iter()
        .find(|c| c.name == config.current_context);
    let cluster =
        context.and_then(|c| config.clusters.iter().find(|k| k.name == c.context.cluster));
    let Some(cluster) = cluster else {
        let name = &config.current_context;
        return Err(CliError::text(format!(
            "{}: context {name:?} leads nowhere",
            file.display()
        )));
    };
    match cluster.cluster.server.strip_prefix("file://") {
        Some(path) => Ok(Some(path.into())),
        None => Err(CliError::text(format!(
            "{}: the server of cluster {:?} is {:?}, not file:///DIRECTORY",
            file.display(),
            cluster.name,
            cluster.cluster.server
        ))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn config(text: &str) -> Result<Option<PathBuf>, CliError> {
        use std::io::Write as _;
        let mut file = tempfile::NamedTempFile::new().unwrap();
        file.write_all(text.as_bytes()).unwrap();
        context_directory(file.path())
    }

    #[test]
    fn the_current_context_leads_to_its_directory() {
        let text = "current-context: a\ncontexts: [{name: a, context: {cluster: c}}]\n\
                    clusters: [{name: c, cluster: {server: 'file:///tmp/x'}}]\n";
        assert_eq!(config(text).unwrap(), Some("/tmp/x".into()));
        assert_eq!(config("kind: Config\n").unwrap(), None);
        assert!(
            config("current-context: b\n")
                .unwrap_err()
                .to_string()
                .contains("leads nowhere")
        );
        let server = text.replace("file:///", "https://");
        assert!(
            config(&server)
                .unwrap_err()
                .to_string()
                .contains("not file:///")
        );
        assert!(config("[").is_err());
    }
}
