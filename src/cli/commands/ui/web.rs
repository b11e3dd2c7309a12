//! The web view: serves the page of `ctl-scene` at `/ui`, and below it the page's data and the commands behind its
//! keys.
//!
//! The server rejects requests without the token (`serve::http`). Each connection to `/ui/events` reads the cluster on
//! its own thread.

use std::fmt;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, PoisonError};
use std::time::Duration;

use ctl_scene::{Scope, Step, view as draw};
use ctl_tui::Prompt;

use super::forks::{Forks, ServedCluster};
use super::view::{BUSY, CLOCK, View, plan_aside};
use crate::api::json::{Value, from_bytes, json};
use crate::api::status::Status;
use crate::cli::commands::plot;
use crate::cli::error::CliError;
use crate::cluster::{ApiError, Cluster, Follower, Revision};
use crate::kinds::admission::User;
use crate::serve::{Body, Flow, Reply, Request, Response, Service};
use crate::sys::clock::Stopwatch;

/// The media type of the events.
const EVENTS: &str = "text/event-stream";

/// A cluster with its web view.
pub(in crate::cli::commands) struct Site {
    shown: Forks,
    /// The part that is shown if the URL names no namespace.
    scope: Scope,
    /// True if the Kubernetes API is served, too.
    has_api: bool,
}

impl Site {
    pub(super) fn new(shown: Forks, scope: Scope) -> Self {
        Self {
            shown,
            scope,
            has_api: false,
        }
    }

    #[must_use]
    pub(super) fn with_api(mut self) -> Self {
        self.has_api = true;
        self
    }

    fn cluster(&self) -> &Cluster {
        &self.shown.main().cluster
    }

    /// Returns the cluster that a request refers to: a fork if it names one.
    fn shown(&self, request: &Request<'_>) -> Result<Arc<ServedCluster>, CliError> {
        match request.option("fork") {
            Some(number) => self.shown.find(&number),
            None => Ok(Arc::clone(self.shown.main())),
        }
    }

    fn scope(&self, request: &Request<'_>) -> Scope {
        match request.option("namespace") {
            Some(namespace) => Scope::namespace(&namespace),
            None => self.scope.clone(),
        }
    }

    fn view(&self, request: &Request<'_>) -> Result<View, CliError> {
        let shown = self.shown(request)?;
        View::new(Arc::clone(&shown.cluster), self.scope(request))
    }

    fn answer<'s>(&'s self, request: &Request<'_>) -> Result<Reply<'s>, CliError> {
        let read = matches!(request.method, "GET" | "HEAD");
        let response = match (read, request.method, request.route()) {
            (true, _, "/ui") => page(&self.scope(request)),
            (true, _, "/ui/state") => self.state(request)?,
            (true, _, "/ui/why") => self.why(request)?,
            (true, _, "/ui/prompt") => self.prompt(request)?,
            (_, "POST", "/ui/run") => self.run(request)?,
            (_, "POST", "/ui/fork") => self.fork(request)?,
            (_, "POST", "/ui/discard") => self.discard(request)?,
            (_, "GET", "/ui/events") => {
                return Ok(Reply::Flow(Box::new(Feed::start(self.view(request)?)?)));
            }
            _ => Status {
                code: 404,
                reason: "NotFound",
                ..Status::bad_request("the web view has no such page")
            }
            .into(),
        };
        Ok(Reply::Whole(response))
    }

    fn state(&self, request: &Request<'_>) -> Result<Response, CliError> {
        let (view, at) = (self.view(request)?, revision(request)?);
        let present = view.present(&view.snapshot(at)?, at)?;
        Ok(data(&draw::live::present(&present)))
    }

    fn why(&self, request: &Request<'_>) -> Result<Response, CliError> {
        let (view, at) = (self.view(request)?, revision(request)?);
        let uid = request.option("uid").unwrap_or_default();
        let snapshot = view.snapshot(at)?;
        let shown = self.shown(request)?;
        let mut history = shown.history.lock().unwrap_or_else(PoisonError::into_inner);
        let lines = view.why(&snapshot, &uid, at, &mut history)?;
        Ok(data(&json!({"lines": lines.unwrap_or_default()})))
    }

    /// Returns the command line that a key proposes.
    fn prompt(&self, request: &Request<'_>) -> Result<Response, CliError> {
        let option = |name: &str| request.option(name).unwrap_or_default();
        let prompt = self.filled_in(request, &option)?;
        let mut value = json!({"line": prompt.words()});
        if let Some((last, input)) = prompt.blank() {
            value["last"] = last.into();
            value["input"] = input.into();
        }
        Ok(data(&value))
    }

