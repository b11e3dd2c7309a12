//! One connection: request after request, each answered before the next one is read.

use std::io::{self, Read, Write};
use std::sync::atomic::Ordering;
use std::time::Duration;

use super::head::{Head, Length};
use super::input::Input;
use super::reply::{self, Refusal};
use super::server::Shared;
use super::{body, guard};
use crate::cluster::{Cluster, administrator, impersonated};
use crate::kinds::admission::User;
use crate::serve::{self, Body, Reply, Request, Response, Stream};
use crate::sys::net::Connection;

/// How often a watch looks whether anybody is still there.
const LOOK: Duration = Duration::from_millis(500);

/// What a request comes over.
pub(in crate::serve) trait Line: Read + Write {
    /// All that is read from now on must come within a time.
    fn read_within(&mut self, limit: Duration);

    /// Whether the other side has hung up.
    fn is_gone(&self) -> bool;

    /// Says that nothing more comes.
    fn finish(&mut self);
}

impl Line for Connection {
    fn read_within(&mut self, limit: Duration) {
        Self::read_within(self, limit);
    }

    fn is_gone(&self) -> bool {
        Self::is_gone(self)
    }

    fn finish(&mut self) {
        Self::finish(self);
    }
}

/// Answers all that comes over a connection, until one side has had enough.
pub(in crate::serve) fn run(line: impl Line, cluster: &Cluster, shared: &Shared) {
    let mut input = Input::new(line);
    // Who connects has something to say; who has said it may be silent for longer.
    let mut patience = shared.limits.head;
    loop {
        input.connection().read_within(patience);
        patience = shared.limits.idle;
        if !input.begins().unwrap_or(false) {
            return;
        }
        let _busy = shared.busy();
        match exchange(&mut input, cluster, shared) {
            Ok(true) => {}
            Ok(false) => break,
            // Nobody is there any more.
            Err(_) => return,
        }
    }
    input.connection().finish();
}

/// Reads a request and answers it; answers whether another one may follow.
fn exchange(input: &mut Input<impl Line>, cluster: &Cluster, shared: &Shared) -> io::Result<bool> {
    match read(input, shared) {
        Ok(Some((head, body))) => answer(input.connection(), (&head, &body), cluster, shared),
        Ok(None) => Ok(false),
        Err(refusal) => {
            if let Some(response) = refusal.response() {
                refuse(input.connection(), &response)?;
            }
            Ok(false)
        }
    }
}

fn read(input: &mut Input<impl Line>, shared: &Shared) -> Result<Option<(Head, Vec<u8>)>, Refusal> {
    input.connection().read_within(shared.limits.head);
    let Some(head) = Head::read(input)? else {
        return Ok(None);
    };
    guard::check(&head, &shared.host)?;
    let length = head.length()?;
    if let Length::Bytes(bytes) = length {
        body::check(bytes)?;
    }
    if head.says("expect", "100-continue") {
        let going_on = input
            .connection()
            .write_all(b"HTTP/1.1 100 Continue\r\n\r\n");
        going_on.map_err(|_| Refusal::silent())?;
    }
    input.connection().read_within(shared.limits.body);
    let body = body::read(input, length)?;
    Ok(Some((head, body)))
}

fn answer(
    line: &mut impl Line,
    (head, body): (&Head, &[u8]),
    cluster: &Cluster,
    shared: &Shared,
) -> io::Result<bool> {
    let user = match user(head, cluster) {
        Ok(user) => user,
        Err(response) => {
            let request = Request::get(&head.target, administrator());
            reply::write_whole(line, &response, &request, false)?;
            return Ok(false);
        }
    };
    let request = Request {
        method: &head.method,
        path: &head.target,
        content_type: head.field("content-type").unwrap_or_default(),
        accept: head.field("accept").unwrap_or_default(),
        user_agent: head.field("user-agent").unwrap_or_default(),
        body,
        user,
        logs: shared.logs,
    };
    let keeps_open = head.keeps_open() && !shared.stop.load(Ordering::Relaxed);
    let response = match serve::open(cluster, &request) {
        Reply::Whole(response) => response,
        Reply::Watch(stream) => match shared.watch() {
            Some(_permit) => return watch(line, *stream, shared),
            None => too_many(),
        },
    };
    reply::write_whole(line, &response, &request, keeps_open)?;
    Ok(keeps_open)
}

/// Tells a watch until it is over, the other side hangs up, or the server stops.
fn watch(line: &mut impl Line, mut stream: Stream<'_>, shared: &Shared) -> io::Result<bool> {
    reply::begin_chunks(line)?;
    while !shared.stop.load(Ordering::Relaxed) && !line.is_gone() {
        match stream.next(LOOK) {
            Some(lines) => reply::chunk(line, &lines)?,
            None => break,
        }
    }
    reply::end_chunks(line)?;
    Ok(false)
}

/// The author of a request: whoever reaches the server is its administrator, and may act as somebody
/// else with the headers that `--as` sends.
fn user(head: &Head, cluster: &Cluster) -> Result<User, Box<Response>> {
    let name = head.field("impersonate-user").unwrap_or_default();
    let uid = head.field("impersonate-uid").unwrap_or_default();
    let groups: Vec<String> = head
        .fields("impersonate-group")
        .map(str::to_owned)
        .collect();
    match (name, uid.is_empty() && groups.is_empty()) {
        ("", true) => Ok(cluster.identity().clone()),
        ("", false) => Err(Box::new(nobody(head, (uid, &groups)))),
        _ => Ok(impersonated(name, uid, groups)),
    }
}

/// The server's words for a request to be in a group without being somebody, with the references as
/// Go prints them.
fn nobody(head: &Head, (uid, groups): (&str, &[String])) -> Response {
    let groups = groups
        .iter()
        .map(|group| format!("{{Group  {group}  rbac.authorization.k8s.io/v1  }}"));
    let uid = (!uid.is_empty()).then(|| format!("{{UID  {uid}  authentication.k8s.io/v1  }}"));
    let asked: Vec<String> = groups.chain(uid).collect();
    let why = format!(
        "Internal Server Error: {:?}: requested [{}] without impersonating a user\n",
        head.target,
        asked.join(" ")
    );
    Response {
        code: 500,
        body: Body::Text(why),
        warnings: Vec::new(),
        media: "",
    }
}

fn too_many() -> Response {
    let why = "there are too many watches, try again later";
    let refused = Refusal::closing(429, why).response();
    refused.unwrap_or_else(|| crate::api::status::Status::internal(why).into())
}

/// Writes an answer to what was no request.
pub(super) fn refuse(line: &mut impl Write, response: &Response) -> io::Result<()> {
    let request = Request::get("", administrator());
    reply::write_whole(line, response, &request, false)
}
