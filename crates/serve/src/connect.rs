//! Requests that nodes serve: logs, commands in containers, and ports.
//!
//! Must not know: how nodes are implemented, or how bytes are transported.

use std::collections::VecDeque;
use std::fmt;
use std::time::Duration;

use ctl_shell::Terminal;

use super::errors::not_allowed;
use super::{Call, Reply, Response};
use crate::api::json::{Value, json};
use crate::api::status::{Details, Status};
use crate::cluster::{ApiError, Cluster, LogOptions, LogTarget, Place, Revision, WriteOptions};
use crate::kinds::tree::{flag, list, set, text, texts};
use crate::stream::Flow;

/// The maximum number of ports to forward per request.
const MOST_PORTS: usize = 64;

/// The fake nodes, which give access to their containers.
pub trait Nodes: fmt::Debug + Send + Sync {
    /// Returns the log of a container.
    ///
    /// # Errors
    /// Returns the node's error if there is no such log.
    fn log(
        &self,
        cluster: &Cluster,
        target: &LogTarget,
        options: &LogOptions,
    ) -> Result<String, ApiError>;

    /// Follows the log of a container.
    fn follow<'c>(
        &self,
        cluster: &'c Cluster,
        place: Place,
        pod: &str,
        options: LogOptions,
    ) -> Box<dyn Follow + 'c>;

    /// Runs a command in a container and returns the exit code.
    ///
    /// # Errors
    /// Returns an error if the command cannot run.
    fn exec(
        &self,
        cluster: &Cluster,
        target: &LogTarget,
        command: &[String],
        terminal: &mut dyn Terminal,
    ) -> Result<i32, ApiError>;

    /// Attaches to the main process of a container until it ends or the client has gone.
    ///
    /// # Errors
    /// Returns an error if the container is not running.
    fn attach(
        &self,
        cluster: &Cluster,
        target: &LogTarget,
        terminal: &mut dyn Terminal,
    ) -> Result<(), ApiError>;

    /// Returns the local address for a port of a Pod.
    ///
    /// # Errors
    /// Returns the node's error if no process listens on the port.
    fn forward(&self, pod: &Value, port: u16) -> Result<String, String>;
}

/// A log that is being followed.
///
/// ```
/// use ctl_serve::{Follow, Nodes};
///
/// fn rest(log: &mut dyn Follow) -> String {
///     let mut text = String::new();
///     while !log.is_over() {
///         text += &log.next().unwrap_or_default();
///     }
///     text
/// }
///
/// fn shown(nodes: &dyn Nodes) -> String {
///     format!("{nodes:?}")
/// }
/// ```
pub trait Follow: fmt::Debug {
    /// Returns the text that was written since the last call.
    ///
    /// # Errors
    /// Returns the node's error if there is no such log.
    fn next(&mut self) -> Result<String, ApiError>;

    /// Returns true if the log is complete.
    fn is_over(&self) -> bool;
}

/// The purpose of an upgraded connection.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Purpose {
    /// A command, or the main process of a container.
    Command {
        /// The command and its arguments; `None` to attach.
        words: Option<Vec<String>>,
        /// The streams.
        streams: Streams,
    },
    /// Ports of a Pod.
    Ports(Vec<u16>),
}

/// The streams of a command.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Streams {
    pub(crate) stdin: bool,
    pub(crate) stdout: bool,
    pub(crate) stderr: bool,
    pub(crate) tty: bool,
}

/// An admitted request for an upgraded connection.
///
/// ```
/// use ctl_serve::{Connection, Proxied, Reply};
///
/// fn needs_a_server(reply: &Reply<'_>) -> bool {
///     matches!(reply, Reply::Connect(Connection { .. }) | Reply::Proxy(Proxied { .. }))
/// }
/// ```
#[derive(Debug)]
pub struct Connection<'c> {
    pub(crate) cluster: &'c Cluster,
    pub(crate) nodes: &'static dyn Nodes,
    pub(crate) target: LogTarget,
    pub(crate) purpose: Purpose,
}

