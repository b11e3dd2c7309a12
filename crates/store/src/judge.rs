//! The meaning of a saved file: an edit, a restore of an earlier version, or no change
//! (`docs/design/0008-hand-edits.md`).

use std::collections::HashMap;

use super::admit::{HandEdit, Intent, user_part};
use super::comments::{self, MAX_COMMENTS, ObjectComments};
use super::edit_reports::{EditSides, changes_words, kept_words, put_back};
use super::exclusive::Exclusive;
use super::history;
use super::interface::{Expect, Op, Result, View};
use super::journal::Journal;
use super::key::Key;
use super::layout::MAX_FILE;
use super::merge::merge;
use super::prepared::Parsed;
use super::revision::Revision;
use super::tree::{REASON, Version, revision_in};
use crate::api::changes::differences;
use crate::api::json::Value;
use crate::api::yaml::{self, Comment};
use crate::sys::fs;

/// The rule of a commit that puts earlier states back.
pub(crate) const RESTORE: &str = "restore";
/// The rule of a commit that deletes objects with missing files.
pub(crate) const REMOVE: &str = "remove";

/// The verdict on an edit.
#[derive(Debug)]
pub(crate) enum Verdict {
    /// No change is necessary.
    Nothing,
    /// It is incomplete: check again later.
    Pending,
    /// The content is correct.
    Restamp(Revision),
    /// It is a change.
    Change(Box<Change>),
    /// It is not taken.
    Reject(String),
}

/// A change from a file.
#[derive(Debug)]
pub(crate) struct Change {
    pub(crate) op: Op,
    pub(crate) rule: &'static str,
    /// The text of the report if an earlier state is restored: the action, and the changes.
    pub(crate) restored: Option<(String, String)>,
    /// Further messages for the user.
    pub(crate) told: Vec<String>,
    /// The comments of the file, if they are others than before.
    pub(crate) comments: Option<ObjectComments>,
}

impl Change {
    /// Creates a change without further remarks.
    fn new(op: Op, rule: &'static str) -> Self {
        Self {
            op,
            rule,
            restored: None,
            told: Vec::new(),
            comments: None,
        }
    }
}

/// A file that was read and parsed.
#[derive(Debug)]
pub(crate) struct Saved<'b> {
    pub(crate) path: String,
    pub(crate) key: Key,
    bytes: &'b [u8],
    /// The object without its revision.
    pub(crate) value: Value,
    /// The revision in the file.
    pub(crate) revision: Option<Revision>,
    /// The comments of the file.
    pub(crate) comments: Vec<Comment>,
}

/// The history of an object whose file is based on an earlier revision.
#[derive(Debug)]
struct EditBase {
    revision: Revision,
    /// The object as the file leaves it if it is an earlier state put back.
    restored: std::result::Result<Value, String>,
    /// The content that a version must have to count as restored: the file's fields, or the admitted ones.
    wanted: Vec<Value>,
    /// The version with the revision in the file, if it is retained.
    base: Option<Value>,
    /// The last later version with the file's content.
    same: Option<Revision>,
}

impl EditBase {
    fn see(&mut self, revision: Revision, json: &[u8]) {
        let version = parse_stored(json);
        if self.wanted.contains(&user_part(&version)) {
            self.same = Some(revision);
        }
        if revision == self.revision {
            self.base = Some(version);
        }
    }

    /// Returns true if the file is a whole earlier state: one in the history, or one from before it. Its status must be
    /// unchanged; otherwise a user edited the file.
    fn is_restore(&self, mine: &Value) -> bool {
        match &self.base {
            Some(base) => self.same.is_some() && base.get("status") == mine.get("status"),
            None => true,
        }
    }
}

/// The part of an object's comments that a file speaks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum CommentScope {
    /// The file is the whole object: a missing comment was removed.
    Whole,
    /// The file is an edit begun at its revision: comments written since then stay.
    Edit,
}

