//! The comments of users in objects' files, kept until a user removes them.
//!
//! The YAML tree contains them but is never synced, so each object with comments has a file below `.ctl/comments`,
//! synced before the commit of the edit that added them. A cluster without comments has no such directory, which makes
//! the check cheap.

use super::interface::Result;
use super::key::Key;
use super::layout::{COMMENTS, MAX_FILE, STAGING};
use super::revision::Revision;
use crate::api::json::{List, Value, json};
use crate::api::yaml::{Comment, Item, Place, Step};
use crate::sys::fs::{self, Fs, FsError};

/// The most text of comments that an object's file may have: the file must stay readable.
pub(crate) const MAX_COMMENTS: usize = 1 << 20;

/// The comments of one object.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct ObjectComments {
    /// The object that they belong to; another one with the same name does not inherit them.
    pub(crate) uid: String,
    /// The revision of the object since which its file shows them.
    pub(crate) since: Revision,
    pub(crate) comments: Vec<Comment>,
}

/// Returns the file with an object's comments.
fn place(key: &Key) -> String {
    format!("{COMMENTS}/{}", key.path())
}

/// Returns the uid of an object.
pub(crate) fn uid_of(object: &Value) -> &str {
    let uid = object.pointer("/metadata/uid").and_then(Value::as_str);
    uid.unwrap_or_default()
}

/// Reads an object's comments; `None` if it has none, or none that can be read.
pub(crate) fn read(fs: &dyn Fs, key: &Key) -> Result<Option<ObjectComments>> {
    match fs::read_all(fs, &place(key), MAX_FILE) {
        // Comments that cannot be parsed must not keep their object from being written.
        Ok(bytes) => Ok(serde_json::from_slice(&bytes)
            .ok()
            .as_ref()
            .and_then(decode)),
        Err(e) if e.is_not_found() || e.is_link() => Ok(None),
        Err(e) => Err(e.into()),
    }
}

/// Keeps an object's comments, durably; none removes the file.
pub(crate) fn keep(fs: &dyn Fs, key: &Key, kept: &ObjectComments) -> Result<()> {
    if kept.comments.is_empty() {
        return Ok(forget(fs, key)?);
    }
    let path = place(key);
    let mut parents = Vec::new();
    for (at, _) in path.match_indices('/').skip(1) {
        parents.push(&path[..at]);
    }
    for directory in &parents {
        fs.make_dir(directory)?;
    }
    // Synced before the commit: a comment that is lost cannot be rebuilt from anything.
    let bytes = serde_json::to_vec(&encode(kept)).unwrap_or_default();
    let temporary = format!("{STAGING}/comments-{:016x}", fs.fresh());
    fs::replace(fs, &path, &temporary, &bytes, true)?;
    // From the inside out, up to `.ctl`: the names are as durable as their files.
    for directory in parents.iter().rev() {
        fs.sync_dir(directory)?;
    }
    Ok(fs.sync_dir(super::layout::DOT)?)
}

/// Removes an object's comments, and the directories that are empty then.
pub(crate) fn forget(fs: &dyn Fs, key: &Key) -> std::result::Result<(), FsError> {
    let path = place(key);
    match fs.unlink(&path) {
        Err(e) if e.is_not_found() => return Ok(()),
        answer => answer?,
    }
    // Up to the directory of all comments, so that a cluster without comments has none.
    let mut directory = path.as_str();
    while let Some((parent, _)) = directory.rsplit_once('/')
        && parent.starts_with(COMMENTS)
        && fs.remove_dir(parent).is_ok()
    {
        directory = parent;
    }
    Ok(())
}

/// Copies all comments of a cluster.
pub(crate) fn copy(from: &dyn Fs, to: &dyn Fs) -> Result<()> {
    copy_below(from, to, COMMENTS)
}

