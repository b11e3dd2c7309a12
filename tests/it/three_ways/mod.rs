//! Tests that a request through the library, the command line and HTTP returns an equal object, error and revision, and
//! leaves an equal cluster.
//!
//! There is a copy of a directory for each way, on a fixed clock and with a fixed seed, so uids, times and tokens
//! agree, too.

mod ask;
mod table;

use std::path::Path;

use ctl::api::json::{Value, json};
use ctl::cluster::{ApiError, Cluster};

use crate::support::http::{Client, Server};
use crate::support::race::open;
use crate::support::{CommandOutput, World, finish};
use ask::{Ask, Do};

/// The result of a request: its object, or the `Status` of its error.
type Shown = Result<Value, Value>;

/// Returns a copy of a world, with its keys and its history.
fn copy(world: &World) -> World {
    let copy = World::new();
    let mut cp = world.command_for(Path::new("cp"));
    cp.arg("-a").arg(world.state()).arg(copy.state());
    let _ = finish(cp, "").ok();
    copy
}

fn by_library(cluster: &mut Cluster, ask: &Ask) -> Shown {
    ask.call(cluster).map_err(|e| match e {
        ApiError::Status(status) => status.to_value(),
        ApiError::Store(e) => panic!("{ask:?}: {e}"),
    })
}

fn by_http(client: &mut Client, cluster: &Cluster, ask: &Ask) -> Shown {
    let sent = ask.sent(cluster, &token(ask, |path| client.get(path).ok()));
    let mut fields = format!("Content-Type: {}\r\n", sent.media);
    if let Some(user) = ask.user {
        fields.push_str(&format!("Impersonate-User: {user}\r\n"));
    }
    let answer = client.ask(sent.method, &sent.path, &fields, &sent.body);
    match answer.code {
        200..300 => Ok(answer.json()),
        _ => Err(answer.json()),
    }
}

fn by_command(world: &World, cluster: &Cluster, ask: &Ask) -> (CommandOutput, bool) {
    let raw = |path: &str| {
        let out = world.run(&["get", "--raw", path]).ok();
        serde_json::from_str(&out).unwrap()
    };
    let line = ask.line(cluster, &token(ask, raw));
    let args: Vec<&str> = line.args.iter().map(String::as_str).collect();
    (world.run_with(&args, &line.input), line.prints)
}

/// Returns the continue token of the first page of a list, if a request is for the second page.
fn token(ask: &Ask, mut get: impl FnMut(&str) -> Value) -> String {
    let Do::NextPage(limit) = ask.verb else {
        return String::new();
    };
    let first = get(&format!(
        "/api/v1/namespaces/default/{}?limit={limit}",
        ask.resource
    ));
    let token = first["metadata"]["continue"].as_str();
    token.unwrap().to_owned()
}

/// Returns an object without the parts that depend on the way it was sent: items of lists and scales have their types
/// only on their own.
fn plain(mut object: Value) -> Value {
    let untyped = |object: &mut Value| {
        let fields = object.as_object_mut();
        fields.map(|fields| (fields.remove("kind"), fields.remove("apiVersion")));
    };
    untyped(&mut object);
    let items = object.get_mut("items").and_then(Value::as_array_mut);
    items.into_iter().flatten().for_each(untyped);
    object
}

/// All differences found: a single one rarely shows its cause.
#[derive(Default)]
struct Differences(Vec<String>);

impl Differences {
    /// Records a difference unless two values are equal.
    fn same(&mut self, way: &str, ask: &Ask, expected: &Value, found: &Value) {
        if expected != found {
            let (verb, name) = (&ask.verb, ask.name);
            self.0.push(format!(
                "{way}: {} {name} {verb:?}\n    library: {expected}\n    {way}: {found}",
                ask.resource
            ));
        }
    }

