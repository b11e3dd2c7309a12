//! The state of the screen, and how keys and data change it.
//!
//! Must not know: widgets, threads, or the cluster.

use std::collections::HashSet;

use jiff::Timestamp;

use crate::action::{Prompt, Subject, owners};
use crate::compare::SplitSide;
use crate::list::{Cursor, Move};
use crate::model::Panel;
use crate::scene::{Entry, NodeRow, Present, State, Step, Stop};
use crate::timeline::{Leap, Timeline};

/// The number of rows that Page Up and Page Down move.
const PAGE: usize = 10;

/// A key, independent of the terminal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Key {
    /// A character.
    Char(char),
    /// Enter.
    Enter,
    /// Escape.
    Escape,
    /// Backspace.
    Backspace,
    /// Tab.
    Tab,
    /// Shift and Tab.
    BackTab,
    /// Arrow up.
    Up,
    /// Arrow down.
    Down,
    /// Arrow left.
    Left,
    /// Arrow right.
    Right,
    /// Shift and the left arrow.
    FastLeft,
    /// Shift and the right arrow.
    FastRight,
    /// Page up.
    PageUp,
    /// Page down.
    PageDown,
    /// Home.
    Home,
    /// End.
    End,
}

/// An input to the application.
#[derive(Clone, Debug)]
pub enum Input {
    /// A key was pressed.
    Key(Key),
    /// The current state of the cluster or an earlier one was read.
    State(Box<Present>),
    /// New commits of the timeline were read.
    Stops(Vec<Stop>),
    /// The next steps of the controllers were planned.
    Queue(Vec<Step>),
    /// The chain of causes of an object was read.
    Why {
        /// The uid of the object.
        uid: String,
        /// The chain in words.
        lines: Vec<String>,
    },
    /// A command ended.
    Said {
        /// True if it succeeded.
        is_done: bool,
        /// The messages.
        text: String,
    },
    /// The cluster's clock was read.
    Time(Timestamp),
    /// The next frame is due, because the history is playing.
    Tick,
}

/// An action to be executed by the program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Effect {
    /// Exit.
    Quit,
    /// Read the cluster at a revision, or its current state.
    Show(Option<u64>),
    /// Read the chain of causes of the object with this uid.
    Why(String),
    /// Run a command with these arguments.
    Run(Vec<String>),
    /// Fork the cluster into memory, at a revision or at its current state.
    Fork(Option<u64>),
    /// Discard the fork in memory.
    Discard,
}

/// How the next key is interpreted.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) enum Mode {
    /// Keys move the selection and start actions.
    #[default]
    Browse,
    /// Keys edit the filter.
    Filter,
    /// Keys edit and confirm a command.
    Confirm(Prompt),
    /// Any key closes the help.
    Help,
}

/// The message of a command that has ended.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Message {
    /// Failing after an error, progressing while the command runs.
    pub(crate) state: State,
    pub(crate) text: String,
}

/// The state of the screen.
#[derive(Clone, Debug, Default)]
pub struct App {
    pub(crate) namespace: String,
    pub(crate) has_color: bool,
    pub(crate) present: Present,
    pub(crate) now: Timestamp,
    pub(crate) timeline: Timeline,
    pub(crate) queue: Vec<Step>,
    pub(crate) why: Vec<String>,
    pub(crate) why_of: String,
    pub(crate) panel: Panel,
    pub(crate) cursors: [Cursor; Panel::ALL.len()],
    /// The indexes of the entries that match the filter and are not in a folded subtree.
    pub(crate) shown: Vec<usize>,
    pub(crate) folded: HashSet<String>,
    pub(crate) filter: String,
    pub(crate) mode: Mode,
    pub(crate) message: Option<Message>,
    /// The running command.
    pub(crate) running: Option<String>,
    /// The role of this screen while a fork is shown next to the cluster.
    pub(crate) beside: Option<SplitSide>,
}

impl App {
    /// Returns the initial state. Without colors, symbols and text weights carry all information.
    pub fn new(namespace: &str, has_color: bool) -> Self {
        Self {
            namespace: namespace.to_owned(),
            has_color,
            ..Self::default()
        }
    }

    /// Returns true if the history is playing and the application needs ticks.
    pub fn is_playing(&self) -> bool {
        self.timeline.is_playing
    }

