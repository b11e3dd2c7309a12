//! The API in the form of requests: turns a method, a path and a body into a call to the cluster, and the result into
//! a status code and a body. Used by `get --raw` and by the HTTP server in [`http`].
//!
//! Must not know: controllers, printing or, except in [`http`], connections and threads.

use ctl_api as api;
use ctl_cluster as cluster;
use ctl_kinds as kinds;
use ctl_pki as pki;
use ctl_protobuf as protobuf;
use ctl_sys as sys;

#[cfg(test)]
mod binary;
mod body;
mod budget;
mod client;
mod clients;
mod connect;
mod delete;
mod discovery;
mod encode;
mod errors;
mod etag;
#[cfg(any(test, feature = "fuzz"))]
#[doc(hidden)]
pub mod fuzz;
mod health;
pub mod http;
pub mod live;
mod metrics_apis;
mod negotiate;
mod openapi;
mod ordered;
mod page;
mod path;
mod proxy;
mod query;
mod read;
mod server;
mod stream;
mod subresource;
mod table;
pub mod tls;
mod tokens;
pub mod webhook;
mod wire;
mod write;
mod zpages;

use std::time::Duration;

use crate::api::go::is_printable;
use crate::api::json::{Value, json};
use crate::api::status::Status;
use crate::cluster::{
    ApiError, Cluster, Follower, Impersonation, Memory, Notes, Place, StoreError, WriteOptions,
    add_warnings, no_subresource,
};
use crate::kinds::admission::User;
use crate::kinds::rbac::AccessAttributes;
use crate::kinds::warnings;
use crate::kinds::{Kind, registry};
use crate::sys::clock::Clock;
use errors::{no_resource, not_allowed, not_watched, too_large};

pub use connect::{Connection, Follow, Nodes};
pub use discovery::VERSION;
use metrics_apis::MetricsApis;
use negotiate::Media;
pub use page::Page;
use path::Target;
pub use proxy::Proxied;
use query::Query;
pub use server::{Metrics, Tokens};
pub use stream::{Flow, Stream};
pub use zpages::Process;

/// The maximum size of a body in bytes, as in the real API server.
pub const MAX_BODY: usize = 3 * 1024 * 1024;

/// A request.
#[derive(Clone, Debug)]
pub struct Request<'a> {
    /// `GET`, `POST`, `PUT`, `PATCH` or `DELETE`.
    pub method: &'a str,
    /// The path and query.
    pub path: &'a str,
    /// The media type of the body; JSON if empty.
    pub content_type: &'a str,
    /// The accepted media types; JSON if empty.
    pub accept: &'a str,
    /// The accepted encodings of the response; none if empty.
    pub accept_encoding: &'a str,
    /// The entity tags of the documents that the client has; none if empty.
    pub if_none_match: &'a str,
    /// The client program, which becomes the manager of the fields that it sets unless the request names one.
    pub user_agent: &'a str,
    /// The body.
    pub body: &'a [u8],
    /// The user.
    pub user: User,
    /// The sender's impersonation of the user, if any.
    pub impersonation: Option<Impersonation>,
    /// The host by which the client has reached the server; empty without a server.
    pub host: &'a str,
    /// The fake nodes, if any.
    pub nodes: Option<&'static dyn Nodes>,
    /// The notes for the audit log, if the request is logged there.
    pub notes: Option<Notes>,
    /// The server's metrics, if a server handles the request.
    pub metrics: Option<&'a Metrics<'a>>,
    /// The server's tokens, if a server handles the request.
    pub tokens: Option<&'a Tokens<'a>>,
    /// The server's process, if a server handles the request.
    pub process: Option<&'a Process>,
    /// The memory for lists, if it is limited.
    pub memory: Option<&'a dyn Memory>,
    /// True if the caller needs only the bytes of the response and not its object.
    pub takes_bytes: bool,
}

impl<'a> Request<'a> {
    /// Returns a request that reads a path.
    pub fn get(path: &'a str, user: User) -> Self {
        Self {
            method: "GET",
            path,
            content_type: "",
            accept: "",
            accept_encoding: "",
            if_none_match: "",
            user_agent: "",
            body: b"",
            user,
            impersonation: None,
            host: "",
            nodes: None,
            notes: None,
            metrics: None,
            tokens: None,
            process: None,
            memory: None,
            takes_bytes: false,
        }
    }

