//! [`Store`] on a directory.

use std::ops::ControlFlow;
use std::sync::atomic::Ordering;
use std::sync::{Arc, MutexGuard};
use std::time::Duration;

use jiff::Timestamp;

use super::contract::Store;
use super::copy::CopyEnd;
use super::directory::Directory;
use super::files::FileStore;
use super::fsck::Report;
use super::interface::{
    Batch, Cause, Change, Committed, Event, HistoryQuery, Listing, Result, Stored, View, VisitEvent,
};
use super::key::{Key, Range};
use super::leader::Election;
use super::listener::{Listener, NoticedChanges};
use super::memory::MemoryStore;
use super::revision::Revision;
use super::settings::{ApiFault, Settings};
use super::visit::See;
use super::wakeup::POLL;
use crate::sys::clock::Stopwatch;
use crate::sys::fs::Fs;

/// The scan interval if notifications are unavailable.
const POLL_WITHOUT_EVENTS: Duration = Duration::from_millis(250);

impl Store for FileStore {
    fn place(&self) -> String {
        self.options.place()
    }

    fn settings(&self) -> Arc<Settings> {
        self.settings.get()
    }

    fn update_settings(&self, change: &mut dyn FnMut(&mut Settings)) -> Result<Arc<Settings>> {
        self.change_settings(change)
    }

    fn faults(&self) -> Arc<[ApiFault]> {
        self.current_faults()
    }

    fn paused(&self) -> Arc<[String]> {
        self.current_paused()
    }

    fn draw(&self, count: u64) -> u64 {
        self.reserve_draws(count)
    }

    fn secret(&self, name: &str, make: &mut dyn FnMut() -> Result<String>) -> Result<String> {
        self.kept_secret(name, make)
    }

    fn revision(&self) -> Result<Revision> {
        self.published_revision()
    }

    fn now(&self) -> Result<Timestamp> {
        Ok(self.moment()?.1)
    }

    fn moment(&self) -> Result<(Revision, Timestamp)> {
        let head = self.reading()?.head;
        Ok((head.revision, self.time_after(head.time)))
    }

    fn get(&self, key: &Key) -> Result<Option<Stored>> {
        self.read_one(key)
    }

    fn list(&self, range: &Range) -> Result<Listing> {
        self.read_range(range)
    }

    fn mark(&self, range: &Range) -> Result<Option<[u64; 3]>> {
        self.mark_of(range)
    }

    fn is_idle(&self) -> bool {
        !self.line.is_led()
    }

    fn visit(&self, range: &Range, take: &mut dyn FnMut(VisitEvent<'_>)) -> Result<Revision> {
        self.show_range(range, take)
    }

    fn copied(&self, range: &Range) -> Result<usize> {
        let reading = self.reading()?;
        let entries = reading.journal.index.range(range.as_str());
        Ok(entries.map(|(_, entry)| entry.length as usize).sum())
    }

    fn list_at(&self, range: &Range, revision: Revision) -> Result<Listing> {
        self.read_range_at(range, revision)
    }

    fn visit_commits(&self, past: &HistoryQuery, see: See<'_>) -> Result<()> {
        self.show_commits(past, see)
    }

    fn visit_commits_back(&self, past: &HistoryQuery, see: See<'_>) -> Result<()> {
        self.show_commits_back(past, see)
    }

    fn transact(
        &self,
        cause: &Cause,
        decide: &mut dyn FnMut(&(dyn View + Sync)) -> Result<Option<Batch>>,
    ) -> Result<Option<Committed>> {
        self.transact_in_line(cause, decide)
    }

    fn events(&self, range: &Range, after: Revision) -> Result<(Vec<Event>, Revision)> {
        self.read_events(range, after)
    }

    fn wait(&self, after: Revision, timeout: Duration) -> Result<Revision> {
        let stopwatch = Stopwatch::start();
        loop {
            // Counted before the check: an event between the two wakes the thread, so no commit is missed.
            let heard = self.wakeup.known_head();
            let revision = match heard.known() {
                Some(revision) => revision,
                None => self.look(heard.count)?,
            };
            let left = timeout.saturating_sub(stopwatch.elapsed());
            if revision > after || left.is_zero() {
                return Ok(revision);
            }
            self.doze(heard.count, left);
        }
    }

    fn oldest(&self) -> Result<Revision> {
        self.read_oldest()
    }

    fn visit_history(
        &self,
        past: &HistoryQuery,
        visit: &mut dyn FnMut(Change) -> ControlFlow<()>,
    ) -> Result<()> {
        self.show_history(past, visit)
    }

    fn compact(&self) -> Result<()> {
        let keep = self.settings.get().history;
        self.exclusive(self.options.patience)?.journal.compact(keep)
    }

    fn fork(&self, at: Option<Revision>) -> Result<Arc<dyn Store>> {
        let point = self.read_point(at)?;
        let settings = (*self.settings.get()).clone();
        let fork = MemoryStore::at(self.options.clock.clone(), settings, point);
        Ok(Arc::new(fork))
    }

    fn election(&self) -> &dyn Election {
        self
    }

    fn directory(&self) -> Option<&dyn Directory> {
        Some(self)
    }
}

impl Directory for FileStore {
    fn notice_edits(&self) {
        if self.options.path.is_some()
            && !self.wakeup.edits().was_just_listened()
            && let Some(listener) = self.wakeup.try_listener()
        {
            self.listen(listener, Duration::ZERO);
        }
    }

