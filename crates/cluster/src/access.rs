//! Authorization: evaluates the cluster's roles and bindings.
//!
//! Anyone who can write to the directory may do everything; authorization applies to the users that requests name.

use crate::admin::roles;
use crate::api::json::{Value, json};
use crate::api::status::{Details, Status};
use crate::kinds::admission::User;
use crate::kinds::admission::policy::Roles;
use crate::kinds::rbac;
use crate::kinds::rbac::AccessAttributes;
use crate::kinds::tree::{ensure, field, list, take, text};
use crate::objects;
use crate::request::Place;
use crate::request::response::ApiError;
use crate::store::{Range, Store, Stored, View};

const CLUSTER_BINDINGS: &str = "clusterrolebindings.rbac.authorization.k8s.io";
const BINDINGS: &str = "rolebindings.rbac.authorization.k8s.io";
const CLUSTER_ROLES: &str = "clusterroles.rbac.authorization.k8s.io";
const ROLES: &str = "roles.rbac.authorization.k8s.io";

/// Reads all objects of a range.
struct Source<'a> {
    all: &'a dyn Fn(&Range) -> Result<Vec<Value>, ApiError>,
}

/// The roles and bindings of one state, for checks after its transaction has ended.
#[derive(Debug)]
pub(crate) struct Snapshot(Vec<(String, Value)>);

impl Snapshot {
    /// Reads the roles and bindings of a state.
    ///
    /// # Errors
    /// Fails if the directory cannot be read.
    pub(crate) fn read(view: &dyn View) -> Result<Self, ApiError> {
        let mut all = Vec::new();
        // All four are read at once, because the check itself runs when the transaction is over.
        for resource in [CLUSTER_BINDINGS, BINDINGS, CLUSTER_ROLES, ROLES] {
            for stored in view.list(&Range::resource(resource, None))? {
                all.push((stored.key.as_str().to_owned(), objects::shown(&stored)?));
            }
        }
        Ok(Self(all))
    }
}

impl Roles for Snapshot {
    fn may(
        &self,
        user: &User,
        access: &AccessAttributes<'_>,
        namespace: &str,
    ) -> Result<(bool, String), String> {
        let all = |range: &Range| {
            let within = self.0.iter().filter(|(key, _)| range.contains(key));
            Ok(within.map(|(_, object)| object.clone()).collect())
        };
        let verdict = verdict(&Source { all: &all }, user, access, namespace);
        let verdict = verdict.map_err(|e| e.to_string())?;
        Ok((verdict.allowed, verdict.reason))
    }
}

/// The result of an authorization check.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Verdict {
    /// True if the action is allowed.
    pub allowed: bool,
    /// The reason in Kubernetes' words; may be empty.
    pub reason: String,
}

/// A binding that applies to a user, with the rules of its role if the role exists.
struct Bound {
    binding: Value,
    subject: Value,
    /// Its namespace; empty for a cluster-scoped object.
    namespace: String,
    rules: Option<Vec<Value>>,
}

impl Bound {
    /// Describes the binding as Kubernetes does in the reason of a decision.
    fn described(&self) -> String {
        let (role, name) = (self.role(), objects::meta(&self.binding, "name"));
        // Kubernetes prints the name first and the namespace second here, unlike in its other messages.
        let (kind, name) = match self.namespace.as_str() {
            "" => ("ClusterRoleBinding", name.to_owned()),
            namespace => ("RoleBinding", format!("{name}/{namespace}")),
        };
        let (who, mut whose) = (
            text(&self.subject, "kind"),
            text(&self.subject, "name").to_owned(),
        );
        if who == "ServiceAccount" {
            let own = text(&self.subject, "namespace");
            // As in kube-apiserver: a subject without a namespace lives in the namespace of the binding.
            let own = if own.is_empty() { &self.namespace } else { own };
            whose = format!("{whose}/{own}");
        }
        let (role_kind, role_name) = (text(role, "kind"), text(role, "name"));
        format!("{kind} {name:?} of {role_kind} {role_name:?} to {who} {whose:?}")
    }

    fn role(&self) -> &Value {
        field(&self.binding, "roleRef")
    }

    /// Returns the message for a missing role.
    fn missing(&self) -> String {
        let (kind, name) = (text(self.role(), "kind"), text(self.role(), "name"));
        let kind = kind.to_lowercase();
        format!("{kind}.rbac.authorization.k8s.io {name:?} not found")
    }
}

