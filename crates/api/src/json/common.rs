//! Shares the equal parts of two trees in memory.

use super::text;
use super::value::Value;

impl Value {
    /// Returns this tree with every part that equals the same part of `other` shared, or `None` if that saves nothing.
    /// The remaining parts are shrunk to fit.
    #[must_use]
    pub fn sharing(&self, other: &Self) -> Option<Self> {
        self.sharing_anew(other, None)
    }

    /// Like [`Value::sharing`], but skips the parts that are unchanged since the previous version, because those were
    /// compared before. If only a Pod's status changes, that is most of its tree.
    #[must_use]
    pub fn sharing_anew(&self, other: &Self, previous: Option<&Self>) -> Option<Self> {
        match compared(self, other, previous) {
            // An equal tree that is already shared must not be copied again.
            Common::All => is_apart(self, other).then(|| other.clone()),
            Common::Some(tree) => Some(tree),
            Common::Nothing => None,
        }
    }
}

/// The part that two trees have in common.
enum Common {
    /// The trees are equal.
    All,
    /// The trees differ; this copy shares the equal parts.
    Some(Value),
    /// The trees differ and have nothing more to share.
    Nothing,
}

fn compared(own: &Value, other: &Value, previous: Option<&Value>) -> Common {
    match (own, other) {
        (Value::Array(_), Value::Array(_)) | (Value::Object(_), Value::Object(_))
            if previous.is_some_and(|previous| own.is(previous)) && !own.is(other) =>
        {
            Common::Nothing
        }
        (Value::Array(own), Value::Array(other)) if !own.is(other) => {
            // Items of a list resemble each other, so items beyond the end of the other list are compared with its
            // last one.
            let beside = |at: usize| other.get(at).or(other.last());
            let previous = previous.and_then(Value::as_array);
            let part = |(at, own)| Part {
                own,
                other: beside(at),
                previous: previous.and_then(|list| list.get(at)),
            };
            let parts = own.iter().enumerate().map(part);
            let whole = own.len() == other.len();
            joined(parts, own.iter(), whole, own.has_room(), |items| {
                Value::Array(items.into())
            })
        }
        (Value::Object(own), Value::Object(other)) if !own.is(other) => {
            let sides = own.zip_by_name(other, previous.and_then(Value::as_object));
            let parts = sides.map(|(own, other, previous)| Part {
                own,
                other,
                previous,
            });
            let whole = own.len() == other.len();
            joined(parts, own.values(), whole, own.has_room(), |values| {
                Value::Object(own.with_values(values))
            })
        }
        (Value::String(own), Value::String(other)) if !text::is_equal(own, other) => {
            Common::Nothing
        }
        (Value::String(_), Value::String(_)) => Common::All,
        _ if own == other => Common::All,
        _ => Common::Nothing,
    }
}

/// A part of a tree, next to its counterparts in the other tree and in the previous version.
struct Part<'v> {
    own: &'v Value,
    other: Option<&'v Value>,
    previous: Option<&'v Value>,
}

/// Joins the parts of a tree with those of the other tree. `whole` says that the other tree has no further parts;
/// `room` says that the tree must be rebuilt by `make` in any case, because it has spare capacity.
fn joined<'v>(
    parts: impl Iterator<Item = Part<'v>>,
    own: impl ExactSizeIterator<Item = &'v Value> + Clone,
    whole: bool,
    room: bool,
    make: impl FnOnce(Vec<Value>) -> Value,
) -> Common {
    let mut is_equal = whole;
    // The parts of the result. Most trees keep all their parts and need no list; otherwise, it begins with the first
    // part that is replaced.
    let mut chosen: Option<Vec<Value>> = None;
    for (at, part) in parts.enumerate() {
        let compared = |other| compared(part.own, other, part.previous);
        let common = part.other.map_or(Common::Nothing, compared);
        is_equal &= matches!(common, Common::All);
        let better = match (common, part.other) {
            (Common::All, Some(other)) if is_apart(part.own, other) => Some(other.clone()),
            (Common::Some(tree), _) => Some(tree),
            _ => None,
        };
        if better.is_some() && chosen.is_none() {
            let mut list = Vec::with_capacity(own.len());
            list.extend(own.clone().take(at).cloned());
            chosen = Some(list);
        }
        if let Some(chosen) = &mut chosen {
            chosen.push(better.unwrap_or_else(|| part.own.clone()));
        }
    }
    // All parts are equal and the other tree has no further ones, so one pointer replaces them all.
    if is_equal {
        return Common::All;
    }
    // Rebuilding a tree without a gain would cost the memory that sharing should save.
    let rebuilt = chosen.or_else(|| room.then(|| own.cloned().collect()));
    rebuilt.map_or(Common::Nothing, |parts| Common::Some(make(parts)))
}

