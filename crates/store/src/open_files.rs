//! Files that were replaced while a process had them open for writing.
//!
//! An editor that opened a file before a commit replaced it still writes into the old file. Such a file waits in
//! `.ctl/held` until no process can write to it any more. Then it is removed, or its new text is imported like any
//! other edit.

use std::sync::atomic::Ordering;

use super::error::{StoreError, one_line};
use super::exclusive::Exclusive;
use super::files::FileStore;
use super::interface::Result;
use super::key::Key;
use super::layout::{HELD, HeldName, MAX_FILE, held_path, parse_held, place_of, staged_path};
use super::recover::Opened;
use super::seen::fingerprint;
use super::tree::{DisplacedFile, plain};
use super::writers::is_written;
use crate::sys::fs::{self, Entry, Fs};

/// Returns the waiting files; usually not even the directory exists.
fn waiting(fs: &dyn Fs) -> Result<Vec<Entry>> {
    // Opened at once: a `stat` below a directory that may be a link takes three calls.
    match fs.list(HELD) {
        Err(e) if e.is_not_found() => Ok(Vec::new()),
        answer => Ok(answer?),
    }
}

impl FileStore {
    /// Imports the text that editors wrote into files after commits had replaced them, once the editors have closed
    /// them; returns true if anything may have changed. Costs one system call if no file waits.
    ///
    /// # Errors
    /// The directory cannot be read or written.
    pub(crate) fn import_held(&self) -> Result<bool> {
        let fs = &*self.fs;
        // Checked without the lock; `release_held` checks again under it.
        let done = |entry: &Entry| !is_written(fs, &format!("{HELD}/{}", entry.name));
        if !waiting(fs)?.iter().any(done) {
            return Ok(false);
        }
        self.under_lock_if_free(|_| Ok(true))
    }
}

impl Exclusive<'_> {
    /// Keeps a file that a process has open for writing until it is closed.
    pub(crate) fn hold(&self, out: &DisplacedFile, text: u64, path: &str) -> Result<()> {
        self.store.has_held.store(true, Ordering::Relaxed);
        self.fs().make_dir(HELD)?;
        let shown = out.shown.unwrap_or(0);
        // The name contains everything needed to import the file later, because this process may have ended by then.
        let held = held_path(HeldName { shown, text }, self.fs().fresh(), path);
        // Never over another file: two commits may replace the same object's file while two editors
        // have it open.
        Ok(self.fs().rename_new(&out.staged, &held)?)
    }

    /// Keeps a version of an object next to its file, as an edit that was rejected.
    pub(crate) fn keep_version(&mut self, key: &Key, json: &[u8], reason: &str) -> Result<String> {
        self.is_tidy = false;
        let revision = self.head()?.revision;
        let staged = staged_path(revision, self.fs().fresh(), &key.path());
        let file = self.fs().create(&staged)?;
        file.write_at(&plain(json, revision), 0)?;
        let stat = file.stat()?;
        // Closed first: a file that somebody can write to is kept without its reason.
        drop(file);
        let out = DisplacedFile {
            staged,
            stat,
            shown: None,
        };
        Ok(self.tree().reject(&out, &key.path(), reason)?)
    }

    /// Handles held files that no process writes any more.
    pub(crate) fn release_held(&mut self, opened: Opened) -> Result<()> {
        let waiting = waiting(self.fs())?;
        self.store
            .has_held
            .store(!waiting.is_empty(), Ordering::Relaxed);
        // While files are compared with their objects, an old file cannot be distinguished from an edit.
        if waiting.is_empty() || !self.tree_is_whole()? {
            return Ok(());
        }
        // A text is removed because the journal has it, which must be durable then.
        self.settle_group()?;
        for entry in waiting {
            let out = DisplacedFile {
                staged: format!("{HELD}/{}", entry.name),
                stat: entry.stat,
                shown: parse_held(&entry.name)
                    .map(|held| held.shown)
                    .filter(|r| *r > 0),
            };
            // An editor that keeps a file open for hours must not delay the others.
            if is_written(self.fs(), &out.staged) {
                continue;
            }
            // One bad file must not stop a writer with other work.
            if let Err(e) = self.release(&entry.name, &out, opened) {
                self.store.say(&format!("{}: {}", out.staged, one_line(&e)));
            }
        }
        match self.fs().remove_dir(HELD) {
            // It still contains a file that another process has open.
            Err(e) if e.kind() != std::io::ErrorKind::DirectoryNotEmpty && !e.is_not_found() => {
                Err(e.into())
            }
            _ => Ok(()),
        }
    }

    fn release(&mut self, name: &str, out: &DisplacedFile, opened: Opened) -> Result<()> {
        self.is_tidy = false;
        let place = place_of(name).unwrap_or_else(|| "lost".to_owned());
        let bytes = match fs::read_all(self.fs(), &out.staged, MAX_FILE) {
            Ok(bytes) => bytes,
            Err(e) if e.is_not_found() => return Ok(()),
            Err(_) => return self.keep_aside(out, &place, "it cannot be read"),
        };
        // Nothing was written after it was replaced.
        if parse_held(name).is_some_and(|held| held.text == fingerprint(&bytes)) {
            return Ok(self.fs().unlink(&out.staged)?);
        }
        let key = Key::from_path(&place).ok().flatten();
        let Some(key) = key else {
            return self.keep_aside(out, &place, "it was written after it was replaced");
        };
        // An earlier import took the text before its process died.
        if self.is_taken(&key, &out.staged)? {
            return Ok(self.fs().unlink(&out.staged)?);
        }
        if opened == Opened::Clean || opened == Opened::Adopted {
            return self.import_racing(&key, out);
        }
        // The text lost in the power cut is unknown.
        self.keep_aside(out, &place, "it was being written when the machine stopped")
    }
}

impl FileStore {
    /// Runs a function under the lock if that is free and allowed; returns false otherwise.
    pub(crate) fn under_lock_if_free(
        &self,
        run: impl FnOnce(&mut Exclusive<'_>) -> Result<bool>,
    ) -> Result<bool> {
        match self.exclusive(Some(super::access::EDIT_PATIENCE)) {
            Ok(mut exclusive) => run(&mut exclusive),
            Err(StoreError::Busy { .. } | StoreError::Newer(_)) => Ok(false),
            Err(e) if super::access::is_read_only(&e) => Ok(false),
            Err(e) => Err(e),
        }
    }
}