/// Returns the decision about a request of a user, in a namespace unless that is empty.
///
/// # Errors
/// Fails if the directory cannot be read.
pub(crate) fn may(
    store: &dyn Store,
    user: &User,
    access: &AccessAttributes<'_>,
    namespace: &str,
) -> Result<Verdict, ApiError> {
    let all = |range: &Range| shown(&store.list(range)?.items);
    verdict(&Source { all: &all }, user, access, namespace)
}

/// The rules that a user has, and the messages of bindings whose role does not exist.
#[derive(Debug, Default)]
pub(crate) struct Grants {
    pub(crate) rules: Vec<Value>,
    missing: Vec<String>,
}

impl Grants {
    fn add(&mut self, mut bound: Bound) {
        if let Some(rules) = bound.rules.take() {
            self.rules.extend(rules);
            return;
        }
        let missing = bound.missing();
        // Kubernetes lists each missing role once.
        if !self.missing.contains(&missing) {
            self.missing.push(missing);
        }
    }

    /// Returns the error about missing roles, as Go prints one error or several.
    pub(crate) fn error(&self) -> Option<String> {
        match self.missing.as_slice() {
            [] => None,
            [one] => Some(one.clone()),
            many => Some(format!("[{}]", many.join(", "))),
        }
    }
}

/// Returns the rules of all roles that a user has, for the cluster and in a namespace.
///
/// # Errors
/// Fails if the directory cannot be read.
pub(crate) fn rules_of(
    store: &dyn Store,
    user: &User,
    namespace: &str,
) -> Result<Grants, ApiError> {
    let all = |range: &Range| shown(&store.list(range)?.items);
    let mut held = rules(&Source { all: &all }, user, namespace)?;
    if is_master(user) {
        // Members of `system:masters` bypass RBAC, so no binding lists their rights.
        let own = std::mem::take(&mut held.rules);
        held.rules = all_rights().into_iter().chain(own).collect();
    }
    Ok(held)
}

/// Rejects requests that the roles do not allow; returns the reason why others are allowed.
///
/// # Errors
/// Kubernetes' 403.
pub(crate) fn authorize(
    store: &dyn Store,
    user: &User,
    access: &AccessAttributes<'_>,
    namespace: &str,
) -> Result<String, ApiError> {
    let verdict = may(store, user, access, namespace)?;
    if verdict.allowed {
        return Ok(verdict.reason);
    }
    let mut status = refusal(user, access, namespace);
    // kube-apiserver appends the authorizer's reason, which names missing roles but never a rule that did not match.
    if !verdict.reason.is_empty() {
        status.message = format!("{}: {}", status.message, verdict.reason);
    }
    Err(status.into())
}

/// Returns true if a user may do everything, regardless of the roles.
pub(crate) fn is_master(user: &User) -> bool {
    user.is_master()
}

fn refusal(user: &User, access: &AccessAttributes<'_>, namespace: &str) -> Status {
    let name = &user.name;
    let mut status = Status::bad_request("");
    (status.code, status.reason) = (403, "Forbidden");
    match access {
        AccessAttributes::Path { verb, path } => {
            status.message = format!("forbidden: User {name:?} cannot {verb} path {path:?}");
            // Empty, but present, as on the real server.
            status.details = Some(Box::default());
        }
        AccessAttributes::Resource {
            verb,
            group,
            resource,
            name: object,
        } => {
            // A subresource is authorized as `pods/log`, but the message starts with `pods`.
            let plain = resource.split('/').next().unwrap_or_default();
            // The core group has no name, and its resources have no dot in messages.
            let dot = if group.is_empty() { "" } else { "." };
            let quoted = match *object {
                "" => String::new(),
                object => format!(" {object:?}"),
            };
            let place = match namespace {
                "" => "at the cluster scope".to_owned(),
                namespace => format!("in the namespace {namespace:?}"),
            };
            status.message = format!(
                "{plain}{dot}{group}{quoted} is forbidden: User {name:?} cannot {verb} resource \
                 {resource:?} in API group {group:?} {place}"
            );
            status.details = Some(Box::new(Details {
                name: (*object).to_owned(),
                group: (*group).to_owned(),
                kind: plain.to_owned(),
                ..Details::default()
            }));
        }
    }
    status
}

fn shown(stored: &[Stored]) -> Result<Vec<Value>, ApiError> {
    let shown: Result<_, _> = stored.iter().map(objects::shown).collect();
    Ok(shown?)
}

