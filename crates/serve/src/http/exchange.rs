//! Handles a request: reads its body, runs the handler on a thread, and sends the response. A watch goes on as a task.

use std::io;
use std::sync::Arc;

use hyper::body::{Body as _, Incoming};
use hyper::upgrade::OnUpgrade;
use hyper::{Method, Version};
use tokio::runtime::Handle;
use tokio::sync::oneshot;

use super::author::author;
use super::head::Head;
use super::hub::{self, Woken};
use super::lists::Lists;
use super::login::{self, Caller, Credentials};
use super::record::{self, Received, Record, RejectedRequest, RequestRecord};
use super::refusal::Refusal;
use super::reply::{self, Answer};
use super::route::Route;
use super::shared::{InFlightRequest, Permit, Shared};
use super::upgrade::streamed::{self, Content};
use super::upgrade::{self, ConnectionResources};
use super::{body, guard, pipe, proxy, watch};
use crate::budget::Reservation;
use crate::read::TREE;
use crate::sys::net::within;
use crate::{
    Body, Connection, Flow, Metrics, Proxied, Reply, Request, Response, Service, Stream, Tokens,
};

/// The size from which on a body reserves additional memory for the tree of its content.
const LARGE: usize = 64 * 1024;

/// A complete request with its resources.
struct CompleteRequest {
    head: Head,
    caller: Caller,
    body: Vec<u8>,
    held: Reservation,
    ongoing: InFlightRequest,
    permit: Permit,
    /// The connection, once the client has received the response to its upgrade request.
    upgrade: OnUpgrade,
}

/// Responds to a request.
///
/// # Errors
/// Returns an error if there is no client to receive the response.
pub(super) async fn answer<S: Service + 'static>(
    mut request: hyper::Request<Incoming>,
    ongoing: InFlightRequest,
    service: Arc<S>,
) -> io::Result<Answer> {
    let shared = Arc::clone(ongoing.shared());
    let upgrade = hyper::upgrade::on(&mut request);
    let (parts, mut incoming) = request.into_parts();
    let head = Head::new(parts);
    let mut held = shared.budget.reserve();
    let version = head.version;
    let (refusal, user) = match authenticated(&head, &service, &ongoing).await {
        Err(refusal) => (refusal, None),
        Ok(caller) => match read(&mut incoming, &ongoing, &mut held, &head.method).await {
            Err(refusal) => (refusal, Some(caller.user(&*service))),
            Ok((body, permit)) => {
                let asked = CompleteRequest {
                    head,
                    caller,
                    body,
                    held,
                    ongoing,
                    permit,
                    upgrade,
                };
                return match is_prompt(&asked, &*service, &shared) {
                    true => at_once(asked, &*service, &shared).await,
                    false => on_thread(asked, service, shared).await,
                };
            }
        },
    };
    let mut response = refusal.said();
    let refused = RejectedRequest {
        response: &mut response,
        user,
        has_certificate: ongoing.peer().is_some(),
    };
    record::record_rejection(&shared, &head, ongoing.source(), refused);
    if version == Version::HTTP_2 && !incoming.is_end_stream() {
        // The time limit for a request's head also applies here: nothing else waits for the rest of a rejected body.
        let patience = shared.limits.head;
        tokio::spawn(async move { within(patience, body::discard(incoming)).await });
    }
    match refusal.is_silent() {
        true => Err(io::ErrorKind::ConnectionAborted.into()),
        false => Ok(reply::rejection(&response, version, held, ongoing)),
    }
}

/// Authenticates the sender of a request.
async fn authenticated<S: Service + 'static>(
    head: &Head,
    service: &Arc<S>,
    ongoing: &InFlightRequest,
) -> Result<Caller, Refusal> {
    let shared = ongoing.shared();
    // Comes before reading the body: a request from a web page must not cost memory.
    guard::check(head, &shared.host, shared.tls.is_some())?;
    if let Some(entered) = login::enter(head, shared.token.as_ref(), shared.tls.is_some()) {
        return Err(entered);
    }
    // Nor may clients without credentials make the server hold a body.
    let caller = login::caller(head, shared.token.as_ref(), ongoing.peer());
    let unauthorized = || login::unknown(head);
    match caller.ok_or_else(unauthorized)? {
        Credentials::Token(token) => {
            let service = Arc::clone(service);
            // The account is read from the store, which may block on files.
            let asked = tokio::task::spawn_blocking(move || service.bearer(&token));
            let user = asked.await.ok().flatten();
            // If that thread panics, access is denied.
            Ok(Caller::Known(user.ok_or_else(unauthorized)?))
        }
        Credentials::Of(caller) => Ok(caller),
    }
}

