//! Impersonation: the right that a sender needs for the headers of `--as`.

use std::borrow::Cow;
use std::collections::BTreeMap;

use crate::access;
use crate::kinds::admission::User;
use crate::kinds::rbac::AccessAttributes;
use crate::kinds::tree::texts;
use crate::request::options::impersonated;
use crate::request::response::ApiError;
use crate::store::Store;

/// The right to impersonate in every request, which the oldest servers support.
const ANY_REQUEST: &str = "impersonate";

/// The resource of further attributes begins so; their names follow, as that of a subresource.
const EXTRA: &str = "userextras/";

/// The group of the users, groups and uids that constrained rights name.
const CONSTRAINED: &str = "authentication.k8s.io";

/// A sender that impersonates a user.
///
/// ```
/// use ctl_cluster::{Acting, Impersonation, administrator};
///
/// # let mut cluster = ctl_cluster::Cluster::in_memory(
/// #     &ctl_cluster::Open::as_writer("example"),
/// #     ctl_cluster::Settings::new(ctl_sys::entropy::Seed(1)),
/// # );
/// # cluster.bootstrap()?;
/// // As `kubectl --as ann --as-group dev`.
/// let ann = Impersonation {
///     by: administrator(),
///     name: "ann".to_owned(),
///     uid: String::new(),
///     groups: vec!["dev".to_owned()],
///     extra: Default::default(),
/// };
/// assert_eq!(ann.user().name, "ann");
/// cluster.act_as(Acting::from(ann));
/// assert_eq!(cluster.rights().identity().name, "ann");
/// # Ok::<(), ctl_cluster::ApiError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Impersonation {
    /// The sender.
    pub by: User,
    /// The name of the user that the sender acts as.
    pub name: String,
    /// The uid, which may be empty.
    pub uid: String,
    /// The groups that the sender names.
    pub groups: Vec<String>,
    /// Further attributes, each with its values.
    pub extra: BTreeMap<String, Vec<String>>,
}

/// The user of every request of a cluster.
#[derive(Clone, Debug)]
pub struct Acting {
    pub(crate) user: User,
    /// The sender, if it is not the user itself.
    pub(crate) sender: Option<Impersonation>,
}

impl From<User> for Acting {
    fn from(user: User) -> Self {
        Self { user, sender: None }
    }
}

impl From<Impersonation> for Acting {
    fn from(impersonation: Impersonation) -> Self {
        Self {
            user: impersonation.user(),
            sender: Some(impersonation),
        }
    }
}

/// An attribute that the sender takes on, as roles name it.
struct Attribute<'a> {
    resource: Cow<'static, str>,
    name: &'a str,
    namespace: &'a str,
}

impl Impersonation {
    /// Returns the user that the sender acts as, with the groups that the server adds.
    pub fn user(&self) -> User {
        User {
            extra: self.extra.clone(),
            ..impersonated(&self.name, &self.uid, self.groups.clone())
        }
    }

    /// Returns the namespace and the name of the account, if it is one.
    fn account(&self) -> Option<(&str, &str)> {
        let own = self.name.strip_prefix("system:serviceaccount:")?;
        own.split_once(':')
    }

    fn attributes(&self) -> Vec<Attribute<'_>> {
        let of = |resource: &'static str, name| Attribute {
            resource: Cow::Borrowed(resource),
            name,
            namespace: "",
        };
        let mut all = vec![match self.account() {
            Some((namespace, name)) => Attribute {
                resource: Cow::Borrowed("serviceaccounts"),
                name,
                namespace,
            },
            None => of("users", &self.name),
        }];
        let uid = (!self.uid.is_empty()).then_some(self.uid.as_str());
        all.extend(uid.map(|uid| of("uids", uid)));
        all.extend(self.groups.iter().map(|group| of("groups", group)));
        for (key, values) in &self.extra {
            all.extend(values.iter().map(|value| Attribute {
                resource: Cow::Owned(format!("{EXTRA}{key}")),
                name: value,
                namespace: "",
            }));
        }
        all
    }
}

