//! Reads the displayed part of the cluster in a thread of its own, so that reading never delays a key.
//!
//! A second thread waits for the next revision, and a third one plans. Work that grows with the cluster, such as ages
//! and plans, is repeated only after a pause of many times its duration, so an idle screen uses almost no CPU time.

use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Weak};

use ctl_scene::Snapshot;
use ctl_tui::Input;

use super::messages::MessageSender;
use super::screen::panic_if_asked;
use super::view::{BUSY, CLOCK, CachedHistory, Pause, View, plan_aside};
use crate::cli::error::CliError;
use crate::cluster::{Cluster, Revision};
use crate::sys::clock::Stopwatch;

/// A request of the screen to the reader.
pub(super) enum ReadRequest {
    /// Show the cluster at a revision, or its current state.
    Show(Option<Revision>),
    /// Show the causes of the object with this uid.
    Why(String),
    /// The cluster has changed.
    Changed,
    /// Time has passed.
    Time,
    /// The cluster cannot be read.
    Failed(CliError),
    /// The screen was closed.
    End,
}

/// The reader's state.
pub(super) struct Reader {
    view: View,
    outbox: MessageSender,
    /// The displayed revision; none for the current state.
    at: Option<Revision>,
    current: Option<Snapshot>,
    /// The last commit in the timeline.
    seen: Revision,
    history: CachedHistory,
    /// The object whose causes are shown.
    subject: Option<String>,
    aged: Pause,
    planner: Sender<()>,
}

impl Reader {
    /// Starts the threads, and returns the sender of requests.
    pub(super) fn start(
        view: View,
        outbox: MessageSender,
    ) -> Result<Sender<ReadRequest>, CliError> {
        let (asks, asked) = channel();
        let thread = |name: &str| std::thread::Builder::new().name(name.to_owned());
        let (watched, changes, alive) = (Arc::clone(&view.cluster), asks.clone(), Arc::new(()));
        let watching = Arc::downgrade(&alive);
        thread("changes").spawn(move || watch(&watched, &changes, &watching))?;
        let planned = outbox.clone();
        let planner = plan_aside(Arc::clone(&view.cluster), move |steps| {
            match steps.map(Input::Queue) {
                Ok(steps) => planned.send(steps),
                Err(error) => planned.fail(error),
            }
        })?;
        let mut reader = Self {
            seen: 0,
            view,
            outbox,
            at: None,
            current: None,
            history: None,
            subject: None,
            aged: Pause::none(),
            planner,
        };
        // A single thread reads, so that results reach the screen in the order of the requests.
        thread("reader").spawn(move || {
            // The thread that waits for changes ends once this value is dropped.
            let _alive = alive;
            if let Err(error) = reader.run(&asked) {
                reader.outbox.fail(error);
            }
        })?;
        Ok(asks)
    }

    fn run(&mut self, asked: &Receiver<ReadRequest>) -> Result<(), CliError> {
        let mut asks = vec![ReadRequest::Changed];
        loop {
            // Requests that arrived during a read are merged: of ten changes, only the last state is read.
            let (mut shows, mut changed, mut time) = (false, false, false);
            for ask in asks.drain(..) {
                match ask {
                    ReadRequest::Show(at) => (self.at, shows) = (at, true),
                    ReadRequest::Why(uid) => {
                        self.subject = Some(uid);
                        self.why()?;
                    }
                    ReadRequest::Changed => changed = true,
                    ReadRequest::Time => time = true,
                    ReadRequest::Failed(error) => return Err(error),
                    ReadRequest::End => return Ok(()),
                }
            }
            let work = Stopwatch::start();
            if changed {
                self.stops()?;
                // The planner outlives this sender, so sending does not fail.
                let _ = self.planner.send(());
            }
            if shows || changed && self.at.is_none() {
                self.show()?;
                self.why()?;
                // The pause is about as long as the read, up to a limit, so that a busy cluster leaves time to other
                // processes.
                std::thread::sleep(BUSY.min(work.elapsed() + BUSY / 10));
            } else if time {
                self.grow_older()?;
            }
            let Ok(first) = asked.recv() else {
                return Ok(());
            };
            asks.push(first);
            // One read serves all pending requests.
            asks.extend(asked.try_iter());
        }
    }

    /// Reads and shows the cluster at the displayed revision.
    fn show(&mut self) -> Result<(), CliError> {
        let snapshot = self.view.snapshot(self.at)?;
        self.present(&snapshot)?;
        self.current = Some(snapshot);
        Ok(())
    }

    fn present(&mut self, snapshot: &Snapshot) -> Result<(), CliError> {
        let work = Stopwatch::start();
        let present = self.view.present(snapshot, self.at)?;
        self.aged = Pause::after(&work);
        self.outbox.send(Input::State(Box::new(present)));
        panic_if_asked("read");
        Ok(())
    }

    /// Shows the new time, and occasionally the new ages.
    fn grow_older(&mut self) -> Result<(), CliError> {
        let now = self.view.cluster.now()?;
        self.outbox.send(Input::Time(now));
        if self.at.is_none()
            && self.aged.is_over()
            && let Some(mut snapshot) = self.current.take()
        {
            snapshot.time = now;
            self.present(&snapshot)?;
            self.current = Some(snapshot);
        }
        Ok(())
    }

    /// Reads the commits that are not yet in the timeline.
    fn stops(&mut self) -> Result<(), CliError> {
        let (stops, seen) = self.view.stops(self.seen)?;
        self.seen = seen;
        self.outbox.send(Input::Stops(stops));
        Ok(())
    }

    /// Reads the causes of the selected object.
    fn why(&mut self) -> Result<(), CliError> {
        let (Some(uid), Some(snapshot)) = (&self.subject, &self.current) else {
            return Ok(());
        };
        let lines = self.view.why(snapshot, uid, self.at, &mut self.history)?;
        if let Some(lines) = lines {
            let uid = uid.clone();
            self.outbox.send(Input::Why { uid, lines });
        }
        Ok(())
    }
}

/// Reports changes and the passing of time, as long as the reader lives.
fn watch(cluster: &Cluster, asks: &Sender<ReadRequest>, reader: &Weak<()>) {
    let mut seen = 0;
    let mut time = None;
    // The count is checked each time, because a fork with a stopped clock sends nothing, so no send can fail.
    while reader.strong_count() > 0 {
        let ask = match cluster
            .wait(seen, CLOCK)
            .and_then(|at| Ok((at, cluster.now()?)))
        {
            // An unchanged revision means that the wait timed out.
            Ok((at, _)) if at != seen => {
                seen = at;
                ReadRequest::Changed
            }
            // A virtual clock mostly stands still, and then nothing is drawn.
            Ok((_, now)) if time != Some(now) => {
                time = Some(now);
                ReadRequest::Time
            }
            Ok(_) => continue,
            Err(error) => ReadRequest::Failed(error.into()),
        };
        let is_last = matches!(ask, ReadRequest::Failed(_));
        if asks.send(ask).is_err() || is_last {
            return;
        }
    }
}