    /// Runs the command of a key. The page sends the key rather than the command, so that a page cannot run anything
    /// else.
    fn run(&self, request: &Request<'_>) -> Result<Response, CliError> {
        let asked = sent(request)?;
        let option = |name: &str| asked[name].as_str().unwrap_or_default().to_owned();
        let prompt = self.filled_in(request, &option)?;
        let prompt = prompt
            .with_input(&option("input"))
            .map_err(CliError::text)?;
        let said = self.shown(request)?.runner.run(prompt.arguments());
        Ok(data(&json!({"done": said.is_done, "text": said.text})))
    }

    /// Forks the cluster, in its current state or at the revision that the page shows.
    fn fork(&self, request: &Request<'_>) -> Result<Response, CliError> {
        let number = self.shown.make(sent(request)?["at"].as_u64())?;
        Ok(data(&json!({"fork": number})))
    }

    fn discard(&self, request: &Request<'_>) -> Result<Response, CliError> {
        self.shown.discard(&sent(request)?["fork"].to_string());
        Ok(data(&json!({})))
    }

    fn filled_in(
        &self,
        request: &Request<'_>,
        option: &dyn Fn(&str) -> String,
    ) -> Result<Prompt, CliError> {
        let view = self.view(request)?;
        let present = view.present(&view.snapshot(None)?, None)?;
        let key = option("key").chars().next().unwrap_or_default();
        Prompt::for_key(&present, key, &option("uid"), &option("node")).map_err(CliError::text)
    }
}

impl Service for Site {
    fn open<'s>(&'s self, request: &Request<'_>) -> Reply<'s> {
        let route = request.route();
        if !self.has_api && route == "/" {
            return Reply::Whole(moved());
        }
        if route != "/ui" && !route.starts_with("/ui/") {
            return match self.has_api {
                true => self.cluster().open(request),
                false => Reply::Whole(missing()),
            };
        }
        // The view reads as the owner of the server, whose rights exceed those of other users.
        if request.user != self.identity() || request.impersonation.is_some() {
            let text = "only the administrator of the server may use the web view";
            let refused = Status {
                code: 403,
                reason: "Forbidden",
                ..Status::bad_request(text)
            };
            return Reply::Whole(refused.into());
        }
        self.answer(request)
            .unwrap_or_else(|error| Reply::Whole(failed(error)))
    }

    fn identity(&self) -> User {
        self.cluster().rights().identity().clone()
    }

    fn is_prompt(&self, user: &User, group: &str, version: &str, resource: &str) -> bool {
        let api = self.cluster();
        self.has_api && api.is_prompt(user, group, version, resource)
    }

    fn bearer(&self, token: &str) -> Option<User> {
        self.cluster().rights().bearer(token)
    }

    fn follower(&self) -> Option<Follower<'_>> {
        Some(self.cluster().feed().follower())
    }
}

/// Returns the JSON body of a request.
fn sent(request: &Request<'_>) -> Result<Value, CliError> {
    // A form on another site cannot send this content type.
    if request.content_type != "application/json" {
        return Err(CliError::text(
            "the Content-Type of a command must be application/json",
        ));
    }
    from_bytes(request.body, &[])
        .map_err(|e| CliError::text(format!("the command cannot be read: {e}")))
}

/// Returns the page, with headers that keep out other sites and scripts.
fn page(scope: &Scope) -> Response {
    let fields = [
        ("content-security-policy", draw::html::policy()),
        ("referrer-policy", "no-referrer".to_owned()),
        ("cross-origin-opener-policy", "same-origin".to_owned()),
        ("cross-origin-resource-policy", "same-origin".to_owned()),
        ("cache-control", "no-store".to_owned()),
    ];
    Response {
        code: 200,
        body: Body::Text(draw::html::live(&plot::title(scope))),
        warnings: Vec::new(),
        media: "text/html; charset=utf-8",
        fields: fields.into(),
    }
}

fn data(value: &Value) -> Response {
    Response {
        code: 200,
        body: Body::Text(value.to_string()),
        warnings: Vec::new(),
        media: "application/json",
        fields: vec![("cache-control", "no-store".to_owned())],
    }
}

fn missing() -> Response {
    Response {
        code: 404,
        body: Body::Text("404 page not found\n".to_owned()),
        warnings: Vec::new(),
        media: "",
        fields: Vec::new(),
    }
}

