//! Hand edits: how a changed, new or missing file becomes a commit, or is kept aside.
//!
//! An edit is judged first (read, parsed, merged three ways onto what changed meanwhile, admitted)
//! and then either committed with the writer `hand-edit`, or moved beside its file as
//! `NAME.rejected` with the reason. A file that somebody still writes is left alone.

use std::collections::{BTreeMap, HashSet};
use std::io::ErrorKind;
use std::time::Duration;

use super::admit::HandEdit;
use super::error::StoreError;
use super::exclusive::{Exclusive, MAX_BATCH, MAX_BATCH_OBJECTS, one_line};
use super::interface::{Batch, Cause, Expect, Op, Result, Revision, View as _};
use super::journal::Journal;
use super::key::{Key, Range};
use super::merge::merge;
use super::scan::{self, Suspect};
use super::tree::{CameOut, Known, MAX_FILE, is_ours, render, revision_in};
use crate::api::json::Value;
use crate::api::yaml::{self, Mode};
use crate::sys::fs::{self, FileKind, Stat};

/// The writer of every hand edit.
pub const HAND_EDIT: &str = "hand-edit";

/// A broken file this young may still be on its way to being whole.
const YOUNG: Duration = Duration::from_millis(1000);

/// Where the machine does not tell who writes: a file this old is taken as finished.
const SETTLED: Duration = Duration::from_millis(100);

/// How many edits are read before it is asked who still writes them.
const AT_ONCE: usize = 128;

/// How many files may be missing before it needs a word: this, or a tenth of all.
const MASS_LOSS: usize = 20;

/// What an edit comes to.
#[derive(Debug)]
enum Verdict {
    /// Nothing is to be done after all.
    Nothing,
    /// It is not finished: look again later.
    Pending,
    /// The content is what it should be.
    Restamp(Revision),
    /// It is a change.
    Change(Op, &'static str),
    /// It is not taken.
    Reject(String),
}

/// A suspect as it was found, with its content where that has to decide.
struct Looked {
    suspect: Suspect,
    stat: Option<Stat>,
    content: std::result::Result<Vec<u8>, Verdict>,
}

/// A suspect with its verdict.
struct Judged {
    suspect: Suspect,
    key: Option<Key>,
    stat: Option<Stat>,
    verdict: Verdict,
}

impl Exclusive<'_> {
    /// Imports what `suspects` turn out to be; answers how many objects changed.
    pub(crate) fn import(&mut self, suspects: &[Suspect]) -> Result<usize> {
        if !self.tree_is_whole()? {
            return Ok(0);
        }
        let mut changes = Vec::new();
        for part in suspects.chunks(AT_ONCE) {
            for judged in self.judge(part)? {
                match judged.verdict {
                    Verdict::Nothing | Verdict::Pending => {}
                    Verdict::Restamp(revision) => {
                        let time = self.head()?.time;
                        if let Some(key) = &judged.key {
                            self.tree().restamp(key, revision, time)?;
                        }
                    }
                    Verdict::Reject(ref reason) => self.reject(&judged, reason)?,
                    Verdict::Change(op, rule) => {
                        changes.push((op, rule, judged.stat));
                    }
                }
            }
        }
        self.hold_back_mass_loss(&mut changes)?;
        self.commit_edits(changes)
    }

    /// Reads edits and decides what they are.
    ///
    /// Who has a file open is asked after it was read, and whether it is still the same file after
    /// that: nobody can have written into what was read.
    fn judge(&self, suspects: &[Suspect]) -> Result<Vec<Judged>> {
        let mut looked = suspects
            .iter()
            .map(|s| self.look_at(s))
            .collect::<Result<Vec<_>>>()?;
        self.wait_for_names_to_settle(&mut looked)?;
        let read = |l: &Looked| l.content.is_ok();
        let stats: Vec<Stat> = looked
            .iter()
            .filter(|l| read(l))
            .filter_map(|l| l.stat)
            .collect();
        let mut in_use = self.fs().each_open_for_writing(&stats).into_iter();
        let mut judged = Vec::new();
        for Looked {
            suspect,
            stat,
            content,
        } in looked
        {
            let mut key = suspect.key.clone();
            let verdict = match (content, &stat, &key) {
                (Ok(bytes), Some(stat), _) => {
                    let in_use = in_use.next().flatten();
                    self.judge_file(&suspect, stat, (&bytes, in_use), &mut key)?
                }
                (Ok(_), None, Some(key)) => self.judge_removal(key)?,
                (Ok(_), None, None) => Verdict::Nothing,
                (Err(verdict), ..) => verdict,
            };
            judged.push(Judged {
                suspect,
                key,
                stat,
                verdict,
            });
        }
        Ok(judged)
    }

