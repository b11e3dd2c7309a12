//! Roles and bindings.

use std::collections::BTreeMap;

use super::meta::cluster_head;
use super::related::Related;
use super::writer::Writer;
use crate::api::json::Value;
use crate::kinds::tree::{field, list, text, texts};

/// A rule for a single resource or URL.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Rule {
    verbs: Vec<String>,
    group: Option<String>,
    resource: Option<String>,
    name: Option<String>,
    url: Option<String>,
}

impl Rule {
    fn shown(value: Option<&String>) -> String {
        value.map_or_else(|| "[]".to_owned(), |value| format!("[{value}]"))
    }

    /// Returns the text that kubectl sorts rules by: the `String()` of Go's struct.
    fn key(&self) -> String {
        format!(
            "Verbs:[{}],APIGroups:{},Resources:{},ResourceNames:{},NonResourceURLs:{},",
            self.verbs.join(" "),
            Self::shown(self.group.as_ref()),
            Self::shown(self.resource.as_ref()),
            Self::shown(self.name.as_ref()),
            Self::shown(self.url.as_ref())
        )
    }

    /// Returns the resource in the form `deployments.apps/scale`.
    fn resource(&self) -> String {
        let resource = self.resource.as_deref().unwrap_or_default();
        let (resource, sub) = match resource.split_once('/') {
            Some((resource, sub)) => (resource, format!("/{sub}")),
            None => (resource, String::new()),
        };
        match self.group.as_deref().unwrap_or_default() {
            _ if resource.is_empty() => String::new(),
            "" => format!("{resource}{sub}"),
            group => format!("{resource}.{group}{sub}"),
        }
    }
}

pub(super) fn role(w: &mut Writer, role: &Value, _related: &Related) {
    cluster_head(w, role);
    w.line(0, "PolicyRule:");
    w.line(1, "Resources\tNon-Resource URLs\tResource Names\tVerbs");
    w.line(1, "---------\t-----------------\t--------------\t-----");
    for row in rule_rows(list(role, "rules")) {
        w.line(1, row.join("\t"));
    }
}

/// Returns rules as rows of resource, URL, object name and verbs.
pub fn rule_rows(rules: &[Value]) -> Vec<[String; 4]> {
    let row = |rule: Rule| {
        [
            rule.resource(),
            Rule::shown(rule.url.as_ref()),
            Rule::shown(rule.name.as_ref()),
            format!("[{}]", rule.verbs.join(" ")),
        ]
    };
    compacted(rules).into_iter().map(row).collect()
}

/// Splits rules into one per resource, and merges those for the same resource, in kubectl's order.
fn compacted(rules: &[Value]) -> Vec<Rule> {
    let mut simple: BTreeMap<(String, String, Option<String>), Rule> = BTreeMap::new();
    let mut all = Vec::new();
    for rule in rules {
        for part in apart(rule) {
            // Rules for URLs are not merged, because kubectl compacts only simple rules.
            let (Some(group), Some(resource)) = (&part.group, &part.resource) else {
                all.push(part);
                continue;
            };
            let key = (group.clone(), resource.clone(), part.name.clone());
            let known = simple.entry(key).or_insert_with(|| Rule {
                verbs: Vec::new(),
                ..part.clone()
            });
            for verb in part.verbs {
                // Verbs keep the order in which the rules list them.
                if !known.verbs.contains(&verb) {
                    known.verbs.push(verb);
                }
            }
        }
    }
    all.extend(simple.into_values());
    all.sort_by_cached_key(Rule::key);
    all
}

/// Splits a rule into one per group, resource, name and verb.
fn apart(rule: &Value) -> Vec<Rule> {
    let names: Vec<Option<String>> = match list(rule, "resourceNames") {
        [] => vec![None],
        _ => texts(rule, "resourceNames")
            .map(|name| Some(name.to_owned()))
            .collect(),
    };
    let mut parts = Vec::new();
    for group in texts(rule, "apiGroups") {
        for resource in texts(rule, "resources") {
            for verb in texts(rule, "verbs") {
                parts.extend(names.iter().map(|name| Rule {
                    verbs: vec![verb.to_owned()],
                    group: Some(group.to_owned()),
                    resource: Some(resource.to_owned()),
                    name: name.clone(),
                    url: None,
                }));
            }
        }
    }
    for url in texts(rule, "nonResourceURLs") {
        parts.extend(texts(rule, "verbs").map(|verb| Rule {
            verbs: vec![verb.to_owned()],
            url: Some(url.to_owned()),
            ..Rule::default()
        }));
    }
    parts
}

pub(super) fn binding(w: &mut Writer, binding: &Value, _related: &Related) {
    let role = field(binding, "roleRef");
    cluster_head(w, binding);
    w.line(0, "Role:");
    w.field(1, "Kind", text(role, "kind"));
    w.field(1, "Name", text(role, "name"));
    w.line(0, "Subjects:");
    let row = |subject: &Value| {
        format!(
            "{}\t{}\t{}",
            text(subject, "kind"),
            text(subject, "name"),
            text(subject, "namespace")
        )
    };
    w.table(
        1,
        "Kind\tName\tNamespace",
        list(binding, "subjects").iter().map(row),
    );
}
