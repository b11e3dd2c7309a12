//! Why objects have not reached their desired state: each cause, with the objects it affects.

use std::collections::BTreeSet;
use std::fmt;

use crate::runtime::Stuck;

/// The number of objects to list for each cause.
const NAMED: usize = 3;

/// A cause, with the objects that it keeps from their desired state.
///
/// ```
/// use ctl_history::{Blocker, blockers};
/// use ctl_runtime::Stuck;
///
/// let stuck = ["web-0", "web-1"].map(|name| Stuck {
///     object: format!("Pod {name}"),
///     reason: "no node has 4 CPUs".to_owned(),
///     alike: "no node has 4 CPUs".to_owned(),
///     uid: name.to_owned(),
///     owners: Vec::new(),
/// });
/// let found: Vec<Blocker> = blockers(&stuck);
/// assert_eq!(found.len(), 1, "one cause for both");
/// assert_eq!(found[0].objects, ["Pod web-0", "Pod web-1"]);
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Blocker {
    /// The cause, as reported by the first of the objects.
    pub cause: String,
    /// The objects by kind and name, such as `Pod default/web-7f9-x2x`.
    pub objects: Vec<String>,
    /// The objects that wait for these, such as the Deployment that owns the Pods.
    pub waiting: Vec<String>,
}

impl fmt::Display for Blocker {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.cause)?;
        if self.objects.is_empty() {
            return Ok(());
        }
        let count = match self.objects.len() {
            1 => String::new(),
            count => format!("{count} objects: "),
        };
        write!(f, " ({count}{}", named(&self.objects))?;
        if !self.waiting.is_empty() {
            let wait = if self.waiting.len() == 1 {
                "waits"
            } else {
                "wait"
            };
            write!(f, "; {} {wait} for this", named(&self.waiting))?;
        }
        f.write_str(")")
    }
}

/// Lists the first few items, and the number of the others.
fn named(all: &[String]) -> String {
    // Naming one item less would not be worth the words for the rest.
    match all.len() > NAMED + 1 {
        true => format!("{} and {} more", all[..NAMED].join(", "), all.len() - NAMED),
        false => all.join(", "),
    }
}

/// Groups stuck objects by cause, in the order of each cause's first object.
///
/// An object with stuck dependents is a consequence rather than a cause: it waits.
pub fn blockers(stuck: &[Stuck]) -> Vec<Blocker> {
    let owners: BTreeSet<&str> = stuck
        .iter()
        .flat_map(|stuck| stuck.owners.iter().map(String::as_str))
        .collect();
    // A controller's error about a key has no uid, and therefore no dependents.
    let is_consequence = |stuck: &&Stuck| !stuck.uid.is_empty() && owners.contains(&*stuck.uid);
    // A list rather than a map: the report follows the order of the first objects, and there are few causes.
    let mut groups: Vec<(&str, Vec<&Stuck>)> = Vec::new();
    for one in stuck.iter().filter(|stuck| !is_consequence(stuck)) {
        match groups.iter_mut().find(|(alike, _)| *alike == one.alike) {
            Some((_, group)) => group.push(one),
            None => groups.push((&one.alike, vec![one])),
        }
    }
    // An owner whose dependents have several causes is listed once, for the first cause. Listing it twice would look
    // like two owners.
    let mut told = BTreeSet::new();
    let blocker = |(_, group): (&str, Vec<&Stuck>)| {
        let waits = |other: &&Stuck| {
            let owns = group.iter().any(|one| one.owners.contains(&other.uid));
            is_consequence(other) && owns && told.insert(other.uid.clone())
        };
        let waiting = stuck.iter().filter(waits);
        let waiting = waiting.map(|other| other.object.clone()).collect();
        let first = group[0];
        // A run that ended early is stuck without an object.
        let (cause, objects) = match first.object.as_str() {
            "controllers" => (format!("controllers: {}", first.reason), Vec::new()),
            _ => {
                let objects = group.iter().map(|one| one.object.clone());
                (first.reason.clone(), objects.collect())
            }
        };
        Blocker {
            cause,
            objects,
            waiting,
        }
    };
    groups.into_iter().map(blocker).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn stuck(object: &str, alike: &str, owner: &str) -> Stuck {
        Stuck {
            object: object.to_owned(),
            reason: format!("reason {alike}"),
            alike: alike.to_owned(),
            uid: object.to_owned(),
            owners: vec![owner.to_owned()],
        }
    }

    fn lines(all: &[Stuck]) -> Vec<String> {
        blockers(all).iter().map(Blocker::to_string).collect()
    }

    #[test]
    fn blockers_group_objects_by_reason_across_owners() {
        let mut all: Vec<_> = (0..9)
            .map(|n| stuck(&format!("Pod a-{n}"), "a", ""))
            .collect();
        all.push(stuck("Pod b", "b", ""));
        all.extend((0..4).map(|n| stuck(&format!("Pod c-{n}"), "a", "other")));
        assert_eq!(
            lines(&all),
            [
                "reason a (13 objects: Pod a-0, Pod a-1, Pod a-2 and 10 more)",
                "reason b (Pod b)",
            ]
        );
    }

    #[test]
    fn owner_of_a_blocked_pod_is_not_a_cause() {
        let all = [
            stuck("Deployment web", "slow", ""),
            stuck("Pod a", "image", "Deployment web"),
            stuck("Pod b", "node", "Deployment web"),
            stuck("Deployment other", "slow", ""),
        ];
        assert_eq!(
            lines(&all),
            [
                "reason image (Pod a; Deployment web waits for this)",
                "reason node (Pod b)",
                "reason slow (Deployment other)",
            ]
        );
    }

    #[test]
    fn blocker_without_an_object_prints_only_its_reason() {
        assert_eq!(
            lines(&[stuck("controllers", "", "")]),
            ["controllers: reason "]
        );
    }
}