    fn look_at(&self, suspect: &Suspect) -> Result<Looked> {
        let stat = self.fs().stat(&suspect.path)?;
        let content = match &stat {
            Some(stat) => self.read_edit(suspect, stat),
            None => Ok(Vec::new()),
        };
        Ok(Looked {
            suspect: suspect.clone(),
            stat,
            content,
        })
    }

    fn read_edit(&self, suspect: &Suspect, stat: &Stat) -> std::result::Result<Vec<u8>, Verdict> {
        let entry = |key: &Key| self.journal.index.get(key.as_str());
        let entry = suspect.key.as_ref().and_then(entry);
        if entry.is_some_and(|e| is_ours(stat, e.revision)) {
            return Err(Verdict::Nothing);
        }
        if stat.kind != FileKind::File {
            return Err(Verdict::Reject("it is not a regular file".to_owned()));
        }
        if stat.size > MAX_FILE {
            let text = format!("it has {} bytes, the limit is {MAX_FILE}", stat.size);
            return Err(Verdict::Reject(text));
        }
        fs::read_all(self.fs(), &suspect.path, MAX_FILE).map_err(|e| {
            if e.is_not_found() {
                return Verdict::Pending;
            }
            if e.is_read_only() || e.is_link() || e.kind() == ErrorKind::FileTooLarge {
                return Verdict::Reject(one_line(&e));
            }
            // Whatever ails the machine is no reason to move somebody's file.
            let text = format!("{}; it is tried again later", one_line(&e));
            self.store.say(&text);
            Verdict::Pending
        })
    }

    /// Editors and git replace a file by removing its name and creating it again: a name that is
    /// missing in a directory that has just changed is looked at again a moment later.
    fn wait_for_names_to_settle(&self, looked: &mut [Looked]) -> Result<()> {
        let mut young = false;
        for looked in looked.iter() {
            let (directory, _) = looked.suspect.path.rsplit_once('/').unwrap_or((".", ""));
            if looked.stat.is_none()
                && let Some(stat) = self.fs().stat(directory)?
                && self.age(&stat) < SETTLED
            {
                young = true;
            }
        }
        if young {
            self.fs().pause(SETTLED);
        }
        let mut listings = BTreeMap::new();
        for looked in looked.iter_mut().filter(|l| l.stat.is_none()) {
            let (directory, name) = looked.suspect.path.rsplit_once('/').unwrap_or_default();
            if !listings.contains_key(directory) {
                listings.insert(directory.to_owned(), self.names_in(directory)?);
            }
            match &listings[directory] {
                None => looked.content = Err(Verdict::Nothing),
                Some(names) if names.contains(name) => looked.content = Err(Verdict::Pending),
                Some(_) => {}
            }
        }
        Ok(())
    }

    /// The names in a directory, none where it is gone; `None` behind a link, where nobody looks.
    fn names_in(&self, directory: &str) -> Result<Option<HashSet<String>>> {
        match self.fs().list(directory) {
            Ok(entries) => Ok(Some(entries.into_iter().map(|e| e.name).collect())),
            Err(e) if e.kind() == ErrorKind::NotFound => Ok(Some(HashSet::new())),
            Err(e) if e.is_link() || e.is_not_found() => Ok(None),
            Err(e) => Err(e.into()),
        }
    }

    fn age(&self, stat: &Stat) -> Duration {
        let now = self.fs().wall_clock();
        now.duration_since(stat.modified).unsigned_abs()
    }

    fn judge_removal(&self, key: &Key) -> Result<Verdict> {
        let Some(current) = self.value(key)? else {
            return Ok(Verdict::Nothing);
        };
        self.admit(key, Some(&current), None)
    }