    /// Returns the path without the query.
    pub fn route(&self) -> &'a str {
        self.path.split('?').next().unwrap_or_default()
    }

    /// Returns the decoded value of a query option, if the query has it.
    pub fn option(&self, name: &str) -> Option<String> {
        let (_, query) = self.path.split_once('?')?;
        Query::parse(query).opt(name).map(str::to_owned)
    }

    /// Rejects the request if its user has no right to make it, or its sender no right to impersonate the user.
    fn authorize(
        &self,
        cluster: &Cluster,
        access: &AccessAttributes<'_>,
        namespace: &str,
    ) -> Result<(), ApiError> {
        let rights = cluster.rights();
        let allowed = match &self.impersonation {
            Some(impersonation) => rights.impersonate(impersonation, access, namespace),
            None => Ok(()),
        };
        let allowed = allowed.and_then(|()| rights.authorize(&self.user, access, namespace));
        if let Some(notes) = &self.notes {
            // As in the API server, denials have no reason here, because the status contains it.
            let reason = allowed.as_ref().map_or("", |reason| reason);
            notes.authorized(allowed.is_ok(), reason);
        }
        allowed.map(|_| ())
    }
}

/// The body of a response.
#[derive(Clone, Debug, PartialEq)]
pub enum Body {
    /// An object, a list or a `Status`.
    Object(Value),
    /// Plain text, such as a log or the response to an unknown path.
    Text(String),
    /// A list in the requested format, for a request that [takes bytes](Request::takes_bytes).
    Encoded(Vec<u8>),
}

