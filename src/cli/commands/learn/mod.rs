//! `ctl learn`: runs a lesson of `docs/learn` in the terminal.
//!
//! If a command differs from the expected one, it first runs on a copy of the cluster, and the expected one on a second
//! copy. The lesson continues if both have equal effects; otherwise its cluster is not changed.

mod effect;
mod film;
mod lesson;
mod shell;

use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Args, CommandFactory as _};

use self::effect::{Effect, Verdict};
use self::lesson::Part;
use self::shell::{Root, Shell};
use super::Outcome;
use crate::cli::args::Cli;
use crate::cli::context::Context;
use crate::cli::error::CliError;
use crate::cluster::Revision;
use crate::sys::bounded;
use crate::sys::scratch::ScratchDir;

/// The maximum width of text, because longer lines are hard to read.
const WIDEST: usize = 90;

/// Learn how controllers work, command by command
///
/// Without a number, ctl learn lists the lessons. A lesson shows its text section by section and asks for each
/// command, which runs in a temporary cluster. It accepts any command with the same effect. Other commands
/// run on a copy and do not change the cluster of the lesson. On a terminal, a lesson animates the changes.
///
/// Instead of a command, you can type hint (explains the expected command), skip (runs it) or quit (ends the lesson).
///
/// Examples:
///   ctl learn     lists the lessons
///   ctl learn 1   runs the first lesson
#[derive(Args, Debug)]
#[command(verbatim_doc_comment)]
pub(crate) struct LearnArgs {
    /// Number of the lesson
    #[arg(value_name = "LESSON")]
    lesson: Option<usize>,
}

pub(crate) fn run(args: &LearnArgs, context: &Context) -> Outcome {
    let Some(number) = args.lesson else {
        list(context)?;
        return Ok(ExitCode::SUCCESS);
    };
    let Some(parts) = lesson::parts(number) else {
        return Err(CliError::text(format!(
            "there is no lesson {number}; choose one from 1 to {}",
            lesson::COUNT
        )));
    };
    // The directory is removed at the end of the lesson, even after Ctrl-C, so that no exercise leaves files behind.
    let scratch = ScratchDir::new("ctl-learn-")?;
    let mut learner = Learner::new(&scratch, &parts, context)?;
    learner.walk(number, &parts)?;
    Ok(ExitCode::SUCCESS)
}

fn list(context: &Context) -> Result<(), CliError> {
    let all = lesson::list();
    let widest = all.iter().map(|own| own.title.len()).max().unwrap_or(0);
    let mut text = String::new();
    for (place, own) in all.iter().enumerate() {
        let (title, about) = (&own.title, &own.about);
        text += &format!("{}  {title:widest$}  {about}\n", place + 1);
    }
    let program = &context.program;
    text += &format!("\nStart with `{program} learn 1`.\n");
    context.ui.out(&text)
}

/// The reason why a task ended.
#[derive(Clone, Copy, PartialEq, Eq)]
enum End {
    Done,
    Quit,
}

/// The state of a lesson.
struct Learner<'a> {
    context: &'a Context,
    scratch: &'a ScratchDir,
    /// The directory of the lesson, and its shell.
    root: Root,
    shell: Shell,
    /// The path of the cluster's directory in the lesson's text.
    state: String,
    is_terminal: bool,
    width: usize,
}

impl<'a> Learner<'a> {
    fn new(
        scratch: &'a ScratchDir,
        parts: &[Part],
        context: &'a Context,
    ) -> Result<Self, CliError> {
        let root = Root::new(scratch.path().join("lesson"))?;
        // The lesson itself names its cluster; a constant could differ from the text.
        let exported = parts.iter().find_map(|part| match part {
            Part::Given(line) => line.strip_prefix("export CTL_STATE="),
            _ => None,
        });
        let state = exported.unwrap_or("/tmp/learn").to_owned();
        let width = context.ui.columns().unwrap_or(80).min(WIDEST);
        Ok(Self {
            shell: Shell::start(root.clone(), &state)?,
            root,
            state,
            scratch,
            is_terminal: context.ui.can_ask(),
            width,
            context,
        })
    }