/// Returns true if two equal values use separate memory.
fn is_apart(own: &Value, other: &Value) -> bool {
    match (own, other) {
        (Value::String(own), Value::String(other)) => text::is_apart(own, other),
        (Value::Array(own), Value::Array(other)) => !own.is(other),
        (Value::Object(own), Value::Object(other)) => !own.is(other),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json::json;

    const TIME: &str = "2026-01-01T00:00:00Z";

    /// Returns a Pod as the reader builds it, sharing nothing with other Pods.
    fn pod(name: &str, node: &str) -> Value {
        let pod = json!({
            "metadata": {"name": name, "labels": {"app": "web"}, "creationTimestamp": TIME},
            "spec": {"nodeName": node, "tolerations": [{"key": "a"}, {"key": "b"}]},
            "status": {"conditions": [
                {"type": "Ready", "lastTransitionTime": TIME},
                {"type": "Scheduled", "lastTransitionTime": node},
            ]},
        });
        serde_json::from_str(&pod.to_string()).unwrap()
    }

    /// Returns the names of the parts that two trees share.
    fn shared<'p>(one: &Value, other: &Value, parts: &[&'p str]) -> Vec<&'p str> {
        let is = |part: &&&str| {
            let (one, other) = (one.pointer(part).unwrap(), other.pointer(part).unwrap());
            assert_eq!(one, other, "{part}");
            !is_apart(one, other)
        };
        parts.iter().filter(is).copied().collect()
    }

    #[test]
    fn equal_parts_of_two_objects_are_shared() {
        let (one, two) = (pod("one", "node-1"), pod("two", "node-2"));
        let parts = [
            "/metadata/labels",
            "/metadata/creationTimestamp",
            "/spec/tolerations",
            "/status/conditions/0",
        ];
        assert_eq!(shared(&one, &two, &parts), [""; 0]);
        let shares = two.sharing(&one).unwrap();
        assert_eq!(shares, two);
        assert_eq!(shared(&one, &shares, &parts), parts);
        assert!(shares.sharing(&one).is_none());
        // If everything is equal, the whole tree is shared.
        let again = pod("one", "node-1").sharing(&one).unwrap();
        assert!(again.is_shared_with(&one));
        assert!(again.sharing(&one).is_none());
    }

    #[test]
    fn parts_of_the_previous_version_are_not_compared_again() {
        let (one, two) = (pod("one", "node-1"), pod("two", "node-2"));
        let mut later = two.clone();
        later["status"] = pod("two", "node-2")["status"].clone();
        let shares = later.sharing_anew(&one, Some(&two)).unwrap();
        assert_eq!(shares, later);
        let parts = [
            "/metadata/labels",
            "/spec/tolerations",
            "/status/conditions/0",
        ];
        assert_eq!(shared(&one, &shares, &parts), ["/status/conditions/0"]);
        assert!(shares.sharing_anew(&one, Some(&shares)).is_none());
    }

    #[test]
    fn extra_list_items_share_with_the_last_item() {
        let ready = || json!({"ready": true});
        let one = json!({"list": [{"ip": "1", "conditions": ready()}]});
        let more = json!({"list": [
            {"ip": "2", "conditions": ready()},
            {"ip": "3", "conditions": ready()},
        ]});
        let shares = more.sharing(&one).unwrap();
        assert_eq!(shares, more);
        let conditions = |v: &Value, at: usize| v["list"][at]["conditions"].clone();
        for at in 0..2 {
            assert!(conditions(&shares, at).is_shared_with(&conditions(&one, 0)));
        }
    }

    #[test]
    fn separate_parts_are_shrunk_to_fit() {
        let mut grown = json!({"a": 1});
        for name in ["b", "c", "d", "e"] {
            grown[name] = json!(name);
        }
        let room = |v: &Value| v.as_object().unwrap().has_room();
        assert!(room(&grown));
        let kept = grown.sharing(&json!({})).unwrap();
        assert_eq!((room(&kept), &kept), (false, &grown));
        assert!(json!([1]).sharing(&json!({"a": 1})).is_none());
    }
}