/// Rejects a request whose sender may not impersonate its user. There are two rights: `impersonate` for every request,
/// or one that is constrained to a verb on a resource, as `impersonate-on:user-info:list`.
///
/// # Errors
/// Kubernetes' 403.
pub(crate) fn check(
    store: &dyn Store,
    impersonation: &Impersonation,
    access: &AccessAttributes<'_>,
    namespace: &str,
) -> Result<(), ApiError> {
    let by = &impersonation.by;
    // Members of system:masters pass every authorizer.
    if access::is_master(by) {
        return Ok(());
    }
    // Uids and further attributes never were resources of the core group.
    let any = all(
        store,
        impersonation,
        ANY_REQUEST,
        |resource| match resource {
            "users" | "groups" | "serviceaccounts" => "",
            _ => CONSTRAINED,
        },
    );
    let Err(refused) = any else { return Ok(()) };
    let mode = match impersonation.account() {
        Some(_) => "serviceaccount",
        None => "user-info",
    };
    let request = |verb: &str| format!("impersonate-on:{mode}:{verb}");
    let on = match access {
        AccessAttributes::Resource { verb, .. } | AccessAttributes::Path { verb, .. } => {
            request(verb)
        }
    };
    let on = match *access {
        AccessAttributes::Resource {
            group,
            resource,
            name,
            ..
        } => AccessAttributes::Resource {
            verb: &on,
            group,
            resource,
            name,
        },
        AccessAttributes::Path { path, .. } => AccessAttributes::Path { verb: &on, path },
    };
    // Constrained impersonation needs two rights: to do this on behalf of others, and to be each of the attributes.
    let constrained = access::authorize(store, by, &on, namespace).and_then(|_| {
        let verb = format!("impersonate:{mode}");
        all(store, impersonation, &verb, |_| CONSTRAINED)
    });
    match constrained {
        // As on the real server, the plain right determines the message: a user who has it for some attributes gets the
        // name of the attribute that it does not cover.
        Err(_) if may_any(store, by)? => Err(refused),
        decided => decided,
    }
}

/// Refuses the first attribute that the sender may not take on.
fn all(
    store: &dyn Store,
    impersonation: &Impersonation,
    verb: &str,
    group: impl Fn(&str) -> &'static str,
) -> Result<(), ApiError> {
    let mut attributes = impersonation.attributes().into_iter();
    attributes.try_for_each(|attribute| {
        let access = AccessAttributes::Resource {
            verb,
            group: group(&attribute.resource),
            resource: &attribute.resource,
            name: attribute.name,
        };
        let allowed = access::authorize(store, &impersonation.by, &access, attribute.namespace);
        allowed.map(|_| ())
    })
}