    fn judge_file(
        &self,
        suspect: &Suspect,
        stat: &Stat,
        (bytes, in_use): (&[u8], Option<bool>),
        key: &mut Option<Key>,
    ) -> Result<Verdict> {
        let age = self.age(stat);
        match in_use {
            Some(true) => return Ok(Verdict::Pending),
            None if age < SETTLED => return Ok(Verdict::Pending),
            _ if self.fs().stat(&suspect.path)? != Some(*stat) => return Ok(Verdict::Pending),
            _ => {}
        }
        match self.judge_content(&suspect.path, bytes, key)? {
            Verdict::Reject(_) if age < YOUNG && looks_unfinished(bytes) => Ok(Verdict::Pending),
            verdict => Ok(verdict),
        }
    }

    /// Decides on the content of a file.
    fn judge_content(&self, path: &str, bytes: &[u8], key: &mut Option<Key>) -> Result<Verdict> {
        let value = match yaml::parse_one(bytes, Mode::Strict) {
            Ok(Some(value)) => value,
            Ok(None) => return Ok(Verdict::Reject(format!("{path}:1:1: the file is empty"))),
            Err(e) => {
                let place = format!("{path}:{}:{}", e.line, e.column);
                return Ok(Verdict::Reject(format!("{place}: {}", e.message)));
            }
        };
        if key.is_none() {
            match key_of(path, &value) {
                Ok(found) => *key = Some(found),
                Err(reason) => return Ok(Verdict::Reject(format!("{path}: {reason}"))),
            }
        }
        let Some(key) = key.as_ref() else {
            return Ok(Verdict::Nothing);
        };
        let mut verdict = self.judge_value(key, bytes, value)?;
        if let Verdict::Reject(reason) = &mut verdict {
            *reason = format!("{path}: {reason}");
        }
        Ok(verdict)
    }

    fn judge_value(&self, key: &Key, bytes: &[u8], mut mine: Value) -> Result<Verdict> {
        let base_revision = revision_in(&mine);
        forget_revision(&mut mine);
        let Some(entry) = self.journal.index.get(key.as_str()) else {
            return self.admit(key, None, Some(mine));
        };
        let json = Journal::body(&self.segment()?, &entry)?;
        if render(&json, entry.revision) == bytes {
            return Ok(Verdict::Restamp(entry.revision));
        }
        let current = parse_stored(&json);
        let newest = self.head()?.revision;
        let base = match base_revision {
            Some(r) if r != entry.revision && r <= newest => self.version_at(key, r)?,
            _ => Some(current.clone()),
        };
        let Some(mut base) = base else {
            let text = format!(
                "it is based on revision {}, which is no longer kept",
                base_revision.unwrap_or(0)
            );
            return Ok(Verdict::Reject(text));
        };
        let mut theirs = current.clone();
        forget_managed_fields(&mut base);
        forget_managed_fields(&mut theirs);
        match merge(&base, &theirs, &mine) {
            Ok(merged) if merged == theirs => Ok(Verdict::Change(
                // Only the form of the file differs: committing the same content changes nothing,
                // and the file is written anew.
                Op::put(key.clone(), json.to_vec(), Expect::At(entry.revision)),
                "edit",
            )),
            Ok(merged) => self.admit(key, Some(&current), Some(merged)),
            Err(clash) => Ok(Verdict::Reject(format!(
                "{} was changed here and, since revision {}, in the cluster too",
                clash.0,
                base_revision.unwrap_or(entry.revision)
            ))),
        }
    }

    fn admit(
        &self,
        key: &Key,
        current: Option<&Value>,
        proposed: Option<Value>,
    ) -> Result<Verdict> {
        let removal = proposed.is_none();
        let edit = HandEdit {
            key,
            current,
            proposed,
            revision: self.head()?.revision + 1,
            now: self.now(),
            seed: self.store.settings.seed(),
            view: self,
        };
        let found = self.journal.index.get(key.as_str()).map(|e| e.revision);
        let expect = found.map_or(Expect::Absent, Expect::At);
        Ok(match self.store.options.admit.admit(edit) {
            Err(reason) => Verdict::Reject(reason),
            Ok(None) if current.is_none() => Verdict::Nothing,
            Ok(None) => Verdict::Change(Op::delete(key.clone(), expect), "remove"),
            Ok(Some(mut value)) => {
                forget_revision(&mut value);
                let json = serde_json::to_vec(&value).unwrap_or_default();
                let rule = match (removal, current) {
                    (true, _) => "remove",
                    (false, None) => "create",
                    (false, Some(_)) => "edit",
                };
                Verdict::Change(Op::put(key.clone(), json, expect), rule)
            }
        })
    }

