//! Wakes watches: as long as there are any, one thread follows the changes for all of them.
//!
//! A watch whose resource does not change costs nothing between two bookmarks.

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

/// How often to check the stop flag, and if any watch is left.
const LOOK: Duration = Duration::from_millis(500);

/// Receives a signal when there may be changes.
pub(super) type Woken = watch::Receiver<()>;

/// The watches of a server, by resource.
#[derive(Debug, Default)]
pub(super) struct Hub(Mutex<State>);

#[derive(Debug, Default)]
struct State {
    watches: HashMap<String, watch::Sender<()>>,
    /// True while a thread is following the changes.
    is_followed: bool,
}

/// Registers a watch of a resource. Starts the thread that wakes watches if it is not running.
pub(super) fn register<S: Service + 'static>(
    service: &Arc<S>,
    shared: &Arc<Shared>,
    resource: &str,
) -> Woken {
    let mut state = shared.hub.lock();
    let watches = state.watches.entry(resource.to_owned());
    let woken = watches.or_insert_with(|| watch::Sender::new(()));
    // Comes before the watch's first read, so that no change in between is missed.
    let woken = woken.subscribe();
    if !std::mem::replace(&mut state.is_followed, true) {
        let (service, shared) = (Arc::clone(service), Arc::clone(shared));
        // Needs a thread, because waiting for the store and reading it blocks.
        tokio::task::spawn_blocking(move || follow(&*service, &shared));
    }
    woken
}

/// Follows the changes until no watch is left or the server stops.
fn follow(service: &dyn Service, shared: &Shared) {
    let _following = Following(&shared.hub);
    let Some(mut follower) = service.follower() else {
        // This service has no watches to wake.
        return;
    };
    while !shared.stop.load(Ordering::Relaxed) && shared.hub.is_used() {
        match follower.next(LOOK) {
            Ok(followed) => shared.hub.wake(&followed),
            Err(_) => {
                // The watches read the store themselves and report the error to their clients.
                shared.hub.wake(&Followed::Everything);
                Handle::current().block_on(pause(LOOK));
            }
        }
    }
}

/// Marks the thread that follows the changes.
struct Following<'h>(&'h Hub);

impl Drop for Following<'_> {
    fn drop(&mut self) {
        // Allows the next watch to start another thread.
        if std::thread::panicking() {
            self.0.lock().is_followed = false;
        }
    }
}

impl Hub {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns true if there are watches. If it returns false, the caller must stop following.
    fn is_used(&self) -> bool {
        let mut state = self.lock();
        state.watches.retain(|_, woken| woken.receiver_count() > 0);
        // Decided under the same lock as in `register`, so that a watch starting now starts another thread.
        state.is_followed = !state.watches.is_empty();
        state.is_followed
    }

    fn wake(&self, followed: &Followed) {
        let state = self.lock();
        match followed {
            Followed::Everything => state.watches.values().for_each(|w| w.send_replace(())),
            // All watches of a resource get the same signal, because each of them filters for itself.
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
            // The first signal goes to all, because earlier changes are unknown.
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
