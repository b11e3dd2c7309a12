//! The screen of the cluster and, next to it, that of a fork for trying something out.
//!
//! Must not know: how a cluster is forked, or widgets.

use crate::app::{App, Effect, Input, Key, Message};
use crate::compare::{SplitSide, name};
use crate::list::Cursor;
use crate::model::Panel;
use crate::scene::State;
use crate::timeline::Timeline;

/// One of the two clusters on the screen.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Side {
    /// The cluster.
    #[default]
    Cluster,
    /// The fork in memory.
    Fork,
}

/// The cluster, and its fork if there is one.
///
/// ```
/// use ctl_tui::{App, Effect, Key, Side, SideBySide};
///
/// let mut sides = SideBySide::new(App::new("default", false));
/// assert_eq!(sides.press(Key::Char('f')), [(Side::Cluster, Effect::Fork(None))]);
/// sides.forked();
/// // Keys now act on the fork.
/// let effects = sides.press(Key::Char('F'));
/// assert_eq!(effects, [(Side::Fork, Effect::Discard)]);
/// ```
#[derive(Clone, Debug, Default)]
pub struct SideBySide {
    pub(crate) cluster: App,
    pub(crate) fork: Option<App>,
    /// The side on which keys act.
    active: Side,
    /// True while the program creates a fork.
    is_forking: bool,
}

impl SideBySide {
    /// Returns the screen of the cluster without a fork.
    pub fn new(cluster: App) -> Self {
        Self {
            cluster,
            ..Self::default()
        }
    }

    /// Returns true if the history of a side is playing and ticks are needed.
    pub fn is_playing(&self) -> bool {
        self.cluster.is_playing() || self.fork.as_ref().is_some_and(App::is_playing)
    }

    /// Processes an input of a side and returns the resulting effects of both sides.
    pub fn update(&mut self, side: Side, input: Input) -> Vec<(Side, Effect)> {
        let is_state = matches!(input, Input::State(_));
        // Data of a fork may still arrive after the fork was discarded.
        let effects = self.side(side).map(|app| app.update(input));
        if is_state {
            self.compare();
        }
        tagged(side, effects.unwrap_or_default())
    }

    /// Advances each history that is playing by one frame.
    pub fn tick(&mut self) -> Vec<(Side, Effect)> {
        let mut effects = self.update(Side::Cluster, Input::Tick);
        effects.extend(self.update(Side::Fork, Input::Tick));
        effects
    }

    /// Processes a key on the active side and returns the resulting effects of both sides.
    pub fn press(&mut self, key: Key) -> Vec<(Side, Effect)> {
        let side = self.active;
        let mut effects = Vec::new();
        for effect in self.shown_mut().update(Input::Key(key)) {
            match effect {
                Effect::Fork(at) => effects.extend(self.fork_or_turn(at)),
                Effect::Discard => effects.extend(self.discard()),
                other => effects.push((side, other)),
            }
        }
        // Any key may move the selection or fold a row.
        effects.extend(self.follow());
        effects
    }

    /// Shows the new fork; keys act on it from now on.
    pub fn forked(&mut self) {
        self.is_forking = false;
        self.cluster.message = None;
        let fork = self.cluster.beginning();
        self.fork = Some(fork);
        self.turn(Side::Fork);
        self.compare();
    }

    /// Shows why forking failed.
    pub fn not_forked(&mut self, text: String) {
        self.is_forking = false;
        self.cluster.message = Some(Message {
            state: State::Failing,
            text,
        });
    }

    /// Returns the side on which keys act.
    pub(crate) fn shown(&self) -> &App {
        match (self.active, &self.fork) {
            (Side::Fork, Some(fork)) => fork,
            _ => &self.cluster,
        }
    }

    fn shown_mut(&mut self) -> &mut App {
        match (self.active, &mut self.fork) {
            (Side::Fork, Some(fork)) => fork,
            _ => &mut self.cluster,
        }
    }

