//! The common form of requests of commands, HTTP, controllers and other programs.

pub(crate) mod options;
pub(crate) mod part;
pub(crate) mod response;

use crate::api::json::Value;
use crate::components::ComponentUser;
use crate::kinds::Kind;
use crate::webhooks::Replies;

use options::{DeleteOptions, WriteOptions};
use part::Part;

/// The location of an object or a collection: a kind and a namespace.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    /// The kind.
    pub kind: &'static Kind,
    /// The namespace; empty for cluster-scoped kinds, and for all namespaces in lists.
    pub namespace: String,
}

impl Place {
    /// Creates a kind in a namespace, which is ignored for kinds that have none.
    pub fn new(kind: &'static Kind, namespace: &str) -> Self {
        // Commands and controllers pass their current namespace along without knowing the kind's scope.
        let namespace = if kind.namespaced {
            namespace.to_owned()
        } else {
            String::new()
        };
        Self { kind, namespace }
    }
}

/// A request to the API: a verb on an object or a collection, with the body that belongs to the verb.
///
/// [`crate::Cluster::submit`] executes one, [`crate::Cluster::batch_in_order`] several in one commit. The methods named
/// after verbs, such as [`crate::Cluster::create`], build one and submit it.
///
/// ```
/// use ctl_api::json::json;
/// use ctl_cluster::{Response, Part, PatchType, Place, Request, Verb};
///
/// # let cluster = ctl_cluster::Cluster::in_memory(
/// #     &ctl_cluster::Open::as_writer("example"),
/// #     ctl_cluster::Settings::new(ctl_sys::entropy::Seed(1)),
/// # );
/// # cluster.bootstrap()?;
/// let pods = Place::new(cluster.kind("pods")?, "default");
/// let web = json!({"metadata": {"name": "web"}, "spec": {"containers": [{"name": "c", "image": "nginx"}]}});
/// let label = Verb::Patch {
///     part: Part::Whole,
///     how: PatchType::Merge,
///     patch: json!({"metadata": {"labels": {"app": "web"}}}),
/// };
/// let requests = [
///     Request::create(pods.clone(), web.clone()),
///     Request::new(pods.clone(), "web", label),
/// ];
/// // One commit; the second request sees the result of the first one.
/// let responses = cluster.all(&requests)?;
/// let last: &Response = responses[1].as_ref().unwrap();
/// assert_eq!(last.object["metadata"]["labels"]["app"], "web");
/// # Ok::<(), ctl_cluster::ApiError>(())
/// ```
#[derive(Clone, Debug)]
pub struct Request {
    /// The kind and the namespace.
    pub place: Place,
    /// The object's name; empty for a collection, and for a new object with the name in its body.
    pub name: String,
    /// The operation.
    pub verb: Verb,
    /// The author, the reason and the options of a write. A batch has its own epoch and ignores this one.
    pub options: WriteOptions,
    /// The replies of webhooks to the request.
    pub(crate) replies: Replies,
    /// The user of the component that sends the request, after the first request for it.
    pub(crate) shown: ComponentUser,
}

/// The format of a patch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PatchType {
    /// A list of steps (RFC 6902).
    Json,
    /// A document that is merged, lists replaced (RFC 7386).
    Merge,
    /// A document that is merged, lists by their keys.
    Strategic,
}

/// The operation of a request, with its body.
#[derive(Clone, Debug, PartialEq)]
pub enum Verb {
    /// Reads an object, or the scale of one.
    Get(Part),
    /// Reads a collection.
    List,
    /// Follows a collection.
    Watch,
    /// Reads the next changes of a watch that was admitted before; fault rules applied then.
    Resume,
    /// Reads the log of a container.
    Log,
    /// Connects to a container through a subresource such as `exec`.
    Connect(String),
    /// Creates an object.
    Create(Value),
    /// Replaces a part of an object.
    Update(Part, Value),
    /// Updates a part of an object by a function of its current state, which is passed separately.
    Modify(Part),
    /// Patches a part of an object.
    Patch {
        /// The part.
        part: Part,
        /// The format of the patch.
        how: PatchType,
        /// The patch.
        patch: Value,
    },
    /// Makes a configuration of one manager part of an object, or of its status (server-side apply).
    Apply {
        /// The part.
        part: Part,
        /// The configuration.
        config: Value,
        /// True if fields that other managers own are taken from them.
        force: bool,
    },
    /// Binds a Pod to the node that a `Binding` names.
    Bind(Value),
    /// Deletes an object. The write options in here are ignored: those of the request count.
    Delete(Box<DeleteOptions>),
    /// Deletes the objects of a collection.
    DeleteCollection,
    /// Evicts a Pod if its disruption budget allows it, with the options of the deletion.
    Evict(Box<DeleteOptions>),
    /// Issues the token of a service account for a `TokenRequest`.
    Token(Value),
}

impl Verb {
    /// Returns the verb of the API, as roles and fault rules name it.
    pub(crate) fn name(&self) -> &'static str {
        match self {
            // A role grants `pods/log` with `get`, and `pods/exec`, `binding` and `eviction` with `create`.
            Self::Get(_) | Self::Log => "get",
            Self::List => "list",
            Self::Watch | Self::Resume => "watch",
            Self::Create(_)
            | Self::Connect(_)
            | Self::Bind(_)
            | Self::Evict(_)
            | Self::Token(_) => "create",
            Self::Update(..) | Self::Modify(_) => "update",
            Self::Patch { .. } | Self::Apply { .. } => "patch",
            Self::Delete(_) => "delete",
            Self::DeleteCollection => "deletecollection",
        }
    }

    /// Returns the subresource; empty for the object itself.
    pub(crate) fn subresource(&self) -> &str {
        match self {
            Self::Get(part)
            | Self::Update(part, _)
            | Self::Modify(part)
            | Self::Patch { part, .. }
            | Self::Apply { part, .. } => part.name(),
            Self::Log => "log",
            Self::Connect(subresource) => subresource,
            Self::Bind(_) => "binding",
            Self::Evict(_) => "eviction",
            Self::Token(_) => "token",
            Self::List
            | Self::Watch
            | Self::Resume
            | Self::Create(_)
            | Self::Delete(_)
            | Self::DeleteCollection => "",
        }
    }
}

impl Request {
    /// Creates a request in the name of the administrator, with the default options.
    pub fn new(place: Place, name: impl Into<String>, verb: Verb) -> Self {
        Self {
            place,
            name: name.into(),
            verb,
            options: WriteOptions::default(),
            replies: Replies::default(),
            shown: ComponentUser::new(),
        }
    }

    /// Returns the creation of an object, named after it.
    pub fn create(place: Place, object: Value) -> Self {
        let name = object["metadata"]["name"]
            .as_str()
            .unwrap_or_default()
            .to_owned();
        Self::new(place, name, Verb::Create(object))
    }

    /// Sets the options.
    #[must_use]
    pub fn with(self, options: WriteOptions) -> Self {
        Self { options, ..self }
    }

    /// Returns the existing object that the request is for; none for a collection and for a new object.
    pub fn target(&self) -> Option<&str> {
        // The name of a creation is that of an object that does not exist yet.
        let creates = matches!(self.verb, Verb::Create(_));
        (!creates && !self.name.is_empty()).then_some(&*self.name)
    }
}
