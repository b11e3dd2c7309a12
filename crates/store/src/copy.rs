//! Copies a whole cluster.

use super::dot::make_directories;
use super::files::FileStore;
use super::interface::Result;
use super::layout::{DRAWS, HEAD, generation_path};
use crate::sys::fs::{self, Access, Fs};

/// How much is copied at once.
const BLOCK: usize = 4 << 20;

impl FileStore {
    /// Copies settings and history. The copy's journal has other inodes, which tells it from the
    /// original.
    pub(crate) fn copy_files(&self, target: &dyn Fs) -> Result<()> {
        // The lock is held for the copy: a compaction meanwhile would remove what is still to be
        // copied.
        let exclusive = self.exclusive(self.options.patience)?;
        make_directories(target)?;
        for generation in exclusive.journal.generations()? {
            copy_file(&*self.fs, target, &generation_path(generation))?;
        }
        copy_file(&*self.fs, target, HEAD)?;
        super::comments::copy(&*self.fs, target)?;
        // Injected faults hit by these draws: the copy goes on with the same ones.
        if self.fs.stat(DRAWS)?.is_some() {
            copy_file(&*self.fs, target, DRAWS)?;
        }
        drop(exclusive);
        // Last: with it the directory is a cluster.
        self.settings.get().save(target)
    }
}

fn copy_file(from: &dyn Fs, to: &dyn Fs, path: &str) -> Result<()> {
    let source = from.open(path, Access::Read)?;
    let target = to.create(path)?;
    let mut at = 0;
    loop {
        let block = fs::read_range(source.as_ref(), at, BLOCK)?;
        if block.is_empty() {
            return Ok(());
        }
        target.write_at(&block, at)?;
        at += block.len() as u64;
    }
}
