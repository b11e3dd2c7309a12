//! The attributes of a request for policies and webhooks.

use crate::admission::context::User;
use crate::api::json::{Value, json};
use crate::kind::Kind;

/// The operation of a request on an object.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operation {
    /// Creates an object.
    Create,
    /// Changes an object.
    Update,
    /// Deletes an object.
    Delete,
    /// Connects to an object.
    Connect,
}

impl Operation {
    /// Returns the operation as rules name it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Create => "CREATE",
            Self::Update => "UPDATE",
            Self::Delete => "DELETE",
            Self::Connect => "CONNECT",
        }
    }
}

/// Group, version and kind.
pub type Gvk = (&'static str, &'static str, &'static str);

/// The attributes of a request for policies and webhooks.
#[derive(Clone, Copy, Debug)]
pub struct Attributes<'a> {
    /// The kind of the resource.
    pub kind: &'static Kind,
    /// The subresource; empty for the object itself.
    pub subresource: &'a str,
    /// The kind of the body if it is not the object itself, such as a Scale.
    pub body: Option<Gvk>,
    /// The namespace; empty for none.
    pub namespace: &'a str,
    /// The name of the object; empty if it will be generated.
    pub name: &'a str,
    /// The operation.
    pub operation: Operation,
    /// The new object; `None` for a deletion.
    pub object: Option<&'a Value>,
    /// The current object; `None` for a creation.
    pub old: Option<&'a Value>,
    /// The author of the request.
    pub user: &'a User,
    /// True for a dry run.
    pub dry_run: bool,
    /// The options of the request, as an object of their kind.
    pub options: &'a Value,
}

impl<'a> Attributes<'a> {
    /// Returns the group, version and kind of the body at the version of `kind`.
    pub(super) fn body_at(&self, kind: &'static Kind) -> Gvk {
        self.body.unwrap_or((kind.group, kind.version, kind.kind))
    }

    /// Returns the namespace that rules see; a Namespace is in itself.
    pub fn own_namespace(&self) -> &'a str {
        // Upstream's attributes of a Namespace have its own name as their namespace, so namespace selectors see its
        // own labels.
        match self.is_namespace() && self.namespace.is_empty() {
            true => self.name,
            false => self.namespace,
        }
    }

    /// Returns true if the request is for a Namespace.
    pub fn is_namespace(&self) -> bool {
        self.kind.is_namespace()
    }

    /// Returns the `AdmissionRequest` for rules that matched at the version of `matched`, without the objects and the
    /// uid.
    pub fn request(&self, matched: &'static Kind) -> Value {
        let gvk =
            |(group, version, kind): Gvk| json!({"group": group, "version": version, "kind": kind});
        let gvr = |kind: &Kind| json!({"group": kind.group, "version": kind.version, "resource": kind.plural});
        let mut request = json!({
            // `matchPolicy: Equivalent` may match at a different version than that of the request. The first pair is
            // the version of the rule, the second that of the request.
            "kind": gvk(self.body_at(matched)), "resource": gvr(matched),
            "requestKind": gvk(self.body_at(self.kind)), "requestResource": gvr(self.kind),
            "operation": self.operation.name(), "dryRun": self.dry_run, "options": self.options,
            "userInfo": self.user_info(),
        });
        for (name, text) in [
            ("subResource", self.subresource),
            ("requestSubResource", self.subresource),
            ("name", self.name),
            ("namespace", self.own_namespace()),
        ] {
            // The fields of `AdmissionRequest` have `omitempty`, so omit empty strings.
            if !text.is_empty() {
                request[name] = json!(text);
            }
        }
        request
    }

    fn user_info(&self) -> Value {
        let mut info = json!({"username": self.user.name});
        if !self.user.uid.is_empty() {
            info["uid"] = json!(self.user.uid);
        }
        if !self.user.groups.is_empty() {
            info["groups"] = json!(self.user.groups);
        }
        if !self.user.extra.is_empty() {
            info["extra"] = json!(self.user.extra);
        }
        info
    }
}
