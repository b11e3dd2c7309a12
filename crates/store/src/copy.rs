//! Copies a whole cluster.

use jiff::Timestamp;

use super::access::is_read_only;
use super::dot::make_directories;
use super::error::StoreError;
use super::files::FileStore;
use super::history::oldest_kept;
use super::interface::Result;
use super::journal::Journal;
use super::layout::{DRAWS, HEAD, generation_path};
use super::record::RecordKind;
use super::recover::advance;
use super::revision::Revision;
use super::segment::{Segment, Step, Walk};
use crate::sys::fs::{Access, Fs};

/// The size of a block that is copied at once.
const BLOCK: usize = 256 << 10;

/// The point up to which the history is copied.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CopyEnd {
    /// The revision of the last commit.
    pub revision: Revision,
    /// Commits without objects, such as those that move the clock, are copied up to this time.
    pub time: Timestamp,
}

impl FileStore {
    /// Copies settings and history, or the part of it up to a point. The copy's journal has other inodes, which
    /// distinguishes it from the original.
    pub(crate) fn copy_files(&self, target: &dyn Fs, end: Option<CopyEnd>) -> Result<()> {
        make_directories(target)?;
        // The lock is held for the copy: a concurrent compaction would remove files that are not copied yet.
        match self.exclusive(self.options.patience) {
            Ok(exclusive) => self.copy_journal(target, &exclusive.journal, end)?,
            // Nobody compacts a journal on read-only media.
            Err(e) if is_read_only(&e) => {
                let reading = self.reading()?;
                self.copy_journal(target, &reading.journal, end)?;
            }
            Err(e) => return Err(e),
        }
        // Last: with it the directory is a cluster.
        self.settings.get().save(target)
    }

    fn copy_journal(&self, target: &dyn Fs, journal: &Journal, end: Option<CopyEnd>) -> Result<()> {
        match end {
            Some(end) => copy_until(&*self.fs, target, journal, end)?,
            None => {
                for generation in journal.generations()? {
                    copy_file(&*self.fs, target, &generation_path(generation), u64::MAX)?;
                }
                copy_file(&*self.fs, target, HEAD, u64::MAX)?;
                // The draws determine injected faults: the copy continues with the same ones. Earlier values of the
                // counter are not known.
                if self.fs.stat(DRAWS)?.is_some() {
                    copy_file(&*self.fs, target, DRAWS, u64::MAX)?;
                }
            }
        }
        super::comments::copy(&*self.fs, target)
    }
}

/// Copies the journal up to a point, with a head for its end.
fn copy_until(from: &dyn Fs, to: &dyn Fs, journal: &Journal, end: CopyEnd) -> Result<()> {
    let mut last = None;
    for generation in journal.generations()? {
        let segment = Segment::open(from, generation, Access::Read)?;
        let stat = segment.file.stat()?;
        let mut head = journal.first_head(generation, stat.inode);
        let (mut has_base, mut is_over) = (false, false);
        let mut walk = Walk::whole(segment.file.as_ref(), stat.size);
        while let Step::Record(found) = walk.step()? {
            let is_later = found.meta.ops.is_empty() && found.meta.time > end.time;
            is_over = match found.kind {
                // A base contains the start of its generation, which may be after the point in a period without
                // commits.
                RecordKind::Base => found.revision_after() > end.revision,
                RecordKind::Delta => found.revision_after() > end.revision || is_later,
            };
            if is_over {
                break;
            }
            has_base |= found.kind == RecordKind::Base && found.meta.more != Some(true);
            advance(&mut head, &found);
        }
        // A generation that begins after the point is not part of the copy.
        if has_base {
            copy_file(from, to, &generation_path(generation), head.offset)?;
            last = Some(head);
        }
        if is_over {
            break;
        }
    }
    let Some(head) = last else {
        return Err(StoreError::Gone {
            asked: end.revision,
            oldest: oldest_kept(journal)?,
        });
    };
    to.create(HEAD)?.write_at(&head.encode(), 0)?;
    Ok(())
}

