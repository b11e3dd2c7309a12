//! Leases of events: etcd forgets them although no controller runs.

use std::time::Duration;

use ctl_etcd::Client;
use parking_lot::Mutex;

use crate::interface::Result;
use crate::key::Key;
use crate::settings::{ClockMode, Settings};
use crate::sys::clock::Stopwatch;

/// The time for which new events share a lease. They live longer by as much at most, as in kube-apiserver.
const SHARED: Duration = Duration::from_secs(60);

/// The time to live of events if the settings name none.
const DEFAULT: Duration = Duration::from_secs(3600);

/// The lease that new events get.
#[derive(Debug, Default)]
pub(super) struct EventLease(Mutex<Option<(u64, Duration, Stopwatch)>>);

impl EventLease {
    /// Returns the lease of an object; 0 for none.
    pub(super) fn of(&self, client: &Client, settings: &Settings, key: &Key) -> Result<u64> {
        match life(settings).filter(|_| is_event(key)) {
            Some(life) => self.shared(client, life),
            None => Ok(0),
        }
    }

    /// Returns a lease that lasts for at least so long.
    fn shared(&self, client: &Client, life: Duration) -> Result<u64> {
        let mut current = self.0.lock();
        if let Some((lease, of, since)) = &*current
            && *of == life
            && since.elapsed() < SHARED
        {
            return Ok(*lease);
        }
        let seconds = life.saturating_add(SHARED).as_secs();
        let lease = client.grant(seconds)?.id;
        *current = Some((lease, life, Stopwatch::start()));
        Ok(lease)
    }
}

/// Returns true for the events of both groups.
pub(super) fn is_event(key: &Key) -> bool {
    matches!(key.resource(), "events" | "events.events.k8s.io")
}

/// Returns the lifetime of an event; `None` keeps it forever.
fn life(settings: &Settings) -> Option<Duration> {
    // A lease counts seconds of the machine, which a virtual clock does not.
    if settings.clock == ClockMode::Virtual {
        return None;
    }
    let life = settings.event_ttl.map_or(DEFAULT, |ttl| ttl.unsigned_abs());
    (!life.is_zero()).then_some(life)
}

#[cfg(test)]
mod tests {
    use super::super::server;
    use super::*;
    use crate::sys::entropy::Seed;
    use crate::{Batch, Cause, EtcdStore, Expect, Members, Op, Options, Range, Store as _};

    #[test]
    fn expired_lease_deletes_events_and_keeps_other_objects() {
        let Some((etcd, client)) = server::Etcd::plain() else {
            return;
        };
        let members = Members {
            addresses: vec![etcd.address.clone()],
            prefix: "registry".to_owned(),
            tls: None,
        };
        let settings = Settings::new(Seed(1));
        let store = EtcdStore::open_or_create(&members, &Options::default(), &settings).unwrap();
        let key = |resource: &str| Key::new(resource, Some("default"), "a").unwrap();
        let put = |resource: &str| {
            let json = br#"{"apiVersion":"v1","n":1}"#.to_vec();
            Op::put(key(resource), json, Expect::Any)
        };
        let batch = Batch::new(vec![put("events"), put("configmaps")]);
        let done = store.commit(&Cause::new("a", "b"), batch).unwrap();
        let stored = client.range(&ctl_etcd::KeyRange::key("/registry/events/default/a"));
        let lease = stored.unwrap().kvs[0].lease;
        let left = client.keep_alive(lease).unwrap().seconds;
        assert_eq!(
            left, 3660,
            "an hour, and the minute that events share a lease"
        );
        let of = |resource: &str| store.events.of(&client, &settings, &key(resource));
        assert_eq!(of("events").unwrap(), lease);
        assert_eq!(of("configmaps").unwrap(), 0);
        client.revoke(lease).unwrap();
        let now = store.wait(done.revision, Duration::from_secs(10)).unwrap();
        assert!(now > done.revision);
        let items = store.list(&Range::all()).unwrap().items;
        let resources: Vec<&str> = items.iter().map(|item| item.key.resource()).collect();
        assert_eq!(resources, ["configmaps"]);
        // The history contains the author of the removal.
        let past = crate::HistoryQuery {
            after: done.revision,
            ..crate::HistoryQuery::default()
        };
        let history = store.history(&past).unwrap();
        assert_eq!(
            history[0].cause,
            Cause::new("etcd", "event-ttl: the lease has ended")
        );
        let lasting = Settings {
            event_ttl: Some(jiff::SignedDuration::ZERO),
            ..settings
        };
        assert_eq!(life(&lasting), None);
    }
}