/// Returns true if a user may impersonate any user in every request.
fn may_any(store: &dyn Store, user: &User) -> Result<bool, ApiError> {
    let held = access::rules_of(store, user, "")?;
    Ok(held
        .rules
        .iter()
        .any(|rule| texts(rule, "verbs").any(|verb| verb == ANY_REQUEST)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::api::json::{Value, json};
    use crate::request::options::WriteOptions;
    use crate::testing::{fresh, place};

    /// Lets bob do something, everywhere.
    fn grant(cluster: &crate::Cluster, name: &str, rules: &Value) {
        const API: &str = "rbac.authorization.k8s.io";
        let version = format!("{API}/v1");
        let role = json!({"apiVersion": version, "kind": "ClusterRole",
            "metadata": {"name": name}, "rules": rules});
        let binding = json!({"apiVersion": version, "kind": "ClusterRoleBinding",
            "metadata": {"name": name}, "subjects": [{"kind": "User", "name": "bob",
                "apiGroup": API}], "roleRef": {"apiGroup": API, "kind": "ClusterRole", "name": name}});
        let options = WriteOptions::default();
        for (resource, object) in [("clusterroles", role), ("clusterrolebindings", binding)] {
            cluster.create(&place(resource), &object, &options).unwrap();
        }
    }

    fn said(cluster: &crate::Cluster, name: &str, groups: &[&str]) -> String {
        said_with(cluster, name, groups, &[])
    }

    fn said_with(
        cluster: &crate::Cluster,
        name: &str,
        groups: &[&str],
        extra: &[(&str, &str)],
    ) -> String {
        let acts = Impersonation {
            by: impersonated("bob", "", Vec::new()),
            name: name.to_owned(),
            uid: String::new(),
            groups: groups.iter().map(|&group| group.to_owned()).collect(),
            extra: extra
                .iter()
                .map(|(key, value)| ((*key).to_owned(), vec![(*value).to_owned()]))
                .collect(),
        };
        let list = AccessAttributes::Resource {
            verb: "list",
            group: "",
            resource: "pods",
            name: "",
        };
        let checked = cluster.rights().impersonate(&acts, &list, "default");
        checked.map_or_else(|e| e.to_string(), |()| "may".to_owned())
    }

    #[test]
    fn without_any_right_the_error_names_the_request() {
        let cluster = fresh();
        assert_eq!(
            said(&cluster, "looker", &["system:masters"]),
            "pods is forbidden: User \"bob\" cannot impersonate-on:user-info:list resource \"pods\" \
             in API group \"\" in the namespace \"default\""
        );
    }

    #[test]
    fn impersonate_rule_for_one_user_excludes_other_identities() {
        let cluster = fresh();
        let rule = json!([{"apiGroups": [""], "resources": ["users"], "verbs": ["impersonate"],
            "resourceNames": ["looker"]}]);
        grant(&cluster, "acts", &rule);
        assert_eq!(said(&cluster, "looker", &[]), "may");
        assert_eq!(
            said(&cluster, "other", &[]),
            "users \"other\" is forbidden: User \"bob\" cannot impersonate resource \"users\" in API \
             group \"\" at the cluster scope"
        );
        assert_eq!(
            said(&cluster, "looker", &["system:masters"]),
            "groups \"system:masters\" is forbidden: User \"bob\" cannot impersonate resource \
             \"groups\" in API group \"\" at the cluster scope"
        );
        let account = "system:serviceaccount:default:robot";
        assert!(said(&cluster, account, &[]).starts_with("serviceaccounts \"robot\" is forbidden"));
        let rule = json!([{"apiGroups": [""], "resources": ["serviceaccounts"],
            "verbs": ["impersonate"]}]);
        grant(&cluster, "accounts", &rule);
        assert_eq!(said(&cluster, account, &[]), "may");
    }

    #[test]
    fn further_attributes_need_a_right_of_their_own() {
        let cluster = fresh();
        let users = json!([{"apiGroups": [""], "resources": ["users"], "verbs": ["impersonate"]}]);
        grant(&cluster, "users", &users);
        let scoped = || said_with(&cluster, "looker", &[], &[("scopes", "view")]);
        assert_eq!(
            scoped(),
            "userextras.authentication.k8s.io \"view\" is forbidden: User \"bob\" cannot impersonate \
             resource \"userextras/scopes\" in API group \"authentication.k8s.io\" at the cluster scope"
        );
        let scopes = json!([{"apiGroups": [CONSTRAINED], "resources": ["userextras/scopes"],
            "verbs": ["impersonate"], "resourceNames": ["view"]}]);
        grant(&cluster, "scopes", &scopes);
        assert_eq!(scoped(), "may");
    }

    #[test]
    fn a_constrained_right_needs_the_user_and_the_request() {
        let cluster = fresh();
        let users = json!([{"apiGroups": [CONSTRAINED], "resources": ["users"],
            "verbs": ["impersonate:user-info"], "resourceNames": ["looker"]}]);
        grant(&cluster, "users", &users);
        assert!(said(&cluster, "looker", &[]).contains("cannot impersonate-on:user-info:list"));
        let pods = json!([{"apiGroups": [""], "resources": ["pods"],
            "verbs": ["impersonate-on:user-info:list"]}]);
        grant(&cluster, "pods", &pods);
        assert_eq!(said(&cluster, "looker", &[]), "may");
        assert_eq!(
            said(&cluster, "other", &[]),
            "users.authentication.k8s.io \"other\" is forbidden: User \"bob\" cannot \
             impersonate:user-info resource \"users\" in API group \"authentication.k8s.io\" at the \
             cluster scope"
        );
    }
}
