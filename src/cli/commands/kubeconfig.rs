//! `ctl kubeconfig`.

use std::path::Path;
use std::process::ExitCode;

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use clap::Args;

use super::Outcome;
use super::config::{Access, ReplacePolicy};
use super::serve::{LISTEN, cluster_entry, kubeconfig_of};
use crate::api::json::{Map, json};
use crate::cli::context::Context;
use crate::cli::error::CliError;
use crate::cluster::administrator;

/// Print a kubeconfig for a user of `ctl serve`
///
/// It contains a client certificate for the user, which the cluster's authority signs and which does not expire.
/// The roles for this user and these groups apply. Without flags, the user is the administrator, whom roles do not
/// restrict (group system:masters).
///
/// Examples:
///   ctl kubeconfig > admin.conf
///   ctl kubeconfig --user ann --group dev --kubeconfig ann.conf
///   ctl create rolebinding ann --clusterrole=cluster-admin --user=ann
///   KUBECONFIG=ann.conf kubectl get pods
#[derive(Args, Debug)]
#[command(verbatim_doc_comment)]
pub(crate) struct KubeconfigArgs {
    /// Name of the user; by default the administrator
    #[arg(long, value_name = "NAME")]
    user: Option<String>,
    /// Group of the user; can be repeated
    #[arg(long, value_name = "NAME", requires = "user")]
    group: Vec<String>,
    /// URL of the server; by default the one of the last `ctl serve`
    #[arg(long, value_name = "URL")]
    server: Option<String>,
    /// kubeconfig to write instead of printing it
    #[arg(long, value_name = "FILE")]
    kubeconfig: Option<String>,
    /// Keep the other contexts of the kubeconfig
    #[arg(long, requires = "kubeconfig")]
    merge: bool,
}

pub(crate) fn run(args: &KubeconfigArgs, context: &Context) -> Outcome {
    let server = args.server.as_deref();
    if let Some(url) = server.filter(|url| !url.starts_with("https://")) {
        // A client certificate works only over TLS.
        let text = format!("--server {url} must begin with https://");
        return Err(CliError::text(text));
    }
    let user = args.user.as_deref();
    if user.is_some_and(str::is_empty) {
        return Err(CliError::text("--user must not be empty"));
    }
    let cluster = context.open_as_administrator()?;
    let directory = context.directory()?;
    let own = administrator();
    // The server adds `system:authenticated` itself.
    let masters = own.groups.iter().take(1).cloned().collect();
    let (user, groups) = match user {
        Some(user) => (user.to_owned(), args.group.clone()),
        None => (own.name, masters),
    };
    let authority = cluster.rights().keys().authority()?;
    let credentials = authority.client(&user, &groups)?;
    let name = &cluster.settings().name;
    let data = [
        ("client-certificate-data", &credentials.certificate),
        ("client-key-data", &credentials.key),
    ];
    let data = data.map(|(key, pem)| (key.to_owned(), json!(BASE64_STANDARD.encode(pem))));
    let mut access = Access {
        user_name: Some(&user),
        cluster_name: name,
        cluster: cluster_entry(&authority, server.unwrap_or_default()),
        user: Map::from_iter(data),
        replaces: ReplacePolicy::Signed,
    };
    if server.is_none() {
        let known = known_server(args, &kubeconfig_of(&directory), &access)?;
        access.cluster = cluster_entry(&authority, &known);
    }
    match &args.kubeconfig {
        None => context.ui.out(&access.into_text()?)?,
        Some(file) => {
            let path = std::path::absolute(Path::new(file))?;
            access.write_to(&path, args.merge)?;
            let usage = format!("export KUBECONFIG={}", path.display());
            context.ui.line(format!("Use it with: {usage}"))?;
        }
    }
    Ok(ExitCode::SUCCESS)
}

/// Returns the server's URL from the kubeconfig to merge into, or else from the cluster's own.
fn known_server(
    args: &KubeconfigArgs,
    own: &Path,
    access: &Access<'_>,
) -> Result<String, CliError> {
    let merged = args.kubeconfig.as_deref().filter(|_| args.merge);
    // An existing file may already have the URL by which this machine reaches the server, for example through a tunnel.
    for path in merged.map(Path::new).into_iter().chain([own]) {
        if let Some(server) = access.server_in(path)? {
            return Ok(server);
        }
    }
    Ok(format!("https://{LISTEN}"))
}

#[cfg(test)]
mod tests {
    use crate::api::json::Value;
    use crate::cli::testing::Shell;

    fn read(shell: &Shell, name: &str) -> Value {
        let text = std::fs::read_to_string(shell.path(name)).unwrap();
        serde_yaml::from_str(&text).unwrap()
    }

    #[test]
    fn merge_keeps_several_users_in_one_kubeconfig() {
        let shell = Shell::new();
        // The test shell sets the kubeconfig of every command to @/config.
        let _ = shell.out("kubeconfig");
        let own = read(&shell, "config");
        let served = &own["clusters"][0]["cluster"]["server"];
        assert_eq!(served, "https://127.0.0.1:8001", "{own}");
        let name = own["clusters"][0]["name"].as_str().unwrap().to_owned();
        assert_eq!(own["current-context"], format!("admin@{name}"));
        let all = "kubeconfig --kubeconfig @/both --server https://box:1";
        assert_eq!(shell.out(all), "Use it with: export KUBECONFIG=@/both\n");
        let ann = format!("{all} --user ann");
        let other = format!("admin@{name}");
        let refused = format!("@/both has other contexts, such as \"{other}\"; --merge keeps them");
        shell.refuses(&[(&ann, &refused)]);
        let merged = "kubeconfig --kubeconfig @/both --user ann --group dev --merge";
        let _ = shell.out(merged);
        let both = read(&shell, "both");
        assert_eq!(both["current-context"], format!("ann@{name}"));
        assert_eq!(both["clusters"].as_array().unwrap().len(), 1);
        assert_eq!(both["clusters"][0]["cluster"]["server"], "https://box:1");
        let users = both["users"].as_array().unwrap();
        assert_eq!(users.len(), 2, "{both}");
        assert!(users.iter().all(|user| {
            let user = &user["user"];
            user["client-certificate-data"].is_string() && user["client-key-data"].is_string()
        }));
    }

    #[test]
    fn invalid_server_and_user_are_rejected() {
        let shell = Shell::new();
        shell.refuses(&[
            (
                "kubeconfig --server http://localhost:1",
                "--server http://localhost:1 must begin with https://",
            ),
            ("kubeconfig --user=", "--user must not be empty"),
        ]);
        let alone = shell.fails("kubeconfig --group dev");
        assert!(alone.contains("--user <NAME>"), "{alone}");
        assert!(!shell.state().join(".ctl/ca.pem").exists());
    }
}
