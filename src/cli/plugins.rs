//! Runs plugins: the programs `ctl-NAME` and `kubectl-NAME` in PATH are commands, too.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

use super::error::CliError;

/// The prefixes of plugin files, regardless of the name this program was started under.
const PREFIXES: &[&str] = &["ctl-", "kubectl-"];

/// Returns the directories in PATH without duplicates.
pub(crate) fn directories() -> Vec<PathBuf> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let mut all: Vec<PathBuf> = Vec::new();
    for directory in std::env::split_paths(&path) {
        // Some shells take an empty entry for the working directory, where a plugin could be a trap.
        if !directory.as_os_str().is_empty() && !all.contains(&directory) {
            all.push(directory);
        }
    }
    all
}

/// Returns true if a file name is that of a plugin.
pub(crate) fn is_plugin(name: &str) -> bool {
    PREFIXES.iter().any(|prefix| name.starts_with(prefix))
}

/// Returns true if a file is executable.
#[cfg(unix)]
pub(crate) fn is_executable(path: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt as _;
    let found = std::fs::metadata(path);
    found.is_ok_and(|m| m.is_file() && m.permissions().mode() & 0o111 != 0)
}

/// Returns true if a file is executable.
#[cfg(not(unix))]
pub(crate) fn is_executable(path: &Path) -> bool {
    let endings = ["bat", "cmd", "com", "exe", "ps1"];
    let ending = path
        .extension()
        .and_then(|e| e.to_str())
        .unwrap_or_default();
    path.is_file() && endings.contains(&ending.to_lowercase().as_str())
}

/// Runs the plugin that the words of a command line name, preferring the longest name. Returns `None` if there is no
/// such plugin. On Unix, the plugin replaces this process.
pub(crate) fn run(root: &clap::Command, args: &[OsString]) -> Result<Option<ExitCode>, CliError> {
    let Some(words) = wanted(root, args) else {
        return Ok(None);
    };
    // As in kubectl, the longest name comes first: `foo bar` prefers kubectl-foo-bar to kubectl-foo.
    for count in (1..=words.len()).rev() {
        let name = words[..count].join("-");
        if let Some(program) = find(&name) {
            let rest = args.get(count..).unwrap_or_default();
            return start(&program, rest).map(Some);
        }
    }
    Ok(None)
}

/// Returns the words before the first flag if they name none of ctl's own commands. `create` may have plugins as
/// subcommands.
fn wanted(root: &clap::Command, args: &[OsString]) -> Option<Vec<String>> {
    let words = args.iter().map(|arg| arg.to_string_lossy());
    let words: Vec<String> = words
        .take_while(|word| !word.starts_with('-'))
        // By kubectl's rule, a dash in a command is an underscore in the file name, where dashes separate words.
        .map(|word| word.replace('-', "_"))
        .collect();
    let first = args.first()?.to_str()?;
    match root.find_subcommand(first) {
        None => (!words.is_empty()).then_some(words),
        Some(create) if first == "create" => {
            let second = args.get(1)?.to_str()?;
            let is_new = words.len() > 1 && create.find_subcommand(second).is_none();
            is_new.then_some(words)
        }
        Some(_) => None,
    }
}

fn find(name: &str) -> Option<PathBuf> {
    // A word with a slash must not select a file outside PATH.
    if name.contains(std::path::is_separator) {
        return None;
    }
    let directories = directories();
    let files = PREFIXES.iter().flat_map(|prefix| {
        let file = format!("{prefix}{name}{}", std::env::consts::EXE_SUFFIX);
        directories.iter().map(move |d| d.join(&file))
    });
    files.into_iter().find(|path| is_executable(path))
}

fn start(program: &Path, args: &[OsString]) -> Result<ExitCode, CliError> {
    let mut command = Command::new(program);
    command.args(args.iter().map(OsString::as_os_str));
    let failed = |e: std::io::Error| CliError::text(format!("{}: {e}", program.display()));
    #[cfg(unix)]
    {
        use std::os::unix::process::CommandExt as _;
        Err(failed(command.exec()))
    }
    #[cfg(not(unix))]
    {
        let code = command.status().map_err(failed)?.code().unwrap_or(1);
        Ok(ExitCode::from(u8::try_from(code).unwrap_or(1)))
    }
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory as _;

    use super::*;
    use crate::cli::args::Cli;

    fn words(line: &str) -> Option<Vec<String>> {
        let args: Vec<OsString> = line.split(' ').map(OsString::from).collect();
        wanted(&Cli::command(), &args)
    }

    #[test]
    fn plugins_are_searched_only_for_unknown_commands() {
        assert_eq!(words("get pods"), None);
        assert_eq!(words("--help"), None);
        assert_eq!(words("create -f x"), None);
        assert_eq!(words("create deployment x"), None);
        let named = |names: &[&str]| Some(names.iter().map(|n| (*n).to_owned()).collect());
        assert_eq!(words("my-tool a --flag b"), named(&["my_tool", "a"]));
        assert_eq!(words("create thing"), named(&["create", "thing"]));
    }

    #[test]
    fn plugin_name_cannot_contain_a_path() {
        assert_eq!(find("../../bin/true"), None);
        assert!(is_plugin("kubectl-x") && is_plugin("ctl-x") && !is_plugin("x-ctl"));
    }
}
