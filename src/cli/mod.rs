//! Parses, calls, prints. No other module reads arguments or the environment, or prints.
//!
//! Each command is a file in `commands/` with its arguments (whose doc comment is the help text) and `run`. Must not
//! know: the store, paths of object files.

mod api_path;
mod args;
mod client_config;
mod commands;
mod complete;
mod containers;
mod context;
mod durations;
mod editor;
mod error;
mod flags;
mod fork;
#[cfg(test)]
mod generated;
mod global_args;
mod groups;
mod help;
mod history;
mod kuberc;
mod kustomize;
mod lazy;
mod man;
mod nodes;
mod options;
mod output;
mod paint;
mod plugins;
mod redact;
mod resource;
mod settle_lock;
mod state_dir;
mod status_colors;
mod suggest;
#[cfg(test)]
mod testing;
mod timeline;
mod ui;
mod usage;
mod waiting;

use std::borrow::Cow;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;

use clap::{CommandFactory as _, FromArgMatches as _};

use args::Cli;
use commands::{LaunchOutcome, Outcome};
use context::Context;
use error::CliError;
use flags::Line;
use fork::Fork;
use global_args::Color;
use ui::Ui;

/// Runs the program with `args` and returns its exit code.
pub fn main(args: impl Iterator<Item = OsString>) -> ExitCode {
    let args: Vec<OsString> = args.collect();
    let program = program_name(&args);
    let ui = Ui::new();
    // The programs of `ctl envtest` have flags that ctl lacks.
    let done = match commands::run_as(&program, &args, &ui) {
        None => run(&program, &args, &ui),
        Some(LaunchOutcome::Ctl(args)) => run("ctl", &args, &ui),
        Some(LaunchOutcome::Ended(done)) => done,
    };
    done.unwrap_or_else(|e| ui.fail(&e))
}

fn run(program: &str, args: &[OsString], ui: &Ui) -> Outcome {
    let typed = helped(args.get(1..).unwrap_or_default());
    // Preferences come first, as in kubectl, because an alias may expand to the name of a plugin or to flags of any
    // command.
    let (root, typed) = match kuberc::applied(&Cli::command, &typed, ui)? {
        Some(preferred) => (Cli::command(), preferred),
        None => (args::program(&typed), typed.into_owned()),
    };
    if let Some(code) = complete::run(&root, program, &typed, ui) {
        return Ok(code);
    }
    if let Some(topic) = unknown_topic(&root, args) {
        let help = help::of(&root, program, &[]);
        ui.note(format!("Unknown help topic {topic}\n\n{help}").trim_end());
        return Ok(ExitCode::SUCCESS);
    }
    // ctl's own commands take precedence over plugins: `wanted` returns only names that no command has.
    if let Some(code) = plugins::run(&root, &typed)? {
        return Ok(code);
    }
    understood(root, program, &typed, args, ui)
}

/// Runs a command line after its aliases were expanded. `args` is the original line.
fn understood(
    root: clap::Command,
    program: &str,
    typed: &[OsString],
    args: &[OsString],
    ui: &Ui,
) -> Outcome {
    let line = match read(&root, program, typed) {
        Err(_) if is_version(args) => Line::version(program),
        parsed => parsed?,
    };
    for note in &line.notes {
        ui.note(note);
    }
    // Like kubectl, the program prints its help and succeeds if no command is given.
    let is_bare = line.path.is_empty() && !is_version(args);
    if line.help || is_bare {
        ui.out(&help::of(&root, program, &line.path))?;
        return Ok(ExitCode::SUCCESS);
    }
    if flags::is_group(&root, &line) {
        return group(&help::of(&root, program, &line.path), &line.path, ui);
    }
    let Some(cli) = parse(root, program, &line, ui)? else {
        return Ok(ExitCode::SUCCESS);
    };
    let (command, context) = with_context(cli, program, line, ui);
    let done = commands::run(command, &context).and_then(|code| {
        context.finish()?;
        Ok(code)
    });
    Ok(done.unwrap_or_else(|e| context.ui.fail(&e)))
}