impl Connection<'_> {
    /// Returns the response for a client that does not request an upgrade.
    pub(crate) fn not_upgraded() -> Response {
        Status::bad_request("Upgrade request required").into()
    }
}

impl<'c> Call<'c, '_> {
    /// Returns the reply to a request that streams, to a container or from a followed log.
    pub(super) fn going_on(&self) -> Result<Option<Reply<'c>>, ApiError> {
        let part = self.target.subresource.as_str();
        let is_get = self.request.method == "GET";
        match part {
            "exec" | "attach" | "portforward" if self.target.kind.is_pod() => {
                // Older clients upgrade a POST, WebSocket clients a GET.
                if !is_get && self.request.method != "POST" {
                    return Err(not_allowed().into());
                }
                Ok(Some(Reply::Connect(self.connect(part)?)))
            }
            "log" if is_get && self.query.flag("follow") => {
                // The options are checked first, because once the headers are sent, an error can no longer be the
                // response.
                let (options, nodes) = (self.log_options()?, self.nodes()?);
                let name = self.name();
                // The log of a Pod without a node is empty and ends at once.
                let place = self.place();
                let target = self.cluster.subresources();
                if target.log_target(&place, name, &options)?.is_none() {
                    return Ok(None);
                }
                // Passes on the name rather than the object, because every poll reads the Pod again.
                let log = nodes.follow(self.cluster, place, name, options);
                Ok(Some(Reply::Flow(Box::new(Followed::begin(
                    self.cluster,
                    log,
                )?))))
            }
            _ => Ok(None),
        }
    }

    pub(super) fn nodes(&self) -> Result<&'static dyn Nodes, Status> {
        self.request.nodes.ok_or_else(elsewhere)
    }

    fn connect(&self, part: &str) -> Result<Connection<'c>, ApiError> {
        // Policies and webhooks may change the options, so only their result is used from here on.
        let options = self.connecting(part, self.connect_options(part)?)?;
        // Ports belong to the Pod rather than to a container.
        let container = Some(text(&options, "container")).filter(|own| !own.is_empty());
        let purpose = match part {
            "portforward" => {
                let ports = list(&options, "ports").iter().filter_map(Value::as_u64);
                Purpose::Ports(ports.filter_map(|port| u16::try_from(port).ok()).collect())
            }
            part => {
                let streams = Streams {
                    stdin: flag(&options, "stdin"),
                    stdout: flag(&options, "stdout"),
                    // A terminal has a single output stream.
                    stderr: flag(&options, "stderr") && !flag(&options, "tty"),
                    tty: flag(&options, "tty"),
                };
                let words = texts(&options, "command").map(str::to_owned);
                Purpose::Command {
                    words: (part == "exec").then(|| words.collect()),
                    streams,
                }
            }
        };
        let subresources = self.cluster.subresources();
        // The Pod is checked before connecting, because a missing Pod must be reported as such.
        let target = match part {
            "portforward" => subresources.port_target(&self.place(), self.name())?,
            part => subresources.exec_target(&self.place(), self.name(), part, container)?,
        };
        if let Purpose::Command { streams, .. } = &purpose
            && !(streams.stdin || streams.stdout || streams.stderr)
        {
            // The kubelet's message; it performs these checks last.
            let why = "you must specify at least 1 of stdin, stdout, stderr";
            return Err(Status::bad_request(why).into());
        }
        Ok(Connection {
            cluster: self.cluster,
            nodes: self.nodes()?,
            target,
            purpose,
        })
    }
}

impl Call<'_, '_> {
    /// Returns the options for a connection to a Pod as an object.
    fn connect_options(&self, part: &str) -> Result<Value, Status> {
        let query = &self.query;
        let mut options = json!({});
        if part == "portforward" {
            let ports = ports(&query.all("ports"))?;
            if !ports.is_empty() {
                options["ports"] = json!(ports);
            }
            return Ok(options);
        }
        for name in ["stdin", "stdout", "stderr", "tty"] {
            if query.flag(name) {
                options[name] = json!(true);
            }
        }
        if let Some(container) = query.opt("container") {
            options["container"] = json!(container);
        }
        // Omitted if it is empty, as Go's encoder omits empty fields.
        let words = query.all("command");
        if part == "exec" && !words.is_empty() {
            options["command"] = json!(words);
        }
        Ok(options)
    }