fn moved() -> Response {
    Response {
        code: 303,
        fields: vec![("location", "/ui".to_owned())],
        ..missing()
    }
}

fn failed(error: CliError) -> Response {
    match error {
        CliError::Server(status) => ApiError::Status(status).into(),
        CliError::Store(error) => ApiError::Store(error).into(),
        error => Status::bad_request(error.in_one_line()).into(),
    }
}

fn revision(request: &Request<'_>) -> Result<Option<Revision>, CliError> {
    let parse = |text: String| {
        let parsed = text.parse::<Revision>();
        parsed.map_err(|_| CliError::text(format!("{text:?} is not a revision")))
    };
    request.option("at").map(parse).transpose()
}

/// The stream of changes of a cluster, as server-sent events.
struct Feed {
    view: View,
    /// The last revision that the client has received; none before the first event.
    seen: Option<Revision>,
    /// The last commit that the client has received.
    stops: Option<Revision>,
    second: i64,
    read: Stopwatch,
    has_failed: bool,
    planner: Sender<()>,
    plans: Receiver<Result<Vec<Step>, CliError>>,
}

impl fmt::Debug for Feed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Feed").field("seen", &self.seen).finish()
    }
}

impl Feed {
    fn start(view: View) -> Result<Self, CliError> {
        let (sender, plans) = channel();
        let planner = plan_aside(Arc::clone(&view.cluster), move |steps| {
            // A closed page needs no plan.
            let _ = sender.send(steps);
        })?;
        Ok(Self {
            view,
            seen: None,
            stops: None,
            second: 0,
            read: Stopwatch::start(),
            has_failed: false,
            planner,
            plans,
        })
    }

    /// Appends everything that the client has not received yet.
    fn tell(&mut self, out: &mut Vec<u8>) -> Result<(), CliError> {
        let cluster = &self.view.cluster;
        let revision = cluster.stored().revision()?;
        if self.seen == Some(revision) {
            let second = cluster.now()?.as_second();
            if second != self.second {
                self.second = second;
                event("time", &json!({"time": second}), out);
            }
        } else {
            // Commits come before the state: a page that shows the present must know that the timeline has grown.
            let (stops, last) = self.view.stops(self.stops.unwrap_or(0))?;
            let present = self.view.present(&self.view.snapshot(None)?, None)?;
            if self.stops.is_none() || !stops.is_empty() {
                let is_first = self.stops.is_none();
                event("stops", &draw::live::stops(&stops, is_first), out);
            }
            event("state", &draw::live::present(&present), out);
            (self.stops, self.seen) = (Some(last), Some(revision));
            self.second = present.time.as_second();
            // The planner outlives this sender, so sending does not fail.
            let _ = self.planner.send(());
        }
        if let Some(steps) = self.plans.try_iter().last() {
            event("queue", &draw::live::queue(&steps?), out);
        }
        Ok(())
    }
}

impl Flow for Feed {
    fn wait(&mut self, patience: Duration) -> Result<(), ApiError> {
        let Some(seen) = self.seen.filter(|_| !self.has_failed) else {
            // If the cluster cannot be read now, for example because of an injected fault, the read is retried a little
            // later.
            std::thread::sleep(if self.has_failed {
                patience
            } else {
                Duration::ZERO
            });
            return Ok(());
        };
        std::thread::sleep(BUSY.saturating_sub(self.read.elapsed()).min(patience));
        self.view.cluster.wait(seen, patience.min(CLOCK))?;
        Ok(())
    }

    fn next(&mut self, _: Duration) -> Option<Vec<u8>> {
        let mut out = Vec::new();
        let told = self.tell(&mut out);
        self.has_failed = told.is_err();
        if let Err(error) = told {
            event("failed", &json!({"message": error.in_one_line()}), &mut out);
        }
        self.read = Stopwatch::start();
        Some(out)
    }

    fn left_behind(&self) -> Vec<u8> {
        // This ends the event, which the browser drops. It then reconnects and receives everything again.
        b"\n\n".to_vec()
    }

    fn media(&self) -> &'static str {
        EVENTS
    }

    fn is_binary(&self) -> bool {
        false
    }
}

/// Appends a server-sent event. JSON has no line breaks, so the data cannot end the event.
fn event(name: &str, data: &Value, out: &mut Vec<u8>) {
    out.extend_from_slice(format!("event: {name}\ndata: {data}\n\n").as_bytes());
}
