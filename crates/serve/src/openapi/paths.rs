//! The paths of a kind and of its subresources, with their operations and the options of each operation.

use super::bodies::Bodies;
use super::options::{self, DELETE, DELETE_ALL, LIST, LOG, PATCH, READ, WRITE};
use super::{Format, SchemaNames, path};
use crate::api::json::{Map, Value, json};
use crate::kinds::{Kind, Subresource};

/// The subresources that connect to a container, a port or an address, with their methods and their options.
const CONNECTIONS: &[(&str, &[&str], &[&str])] = &[
    (
        "attach",
        STREAMED,
        &["container", "stderr", "stdin", "stdout", "tty"],
    ),
    (
        "exec",
        STREAMED,
        &["command", "container", "stderr", "stdin", "stdout", "tty"],
    ),
    ("portforward", STREAMED, &["ports"]),
    ("proxy", PROXIED, &["path"]),
];
const STREAMED: &[&str] = &["get", "post"];
const PROXIED: &[&str] = &["delete", "get", "head", "options", "patch", "post", "put"];

/// An operation, as derived from a verb of discovery.
struct Action {
    /// True if the path names one object.
    is_one: bool,
    method: &'static str,
    /// The value of `x-kubernetes-action`.
    action: &'static str,
    /// The start of the operation's ID: the words before and after the group and version.
    verb: (&'static str, &'static str),
    options: &'static [&'static str],
}

fn action(verb: &str) -> Option<Action> {
    let (is_one, method, action, verb, options) = match verb {
        "create" => (false, "post", "post", ("create", ""), WRITE),
        "list" => (false, "get", "list", ("list", ""), LIST),
        "deletecollection" => (
            false,
            "delete",
            "deletecollection",
            ("delete", "Collection"),
            DELETE_ALL,
        ),
        "get" => (true, "get", "get", ("read", ""), READ),
        "update" => (true, "put", "put", ("replace", ""), WRITE),
        "delete" => (true, "delete", "delete", ("delete", ""), DELETE),
        "patch" => (true, "patch", "patch", ("patch", ""), PATCH),
        _ => return None,
    };
    Some(Action {
        is_one,
        method,
        action,
        verb,
        options,
    })
}

/// Adds the paths of a kind.
pub(super) fn add(kind: &Kind, format: Format, paths: &mut Map, wanted: &mut SchemaNames) {
    let bodies = Bodies::for_kind(kind, wanted);
    let scope = if kind.namespaced {
        "/namespaces/{namespace}"
    } else {
        ""
    };
    let root = path(kind.group, kind.version);
    let collection = format!("/{root}{scope}/{}", kind.plural);
    let (mut all, mut one) = (Map::new(), Map::new());
    for action in kind.verbs.iter().filter_map(|verb| action(verb)) {
        let made = operation(kind, format, &action, &own_id(kind, &action), &bodies);
        let item = if action.is_one { &mut one } else { &mut all };
        item.insert(action.method.to_owned(), made);
        // A list of all namespaces has its own path, which has no other operations.
        if action.action == "list" && kind.namespaced {
            let id = id(kind, "list", &format!("{}ForAllNamespaces", kind.kind));
            let made = operation(kind, format, &action, &id, &bodies);
            put(
                paths,
                format!("/{root}/{}", kind.plural),
                Map::from_iter([("get".to_owned(), made)]),
                format,
            );
        }
    }
    let one_path = format!("{collection}/{{name}}");
    // The API server's document still contains them, and generated clients have functions for them.
    if kind.verbs.contains(&"watch") {
        let below = format!("/{root}/watch{scope}/{}", kind.plural);
        let words = own_words(kind);
        let mut watches = vec![
            (below.clone(), "watchlist", format!("{words}List")),
            (format!("{below}/{{name}}"), "watch", words),
        ];
        if kind.namespaced {
            let all = format!("{}ListForAllNamespaces", kind.kind);
            watches.push((format!("/{root}/watch/{}", kind.plural), "watchlist", all));
        }
        for (path, action, rest) in watches {
            let made = watch(kind, format, action, &rest, &bodies);
            put(paths, path, made, format);
        }
    }
    for part in kind.subresources {
        let bodies = Bodies::for_kind(kind, wanted).of_part(kind, part, wanted);
        let item = subresource(kind, part, format, &bodies);
        let path = format!("{one_path}/{}", part.name);
        if part.name == "proxy" {
            let with_path = connections(kind, part, format, "WithPath", &bodies);
            put(paths, format!("{path}/{{path}}"), with_path, format);
        }
        put(paths, path, item, format);
    }
    for (path, item) in [(collection, all), (one_path, one)] {
        // Reviews are only created, so they have no path for single objects.
        if !item.is_empty() {
            put(paths, path, item, format);
        }
    }
}

