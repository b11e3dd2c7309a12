//! `ctl __complete WORD...`: prints the candidates for the word at the cursor.
//!
//! The protocol is that of kubectl's completions: each line has a candidate, followed by a tab and a description, and
//! the last line `:N` has directives for the shell ([`NO_SPACE`], [`NO_FILES`]).

mod live;
#[cfg(test)]
mod tests;
mod words;

use std::ffi::OsString;
use std::process::ExitCode;

use clap::Command;

use super::flags::PartialCommandLine;
use super::ui::Ui;
use live::Live;

/// A directive: the shell adds no space after the candidate.
const NO_SPACE: u8 = 2;

/// A directive: file names are no candidates.
const NO_FILES: u8 = 4;

/// Candidates with their descriptions, and directives for the shell.
#[derive(Debug, Default, PartialEq, Eq)]
struct Completions {
    candidates: Vec<(String, String)>,
    directive: u8,
}

impl Completions {
    fn files() -> Self {
        Self::default()
    }

    fn nothing() -> Self {
        Self::from_candidates([])
    }

    fn from_candidates(candidates: impl IntoIterator<Item = (String, String)>) -> Self {
        Self {
            candidates: candidates.into_iter().collect(),
            directive: NO_FILES,
        }
    }

    fn plain(candidates: impl IntoIterator<Item = impl Into<String>>) -> Self {
        let bare = |text: String| (text, String::new());
        Self::from_candidates(candidates.into_iter().map(Into::into).map(bare))
    }

    /// Adds a prefix to each candidate.
    fn behind(mut self, prefix: &str) -> Self {
        for (text, _) in &mut self.candidates {
            text.insert_str(0, prefix);
        }
        self
    }

    fn without_space(mut self) -> Self {
        self.directive |= NO_SPACE;
        self
    }
}

/// Prints the candidates if a shell asks for them; returns `None` for any other command line.
pub(crate) fn run(root: &Command, program: &str, args: &[OsString], ui: &Ui) -> Option<ExitCode> {
    let (first, rest) = args.split_first()?;
    let (before, partial) = match first.to_str()? {
        "__complete" | "__completeNoDesc" => match rest.split_last() {
            Some((last, before)) => (before, last.to_string_lossy().into_owned()),
            None => (rest, String::new()),
        },
        // This form is for shells that cannot pass an empty word.
        "__complete_new" => (rest, String::new()),
        _ => return None,
    };
    // An unfinished command line is never rejected: parts that make no sense yet are skipped.
    let command_line = PartialCommandLine::at(root, before);
    let answer = answer(&command_line, &Live::new(&command_line, program), &partial);
    let described = first != "__completeNoDesc";
    // If the shell no longer reads, it has discarded the completion, so an error is ignored.
    let _ = ui.out(&text(&answer, &partial, described));
    // The scripts drop this line, which is for people who debug a completion.
    ui.note(&directives(answer.directive));
    Some(ExitCode::SUCCESS)
}

fn text(answer: &Completions, partial: &str, described: bool) -> String {
    let fitting = answer
        .candidates
        .iter()
        // Candidates are filtered here, because some shells do not filter them.
        .filter(|(text, _)| text.starts_with(partial));
    let line = |(text, about): &(String, String)| match about.lines().next() {
        Some(about) if described => format!("{text}\t{about}\n"),
        _ => format!("{text}\n"),
    };
    let lines: String = fitting.map(line).collect();
    format!("{lines}:{}\n", answer.directive)
}

/// Returns kubectl's line about the directives.
fn directives(directive: u8) -> String {
    let names = [(NO_SPACE, "NoSpace"), (NO_FILES, "NoFileComp")];
    let set = names.iter().filter(|(bit, _)| directive & bit != 0);
    let mut set: Vec<String> = set
        .map(|(_, name)| format!("ShellCompDirective{name}"))
        .collect();
    if set.is_empty() {
        set.push("ShellCompDirectiveDefault".to_owned());
    }
    format!("Completion ended with directive: {}", set.join(", "))
}

fn answer(command_line: &PartialCommandLine<'_>, live: &Live, partial: &str) -> Completions {
    if let Some(flag) = command_line.pending {
        return words::value(command_line, live, flag);
    }
    if !command_line.only_words && partial.starts_with('-') {
        return match partial.split_once('=') {
            // The shell replaces the whole word `--flag=VALUE`, so candidates repeat the flag.
            Some((name, _)) => match command_line.flag(name.trim_start_matches('-')) {
                Some(flag) => words::value(command_line, live, flag).behind(&format!("{name}=")),
                None => Completions::nothing(),
            },
            None => flags(command_line),
        };
    }
    let command = command_line
        .stages
        .last()
        .filter(|_| command_line.words.is_empty());
    let below = command.map(|c| subcommands(c)).unwrap_or_default();
    let mut answer = words::word(command_line, live, partial);
    if !below.is_empty() {
        answer.candidates.extend(below);
        answer.directive |= NO_FILES;
    }
    answer
}

fn subcommands(command: &Command) -> Vec<(String, String)> {
    let shown = command.get_subcommands().filter(|c| !c.is_hide_set());
    let about = |c: &Command| c.get_about().map(ToString::to_string).unwrap_or_default();
    let mut all: Vec<_> = shown.map(|c| (c.get_name().to_owned(), about(c))).collect();
    all.sort();
    all
}

/// Returns the flags of the command and the global flags.
fn flags(command_line: &PartialCommandLine<'_>) -> Completions {
    let Some((last, above)) = command_line.stages.split_last() else {
        return Completions::files();
    };
    let handed = above.iter().flat_map(|c| c.get_arguments());
    let all = last
        .get_arguments()
        .chain(handed.filter(|a| a.is_global_set()));
    let shown = all.filter(|a| !a.is_hide_set() && !a.is_hide_short_help_set());
    let mut candidates = Vec::new();
    for flag in shown {
        let about = flag.get_help().map(ToString::to_string).unwrap_or_default();
        if let Some(long) = flag.get_long() {
            candidates.push((format!("--{long}"), about));
        }
    }
    candidates.push(("--help".to_owned(), "Show help for the command".to_owned()));
    candidates.sort();
    candidates.dedup();
    Completions::from_candidates(candidates)
}
