//! The history: the changes that etcd still has, from the last compaction on.

use std::time::Duration;

use ctl_etcd::{EtcdError, KeyRange};

use super::follow::{Revisions, Shared, load};
use super::keys::HEAD;
use crate::error::StoreError;
use crate::interface::Result;
use crate::memory::state::State;
use crate::revision::Revision;
use crate::sys::threads::locked;

/// The time limit for the next part of the history. A watch of the past begins within a tenth of a second.
const PART: Duration = Duration::from_secs(10);

impl Shared {
    /// Returns the oldest revision whose later changes etcd still has.
    pub(super) fn begin(&self) -> Result<Revision> {
        let mut begin = locked(&self.begin);
        let client = &self.client;
        let head = self.keys.own(HEAD);
        let at = |revision| KeyRange {
            revision,
            keys_only: true,
            ..KeyRange::key(head.clone())
        };
        loop {
            match client.range(&at(*begin)) {
                Ok(_) => return Ok(*begin),
                Err(EtcdError::Compacted(_)) => {}
                Err(error) => return Err(error.into()),
            }
            // A watch reports the start of the history, a range does not.
            let mut watch = client.watch(&KeyRange::key(head.clone()), *begin - 1)?;
            loop {
                match watch.next(PART) {
                    Ok(Some(message)) if message.events.is_empty() => {}
                    Err(EtcdError::Compacted(Some(oldest))) => {
                        *begin = oldest.max(*begin);
                        break;
                    }
                    Ok(_) => break,
                    Err(error) => return Err(error.into()),
                }
            }
        }
    }

    /// Returns the state with a history that reaches back to a revision.
    pub(super) fn with_past(&self, after: Revision) -> Result<State> {
        let state = self.read(|cached| cached.state.clone());
        if state.oldest <= after {
            return Ok(state);
        }
        let begin = self.begin()?;
        if after < begin && begin != self.made {
            return Err(StoreError::Gone {
                asked: after,
                oldest: begin.min(state.oldest),
            });
        }
        let older = self.replay(begin, state.oldest)?;
        // Kept for the next question, and cut with the next commit if it is longer than the settings allow.
        Ok(self.write(|cached| {
            cached.state.precede(&older);
            cached.state.clone()
        }))
    }

    /// Replays the history from one revision to another.
    fn replay(&self, begin: Revision, end: Revision) -> Result<State> {
        let gone = || StoreError::Gone {
            asked: begin,
            oldest: end,
        };
        let loaded = load(&self.client, &self.keys, begin)?.ok_or_else(gone)?;
        let mut cached = loaded.cached;
        // The state of the compaction has everything up to it, although its last change is older.
        cached.state.oldest = if begin == self.made { 1 } else { begin };
        if begin >= end {
            return Ok(cached.state);
        }
        let (key, range_end) = self.keys.whole();
        let range = KeyRange {
            key,
            end: range_end,
            ..KeyRange::default()
        };
        // After the state that the replay starts with, which includes its own revision.
        let mut watch = self.client.watch(&range, begin)?;
        let mut revisions = Revisions::default();
        while cached.seen < end {
            let message = watch.next(PART)?;
            let late = || EtcdError::Lost("etcd did not send the history".to_owned());
            let message = message.ok_or_else(late)?;
            for (revision, events) in revisions.take(message.events, message.fragment) {
                cached.follow(&self.keys, revision, events);
            }
        }
        Ok(cached.state)
    }
}