/// Finds out which object a file shows that was parsed.
pub(crate) fn read_saved<'b>(
    path: &str,
    bytes: &'b [u8],
    parsed: Parsed,
    key: Option<Key>,
) -> std::result::Result<Saved<'b>, String> {
    let mut value = match parsed {
        Ok(Some(value)) => value,
        Ok(None) => return Err(format!("{path}:1:1: the file is empty")),
        Err(e) => return Err(format!("{path}:{}:{}: {}", e.line, e.column, e.message)),
    };
    let key = match key {
        Some(key) => key,
        None => key_of(path, &value).map_err(|reason| format!("{path}: {reason}"))?,
    };
    let revision = revision_in(&value);
    // The revision is a property of the version, not of the content: comparisons go without it.
    forget_revision(&mut value);
    let comments = comments_of(path, bytes)?;
    Ok(Saved {
        path: path.to_owned(),
        key,
        bytes,
        value,
        revision,
        comments,
    })
}

/// Returns the comments that a person wrote into a file.
fn comments_of(path: &str, bytes: &[u8]) -> std::result::Result<Vec<Comment>, String> {
    // Most files have none, and are not read a second time.
    if !bytes.contains(&b'#') {
        return Ok(Vec::new());
    }
    let mut comments = yaml::extract(bytes);
    // A rejected file that is put back still contains the reason.
    comments.retain(|comment| !comment.text.starts_with(REASON));
    let size: usize = comments.iter().map(|c| c.text.len()).sum();
    if size > MAX_COMMENTS {
        return Err(format!(
            "{path}: its comments have {size} bytes, the limit is {MAX_COMMENTS}"
        ));
    }
    Ok(comments)
}

