//! A recording in frames: one frame for each commit, one track for each object that ever existed.
//!
//! Must not know: how frames are drawn.

use std::collections::HashMap;

use jiff::Timestamp;

use crate::cluster::Revision;
use crate::recording::Recording;
use crate::rollout::Rollout;
use crate::scene::{Node, tree};
use crate::snapshot::Scope;
use crate::status::Status;

/// The objects of a scope over time.
///
/// ```
/// use ctl_cluster::testing::{in_memory, place, pod};
/// use ctl_scene::{Frame, Period, Recording, Scope, ObjectState, Timeline, Track};
///
/// let cluster = in_memory();
/// cluster.create(&place("pods"), &pod("web"), &Default::default())?;
/// let scope = Scope::namespace("default");
/// let recording = Recording::read(&cluster, &scope, Period { after: 0, until: None, since: None })?;
/// let timeline = Timeline::from_recording(&recording, &scope, 100);
/// let last: &Frame = timeline.frames.last().unwrap();
/// let track: &Track = timeline.tracks.iter().find(|track| track.label.contains("web")).unwrap();
/// let shot: Option<&ObjectState> = track.at(timeline.frames.len() - 1);
/// assert!(shot.is_some(), "created by revision {}", last.revision);
/// # Ok::<(), ctl_cluster::ApiError>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Timeline {
    /// The frames, oldest first; at least one.
    pub frames: Vec<Frame>,
    /// The objects; each owner comes before its dependents.
    pub tracks: Vec<Track>,
}

/// One moment in time.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Frame {
    /// The revision.
    pub revision: Revision,
    /// The cluster's time.
    pub time: Timestamp,
    /// The command line or the controller that wrote the commit; empty for the first frame.
    pub writer: String,
    /// The rule that caused the commit.
    pub rule: String,
}

/// One object over time.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Track {
    /// `TYPE/NAME`.
    pub label: String,
    /// The namespace; empty for cluster-scoped objects.
    pub namespace: String,
    /// The number of owners above the object.
    pub depth: usize,
    /// The frames in which the object changed, with its state from then on; `None` once it is deleted.
    pub shots: Vec<(usize, Option<ObjectState>)>,
}

impl Track {
    /// Returns the state in a frame, or `None` if the object does not exist in it.
    pub fn at(&self, frame: usize) -> Option<&ObjectState> {
        let after = self.shots.partition_point(|(from, _)| *from <= frame);
        let (_, shot) = self.shots.get(after.checked_sub(1)?)?;
        shot.as_ref()
    }
}

/// The state of an object in a frame.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ObjectState {
    /// The state, with its reason and the next step.
    pub status: Status,
    /// The node of a Pod; empty if it has none.
    pub node: String,
    /// The Pods by template, if the object is a workload.
    pub rollout: Option<Rollout>,
}

/// An object, while its track is built.
#[derive(Default)]
struct TrackBuilder {
    track: Track,
    /// The last frame that contains the object.
    seen: usize,
    below: SiblingOrder,
}

/// Siblings in order of appearance, so that the Pods of an old template stay above those of a new one.
#[derive(Default)]
struct SiblingOrder {
    roles: Vec<TrackBuilder>,
    places: HashMap<String, usize>,
}

impl Timeline {
    /// Returns the frames of a recording. If there are more commits than `limit`, a frame covers several of them.
    pub fn from_recording(recording: &Recording, scope: &Scope, limit: usize) -> Self {
        let every = recording.commits.len().div_ceil(limit.max(1)).max(1);
        let (mut cast, mut frames, mut number) = (SiblingOrder::default(), Vec::new(), 0);
        let last = recording.commits.len();
        recording.play(&mut |snapshot, commit| {
            number += 1;
            // The first and the last moment are always included.
            if number > 1 && (number - 1) % every != 0 && number - 1 != last {
                return;
            }
            // Skipped frames are not even arranged, because arranging takes most of the time.
            let scene = tree(snapshot, scope);
            let frame = Frame {
                revision: snapshot.revision,
                time: snapshot.time,
                writer: commit.map_or_else(String::new, |c| c.writer.clone()),
                rule: commit.map_or_else(String::new, |c| c.rule.clone()),
            };
            if cast.show(&scene.roots, frames.len(), 0) || frames.is_empty() {
                frames.push(frame);
            } else if let Some(current) = frames.last_mut() {
                // A commit without a visible change, for example to an annotation, needs no frame.
                (current.revision, current.time) = (frame.revision, frame.time);
            }
        });
        let mut tracks = Vec::new();
        cast.into_tracks(&mut tracks);
        Self { frames, tracks }
    }
}