fn copy_below(from: &dyn Fs, to: &dyn Fs, directory: &str) -> Result<()> {
    let entries = match from.list(directory) {
        Err(e) if e.is_not_found() => return Ok(()),
        answer => answer?,
    };
    to.make_dir(directory)?;
    for entry in entries {
        let path = format!("{directory}/{}", entry.name);
        match entry.stat.kind {
            fs::FileKind::Directory => copy_below(from, to, &path)?,
            // A copy need not be synced: the original is still there.
            _ => {
                let bytes = fs::read_all(from, &path, MAX_FILE)?;
                to.create(&path)?.write_at(&bytes, 0)?;
            }
        }
    }
    Ok(())
}

fn encode(kept: &ObjectComments) -> Value {
    let step = |step: &Step| match step {
        Step::Key(key) => json!(key.as_str()),
        Step::Item(item) => json!({
            "index": item.index, "of": item.of, "id": item.id.as_str(), "nth": item.nth,
        }),
    };
    let comment = |comment: &Comment| -> Value {
        let at: Vec<Value> = comment.at.iter().map(step).collect();
        let name = Place::ALL.iter().find(|(place, _)| *place == comment.place);
        json!({
            "place": name.map_or("end", |(_, name)| name),
            "at": Value::Array(List::from(at)),
            "text": comment.text.as_str(),
        })
    };
    let comments: Vec<Value> = kept.comments.iter().map(comment).collect();
    json!({
        "uid": kept.uid.as_str(),
        "since": kept.since,
        "comments": Value::Array(List::from(comments)),
    })
}

fn decode(value: &Value) -> Option<ObjectComments> {
    let text = |value: &Value, name: &str| Some(value.get(name)?.as_str()?.to_owned());
    let number = |value: &Value, name: &str| usize::try_from(value.get(name)?.as_u64()?).ok();
    let step = |step: &Value| -> Option<Step> {
        if let Some(key) = step.as_str() {
            return Some(Step::Key(key.to_owned()));
        }
        Some(Step::Item(Item {
            index: number(step, "index")?,
            of: number(step, "of")?,
            id: text(step, "id")?,
            nth: number(step, "nth")?,
        }))
    };
    let comment = |comment: &Value| -> Option<Comment> {
        let name = text(comment, "place")?;
        let at = comment.get("at")?.as_array()?;
        let text = text(comment, "text")?;
        // The file may have been edited by hand; a text with a line break would become content when
        // it is woven in.
        if !text.starts_with('#') || text.contains(['\n', '\r']) {
            return None;
        }
        Some(Comment {
            place: Place::ALL.iter().find(|(_, known)| *known == name)?.0,
            at: at.iter().map(step).collect::<Option<_>>()?,
            text,
        })
    };
    let comments = value.get("comments")?.as_array()?;
    Some(ObjectComments {
        uid: text(value, "uid")?,
        since: value.get("since")?.as_u64()?,
        comments: comments.iter().map(comment).collect::<Option<_>>()?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::api::yaml::extract;
    use crate::sys::sim_fs::{Dice, SimFs};

    #[test]
    fn kept_comments_survive_a_power_cut_until_removed() {
        let fs = SimFs::new();
        fs.make_dir(".ctl").unwrap();
        fs.make_dir(STAGING).unwrap();
        let key = Key::new("pods", Some("default"), "web").unwrap();
        assert_eq!(read(&fs, &key).unwrap(), None);
        let text = b"# head\na: # one\n- name: x\n  # two\n- 3\n# end\n";
        let kept = ObjectComments {
            uid: "u".to_owned(),
            since: 7,
            comments: extract(text),
        };
        assert_eq!(kept.comments.len(), 4);
        keep(&fs, &key, &kept).unwrap();
        assert_eq!(read(&fs, &key).unwrap(), Some(kept.clone()));
        for image in fs.disk().power_images(20, &mut Dice(3)) {
            let cut = SimFs::on(image);
            assert_eq!(read(&cut, &key).unwrap(), Some(kept.clone()), "durable");
        }
        let none = ObjectComments {
            comments: Vec::new(),
            ..kept
        };
        keep(&fs, &key, &none).unwrap();
        assert_eq!(read(&fs, &key).unwrap(), None);
    }
}
