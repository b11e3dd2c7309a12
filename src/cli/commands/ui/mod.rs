//! `ctl ui`: shows the screen of `ctl-tui` on the terminal, or the same view in a browser.
//!
//! Threads send messages to the loop that draws: one waits for keys, one for changes of the cluster, one reads the
//! displayed part, one plans the next reconciles, and one waits for signals. The loop sleeps until a message arrives. A
//! fork next to the cluster has threads of its own, which end with it.

mod forks;
mod messages;
mod reader;
mod run;
mod screen;
mod source;
mod view;
mod web;
mod what_if;

use std::net::{Ipv4Addr, SocketAddr};
use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::time::Duration;

use clap::Args;
use ctl_scene::Scope;
use ctl_tui::{App, Effect, Input, Key, Side, SideBySide};

use self::forks::Forks;
use self::messages::{CLUSTER, Message, MessageSender};
use self::reader::{ReadRequest, Reader};
use self::run::Runner;
use self::screen::Screen;
use self::source::Source;
use self::view::View;
pub(super) use self::web::Site;
use self::what_if::WhatIf;
use super::{Outcome, serve, tree};
use crate::cli::context::Context;
use crate::cli::error::CliError;
use crate::cluster::Cluster;
use crate::serve::http::{Limits, Server, view_key};
use crate::sys::clock::Stopwatch;
use crate::sys::signal;

/// The time for which each commit is shown during playback.
const FRAME: Duration = Duration::from_millis(400);

/// Show and change the cluster on a live screen
///
/// Shows the owner tree, rollouts, nodes, events, the controllers' next steps and the causes of the selected
/// object, and draws them again after each change. Keys go through the history, and run commands such as scale,
/// undo and fault after a confirmation; ? lists them. f forks the cluster in memory and shows the fork next to it,
/// for experiments that do not change the cluster. NO_COLOR turns colors off.
///
/// --web serves the same view as a page for browsers of this machine, until stopped. Only the printed link opens
/// it.
///
/// Examples:
///   ctl ui                   the workloads of the namespace
///   ctl ui deployment/web    one workload
///   ctl ui -A                all namespaces
///   ctl ui --web             the same view in a browser
#[derive(Args, Debug)]
#[command(verbatim_doc_comment)]
pub(crate) struct UiArgs {
    #[arg(value_name = "[TYPE/NAME]", hide = true)]
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
    let screen = ClusterScreen {
        runner: Runner::new(context)?,
        context,
        plays: false,
        stop: None,
    };
    screen.show(cluster, scope)?;
    Ok(ExitCode::SUCCESS)
}

/// Serves the web view until the command is stopped.
fn serve_page(args: &UiArgs, context: &Context) -> Outcome {
    let cluster = Arc::new(context.api()?);
    let scope = tree::scope(&args.words, args.all_namespaces, context, &cluster)?;
    let shown = Forks::new(
        Arc::clone(&cluster),
        Runner::new(context)?,
        Runner::runner_factory(context)?,
    );
    let site = Site::new(shown, scope);
    let address = SocketAddr::from((Ipv4Addr::LOCALHOST, args.port));
    let token = serve::token()?;
    let server = Server::bind(address, false, Limits::default())
        .map_err(|e| CliError::text(format!("cannot listen at {address}: {e}")))?
        .with_token(&token);
    let address = server.address().unwrap_or(address);
    let stop = signal::stop_flag()?;
    let key = view_key(&token);
    // Standard output has only the link, for programs that open it.
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

/// Returns the site that serves the API and the web view of a cluster.
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
    let shown = Forks::new(cluster, runner, Runner::runner_factory(context)?);
    Ok(Site::new(shown, scope).with_api())
}

/// Plays the history of a cluster in a directory from its beginning, until the user quits or a signal has set the flag.
pub(super) fn play(
    cluster: Cluster,
    scope: Scope,
    directory: &Path,
    context: &Context,
    stop: &AtomicBool,
) -> Result<(), CliError> {
    let screen = ClusterScreen {
        runner: Runner::for_program(&context.program, directory),
        context,
        plays: true,
        stop: Some(stop),
    };
    screen.show(cluster, scope)
}

/// The screen before it is opened.
struct ClusterScreen<'c> {
    runner: Runner,
    context: &'c Context,
    /// True until playback of the history has started by itself.
    plays: bool,
    /// The flag of signals that arrive before the screen handles them.
    stop: Option<&'c AtomicBool>,
}

/// Sends the message of a signal that has only set the flag.
fn repeat_earlier_stop(stop: &AtomicBool, sender: &Sender<Message>) {
    if stop.load(Ordering::Relaxed) {
        drop(sender.send(Message::Stop));
    }
}