impl SiblingOrder {
    /// Records the objects of a frame. Returns true if any of them differs from the previous frame.
    fn show(&mut self, nodes: &[Node], frame: usize, depth: usize) -> bool {
        let mut changed = false;
        // Frames count from 1 here, so that 0 means "never".
        for role in &mut self.roles {
            role.seen = if role.seen == frame + 1 { 0 } else { role.seen };
        }
        for node in nodes {
            // Identified by uid, because an object that is created again under the same name is another object.
            let place = *self.places.entry(node.uid.clone()).or_insert_with(|| {
                self.roles.push(TrackBuilder::default());
                self.roles.len() - 1
            });
            let role = &mut self.roles[place];
            changed |= role.show(node, frame, depth);
        }
        for role in &mut self.roles {
            if role.seen != frame + 1 {
                changed |= role.leave(frame);
            }
        }
        changed
    }

    fn leave(&mut self, frame: usize) -> bool {
        let left = self.roles.iter_mut().map(|role| role.leave(frame));
        left.fold(false, |any, one| any | one)
    }

    fn into_tracks(self, tracks: &mut Vec<Track>) {
        for role in self.roles {
            tracks.push(role.track);
            role.below.into_tracks(tracks);
        }
    }
}

impl TrackBuilder {
    fn show(&mut self, node: &Node, frame: usize, depth: usize) -> bool {
        self.seen = frame + 1;
        self.track.label = node.label();
        self.track.namespace.clone_from(&node.namespace);
        self.track.depth = depth;
        let shot = Some(ObjectState {
            status: node.status.clone(),
            node: node.node.clone(),
            rollout: node.rollout,
        });
        let changed = self.change(frame, shot);
        self.below.show(&node.children, frame, depth + 1) | changed
    }

    fn leave(&mut self, frame: usize) -> bool {
        // The tracks of its dependents go on, because the garbage collector deletes them in a later commit.
        let changed = self.track.shots.last().is_some_and(|(_, s)| s.is_some());
        if changed {
            self.change(frame, None);
        }
        self.below.leave(frame) | changed
    }

    fn change(&mut self, frame: usize, shot: Option<ObjectState>) -> bool {
        let shots = &mut self.track.shots;
        if shots.last().is_some_and(|(_, last)| *last == shot) {
            return false;
        }
        // An object that gets another owner within a frame has only one state in it.
        match shots.last_mut() {
            Some((from, last)) if *from == frame => *last = shot,
            _ => shots.push((frame, shot)),
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cluster::DeleteOptions;
    use crate::cluster::testing::place;
    use crate::recording::Period;
    use crate::testing::small;

    fn recorded(limit: usize) -> Timeline {
        let cluster = small();
        let gone = DeleteOptions {
            grace_period: Some(0),
            ..DeleteOptions::default()
        };
        cluster.delete(&place("pods"), "web-a", &gone).unwrap();
        let scope = Scope::namespace("default");
        let recording = Recording::read(&cluster, &scope, Period::default()).unwrap();
        Timeline::from_recording(&recording, &scope, limit)
    }

    #[test]
    fn track_lasts_from_creation_to_deletion() {
        let timeline = recorded(100);
        let names: Vec<(usize, &str)> = timeline
            .tracks
            .iter()
            .map(|t| (t.depth, t.label.as_str()))
            .collect();
        assert_eq!(
            names,
            [
                (0, "replicaset/web"),
                (1, "pod/web-a"),
                (1, "pod/web-b"),
                (0, "pod/alone")
            ]
        );
        // One frame before the first commit, one for each of the four objects, and one for the deletion.
        assert_eq!(timeline.frames.len(), 6);
        let pod = &timeline.tracks[1];
        let there: Vec<bool> = (0..6).map(|frame| pod.at(frame).is_some()).collect();
        assert_eq!(there, [false, false, true, true, true, false]);
        assert!(timeline.tracks[3].at(5).is_some());
    }

    #[test]
    fn a_long_recording_keeps_its_first_and_its_last_frame() {
        let timeline = recorded(2);
        assert!(timeline.frames.len() <= 3, "{:?}", timeline.frames);
        let last = timeline.frames.len() - 1;
        let there = timeline.tracks.iter().filter(|t| t.at(last).is_some());
        assert_eq!(there.count(), 3);
        assert!(timeline.tracks.iter().all(|t| t.at(0).is_none()));
    }
}
