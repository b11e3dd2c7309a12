//! `ctl envtest`: replaces the programs that envtest starts.

mod flags;
mod programs;

use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::{env, fs, io};

use clap::Args;

use super::Outcome;
use crate::api::json::json;
use crate::cli::context::Context;
use crate::cli::error::CliError;
use crate::cli::options::StructuredOutputArgs;

use programs::CONTROLLERS;
pub(crate) use programs::{LaunchOutcome, run_as};

/// The programs that envtest looks for.
const PROGRAMS: [&str; 3] = ["etcd", "kube-apiserver", "kubectl"];

/// Install kube-apiserver, etcd and kubectl for tests with envtest
///
/// The programs are links to ctl. They take the flags that envtest passes. Each start creates a new cluster in
/// memory, with the certificates, users and credentials from envtest.
///
/// Examples:
///   ctl envtest ~/.cache/ctl-envtest
///   KUBEBUILDER_ASSETS=~/.cache/ctl-envtest go test ./...
///   ctl envtest --controllers assets       namespaces end, dependents are collected, Pods run
#[derive(Args, Debug)]
#[command(verbatim_doc_comment)]
pub(crate) struct EnvtestArgs {
    /// Directory for the programs
    directory: PathBuf,
    /// Also run the controllers and fake nodes, which envtest never has
    #[arg(long)]
    controllers: bool,
    #[command(flatten)]
    answer: StructuredOutputArgs,
}

pub(crate) fn run(args: &EnvtestArgs, context: &Context) -> Outcome {
    args.answer.check()?;
    let directory = &args.directory;
    let named = |e: io::Error| CliError::text(format!("{}: {e}", directory.display()));
    fs::create_dir_all(directory).map_err(named)?;
    // Tests run in the directories of their packages, so the path must be absolute.
    let directory = fs::canonicalize(directory).map_err(named)?;
    let program = env::current_exe().map_err(named)?;
    for name in PROGRAMS {
        link(&program, &directory.join(name))?;
    }
    let mark = directory.join(CONTROLLERS);
    match args.controllers {
        true => link(&program, &mark)?,
        false if mark.is_symlink() => fs::remove_file(&mark).map_err(named)?,
        false => {}
    }
    let shown = directory.display();
    let data = json!({
        "directory": shown.to_string(), "programs": PROGRAMS, "controllers": args.controllers,
    });
    let sentence = format!("export KUBEBUILDER_ASSETS={shown}");
    args.answer.print(context, sentence, &data)?;
    Ok(ExitCode::SUCCESS)
}

/// Links to the program, replacing an earlier link.
fn link(program: &Path, link: &Path) -> Result<(), CliError> {
    let named = |e: io::Error| CliError::text(format!("{}: {e}", link.display()));
    if link.is_symlink() {
        fs::remove_file(link).map_err(named)?;
    } else if link.exists() {
        // The file may be the real program, downloaded by setup-envtest.
        return Err(CliError::text(format!(
            "{} is not a link; choose another directory, or remove it",
            link.display()
        )));
    }
    symlink(program, link).map_err(named)
}

#[cfg(test)]
mod tests {
    use crate::cli::testing::Shell;

    #[test]
    fn envtest_replaces_only_its_own_links() {
        let shell = Shell::new();
        let out = shell.out("envtest @/assets --controllers");
        assert_eq!(out, "export KUBEBUILDER_ASSETS=@/assets\n");
        let there = |name: &str| shell.path("assets").join(name).is_symlink();
        let names = ["etcd", "kube-apiserver", "kubectl", ".controllers"];
        assert!(names.iter().all(|name| there(name)));
        assert_eq!(shell.json("envtest @/assets")["controllers"], false);
        assert!(there("etcd") && !there(".controllers"));
        shell.write("real/etcd", "a program");
        shell.refuses(&[(
            "envtest @/real",
            "@/real/etcd is not a link; choose another directory, or remove it",
        )]);
    }
}
