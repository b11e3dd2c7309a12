//! The roles and bindings that every API server creates when it starts. A new cluster has those for users.
//! Those for controllers and other components follow at the first start of a server, because nothing else uses them.

use std::sync::LazyLock;

use crate::api::json::{Map, Value, json};

/// The facts: see the comment at the top of the file.
const TABLE: &str = include_str!("roles.txt");

/// The facts about controllers and other components.
const COMPONENTS: &str = include_str!("components.txt");

const GROUP: &str = "rbac.authorization.k8s.io";

/// The roles that select others, whose rules they sum up.
const SUMS: [&str; 3] = ["view", "edit", "admin"];

/// A role, and its binding.
#[derive(Debug, Default)]
struct Role {
    /// The namespace; empty for a ClusterRole.
    namespace: &'static str,
    /// The name, as the part before it and the rest.
    name: (&'static str, &'static str),
    /// The role that it is part of.
    part_of: Option<&'static str>,
    rules: Vec<Value>,
    /// The name of the binding if it is another one.
    bound_as: Option<&'static str>,
    /// The subjects of the binding, if there is one.
    subjects: Option<Vec<Value>>,
}

impl Role {
    fn name(&self) -> String {
        format!("{}{}", self.name.0, self.name.1)
    }

    fn is(&self, name: &str) -> bool {
        name.strip_prefix(self.name.0) == Some(self.name.1)
    }
}

/// The names of the controllers' roles begin with this.
const CONTROLLER: &str = "system:controller:";

static ROLES: LazyLock<Vec<Role>> = LazyLock::new(|| {
    let mut roles = table(TABLE);
    for sum in SUMS {
        let rules = summed(&roles, sum);
        if let Some(role) = roles.iter_mut().find(|role| role.is(sum)) {
            role.rules = rules;
        }
    }
    roles
});

fn table(text: &'static str) -> Vec<Role> {
    let mut roles = Vec::new();
    for line in text.lines().filter(|line| !line.starts_with('#')) {
        read(&mut roles, line);
    }
    roles
}

fn read(roles: &mut Vec<Role>, line: &'static str) {
    let (word, rest) = line.split_once(' ').unwrap_or((line, ""));
    let role = match word {
        "role" => Some(("", ("", rest), None)),
        "controller" => {
            let own = vec![subject("ServiceAccount", rest)];
            Some(("", (CONTROLLER, rest), Some(own)))
        }
        "inside" => {
            let (namespace, name) = rest.split_once(' ').unwrap_or((rest, ""));
            Some((namespace, ("", name), None))
        }
        _ => None,
    };
    if let Some((namespace, name, subjects)) = role {
        roles.push(Role {
            namespace,
            name,
            subjects,
            ..Role::default()
        });
    }
    let Some(role) = roles.last_mut() else { return };
    match word {
        "events" => role
            .rules
            .push(rule("create patch update ; core events.k8s.io ; events")),
        "as" => role.bound_as = Some(rest),
        "label" => role.part_of = Some(rest),
        "rules" => role.rules.push(rule(rest)),
        "paths" => {
            let paths: Vec<&str> = rest.split(' ').collect();
            let verb = if paths == ["*"] { "*" } else { "get" };
            role.rules
                .push(json!({"nonResourceURLs": paths, "verbs": [verb]}));
        }
        "bind" => {
            let subjects = role.subjects.get_or_insert_default();
            subjects.extend(rest.split_once(' ').map(|(kind, name)| subject(kind, name)));
        }
        _ => {}
    }
}

fn subject(kind: &str, name: &str) -> Value {
    match kind {
        "ServiceAccount" => json!({"kind": kind, "name": name, "namespace": "kube-system"}),
        _ => json!({"apiGroup": GROUP, "kind": kind, "name": name}),
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
    let names: Vec<&str> = cell().collect();
    let mut rule = json!({"apiGroups": groups, "resources": resources, "verbs": verbs});
    if !names.is_empty() {
        rule["resourceNames"] = json!(names);
    }
    rule
}

/// Returns the rules of the roles that are aggregated into one, in the order of their names, each once, as the
/// controller of aggregated roles would write them. Written at once, the roles work before a controller runs.
fn summed(roles: &[Role], sum: &str) -> Vec<Value> {
    let mut parts: Vec<&Role> = roles.iter().filter(|r| r.part_of == Some(sum)).collect();
    parts.sort_unstable_by_key(|role| role.name());
    let mut rules: Vec<Value> = Vec::new();
    for rule in parts.iter().flat_map(|part| &part.rules) {
        if !rules.contains(rule) {
            rules.push(rule.clone());
        }
    }
    rules
}

/// An object of a role: its kind, its namespace and its fields.
type Granting = (&'static str, &'static str, Value);

/// Returns the roles and bindings of a new cluster.
pub(super) fn objects() -> Vec<Granting> {
    objects_of(&ROLES)
}

fn objects_of(roles: &[Role]) -> Vec<Granting> {
    let named = |kinds: [&'static str; 2], role: &Role| match role.namespace {
        "" => kinds[0],
        _ => kinds[1],
    };
    let role = |role: &Role| {
        let kind = named(["ClusterRole", "Role"], role);
        (kind, role.namespace, role_object(role))
    };
    let binding = |role: &Role| {
        let kind = named(["ClusterRoleBinding", "RoleBinding"], role);
        (kind, role.namespace, binding_object(role))
    };
    let bound = roles.iter().filter(|role| role.subjects.is_some());
    roles.iter().map(role).chain(bound.map(binding)).collect()
}

/// Returns the roles and bindings that every API server has, those of controllers and other components too.
pub(super) fn defaults() -> Vec<Value> {
    let manifest = |(kind, namespace, mut object): (&str, &str, Value)| {
        object["apiVersion"] = json!(format!("{GROUP}/v1"));
        object["kind"] = json!(kind);
        if !namespace.is_empty() {
            object["metadata"]["namespace"] = json!(namespace);
        }
        object
    };
    let components = objects_of(&table(COMPONENTS));
    let all = objects().into_iter().chain(components);
    all.map(manifest).collect()
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
        "name": role.name(),
        "annotations": {"rbac.authorization.kubernetes.io/autoupdate": "true"},
        "labels": labels,
    })
}

fn aggregation(sum: &str) -> String {
    format!("{GROUP}/aggregate-to-{sum}")
}

fn role_object(role: &Role) -> Value {
    let mut object = json!({"metadata": metadata(role), "rules": role.rules});
    if SUMS.contains(&role.name.1) {
        let labels: Map = [(aggregation(role.name.1), json!("true"))]
            .into_iter()
            .collect();
        object["aggregationRule"] = json!({"clusterRoleSelectors": [{"matchLabels": labels}]});
    }
    object
}

fn binding_object(role: &Role) -> Value {
    let mut metadata = metadata(role);
    metadata["labels"] = json!({"kubernetes.io/bootstrapping": "rbac-defaults"});
    if let Some(name) = role.bound_as {
        metadata["name"] = json!(name);
    }
    let kind = match role.namespace {
        "" => "ClusterRole",
        _ => "Role",
    };
    let mut binding = json!({
        "metadata": metadata,
        "roleRef": {"apiGroup": GROUP, "kind": kind, "name": role.name()},
    });
    let subjects = role.subjects.as_ref().filter(|s| !s.is_empty());
    if let Some(subjects) = subjects {
        binding["subjects"] = json!(subjects);
    }
    binding
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
        .filter(move |role| everyone.contains(&role.name.1));
    roles.map(|role| (binding_object(role), role.rules.as_slice()))
}

#[cfg(test)]
mod tests;