    fn walk(&mut self, number: usize, parts: &[Part]) -> Result<(), CliError> {
        let title = lesson::list().into_iter().nth(number - 1);
        let title = title.map_or_else(String::new, |own| own.title);
        self.say(&format!("Lesson {number}: {title}"))?;
        self.say(
            "Type the command after each arrow, or another one with the same effect. Type hint for an explanation, \
             skip to run the command, or quit to end the lesson. The lesson has its own /tmp, which it deletes at the end.",
        )?;
        let count = parts
            .iter()
            .filter(|part| matches!(part, Part::Task(_)))
            .count();
        let mut place = 0;
        for part in parts {
            match part {
                Part::Text(text) => self.say(text)?,
                Part::Script(text) => self.script(text)?,
                Part::Given(line) => self.given(line)?,
                Part::Film(description) => self.film(description)?,
                Part::Task(line) => {
                    place += 1;
                    self.line(&format!("[{place}/{count}] → {line}"))?;
                    if self.task(line)? == End::Quit {
                        let program = &self.context.program;
                        let text = format!(
                            "You ran {} of {count} commands. To start the lesson again: {program} learn {number}",
                            place - 1
                        );
                        return self.say(&text);
                    }
                }
            }
        }
        let program = &self.context.program;
        let next = match number < lesson::COUNT {
            true => format!("Next: {program} learn {}", number + 1),
            false => format!("This was the last lesson. To list all lessons: {program} learn"),
        };
        self.say(&next)
    }

    /// Prints a paragraph and an empty line.
    fn say(&self, text: &str) -> Result<(), CliError> {
        let text = wrapped(text, self.width);
        self.context.ui.out(&format!("{text}\n"))
    }

    fn line(&self, text: &str) -> Result<(), CliError> {
        self.context.ui.line(text)
    }

    /// Runs a line of the lesson and shows its output.
    fn given(&mut self, line: &str) -> Result<(), CliError> {
        let ui = &self.context.ui;
        ui.line(format!("$ {line}"))?;
        self.shell.run(line, &mut |text| ui.line(text))?;
        ui.line("")
    }

    fn script(&mut self, text: &str) -> Result<(), CliError> {
        let ui = &self.context.ui;
        ui.out(&format!("{text}\n\n"))?;
        self.shell.run(text, &mut |text| ui.line(text))?;
        Ok(())
    }

    /// Prompts until a command has the effect of the expected one.
    fn task(&mut self, expected: &str) -> Result<End, CliError> {
        loop {
            self.context.ui.out("$ ")?;
            let typed = bounded::stdin_line()?;
            // A pipe does not echo, so the typed text is added to the output.
            if !self.is_terminal {
                self.line(typed.trim_end())?;
            }
            let is_last = typed.is_empty();
            match typed.trim() {
                // At the end of a pipe the text has no line break; an empty line has one.
                "" if is_last => return Ok(End::Quit),
                "" => {}
                "quit" | "exit" => return Ok(End::Quit),
                "hint" => self.say(&hint(expected))?,
                "skip" => {
                    self.line(&format!("$ {expected}"))?;
                    self.perform(expected, true)?;
                    return Ok(End::Done);
                }
                // The usual case needs no copies and streams its output.
                typed if alike(typed) == alike(expected) => {
                    self.perform(typed, true)?;
                    return Ok(End::Done);
                }
                typed => {
                    if self.is_right(typed, expected)? {
                        return Ok(End::Done);
                    }
                }
            }
        }
    }

    /// Runs a command on the lesson's cluster and plays its changes.
    fn perform(&mut self, line: &str, shows: bool) -> Result<(), CliError> {
        let state = self.root.real(&self.state);
        let before = effect::revision(&state)?;
        let ui = &self.context.ui;
        self.shell.run(line, &mut |text| match shows {
            true => ui.line(text),
            false => Ok(()),
        })?;
        // In a pipe, every frame would remain in the output, and the output of the commands suffices.
        if self.is_terminal {
            film::play(&state, before, self.context)?;
        }
        ui.line("")
    }

    /// Runs a command on a copy and, if it has the effect of the expected one, on the lesson's cluster, too.
    fn is_right(&mut self, typed: &str, expected: &str) -> Result<bool, CliError> {
        let state = self.root.real(&self.state);
        let since = effect::revision(&state)?;
        let before = Effect::read(&state, since, self.root.files()?)?;
        // The second copy is made from the first, because the lesson's own directory may change in between.
        let own = self.root.copied(self.scratch.path().join("typed"))?;
        let other = own.copied(self.scratch.path().join("expected"))?;
        let ui = &self.context.ui;
        // The commands do not run in parallel, because the learner sees the output of the first one while it runs.
        let typed_effect = self.tried(&own, typed, since, &mut |text| ui.line(text))?;
        let expected_effect = self.tried(&other, expected, since, &mut |_| Ok(()))?;
        let same_command = verb(typed) == verb(expected);
        match typed_effect.compared(&expected_effect, &before) {
            // If nothing changes and nothing is printed, a different command proves nothing.
            Verdict::Same if same_command || !expected_effect.output.is_empty() => {
                self.line(&format!("✓ the same effect as: {expected}"))?;
                // The learner has already seen the output.
                self.perform(typed, false)?;
                return Ok(true);
            }
            Verdict::Same | Verdict::Nothing => {
                self.say(
                    "This command changes nothing. To continue, type the command after the arrow.",
                )?;
            }
            Verdict::Other(differences) => {
                self.say("This command has a different effect from the expected one. The cluster of the lesson is unchanged. The differences:")?;
                for difference in differences {
                    self.line(&format!("  {difference}"))?;
                }
                self.line("")?;
            }
        }
        self.line(&format!("→ {expected}"))?;
        Ok(false)
    }