    fn side(&mut self, side: Side) -> Option<&mut App> {
        match side {
            Side::Cluster => Some(&mut self.cluster),
            Side::Fork => self.fork.as_mut(),
        }
    }

    fn fork_or_turn(&mut self, at: Option<u64>) -> Option<(Side, Effect)> {
        match (&self.fork, self.active) {
            (Some(_), Side::Cluster) => self.turn(Side::Fork),
            (Some(_), Side::Fork) => self.turn(Side::Cluster),
            // A second fork would replace the one that is being created.
            (None, _) if self.is_forking => {}
            (None, _) => {
                self.is_forking = true;
                self.cluster.message = Some(Message {
                    state: State::Progressing,
                    text: "copying the cluster into memory".to_owned(),
                });
                return Some((Side::Cluster, Effect::Fork(at)));
            }
        }
        None
    }

    fn discard(&mut self) -> Option<(Side, Effect)> {
        let refusal = match &self.fork {
            None => Some("there is no fork; press f to create one".to_owned()),
            // The command would go on in the background, on a cluster that is no longer visible.
            Some(fork) => (fork.running.as_ref()).map(|line| format!("`{line}` is still running")),
        };
        if let Some(text) = refusal {
            self.shown_mut().message = Some(Message {
                state: State::Failing,
                text,
            });
            return None;
        }
        self.fork = None;
        self.turn(Side::Cluster);
        self.cluster.message = Some(Message {
            state: State::Ready,
            text: "the fork is discarded".to_owned(),
        });
        Some((Side::Fork, Effect::Discard))
    }

    fn turn(&mut self, side: Side) {
        self.active = side;
        let Some(fork) = &mut self.fork else {
            self.cluster.beside = None;
            return;
        };
        for (own, app) in [(Side::Cluster, &mut self.cluster), (Side::Fork, fork)] {
            let beside = app.beside.get_or_insert_with(SplitSide::default);
            beside.is_fork = own == Side::Fork;
            beside.is_active = own == side;
        }
    }

    /// Makes the other side show the same panel, filter and object, so that both can be compared at a glance.
    fn follow(&mut self) -> Vec<(Side, Effect)> {
        let Some(fork) = &mut self.fork else {
            return Vec::new();
        };
        let (leader, other, side) = match self.active {
            Side::Cluster => (&self.cluster, fork, Side::Fork),
            Side::Fork => (&*fork, &mut self.cluster, Side::Cluster),
        };
        let effects = other.follow(leader);
        tagged(side, effects)
    }

    fn compare(&mut self) {
        let Some(fork) = &mut self.fork else { return };
        if let Some(beside) = &mut self.cluster.beside {
            beside.compare(&self.cluster.present, &fork.present);
        }
        if let Some(beside) = &mut fork.beside {
            beside.compare(&fork.present, &self.cluster.present);
        }
    }
}

impl App {
    /// Returns the initial screen of a fork of this state, before anything is read from the fork.
    fn beginning(&self) -> Self {
        let mut fork = Self {
            // A fork has a history of its own, which begins with the fork.
            timeline: Timeline::default(),
            queue: Vec::new(),
            ..self.clone()
        };
        fork.present.is_live = true;
        fork
    }

    /// Shows the panel, rows and object that another screen shows.
    fn follow(&mut self, leader: &App) -> Vec<Effect> {
        // This tree has rows of its own; the rows of the other panels correspond roughly.
        let own = self.cursor(Panel::Tree);
        (self.panel, self.cursors) = (leader.panel, leader.cursors);
        if self.filter != leader.filter || self.folded != leader.folded {
            self.filter.clone_from(&leader.filter);
            self.folded.clone_from(&leader.folded);
            self.arrange(None);
        }
        let entries = &self.present.entries;
        let found = leader.selected().and_then(|wanted| {
            let is_it = |place: &usize| name(&entries[*place]) == name(wanted);
            self.shown.iter().position(is_it)
        });
        // If the object does not exist here, the selection stays where it was.
        let last = self.shown.len().saturating_sub(1);
        self.cursors[Panel::Tree.place()] = found.map_or(Cursor(own.0.min(last)), Cursor);
        self.ask_why()
    }
}

