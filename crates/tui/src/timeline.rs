//! The stops of the timeline, and the current position.
//!
//! Must not know: how commits are read or drawn.

use crate::scene::Stop;

/// The commits of the history, the oldest first, and the current position.
#[derive(Clone, Debug, Default)]
pub(crate) struct Timeline {
    pub(crate) stops: Vec<Stop>,
    /// The index of the commit that is shown; `None` at the present.
    pub(crate) at: Option<usize>,
    pub(crate) is_playing: bool,
}

/// A movement in time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Leap {
    Back(usize),
    On(usize),
    PreviousMark,
    NextMark,
}

impl Timeline {
    /// Adds new commits.
    pub(crate) fn extend(&mut self, more: Vec<Stop>) {
        for stop in more {
            // A mark is a commit without changes, so it has the revision of the commit before it.
            match self.stops.last_mut() {
                Some(last) if last.revision == stop.revision && stop.mark.is_some() => {
                    last.mark = stop.mark;
                }
                _ => self.stops.push(stop),
            }
        }
    }

    /// Returns the commit that is shown.
    pub(crate) fn stop(&self) -> Option<&Stop> {
        self.stops.get(self.at?)
    }

    /// Moves to another stop. The present follows the last commit. Returns false if there is no stop in that
    /// direction.
    pub(crate) fn leap(&mut self, leap: Leap) -> bool {
        let (before, last) = (self.at, self.stops.len().checked_sub(1));
        let Some(last) = last else { return false };
        // The present already shows the last commit, so the first step back leads to the commit before it.
        let from = self.at.unwrap_or(last);
        let marked = |at: &usize| self.stops[*at].mark.is_some();
        self.at = match leap {
            Leap::Back(steps) => Some(from.saturating_sub(steps)),
            Leap::On(steps) => self.at.map(|at| at + steps).filter(|at| *at <= last),
            Leap::PreviousMark => {
                let end = self.at.unwrap_or(last + 1);
                (0..end).rev().find(marked).or(self.at)
            }
            Leap::NextMark => self.at.and_then(|at| (at + 1..=last).find(marked)),
        };
        self.at != before
    }

    /// Advances by one commit while the history is playing; stops at the present.
    pub(crate) fn tick(&mut self) -> bool {
        let moved = self.is_playing && self.leap(Leap::On(1));
        // Playback ends at the present.
        self.is_playing &= self.at.is_some();
        moved
    }

    /// Plays from the current position, or from the start if it is the present; pauses if the history is playing.
    pub(crate) fn play_or_pause(&mut self) -> bool {
        self.is_playing = !self.is_playing && !self.stops.is_empty();
        if self.is_playing && self.at.is_none() {
            // Nothing follows the present, so playback starts at the beginning.
            self.at = Some(0);
            return true;
        }
        false
    }

    /// Shows the current state of the cluster.
    pub(crate) fn go_live(&mut self) -> bool {
        self.is_playing = false;
        self.at.take().is_some()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn stop(revision: u64, mark: Option<&str>) -> Stop {
        Stop {
            revision,
            mark: mark.map(str::to_owned),
            ..Stop::default()
        }
    }

    fn timeline() -> Timeline {
        let mut timeline = Timeline::default();
        timeline.extend(vec![stop(1, None), stop(2, None)]);
        timeline.extend(vec![
            stop(2, Some("a")),
            stop(3, None),
            stop(4, None),
            stop(4, Some("b")),
            stop(5, None),
        ]);
        timeline
    }

    fn at(timeline: &Timeline) -> Option<u64> {
        timeline.stop().map(|stop| stop.revision)
    }

    #[test]
    fn steps_lead_through_the_commits_to_the_present() {
        let mut timeline = timeline();
        assert_eq!(timeline.stops.len(), 5);
        assert!(timeline.leap(Leap::Back(1)));
        assert_eq!(at(&timeline), Some(4));
        assert!(timeline.leap(Leap::Back(99)));
        assert!(!timeline.leap(Leap::Back(1)));
        assert_eq!(at(&timeline), Some(1));
        assert!(timeline.leap(Leap::On(4)));
        assert_eq!(at(&timeline), Some(5));
        assert!(timeline.leap(Leap::On(1)));
        assert_eq!(at(&timeline), None);
        assert!(!timeline.leap(Leap::On(1)));
    }

    #[test]
    fn marks_are_jumped_to_in_both_directions() {
        let mut timeline = timeline();
        for expected in [Some(4), Some(2), Some(2)] {
            timeline.leap(Leap::PreviousMark);
            assert_eq!(at(&timeline), expected);
        }
        for expected in [Some(4), None, None] {
            timeline.leap(Leap::NextMark);
            assert_eq!(at(&timeline), expected);
        }
    }

    #[test]
    fn playing_ends_at_the_present() {
        let mut timeline = timeline();
        assert!(timeline.play_or_pause());
        let mut seen = vec![at(&timeline)];
        while timeline.tick() {
            seen.push(at(&timeline));
        }
        let expected = [Some(1), Some(2), Some(3), Some(4), Some(5), None];
        assert_eq!(seen, expected);
        assert!(!timeline.is_playing);
        assert!(!Timeline::default().play_or_pause());
    }
}
