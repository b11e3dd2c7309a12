//! One connection: request after request, each returned before the next one is read.

use std::io::{self, Read, Write};
use std::sync::atomic::Ordering;
use std::time::Duration;

use super::head::{Head, Length};
use super::input::Input;
use super::reply::{self, Refusal};
use super::server::{Shared, Waits};
use super::{body, guard};
use crate::budget::{Full, Queue, Reservation};
use crate::cluster::{administrator, impersonated};
use crate::kinds::admission::User;
use crate::sys::net::{Closer, Connection};
use crate::{Body, Reply, Request, Response, Service, Stream};

/// How often a watch looks whether anybody is still there.
const LOOK: Duration = Duration::from_millis(500);

/// Bodies of more bytes than this need memory for what is made of them.
const LARGE: usize = 64 * 1024;

/// How much larger than its text a tree is, about.
const TREE: usize = 4;

/// How much of a watch is sent at a time.
const PIECE: usize = 16 * 1024;

/// A connection that carries requests.
pub(crate) trait Line: Read + Write {
    /// All that is read from now on must come within a time.
    fn read_within(&mut self, limit: Duration);

    /// Returns true if the other side has hung up.
    fn is_gone(&self) -> bool;

    /// Says that nothing more comes.
    fn finish(&mut self);

    /// Waits until data can be sent without blocking; false if that takes longer than `patience`.
    fn can_write(&self, patience: Duration) -> bool;

    /// Returns what another thread can break the connection with.
    fn closer(&self) -> Option<Closer>;
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

    fn can_write(&self, patience: Duration) -> bool {
        Self::can_write(self, patience)
    }

    fn closer(&self) -> Option<Closer> {
        Some(Self::closer(self))
    }
}

/// Serves all that comes over a connection, until one side has had enough.
#[cfg(any(test, feature = "fuzz"))]
pub(crate) fn run(line: impl Line, service: &dyn Service, shared: &Shared) {
    let waits = shared.waits(line.closer());
    run_waiting(line, service, shared, waits);
}

/// Serves all that comes over a connection that is known to wait already.
pub(super) fn run_waiting(
    line: impl Line,
    service: &dyn Service,
    shared: &Shared,
    mut waits: Waits,
) {
    let mut input = Input::new(line);
    // Who connects has something to say; who has said it may be silent for longer.
    let mut patience = shared.limits.head;
    loop {
        input.connection().read_within(patience);
        patience = shared.limits.idle;
        if !input.begins().unwrap_or(false) {
            return;
        }
        // Counted from the first byte on: a stopping server lets such requests finish.
        let _busy = shared.busy();
        match exchange(&mut input, service, shared, waits) {
            Ok(true) => waits = shared.waits(input.connection().closer()),
            Ok(false) => break,
            // Nobody is there any more.
            Err(_) => return,
        }
    }
    // The reply must arrive before the connection is broken, see `Connection::finish`.
    input.connection().finish();
}

/// Reads a request and returns it; returns whether another one may follow.
fn exchange(
    input: &mut Input<impl Line>,
    service: &dyn Service,
    shared: &Shared,
    waits: Waits,
) -> io::Result<bool> {
    let mut held = shared.budget.reserve();
    match read(input, shared, waits, &mut held) {
        Ok(Some((head, body))) => answer(input.connection(), &head, body, service, shared, held),
        Ok(None) => Ok(false),
        Err(refusal) => {
            if let Some(response) = refusal.response() {
                refuse(input.connection(), &response, shared)?;
            }
            Ok(false)
        }
    }
}

fn read(
    input: &mut Input<impl Line>,
    shared: &Shared,
    waits: Waits,
    held: &mut Reservation,
) -> Result<Option<(Head, Vec<u8>)>, Refusal> {
    input.connection().read_within(shared.limits.head);
    let Some(head) = Head::read(input)? else {
        return Ok(None);
    };
    // A whole head is here: the connection may no longer be broken to make room.
    drop(waits);
    // Before the body is read: a page's request must not cost memory.
    guard::check(&head, &shared.host)?;
    let length = head.length()?;
    if let Length::Bytes(bytes) = length {
        body::check(bytes)?;
    }
    // curl sends this for bodies above 1 KiB and waits for a second if it gets no reply.
    if head.says("expect", "100-continue") {
        let going_on = input
            .connection()
            .write_all(b"HTTP/1.1 100 Continue\r\n\r\n");
        going_on.map_err(|_| Refusal::silent())?;
    }
    input.connection().read_within(shared.limits.body);
    let body = body::read(input, length, held)?;
    // Of a large body a larger tree is made.
    match body.len() > LARGE && held.grow(TREE * body.len()) == Err(Full) {
        true => Err(Refusal::no_memory()),
        false => Ok(Some((head, body))),
    }
}