impl Exclusive<'_> {
    /// Decides on the content of files that were read, all against the same state.
    pub(crate) fn judge_saved(&self, saved: Vec<Saved<'_>>) -> Result<Vec<Verdict>> {
        // One walk through the history for all files: a checkout of a thousand files must not walk
        // it a thousand times.
        let mut past = self.past_of(&saved)?;
        saved
            .into_iter()
            .map(|saved| {
                let past = past.remove(saved.key.as_str());
                let path = saved.path.clone();
                let mut verdict = match self.journal.index.get(saved.key.as_str()) {
                    None => self.judge_new(saved, past),
                    Some(entry) => {
                        let json = Journal::body(&*self.segment()?, &entry)?;
                        self.judge_value(saved, Version::from_entry(&entry, &json), past)
                    }
                }?;
                // The path in front as in a compiler's message, so that editors can jump to it.
                if let Verdict::Reject(reason) = &mut verdict {
                    *reason = format!("{path}: {reason}");
                }
                Ok(verdict)
            })
            .collect()
    }

    /// Decides on the content of one file. `ours` returns true if ctl's own file of a revision was there until now.
    pub(crate) fn judge_content(
        &self,
        path: &str,
        bytes: &[u8],
        key: Key,
        ours: &dyn Fn(Revision) -> bool,
    ) -> Result<Verdict> {
        let parsed = self.prepared.parse(path, bytes);
        let saved = match read_saved(path, bytes, parsed, Some(key)) {
            Ok(saved) => saved,
            Err(reason) => return Ok(Verdict::Reject(reason)),
        };
        if saved.revision.is_some_and(ours) && self.is_as_shown(&saved)? {
            // Touched, not edited, while the object changed: the earlier state is not requested.
            return Ok(Verdict::Nothing);
        }
        let verdict = self.judge_saved(vec![saved])?.pop();
        Ok(verdict.unwrap_or(Verdict::Nothing))
    }

    /// Returns true if a file equals the object at the revision that the file names.
    pub(crate) fn is_as_shown(&self, saved: &Saved<'_>) -> Result<bool> {
        let Some(revision) = saved.revision else {
            return Ok(false);
        };
        let mut same = false;
        let wanted = HashMap::from([(saved.key.as_str(), revision)]);
        history::versions(&self.journal, &wanted, &mut |_, found, json| {
            if found == revision {
                let mut version = parse_stored(json);
                forget_managed_fields(&mut version);
                same = version == saved.value;
            }
        })?;
        Ok(same)
    }

    /// Looks up the base versions of files, all of them in one walk through the history.
    fn past_of(&self, saved: &[Saved<'_>]) -> Result<HashMap<String, EditBase>> {
        let newest = self.head()?.revision;
        let (mut past, mut wanted) = (HashMap::new(), HashMap::new());
        for saved in saved {
            let entry = self.journal.index.get(saved.key.as_str());
            let Some(revision) = saved.revision.filter(|r| *r <= newest) else {
                continue;
            };
            // Based on the current state: an edit without a past.
            if entry.is_some_and(|e| e.revision == revision) {
                continue;
            }
            // Both forms count as "the same version": the file's content, and the result of its admission (defaults,
            // fields that the system keeps).
            let mut wishes = vec![user_part(&saved.value)];
            let restored = match entry {
                None => Err(String::new()),
                Some(entry) => {
                    let current = parse_stored(&Journal::body(&*self.segment()?, &entry)?);
                    // Admitted now, because afterwards the decision to restore needs the result.
                    let admitted = self.admitted(saved, Some(&current), Intent::Restore, None)?;
                    admitted.and_then(|new| new.ok_or("it is being deleted".to_owned()))
                }
            };
            wishes.extend(restored.as_ref().ok().map(user_part));
            wanted.insert(saved.key.as_str(), revision);
            past.insert(
                saved.key.to_string(),
                EditBase {
                    revision,
                    restored,
                    wanted: wishes,
                    base: None,
                    same: None,
                },
            );
        }
        history::versions(&self.journal, &wanted, &mut |key, revision, json| {
            if let Some(past) = past.get_mut(key) {
                past.see(revision, json);
            }
        })?;
        Ok(past)
    }

    /// A file of an object that the cluster does not have.
    fn judge_new(&self, saved: Saved<'_>, past: Option<EditBase>) -> Result<Verdict> {
        let version = past.as_ref().and_then(|p| p.base.as_ref());
        let known = past.as_ref().filter(|p| p.base.is_some());
        // A restore rather than an edit: the file includes its status, as a backup does.
        let admitted = self.admitted(&saved, None, Intent::Restore, version)?;
        let value = match admitted {
            Err(reason) => return Ok(Verdict::Reject(reason)),
            Ok(None) => return Ok(Verdict::Nothing),
            Ok(Some(value)) => value,
        };
        let comments = self.new_comments(&saved, &value, 0, CommentScope::Whole)?;
        let (mut rule, mut restored) = ("create", None);
        if let Some(past) = known {
            rule = RESTORE;
            let edited = if past.same.is_some() { "" } else { ", edited" };
            let action = format!("restored to revision {}{edited}", past.revision);
            restored = Some((action, "the object had been deleted".to_owned()));
        }
        let op = Op::put(saved.key, stored_form(value), Expect::Absent);
        Ok(changed(Change {
            restored,
            comments,
            ..Change::new(op, rule)
        }))
    }

    /// A file of an object that the cluster has.
    fn judge_value(
        &self,
        saved: Saved<'_>,
        stored: Version<'_>,
        past: Option<EditBase>,
    ) -> Result<Verdict> {
        // Byte for byte the file that would be written, so the object need not be parsed.
        let (at, json) = (stored.revision, stored.json);
        if self.tree().render(&saved.key, stored)? == saved.bytes {
            return Ok(Verdict::Restamp(at));
        }
        let current = parse_stored(json);
        if let Some(past) = past.as_ref().filter(|p| p.is_restore(&saved.value)) {
            let comments = self.new_comments(&saved, &current, at + 1, CommentScope::Whole)?;
            return Ok(judge_restore(saved, stored, &current, past, comments));
        }
        // Managed fields are never in a file; if they were compared, every merge would find a removal.
        let mut theirs = current.clone();
        forget_managed_fields(&mut theirs);
        let outdated = past.is_some();
        let mut base = past.and_then(|p| p.base).unwrap_or_else(|| theirs.clone());
        forget_managed_fields(&mut base);
        // A three-way merge, field by field, with the version that the editor had as base.
        let mut mine = saved.value.clone();
        if saved.revision.is_none()
            && mine.get("status").is_none()
            && let (Some(status), Some(mine)) = (theirs.get("status"), mine.as_object_mut())
        {
            // A manifest, not a file of ctl: it does not determine the status.
            mine.insert("status", status.clone());
        }
        // Both sides are shown to the user; neither wins silently.
        let merged = match merge(&base, &theirs, &mine) {
            Ok(merged) => merged,
            Err(clash) => {
                return Ok(Verdict::Reject(format!(
                    "{} was changed here and, since revision {}, in the cluster too",
                    clash.0,
                    saved.revision.unwrap_or(at)
                )));
            }
        };
        let kept = if outdated {
            differences(&user_part(&mine), &user_part(&merged))
        } else {
            Vec::new()
        };
        // The edit is in the cluster already; the file alone has another form.
        if merged == theirs {
            let comments = self.new_comments(&saved, &current, at, CommentScope::Edit)?;
            return Ok(unchanged(saved.key, stored, comments));
        }
        let comments = self.new_comments(&saved, &current, at + 1, CommentScope::Edit)?;
        let proposed = Saved {
            value: merged,
            ..saved
        };
        let admitted = self.admitted(&proposed, Some(&current), Intent::Edit, None)?;
        let value = match admitted {
            Err(reason) => return Ok(Verdict::Reject(reason)),
            // Admission turned the update into a removal: the last finalizer went with it.
            Ok(None) => {
                let op = Op::delete(proposed.key, Expect::At(at));
                return Ok(changed(Change::new(op, REMOVE)));
            }
            Ok(Some(value)) => value,
        };
        // After admission, so that the message reports the values that the server kept.
        let mut told = put_back(
            &proposed.path,
            proposed.revision,
            &EditSides {
                base: &base,
                mine: &mine,
                new: &value,
            },
        );
        if !kept.is_empty() {
            told.push(format!(
                "{}: merged with what changed since revision {}: {}",
                proposed.path,
                proposed.revision.unwrap_or(at),
                kept_words(&kept, &proposed.key)
            ));
        }
        let op = Op::put(proposed.key, stored_form(value), Expect::At(at));
        Ok(changed(Change {
            told,
            comments,
            ..Change::new(op, "edit")
        }))
    }

    /// Returns the comments of an object with a file from `since` on, if they differ from the current ones.
    ///
    /// A file that is older than comments that others wrote since does not affect these, unless it is the whole object.
    fn new_comments(
        &self,
        saved: &Saved<'_>,
        object: &Value,
        since: Revision,
        scope: CommentScope,
    ) -> Result<Option<ObjectComments>> {
        let uid = comments::uid_of(object);
        let known = if self.commented {
            comments::read(self.fs(), &saved.key)?.filter(|kept| kept.uid == uid)
        } else {
            None
        };
        let known = known.unwrap_or_default();
        let mut new = saved.comments.clone();
        // A save from before those comments was not meant to delete them.
        if scope == CommentScope::Edit && saved.revision.is_some_and(|r| r < known.since) {
            let unseen = known
                .comments
                .iter()
                .filter(|c| !saved.comments.contains(c));
            new.extend(unseen.cloned());
        }
        Ok((new != known.comments).then(|| ObjectComments {
            uid: uid.to_owned(),
            since,
            comments: new,
        }))
    }

    /// Decides on a missing file.
    pub(crate) fn judge_removal(&self, key: &Key) -> Result<Verdict> {
        let Some(entry) = self.journal.index.get(key.as_str()) else {
            return Ok(Verdict::Nothing);
        };
        let current = parse_stored(&Journal::body(&*self.segment()?, &entry)?);
        let expect = Expect::At(entry.revision);
        let admitted = self.store.options.admit.admit(HandEdit {
            proposed: None,
            ..self.hand_edit(key, Some(&current))?
        });
        let op = match admitted {
            Err(reason) => return Ok(Verdict::Reject(reason)),
            Ok(None) => Op::delete(key.clone(), expect),
            // An update instead of a deletion: as in the API server, finalizers or a grace period keep the object until
            // they are done.
            Ok(Some(marked)) => Op::put(key.clone(), stored_form(marked), expect),
        };
        Ok(changed(Change::new(op, REMOVE)))
    }

    fn hand_edit<'e>(&'e self, key: &'e Key, current: Option<&'e Value>) -> Result<HandEdit<'e>> {
        Ok(HandEdit {
            key,
            current,
            proposed: None,
            intent: Intent::Edit,
            past: None,
            revision: View::revision(self) + 1,
            now: self.now(),
            seed: self.store.settings.get().seed(),
            view: self,
        })
    }

    /// Applies the rules of its kind to a file.
    pub(crate) fn admitted(
        &self,
        saved: &Saved<'_>,
        current: Option<&Value>,
        intent: Intent,
        past: Option<&Value>,
    ) -> Result<std::result::Result<Option<Value>, String>> {
        Ok(self.store.options.admit.admit(HandEdit {
            proposed: Some(saved.value.clone()),
            intent,
            past,
            ..self.hand_edit(&saved.key, current)?
        }))
    }

    /// Returns true if the object has the whole content of a file: a writer imported the edit and died before it could
    /// discard the file.
    pub(crate) fn is_taken(&self, key: &Key, path: &str) -> Result<bool> {
        let Some(entry) = self.journal.index.get(key.as_str()) else {
            return Ok(false);
        };
        let Ok(bytes) = fs::read_all(self.fs(), path, MAX_FILE) else {
            return Ok(false);
        };
        // Compared in the stored form: the same rules applied to the same file give the same bytes.
        let json = Journal::body(&*self.segment()?, &entry)?;
        Ok(
            match self.judge_content(path, &bytes, key.clone(), &|_| false)? {
                Verdict::Change(change) => {
                    change.op.json.as_deref() == Some(&*json) && change.comments.is_none()
                }
                Verdict::Restamp(_) => true,
                Verdict::Nothing | Verdict::Pending | Verdict::Reject(_) => false,
            },
        )
    }
}

