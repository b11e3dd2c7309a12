//! Caches the verdict on a node for Pods with equal requirements until the node changes: most nodes give the next Pod
//! of a template the same verdict.

use std::sync::Arc;

use super::pod_info::Needs;
use super::state::{Node, State};
use super::{filter, score};

/// The number of requirements whose verdicts are cached.
const MOST: usize = 8;

/// The verdict on a node for Pods with equal requirements, independent of the rest of the cluster.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Verdict {
    /// The version of the node; nodes have none that is 0.
    version: u64,
    /// True if the node fits.
    pub(super) fits: bool,
    /// The part of its score that depends on this node alone.
    pub(super) score: i64,
    /// The number of its untolerated `PreferNoSchedule` taints.
    pub(super) unwelcome: i64,
}

impl Verdict {
    fn new(needs: &Needs, node: &Node, version: u64) -> Self {
        Self {
            version,
            fits: filter::alone(needs, node, filter::DryRun::default()).is_none(),
            score: score::alone(needs, node),
            unwelcome: score::unwelcome(needs, node),
        }
    }
}

/// The verdicts on nodes, by their numbers, of Pods with the same needs.
#[derive(Debug)]
pub(super) struct Row {
    needs: Arc<Needs>,
    verdicts: Vec<Verdict>,
}

impl Row {
    /// Returns the verdict on a node in its current state.
    pub(super) fn on(&mut self, at: usize, state: &State) -> &Verdict {
        if self.verdicts.len() <= at {
            self.verdicts.resize(at + 1, Verdict::default());
        }
        let (verdict, version) = (&mut self.verdicts[at], state.version(at));
        // The default has version 0, so an entry that was never computed is stale as well.
        if verdict.version != version {
            *verdict = Verdict::new(&self.needs, state.at(at), version);
        }
        verdict
    }

    /// Returns the verdict on a node that [`Self::on`] has returned before.
    pub(super) fn known(&self, at: usize) -> &Verdict {
        &self.verdicts[at]
    }
}

/// The verdicts of the most recently used requirements.
#[derive(Debug, Default)]
pub(super) struct Verdicts(Vec<Row>);

impl Verdicts {
    /// Returns the verdicts for some needs.
    pub(super) fn of(&mut self, needs: &Arc<Needs>) -> &mut Row {
        // Equal needs are shared, so comparing pointers is enough.
        let known = self.0.iter().position(|row| Arc::ptr_eq(&row.needs, needs));
        if let Some(at) = known {
            self.0[..=at].rotate_right(1);
        } else {
            self.0.truncate(MOST - 1);
            let row = Row {
                needs: Arc::clone(needs),
                verdicts: Vec::new(),
            };
            self.0.insert(0, row);
        }
        &mut self.0[0]
    }
}