/// A response.
///
/// ```
/// use ctl_cluster::administrator;
/// use ctl_serve::{Body, Reply, Request, Response, Service as _};
///
/// # let cluster = ctl_cluster::testing::in_memory();
/// let request = Request::get("/api/v1/namespaces/default", administrator());
/// let Reply::Whole(Response { code, body, .. }) = cluster.open(&request) else {
///     panic!("only a watch goes on");
/// };
/// let Body::Object(namespace) = body else {
///     panic!("an object was asked for");
/// };
/// assert_eq!((code, &namespace["kind"]), (200, &"Namespace".into()));
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Response {
    /// The HTTP status code.
    pub code: u16,
    /// The body.
    pub body: Body,
    /// The warnings sent with the response.
    pub warnings: Vec<String>,
    /// The media type of the body, if it differs from the requested format.
    pub media: &'static str,
    /// Additional header fields, by lower-case name. They replace the default ones.
    pub fields: Vec<(&'static str, String)>,
}

/// The result of a request.
#[derive(Debug)]
pub enum Reply<'c> {
    /// A complete response.
    Whole(Response),
    /// A watch, which is a streaming response.
    Watch(Box<Stream>),
    /// Any other streaming response, which waits on a thread.
    Flow(Box<dyn Flow + 'c>),
    /// A connection to a node, provided that the client upgrades its own.
    Connect(Connection<'c>),
    /// A request to be forwarded, if the server supports that.
    Proxy(Proxied),
}

impl Response {
    fn object(code: u16, object: Value, warnings: Vec<String>) -> Self {
        Self {
            code,
            body: Body::Object(object),
            warnings,
            media: "",
            fields: Vec::new(),
        }
    }

    fn encoded(media: &'static str, bytes: Vec<u8>) -> Self {
        Self {
            code: 200,
            body: Body::Encoded(bytes),
            warnings: Vec::new(),
            media,
            fields: Vec::new(),
        }
    }

    fn text(code: u16, text: impl Into<String>) -> Self {
        Self {
            code,
            body: Body::Text(text.into()),
            warnings: Vec::new(),
            media: "",
            fields: Vec::new(),
        }
    }

    /// Returns the object in the response, or null for any other body.
    fn into_object(self) -> Value {
        match self.body {
            Body::Object(object) => object,
            Body::Text(_) | Body::Encoded(_) => Value::Null,
        }
    }

    /// Returns a success status, for an action that returns no object.
    fn success(code: u16, details: Option<Value>) -> Self {
        let mut status = json!({
            "apiVersion": "v1", "kind": "Status", "metadata": {}, "status": "Success",
        });
        if let Some(details) = details {
            status["details"] = details;
        } else {
            status["code"] = json!(code);
        }
        Self::object(code, status, Vec::new())
    }
}

impl From<ApiError> for Response {
    fn from(error: ApiError) -> Self {
        // The only place that converts errors of the store to HTTP.
        let mut status = match error {
            ApiError::Status(status) => *status,
            // etcd's error for an object over its size limit.
            ApiError::Store(e @ StoreError::TooLarge { .. }) => Status {
                code: 413,
                reason: "RequestEntityTooLarge",
                ..Status::bad_request(format!("etcdserver: request is too large: {e}"))
            },
            ApiError::Store(e) => Status::internal_error(e.to_string()),
        };
        let warnings = std::mem::take(&mut status.warnings);
        Self::object(status.code, status.to_value(), warnings)
    }
}

impl From<Status> for Response {
    fn from(status: Status) -> Self {
        ApiError::from(status).into()
    }
}

/// Responds to a request. For a watch, returns the events so far.
pub fn respond(cluster: &Cluster, request: &Request<'_>) -> Response {
    whole(open(cluster, request))
}

/// Handles a request, and returns a rejection as an error.
///
/// # Errors
/// Returns the API's error if the request is rejected.
pub fn try_respond(cluster: &Cluster, request: &Request<'_>) -> Result<Response, ApiError> {
    Ok(whole(answered(cluster, request)?))
}

fn whole(reply: Reply<'_>) -> Response {
    match reply {
        Reply::Whole(response) => response,
        Reply::Connect(_) => Connection::not_upgraded(),
        Reply::Proxy(_) => connect::elsewhere().into(),
        // Without a connection, a stream cannot go on, so it ends after the events so far.
        Reply::Watch(mut stream) => begun(&mut *stream),
        Reply::Flow(mut flow) => begun(&mut *flow),
    }
}

fn begun(flow: &mut dyn Flow) -> Response {
    let lines = flow.next(Duration::ZERO).unwrap_or_default();
    Response::text(200, String::from_utf8_lossy(&lines))
}

/// A handler for requests.
pub trait Service: Send + Sync {
    /// Responds to a request, or returns a stream.
    fn open<'s>(&'s self, request: &Request<'_>) -> Reply<'s>;

    /// Returns the user for requests without credentials.
    fn identity(&self) -> User;

    /// Returns the user for a token, or `None` if the token is invalid.
    fn bearer(&self, token: &str) -> Option<User>;

    /// Returns a reader that follows the changes for all watches; `None` if there are no watches.
    fn follower(&self) -> Option<Follower<'_>>;

    /// Returns true if this user's read of a single object of the resource is unlikely to block, so that it needs no
    /// thread of its own.
    fn is_prompt(&self, user: &User, group: &str, version: &str, resource: &str) -> bool {
        // Only services that know their reads can tell.
        let _ = (user, group, version, resource);
        false
    }
}

impl<S: Service + ?Sized> Service for &S {
    fn open<'s>(&'s self, request: &Request<'_>) -> Reply<'s> {
        (**self).open(request)
    }

    fn identity(&self) -> User {
        (**self).identity()
    }

    fn bearer(&self, token: &str) -> Option<User> {
        (**self).bearer(token)
    }

    fn follower(&self) -> Option<Follower<'_>> {
        (**self).follower()
    }

    fn is_prompt(&self, user: &User, group: &str, version: &str, resource: &str) -> bool {
        (**self).is_prompt(user, group, version, resource)
    }
}

impl Service for Cluster {
    fn open<'s>(&'s self, request: &Request<'_>) -> Reply<'s> {
        open(self, request)
    }

    fn identity(&self) -> User {
        self.rights().identity().clone()
    }

    fn bearer(&self, token: &str) -> Option<User> {
        self.rights().bearer(token)
    }

    fn follower(&self) -> Option<Follower<'_>> {
        Some(self.feed().follower())
    }

    fn is_prompt(&self, user: &User, group: &str, version: &str, resource: &str) -> bool {
        // For a custom resource, a webhook may be called to convert the object.
        let of = |kind: &Kind| (kind.group, kind.version, kind.plural);
        let mut kinds = registry::all();
        kinds.any(|kind| of(kind) == (group, version, resource)) && self.feed().is_prompt(user)
    }
}

/// Responds to a request, or returns a stream.
pub fn open<'c>(cluster: &'c Cluster, request: &Request<'_>) -> Reply<'c> {
    answered(cluster, request).unwrap_or_else(|e| Reply::Whole(e.into()))
}