    /// Processes an input and returns the actions to execute.
    pub fn update(&mut self, input: Input) -> Vec<Effect> {
        match input {
            Input::Key(key) => return self.key(key),
            Input::State(present) => return self.take(*present),
            Input::Stops(stops) => self.timeline.extend(stops),
            Input::Queue(steps) => self.queue = steps,
            Input::Why { uid, lines } => {
                // The selection may have changed while the causes were being read.
                if self.selected().is_some_and(|entry| entry.uid == uid) {
                    self.why = lines;
                }
            }
            Input::Said { is_done, text } => {
                self.running = None;
                let state = if is_done {
                    State::Ready
                } else {
                    State::Failing
                };
                self.message = Some(Message { state, text });
            }
            // Updates only the clock: ages are texts, which arrive with the next state.
            Input::Time(now) => self.now = now,
            Input::Tick => {
                let moved = self.timeline.tick();
                return self.shown_if(moved);
            }
        }
        Vec::new()
    }

    /// Returns the selected object in the tree.
    pub(crate) fn selected(&self) -> Option<&Entry> {
        let place = self.shown.get(self.cursor(Panel::Tree).0)?;
        self.present.entries.get(*place)
    }

    pub(crate) fn cursor(&self, panel: Panel) -> Cursor {
        self.cursors[panel.place()]
    }

    /// Returns the number of rows of a panel.
    pub(crate) fn length(&self, panel: Panel) -> usize {
        match panel {
            Panel::Tree => self.shown.len(),
            Panel::Rollouts => self.present.rollouts().count(),
            Panel::Nodes => self.present.nodes.len(),
            Panel::Events => self.present.events.len(),
            Panel::Queue => self.queue.len(),
            Panel::Why => self.why.len(),
        }
    }

    fn take(&mut self, present: Present) -> Vec<Effect> {
        // An earlier state could arrive after a switch back to the present, and would then stay on the screen.
        let expected = self.timeline.stop().map(|stop| stop.revision);
        if !present.is_live && expected != Some(present.revision) {
            return Vec::new();
        }
        if present.is_live && expected.is_some() {
            self.now = present.time;
            return Vec::new();
        }
        if present.is_live {
            self.now = present.time;
        }
        // Identified by uid, because an object that is created again under the same name is another object.
        let selected = self.selected().map(|entry| entry.uid.clone());
        self.present = present;
        self.arrange(selected.as_deref());
        // The new state may have added a step to its causes.
        self.why_of.clear();
        self.ask_why()
    }

    /// Recomputes the shown entries and the position of the selected one.
    pub(crate) fn arrange(&mut self, selected: Option<&str>) {
        let entries = &self.present.entries;
        let passes = self.passing();
        self.shown.clear();
        let mut place = 0;
        while let Some(entry) = entries.get(place) {
            if passes.as_ref().is_none_or(|passes| passes[place]) {
                self.shown.push(place);
            }
            // A filter also searches folded entries; what it hides is enough.
            let is_folded = passes.is_none() && self.folded.contains(&entry.uid);
            place += 1 + if is_folded { entry.below } else { 0 };
        }
        let found = selected
            .and_then(|uid| (self.shown.iter()).position(|place| entries[*place].uid == uid));
        // After a deletion, the cursor stays in its row, where the next object is now.
        let tree = &mut self.cursors[Panel::Tree.place()];
        *tree = found.map_or(
            Cursor(tree.0.min(self.shown.len().saturating_sub(1))),
            Cursor,
        );
    }

    /// Returns, for each entry, true if it or a descendant matches the filter; returns `None` if there is no filter.
    fn passing(&self) -> Option<Vec<bool>> {
        let wanted = self.filter.to_lowercase();
        if wanted.is_empty() {
            return None;
        }
        let entries = &self.present.entries;
        // Owners precede their dependents, so one pass that tracks the owners of the current row is enough.
        let mut passes = vec![false; entries.len()];
        let mut above: Vec<usize> = Vec::new();
        for (place, entry) in entries.iter().enumerate() {
            above.truncate(entry.depth);
            above.push(place);
            let texts = [
                &entry.resource,
                &entry.name,
                &entry.namespace,
                &entry.node,
                &entry.status.word,
            ];
            let found = |text: &&String| text.to_lowercase().contains(&wanted);
            if texts.iter().any(found) || entry.label().to_lowercase().contains(&wanted) {
                above.iter().for_each(|place| passes[*place] = true);
            }
        }
        Some(passes)
    }