    /// Compares the result over HTTP with that of the library.
    fn over_http(&mut self, ask: &Ask, library: &Shown, http: &Shown) {
        let (Ok(object), Ok(shown)) = (library, http) else {
            let plainly = |result: &Shown| result.clone().unwrap_or_else(|status| status);
            return self.same("HTTP", ask, &plainly(library), &plainly(http));
        };
        match shown["status"].as_str() {
            // For a deletion, the library returns the last state of the object, but HTTP returns its name and uid.
            Some("Success") if shown["details"].is_null() => {}
            Some("Success") => {
                let told = json!([object["metadata"]["name"], object["metadata"]["uid"]]);
                let details = &shown["details"];
                self.same(
                    "HTTP",
                    ask,
                    &told,
                    &json!([details["name"], details["uid"]]),
                );
            }
            // For a deleted collection, the state that is compared next contains none of its objects.
            None if object.is_null() => {}
            _ => self.same("HTTP", ask, &plain(object.clone()), &plain(shown.clone())),
        }
    }

    /// Compares the output of a command with the result of the library.
    fn by_command(&mut self, ask: &Ask, library: &Shown, ran: &CommandOutput, prints: bool) {
        let status = match library {
            Ok(object) if ran.code == 0 && prints => {
                let shown: Value = serde_json::from_str(&ran.out).unwrap();
                return self.same("command", ask, &plain(object.clone()), &plain(shown));
            }
            Ok(object) => {
                let ended = json!([ran.code, ran.err]);
                // The command prints a message about the object instead.
                let expected = if ran.code == 0 { &ended } else { object };
                return self.same("command", ask, expected, &ended);
            }
            Err(status) => status,
        };
        let err = ran.clone().fails();
        let causes = status["details"]["causes"].as_array();
        // kubectl prints the causes of an invalid object after its own text.
        let invalid = causes.filter(|all| status["reason"] == "Invalid" && !all.is_empty());
        let said: Vec<&Value> = match invalid {
            Some(causes) => causes.iter().map(|cause| &cause["message"]).collect(),
            None => vec![&status["message"]],
        };
        for said in said {
            if !err.contains(said.as_str().unwrap()) {
                self.same("command", ask, said, &json!(err));
            }
        }
        if let Some(rest) = err.strip_prefix("Error from server (") {
            let reason = json!(rest.split(')').next());
            self.same("command", ask, &status["reason"], &reason);
        }
    }
}

#[test]
fn library_command_and_http_give_equal_results() {
    let first = World::fresh();
    // The key that signs tokens is created once, so that all copies share it.
    let _ = first.run(&["create", "token", "default"]).ok();
    // The first start of a server adds the roles of components, which takes revisions.
    assert_eq!(Server::start(&first, &[]).stop().code, 0);
    let (second, third) = (copy(&first), copy(&first));
    let mut library = open(&first, "library");
    let server = Server::start(&second, &[]);
    let mut client = server.client();
    let rows = table::rows();
    assert!(rows.len() >= 40, "{}", rows.len());
    let mut found = Differences::default();
    for (row, reason) in &rows {
        let called = by_library(&mut library, row);
        let refused = called.as_ref().err().map(|status| &status["reason"]);
        // Without this, three equal rejections of a row that should succeed would pass.
        found.same(
            "expected",
            row,
            &json!(reason),
            &json!(refused.unwrap_or(&json!(""))),
        );
        let over_http = by_http(&mut client, &library, row);
        found.over_http(row, &called, &over_http);
        let (ran, prints) = by_command(&third, &library, row);
        found.by_command(row, &called, &ran, prints);
        // The comparison covers every object with its revision.
        let stored = [&first, &second, &third].map(|world| json!(world.list()));
        found.same("HTTP", row, &stored[0], &stored[1]);
        found.same("command", row, &stored[0], &stored[2]);
    }
    assert!(found.0.is_empty(), "{}", found.0.join("\n"));
    crate::support::note(&format!("{} requests in three ways", rows.len()));
}

/// Returns a ConfigMap.
fn map(name: &str, label: &str) -> Value {
    json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name, "labels": {"app": label}}, "data": {"k": "v"}})
}