/// An earlier state of an object, put back.
fn judge_restore(
    saved: Saved<'_>,
    stored: Version<'_>,
    current: &Value,
    past: &EditBase,
    comments: Option<ObjectComments>,
) -> Verdict {
    let restored = match &past.restored {
        Ok(restored) => restored,
        Err(reason) => {
            return Verdict::Reject(format!(
                "it cannot be restored to revision {}: {reason}",
                past.revision
            ));
        }
    };
    // The status is not compared: a restore never touches it.
    let changes = differences(&user_part(current), &user_part(restored));
    if changes.is_empty() {
        return unchanged(saved.key, stored, comments);
    }
    let lost = if past.base.is_none() {
        ", which the history no longer has"
    } else {
        ""
    };
    // Named after the version whose content was restored, not after the one where the editor began.
    let to = match past.same.filter(|_| past.base.is_some()) {
        Some(same) if past.base.as_ref().map(user_part).as_ref() != past.wanted.first() => same,
        _ => past.revision,
    };
    let words = changes_words(&changes, &saved.key);
    let op = Op::put(
        saved.key,
        stored_form(restored.clone()),
        Expect::At(stored.revision),
    );
    changed(Change {
        restored: Some((format!("restored to revision {to}{lost}"), words)),
        comments,
        ..Change::new(op, RESTORE)
    })
}