/// Reads the body of a request and reserves a slot for handling it.
async fn read(
    incoming: &mut Incoming,
    ongoing: &InFlightRequest,
    held: &mut Reservation,
    method: &Method,
) -> Result<(Vec<u8>, Permit), Refusal> {
    let shared = ongoing.shared();
    let reading = body::read(incoming, held, |cx| ongoing.is_cut(cx));
    let read = within(shared.limits.body, reading).await;
    let body = read.map_err(|_| Refusal::silent())??;
    // The tree of a large body is even larger.
    if body.len() > LARGE {
        body::grow(held, TREE * body.len()).await?;
    }
    let is_read = matches!(*method, Method::GET | Method::HEAD);
    Ok((body, Permit::request(shared, is_read)?))
}

/// Returns true if a request is an administrator's read of a single object, which is unlikely to block.
fn is_prompt(asked: &CompleteRequest, service: &impl Service, shared: &Shared) -> bool {
    let head = &asked.head;
    let route = Route::new(head.method.as_str(), &head.target);
    let is_get = route.counted_as() == "GET" && route.is_named() && route.subresource.is_empty();
    // An escaped slash could turn this into another path, such as one that is forwarded.
    if !is_get || head.target.contains('%') || head.field("impersonate-user").is_some() {
        return false;
    }
    let user = match &asked.caller {
        Caller::Anonymous => return false,
        Caller::Owner => &service.identity(),
        Caller::Known(user) => user,
    };
    // Logs are written to files, and responses wait for memory if most of it is in use.
    shared.logs.is_empty()
        && shared.budget.used() < shared.limits.memory / 2
        && service.is_prompt(user, route.group, route.version, route.resource)
}

/// Handles a request on the connection's own thread, which saves switching to another one.
async fn at_once<S: Service + 'static>(
    asked: CompleteRequest,
    service: &S,
    shared: &Arc<Shared>,
) -> io::Result<Answer> {
    let (sender, receiver) = oneshot::channel();
    let watch = handle(asked, service, shared, sender);
    debug_assert!(watch.is_none(), "a read of one object does not go on");
    receiver.await.map_err(io::Error::other)
}

/// Handles a request on another thread, because the handler may block on files and locks.
async fn on_thread<S: Service + 'static>(
    asked: CompleteRequest,
    service: Arc<S>,
    shared: Arc<Shared>,
) -> io::Result<Answer> {
    let (sender, receiver) = oneshot::channel();
    tokio::task::spawn_blocking(move || {
        if let Some(watch) = handle(asked, &*service, &shared, sender) {
            // From here on, the watch needs no thread.
            let woken = hub::register(&service, &shared, watch.begun.stream.resource());
            tokio::spawn(watch.run(woken, shared));
        }
    });
    // If there is no response, the handler has panicked.
    receiver.await.map_err(io::Error::other)
}

