//! `ctl version`.

use std::process::ExitCode;

use clap::Args;

use super::Outcome;
use crate::api::json::{Value, json};
use crate::api::yaml;
use crate::cli::context::Context;
use crate::cli::error::CliError;

/// The Kubernetes version whose behavior ctl follows.
pub(super) const KUBERNETES: &str = "v1.36.2";

/// The version of kustomize in that kubectl.
const KUSTOMIZE: &str = "v5.8.1";

/// Print the version of the program and of the Kubernetes release that it implements
///
/// Example: ctl version --client
#[derive(Args, Debug)]
pub(crate) struct VersionArgs {
    #[arg(hide = true)]
    words: Vec<String>,
    /// Print only the client version
    #[arg(long)]
    client: bool,
    /// Output format: yaml or json
    #[arg(short, long, value_name = "FORMAT")]
    output: Option<String>,
}

pub(crate) fn run(args: &VersionArgs, context: &Context) -> Outcome {
    if !args.words.is_empty() {
        let words = args.words.join(" ");
        return Err(CliError::text(format!("extra arguments: [{words}]")));
    }
    let text = match args.output.as_deref() {
        None | Some("") => {
            let server = format!("Server Version: {KUBERNETES}\n");
            // Client and server are one program, so their versions cannot differ and no skew is reported.
            let server = if args.client { "" } else { &server };
            let own = own(&context.program);
            format!("Client Version: {KUBERNETES}\nKustomize Version: {KUSTOMIZE}\n{server}{own}")
        }
        Some("yaml") => yaml::to_string(&versions(args.client)),
        Some("json") => in_order(args.client),
        Some(_) => return Err(CliError::text("--output must be 'yaml' or 'json'")),
    };
    context.ui.out(&text)?;
    Ok(ExitCode::SUCCESS)
}

/// Returns ctl's own version and the commit it was built from, or nothing if the program is called kubectl.
fn own(program: &str) -> String {
    // Scripts that parse kubectl's output would fail on an additional line.
    if program == "kubectl" {
        return String::new();
    }
    let commit = match env!("CTL_COMMIT") {
        "" => String::new(),
        commit => format!(" (commit {commit})"),
    };
    format!(
        "{program} Version: v{}{commit}\n",
        env!("CARGO_PKG_VERSION")
    )
}

/// Returns the versions as JSON, in kubectl's order: unlike most of its JSON, the keys are not sorted.
fn in_order(client: bool) -> String {
    let server = server_version();
    let keys = [
        "major",
        "minor",
        "gitVersion",
        "gitCommit",
        "gitTreeState",
        "buildDate",
        "goVersion",
        "compiler",
        "platform",
    ];
    let lines = keys.map(|key| format!("    \"{key}\": {}", server[key]));
    let version = format!("{{\n{}\n  }}", lines.join(",\n"));
    let mut text =
        format!("{{\n  \"clientVersion\": {version},\n  \"kustomizeVersion\": \"{KUSTOMIZE}\"");
    if !client {
        text.push_str(&format!(",\n  \"serverVersion\": {version}"));
    }
    text + "\n}\n"
}

fn versions(client: bool) -> Value {
    let mut versions = json!({"clientVersion": server_version(), "kustomizeVersion": KUSTOMIZE});
    if !client {
        versions["serverVersion"] = server_version();
    }
    versions
}

/// Returns a platform in Go's notation.
fn platform(os: &str, architecture: &str) -> String {
    let os = if os == "macos" { "darwin" } else { os };
    let architecture = match architecture {
        "x86_64" => "amd64",
        "aarch64" => "arm64",
        other => other,
    };
    format!("{os}/{architecture}")
}

/// Returns the version as the server reports it at `/version`.
pub(super) fn server_version() -> Value {
    let number = |at: usize| KUBERNETES.trim_start_matches('v').split('.').nth(at);
    json!({
        "major": number(0), "minor": number(1), "gitVersion": KUBERNETES,
        // The date is fixed, so that two builds of one commit print equal output.
        "gitCommit": env!("CTL_COMMIT"), "gitTreeState": "clean", "buildDate": "1970-01-01T00:00:00Z",
        "goVersion": "", "compiler": "rustc",
        "platform": platform(std::env::consts::OS, std::env::consts::ARCH),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::testing::Shell;

    #[test]
    fn ctl_version_is_printed_only_under_the_name_ctl() {
        assert_eq!(own("kubectl"), "");
        assert!(own("ctl").starts_with("ctl Version: v"));
    }

    #[test]
    fn json_version_begins_with_the_major_version() {
        for client in [true, false] {
            let text = in_order(client);
            assert!(text.starts_with("{\n  \"clientVersion\": {\n    \"major\": \"1\""));
            let parsed: Value = serde_json::from_str(&text).unwrap();
            assert_eq!(parsed, versions(client));
        }
    }

    #[test]
    fn client_flag_prints_only_the_client_version() {
        let shell = Shell::new();
        let both = shell.out("version");
        assert!(
            both.starts_with("Client Version: v1.36") && both.contains("Server Version: v1.36"),
            "{both}"
        );
        let client = shell.out("version --client");
        assert!(
            client.starts_with("Client Version: ") && !client.contains("Server Version"),
            "{client}"
        );
        assert!(shell.json("version --client")["clientVersion"]["gitVersion"].is_string());
        let odd = shell.fails("version -o name");
        assert!(odd.contains("--output must be 'yaml' or 'json'"), "{odd}");
    }
}