    /// Whether the object has everything that a file says: an edit that was taken by a writer who
    /// died before it could throw the file away.
    pub(crate) fn is_taken(&self, key: &Key, path: &str) -> Result<bool> {
        let Some(entry) = self.journal.index.get(key.as_str()) else {
            return Ok(false);
        };
        let Ok(bytes) = fs::read_all(self.fs(), path, MAX_FILE) else {
            return Ok(false);
        };
        let json = Journal::body(&self.segment()?, &entry)?;
        Ok(
            match self.judge_content(path, &bytes, &mut Some(key.clone()))? {
                Verdict::Change(op, _) => op.json.as_deref() == Some(&*json),
                Verdict::Restamp(_) => true,
                Verdict::Nothing | Verdict::Pending | Verdict::Reject(_) => false,
            },
        )
    }

    /// The object as it is.
    fn value(&self, key: &Key) -> Result<Option<Value>> {
        let Some(entry) = self.journal.index.get(key.as_str()) else {
            return Ok(None);
        };
        Ok(Some(parse_stored(&Journal::body(
            &self.segment()?,
            &entry,
        )?)))
    }

    /// The object as it was at a revision, where that is still known.
    fn version_at(&self, key: &Key, revision: Revision) -> Result<Option<Value>> {
        let range = Range::prefix(key.as_str());
        match super::history::events_after(&self.journal, &range, revision.saturating_sub(1)) {
            Ok(events) => Ok(events
                .into_iter()
                .find(|e| e.key == *key && e.revision == revision)
                .and_then(|e| e.after)
                .map(|json| parse_stored(&json))),
            Err(StoreError::Gone { .. }) => Ok(None),
            Err(e) => Err(e),
        }
    }