/// Handles a request. Returns the watch if it starts one.
fn handle(
    asked: CompleteRequest,
    service: &dyn Service,
    shared: &Arc<Shared>,
    to: oneshot::Sender<Answer>,
) -> Option<Watch> {
    let CompleteRequest {
        head,
        caller,
        body,
        held,
        ongoing,
        permit,
        upgrade,
    } = asked;
    // The client may have closed the connection by now, so a failed `send` below is not an error.
    let (user, impersonation) = match author(&head, caller, service) {
        Ok(author) => author,
        Err(response) => {
            let _ = to.send(reply::rejection(&response, head.version, held, ongoing));
            return None;
        }
    };
    let came = Received {
        head: &head,
        body: &body,
        source: ongoing.source(),
    };
    // Comes before the execution, because a request that cannot be logged must not be executed.
    let begun = Record::begin(shared, came, &user, impersonation.as_ref());
    let record = match begun {
        Ok(record) => record,
        Err(status) => {
            let refused = reply::rejection(&status.into(), head.version, held, ongoing);
            let _ = to.send(refused);
            return None;
        }
    };
    let numbers = || shared.numbers();
    let metrics = Metrics(&numbers);
    let known = |token: &str| shared.token.as_ref()?.reviewed(token, service);
    let tokens = Tokens(&known);
    let lists = Lists::new(shared);
    let request = Request {
        method: head.method.as_str(),
        path: &head.target,
        content_type: head.field("content-type").unwrap_or_default(),
        accept: head.field("accept").unwrap_or_default(),
        accept_encoding: head.field("accept-encoding").unwrap_or_default(),
        if_none_match: head.field("if-none-match").unwrap_or_default(),
        user_agent: head.field("user-agent").unwrap_or_default(),
        body: &body,
        user,
        impersonation,
        host: head.hosts().next().unwrap_or_default(),
        nodes: shared.nodes,
        notes: record.notes(),
        metrics: Some(&metrics),
        tokens: Some(&tokens),
        process: Some(&shared.process),
        memory: Some(&lists),
        // The audit log may need the object in the response.
        takes_bytes: !record.reads_objects(),
    };
    let exchange = Exchange {
        record,
        head: &head,
        request: &request,
        lists: &lists,
        shared,
        to,
        held,
        ongoing,
        permit,
    };
    match service.open(&request) {
        Reply::Whole(response) if is_log_for_socket(&head, &response) => {
            exchange.log(response, upgrade);
        }
        Reply::Whole(response) => exchange.whole(response),
        Reply::Watch(stream) => {
            let begun = exchange.watch(stream, upgrade)?;
            return Some(Watch { head, body, begun });
        }
        Reply::Flow(flow) => exchange.flow(flow, upgrade),
        Reply::Connect(connection) => exchange.connect(connection, upgrade),
        Reply::Proxy(proxied) => exchange.pass(&proxied),
    }
    None
}

/// Returns true if the response is a log that the client wants as WebSocket messages.
fn is_log_for_socket(head: &Head, response: &Response) -> bool {
    let is_text = response.code == 200 && matches!(response.body, Body::Text(_));
    is_text
        && head.is_socket()
        && Route::new(head.method.as_str(), &head.target).subresource == "log"
}

/// A watch whose response headers have been sent, with its request.
struct Watch {
    head: Head,
    body: Vec<u8>,
    begun: DetachedWatch,
}

/// A watch without its request.
struct DetachedWatch {
    stream: Box<Stream>,
    out: pipe::Sender,
    permit: Permit,
    record: RequestRecord,
}

impl Watch {
    /// Sends events until the watch ends.
    async fn run(self, woken: Woken, shared: Arc<Shared>) {
        let Self { head, body, begun } = self;
        // Counted here, because the count must end with the watch rather than the request.
        let counted = record::watching(&shared, &head);
        let source = watch::Watched::new(begun.stream, woken, &shared);
        let end = watch::run(&begun.out, &head.target, source, &shared).await;
        drop(counted);
        // Logged before the response ends, because a stopping server waits only for responses.
        if shared.logs.is_empty() {
            begun.record.with(&shared, &head, &body).watched();
        } else {
            // Logs are written to files, and a panic there must not break the response.
            let _ = tokio::task::spawn_blocking(move || {
                begun.record.with(&shared, &head, &body).watched();
            })
            .await;
        }
        end.finish(begun.out);
        drop(begun.permit);
    }
}

/// A request being handled, with its resources until the response is ready.
struct Exchange<'a> {
    head: &'a Head,
    request: &'a Request<'a>,
    lists: &'a Lists,
    shared: &'a Arc<Shared>,
    record: Record<'a>,
    to: oneshot::Sender<Answer>,
    held: Reservation,
    ongoing: InFlightRequest,
    permit: Permit,
}

impl<'a> Exchange<'a> {
    /// Sends a complete response.
    fn whole(mut self, mut response: Response) {
        self.record.responded(&mut response);
        // The tree of the body has been freed by now; the bytes live as long as the request.
        self.held.shrink_to(self.request.body.len());
        self.held.add(self.lists.take());
        let answer = reply::whole(&mut response, self.request, self.held, self.ongoing);
        // Released before the client receives the response, because its next request needs the slot.
        drop(self.permit);
        let _ = self.to.send(answer);
    }