/// Prints the help of a group of commands for a line that names none of them, to the stream that kubectl uses.
fn group(help: &str, path: &[String], ui: &Ui) -> Outcome {
    match path.first().map(String::as_str) {
        // This is the only group that succeeds.
        Some("certificate") => {
            ui.out(help)?;
            return Ok(ExitCode::SUCCESS);
        }
        Some("rollout") => ui.out(help)?,
        _ => ui.note(help.trim_end()),
    }
    // A script must notice that a bare group does nothing.
    Err(CliError::Exit(error::FAILURE))
}

/// Runs a command on behalf of another one, as if the user had typed it. Returns its error.
fn run_within(program: &str, args: &[OsString], ui: &Ui) -> Outcome {
    let root = args::program(args.get(1..).unwrap_or_default());
    let mut line = read(&root, program, args.get(1..).unwrap_or_default())?;
    // The history records the command as the user sees it. The directory would only take up space.
    if line.shown.first().is_some_and(|word| word == "--state") {
        line.shown.drain(..line.shown.len().min(2));
    }
    let Some(cli) = parse(root, program, &line, ui)? else {
        return Ok(ExitCode::SUCCESS);
    };
    let (command, context) = with_context(cli, program, line, ui);
    commands::run(command, &context)
}

/// Runs a command on behalf of another one on a fork of the cluster, as if the user had typed it there.
fn run_on_fork(fork: &Arc<Fork>, args: &[OsString], ui: &Ui) -> Outcome {
    let program = &fork.program;
    let root = args::program(args);
    let line = read(&root, program, args)?;
    let Some(cli) = parse(root, program, &line, ui)? else {
        return Ok(ExitCode::SUCCESS);
    };
    let (command, context) = with_context(cli, program, line, ui);
    let context = context.on(fork)?;
    let code = commands::run(command, &context)?;
    context.finish()?;
    Ok(code)
}

/// Returns the command and its context.
fn with_context(mut cli: Cli, program: &str, line: Line, ui: &Ui) -> (commands::Command, Context) {
    let is_given = line.given.iter().any(|flag| flag == "state");
    let is_set = |state: &PathBuf| is_given || !state.as_os_str().is_empty();
    cli.global.state = cli.global.state.filter(is_set);
    let color = match cli.global.color {
        Color::Auto => None,
        Color::Always => Some(true),
        Color::Never => Some(false),
    };
    let ui = ui.clone().with(cli.global.v, color, cli.global.exit_codes);
    let typed = command_line(program, &line.shown);
    let context = Context::new(cli.global, program.to_owned(), line, typed, ui);
    (cli.command, context)
}

/// Parses the flags of a command line.
fn read(root: &clap::Command, program: &str, args: &[OsString]) -> Result<Line, CliError> {
    flags::parse(root, program, args)
        .map_err(|e| commands::mistyped(&flags::command_path(root, args), e))
}

/// Lets clap parse the normalized line. kubectl's parser has reported its errors already, so clap's concern only ctl's
/// own commands.
fn parse(
    root: clap::Command,
    program: &str,
    line: &Line,
    ui: &Ui,
) -> Result<Option<Cli>, CliError> {
    let parsed = lean(root, line)
        .bin_name(program)
        .try_get_matches_from(&line.plain)
        .and_then(|m| Cli::from_arg_matches(&m));
    match parsed {
        Ok(cli) => Ok(Some(cli)),
        Err(e) if e.use_stderr() => {
            let text = e.render().to_string();
            let text = text.strip_prefix("error: ").unwrap_or(&text);
            // clap lists missing arguments on separate lines, but an error is one line here.
            let mut lines = text.lines();
            let mut text = lines.next().unwrap_or_default().to_owned();
            for missing in lines.map_while(|line| line.strip_prefix("  ")) {
                text = format!("{text} {missing}");
            }
            let command = flags::full_path(program, &line.path);
            let error = CliError::usage(&command, text);
            Err(commands::mistyped(&line.path, error))
        }
        Err(e) => {
            ui.out(&e.render().to_string())?;
            Ok(None)
        }
    }
}