fn answer(
    line: &mut impl Line,
    head: &Head,
    body: Vec<u8>,
    service: &dyn Service,
    shared: &Shared,
    mut held: Reservation,
) -> io::Result<bool> {
    let user = match user(head, service) {
        Ok(user) => user,
        Err(response) => {
            // Nobody is known to have asked, so the refusal is written as for the administrator.
            let request = Request::get(&head.target, administrator());
            reply::write_whole(line, &response, &request, false, &mut held)?;
            return Ok(false);
        }
    };
    let request = Request {
        method: &head.method,
        path: &head.target,
        content_type: head.field("content-type").unwrap_or_default(),
        accept: head.field("accept").unwrap_or_default(),
        user_agent: head.field("user-agent").unwrap_or_default(),
        body: &body,
        user,
        logs: shared.logs,
    };
    // A stopping server says so, and the client opens its next connection elsewhere or later.
    let keeps_open = head.keeps_open() && !shared.stop.load(Ordering::Relaxed);
    let response = match service.open(&request) {
        Reply::Whole(response) => response,
        Reply::Watch(stream) => match shared.watch() {
            Some(_permit) => {
                // A watch has its own budget; the request's memory is free for others.
                drop(held);
                return watch(line, &head.target, *stream, shared);
            }
            None => too_many(),
        },
    };
    // The tree that was made of the body is gone; the body lives as long as the request.
    held.shrink_to(body.len());
    reply::write_whole(line, &response, &request, keeps_open, &mut held)?;
    Ok(keeps_open)
}

/// Tells a watch until it is over, the other side hangs up or does not read, or the server stops.
fn watch(
    line: &mut impl Line,
    path: &str,
    mut stream: Stream<'_>,
    shared: &Shared,
) -> io::Result<bool> {
    // Every event is reserved before it is sent: a client that does not read must not grow the
    // process.
    reply::begin_chunks(line, stream.media())?;
    let mut queue = shared.budget.queue();
    while !shared.stop.load(Ordering::Relaxed) && !line.is_gone() {
        if stream.wait(LOOK).is_err() {
            break;
        }
        // Few at a time, because the events of `next` exist before they are reserved.
        let turn = shared.budget.turn();
        let Some(lines) = stream.next(Duration::ZERO) else {
            break;
        };
        let slow = queue.hold(lines.len()).is_err();
        drop(turn);
        let left = match slow {
            true => &lines[..],
            false => tell(line, &lines, &mut queue, shared)?,
        };
        if left.is_empty() {
            continue;
        }
        shared.note(format_args!(
            "watch {path}: closed because the client read too slowly"
        ));
        // Only between two events something else can be said, and only if there is room for it.
        let ends_line = || lines[lines.len() - left.len() - 1] == b'\n';
        let whole = left.len() == lines.len() || !stream.is_binary() && ends_line();
        if !whole || !line.can_write(Duration::ZERO) {
            return Err(io::ErrorKind::TimedOut.into());
        }
        // Frees what was held before the last words are sent.
        drop(queue);
        reply::chunk(line, &stream.left_behind())?;
        break;
    }
    reply::end_chunks(line)?;
    Ok(false)
}

/// Sends events piece by piece as they are read; returns what is left if the other side is too slow.
fn tell<'l>(
    line: &mut impl Line,
    lines: &'l [u8],
    queue: &mut Queue,
    shared: &Shared,
) -> io::Result<&'l [u8]> {
    let mut left = lines;
    let mut looks = 0;
    while !left.is_empty() {
        // Evicted by a writer who needs the memory, or silent for too long.
        if queue.has_to_go() || looks * LOOK >= shared.limits.unread {
            return Ok(left);
        }
        if !line.can_write(LOOK) {
            looks += 1;
            // Counted in looks and not by a clock: the time in which data did move does not count.
            continue;
        }
        let piece = &left[..left.len().min(PIECE)];
        // Events that fit end a piece, so that something else can be said between them.
        let end = memchr::memrchr(b'\n', piece).map_or(piece.len(), |at| at + 1);
        reply::chunk(line, &left[..end])?;
        left = &left[end..];
        queue.was_read(left.len());
        looks = 0;
    }
    Ok(left)
}

/// The author of a request: whoever reaches the server is its administrator, and may act as somebody
/// else with the headers that `--as` sends.
fn user(head: &Head, service: &dyn Service) -> Result<User, Box<Response>> {
    let name = head.field("impersonate-user").unwrap_or_default();
    let uid = head.field("impersonate-uid").unwrap_or_default();
    let groups: Vec<String> = head
        // Groups come as one header each, as client-go sends them.
        .fields("impersonate-group")
        .map(str::to_owned)
        .collect();
    match (name, uid.is_empty() && groups.is_empty()) {
        // Impersonation without a name is an error, and not the administrator with other groups.
        ("", true) => Ok(service.identity()),
        ("", false) => Err(Box::new(nobody(head, uid, &groups))),
        _ => Ok(impersonated(name, uid, groups)),
    }
}

/// The server's words for a request to be in a group without being somebody, with the references as
/// Go prints them.
fn nobody(head: &Head, uid: &str, groups: &[String]) -> Response {
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
    let why = "too many watches, try again later";
    let refused = Refusal::closing(429, why).response();
    refused.unwrap_or_else(|| crate::api::status::Status::internal(why).into())
}

/// Writes a response to what was no request.
pub(super) fn refuse(
    line: &mut impl Write,
    response: &Response,
    shared: &Shared,
) -> io::Result<()> {
    let request = Request::get("", administrator());
    let mut held = shared.budget.reserve();
    reply::write_whole(line, response, &request, false, &mut held)
}
