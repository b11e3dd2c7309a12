//! Wakes watches: one thread follows the changes for all of them, as long as there are any.
//!
//! A watch without changes to its resource costs nothing between two bookmarks.

use std::collections::HashMap;
use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::runtime::Handle;
use tokio::sync::watch;

use super::shared::Shared;
use crate::Service;
use crate::cluster::Followed;
use crate::sys::net::pause;

/// The interval between checks of the stop flag and for the end of the last watch.
const LOOK: Duration = Duration::from_millis(500);

/// Receives the signal that there may be changes.
pub(super) type Woken = watch::Receiver<()>;

/// The watches of a server by their resource.
#[derive(Debug, Default)]
pub(super) struct Hub(Mutex<State>);

#[derive(Debug, Default)]
struct State {
    watches: HashMap<String, watch::Sender<()>>,
    /// True while a thread follows the changes.
    is_followed: bool,
}

/// Registers a watch of a resource, and starts the thread that wakes it unless there is one.
pub(super) fn register<S: Service + 'static>(
    service: &Arc<S>,
    shared: &Arc<Shared>,
    resource: &str,
) -> Woken {
    let mut state = shared.hub.lock();
    let watches = state.watches.entry(resource.to_owned());
    let woken = watches.or_insert_with(|| watch::Sender::new(()));
    // Before the first read of the watch, so that no change in between is missed.
    let woken = woken.subscribe();
    if !std::mem::replace(&mut state.is_followed, true) {
        let (service, shared) = (Arc::clone(service), Arc::clone(shared));
        // On a thread, because the store is waited for and read there.
        tokio::task::spawn_blocking(move || follow(&*service, &shared));
    }
    woken
}

/// Follows the changes until no watch is left or the server stops.
fn follow(service: &dyn Service, shared: &Shared) {
    let _following = Following(&shared.hub);
    let Some(mut follower) = service.follower() else {
        // Such a service has no watches to wake.
        return;
    };
    while !shared.stop.load(Ordering::Relaxed) && shared.hub.is_used() {
        match follower.next(LOOK) {
            Ok(followed) => shared.hub.wake(&followed),
            Err(_) => {
                // They read the store themselves, and report its error to their clients.
                shared.hub.wake(&Followed::Everything);
                Handle::current().block_on(pause(LOOK));
            }
        }
    }
}

/// The thread that follows.
struct Following<'h>(&'h Hub);

impl Drop for Following<'_> {
    fn drop(&mut self) {
        // The next watch starts another one.
        if std::thread::panicking() {
            self.0.lock().is_followed = false;
        }
    }
}

impl Hub {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns true if there are watches. Otherwise the caller no longer follows.
    fn is_used(&self) -> bool {
        let mut state = self.lock();
        state.watches.retain(|_, woken| woken.receiver_count() > 0);
        // Under the lock of `register`, so that a watch that begins now starts another thread.
        state.is_followed = !state.watches.is_empty();
        state.is_followed
    }

    fn wake(&self, followed: &Followed) {
        let state = self.lock();
        match followed {
            Followed::Everything => state.watches.values().for_each(|w| w.send_replace(())),
            // One signal for all watches of a resource, because each of them filters by itself.
            Followed::Resources(resources) => {
                let woken = resources.iter().filter_map(|name| state.watches.get(name));
                woken.for_each(|w| w.send_replace(()));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::shared::Limits;
    use super::super::tests::{fresh, shared};
    use super::*;
    use crate::api::json::json;
    use crate::cluster::testing::place;
    use crate::sys::net::runtime;

    #[test]
    fn only_watches_of_changed_resources_are_woken() {
        let (cluster, shared) = (fresh(), shared(Limits::default()));
        runtime(2).unwrap().block_on(async {
            let mut maps = register(&cluster, &shared, "configmaps");
            // The first signal is for all, because earlier changes are not known.
            maps.changed().await.unwrap();
            let secrets = register(&cluster, &shared, "secrets");
            let map = json!({"metadata": {"name": "a"}});
            cluster
                .create(&place("configmaps"), &map, &Default::default())
                .unwrap();
            maps.changed().await.unwrap();
            assert!(!secrets.has_changed().unwrap());
            drop((maps, secrets));
            while shared.hub.lock().is_followed {
                pause(Duration::from_millis(5)).await;
            }
        });
    }
}