    /// Starts a watch.
    fn watch(self, stream: Box<Stream>, upgrade: OnUpgrade) -> Option<DetachedWatch> {
        let (permit, out, record) = self.streaming(&*stream, upgrade)?;
        record.started();
        Some(DetachedWatch {
            stream,
            out,
            permit,
            record: record.keep(),
        })
    }

    /// Runs another kind of stream on this thread.
    fn flow(self, flow: Box<dyn Flow + '_>, upgrade: OnUpgrade) {
        let (head, shared) = (self.head, self.shared);
        let Some((_permit, out, record)) = self.streaming(&*flow, upgrade) else {
            return;
        };
        record.started();
        let counted = record::watching(shared, head);
        let run = watch::run(&out, &head.target, watch::OnThread(flow), shared);
        let end = Handle::current().block_on(run);
        drop(counted);
        record.watched();
        end.finish(out);
    }

    /// Sends the headers of a streaming response, unless there are too many of them already.
    fn streaming(
        mut self,
        flow: &dyn Flow,
        upgrade: OnUpgrade,
    ) -> Option<(Permit, pipe::Sender, Record<'a>)> {
        let content = match (flow.is_binary(), flow.media()) {
            (true, _) => Content::Prefixed,
            (false, "application/json") => Content::Lines,
            (false, _) => Content::Text,
        };
        let streamed = match streamed::agree(self.head, content).transpose() {
            Ok(streamed) => streamed,
            Err(response) => {
                self.whole(*response);
                return None;
            }
        };
        let Some(permit) = Permit::watch(self.shared) else {
            self.whole(Refusal::too_many("watches").said());
            return None;
        };
        // A watch has a budget of its own, so the memory and slot of the request can go to others.
        drop((self.held, self.permit));
        self.ongoing.mark_endless();
        let (out, from) = pipe::pipe();
        match streamed {
            None => drop(self.to.send(reply::pieces(flow, from, self.ongoing))),
            Some(streamed) => {
                let _ = self.to.send(reply::switching(streamed.headers.clone()));
                let shared = Arc::clone(self.shared);
                let held = ConnectionResources::streaming(self.ongoing);
                let run = streamed::run(streamed, from, upgrade, held, shared);
                Handle::current().spawn(run);
            }
        }
        Some((permit, out, self.record))
    }

    /// Sends a complete log as messages.
    fn log(self, response: Response, upgrade: OnUpgrade) {
        let streamed = match streamed::agree(self.head, Content::Text).transpose() {
            Ok(Some(streamed)) => streamed,
            Ok(None) => return self.whole(response),
            Err(refused) => return self.whole(*refused),
        };
        let Body::Text(text) = response.body else {
            return;
        };
        // Takes the slot of a watch, as for a container, because the client may read slowly.
        let Some(permit) = Permit::watch(self.shared) else {
            return self.whole(Refusal::too_many("watches").said());
        };
        let mut memory = self.shared.budget.reserve();
        if memory.grow(text.len()).is_err() {
            return self.whole(Refusal::no_memory().said());
        }
        self.record.switched();
        let (out, from) = pipe::pipe();
        let _ = self.to.send(reply::switching(streamed.headers.clone()));
        // The pipe holds a single piece, which is enough for a complete log.
        out.send(text.into_bytes(), true);
        out.finish();
        let shared = Arc::clone(self.shared);
        let held = ConnectionResources::new(self.ongoing, permit, memory);
        let run = streamed::run(streamed, from, upgrade, held, shared);
        Handle::current().spawn(run);
        self.record.disconnected();
    }

    /// Connects the client to a container.
    fn connect(mut self, connection: Connection<'_>, upgrade: OnUpgrade) {
        let agreed = match upgrade::agree(self.head, &connection, self.shared) {
            Ok(agreed) => agreed,
            Err(response) => return self.whole(*response),
        };
        // Frees the request's memory and slot for others.
        drop((self.held, self.permit));
        self.ongoing.mark_endless();
        self.record.switched();
        if self
            .to
            .send(reply::switching(agreed.headers.clone()))
            .is_ok()
        {
            let held = ConnectionResources::new(self.ongoing, agreed.permit, agreed.memory);
            upgrade::run(agreed.protocol, connection, upgrade, held, self.shared);
        }
        self.record.disconnected();
    }

