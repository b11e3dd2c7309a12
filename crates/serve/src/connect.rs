//! Requests that a node serves: logs, commands in containers, ports.
//!
//! Must not know: how nodes do it, and how bytes travel.

use std::collections::VecDeque;
use std::fmt;
use std::time::Duration;

use ctl_shell::Terminal;

use super::{Call, Reply, Response, not_allowed};
use crate::api::json::Value;
use crate::api::status::{Details, Status};
use crate::cluster::{ApiError, Cluster, LogOptions, LogTarget, Place, Revision};
use crate::stream::Flow;

/// The most ports that one request forwards.
const MOST_PORTS: usize = 64;

/// Those who play the nodes: what only they know about the containers that they run.
pub trait Nodes: fmt::Debug + Send + Sync {
    /// Returns what a container has written.
    ///
    /// # Errors
    /// The node's error if there is no such log.
    fn log(
        &self,
        cluster: &Cluster,
        target: &LogTarget,
        options: &LogOptions,
    ) -> Result<String, ApiError>;

    /// Follows what a container of a Pod writes.
    fn follow<'c>(
        &self,
        cluster: &'c Cluster,
        place: Place,
        pod: &str,
        options: LogOptions,
    ) -> Box<dyn Follow + 'c>;

    /// Runs a command in a container; returns its exit code.
    ///
    /// # Errors
    /// If it cannot be run.
    fn exec(
        &self,
        cluster: &Cluster,
        target: &LogTarget,
        command: &[String],
        terminal: &mut dyn Terminal,
    ) -> Result<i32, ApiError>;

    /// Joins the process that a container began with, until it has ended or nobody looks any more.
    ///
    /// # Errors
    /// If the container does not run.
    fn attach(
        &self,
        cluster: &Cluster,
        target: &LogTarget,
        terminal: &mut dyn Terminal,
    ) -> Result<(), ApiError>;

    /// Returns the address of this machine that stands for a port of a Pod.
    ///
    /// # Errors
    /// The node's words if nobody listens at the port.
    fn forward(&self, pod: &Value, port: u16) -> Result<String, String>;
}

/// A log that is followed.
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
    /// Returns what was written since the last call.
    ///
    /// # Errors
    /// The node's error if there is no such log.
    fn next(&mut self) -> Result<String, ApiError>;

    /// Returns true if nothing more comes.
    fn is_over(&self) -> bool;
}

/// The other end of a client's connection once it is upgraded.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Purpose {
    /// A command, or the process that the container began with.
    Command {
        /// The words of the command; `None` to attach.
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

/// A request that is admitted and needs an upgraded connection.
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
    /// Returns the response to a client that does not upgrade its connection.
    pub(crate) fn not_upgraded() -> Response {
        Status::bad_request("Upgrade request required").into()
    }
}

impl<'c> Call<'c, '_> {
    /// Returns the reply of a request that goes on, if it is one: to a container, or about a log that is followed.
    pub(super) fn going_on(&self) -> Result<Option<Reply<'c>>, ApiError> {
        let part = self.target.subresource.as_str();
        let is_get = self.request.method == "GET";
        match part {
            "exec" | "attach" | "portforward" if self.target.kind.is_pod() => {
                // Older clients upgrade a POST, and those of WebSocket a GET.
                if !is_get && self.request.method != "POST" {
                    return Err(not_allowed().into());
                }
                Ok(Some(Reply::Connect(self.connect(part)?)))
            }
            "log" if is_get && self.query.flag("follow") => {
                // The options are checked first: their errors are responses, and nothing after the head can be one.
                let (options, nodes) = (self.log_options()?, self.nodes()?);
                let name = self.name();
                // A Pod without a node has an empty log that does not go on.
                let place = self.place();
                let target = self.cluster.subresources();
                if target.log_target(&place, name, &options)?.is_none() {
                    return Ok(None);
                }
                // Every look reads the Pod again, so it is named here and not passed on.
                let log = nodes.follow(self.cluster, place, name, options);
                Ok(Some(Reply::Watch(Box::new(Followed::begin(
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
        let query = &self.query;
        // A Pod's ports are those of all of its containers.
        let container = query.opt("container").filter(|_| part != "portforward");
        let purpose = match part {
            "portforward" => Purpose::Ports(ports(&query.all("ports"))?),
            part => {
                let streams = Streams {
                    stdin: query.flag("stdin"),
                    stdout: query.flag("stdout"),
                    // A terminal has one stream of output.
                    stderr: query.flag("stderr") && !query.flag("tty"),
                    tty: query.flag("tty"),
                };
                let words = query.all("command").into_iter().map(str::to_owned);
                Purpose::Command {
                    words: (part == "exec").then(|| words.collect()),
                    streams,
                }
            }
        };
        let subresources = self.cluster.subresources();
        // The checks of the Pod come before those of the connection, as a missing one is reported as such.
        let target = match part {
            "portforward" => subresources.port_target(&self.place(), self.name())?,
            part => subresources.exec_target(&self.place(), self.name(), part, container)?,
        };
        if let Purpose::Command { streams, .. } = &purpose
            && !(streams.stdin || streams.stdout || streams.stderr)
        {
            // The words of a kubelet, which is asked last.
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

/// Reads the ports of a query, which older clients name there.
fn ports(texts: &[&str]) -> Result<Vec<u16>, Status> {
    // Clients repeat the option, or join the ports with commas.
    let all = texts.iter().flat_map(|text| text.split(','));
    let all = all.take(MOST_PORTS + 1).map(|text| match text.parse() {
        Ok(port @ 1..) => Ok(port),
        _ => Err(Status::bad_request(format!("invalid port {text:?}"))),
    });
    let all: Vec<u16> = all.collect::<Result<_, _>>()?;
    // Each port takes a connection of its own at once.
    match all.len() > MOST_PORTS {
        true => Err(Status::bad_request(format!("more than {MOST_PORTS} ports"))),
        false => Ok(all),
    }
}

/// Returns the error for requests to a node that are made without a server.
pub(super) fn elsewhere() -> Status {
    Status {
        code: 503,
        reason: "ServiceUnavailable",
        details: Some(Box::new(Details::default())),
        ..Status::bad_request("the node is not asked on this path")
    }
}

/// A followed log as a response that goes on.
#[derive(Debug)]
struct Followed<'c> {
    cluster: &'c Cluster,
    log: Box<dyn Follow + 'c>,
    /// Parts that were read and not sent.
    ready: VecDeque<String>,
    seen: Revision,
}

impl<'c> Followed<'c> {
    /// Reads the first part: its errors are a response of their own.
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
        // What is there already must not wait for a change.
        if self.ready.is_empty() && !self.log.is_over() {
            self.cluster.wait(self.seen, patience)?;
        }
        Ok(())
    }

    fn next(&mut self, patience: Duration) -> Option<Vec<u8>> {
        // The first part was read before the head of the response was sent.
        if let Some(text) = self.ready.pop_front() {
            return Some(text.into_bytes());
        }
        if self.log.is_over() {
            return None;
        }
        self.wait(patience).ok()?;
        // Before the log is read: what changes in between ends the next wait at once.
        self.seen = self.cluster.stored().revision().ok()?;
        self.log.next().ok().map(String::into_bytes)
    }

    fn left_behind(&self) -> Vec<u8> {
        // A log has no words of its own with which it could end.
        Vec::new()
    }

    fn media(&self) -> &'static str {
        // As the API server labels logs, whatever is in them.
        "text/plain"
    }

    fn is_binary(&self) -> bool {
        false
    }
}