    /// Runs a command on a copy.
    fn tried(
        &self,
        root: &Root,
        line: &str,
        since: Revision,
        tell: &mut dyn FnMut(&str) -> Result<(), CliError>,
    ) -> Result<Effect, CliError> {
        // A trial gets its own shell, so that its variables and jobs do not remain.
        let mut output = Vec::new();
        let code = Shell::start(root.clone(), &self.state)?.run(line, &mut |text| {
            output.push(text.to_owned());
            tell(text)
        });
        // A line that ends the shell has no other effect.
        let code = code.unwrap_or(-1);
        let mut effect = Effect::read(&root.real(&self.state), since, root.files()?)?;
        (effect.code, effect.output) = (code, output);
        Ok(effect)
    }

    /// Plays the whole lesson if the user agrees.
    fn film(&self, description: &str) -> Result<(), CliError> {
        if !self.is_terminal {
            return self.say(description);
        }
        self.say(description)?;
        self.context
            .ui
            .out("Press Enter to play the animation, or type n to continue: ")?;
        if !bounded::stdin_line()?.trim().is_empty() {
            return self.line("");
        }
        let state: PathBuf = self.root.real(&self.state);
        film::play(&state, 0, self.context)?;
        self.line("")
    }
}

/// Returns the words of a command, with `kubectl` replaced by `ctl`.
fn alike(line: &str) -> Vec<&str> {
    let words = line.split_whitespace();
    words
        .map(|word| if word == "kubectl" { "ctl" } else { word })
        .collect()
}

/// Returns the program and the subcommand of a line, such as `ctl settle`.
fn verb(line: &str) -> Vec<&str> {
    let mut words = alike(line);
    words.truncate(2);
    words
}

/// Explains a command with the first line of its help.
fn hint(line: &str) -> String {
    let words = alike(line);
    let (mut command, mut path) = (Cli::command(), Vec::new());
    if words.first() == Some(&"ctl") {
        while let Some(next) = words
            .get(path.len() + 1)
            .and_then(|word| command.find_subcommand(word).cloned())
        {
            path.push(next.get_name().to_owned());
            command = next;
        }
    }
    match (path.is_empty(), command.get_about()) {
        (false, Some(about)) => {
            let path = path.join(" ");
            format!(
                "`ctl {path}`: {about}. `ctl {path} -h` lists its flags. `skip` runs the command for you."
            )
        }
        _ => format!("Type this line exactly: `{line}`. `skip` runs it for you."),
    }
}

/// Wraps a paragraph to a width. A list item is indented below its dash.
fn wrapped(text: &str, width: usize) -> String {
    let indent = if text.starts_with("- ") { "  " } else { "" };
    let (mut lines, mut line) = (String::new(), String::new());
    for word in text.split(' ') {
        if line.is_empty() {
            word.clone_into(&mut line);
        } else if line.chars().count() + 1 + word.chars().count() <= width {
            line += &format!(" {word}");
        } else {
            lines += &format!("{line}\n");
            line = format!("{indent}{word}");
        }
    }
    format!("{lines}{line}\n")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::testing::Shell;

    #[test]
    fn lessons_are_listed_and_unknown_numbers_rejected() {
        let shell = Shell::empty();
        let listed = shell.out("learn");
        assert!(
            listed.starts_with("1  Desired and current state "),
            "{listed}"
        );
        assert!(
            listed.contains("\n7  Writing your own controller "),
            "{listed}"
        );
        shell.refuses(&[("learn 8", "there is no lesson 8; choose one from 1 to 7")]);
    }

    #[test]
    fn hint_is_the_first_help_line_of_the_command() {
        let told = hint("kubectl cluster init --seed 1");
        assert!(told.starts_with("`ctl cluster init`: "), "{told}");
        assert!(hint("cat /tmp/x").starts_with("Type this line"), "{told}");
    }

    #[test]
    fn lines_wrap_and_list_items_stay_indented() {
        assert_eq!(wrapped("a bb ccc", 5), "a bb\nccc\n");
        assert_eq!(wrapped("- aa bb cc", 7), "- aa bb\n  cc\n");
        assert_eq!(alike("kubectl  get pods"), alike("ctl get pods "));
    }
}