/// Decides by the roles in a state.
fn verdict(
    source: &Source<'_>,
    user: &User,
    access: &AccessAttributes<'_>,
    namespace: &str,
) -> Result<Verdict, ApiError> {
    let allowed = |reason: String| Verdict {
        allowed: true,
        reason,
    };
    if is_master(user) {
        return Ok(allowed(String::new()));
    }
    // A binding to a missing role grants nothing, and Kubernetes continues.
    let mut held = Grants::default();
    for bound in bound(source, user, namespace)? {
        let allows = |rule: &Value| rbac::allows(rule, access);
        if bound.rules.iter().flatten().any(allows) {
            return Ok(allowed(format!("RBAC: allowed by {}", bound.described())));
        }
        held.add(bound);
    }
    let reason = held.error().map(|error| format!("RBAC: {error}"));
    Ok(Verdict {
        allowed: false,
        reason: reason.unwrap_or_default(),
    })
}

/// Returns the rules of all roles that are bound to a user, for the cluster or in the namespace.
fn rules(source: &Source<'_>, user: &User, namespace: &str) -> Result<Grants, ApiError> {
    let mut held = Grants::default();
    for bound in bound(source, user, namespace)? {
        held.add(bound);
    }
    Ok(held)
}

/// Returns the bindings that name a user: those of the cluster, then those of the namespace.
fn bound(source: &Source<'_>, user: &User, namespace: &str) -> Result<Vec<Bound>, ApiError> {
    let mut found = Vec::new();
    let whole = (source.all)(&Range::resource(CLUSTER_BINDINGS, None))?;
    found.extend(of_everyone(user, &whole));
    // A cluster-scoped request is decided by cluster bindings alone.
    let own = match namespace {
        "" => Vec::new(),
        namespace => (source.all)(&Range::resource(BINDINGS, Some(namespace)))?,
    };
    for (bindings, own) in [(whole, ""), (own, namespace)] {
        for binding in bindings {
            let Some(subject) = rbac::subject(&binding, user, own).cloned() else {
                continue;
            };
            found.push(Bound {
                rules: role_rules(source, &binding, own)?,
                binding,
                subject,
                namespace: own.to_owned(),
            });
        }
    }
    Ok(found)
}

/// Returns the bindings of groups that every server has, unless the cluster has objects of their names: a cluster of an
/// earlier version has none.
fn of_everyone(user: &User, stored: &[Value]) -> Vec<Bound> {
    let name = |binding: &Value| objects::meta(binding, "name").to_owned();
    let absent = |binding: &Value| stored.iter().all(|other| name(other) != name(binding));
    let all = roles::of_everyone().filter(|(binding, _)| absent(binding));
    all.filter_map(|(binding, rules)| {
        Some(Bound {
            subject: rbac::subject(&binding, user, "")?.clone(),
            binding,
            namespace: String::new(),
            rules: Some(rules.to_vec()),
        })
    })
    .collect()
}

/// Returns the rules of the role that a binding names, or `None` if the role does not exist.
fn role_rules(
    source: &Source<'_>,
    binding: &Value,
    namespace: &str,
) -> Result<Option<Vec<Value>>, ApiError> {
    let reference = field(binding, "roleRef");
    let range = match text(reference, "kind") {
        // A role binding may name a ClusterRole, whose rules then apply in the binding's namespace only.
        "ClusterRole" => Range::resource(CLUSTER_ROLES, None),
        _ => Range::resource(ROLES, Some(namespace)),
    };
    let name = text(reference, "name");
    let roles = (source.all)(&range)?;
    let role = roles
        .iter()
        .find(|role| objects::meta(role, "name") == name);
    Ok(role.map(|role| list(role, "rules").to_vec()))
}