impl ClusterScreen<'_> {
    /// Shows a cluster until the user quits.
    fn show(self, cluster: Cluster, scope: Scope) -> Result<(), CliError> {
        let (sender, messages) = channel();
        let app = App::new(&scope.namespace, self.context.ui.has_color());
        let cluster = Arc::new(cluster);
        let outbox = MessageSender {
            sender: sender.clone(),
            number: CLUSTER,
        };
        let view = View::new(Arc::clone(&cluster), scope.clone())?;
        let stop = sender.clone();
        signal::on_stop(move || drop(stop.send(Message::Stop)))?;
        // Comes after the handler is installed, because a signal between the two would be lost otherwise.
        if let Some(stop) = self.stop {
            repeat_earlier_stop(stop, &sender);
        }
        let lost = outbox.clone();
        let mut screen = Screen::open(move || {
            let text = "the screen ended because a part of it failed; the message is above";
            lost.fail(CliError::text(text));
        })?;
        // Threads start only after the screen is open: a panic before that would reach no hook, and the loop below
        // would wait forever.
        let asks = Reader::start(view, outbox.clone())?;
        let keys = outbox.clone();
        let thread = std::thread::Builder::new().name("keys".to_owned());
        thread.spawn(move || screen::watch(&keys))?;
        let main = Source {
            outbox,
            asks,
            runner: self.runner,
        };
        let mut shown = Loop {
            sides: SideBySide::new(app),
            main,
            what_if: WhatIf::new(cluster, scope, self.context),
            plays: self.plays,
        };
        let ended = shown.run(&mut screen, &messages);
        // The screen closes before anything is printed, because an error on the alternate screen would vanish with it.
        drop(screen);
        ended
    }
}

/// The state of the drawing loop.
struct Loop<'c> {
    sides: SideBySide,
    main: Source,
    what_if: WhatIf<'c>,
    plays: bool,
}

impl Loop<'_> {
    fn run(&mut self, screen: &mut Screen, messages: &Receiver<Message>) -> Result<(), CliError> {
        let mut since = Stopwatch::start();
        loop {
            screen.draw(&self.sides)?;
            let first = match self.sides.is_playing() {
                false => messages.recv().map_err(RecvTimeoutError::from),
                true => messages.recv_timeout(FRAME.saturating_sub(since.elapsed())),
            };
            let mut is_last = false;
            match first {
                Ok(first) => is_last |= self.is_last(first)?,
                Err(RecvTimeoutError::Timeout) => {
                    since = Stopwatch::start();
                    let effects = self.sides.tick();
                    is_last |= self.carry_out(effects)?;
                }
                Err(RecvTimeoutError::Disconnected) => return Ok(()),
            }
            // All pending messages are handled before the next frame, so that keys never wait for drawing.
            for message in messages.try_iter() {
                is_last |= self.is_last(message)?;
            }
            if is_last {
                return Ok(());
            }
        }
    }

    /// Handles a message. Returns true if it ends the loop.
    fn is_last(&mut self, message: Message) -> Result<bool, CliError> {
        let effects = match message {
            Message::Stop => return Ok(true),
            Message::Resized => return Ok(false),
            Message::Key(key) => self.sides.press(key),
            Message::Forked(made) => {
                self.what_if
                    .open(*made, &self.main.outbox, &mut self.sides)?;
                return Ok(false);
            }
            Message::Failed(number, error) => {
                return match self.what_if.side(number) {
                    Some(_) => Err(error),
                    None => Ok(false),
                };
            }
            Message::Input(number, input) => {
                // The message may come from a discarded fork.
                let Some(side) = self.what_if.side(number) else {
                    return Ok(false);
                };
                // Playback begins when the first commits are known.
                let begins = matches!(input, Input::Stops(_)) && std::mem::take(&mut self.plays);
                let mut effects = self.sides.update(side, input);
                if begins {
                    effects.extend(self.sides.press(Key::Char(' ')));
                }
                effects
            }
        };
        self.carry_out(effects)
    }

    /// Carries out effects. Returns true if one of them ends the loop.
    fn carry_out(&mut self, effects: Vec<(Side, Effect)>) -> Result<bool, CliError> {
        for (side, effect) in effects {
            match effect {
                Effect::Quit => return Ok(true),
                Effect::Fork(at) => self.what_if.begin(at, &self.main.outbox)?,
                Effect::Discard => self.what_if.discard(),
                Effect::Show(at) => self.ask(side, ReadRequest::Show(at)),
                Effect::Why(uid) => self.ask(side, ReadRequest::Why(uid)),
                Effect::Run(words) => {
                    if let Some(source) = self.source(side) {
                        source.start(words)?;
                    }
                }
            }
        }
        Ok(false)
    }

    fn source(&self, side: Side) -> Option<&Source> {
        match side {
            Side::Cluster => Some(&self.main),
            Side::Fork => self.what_if.source(),
        }
    }

    fn ask(&self, side: Side, ask: ReadRequest) {
        if let Some(source) = self.source(side) {
            source.ask(ask);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::testing::Shell;

    #[test]
    fn signal_before_the_screen_ends_it() {
        for is_stopped in [false, true] {
            let (sender, messages) = channel();
            repeat_earlier_stop(&AtomicBool::new(is_stopped), &sender);
            let ends = matches!(messages.try_recv(), Ok(Message::Stop));
            assert_eq!(ends, is_stopped);
        }
    }

    #[test]
    fn ui_without_a_terminal_suggests_other_commands() {
        let shell = Shell::new();
        shell.refuses(&[(
            "ui",
            "the screen needs a terminal for its input and its output; without one, `kubectl tree` prints the objects, and \
             `kubectl render --html FILE` writes the history as a page",
        )]);
    }
}