    fn notice_last_edits(&self) {
        // A loop that ended before it could listen does not start to listen now.
        if let Some(listener) = self.wakeup.try_listener()
            && listener.is_some()
        {
            self.listen(listener, Duration::ZERO);
        }
    }

    fn import_saved(&self, range: &Range) -> Result<()> {
        self.import_edits(range).map(drop)
    }

    fn hold_tree(&self) {
        // Relaxed: the flag guards no data, and a late reader only shows a few files earlier.
        self.held.store(true, Ordering::Relaxed);
    }

    fn show_held(&self) -> Result<()> {
        if !self.held.swap(false, Ordering::Relaxed) {
            return Ok(());
        }
        self.ahead.halt();
        let exclusive = self.exclusive(self.options.patience);
        // The thread ends while this one shows, so nothing waits for a thread without processor time.
        let has_staged = self.ahead.end(&*self.fs);
        let mut exclusive = exclusive?;
        if has_staged {
            exclusive.shrink_staging();
        }
        exclusive.maintain();
        Ok(())
    }

    fn fsck(&self, history: bool) -> Result<Report> {
        self.check_all(history)
    }

    fn repair(&self) -> Result<Vec<String>> {
        self.mend()
    }

    fn migrate(&self, rewrite: bool) -> Result<(u32, bool)> {
        self.write_anew(rewrite)
    }

    fn keep_rejected(&self, key: &Key, json: &[u8], reason: &str) -> Result<String> {
        self.exclusive(self.options.patience)?
            .keep_version(key, json, reason)
    }

    fn copy_to(&self, target: &dyn Fs, end: Option<CopyEnd>) -> Result<()> {
        self.copy_files(target, end)
    }

    fn files(&self) -> Arc<dyn Fs> {
        Arc::clone(&self.fs)
    }
}

impl FileStore {
    /// Reads the head; it covers all notifications before `count`.
    fn look(&self, count: u64) -> Result<Revision> {
        let revision = self.published_revision()?;
        let mut heard = self.wakeup.lock();
        // A slower thread may return an older check; the later one is kept.
        if heard
            .look
            .as_ref()
            .is_none_or(|(before, ..)| *before <= count)
        {
            heard.look = Some((count, revision, Stopwatch::start()));
        }
        Ok(revision)
    }

    /// Sleeps until the head was written or a hand edit was imported, or for a while.
    fn doze(&self, count: u64, left: Duration) {
        // No longer than the next unfinished file is due, and never longer than the poll, because
        // notifications can be lost.
        let due = self.wakeup.edits().due();
        let left = due.map_or(left, |due| left.min(due)).min(POLL);
        match self.wakeup.try_listener() {
            None => {
                self.wakeup.wait(count, left);
                if self.take_in(NoticedChanges::default()) {
                    self.wakeup.notify();
                }
            }
            Some(mut listener) if listener.is_none() => {
                *listener = Some(self.listener());
                // A commit may have been made before the subscription.
                self.wakeup.notify();
            }
            Some(listener) if self.wakeup.known_head().count == count => {
                self.listen(listener, left)
            }
            Some(_) => {}
        }
    }

    fn listener(&self) -> Listener {
        Listener::new(self.options.path.as_deref())
    }

    /// Listens for at most `timeout`, and imports the hand edits that were heard of.
    fn listen(&self, mut listener: MutexGuard<'_, Option<Listener>>, timeout: Duration) {
        let listening = listener.get_or_insert_with(|| self.listener());
        let found = listening.listen(
            &self.wakeup,
            &*self.fs,
            &|text| self.say(text),
            timeout,
            POLL_WITHOUT_EVENTS,
        );
        // An import takes time, so another thread listens meanwhile.
        drop(listener);
        // All threads are woken, because a waiting thread may have to become the next listener.
        match found.head {
            true => self.wakeup.notify(),
            false => self.wakeup.condition.notify_all(),
        }
        if self.take_in(found) {
            self.wakeup.notify();
        }
    }
}