fn answered<'c>(cluster: &'c Cluster, request: &Request<'_>) -> Result<Reply<'c>, ApiError> {
    // Checked before anything is parsed.
    if request.body.len() > MAX_BODY {
        return Err(too_large().into());
    }
    let (path, query) = request.path.split_once('?').unwrap_or((request.path, ""));
    let query = Query::parse(query);
    let kinds = match cluster.kinds() {
        Ok(kinds) => kinds,
        // The roles cannot be read now, and probes need none.
        Err(e) => {
            let unwell = health::unwell(path, &query, &e);
            return unwell.map(Reply::Whole).ok_or_else(|| e.into());
        }
    };
    let metrics_apis = MetricsApis::at(cluster, &kinds, path)?;
    if let Some(metrics) = metrics_apis.answer(cluster, request, &query)? {
        return Ok(Reply::Whole(metrics));
    }
    let kinds = metrics_apis.serve(kinds);
    let target = match metrics_apis
        .find(path)
        .unwrap_or_else(|| path::resolve(&kinds, path))
    {
        path::Resolution::Target(target) => target,
        path::Resolution::Discovery(words) => {
            let verb = request.method.to_ascii_lowercase();
            let access = AccessAttributes::Path { verb: &verb, path };
            // RBAC has separate rules for paths that are not resources (`nonResourceURLs`).
            request.authorize(cluster, &access, "")?;
            // As in the real API server, which serves these documents whatever the method is.
            let is_fixed = matches!(
                words.first().map(String::as_str),
                None | Some("healthz" | "livez" | "readyz" | "openapi")
            );
            if request.method != "GET" && !is_fixed {
                return Err(not_allowed().into());
            }
            // Comes before health and discovery, which do not know these paths.
            if let Some(response) = tokens::answer(&words, cluster, request.host)? {
                return Ok(Reply::Whole(response));
            }
            let response = health::answer(&words, &query)
                .or_else(|| openapi::answer(&kinds, &words, request, &query))
                .unwrap_or_else(|| discovery::answer(&kinds, &metrics_apis, &words, request));
            return Ok(Reply::Whole(response));
        }
        path::Resolution::NoResource => return Err(no_resource().into()),
        path::Resolution::NoPath => {
            let verb = request.method.to_ascii_lowercase();
            let access = AccessAttributes::Path { verb: &verb, path };
            // Authorized before the 404, which would otherwise reveal which paths exist.
            request.authorize(cluster, &access, "")?;
            if let (Some(Metrics(text)), "/metrics", "get") = (request.metrics, path, &*verb) {
                let text = text() + &cluster.stored().metrics();
                return Ok(Reply::Whole(Response {
                    media: page::PROMETHEUS,
                    ..Response::text(200, text)
                }));
            }
            let now = Clock::System.now();
            let page = |process| zpages::answer(path, request.accept, process, now);
            let page = request.process.and_then(page);
            let missing = || Ok(Response::text(404, "404 page not found\n"));
            return Ok(Reply::Whole(page.unwrap_or_else(missing)?));
        }
    };
    let (target, query) = target.watched(query, request.method)?;
    let mut call = Call {
        cluster,
        request,
        query,
        target,
        metrics_apis,
        media: Media::default(),
    };
    // As in the API server's filter chain, authorized before the body is parsed.
    call.authorize()?;
    // Every authorized user is warned about a deprecated version, whatever the result of the request.
    let deprecation: Vec<String> = warnings::deprecation(call.target.kind)
        .map(str::to_owned)
        .into_iter()
        .collect();
    let reply = call.reply(&deprecation);
    reply.map_err(|e| e.warned(&deprecation))
}

/// A request with its target.
struct Call<'c, 'r> {
    cluster: &'c Cluster,
    request: &'r Request<'r>,
    query: Query,
    target: Target,
    metrics_apis: MetricsApis,
    media: Media,
}

impl<'c> Call<'c, '_> {
    /// Responds with these warnings, followed by others.
    fn reply(&mut self, warnings: &[String]) -> Result<Reply<'c>, ApiError> {
        // A forwarded request negotiates its own media types.
        if self.is_proxied() {
            return self.proxied();
        }
        // The 406 comes after the 403.
        self.media = negotiate::media(self.request.accept, self.is_binary(), self.is_tabular())?;
        if self.is_watch() {
            return Ok(Reply::Watch(Box::new(self.watch(warnings.to_vec())?)));
        }
        if let Some(reply) = self.going_on()? {
            return Ok(reply);
        }
        let mut response = self.run()?;
        // These come first, because the API server warns about the version before it reads the body.
        let later = std::mem::replace(&mut response.warnings, warnings.to_vec());
        add_warnings(&mut response.warnings, &later);
        Ok(Reply::Whole(response))
    }
}

impl Call<'_, '_> {
    /// Returns true if objects of the kind can be encoded in protobuf; custom resources cannot.
    fn is_binary(&self) -> bool {
        self.target.kind.custom.is_none()
    }