/// Returns the operation of a watch by path, which is deprecated but still served.
fn watch(kind: &Kind, format: Format, action: &'static str, rest: &str, bodies: &Bodies) -> Map {
    let action = Action {
        is_one: true,
        method: "get",
        action,
        verb: ("watch", ""),
        options: LIST,
    };
    let id = id(kind, "watch", rest);
    let made = operation(kind, format, &action, &id, bodies);
    Map::from_iter([("get".to_owned(), made)])
}

/// Adds a path with its operations.
fn put(paths: &mut Map, path: String, mut item: Map, format: Format) {
    options::share(&path, &mut item, format);
    paths.insert(path, Value::Object(item));
}

/// Returns the operations of a subresource.
fn subresource(kind: &Kind, part: &Subresource, format: Format, bodies: &Bodies) -> Map {
    if CONNECTIONS.iter().any(|(name, ..)| *name == part.name) {
        return connections(kind, part, format, "", bodies);
    }
    let mut item = Map::new();
    for mut action in part.verbs.iter().filter_map(|verb| action(verb)) {
        if part.name == "log" {
            action.options = LOG;
        }
        let rest = format!("{}{}", own_words(kind), capitalized(part.name, true));
        let id = id(kind, action.verb.0, &rest);
        let mut made = operation(kind, format, &action, &id, bodies);
        mark(&mut made, part);
        item.insert(action.method.to_owned(), made);
    }
    item
}

/// Returns the operations of a connection, which are identical for all its methods.
fn connections(
    kind: &Kind,
    part: &Subresource,
    format: Format,
    suffix: &str,
    bodies: &Bodies,
) -> Map {
    let known = CONNECTIONS.iter().find(|(name, ..)| *name == part.name);
    let (_, methods, options) = known.copied().unwrap_or_default();
    let mut item = Map::new();
    for method in methods {
        let action = Action {
            is_one: true,
            method,
            action: "connect",
            verb: ("connect", ""),
            options,
        };
        let (words, name) = (own_words(kind), capitalized(part.name, true));
        let rest = format!("{}{words}{name}{suffix}", capitalized(method, true));
        let id = id(kind, "connect", &rest);
        let mut made = operation(kind, format, &action, &id, bodies);
        mark(&mut made, part);
        item.insert((*method).to_owned(), made);
    }
    item
}

/// Sets the kind of the subresource's objects in an operation, such as `Scale` of `autoscaling`.
fn mark(operation: &mut Value, part: &Subresource) {
    operation[super::MARK] =
        json!({"group": part.group, "version": part.version, "kind": part.kind});
}

/// Returns the kind with its scope, as operation IDs contain it.
fn own_words(kind: &Kind) -> String {
    let scope = if kind.namespaced { "Namespaced" } else { "" };
    format!("{scope}{}", kind.kind)
}

fn own_id(kind: &Kind, action: &Action) -> String {
    let (verb, middle) = action.verb;
    id(kind, verb, &format!("{middle}{}", own_words(kind)))
}

/// Returns the ID of an operation, constructed as in the API server (`GetOperationIDAndTags`), because generated
/// clients name their functions after it.
fn id(kind: &Kind, verb: &str, rest: &str) -> String {
    let group = capitalized(group(kind), true);
    format!("{verb}{group}{}{rest}", capitalized(kind.version, true))
}

/// Returns the group, as operation IDs and tags contain it.
fn group(kind: &Kind) -> &str {
    match kind.group {
        "" => "core",
        group => group.strip_suffix(".k8s.io").unwrap_or(group),
    }
}

/// Returns a name in camel case: without its dots and dashes, each of which makes the next letter upper case.
fn capitalized(name: &str, mut next_is_capital: bool) -> String {
    let mut out = String::new();
    for c in name.chars() {
        match c {
            '.' | '-' => next_is_capital = true,
            c if std::mem::take(&mut next_is_capital) => out.push(c.to_ascii_uppercase()),
            c => out.push(c),
        }
    }
    out
}

/// Returns an operation. kubectl finds it by its action and kind to learn if the server supports dry runs and field
/// validation.
fn operation(kind: &Kind, format: Format, action: &Action, id: &str, bodies: &Bodies) -> Value {
    let options: Vec<Value> = action
        .options
        .iter()
        .map(|name| options::in_query(name, format))
        .collect();
    let tag = format!(
        "{}_{}",
        capitalized(group(kind), false),
        capitalized(kind.version, false)
    );
    let mut made = json!({
        "operationId": id, "tags": [tag], "x-kubernetes-action": action.action,
        "x-kubernetes-group-version-kind":
            {"group": kind.group, "version": kind.version, "kind": kind.kind},
        "parameters": options,
    });
    bodies.add(&mut made, action.action, format);
    made
}