    /// Takes removals back where so many files are missing that it cannot be meant.
    fn hold_back_mass_loss(
        &mut self,
        changes: &mut Vec<(Op, &'static str, Option<Stat>)>,
    ) -> Result<()> {
        let is_removal = |(_, rule, _): &(Op, &'static str, Option<Stat>)| *rule == "remove";
        if self.store.options.accept_deletes || !changes.iter().any(is_removal) {
            return Ok(());
        }
        let missing = scan::count_missing(self.fs(), self.journal.expected())?;
        let total = self.journal.index.count;
        if missing <= (total / 10).clamp(1, MASS_LOSS) {
            return Ok(());
        }
        let held = changes.extract_if(.., |change| is_removal(change));
        self.gone.extend(held.map(|(op, ..)| op.key.to_string()));
        self.store.say_once(format!(
            "{missing} of {total} objects have lost their files; none of them is deleted: put the \
             files back, let `ctl fsck --repair` write them again, or delete the objects with \
             `ctl fsck --accept-deletes`"
        ));
        Ok(())
    }

    fn commit_edits(&mut self, changes: Vec<(Op, &'static str, Option<Stat>)>) -> Result<usize> {
        let count = changes.len();
        let (mut batch, mut size, mut rules) = (Vec::new(), 0, Vec::new());
        for (op, rule, stat) in changes {
            let bytes = op.json.as_ref().map_or(0, |json| json.len());
            if size + bytes > MAX_BATCH || batch.len() == MAX_BATCH_OBJECTS {
                self.commit_edit_batch(std::mem::take(&mut batch), &rules)?;
                size = 0;
            }
            if let Some(stat) = stat {
                self.judged.insert(op.key.as_str().to_owned(), stat);
            } else if rule == "remove" {
                self.gone.insert(op.key.to_string());
            }
            size += bytes;
            rules.push(rule);
            batch.push(op);
        }
        self.commit_edit_batch(batch, &rules)?;
        Ok(count)
    }

    fn commit_edit_batch(&mut self, ops: Vec<Op>, rules: &[&'static str]) -> Result<()> {
        let Some(first) = rules.first() else {
            return Ok(());
        };
        let rule = if rules.iter().all(|r| r == first) {
            first
        } else {
            "edit"
        };
        let keys: Vec<Key> = ops.iter().map(|op| op.key.clone()).collect();
        self.commit(&Cause::new(HAND_EDIT, rule), &Batch::of(ops))?;
        // Files that say the same in another form made no commit; they are written anew too.
        for key in keys {
            if self.judged.contains_key(key.as_str())
                && let Some(entry) = self.journal.index.get(key.as_str())
            {
                self.journal
                    .unprojected
                    .insert(key.to_string(), Some(entry.revision));
            }
        }
        self.show_pending();
        Ok(())
    }

    /// Keeps a file aside and shows what the cluster has instead.
    fn reject(&mut self, judged: &Judged, reason: &str) -> Result<()> {
        let path = &judged.suspect.path;
        let entry = judged
            .key
            .as_ref()
            .and_then(|k| self.journal.index.get(k.as_str()));
        let revision = self.head()?.revision;
        let out = match (entry, &judged.key) {
            (Some(entry), Some(key)) if key.path() == *path => {
                let json = Journal::body(&self.segment()?, &entry)?;
                let known = Known {
                    shown: judged.stat.map(|_| entry.revision),
                    judged: None,
                };
                self.tree()
                    .show(key, (entry.revision, &json), known, self.head()?.time)?
            }
            _ => self.tree().take_out(path, revision)?,
        };
        if let Some(out) = out {
            self.keep_aside(&out, path, reason)?;
        }
        Ok(())
    }

    pub(crate) fn keep_aside(&self, out: &CameOut, path: &str, reason: &str) -> Result<()> {
        let reason = reason.lines().map(str::trim).collect::<Vec<_>>().join(" ");
        let name = self.tree().reject(out, path, &reason)?;
        self.store
            .say(&format!("{reason}; the file is kept as {name}"));
        Ok(())
    }

    /// Deals with an edit that came out when a new version was shown.
    pub(crate) fn import_racing(&mut self, key: &Key, out: &CameOut) -> Result<()> {
        let path = key.path();
        let in_use = self.fs().open_for_writing(&out.stat) == Some(true);
        if in_use || out.stat.kind != FileKind::File || out.stat.size > MAX_FILE {
            return self.keep_aside(out, &path, "it was being written while the cluster changed");
        }
        if self.journal.index.get(key.as_str()).is_none() {
            return self.keep_aside(out, &path, "the object was deleted while it was edited");
        }
        let bytes = fs::read_all(self.fs(), &out.staged, MAX_FILE)?;
        match self.judge_content(&path, &bytes, &mut Some(key.clone()))? {
            Verdict::Change(op, rule) => {
                self.commit_edits(vec![(op, rule, None)])?;
                self.fs().unlink(&out.staged)?;
            }
            Verdict::Reject(reason) => self.keep_aside(out, &path, &reason)?,
            Verdict::Nothing | Verdict::Pending | Verdict::Restamp(_) => {
                self.fs().unlink(&out.staged)?;
            }
        }
        Ok(())
    }
}

/// A file that ends in the middle, or has nothing in it, may be half-written.
fn looks_unfinished(bytes: &[u8]) -> bool {
    bytes.last() != Some(&b'\n') || bytes.iter().all(u8::is_ascii_whitespace)
}

pub(crate) fn parse_stored(json: &[u8]) -> Value {
    serde_json::from_slice(json).unwrap_or(Value::Null)
}

pub(crate) fn forget_revision(value: &mut Value) {
    if let Some(metadata) = value.get_mut("metadata").and_then(Value::as_object_mut) {
        metadata.remove("resourceVersion");
    }
}

fn forget_managed_fields(value: &mut Value) {
    if let Some(metadata) = value.get_mut("metadata").and_then(Value::as_object_mut) {
        metadata.remove("managedFields");
    }
}

/// The key of a file whose name does not tell: its place and the name inside.
pub(crate) fn key_of(path: &str, value: &Value) -> std::result::Result<Key, String> {
    if let Some(key) = Key::from_path(path).map_err(|e| e.to_string())? {
        return Ok(key);
    }
    let mut parts = path.split('/');
    let namespace = parts.next().filter(|n| *n != super::key::CLUSTER_SCOPE);
    let resource = parts.next().unwrap_or_default();
    let name = value
        .pointer("/metadata/name")
        .and_then(Value::as_str)
        .unwrap_or_default();
    let key = Key::new(resource, namespace, name).map_err(|e| e.to_string())?;
    if key.path() == path {
        Ok(key)
    } else {
        Err("the name inside belongs to another file".to_owned())
    }
}
