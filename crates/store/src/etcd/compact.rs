//! Compaction: one process drops the history beyond the settings' limits, for all processes.

use std::time::Duration;

use ctl_etcd::{Compare, EtcdError, KeyRange, KeyWrite, Txn};

use super::follow::Shared;
use crate::interface::Result;
use crate::revision::Revision;

/// The interval at which the history is compacted.
const EVERY: Duration = Duration::from_secs(300);

/// The key that the winner writes.
const COMPACTED: &str = "compacted";

impl Shared {
    /// Returns the oldest revision of the history: all later changes are retained.
    pub(super) fn oldest(&self) -> Result<Revision> {
        // Others may compact beyond the last change, after which the cache still has everything.
        let known = self.read(|cached| cached.state.oldest);
        let begin = self.begin()?;
        // No change exists before the cluster was created, whatever revision etcd had then.
        Ok(if begin == self.made {
            1
        } else {
            begin.min(known)
        })
    }

    /// Forgets as much of the history as the settings allow.
    pub(super) fn compact(&self) -> Result<()> {
        let begin = self.oldest()?;
        let mut state = self.with_past(begin)?;
        let keep = self.known.get().history;
        state.forget(keep, 0);
        if state.oldest <= begin {
            return Ok(());
        }
        match self.client.compact(state.oldest) {
            // Another process has compacted further.
            Ok(()) | Err(EtcdError::Compacted(_)) => {}
            Err(error) => return Err(error.into()),
        }
        // The cache returns no more history than etcd and other processes.
        self.write(|cached| cached.state.forget(keep, 0));
        Ok(())
    }

    /// Compacts every five minutes until the store is dropped, unless another process does.
    pub(super) fn keep_compact(&self) {
        let mut last = None;
        while !self.wait(EVERY, |_, _| self.is_stopped()) {
            // If etcd cannot be reached, the next turn compacts more.
            last = self.compact_in_turn(last).unwrap_or(None);
        }
    }

    /// Compacts if no process has since this process's last turn; returns the state of the turns to pass the next time.
    fn compact_in_turn(&self, last: Option<Revision>) -> Result<Option<Revision>> {
        let key = self.keys.own(COMPACTED);
        let found = self.client.range(&KeyRange::key(key.as_str()))?;
        let now = found.kvs.first().map_or(0, |kv| kv.mod_revision);
        // The first turn only reads, so a command that ends soon never compacts.
        if last != Some(now) {
            return Ok(Some(now));
        }
        let txn = Txn {
            compares: vec![Compare::mod_revision(key.as_str(), now)],
            writes: vec![KeyWrite::put(key, "")],
            ..Txn::default()
        };
        let done = self.client.txn(&txn)?;
        if !done.succeeded {
            return Ok(None);
        }
        self.compact()?;
        Ok(Some(done.revision))
    }
}

#[cfg(test)]
mod tests {
    use super::super::server;
    use crate::sys::entropy::Seed;
    use crate::{
        Batch, Cause, EtcdStore, Expect, Key, Members, Op, Options, Retention, Settings, Store as _,
    };

    #[test]
    fn only_one_of_two_processes_compacts() {
        let Some((etcd, _client)) = server::Etcd::plain() else {
            return;
        };
        let members = Members {
            addresses: vec![etcd.address.clone()],
            prefix: "registry".to_owned(),
            tls: None,
        };
        let settings = Settings {
            history: Retention::Size(0),
            ..Settings::new(Seed(1))
        };
        let open = || EtcdStore::open_or_create(&members, &Options::default(), &settings).unwrap();
        let (one, two) = (open(), open());
        for n in 0..3 {
            let key = Key::new("configmaps", Some("default"), "a").unwrap();
            let json = format!(r#"{{"apiVersion":"v1","n":{n}}}"#).into_bytes();
            let batch = Batch::new(vec![Op::put(key, json, Expect::Any)]);
            one.commit(&Cause::new("test", "rule"), batch).unwrap();
        }
        let turn = |store: &EtcdStore, last| store.shared.compact_in_turn(last).unwrap();
        let (first, second) = (turn(&one, None), turn(&two, None));
        assert_eq!((first, second), (Some(0), Some(0)));
        assert_eq!(one.oldest().unwrap(), 1);
        let won = turn(&one, first);
        assert!(won > first);
        assert_eq!(one.oldest().unwrap(), one.revision().unwrap());
        // The other process observes that it was too late and begins a new turn.
        assert_eq!(turn(&two, second), won);
    }
}
