//! The naming controller of CustomResourceDefinitions: accepts the names that no other definition of the group uses.

use std::collections::BTreeSet;

use crate::api::json::{Value, json};
use crate::tree::{at, ensure, field, has, items, list, push, set, set_or_remove, text, texts};

/// The annotation that records the approval of a definition in one of Kubernetes' own groups.
pub(crate) const APPROVAL: &str = "api-approved.kubernetes.io";

/// Updates the names and conditions of a definition; `others` are all other definitions.
///
/// A name stays with the definition that first used it. A kind is served once all its names have been accepted.
pub fn establish<'a>(
    definition: &mut Value,
    others: impl IntoIterator<Item = &'a Value>,
    now: &str,
) {
    let spec = field(definition, "spec");
    let mut taken = UsedNames::default();
    let same_group = |other: &&Value| at(other, &["spec", "group"]) == field(spec, "group");
    for other in others.into_iter().filter(same_group) {
        taken.add(at(other, &["status", "acceptedNames"]));
    }
    // Start from the accepted names: a changed spec must not remove a served name until the new one is free.
    let mut accepted = match at(definition, &["status", "acceptedNames"]) {
        Value::Null => json!({}),
        names => names.clone(),
    };
    let wrong = accept(field(spec, "names"), &mut accepted, &taken);
    set(ensure(definition, "status"), "acceptedNames", accepted);
    let (state, reason, message) = match &wrong {
        None => ("True", "NoConflicts", "no conflicts found"),
        Some((reason, message)) => ("False", *reason, message.as_str()),
    };
    condition(definition, ["NamesAccepted", state, reason, message], now);
    // A definition never loses `Established`, even if a later change of its names conflicts, because its objects must
    // remain readable.
    let established = super::is_established(definition);
    match (established, wrong.is_none()) {
        (false, true) => {
            let message = "the initial names have been accepted";
            let words = ["Established", "True", "InitialNamesAccepted", message];
            condition(definition, words, now);
        }
        (false, false) => {
            let message = "not all names are accepted";
            condition(
                definition,
                ["Established", "False", "NotAccepted", message],
                now,
            );
        }
        (true, _) => {}
    }
    approve(definition, now);
}

/// Sets a condition: its type, status, reason and message. Its time is that of the last change of status.
pub fn condition(definition: &mut Value, [kind, state, reason, message]: [&str; 4], now: &str) {
    let status = ensure(definition, "status");
    let mut next = json!({
        "type": kind, "status": state, "reason": reason, "message": message,
        "lastTransitionTime": now,
    });
    if !status.get("conditions").is_some_and(Value::is_array) {
        set(status, "conditions", json!([]));
    }
    let known = list(status, "conditions");
    let Some(at) = known.iter().position(|c| text(c, "type") == kind) else {
        return push(status, "conditions", next);
    };
    // A new reason or message is not a transition (`SetCRDCondition`).
    if text(&known[at], "status") == state {
        let since = known[at].get("lastTransitionTime").cloned();
        set_or_remove(&mut next, "lastTransitionTime", since);
    }
    if let Some(old) = items(status, "conditions").nth(at) {
        *old = next;
    }
}

/// The names that the definitions of a group use, with resources separate from kinds.
#[derive(Debug, Default)]
struct UsedNames<'a> {
    resources: BTreeSet<&'a str>,
    kinds: BTreeSet<&'a str>,
}

impl<'a> UsedNames<'a> {
    fn add(&mut self, names: &'a Value) {
        // Plural, singular and short names share a namespace, because clients may use any of them for a resource.
        self.resources.insert(text(names, "plural"));
        self.resources.insert(text(names, "singular"));
        self.resources.extend(texts(names, "shortNames"));
        self.kinds.insert(text(names, "kind"));
        self.kinds.insert(text(names, "listKind"));
    }
}

/// Accepts the names that are free; returns the reason and message for the last one that is not.
fn accept(
    wanted: &Value,
    accepted: &mut Value,
    taken: &UsedNames<'_>,
) -> Option<(&'static str, String)> {
    // Try every field: free names are accepted even if others conflict. Upstream overwrites the condition at each
    // conflict, so the last one is reported.
    let mut wrong = None;
    let in_use = |name: &str| format!("{name:?} is already in use");
    for (field, reason, used) in [
        ("plural", "PluralConflict", &taken.resources),
        ("singular", "SingularConflict", &taken.resources),
        ("shortNames", "ShortNamesConflict", &taken.resources),
        ("kind", "KindConflict", &taken.kinds),
        ("listKind", "ListKindConflict", &taken.kinds),
    ] {
        let conflicts: Vec<&str> = match wanted.get(field) {
            Some(Value::Array(_)) => texts(wanted, field)
                .filter(|name| !texts(accepted, field).any(|own| own == *name))
                .filter(|name| used.contains(name))
                .collect(),
            _ => Some(text(wanted, field))
                .filter(|name| *name != text(accepted, field) && used.contains(name))
                .into_iter()
                .collect(),
        };
        let messages: Vec<_> = conflicts.into_iter().map(in_use).collect();
        match messages.as_slice() {
            [] => set_or_remove(accepted, field, wanted.get(field).cloned()),
            [one] => wrong = Some((reason, one.clone())),
            // Go's aggregate error puts several errors in brackets, but not a single one.
            several => wrong = Some((reason, format!("[{}]", several.join(", ")))),
        }
    }
    // Categories are shared by design and cannot conflict.
    set_or_remove(accepted, "categories", wanted.get("categories").cloned());
    wrong
}

