//! One request: its body is read, a thread handles it, its response is sent.

use std::io;
use std::sync::Arc;

use hyper::body::Incoming;
use hyper::upgrade::OnUpgrade;
use tokio::runtime::Handle;
use tokio::sync::oneshot;

use super::head::Head;
use super::login::{self, Caller, Credentials};
use super::record::{self, Received, Record};
use super::refusal::Refusal;
use super::reply::{self, Answer};
use super::shared::{Ongoing, Permit, Shared};
use super::upgrade::{self, Held};
use super::{body, guard, pipe, proxy, watch};
use crate::budget::Reservation;
use crate::cluster::{Impersonation, anonymous};
use crate::kinds::admission::User;
use crate::sys::net::within;
use crate::{Body, Connection, Flow, Metrics, Proxied, Reply, Request, Response, Service};

/// Bodies of more bytes than this need memory for what is made of them.
const LARGE: usize = 64 * 1024;

/// How much larger than its text a tree is, about.
const TREE: usize = 4;

/// A request that is here as a whole, and what it holds.
struct Asked {
    head: Head,
    caller: Caller,
    body: Vec<u8>,
    held: Reservation,
    ongoing: Ongoing,
    permit: Permit,
    /// The connection, once its client has been told that another protocol is spoken.
    upgrade: OnUpgrade,
}

/// Responds to a request.
///
/// # Errors
/// Nobody is there to hear the response.
pub(super) async fn answer<S: Service + 'static>(
    mut request: hyper::Request<Incoming>,
    ongoing: Ongoing,
    service: Arc<S>,
) -> io::Result<Answer> {
    let shared = Arc::clone(ongoing.shared());
    let upgrade = hyper::upgrade::on(&mut request);
    let (parts, incoming) = request.into_parts();
    let head = Head::new(parts);
    let mut held = shared.budget.reserve();
    let version = head.version;
    let read = read(&head, &service, incoming, &ongoing, &mut held).await;
    let refusal = match read.and_then(|read| Ok((read, Permit::request(&shared)?))) {
        Err(refusal) => refusal,
        Ok(((caller, body), permit)) => {
            let asked = Asked {
                head,
                caller,
                body,
                held,
                ongoing,
                permit,
                upgrade,
            };
            return on_thread(asked, service, shared).await;
        }
    };
    record::refused(&shared, &head, ongoing.source(), refusal.code);
    match refusal.response() {
        Some(response) => Ok(reply::refused(&response, version, held, ongoing)),
        None => Err(io::ErrorKind::ConnectionAborted.into()),
    }
}

/// Reads the body of a request that is meant for this server, from a client that it knows.
async fn read<S: Service + 'static>(
    head: &Head,
    service: &Arc<S>,
    incoming: Incoming,
    ongoing: &Ongoing,
    held: &mut Reservation,
) -> Result<(Caller, Vec<u8>), Refusal> {
    let shared = ongoing.shared();
    // Before the body is read: a page's request must not cost memory.
    guard::check(head, &shared.host)?;
    if let Some(entered) = login::enter(head, shared.token.as_ref(), shared.tls.is_some()) {
        return Err(entered);
    }
    // Strangers must not make the server hold a body either.
    let caller = login::caller(head, shared.token.as_ref(), ongoing.peer());
    let unauthorized = || login::unknown(head);
    let caller = match caller.ok_or_else(unauthorized)? {
        Credentials::Token(token) => {
            let service = Arc::clone(service);
            // The account is read from the store, which may wait for files.
            let asked = tokio::task::spawn_blocking(move || service.bearer(&token));
            let user = asked.await.ok().flatten();
            // A panic on that thread must not let anybody in.
            Caller::Known(user.ok_or_else(unauthorized)?)
        }
        Credentials::Of(caller) => caller,
    };
    let reading = body::read(incoming, held, |cx| ongoing.is_cut(cx));
    let read = within(shared.limits.body, reading).await;
    let body = read.map_err(|_| Refusal::silent())??;
    // Of a large body a larger tree is made.
    if body.len() > LARGE {
        body::grow(held, TREE * body.len()).await?;
    }
    Ok((caller, body))
}

/// Handles a request on a thread, which may wait for files and locks.
async fn on_thread<S: Service + 'static>(
    asked: Asked,
    service: Arc<S>,
    shared: Arc<Shared>,
) -> io::Result<Answer> {
    let (sender, receiver) = oneshot::channel();
    tokio::task::spawn_blocking(move || handle(asked, &*service, &shared, sender));
    // Without an answer, the handler has panicked.
    receiver.await.map_err(io::Error::other)
}

