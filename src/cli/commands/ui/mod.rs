//! `ctl ui`: the terminal around the pure screen of `ctl-tui`.
//!
//! Four threads send messages to the loop that draws: one waits for keys, one for changes of the cluster, one reads what is shown, and
//! one waits for signals. The loop sleeps until a message arrives.

mod reader;
mod screen;

use std::process::ExitCode;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::time::Duration;

use clap::Args;
use ctl_scene::Scope;
use ctl_tui::{App, Effect, Input};

use self::reader::{Ask, Reader};
use self::screen::{Screen, Typed};
use super::{Outcome, tree};
use crate::cli::context::Context;
use crate::cli::error::CliError;
use crate::cli::run_within;
use crate::cli::ui::Ui;
use crate::cluster::Cluster;
use crate::sys::clock::Stopwatch;
use crate::sys::signal;

/// The time that each commit is shown while the history plays.
const FRAME: Duration = Duration::from_millis(400);

/// Show the cluster on a live screen, play its history, and act with keys
///
/// The owner tree, rollouts, nodes, events, the controllers' next steps and the causes of the selected
/// object, drawn again after each change. Keys go through the history, and run commands such as scale,
/// undo and fault after a confirmation; ? lists them. NO_COLOR is honoured.
///
/// Examples:
///   ctl ui                   the workloads of the namespace
///   ctl ui deployment/web    one workload
///   ctl ui -A                all namespaces
#[derive(Args, Debug)]
#[command(verbatim_doc_comment)]
pub(crate) struct UiArgs {
    #[arg(hide = true)]
    words: Vec<String>,
    /// Show objects in all namespaces
    #[arg(short = 'A', long)]
    all_namespaces: bool,
}

/// A message for the loop that draws.
enum Message {
    Input(Input),
    Resized,
    Stop,
    Failed(CliError),
}

pub(crate) fn run(args: &UiArgs, context: &Context) -> Outcome {
    if !context.ui.can_ask() {
        let program = &context.program;
        return Err(CliError::text(format!(
            "the screen needs a terminal for its input and its output; without one, `{program} tree` prints the objects, and \
             `{program} render --html FILE` writes the history as a page"
        )));
    }
    let cluster = context.api()?;
    let scope = tree::scope(&args.words, args.all_namespaces, context, &cluster)?;
    show(cluster, scope, context)?;
    Ok(ExitCode::SUCCESS)
}

/// Shows a cluster until the person quits.
pub(super) fn show(cluster: Cluster, scope: Scope, context: &Context) -> Result<(), CliError> {
    let (sender, messages) = channel();
    let namespace = scope.namespace.clone();
    let names = crate::history::Names::new(&*cluster.kinds()?, &namespace);
    let asks = Reader::start(Arc::new(cluster), scope, names, sender.clone())?;
    let stop = sender.clone();
    signal::on_stop(move || drop(stop.send(Message::Stop)))?;
    let mut screen = Screen::open()?;
    watch_keys(sender.clone())?;
    let mut shown = Shown {
        app: App::new(&namespace, context.ui.has_colour()),
        asks,
        sender,
        context,
    };
    let ended = shown.run(&mut screen, &messages);
    // Before anything is said: an error on the other screen would vanish with it.
    drop(screen);
    ended
}

fn watch_keys(sender: Sender<Message>) -> Result<(), CliError> {
    let watch = move || {
        loop {
            let message = match screen::next() {
                Ok(Typed::Key(key)) => Message::Input(Input::Key(key)),
                Ok(Typed::Resize) => Message::Resized,
                Ok(Typed::Stop) => Message::Stop,
                Err(e) => Message::Failed(e.into()),
            };
            let is_last = matches!(message, Message::Failed(_));
            if sender.send(message).is_err() || is_last {
                return;
            }
        }
    };
    std::thread::Builder::new()
        .name("keys".to_owned())
        .spawn(watch)?;
    Ok(())
}

/// The screen while it is shown.
struct Shown<'c> {
    app: App,
    asks: Sender<Ask>,
    sender: Sender<Message>,
    context: &'c Context,
}

impl Shown<'_> {
    fn run(&mut self, screen: &mut Screen, messages: &Receiver<Message>) -> Result<(), CliError> {
        let mut since = Stopwatch::start();
        loop {
            screen.draw(&self.app)?;
            let first = match self.app.is_playing() {
                false => messages.recv().map_err(RecvTimeoutError::from),
                true => messages.recv_timeout(FRAME.saturating_sub(since.elapsed())),
            };
            let first = match first {
                Ok(first) => first,
                Err(RecvTimeoutError::Timeout) => Message::Input(Input::Tick),
                Err(RecvTimeoutError::Disconnected) => return Ok(()),
            };
            if matches!(first, Message::Input(Input::Tick)) {
                since = Stopwatch::start();
            }
            // Everything that has arrived is taken before the next frame, so that keys never wait for drawings.
            for message in std::iter::once(first).chain(messages.try_iter()) {
                match message {
                    Message::Stop => return Ok(()),
                    Message::Failed(error) => return Err(error),
                    Message::Resized => {}
                    Message::Input(input) => {
                        for effect in self.app.update(input) {
                            if self.is_last(effect)? {
                                return Ok(());
                            }
                        }
                    }
                }
            }
        }
    }

    /// Carries out an effect; returns true if it is the end.
    fn is_last(&self, effect: Effect) -> Result<bool, CliError> {
        let ask = match effect {
            Effect::Quit => return Ok(true),
            Effect::Show(at) => Ask::Show(at),
            Effect::Why(uid) => Ask::Why(uid),
            Effect::Run(words) => {
                self.start(words)?;
                return Ok(false);
            }
        };
        // The reader ends only with an error, whose message is on its way.
        let _ = self.asks.send(ask);
        Ok(false)
    }

    /// Runs a command in a thread of its own, as if it had been typed.
    fn start(&self, words: Vec<String>) -> Result<(), CliError> {
        let (program, sender) = (self.context.program.clone(), self.sender.clone());
        // The directory is named: the command must reach the cluster that is shown, whatever the environment says.
        let mut line = vec![program.clone().into(), "--state".into()];
        line.push(self.context.directory()?.into_os_string());
        line.extend(self.context.act_as_flags().into_iter().map(Into::into));
        line.extend(words.into_iter().map(Into::into));
        let run = move || {
            let (ui, heard) = Ui::heard();
            let ended = run_within(&program, &line, &ui);
            let is_done = matches!(&ended, Ok(code) if *code == ExitCode::SUCCESS);
            if let Err(error) = &ended {
                ui.tell(error);
            }
            let heard = heard.lock().map(|heard| heard.clone()).unwrap_or_default();
            let text = format!("{}{}", heard.out, heard.err);
            let text = match text.trim() {
                "" => "done".to_owned(),
                text => text.to_owned(),
            };
            // The screen may be closed by now.
            let _ = sender.send(Message::Input(Input::Said { is_done, text }));
        };
        std::thread::Builder::new()
            .name("command".to_owned())
            .spawn(run)?;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use crate::cli::testing::Shell;

    #[test]
    fn without_a_terminal_the_commands_for_pipes_are_named() {
        let shell = Shell::new();
        shell.refuses(&[(
            "ui",
            "the screen needs a terminal for its input and its output; without one, `kubectl tree` prints the objects, and \
             `kubectl render --html FILE` writes the history as a page",
        )]);
    }
}