    /// Requests the causes of the selected object unless they are shown already.
    pub(crate) fn ask_why(&mut self) -> Vec<Effect> {
        let uid = self.selected().map(|entry| entry.uid.clone());
        let uid = uid.unwrap_or_default();
        if self.why_of == uid {
            return Vec::new();
        }
        self.why_of.clone_from(&uid);
        // Without a selected object, no causes may stay on the screen.
        if uid.is_empty() {
            self.why.clear();
            return Vec::new();
        }
        vec![Effect::Why(uid)]
    }

    fn shown_if(&mut self, moved: bool) -> Vec<Effect> {
        match moved {
            true => vec![Effect::Show(self.timeline.stop().map(|stop| stop.revision))],
            false => Vec::new(),
        }
    }

    fn key(&mut self, key: Key) -> Vec<Effect> {
        // A key ends every mode that its handler does not set again.
        match std::mem::take(&mut self.mode) {
            Mode::Browse => self.browse(key),
            Mode::Help => Vec::new(),
            Mode::Filter => self.edit_filter(key),
            Mode::Confirm(prompt) => self.confirm(prompt, key),
        }
    }

    fn edit_filter(&mut self, key: Key) -> Vec<Effect> {
        self.mode = Mode::Filter;
        match key {
            Key::Char(c) if !c.is_control() => self.filter.push(c),
            Key::Backspace => {
                self.filter.pop();
            }
            Key::Escape => {
                self.filter.clear();
                self.mode = Mode::Browse;
            }
            Key::Enter => self.mode = Mode::Browse,
            _ => return self.browse_in(key, Mode::Filter),
        }
        self.rearranged()
    }

    /// Handles a key that moves the selection, and stays in the mode.
    fn browse_in(&mut self, key: Key, mode: Mode) -> Vec<Effect> {
        self.mode = mode;
        match key {
            Key::Up => self.moved(Move::Up(1)),
            Key::Down => self.moved(Move::Down(1)),
            Key::PageUp => self.moved(Move::Up(PAGE)),
            Key::PageDown => self.moved(Move::Down(PAGE)),
            _ => Vec::new(),
        }
    }

    fn rearranged(&mut self) -> Vec<Effect> {
        let selected = self.selected().map(|entry| entry.uid.clone());
        self.arrange(selected.as_deref());
        self.ask_why()
    }

    fn confirm(&mut self, mut prompt: Prompt, key: Key) -> Vec<Effect> {
        match key {
            Key::Escape => return Vec::new(),
            Key::Enter if prompt.last.is_none() || !prompt.input.is_empty() => {
                // One command at a time: two would wait for the same lock, and their messages would mix.
                self.running = Some(prompt.line());
                self.message = None;
                return vec![Effect::Run(prompt.arguments())];
            }
            Key::Char(c) => prompt.push(c),
            Key::Backspace => {
                prompt.input.pop();
            }
            _ => {}
        }
        self.mode = Mode::Confirm(prompt);
        Vec::new()
    }

    fn moved(&mut self, by: Move) -> Vec<Effect> {
        let length = self.length(self.panel);
        let cursor = &mut self.cursors[self.panel.place()];
        *cursor = cursor.moved(by, length);
        self.ask_why()
    }

    fn turned(&mut self, by: usize) -> Vec<Effect> {
        let count = Panel::ALL.len();
        self.panel = Panel::ALL[(self.panel.place() + by) % count];
        Vec::new()
    }

    fn leapt(&mut self, leap: Leap) -> Vec<Effect> {
        // A step stops playback, which would replace the frame otherwise.
        self.timeline.is_playing = false;
        let moved = self.timeline.leap(leap);
        self.shown_if(moved)
    }