/// Copies the first `most` bytes of a file.
fn copy_file(from: &dyn Fs, to: &dyn Fs, path: &str, most: u64) -> Result<()> {
    let source = from.open(path, Access::Read)?;
    let target = to.create(path)?;
    // One buffer for all blocks: clearing new memory for each takes as long as reading it.
    let mut block = vec![0; BLOCK];
    let mut at = 0;
    while at < most {
        let wanted = usize::try_from(most - at).unwrap_or(BLOCK).min(BLOCK);
        let read = source.read_at(&mut block[..wanted], at)?;
        if read == 0 {
            break;
        }
        target.write_at(&block[..read], at)?;
        at += read as u64;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::contract::Store as _;
    use crate::interface::{Batch, Cause, Expect, Op};
    use crate::key::{Key, Range};
    use crate::options::Options;
    use crate::retention::Retention;
    use crate::settings::Settings;
    use crate::sys::entropy::Seed;
    use crate::sys::sim_fs::SimFs;

    fn store(fs: Arc<dyn Fs>) -> FileStore {
        FileStore::open_or_create(fs, Options::default(), Settings::new(Seed(1))).unwrap()
    }

    fn commit(store: &FileStore, names: &[&str], content: u64) {
        let put = |name: &&str| {
            let key = Key::new("c", Some("d"), name).unwrap();
            Op::put(
                key,
                format!("{{\"n\":{content}}}").into_bytes(),
                Expect::Any,
            )
        };
        let batch = Batch::new(names.iter().map(put).collect());
        store.commit(&Cause::new("tester", "rule"), batch).unwrap();
    }

    #[test]
    fn copy_reproduces_every_revision_across_generations() {
        let original = store(Arc::new(SimFs::new()));
        for content in 0..8 {
            commit(
                &original,
                &["a", if content % 2 == 0 { "b" } else { "c" }],
                content,
            );
            if content % 3 == 2 {
                let mut exclusive = original.exclusive(None).unwrap();
                exclusive
                    .journal
                    .compact(Retention::Size(u64::MAX))
                    .unwrap();
            }
        }
        let (last, time) = original.moment().unwrap();
        for revision in (3..=last).step_by(2) {
            let target = Arc::new(SimFs::new());
            let end = CopyEnd { revision, time };
            original.copy_files(&*target, Some(end)).unwrap();
            let copy = store(target);
            assert_eq!(copy.revision().unwrap(), revision);
            let all = Range::all();
            let then = original.list_at(&all, revision).unwrap();
            assert_eq!(copy.list(&all).unwrap().items, then.items, "at {revision}");
            let report = copy.check_all(true).unwrap();
            assert!(report.problems.is_empty(), "at {revision}: {report:?}");
            // The copy has the history up to the point, and continues from it.
            let earlier = copy.list_at(&all, 3).unwrap();
            assert_eq!(earlier.items, original.list_at(&all, 3).unwrap().items);
            commit(&copy, &["z"], 9);
            assert_eq!(copy.revision().unwrap(), revision + 1);
        }
    }

    #[test]
    fn copy_of_a_compacted_revision_fails_with_gone() {
        let original = store(Arc::new(SimFs::new()));
        for content in 0..3 {
            commit(&original, &["a"], content);
        }
        // One past generation is always retained.
        for content in 3..5 {
            let mut exclusive = original.exclusive(None).unwrap();
            exclusive.journal.compact(Retention::Size(0)).unwrap();
            drop(exclusive);
            commit(&original, &["a"], content);
        }
        let oldest = original.oldest().unwrap();
        assert!(oldest > 1, "{oldest}");
        let end = CopyEnd {
            revision: 1,
            time: original.now().unwrap(),
        };
        let copied = original.copy_files(&SimFs::new(), Some(end));
        assert!(matches!(copied, Err(StoreError::Gone { .. })), "{copied:?}");
    }
}
