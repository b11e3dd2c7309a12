//! `ctl version`.

use std::process::ExitCode;

use clap::Args;
use serde_json::{Value, json};

use super::Outcome;
use crate::api::yaml;
use crate::cli::context::Context;
use crate::cli::error::CliError;

/// The Kubernetes version whose behaviour is followed.
const KUBERNETES: &str = "v1.36.2";

/// The version of kustomize that comes with that kubectl.
const KUSTOMIZE: &str = "v5.8.1";

/// Print the version of the program and of the Kubernetes it follows
///
/// Example: ctl version --client
#[derive(Args, Debug)]
pub(crate) struct VersionArgs {
    #[arg(hide = true)]
    words: Vec<String>,
    /// Leave out the cluster's version
    #[arg(long)]
    client: bool,
    /// yaml or json
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
            let server = if args.client { "" } else { &server };
            format!("Client Version: {KUBERNETES}\nKustomize Version: {KUSTOMIZE}\n{server}")
        }
        Some("yaml") => yaml::to_string(&versions(args.client)),
        Some("json") => in_order(args.client),
        Some(_) => return Err(CliError::text("--output must be 'yaml' or 'json'")),
    };
    context.ui.out(&text)?;
    Ok(ExitCode::SUCCESS)
}

/// The versions as JSON. This is one of the few places where kubectl's keys are not sorted.
fn in_order(client: bool) -> String {
    let server = server();
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
    let mut versions = json!({"clientVersion": server(), "kustomizeVersion": KUSTOMIZE});
    if !client {
        versions["serverVersion"] = server();
    }
    versions
}

/// What the path `/version` answers.
fn server() -> Value {
    crate::serve::version()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_json_form_is_json_and_begins_with_the_major_version() {
        for client in [true, false] {
            let text = in_order(client);
            assert!(text.starts_with("{\n  \"clientVersion\": {\n    \"major\": \"1\""));
            let parsed: Value = serde_json::from_str(&text).unwrap();
            assert_eq!(parsed, versions(client));
        }
    }
}