    fn browse(&mut self, key: Key) -> Vec<Effect> {
        // A tenth of the history, so that ten keys cross any of them.
        let tenth = (self.timeline.stops.len() / 10).max(1);
        match key {
            Key::Char('q') => vec![Effect::Quit],
            Key::Char('?') => {
                self.mode = Mode::Help;
                Vec::new()
            }
            Key::Char('/') => {
                (self.mode, self.panel) = (Mode::Filter, Panel::Tree);
                Vec::new()
            }
            Key::Char(digit @ '1'..='6') => {
                let place = digit as usize - '1' as usize;
                self.panel = Panel::ALL[place];
                Vec::new()
            }
            Key::Tab => self.turned(1),
            Key::BackTab => self.turned(Panel::ALL.len() - 1),
            Key::Up | Key::Char('k') => self.moved(Move::Up(1)),
            Key::Down | Key::Char('j') => self.moved(Move::Down(1)),
            Key::PageUp => self.moved(Move::Up(PAGE)),
            Key::PageDown => self.moved(Move::Down(PAGE)),
            Key::Home => self.moved(Move::First),
            Key::End => self.moved(Move::Last),
            Key::Left => self.leapt(Leap::Back(1)),
            Key::Right => self.leapt(Leap::On(1)),
            Key::FastLeft => self.leapt(Leap::Back(tenth)),
            Key::FastRight => self.leapt(Leap::On(tenth)),
            Key::Char('[') => self.leapt(Leap::PreviousMark),
            Key::Char(']') => self.leapt(Leap::NextMark),
            Key::Char(' ') => {
                let moved = self.timeline.play_or_pause();
                self.shown_if(moved)
            }
            Key::Escape => self.escape(),
            Key::Enter => self.fold(),
            Key::Char('f') => vec![Effect::Fork(self.timeline.stop().map(|stop| stop.revision))],
            Key::Char('F') => vec![Effect::Discard],
            Key::Char(c) => self.act(c),
            Key::Backspace => Vec::new(),
        }
    }

    /// Closes the message, else leaves the past, else clears the filter.
    fn escape(&mut self) -> Vec<Effect> {
        if self.message.take().is_some() {
            return Vec::new();
        }
        if self.timeline.go_live() {
            return self.shown_if(true);
        }
        self.filter.clear();
        self.rearranged()
    }

    fn fold(&mut self) -> Vec<Effect> {
        let parent = self.selected().filter(|entry| entry.below > 0);
        if let Some(uid) = parent.map(|entry| entry.uid.clone())
            && !self.folded.remove(&uid)
        {
            self.folded.insert(uid);
        }
        self.rearranged()
    }

    fn act(&mut self, key: char) -> Vec<Effect> {
        let refusal = match (&self.running, self.timeline.stop()) {
            (Some(running), _) => Some(format!("`{running}` is still running")),
            (None, Some(_)) => Some("this is the past; Esc returns to the present".to_owned()),
            (None, None) => None,
        };
        let prompt = refusal.map_or_else(|| self.subject().prompt(key), Err);
        match prompt {
            Ok(prompt) => (self.mode, self.message) = (Mode::Confirm(prompt), None),
            Err(text) => {
                let state = State::Failing;
                self.message = Some(Message { state, text });
            }
        }
        Vec::new()
    }

