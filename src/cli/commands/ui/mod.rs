//! `ctl ui`: the terminal around the pure screen of `ctl-tui`, and the same view for a browser.
//!
//! Threads send messages to the loop that draws: one waits for keys, one for changes of the cluster, one reads what is shown, one plans
//! the controllers' next steps, and one waits for signals. The loop sleeps until a message arrives.

mod reader;
mod run;
mod screen;
mod view;
mod web;

use std::net::{Ipv4Addr, SocketAddr};
use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::time::Duration;

use clap::Args;
use ctl_scene::Scope;
use ctl_tui::{App, Effect, Input, Key};

use self::reader::{ReadRequest, Reader};
use self::run::{Runner, Said};
use self::screen::{Screen, Typed};
use self::view::View;
pub(super) use self::web::Site;
use super::{Outcome, serve, tree};
use crate::cli::context::Context;
use crate::cli::error::CliError;
use crate::cluster::Cluster;
use crate::serve::http::{Limits, Server, view_key};
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
/// --web serves the same view as a page for browsers of this machine, until stopped. Only its link opens it.
///
/// Examples:
///   ctl ui                   the workloads of the namespace
///   ctl ui deployment/web    one workload
///   ctl ui -A                all namespaces
///   ctl ui --web             the same view in a browser
#[derive(Args, Debug)]
#[command(verbatim_doc_comment)]
pub(crate) struct UiArgs {
    #[arg(hide = true)]
    words: Vec<String>,
    /// Show objects in all namespaces
    #[arg(short = 'A', long)]
    all_namespaces: bool,
    /// Serve the view as a page on a loopback address and print its link
    #[arg(long)]
    web: bool,
    /// Port of the page; 0 picks a free one
    #[arg(long, value_name = "PORT", default_value_t = 0, requires = "web")]
    port: u16,
}

/// A message for the loop that draws.
enum Message {
    Input(Input),
    Resized,
    Stop,
    Failed(CliError),
}

pub(crate) fn run(args: &UiArgs, context: &Context) -> Outcome {
    if args.web {
        return serve_page(args, context);
    }
    if !context.ui.can_ask() {
        let program = &context.program;
        return Err(CliError::text(format!(
            "the screen needs a terminal for its input and its output; without one, `{program} tree` prints the objects, and \
             `{program} render --html FILE` writes the history as a page"
        )));
    }
    let cluster = context.api()?;
    let scope = tree::scope(&args.words, args.all_namespaces, context, &cluster)?;
    let screen = Shown::new(Runner::new(context)?, context);
    screen.show(cluster, scope)?;
    Ok(ExitCode::SUCCESS)
}

/// Serves the page until the command is stopped.
fn serve_page(args: &UiArgs, context: &Context) -> Outcome {
    let cluster = Arc::new(context.api()?);
    let scope = tree::scope(&args.words, args.all_namespaces, context, &cluster)?;
    let site = Site::new(Arc::clone(&cluster), scope, Runner::new(context)?);
    let address = SocketAddr::from((Ipv4Addr::LOCALHOST, args.port));
    let token = serve::token()?;
    let server = Server::bind(address, false, Limits::default())
        .map_err(|e| CliError::text(format!("cannot listen at {address}: {e}")))?
        .with_token(&token);
    let address = server.address().unwrap_or(address);
    let stop = signal::stop_flag()?;
    let key = view_key(&token);
    // Standard output has the link alone, for programs that open it.
    context
        .ui
        .line(format!("http://{address}/ui?token={key}"))?;
    context
        .ui
        .hint("Open the link in a browser; Ctrl-C ends the page");
    let site = Arc::new(site);
    cluster
        .files()
        .while_noticing(|| server.run(&site, &stop))?;
    Ok(ExitCode::SUCCESS)
}

/// Returns a cluster whose API and web view are served.
pub(super) fn site(
    cluster: Arc<Cluster>,
    in_memory: bool,
    context: &Context,
) -> Result<Site, CliError> {
    let scope = Scope::namespace(&context.namespace()?);
    let runner = match in_memory {
        true => Runner::in_memory(&cluster, context)?,
        false => Runner::new(context)?,
    };
    Ok(Site::new(cluster, scope, runner).with_api())
}

/// Plays the history of the cluster in a directory, from its beginning, until the person quits.
pub(super) fn play(
    cluster: Cluster,
    scope: Scope,
    directory: &Path,
    context: &Context,
) -> Result<(), CliError> {
    let runner = Runner::of(&context.program, directory);
    let mut screen = Shown::new(runner, context);
    screen.plays = true;
    screen.show(cluster, scope)
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

/// The screen of a cluster.
struct Shown {
    runner: Runner,
    has_colour: bool,
    /// True if the history is to play by itself, until it has begun to.
    plays: bool,
}

impl Shown {
    fn new(runner: Runner, context: &Context) -> Self {
        Self {
            runner,
            has_colour: context.ui.has_colour(),
            plays: false,
        }
    }

    /// Shows a cluster until the person quits.
    fn show(self, cluster: Cluster, scope: Scope) -> Result<(), CliError> {
        let (sender, messages) = channel();
        let namespace = scope.namespace.clone();
        let asks = Reader::start(View::new(Arc::new(cluster), scope)?, sender.clone())?;
        let stop = sender.clone();
        signal::on_stop(move || drop(stop.send(Message::Stop)))?;
        let lost = sender.clone();
        let mut screen = Screen::open(move || {
            let text = "the screen has ended because a part of it failed; the message is above";
            drop(lost.send(Message::Failed(CliError::text(text))));
        })?;
        watch_keys(sender.clone())?;
        let mut shown = Loop {
            app: App::new(&namespace, self.has_colour),
            asks,
            sender,
            runner: self.runner,
            plays: self.plays,
        };
        let ended = shown.run(&mut screen, &messages);
        // Before anything is said: an error on the other screen would vanish with it.
        drop(screen);
        ended
    }
}

/// The loop that draws.
struct Loop {
    app: App,
    asks: Sender<ReadRequest>,
    sender: Sender<Message>,
    runner: Runner,
    plays: bool,
}

impl Loop {
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
                        // A film begins with the first commits that are known.
                        let begins =
                            matches!(input, Input::Stops(_)) && std::mem::take(&mut self.plays);
                        let mut effects = self.app.update(input);
                        if begins {
                            effects.extend(self.app.update(Input::Key(Key::Char(' '))));
                        }
                        for effect in effects {
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
            Effect::Show(at) => ReadRequest::Show(at),
            Effect::Why(uid) => ReadRequest::Why(uid),
            Effect::Run(words) => {
                self.start(words)?;
                return Ok(false);
            }
        };
        // The reader ends only with an error, whose message is on its way.
        let _ = self.asks.send(ask);
        Ok(false)
    }

    /// Runs a command in a thread of its own.
    fn start(&self, words: Vec<String>) -> Result<(), CliError> {
        let (runner, sender) = (self.runner.clone(), self.sender.clone());
        let run = move || {
            let Said { is_done, text } = runner.run(words);
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