fn changed(change: Change) -> Verdict {
    Verdict::Change(Box::new(change))
}

/// Only the form of the file differs: committing the same content changes nothing, and the file is rewritten.
fn unchanged(key: Key, stored: Version<'_>, comments: Option<ObjectComments>) -> Verdict {
    let op = Op::put(key, stored.json.to_vec(), Expect::At(stored.revision));
    changed(Change {
        comments,
        ..Change::new(op, "edit")
    })
}

/// Returns the form in which an object is stored: compact JSON without its revision.
pub(crate) fn stored_form(mut value: Value) -> Vec<u8> {
    forget_revision(&mut value);
    serde_json::to_vec(&value).unwrap_or_default()
}

pub(crate) fn parse_stored(json: &[u8]) -> Value {
    serde_json::from_slice(json).unwrap_or(Value::Null)
}

fn forget_revision(value: &mut Value) {
    if let Some(metadata) = value.get_mut("metadata").and_then(Value::as_object_mut) {
        metadata.remove("resourceVersion");
    }
}

pub(crate) fn forget_managed_fields(value: &mut Value) {
    if let Some(metadata) = value.get_mut("metadata").and_then(Value::as_object_mut) {
        metadata.remove("managedFields");
    }
}

/// Returns the key of a file whose name is not unique: from its place and the name in its content.
fn key_of(path: &str, value: &Value) -> std::result::Result<Key, String> {
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
    // If the name did not match the content, two files could show one object.
    if key.path() == path {
        Ok(key)
    } else {
        Err("the name inside belongs to another file".to_owned())
    }
}