    /// Returns the objects that a key acts on.
    fn subject(&self) -> Subject<'_> {
        // In the rollouts panel, keys act on the selected bar.
        let rollout = match self.panel {
            Panel::Rollouts => self.present.rollouts().nth(self.cursor(self.panel).0),
            _ => None,
        };
        let selected = rollout.map(|(entry, _)| entry).or(self.selected());
        let entries = &self.present.entries;
        let place = |entry: &Entry| entries.iter().position(|own| std::ptr::eq(own, entry));
        let line = selected
            .and_then(place)
            .map_or_else(Vec::new, |place| owners(entries, place));
        let node = match (self.panel, line.first()) {
            (Panel::Nodes, _) => self.present.nodes.get(self.cursor(Panel::Nodes).0),
            (_, Some(pod)) => self.node(&pod.node),
            _ => None,
        };
        Subject { line, node }
    }

    fn node(&self, name: &str) -> Option<&NodeRow> {
        self.present.nodes.iter().find(|node| node.name == name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{app, present, press};

    fn run(words: &str) -> Vec<Effect> {
        vec![Effect::Run(words.split(' ').map(str::to_owned).collect())]
    }

    #[test]
    fn keys_fill_in_commands_that_run_after_confirmation() {
        // The Pod in the fifth row belongs to the Deployment in the first.
        let pod = "vvvv";
        for (keys, expected) in [
            (
                "s5!",
                "scale deployment/web --replicas=25 --namespace=default",
            ),
            ("r!", "rollout restart deployment/web --namespace=default"),
            ("U!", "rollout undo deployment/web --namespace=default"),
            ("u!", "undo --last"),
            ("a0!", "clock advance 10s0"),
            ("x!", "settle"),
            ("mm1!", "mark m1"),
        ] {
            let mut app = app();
            press(&mut app, pod);
            assert_eq!(press(&mut app, keys), run(expected), "{keys}");
            assert!(app.running.is_some());
        }
        let mut app = app();
        press(&mut app, "vvvvv");
        assert_eq!(
            press(&mut app, "c!"),
            run("fault pod web-2b-x9k2p --crash=1 --namespace=default")
        );
        app.update(Input::Said {
            is_done: true,
            text: "x".to_owned(),
        });
        assert_eq!(press(&mut app, "d!"), run("fault node node-1 --up"));
        app.update(Input::Said {
            is_done: true,
            text: "x".to_owned(),
        });
        assert_eq!(press(&mut app, "3d!"), run("fault node node-0 --down"));
    }

    #[test]
    fn command_requires_selection_present_state_and_no_running_command() {
        let mut app = app();
        assert_eq!(press(&mut app, "c"), []);
        assert_eq!(app.message.as_ref().unwrap().text, "select a Pod first");
        assert_eq!(press(&mut app, "s~x!"), run("settle"));
        press(&mut app, "x");
        let said = app.message.clone().unwrap().text;
        assert_eq!(said, "`settle` is still running");
        app.update(Input::Said {
            is_done: false,
            text: "stuck".to_owned(),
        });
        assert_eq!(app.message.as_ref().unwrap().state, State::Failing);
        press(&mut app, "~<x");
        assert!(app.message.unwrap().text.starts_with("this is the past"));
    }

    #[test]
    fn timeline_requests_each_state_and_ignores_late_replies() {
        let mut app = app();
        assert_eq!(press(&mut app, "<"), [Effect::Show(Some(8))]);
        assert_eq!(press(&mut app, "["), [Effect::Show(Some(5))]);
        let mut late = present(8);
        late.is_live = false;
        late.entries.clear();
        app.update(Input::State(Box::new(late)));
        assert_eq!(
            app.present.revision, 9,
            "the state of a place that was left"
        );
        let mut asked = present(5);
        asked.is_live = false;
        app.update(Input::State(Box::new(asked)));
        assert_eq!(app.present.revision, 5);
        assert_eq!(press(&mut app, "]"), [Effect::Show(None)]);
        assert_eq!(press(&mut app, " "), [Effect::Show(Some(2))]);
        assert!(app.is_playing());
        assert_eq!(app.update(Input::Tick), [Effect::Show(Some(3))]);
        press(&mut app, " ");
        assert!(app.update(Input::Tick).is_empty());
        assert_eq!(press(&mut app, "~"), [Effect::Show(None)]);
        assert_eq!(press(&mut app, "q"), [Effect::Quit]);
    }

    #[test]
    fn selection_follows_its_object_and_requests_its_causes() {
        let mut app = app();
        assert_eq!(
            press(&mut app, "vv"),
            [
                Effect::Why("uid-web-1a".to_owned()),
                Effect::Why("uid-web-1a-kn67d".to_owned()),
            ]
        );
        let mut less = present(10);
        less.entries.remove(1);
        assert_eq!(
            app.update(Input::State(Box::new(less))),
            [Effect::Why("uid-web-1a-kn67d".to_owned())]
        );
        assert_eq!(app.selected().unwrap().name, "web-1a-kn67d");
        let uid = "another".to_owned();
        let before = app.why.clone();
        app.update(Input::Why {
            uid,
            lines: Vec::new(),
        });
        assert_eq!(app.why, before);
    }

    #[test]
    fn filter_keeps_owners_and_folding_hides_dependents() {
        let mut app = app();
        press(&mut app, "/crash!");
        let names = |app: &App| -> Vec<String> {
            let shown = app.shown.iter();
            shown
                .map(|at| app.present.entries[*at].name.clone())
                .collect()
        };
        assert_eq!(names(&app), ["web", "web-2b", "web-2b-x9k2p"]);
        press(&mut app, "~");
        assert_eq!(names(&app).len(), 7);
        app.update(Input::Key(Key::Home));
        press(&mut app, "!");
        assert_eq!(names(&app), ["web", "alone"]);
        press(&mut app, "!");
        assert_eq!(names(&app).len(), 7);
    }
}