    /// Forwards the request to a local address.
    fn pass(self, proxied: &Proxied) {
        let body = self.request.body.to_vec();
        let passing = proxy::pass(proxied, self.head, self.ongoing.source(), body);
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

#[cfg(test)]
mod tests {
    use std::sync::Mutex;
    use std::thread::{self, ThreadId};

    use super::super::shared::Limits;
    use super::super::tests::{fresh, shared};
    use super::*;
    use crate::cluster::Follower;
    use crate::cluster::testing::Scratch;
    use crate::fuzz::converse;
    use crate::kinds::admission::User;

    /// A cluster that records the thread of each request.
    struct Noting {
        scratch: Arc<Scratch>,
        threads: Mutex<Vec<ThreadId>>,
    }

    impl Service for Noting {
        fn open<'s>(&'s self, request: &Request<'_>) -> Reply<'s> {
            self.threads.lock().unwrap().push(thread::current().id());
            self.scratch.cluster.open(request)
        }

        fn identity(&self) -> User {
            self.scratch.cluster.identity()
        }

        fn bearer(&self, token: &str) -> Option<User> {
            self.scratch.cluster.bearer(token)
        }

        fn follower(&self) -> Option<Follower<'_>> {
            self.scratch.cluster.follower()
        }

        fn is_prompt(&self, user: &User, group: &str, version: &str, resource: &str) -> bool {
            let cluster = &self.scratch.cluster;
            cluster.is_prompt(user, group, version, resource)
        }
    }

    #[test]
    fn only_a_get_of_one_object_is_handled_on_the_thread_of_its_connection() {
        let namespace = "/api/v1/namespaces/default";
        let cases = [
            ("GET", format!("{namespace}/configmaps/a"), "", true),
            ("GET", namespace.to_owned(), "", true),
            (
                "GET",
                "/apis/apps/v1/namespaces/default/deployments/a?pretty=1".to_owned(),
                "",
                true,
            ),
            ("GET", format!("{namespace}/configmaps"), "", false),
            (
                "GET",
                format!("{namespace}/configmaps?watch=1&timeoutSeconds=1"),
                "",
                false,
            ),
            ("GET", format!("{namespace}/pods/a/log"), "", false),
            ("GET", format!("{namespace}/pods/a%2Fproxy%2Fx"), "", false),
            ("GET", "/api/v1/nodes/a/proxy/healthz".to_owned(), "", false),
            (
                "GET",
                "/apis/sea.example.com/v1/namespaces/default/boats/a".to_owned(),
                "",
                false,
            ),
            (
                "GET",
                "/apis/metrics.k8s.io/v1beta1/nodes/a".to_owned(),
                "",
                false,
            ),
            ("GET", "/healthz".to_owned(), "", false),
            ("DELETE", format!("{namespace}/configmaps/a"), "", false),
            (
                "GET",
                format!("{namespace}/configmaps/a"),
                "Impersonate-User: ann\r\n",
                false,
            ),
        ];
        let service = Arc::new(Noting {
            scratch: fresh(),
            threads: Mutex::default(),
        });
        for (method, path, fields, on_its_thread) in cases {
            let sent = format!("{method} {path} HTTP/1.1\r\nHost: localhost\r\n{fields}\r\n");
            let shared = shared(Limits::default());
            let sends = crate::fuzz::Sends {
                bytes: sent.as_bytes(),
                piece: 1000,
                stays: false,
            };
            let got = converse(&service, sends, &shared);
            // A watch sends nothing to a client that has disconnected.
            let is_answered = got.starts_with(b"HTTP/1.1 ") || path.contains("watch=1");
            assert!(is_answered, "{method} {path}");
            let threads = std::mem::take(&mut *service.threads.lock().unwrap());
            let is_here = threads == [thread::current().id()];
            assert_eq!(is_here, on_its_thread, "{method} {path} {fields}");
        }
    }
}