/// The approval of a definition in one of Kubernetes' own groups, according to its annotation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Approval {
    Missing,
    /// The value is neither a URL nor a reason for the lack of one.
    Invalid,
    Given,
    Waived,
}

impl Approval {
    /// Reads the annotation of a definition.
    pub(crate) fn read(definition: &Value) -> Self {
        match approval_text(definition) {
            "" => Self::Missing,
            text if text.starts_with("unapproved") => Self::Waived,
            // Nobody fetches the URL, so a scheme and a host suffice.
            text => match text.split_once("://") {
                Some((scheme, rest)) if !scheme.is_empty() && !rest.is_empty() => Self::Given,
                _ => Self::Invalid,
            },
        }
    }
}

fn approval_text(definition: &Value) -> &str {
    text(at(definition, &["metadata", "annotations"]), APPROVAL)
}

/// Returns true for groups that are reserved for the APIs of the community (`IsProtectedCommunityGroup`).
pub(crate) fn is_protected(group: &str) -> bool {
    let mut domains = ["k8s.io", "kubernetes.io"].iter();
    domains.any(|domain| group == *domain || group.ends_with(&format!(".{domain}")))
}

/// Sets the condition about the approval of a definition in one of Kubernetes' own groups.
fn approve(definition: &mut Value, now: &str) {
    if !is_protected(text(field(definition, "spec"), "group")) {
        return;
    }
    let approval = approval_text(definition);
    let (state, reason, message) = match Approval::read(definition) {
        Approval::Given => (
            "True",
            "ApprovedAnnotation",
            format!("approved in {approval}"),
        ),
        Approval::Waived => (
            "False",
            "UnapprovedAnnotation",
            format!("not approved: {approval:?}"),
        ),
        Approval::Missing | Approval::Invalid => return,
    };
    let kind = "KubernetesAPIApprovalPolicyConformant";
    condition(definition, [kind, state, reason, &message], now);
}

/// Returns true if a definition waits for names that other definitions use.
pub fn waits_for_names(definition: &Value) -> bool {
    has(field(definition, "status"), "conditions")
        && list(field(definition, "status"), "conditions")
            .iter()
            .any(|c| text(c, "type") == "NamesAccepted" && text(c, "status") == "False")
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW: &str = "2026-01-01T00:00:00Z";

    fn definition(plural: &str, kind: &str, short: &[&str]) -> Value {
        json!({"metadata": {"name": format!("{plural}.example.com")}, "spec": {
            "group": "example.com",
            "names": {"plural": plural, "singular": plural.trim_end_matches('s'), "kind": kind,
                "listKind": format!("{kind}List"), "shortNames": short}}})
    }

    fn conditions(definition: &Value) -> Vec<String> {
        list(field(definition, "status"), "conditions")
            .iter()
            .map(|c| {
                ["type", "status", "reason", "message"]
                    .map(|f| text(c, f))
                    .join(" ")
            })
            .collect()
    }

    #[test]
    fn free_names_are_accepted_at_once() {
        let mut boats = definition("boats", "Boat", &["bt"]);
        establish(&mut boats, [], NOW);
        assert_eq!(
            conditions(&boats),
            [
                "NamesAccepted True NoConflicts no conflicts found",
                "Established True InitialNamesAccepted the initial names have been accepted",
            ]
        );
        assert_eq!(boats["status"]["acceptedNames"], boats["spec"]["names"]);
        let before = boats.clone();
        establish(&mut boats, [], "2027-01-01T00:00:00Z");
        assert_eq!(boats, before, "nothing changed, so no time does");
    }

    #[test]
    fn conflicting_crd_name_is_rejected_until_it_is_free() {
        let mut boats = definition("boats", "Boat", &["bt"]);
        establish(&mut boats, [], NOW);
        let mut bots = definition("bots", "Bot", &["bt", "b"]);
        establish(&mut bots, [&boats], NOW);
        assert_eq!(
            conditions(&bots),
            [
                "NamesAccepted False ShortNamesConflict \"bt\" is already in use",
                "Established False NotAccepted not all names are accepted",
            ]
        );
        assert_eq!(bots["status"]["acceptedNames"].get("shortNames"), None);
        assert!(waits_for_names(&bots));
        let mut other = boats.clone();
        other["spec"]["group"] = json!("other.com");
        establish(&mut bots, [&other], NOW);
        assert!(super::super::is_established(&bots) && !waits_for_names(&bots));
    }
}