/// Rejects a grant of rights that the user does not have, as Kubernetes' escalation check does. `old` is what an update
/// replaces.
pub(crate) fn check_escalation(
    view: &dyn View,
    user: &User,
    place: &Place,
    object: &Value,
    old: Option<&Value>,
) -> Result<(), ApiError> {
    let (resource, namespace) = (&*place.kind.qualified_resource(), &*place.namespace);
    let granted = [CLUSTER_ROLES, ROLES, CLUSTER_BINDINGS, BINDINGS];
    // Only grants can escalate, and masters already have everything.
    if is_master(user) || !granted.contains(&resource) {
        return Ok(());
    }
    // The garbage collector grants nothing when it releases an object.
    if old.is_some_and(|old| only_releases(object, old)) {
        return Ok(());
    }
    let all = |range: &Range| shown(&view.list(range)?);
    let source = Source { all: &all };
    let bound = matches!(resource, CLUSTER_BINDINGS | BINDINGS);
    let reference = field(object, "roleRef");
    // Two verbs exempt users from this check.
    let (verb, role, name) = match (bound, text(reference, "kind")) {
        (true, "ClusterRole") => ("bind", CLUSTER_ROLES, text(reference, "name")),
        (true, _) => ("bind", ROLES, text(reference, "name")),
        (false, _) => ("escalate", resource, objects::meta(object, "name")),
    };
    let (plural, group) = role.split_once('.').unwrap_or((role, ""));
    let access = AccessAttributes::Resource {
        verb,
        group,
        resource: plural,
        name,
    };
    let held = rules(&source, user, namespace)?;
    if held.rules.iter().any(|rule| rbac::allows(rule, &access)) {
        return Ok(());
    }
    // A binding grants the rules of the role that it names; a role grants its own.
    let wanted = match bound {
        true => {
            role_rules(&source, object, namespace)?.ok_or_else(|| Status::not_found(role, name))?
        }
        false => list(object, "rules").to_vec(),
    };
    let missing = rbac::missing(&held.rules, &wanted);
    let why = match missing.is_empty() {
        // Any role may later be added to an aggregated one.
        true if aggregates(object) || old.is_some_and(aggregates) => {
            if rbac::missing(&held.rules, &all_rights()).is_empty() {
                return Ok(());
            }
            "must have cluster-admin privileges to use the aggregationRule".to_owned()
        }
        true => return Ok(()),
        false => lacks(user, &missing, held.error()),
    };
    Err(Status::forbidden(resource, objects::meta(object, "name"), &why).into())
}

/// Returns the refusal of a grant of rights that the user does not have.
fn lacks(user: &User, missing: &[String], error: Option<String>) -> String {
    let groups = user.groups.iter().map(|group| format!("{group:?}"));
    // Go prints a slice of strings in brackets, separated by spaces.
    let groups: Vec<String> = groups.collect();
    let error = error.map(|error| format!("; resolution errors: [{error}]"));
    format!(
        "user {:?} (groups=[{}]) is attempting to grant RBAC permissions not currently held:\n{}{}",
        user.name,
        groups.join(" "),
        missing.join("\n"),
        error.unwrap_or_default()
    )
}

/// Returns true if the rules of a role are those of other roles.
fn aggregates(role: &Value) -> bool {
    let selectors = list(field(role, "aggregationRule"), "clusterRoleSelectors");
    !selectors.is_empty()
}

/// Returns true if an update changes only what the garbage collector changes.
fn only_releases(object: &Value, old: &Value) -> bool {
    let rest = |object: &Value| {
        let mut rest = object.clone();
        for name in [
            "ownerReferences",
            "finalizers",
            "managedFields",
            "resourceVersion",
        ] {
            take(ensure(&mut rest, "metadata"), name);
        }
        rest
    };
    rest(object) == rest(old)
}

/// Returns the rules that allow everything.
fn all_rights() -> [Value; 2] {
    [
        json!({"apiGroups": ["*"], "resources": ["*"], "verbs": ["*"]}),
        json!({"nonResourceURLs": ["*"], "verbs": ["*"]}),
    ]
}

