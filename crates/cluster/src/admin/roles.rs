//! The roles and bindings that every API server creates when it starts.

use std::sync::LazyLock;

use crate::api::json::{Map, Value, json};

/// The facts: see the comment at the top of the file.
const TABLE: &str = include_str!("roles.txt");

const GROUP: &str = "rbac.authorization.k8s.io";

/// The roles that select others, whose rules they sum up.
const SUMS: [&str; 3] = ["view", "edit", "admin"];

/// A role, and the subjects of the binding of its name.
#[derive(Debug, Default)]
struct Role {
    name: &'static str,
    /// The role that it is part of.
    part_of: Option<&'static str>,
    rules: Vec<Value>,
    subjects: Vec<Value>,
}

static ROLES: LazyLock<Vec<Role>> = LazyLock::new(|| {
    let mut roles = Vec::new();
    for line in TABLE.lines().filter(|line| !line.starts_with('#')) {
        read(&mut roles, line);
    }
    for sum in SUMS {
        let rules = summed(&roles, sum);
        if let Some(role) = roles.iter_mut().find(|role| role.name == sum) {
            role.rules = rules;
        }
    }
    roles
});

fn read(roles: &mut Vec<Role>, line: &'static str) {
    let (word, rest) = line.split_once(' ').unwrap_or((line, ""));
    if word == "role" {
        roles.push(Role {
            name: rest,
            ..Role::default()
        });
    }
    let Some(role) = roles.last_mut() else { return };
    match word {
        "label" => role.part_of = Some(rest),
        "rules" => role.rules.push(rule(rest)),
        "paths" => {
            let paths: Vec<&str> = rest.split(' ').collect();
            let verb = if paths == ["*"] { "*" } else { "get" };
            role.rules
                .push(json!({"nonResourceURLs": paths, "verbs": [verb]}));
        }
        "bind" => {
            let (kind, name) = rest.split_once(' ').unwrap_or((rest, ""));
            role.subjects
                .push(json!({"apiGroup": GROUP, "kind": kind, "name": name}));
        }
        _ => {}
    }
}

fn rule(text: &'static str) -> Value {
    let mut cells = text.split(" ; ").map(|cell| cell.split(' '));
    let mut cell = || cells.next().into_iter().flatten();
    let verbs: Vec<&str> = cell()
        .flat_map(|verb| match verb {
            "read" => vec!["get", "list", "watch"],
            "write" => vec!["create", "delete", "deletecollection", "patch", "update"],
            verb => vec![verb],
        })
        .collect();
    let groups: Vec<&str> = cell()
        .map(|group| if group == "core" { "" } else { group })
        .collect();
    let resources: Vec<&str> = cell().collect();
    json!({"apiGroups": groups, "resources": resources, "verbs": verbs})
}

/// Returns the rules of the roles that are aggregated into one, in the order of their names, each once, as the
/// controller of aggregated roles would write them. Written at once, the roles work before a controller runs.
fn summed(roles: &[Role], sum: &str) -> Vec<Value> {
    let mut parts: Vec<&Role> = roles.iter().filter(|r| r.part_of == Some(sum)).collect();
    parts.sort_unstable_by_key(|role| role.name);
    let mut rules: Vec<Value> = Vec::new();
    for rule in parts.iter().flat_map(|part| &part.rules) {
        if !rules.contains(rule) {
            rules.push(rule.clone());
        }
    }
    rules
}

/// Returns the ClusterRoles and the ClusterRoleBindings of a new cluster.
pub(super) fn objects() -> (Vec<Value>, Vec<Value>) {
    let roles = ROLES.iter().map(role_object).collect();
    let bound = ROLES.iter().filter(|role| !role.subjects.is_empty());
    (roles, bound.map(binding_object).collect())
}

/// Returns the metadata. Kubernetes marks the roles that it restores at each start in this way.
fn metadata(role: &Role) -> Value {
    let mut labels = Map::new();
    labels.insert(
        "kubernetes.io/bootstrapping".to_owned(),
        json!("rbac-defaults"),
    );
    if let Some(sum) = role.part_of {
        labels.insert(aggregation(sum), json!("true"));
    }
    json!({
        "name": role.name,
        "annotations": {"rbac.authorization.kubernetes.io/autoupdate": "true"},
        "labels": labels,
    })
}

fn aggregation(sum: &str) -> String {
    format!("{GROUP}/aggregate-to-{sum}")
}

fn role_object(role: &Role) -> Value {
    let mut object = json!({"metadata": metadata(role), "rules": role.rules});
    if SUMS.contains(&role.name) {
        let labels: Map = [(aggregation(role.name), json!("true"))]
            .into_iter()
            .collect();
        object["aggregationRule"] = json!({"clusterRoleSelectors": [{"matchLabels": labels}]});
    }
    object
}

fn binding_object(role: &Role) -> Value {
    let mut metadata = metadata(role);
    metadata["labels"] = json!({"kubernetes.io/bootstrapping": "rbac-defaults"});
    json!({
        "metadata": metadata,
        "roleRef": {"apiGroup": GROUP, "kind": "ClusterRole", "name": role.name},
        "subjects": role.subjects,
    })
}

/// Returns the bindings of groups that a cluster of an earlier version lacks: the name, the subjects and the rules.
pub(crate) fn of_everyone() -> impl Iterator<Item = (Value, &'static [Value])> {
    let everyone = [
        "system:basic-user",
        "system:discovery",
        "system:public-info-viewer",
    ];
    let roles = ROLES
        .iter()
        .filter(move |role| everyone.contains(&role.name));
    roles.map(|role| (binding_object(role), role.rules.as_slice()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rules(name: &str) -> &'static [Value] {
        &ROLES.iter().find(|role| role.name == name).unwrap().rules
    }

    #[test]
    fn role_table_is_complete_and_roles_aggregate_parts() {
        let lines = TABLE
            .lines()
            .filter(|line| line.starts_with("rules ") || line.starts_with("paths "));
        let own: usize = ROLES
            .iter()
            .filter(|r| !SUMS.contains(&r.name))
            .map(|r| r.rules.len())
            .sum();
        assert_eq!(lines.count(), own);
        let holds =
            |sum: &str, part: &str| rules(part).iter().all(|rule| rules(sum).contains(rule));
        assert!(holds("view", "system:aggregate-to-view"));
        assert!(holds("edit", "view") && holds("edit", "system:aggregate-to-edit"));
        assert!(holds("admin", "edit") && holds("admin", "system:aggregate-to-admin"));
        assert!(!holds("edit", "system:aggregate-to-admin"));
    }

    #[test]
    fn only_administrators_may_do_everything() {
        let everything = |role: &&Role| role.rules.iter().any(|rule| rule["verbs"] == json!(["*"]));
        let found: Vec<&str> = ROLES
            .iter()
            .filter(everything)
            .map(|role| role.name)
            .collect();
        assert_eq!(found, ["cluster-admin"]);
        let (roles, bindings) = objects();
        assert_eq!(bindings[0]["subjects"][0]["name"], "system:masters");
        assert!(
            roles
                .iter()
                .all(|role| role["rules"].as_array().is_some_and(|r| !r.is_empty()))
        );
    }
}