fn tagged(side: Side, effects: Vec<Effect>) -> Vec<(Side, Effect)> {
    effects.into_iter().map(|effect| (side, effect)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{app, present, type_into};

    fn sides() -> SideBySide {
        let mut sides = SideBySide::new(app());
        assert_eq!(
            type_into(&mut sides, "f"),
            [(Side::Cluster, Effect::Fork(None))]
        );
        assert_eq!(type_into(&mut sides, "f"), [], "one fork at a time");
        sides.forked();
        sides
    }

    fn run(line: &str) -> Effect {
        Effect::Run(line.split(' ').map(str::to_owned).collect())
    }

    #[test]
    fn keys_act_on_the_side_that_is_active() {
        let mut sides = sides();
        let scale = || run("scale deployment/web --replicas=25 --namespace=default");
        let on = |side| move |effect| vec![(side, effect)];
        let (fork, cluster) = (on(Side::Fork), on(Side::Cluster));
        assert_eq!(type_into(&mut sides, "s5!"), fork(scale()));
        assert_eq!(type_into(&mut sides, "f"), []);
        assert_eq!(type_into(&mut sides, "s5!"), cluster(scale()));
        assert_eq!(type_into(&mut sides, "f"), []);
        // The command on the fork is still running.
        assert_eq!(type_into(&mut sides, "F"), []);
        let said = sides.shown().message.clone().unwrap().text;
        assert!(said.ends_with("is still running"), "{said}");
        sides.update(
            Side::Fork,
            Input::Said {
                is_done: true,
                text: "scaled".to_owned(),
            },
        );
        assert_eq!(type_into(&mut sides, "~F"), fork(Effect::Discard));
        assert!(sides.fork.is_none() && sides.cluster.beside.is_none());
        assert_eq!(type_into(&mut sides, "F"), []);
        assert_eq!(
            sides.cluster.message.unwrap().text,
            "there is no fork; press f to create one"
        );
    }

    #[test]
    fn a_fork_of_the_past_begins_at_its_revision() {
        let mut sides = SideBySide::new(app());
        assert_eq!(
            type_into(&mut sides, "<f"),
            [
                (Side::Cluster, Effect::Show(Some(8))),
                (Side::Cluster, Effect::Fork(Some(8)))
            ]
        );
        sides.not_forked("revision 8 is gone".to_owned());
        assert_eq!(
            sides.cluster.message.as_ref().unwrap().state,
            State::Failing
        );
        assert_eq!(
            type_into(&mut sides, "~f"),
            [(Side::Cluster, Effect::Fork(Some(8)))]
        );
        sides.forked();
        let fork = sides.fork.unwrap();
        assert!(fork.timeline.stops.is_empty() && fork.timeline.at.is_none());
    }

    #[test]
    fn other_side_follows_the_selection_and_is_compared() {
        let mut sides = sides();
        let mut more = present(12);
        more.entries[0].status.ready = Some((3, 5));
        sides.update(Side::Fork, Input::State(Box::new(more)));
        let words = |sides: &SideBySide| {
            let fork = sides.fork.as_ref().unwrap();
            fork.beside.as_ref().unwrap().words(0)
        };
        assert_eq!(words(&sides), "+2/+3");
        let effects = type_into(&mut sides, "vv");
        let asked = |side| {
            let why = Effect::Why("uid-web-1a-kn67d".to_owned());
            effects.contains(&(side, why))
        };
        assert!(asked(Side::Fork) && asked(Side::Cluster), "{effects:?}");
        type_into(&mut sides, "3/crash!");
        let cluster = &sides.cluster;
        assert_eq!((cluster.filter.as_str(), cluster.shown.len()), ("crash", 3));
        let mut same = present(13);
        same.entries[0].status.ready = Some((3, 5));
        sides.update(Side::Cluster, Input::State(Box::new(same)));
        assert_eq!(words(&sides), "");
    }
}