/// Rejects decisions on a certificate request by users without the right to its signer: to `approve` requests, or to
/// `sign` them.
pub(crate) fn check_signer(
    view: &dyn View,
    user: &User,
    verb: &str,
    request: &Value,
) -> Result<(), ApiError> {
    let signer = text(field(request, "spec"), "signerName");
    let domain = signer.split('/').next().unwrap_or_default();
    let all = |range: &Range| shown(&view.list(range)?);
    // Kubernetes accepts the right to all signers of a domain, written as `example.com/*`.
    for name in [signer, &format!("{domain}/*")] {
        let access = AccessAttributes::Resource {
            verb,
            group: "certificates.k8s.io",
            resource: "signers",
            name,
        };
        if verdict(&Source { all: &all }, user, &access, "")?.allowed {
            return Ok(());
        }
    }
    let why = format!("user not permitted to {verb} requests with signerName {signer:?}");
    let name = objects::meta(request, "name");
    let resource = "certificatesigningrequests.certificates.k8s.io";
    Err(Status::forbidden(resource, name, &why).into())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::request::options::WriteOptions;
    use crate::testing::{fresh, place};

    fn bob() -> User {
        User {
            name: "bob".to_owned(),
            groups: vec!["system:authenticated".to_owned()],
            ..User::default()
        }
    }

    fn get_pods<'a>() -> AccessAttributes<'a> {
        AccessAttributes::Resource {
            verb: "get",
            group: "",
            resource: "pods",
            name: "p",
        }
    }

    #[test]
    fn role_binding_grants_its_role_in_the_namespace() {
        let cluster = fresh();
        let options = WriteOptions::default();
        let role = json!({"apiVersion": "rbac.authorization.k8s.io/v1", "kind": "Role",
            "metadata": {"name": "r"}, "rules": [
                {"apiGroups": [""], "resources": ["pods"], "verbs": ["get"]}]});
        let binding = json!({"apiVersion": "rbac.authorization.k8s.io/v1", "kind": "RoleBinding",
            "metadata": {"name": "b"}, "subjects": [{"kind": "User", "name": "bob",
                "apiGroup": "rbac.authorization.k8s.io"}],
            "roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": "Role", "name": "r"}});
        let verdict = || {
            let verdict = may(&*cluster.context.store, &bob(), &get_pods(), "default").unwrap();
            (verdict.allowed, verdict.reason)
        };
        assert_eq!(verdict(), (false, String::new()));
        cluster
            .create(&place("rolebindings"), &binding, &options)
            .unwrap();
        let missing = "RBAC: role.rbac.authorization.k8s.io \"r\" not found";
        assert_eq!(verdict(), (false, missing.to_owned()));
        let refused = cluster.rights().authorize(&bob(), &get_pods(), "default");
        let refused = refused.unwrap_err().to_string();
        assert!(
            refused.ends_with(&format!("in the namespace \"default\": {missing}")),
            "{refused}"
        );
        cluster.create(&place("roles"), &role, &options).unwrap();
        let allowed = "RBAC: allowed by RoleBinding \"b/default\" of Role \"r\" to User \"bob\"";
        assert_eq!(verdict(), (true, allowed.to_owned()));
        assert_eq!(
            cluster
                .rights()
                .authorize(&bob(), &get_pods(), "kube-system")
                .unwrap_err()
                .to_string(),
            "pods \"p\" is forbidden: User \"bob\" cannot get resource \"pods\" in API group \"\" in \
             the namespace \"kube-system\""
        );
    }

    #[test]
    fn anonymous_users_may_only_probe_the_health() {
        let cluster = fresh();
        let stranger = crate::anonymous();
        let path = |path| AccessAttributes::Path { verb: "get", path };
        assert!(
            cluster
                .rights()
                .authorize(&stranger, &path("/readyz"), "")
                .is_ok()
        );
        for access in [path("/api"), path("/metrics"), get_pods()] {
            let refused = cluster
                .rights()
                .authorize(&stranger, &access, "")
                .unwrap_err();
            let said = refused.to_string();
            assert!(
                said.contains("User \"system:anonymous\" cannot get"),
                "{said}"
            );
        }
        let nobody = User::default();
        assert!(
            cluster
                .rights()
                .authorize(&nobody, &path("/readyz"), "")
                .is_err()
        );
    }

    #[test]
    fn users_cannot_grant_rights_that_they_lack() {
        let cluster = fresh();
        let keeper = json!({"apiVersion": "rbac.authorization.k8s.io/v1", "kind": "ClusterRole",
            "metadata": {"name": "keeper"}, "rules": [{"apiGroups": ["rbac.authorization.k8s.io"],
                "resources": ["roles"], "verbs": ["create", "update"]}]});
        let keeps = json!({"apiVersion": "rbac.authorization.k8s.io/v1", "kind": "ClusterRoleBinding",
            "metadata": {"name": "keeps"}, "subjects": [{"kind": "User", "name": "bob",
                "apiGroup": "rbac.authorization.k8s.io"}],
            "roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole", "name": "keeper"}});
        for (resource, object) in [("clusterroles", keeper), ("clusterrolebindings", keeps)] {
            let options = WriteOptions::default();
            cluster.create(&place(resource), &object, &options).unwrap();
        }
        let options = WriteOptions {
            user: bob(),
            ..WriteOptions::default()
        };
        let mut role = json!({"apiVersion": "rbac.authorization.k8s.io/v1", "kind": "Role",
            "metadata": {"name": "r"}, "rules": [
                {"apiGroups": [""], "resources": ["pods"], "verbs": ["get"]}]});
        let refused = cluster
            .create(&place("roles"), &role, &options)
            .unwrap_err()
            .to_string();
        assert!(
            refused.contains("{APIGroups:[\"\"], Resources:[\"pods\"], Verbs:[\"get\"]}"),
            "{refused}"
        );
        role["rules"] = json!([]);
        cluster.create(&place("roles"), &role, &options).unwrap();
        role["rules"] = json!([{"apiGroups": ["*"], "resources": ["*"], "verbs": ["*"]}]);
        assert!(
            cluster
                .update(&place("roles"), "r", &role, &options)
                .is_err()
        );
        assert!(
            cluster
                .update(&place("roles"), "r", &role, &WriteOptions::default())
                .is_ok()
        );
    }

    #[test]
    fn aggregation_needs_all_rights_and_a_release_none() {
        let cluster = fresh();
        let group = "rbac.authorization.k8s.io";
        let whole = WriteOptions::default();
        let options = WriteOptions {
            user: bob(),
            ..WriteOptions::default()
        };
        let role = |name: &str, resources: &[&str], verbs: &[&str]| {
            json!({"apiVersion": format!("{group}/v1"), "kind": "ClusterRole", "metadata": {"name": name},
                "rules": [{"apiGroups": [group], "resources": resources, "verbs": verbs}]})
        };
        let binding = |name: &str, role: &str| {
            json!({"apiVersion": format!("{group}/v1"), "kind": "ClusterRoleBinding",
                "metadata": {"name": name},
                "subjects": [{"kind": "User", "name": "bob", "apiGroup": group}],
                "roleRef": {"apiGroup": group, "kind": "ClusterRole", "name": role}})
        };
        let (roles, bindings) = (place("clusterroles"), place("clusterrolebindings"));
        let keeper = role(
            "keeper",
            &["clusterroles", "clusterrolebindings"],
            &["create", "update"],
        );
        cluster.create(&roles, &keeper, &whole).unwrap();
        let keeps = binding("keeps", "keeper");
        cluster.create(&bindings, &keeps, &whole).unwrap();
        let aggregation = json!({"clusterRoleSelectors": [{"matchLabels": {"a": "b"}}]});
        let mut sum = role("sum", &[], &[]);
        sum["metadata"]["finalizers"] = json!(["a.b/c"]);
        sum["rules"] = json!([]);
        sum["aggregationRule"] = aggregation.clone();
        let refused = cluster.create(&roles, &sum, &options).unwrap_err();
        let why = "clusterroles.rbac.authorization.k8s.io \"sum\" is forbidden: must have cluster-admin \
                   privileges to use the aggregationRule";
        assert_eq!(refused.to_string(), why);
        cluster.create(&roles, &sum, &whole).unwrap();
        // The rule of the stored role counts as well.
        sum["aggregationRule"] = Value::Null;
        let refused = cluster.update(&roles, "sum", &sum, &options).unwrap_err();
        assert_eq!(refused.to_string(), why);
        sum["aggregationRule"] = aggregation;
        sum["metadata"]["finalizers"] = json!([]);
        cluster.update(&roles, "sum", &sum, &options).unwrap();
        // The right to bind roles extends to one that does not exist yet.
        let absent = binding("absent", "none");
        let refused = cluster.create(&bindings, &absent, &options).unwrap_err();
        let why = "clusterroles.rbac.authorization.k8s.io \"none\" not found";
        assert_eq!(refused.to_string(), why);
        cluster.create(&bindings, &absent, &whole).unwrap();
        let more = role("more", &["roles"], &["get"]);
        let refused = cluster.create(&roles, &more, &options).unwrap_err();
        let why = "; resolution errors: [clusterrole.rbac.authorization.k8s.io \"none\" not found]";
        assert!(refused.to_string().ends_with(why), "{refused}");
        let binds = role("binds", &["clusterroles"], &["bind"]);
        cluster.create(&roles, &binds, &whole).unwrap();
        let own = binding("own", "binds");
        cluster.create(&bindings, &own, &whole).unwrap();
        let absent = binding("other", "none");
        cluster.create(&bindings, &absent, &options).unwrap();
    }
}