fn handle(asked: Asked, service: &dyn Service, shared: &Arc<Shared>, to: oneshot::Sender<Answer>) {
    let Asked {
        head,
        caller,
        body,
        held,
        ongoing,
        permit,
        upgrade,
    } = asked;
    // Whoever has hung up meanwhile hears nothing, so a failed `send` is no error below.
    let (user, impersonation) = match author(&head, caller, service) {
        Ok(author) => author,
        Err(response) => {
            let _ = to.send(reply::refused(&response, head.version, held, ongoing));
            return;
        }
    };
    let came = Received {
        head: &head,
        body: &body,
        source: ongoing.source(),
    };
    // Before anything is done for the request: what cannot be logged is not done.
    let begun = Record::begin(shared, came, &user, impersonation.as_ref());
    let record = match begun {
        Ok(record) => record,
        Err(status) => {
            let refused = reply::refused(&status.into(), head.version, held, ongoing);
            let _ = to.send(refused);
            return;
        }
    };
    let numbers = || shared.numbers();
    let metrics = Metrics(&numbers);
    let request = Request {
        method: head.method.as_str(),
        path: &head.target,
        content_type: head.field("content-type").unwrap_or_default(),
        accept: head.field("accept").unwrap_or_default(),
        accept_encoding: head.field("accept-encoding").unwrap_or_default(),
        user_agent: head.field("user-agent").unwrap_or_default(),
        body: &body,
        user,
        impersonation,
        host: head.hosts().next().unwrap_or_default(),
        nodes: shared.nodes,
        notes: record.notes(),
        metrics: Some(&metrics),
    };
    let exchange = Exchange {
        record,
        head: &head,
        request: &request,
        shared,
        to,
        held,
        ongoing,
        permit,
    };
    match service.open(&request) {
        Reply::Whole(response) => exchange.whole(response),
        Reply::Watch(stream) => exchange.watch(stream),
        Reply::Connect(connection) => exchange.connect(connection, upgrade),
        Reply::Proxy(proxied) => exchange.pass(&proxied),
    }
}

/// A request that is handled, and what it holds until its response is there.
struct Exchange<'a> {
    head: &'a Head,
    request: &'a Request<'a>,
    shared: &'a Arc<Shared>,
    record: Record<'a>,
    to: oneshot::Sender<Answer>,
    held: Reservation,
    ongoing: Ongoing,
    permit: Permit,
}

impl Exchange<'_> {
    /// Sends a whole response.
    fn whole(mut self, mut response: Response) {
        self.record.responded(&mut response);
        // The tree that was made of the body is gone; the body lives as long as the request.
        self.held.shrink_to(self.request.body.len());
        let answer = reply::whole(&response, self.request, self.held, self.ongoing);
        // Free before the client knows of the response: its next request must find the place.
        drop(self.permit);
        let _ = self.to.send(answer);
    }

    /// Tells a watch on this thread.
    fn watch(mut self, stream: Box<dyn Flow + '_>) {
        let Some(_watching) = Permit::watch(self.shared) else {
            return self.whole(Refusal::too_many("watches").said());
        };
        // A watch has its own budget; the request's memory and place are free for others.
        drop((self.held, self.permit));
        self.ongoing.goes_on();
        let (out, from) = pipe::pipe();
        let _ = self.to.send(reply::pieces(&*stream, from, self.ongoing));
        let watching = self.record.watching();
        watch::run(out, &self.head.target, stream, self.shared);
        drop(watching);
        self.record.watched();
    }

    /// Connects the client with a container.
    fn connect(mut self, connection: Connection<'_>, upgrade: OnUpgrade) {
        let agreed = match upgrade::agree(self.head, &connection, self.shared) {
            Ok(agreed) => agreed,
            Err(response) => return self.whole(*response),
        };
        // The request's memory and place are free for others.
        drop((self.held, self.permit));
        self.ongoing.goes_on();
        self.record.switched();
        if self
            .to
            .send(reply::switching(agreed.headers.clone()))
            .is_ok()
        {
            let held = Held::new(self.ongoing, agreed.permit, agreed.memory);
            upgrade::run(agreed.protocol, connection, upgrade, held, self.shared);
        }
        self.record.disconnected();
    }

    /// Passes the request on to an address of this machine.
    fn pass(self, proxied: &Proxied) {
        let body = self.request.body.to_vec();
        let passing = proxy::pass(proxied, self.head, body);
        match Handle::current().block_on(passing) {
            Ok(passed) => {
                self.record.passed(passed.code);
                drop(self.permit);
                let method = &self.head.method;
                let answer = reply::passed(passed, method, self.held, self.ongoing);
                let _ = self.to.send(answer);
            }
            Err(why) => self.whole(proxy::unreachable(&why)),
        }
    }
}

/// The user of a request, and its sender if the sender acts as the user.
type Author = (User, Option<Impersonation>);

/// Returns the author of a request. With the headers that `--as` sends, its sender acts as somebody else; if
/// the sender may do so is decided when it is known what the request is for.
fn author(head: &Head, caller: Caller, service: &dyn Service) -> Result<Author, Box<Response>> {
    let by = match caller {
        // Nobody acts as somebody else without credentials.
        Caller::Anonymous => return Ok((anonymous(), None)),
        Caller::Owner => service.identity(),
        Caller::Known(user) => user,
    };
    let field = |name| head.field(name).unwrap_or_default().to_owned();
    let impersonation = Impersonation {
        by,
        name: field("impersonate-user"),
        uid: field("impersonate-uid"),
        // Groups come as one header each, as client-go sends them.
        groups: head
            .fields("impersonate-group")
            .map(str::to_owned)
            .collect(),
    };
    let Impersonation {
        by,
        name,
        uid,
        groups,
    } = &impersonation;
    match (name.is_empty(), uid.is_empty() && groups.is_empty()) {
        // Impersonation without a name is an error, and not the sender with other groups.
        (true, true) => Ok((by.clone(), None)),
        (true, false) => Err(Box::new(nobody(head, uid, groups))),
        _ => Ok((impersonation.user(), Some(impersonation))),
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
        fields: Vec::new(),
    }
}
