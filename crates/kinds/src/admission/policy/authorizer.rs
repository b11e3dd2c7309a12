//! The variable `authorizer` in policy expressions, which checks the rights of the request's author or of others.

use std::fmt;
use std::sync::Arc;

use super::attributes::Attributes;
use super::values::Outcome;
use crate::admission::context::User;
use crate::cel::{NativeObject, Value};
use crate::rbac::AccessAttributes;

/// The source of authorization decisions.
///
/// ```
/// use ctl_kinds::admission::User;
/// use ctl_kinds::admission::policy::Roles;
/// use ctl_kinds::rbac::AccessAttributes;
///
/// /// A policy may ask what the group `ops` may do: everything.
/// #[derive(Debug)]
/// struct Operators;
///
/// impl Roles for Operators {
///     fn may(&self, user: &User, _: &AccessAttributes<'_>, _: &str) -> Result<(bool, String), String> {
///         Ok((user.groups.iter().any(|group| group == "ops"), String::new()))
///     }
/// }
/// ```
pub trait Roles: fmt::Debug + Send + Sync {
    /// Returns true if a user may perform an action in a namespace, with the reason.
    ///
    /// # Errors
    /// Returns the error that prevented a decision.
    fn may(
        &self,
        user: &User,
        access: &AccessAttributes<'_>,
        namespace: &str,
    ) -> Result<(bool, String), String>;
}

/// Returns the authorizer for the author of a request.
pub(super) fn of(roles: Arc<dyn Roles>, at: &Attributes<'_>) -> Value {
    let own = Check {
        group: at.kind.group.to_owned(),
        resource: at.kind.plural.to_owned(),
        subresource: at.subresource.to_owned(),
        namespace: at.namespace.to_owned(),
        name: at.name.to_owned(),
        ..Check::new(roles, at.user.clone())
    };
    Value::NativeObject(Arc::new(Authorizer(own)))
}

fn account(namespace: &str, name: &str) -> User {
    User {
        name: format!("system:serviceaccount:{namespace}:{name}"),
        groups: vec![
            "system:serviceaccounts".to_owned(),
            format!("system:serviceaccounts:{namespace}"),
            "system:authenticated".to_owned(),
        ],
        ..User::default()
    }
}

fn host(value: impl NativeObject + 'static) -> Option<Outcome> {
    Some(Ok(Value::NativeObject(Arc::new(value))))
}

/// The start of every check. It also holds the check of the request's own resource.
#[derive(Debug)]
struct Authorizer(Check);

impl Authorizer {
    fn fresh(&self, user: User) -> Check {
        Check::new(Arc::clone(&self.0.roles), user)
    }
}

impl NativeObject for Authorizer {
    fn type_name(&self) -> &'static str {
        "kubernetes.authorization.Authorizer"
    }

    fn field(&self, name: &str) -> Option<Outcome> {
        (name == "requestResource").then(|| Ok(Value::NativeObject(Arc::new(self.0.clone()))))
    }

    fn call(&self, name: &str, args: &[Value]) -> Option<Outcome> {
        match (name, args) {
            ("path", [Value::Text(path)]) => host(Check {
                path: Some(path.to_string()),
                // A new check inherits only the user. The attributes of the request belong to `requestResource`.
                ..self.fresh(self.0.user.clone())
            }),
            ("group", [Value::Text(group)]) => host(Group(Check {
                group: group.to_string(),
                ..self.fresh(self.0.user.clone())
            })),
            ("serviceAccount", [Value::Text(namespace), Value::Text(name)]) => {
                host(Self(self.fresh(account(namespace, name))))
            }
            _ => None,
        }
    }
}

/// A check with a group but without a resource.
#[derive(Debug)]
struct Group(Check);

impl NativeObject for Group {
    fn type_name(&self) -> &'static str {
        "kubernetes.authorization.GroupCheck"
    }

    fn field(&self, _: &str) -> Option<Outcome> {
        None
    }

    fn call(&self, name: &str, args: &[Value]) -> Option<Outcome> {
        match (name, args) {
            ("resource", [Value::Text(resource)]) => host(Check {
                resource: resource.to_string(),
                ..self.0.clone()
            }),
            _ => None,
        }
    }
}

/// A check of a path or a resource.
#[derive(Clone, Debug)]
struct Check {
    roles: Arc<dyn Roles>,
    user: User,
    path: Option<String>,
    group: String,
    resource: String,
    subresource: String,
    namespace: String,
    name: String,
}

impl Check {
    fn new(roles: Arc<dyn Roles>, user: User) -> Self {
        Self {
            roles,
            user,
            path: None,
            group: String::new(),
            resource: String::new(),
            subresource: String::new(),
            namespace: String::new(),
            name: String::new(),
        }
    }

    fn decide(&self, verb: &str) -> Decision {
        let resource = match self.subresource.as_str() {
            "" => self.resource.clone(),
            // The rules of roles name a subresource like this: `pods/log`.
            part => format!("{}/{part}", self.resource),
        };
        let access = match &self.path {
            Some(path) => AccessAttributes::Path { verb, path },
            None => AccessAttributes::Resource {
                verb,
                group: &self.group,
                resource: &resource,
                name: &self.name,
            },
        };
        Decision(self.roles.may(&self.user, &access, &self.namespace))
    }
}

impl NativeObject for Check {
    fn type_name(&self) -> &'static str {
        match self.path {
            Some(_) => "kubernetes.authorization.PathCheck",
            None => "kubernetes.authorization.ResourceCheck",
        }
    }

    fn field(&self, _: &str) -> Option<Outcome> {
        None
    }

    fn call(&self, name: &str, args: &[Value]) -> Option<Outcome> {
        let [Value::Text(given)] = args else {
            return None;
        };
        if name == "check" {
            return host(self.decide(given));
        }
        // A path check can only be decided; all other methods narrow a resource check.
        if self.path.is_some() {
            return None;
        }
        let mut next = self.clone();
        match name {
            "subresource" => next.subresource = given.to_string(),
            "namespace" => next.namespace = given.to_string(),
            "name" => next.name = given.to_string(),
            // Expressions may set selectors, but RBAC ignores them.
            "fieldSelector" | "labelSelector" => {}
            _ => return None,
        }
        host(next)
    }
}

/// The result of a check.
#[derive(Debug)]
struct Decision(Result<(bool, String), String>);

impl NativeObject for Decision {
    fn type_name(&self) -> &'static str {
        "kubernetes.authorization.Decision"
    }

    fn field(&self, _: &str) -> Option<Outcome> {
        None
    }

    fn call(&self, name: &str, args: &[Value]) -> Option<Outcome> {
        if !args.is_empty() {
            return None;
        }
        let (allowed, reason, error) = match &self.0 {
            Ok((allowed, reason)) => (*allowed, reason.as_str(), None),
            // A failed check denies access. Expressions can recognize it by `errored()`.
            Err(e) => (false, "", Some(e.as_str())),
        };
        Some(Ok(match name {
            "allowed" => Value::Bool(allowed),
            "reason" => Value::text(reason),
            "errored" => Value::Bool(error.is_some()),
            "error" => Value::text(error.unwrap_or_default()),
            _ => return None,
        }))
    }
}
