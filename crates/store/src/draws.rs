//! The current fault rules, and the random draws that they use.

use std::sync::{Arc, MutexGuard, PoisonError};

use super::dot::open_or_create;
use super::faults::Faults;
use super::files::FileStore;
use super::layout::{DRAWS, SETTINGS};
use super::settings::{ApiFault, Settings};
use crate::sys::fs;

impl FileStore {
    /// Returns the current fault rules of the settings. Other processes and users may change them at any time;
    /// unreadable settings leave them unchanged.
    fn current_orders(&self) -> MutexGuard<'_, Faults> {
        let mut faults = self.faults.lock().unwrap_or_else(PoisonError::into_inner);
        // One `stat` for each request: the file is parsed only after it changed.
        let now = self.fs.stat(SETTINGS).ok().flatten();
        if now.is_some()
            && now != faults.seen
            && let Ok(Some(settings)) = Settings::load(&*self.fs)
        {
            let draws = faults.draws;
            *faults = Faults::new(&settings, now);
            faults.draws = draws;
        }
        faults
    }

    /// Returns the injected API faults.
    pub(crate) fn current_faults(&self) -> Arc<[ApiFault]> {
        Arc::clone(&self.current_orders().rules)
    }

    /// Returns the paused controllers.
    pub(crate) fn current_paused(&self) -> Arc<[String]> {
        Arc::clone(&self.current_orders().paused)
    }

    /// Reserves `count` draws and returns the number of the first.
    pub(crate) fn reserve_draws(&self, count: u64) -> u64 {
        let mut faults = self.faults.lock().unwrap_or_else(PoisonError::into_inner);
        let first = faults.draws.unwrap_or_else(|| self.draws_so_far());
        let next = first.wrapping_add(count);
        faults.draws = Some(next);
        // A fixed width, because the number is overwritten in place and no digit of a longer one must remain.
        let text = format!("{next:020}\n");
        let file = open_or_create(&*self.fs, DRAWS);
        // A caller that cannot write loses the count: its next command replays the same draws.
        let _ = file.and_then(|file| file.write_at(text.as_bytes(), 0));
        first
    }

    fn draws_so_far(&self) -> u64 {
        let bytes = fs::read_all(&*self.fs, DRAWS, 64).unwrap_or_default();
        let text = String::from_utf8_lossy(&bytes);
        text.trim().parse().unwrap_or(0)
    }
}