/// Returns the program with only the given command, because adding the global flags to all commands takes longer than
/// most commands do.
fn lean(root: clap::Command, line: &Line) -> clap::Command {
    let typed = line
        .path
        .first()
        .and_then(|name| root.find_subcommand(name));
    let Some(typed) = typed else {
        return root;
    };
    clap::Command::new("ctl")
        .args_override_self(true)
        .subcommand_required(true)
        .disable_help_subcommand(true)
        .args(root.get_arguments())
        .groups(root.get_groups())
        .subcommand(typed.clone())
}

/// Replaces `help get` by `get --help`.
fn helped(args: &[OsString]) -> Cow<'_, [OsString]> {
    match args {
        // The line is rewritten before parsing, because clap's own help subcommand would print clap's format.
        [first, rest @ ..] if first == "help" => Cow::Owned([rest, &["--help".into()]].concat()),
        _ => Cow::Borrowed(args),
    }
}

/// Returns the words after `help` as Go prints them, if they name no command.
fn unknown_topic(root: &clap::Command, args: &[OsString]) -> Option<String> {
    let rest = args.get(2..).filter(|_| args[1] == "help")?;
    let words = rest.iter().map(|word| word.to_string_lossy());
    let topics: Vec<String> = words
        .filter(|word| !word.starts_with('-'))
        .map(|word| format!("`{word}`"))
        .collect();
    let is_unknown = !topics.is_empty() && flags::command_path(root, rest).is_empty();
    is_unknown.then(|| format!("[{}]", topics.join(" ")))
}

/// Returns true for a lone `--version`, which kubectl does not have.
fn is_version(args: &[OsString]) -> bool {
    matches!(args, [_, flag] if flag == "--version" || flag == "-V")
}

/// Returns the name of the program, which is `kubectl` if it was started through a link with that name.
fn program_name(args: &[OsString]) -> String {
    let name = args.first().map(Path::new).and_then(Path::file_stem);
    name.map_or_else(|| "ctl".to_owned(), |n| n.to_string_lossy().into_owned())
}

/// Returns the command line for the history, as a user would type it. `shown` has its arguments without secrets.
fn command_line(program: &str, shown: &[String]) -> String {
    let rest = shown.iter().map(String::as_str);
    let words: Vec<String> = std::iter::once(program).chain(rest).map(quoted).collect();
    // The line is stored with every commit of the command, so a long inline patch must be cut.
    words.join(" ").chars().take(1000).collect()
}

fn quoted(word: &str) -> String {
    // The mask needs no quotes, because users do not type it.
    let plain = |c: char| c.is_alphanumeric() || "-_./:=,@%+~".contains(c);
    let bare = word.strip_suffix(redact::MASK).unwrap_or(word);
    if !word.is_empty() && bare.chars().all(plain) {
        word.to_owned()
    } else {
        format!("'{}'", word.replace('\'', r"'\''"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unknown_help_topics_are_named() {
        let root = <Cli as clap::CommandFactory>::command();
        let topic = |line: &str| {
            let args: Vec<OsString> = line.split(' ').map(OsString::from).collect();
            unknown_topic(&root, &args)
        };
        assert_eq!(topic("ctl help nope x -y").unwrap(), "[`nope` `x`]");
        for line in [
            "ctl",
            "ctl help",
            "ctl help get nope",
            "ctl get nope",
            "ctl help -n x get",
        ] {
            assert_eq!(topic(line), None, "{line}");
        }
    }

    #[test]
    fn command_lines_read_as_typed() {
        let args = ["/usr/bin/ctl", "get", "a b", "x=1", ""].map(OsString::from);
        assert_eq!(program_name(&args), "ctl");
        let shown = ["get", "a b", "x=1", "", "--from-literal=p=***"].map(str::to_owned);
        assert_eq!(
            command_line("ctl", &shown),
            "ctl get 'a b' x=1 '' --from-literal=p=***"
        );
    }

    #[test]
    fn command_tree_passes_clap_assertions() {
        Cli::command().debug_assert();
    }
}
