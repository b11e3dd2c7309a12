//! Compares the objects at two points in the history.

use std::collections::BTreeMap;

use crate::api::json::{Value, from_bytes};
use crate::cluster::{Cluster, HistoryQuery, Range, Result, Revision};

/// An object at two points in the history; `None` if it did not exist.
///
/// ```
/// use ctl_history::{ObjectDiff, between};
///
/// # let cluster = ctl_cluster::testing::in_memory();
/// let begin = cluster.stored().oldest()?;
/// let now = cluster.stored().revision()?;
/// let created: Vec<ObjectDiff> = between(&cluster, begin, now, &|key| key.starts_with("namespaces/"))?;
/// let default = created.iter().find(|object| object.key.ends_with("/default")).unwrap();
/// assert!(default.before.is_none() && default.after.is_some());
/// # Ok::<(), ctl_cluster::StoreError>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct ObjectDiff {
    /// The key, such as `pods/default/web`.
    pub key: String,
    /// The object at the earlier point.
    pub before: Option<Value>,
    /// The object at the later point.
    pub after: Option<Value>,
}

/// Returns the objects that differ between two revisions, sorted by key.
///
/// # Errors
/// Returns an error if the cluster cannot be read or the earlier revision is no longer retained.
pub fn between(
    cluster: &Cluster,
    from: Revision,
    to: Revision,
    wanted: &dyn Fn(&str) -> bool,
) -> Result<Vec<ObjectDiff>> {
    let parsed = |json: &[u8]| from_bytes(json, &[]).unwrap_or_default();
    between_as(cluster, from, to, wanted, |key, before, after| ObjectDiff {
        key,
        before: before.map(parsed),
        after: after.map(parsed),
    })
}

/// Makes a value of each object that differs between two revisions, sorted by key, from its key and its JSON at both
/// points. Versions of a created or deleted object need not be parsed.
///
/// # Errors
/// Returns the errors of [`between`].
pub fn between_as<T, F>(
    cluster: &Cluster,
    from: Revision,
    to: Revision,
    wanted: &dyn Fn(&str) -> bool,
    make: F,
) -> Result<Vec<T>>
where
    F: Fn(String, Option<&[u8]>, Option<&[u8]>) -> T,
{
    let past = HistoryQuery {
        after: from,
        until: to,
        range: Range::all(),
        ..HistoryQuery::default()
    };
    type Ends = (Option<Vec<u8>>, Option<Vec<u8>>);
    let mut found: BTreeMap<String, Ends> = BTreeMap::new();
    cluster.stored().visit(&past, &mut |commit| {
        for change in commit.changes.iter().filter(|c| wanted(c.key)) {
            let after = change.after.map(<[u8]>::to_vec);
            // Only the first change reads the version before it, which is the object at the earlier point.
            match found.get_mut(change.key) {
                Some(ends) => ends.1 = after,
                None => {
                    let before = change.read_before()?.map(|json| json.to_vec());
                    found.insert(change.key.to_owned(), (before, after));
                }
            }
        }
        Ok(true)
    })?;
    found.retain(|_, (before, after)| before != after);
    let made = found.into_iter();
    let made = made.map(|(key, (before, after))| make(key, before.as_deref(), after.as_deref()));
    Ok(made.collect())
}