    /// Returns true if the objects can be shown as a table. Kinds that can only be created cannot: reviews, tokens,
    /// bindings and evictions.
    fn is_tabular(&self) -> bool {
        let target = &self.target;
        // A table shows stored objects, and only kinds with `get` have any.
        target.kind.verbs.contains(&"get")
            // Pods and ServiceAccounts have tables, but not these subresources.
            && !matches!(
                target.subresource.as_str(),
                "binding" | "eviction" | "token"
            )
    }

    /// Returns true for a watch of a collection.
    fn is_watch(&self) -> bool {
        let target = &self.target;
        self.request.method == "GET"
            && target.name.is_empty()
            && target.kind.verbs.contains(&"watch")
            && self.query.flag("watch")
    }

    /// Returns the options of a write; `options` is the API's kind of options.
    fn write_options(&self, options: &str) -> Result<WriteOptions, Status> {
        let mut options = self.query.write_options(options, &self.request.user)?;
        options.notes.clone_from(&self.request.notes);
        let applies = self
            .request
            .content_type
            .starts_with("application/apply-patch");
        // For an apply, there is no default, because the manager is required (`check_manager`).
        if options.field_manager.is_empty() && !applies {
            options.field_manager = manager_of(self.request.user_agent);
        }
        options.client = self.client(&options.field_manager);
        Ok(options)
    }

    fn run(&self) -> Result<Response, ApiError> {
        let Target {
            kind,
            name,
            subresource,
            ..
        } = &self.target;
        if !subresource.is_empty() {
            if kind.subresource(subresource).is_none() {
                return Err(no_subresource(kind, name).into());
            }
            return self.subresource();
        }
        let verb = self.verb()?;
        if verb == "watch" && kind.verbs.contains(&"list") {
            // Kinds that support watches have been handled above.
            return Err(not_watched(kind).into());
        }
        let fits = match verb {
            // A new object has no path yet.
            "create" => name.is_empty(),
            "update" | "patch" => !name.is_empty(),
            _ => true,
        };
        if !fits {
            return Err(not_allowed().into());
        }
        // Discovery is generated from the same table of kinds, so it lists only what is served.
        if !kind.verbs.contains(&verb) {
            return Err(not_allowed().into());
        }
        match verb {
            "get" => self.get(),
            "list" => self.list(),
            "create" => self.create(),
            "update" => self.update(),
            "patch" => self.patch(),
            "delete" => self.delete(),
            _ => self.delete_collection(),
        }
    }

    /// Returns the verb of the request, as used by roles and discovery.
    fn verb(&self) -> Result<&'static str, Status> {
        Ok(match (self.request.method, self.target.name.is_empty()) {
            // In RBAC, watch is a verb of its own.
            ("GET", true) if self.query.flag("watch") => "watch",
            ("GET", true) => "list",
            ("GET", false) => "get",
            ("POST", _) => "create",
            ("PUT", _) => "update",
            ("PATCH", _) => "patch",
            ("DELETE", true) => "deletecollection",
            ("DELETE", false) => "delete",
            _ => return Err(not_allowed()),
        })
    }

    fn authorize(&self) -> Result<(), ApiError> {
        let Target {
            kind,
            namespace,
            name,
            subresource,
            ..
        } = &self.target;
        let verb = self.verb()?;
        // For a list or watch, roles see the name that its selector requires.
        let name = match verb {
            "list" | "watch" => &self.list_options().unwrap_or_default().only_name(),
            _ => name,
        };
        let resource = match subresource.as_str() {
            "" => kind.plural.to_owned(),
            below => format!("{}/{below}", kind.plural),
        };
        let access = AccessAttributes::Resource {
            verb,
            group: kind.group,
            resource: &resource,
            name,
        };
        self.request.authorize(self.cluster, &access, namespace)
    }

    fn place(&self) -> Place {
        Place::new(self.target.kind, &self.target.namespace)
    }

    fn name(&self) -> &str {
        &self.target.name
    }
}

/// Returns the program named in a user agent: `kubectl` for `kubectl/v1.36.2 (linux/amd64)`.
fn manager_of(user_agent: &str) -> String {
    let program = user_agent.split('/').next().unwrap_or_default();
    // As in the API server's `managerOrUserAgent`: printable characters, at most 128.
    program
        .chars()
        .filter(|c| is_printable(*c))
        .take(128)
        .collect()
}

#[cfg(test)]
mod recorded;

/// Compiles the example of the README.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