    /// Asks policies and webhooks about a connection. Returns its options as they leave them.
    pub(super) fn connecting(&self, part: &str, mut options: Value) -> Result<Value, ApiError> {
        let speaks = self.target.kind.subresource(part);
        set(&mut options, "apiVersion", "v1");
        set(&mut options, "kind", speaks.map_or("", |own| own.kind));
        // Nothing is written, but policies see the user.
        let write = self.authored();
        let subresources = self.cluster.subresources();
        // For a proxy, the name includes the port.
        subresources.connect(&self.place(), self.name(), part, &options, &write)
    }

    /// Returns the options of a request that writes nothing, just its user.
    pub(super) fn authored(&self) -> WriteOptions {
        WriteOptions {
            user: self.request.user.clone(),
            notes: self.request.notes.clone(),
            ..WriteOptions::default()
        }
    }
}

/// Parses the ports in a query, which is where older clients send them.
fn ports(texts: &[&str]) -> Result<Vec<u16>, Status> {
    // Clients repeat the option or join the ports with commas.
    let all = texts.iter().flat_map(|text| text.split(','));
    let all = all.take(MOST_PORTS + 1).map(|text| match text.parse() {
        Ok(port @ 1..) => Ok(port),
        _ => Err(Status::bad_request(format!("invalid port {text:?}"))),
    });
    let all: Vec<u16> = all.collect::<Result<_, _>>()?;
    // Limited, because each port gets a connection of its own.
    match all.len() > MOST_PORTS {
        true => Err(Status::bad_request(format!("more than {MOST_PORTS} ports"))),
        false => Ok(all),
    }
}

/// Returns the error for requests to nodes if no server is running.
pub(super) fn elsewhere() -> Status {
    Status {
        code: 503,
        reason: "ServiceUnavailable",
        details: Some(Box::new(Details::default())),
        ..Status::bad_request("the node proxy does not support this path")
    }
}

/// A followed log, as a streaming response.
#[derive(Debug)]
struct Followed<'c> {
    cluster: &'c Cluster,
    log: Box<dyn Follow + 'c>,
    /// Parts that have been read but not sent.
    ready: VecDeque<String>,
    seen: Revision,
}

impl<'c> Followed<'c> {
    /// Reads the first part at once, because its errors become the response.
    fn begin(cluster: &'c Cluster, mut log: Box<dyn Follow + 'c>) -> Result<Self, ApiError> {
        let seen = cluster.stored().revision()?;
        Ok(Self {
            cluster,
            ready: VecDeque::from([log.next()?]),
            log,
            seen,
        })
    }
}

impl Flow for Followed<'_> {
    fn wait(&mut self, patience: Duration) -> Result<(), ApiError> {
        // Text that is available must not wait for a change.
        if self.ready.is_empty() && !self.log.is_over() {
            self.cluster.wait(self.seen, patience)?;
        }
        Ok(())
    }

    fn next(&mut self, patience: Duration) -> Option<Vec<u8>> {
        // The first part was read before the response headers were sent.
        if let Some(text) = self.ready.pop_front() {
            return Some(text.into_bytes());
        }
        if self.log.is_over() {
            return None;
        }
        self.wait(patience).ok()?;
        // Read before the log, so that a change in between ends the next wait at once.
        self.seen = self.cluster.stored().revision().ok()?;
        self.log.next().ok().map(String::into_bytes)
    }

    fn left_behind(&self) -> Vec<u8> {
        // A log has no final message.
        Vec::new()
    }

    fn media(&self) -> &'static str {
        // The API server's media type for logs, whatever they contain.
        "text/plain"
    }

    fn is_binary(&self) -> bool {
        false
    }
}
