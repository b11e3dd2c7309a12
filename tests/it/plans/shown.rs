//! Formats plans as readable lines: the writes, their rules, and the changed fields.

use ctl::api::json::{Value, json};
use ctl::cluster::{Part, Propagation, Verb};
use ctl::runtime::{EventNote, Plan, PlannedWrite};
use jiff::{SignedDuration, Timestamp};

use super::case::Stand;

/// Fields that the API server or the test generates, or that follow from the place of the write.
const BOILERPLATE: &[&str] = &["apiVersion", "kind"];

/// A write or an event: its lines and its wave.
struct Block {
    wave: u32,
    lines: Vec<String>,
}

impl Block {
    /// Returns the text without numbers, which are the only difference between similar blocks.
    fn sort(&self) -> String {
        self.lines
            .join("\n")
            .replace(|c: char| c.is_ascii_digit(), "")
    }
}

/// The number of consecutive similar blocks from which on only the first is shown.
const MANY: usize = 5;

/// Returns the lines of a plan.
pub(super) fn lines(plan: &Plan, stand: &Stand, show: &Value) -> Vec<String> {
    let writes = plan.changes.iter().chain(&plan.status);
    let writes = writes.map(|w| write(w, stand, show));
    let notes = plan.events.iter().map(|n| Block {
        wave: 0,
        lines: vec![note("event", n)],
    });
    let blocks: Vec<Block> = writes.chain(notes).collect();
    let mut lines = Vec::new();
    let mut rest = blocks.as_slice();
    while let Some(first) = rest.first() {
        let run = |alike: &dyn Fn(&Block) -> bool| rest.iter().take_while(|b| alike(b)).count();
        let same = run(&|b| b.lines == first.lines);
        let similar = run(&|b| b.sort() == first.sort());
        let count = if similar >= MANY { similar } else { same };
        let waves = waves(&rest[..count]);
        let mut block = first.lines.clone();
        if count > 1 {
            block[0] = format!("{count} x{waves}: {}", block[0]);
        } else if first.wave > 0 {
            block[0] = format!("in wave {}: {}", first.wave, block[0]);
        }
        lines.append(&mut block);
        rest = &rest[count..];
    }
    let after = |after: SignedDuration| format!("{}s", after.as_secs_f64());
    lines.extend(plan.requeue_after.map(|a| format!("again in {}", after(a))));
    lines.extend(
        plan.idle_requeue_after
            .map(|a| format!("again, settled or not, in {}", after(a))),
    );
    lines.extend(plan.error.iter().map(|e| format!("error: {e}")));
    lines.extend(plan.partial.then(|| "and more at once".to_owned()));
    if lines.is_empty() {
        lines.push("nothing".to_owned());
    }
    lines
}

/// Returns the number of writes in each wave.
fn waves(blocks: &[Block]) -> String {
    let mut sizes: Vec<(u32, usize)> = Vec::new();
    for block in blocks {
        match sizes.last_mut() {
            Some((wave, size)) if *wave == block.wave => *size += 1,
            _ => sizes.push((block.wave, 1)),
        }
    }
    let told = sizes.iter().filter(|(wave, _)| *wave > 0);
    let told: Vec<String> = told
        .map(|(wave, size)| format!("{size} in wave {wave}"))
        .collect();
    match told.as_slice() {
        [] => String::new(),
        told => format!(" ({})", told.join(", ")),
    }
}

fn write(write: &PlannedWrite, stand: &Stand, show: &Value) -> Block {
    let kind = write.place.kind;
    let observed = stand.cache.get(kind, &write.place.namespace, &write.name);
    let observed = observed.map_or(&Value::Null, |o| o.value());
    let mut more = Vec::new();
    let verb = action(
        &write.verb,
        observed,
        &show[kind.kind],
        stand.now,
        &mut more,
    );
    more.retain(|line| {
        !line.starts_with("metadata.uid: ") && !line.starts_with("metadata.resourceVersion: ")
    });
    let mut name = write.name.clone();
    if let (true, Verb::Create(value)) = (name.is_empty(), &write.verb) {
        name = format!(
            "{}*",
            value["metadata"]["generateName"]
                .as_str()
                .unwrap_or_default()
        );
    }
    let name = match write.place.namespace.as_str() {
        "" | "default" => name,
        namespace => format!("{namespace}/{name}"),
    };
    let mut lines = vec![format!("{verb} {} {name}: {}", kind.kind, write.rule)];
    lines.extend(more.iter().map(|line| format!("  {line}")));
    lines.extend(
        write
            .on_success
            .iter()
            .map(|n| format!("  {}", note("event", n))),
    );
    lines.extend(
        write
            .on_failure
            .iter()
            .map(|n| format!("  {}", note("if refused", n))),
    );
    Block {
        wave: write.wave,
        lines,
    }
}

/// Returns a write, followed by the changed fields.
fn action(
    verb: &Verb,
    observed: &Value,
    show: &Value,
    now: Timestamp,
    more: &mut Vec<String>,
) -> String {
    match verb {
        Verb::Create(value) => {
            new(value, show, now, more);
            "create".to_owned()
        }
        Verb::Update(Part::Whole, value) => {
            changes(
                "",
                &without_status(observed),
                &without_status(value),
                now,
                more,
            );
            "update".to_owned()
        }
        Verb::Update(Part::Status, value) => {
            changes("", observed, value, now, more);
            "status".to_owned()
        }
        Verb::Patch { patch, part, .. } => {
            changes("", &Value::Null, patch, now, more);
            if *part == Part::Status {
                "patch status"
            } else {
                "patch"
            }
            .to_owned()
        }
        Verb::Apply { config, part, .. } => {
            changes("", &Value::Null, config, now, more);
            if *part == Part::Status {
                "apply status"
            } else {
                "apply"
            }
            .to_owned()
        }
        Verb::Delete(options) => {
            let grace = options
                .grace_period
                .map(|s| format!(" with {s} s"))
                .unwrap_or_default();
            match options.propagation {
                None | Some(Propagation::Background) => format!("delete{grace}"),
                Some(Propagation::Foreground) => format!("delete in the foreground{grace}"),
                Some(Propagation::Orphan) => format!("delete and orphan{grace}"),
            }
        }
        Verb::Update(Part::Finalize, value) => {
            changes("", observed, value, now, more);
            "finalize".to_owned()
        }
        Verb::Bind(binding) => {
            let node = binding["target"]["name"].as_str().unwrap_or_default();
            format!("bind to {node}:")
        }
        other => panic!("no controller plans {other:?}"),
    }
}

fn note(word: &str, note: &EventNote) -> String {
    let sort = if note.warning { "Warning" } else { "Normal" };
    let about = &note.about;
    let of = |name: &str| about[name].as_str().unwrap_or_default();
    let field = match of("fieldPath") {
        "" => String::new(),
        path => format!(" {path}"),
    };
    let action = match note.action.as_str() {
        "" => String::new(),
        action => format!(" [{action}]"),
    };
    let (kind, name, reason) = (of("kind"), of("name"), &note.reason);
    format!(
        "{word} {sort} {reason}{action} about {kind} {name}{field}: {}",
        note.message
    )
}

fn without_status(value: &Value) -> Value {
    let mut value = value.clone();
    if let Some(members) = value.as_object_mut() {
        members.remove("status");
    }
    value
}

/// Shows a new object: the selected paths, or all fields that are not boilerplate.
fn new(value: &Value, paths: &Value, now: Timestamp, lines: &mut Vec<String>) {
    if let Some(paths) = paths.as_array() {
        for path in paths.iter().filter_map(Value::as_str) {
            let found = path
                .split('/')
                .fold(value, |v, name| match name.parse::<usize>() {
                    Ok(place) => &v[place],
                    Err(_) => &v[name],
                });
            if !found.is_null() {
                lines.push(format!("{path}: {}", shown(found, now)));
            }
        }
        return;
    }
    let mut value = value.clone();
    let members = value.as_object_mut().unwrap();
    members.retain(|name, _| !BOILERPLATE.contains(&&**name));
    let told = ["name", "generateName", "namespace", "ownerReferences"];
    if let Some(metadata) = value["metadata"].as_object_mut() {
        metadata.retain(|name, _| !told.contains(&&**name));
    }
    changes("", &Value::Null, &value, now, lines);
}

/// Shows the differences, one line per path. Conditions and similar items are identified by type.
fn changes(path: &str, before: &Value, after: &Value, now: Timestamp, lines: &mut Vec<String>) {
    if before == after {
        return;
    }
    let below = |name: &str| match path {
        "" => name.to_owned(),
        path => format!("{path}.{name}"),
    };
    let empty = json!({});
    if let Some(new) = after.as_object().filter(|o| !o.is_empty()) {
        let old = if before.is_object() { before } else { &empty };
        let old = old.as_object().unwrap();
        for (name, value) in new {
            let before = old.get(&**name).unwrap_or(&Value::Null);
            if value.is_null() && before.is_null() {
                lines.push(format!("{}: null", below(name)));
            }
            changes(&below(name), before, value, now, lines);
        }
        for (name, value) in old.iter().filter(|(name, _)| !new.contains_key(&**name)) {
            lines.push(format!("{}: {} -> none", below(name), shown(value, now)));
        }
        return;
    }
    if let (Some(old), Some(new @ [_, ..])) = (typed(before), typed(after)) {
        for item in new {
            let kind = item["type"].as_str().unwrap_or_default();
            let was = old.iter().find(|o| o["type"] == item["type"]);
            if was != Some(item) {
                lines.push(format!("{path}[{kind}]: {}", condition(item, was, now)));
            }
        }
        let gone = old
            .iter()
            .filter(|o| !new.iter().any(|n| n["type"] == o["type"]));
        for item in gone {
            lines.push(format!(
                "{path}[{}]: none",
                item["type"].as_str().unwrap_or_default()
            ));
        }
        let order =
            |list: &[Value]| -> Vec<Value> { list.iter().map(|c| c["type"].clone()).collect() };
        let mut kept = order(old);
        kept.retain(|kind| order(new).contains(kind));
        if !order(new).starts_with(&kept) {
            lines.push(format!("{path} in the order {}", Value::from(order(new))));
        }
        return;
    }
    match before {
        Value::Null if path == "metadata" => {}
        Value::Null => lines.push(format!("{path}: {}", shown(after, now))),
        before => lines.push(format!(
            "{path}: {} -> {}",
            shown(before, now),
            shown(after, now)
        )),
    }
}

/// Returns the items of a list of conditions; `None` if it is another list.
fn typed(value: &Value) -> Option<&[Value]> {
    if value.is_null() {
        return Some(&[]);
    }
    let items = value.as_array()?.as_slice();
    let all = items
        .iter()
        .all(|item| item["type"].is_string() && item["status"].is_string());
    all.then_some(items)
}

/// Returns a condition: its status, reason and message, and which of its times changed.
fn condition(item: &Value, was: Option<&Value>, now: Timestamp) -> String {
    let text = |name: &str| item[name].as_str().unwrap_or_default();
    let mut line = text("status").to_owned();
    for name in ["reason", "message"] {
        if !item[name].is_null() {
            line += &format!(" {name} {}", shown(&item[name], now));
        }
    }
    for (name, value) in item.as_object().unwrap() {
        let same = was.is_some_and(|was| was[&**name] == *value);
        if !same && !["type", "status", "reason", "message"].contains(&&**name) {
            line += &format!(", {name} {}", shown(value, now));
        }
    }
    line
}

/// Returns a value as JSON. A time near now is shown relative to it.
fn shown(value: &Value, now: Timestamp) -> String {
    let text = value.to_string();
    // These prefixes belong to tokens and certificates in base64, whose signatures vary between runs.
    if ["\"ZXlK", "\"LS0tLS1CRUdJTiBDRVJUSUZJQ0FURS0t"]
        .iter()
        .any(|signed| text.starts_with(signed))
    {
        return "signed".to_owned();
    }
    if !text.contains("2026-") {
        return text;
    }
    let mut out = String::new();
    let mut rest = text.as_str();
    while let Some(start) = rest.find("\"2026-") {
        let length = rest[start + 1..].find('"').unwrap() + 2;
        let (before, quoted) = (&rest[..start], &rest[start..start + length]);
        out += before;
        out += &near(quoted.trim_matches('"'), now).unwrap_or_else(|| quoted.to_owned());
        rest = &rest[start + length..];
    }
    out + rest
}

fn near(text: &str, now: Timestamp) -> Option<String> {
    let at: Timestamp = text.parse().ok()?;
    let seconds = at.duration_since(now).as_secs();
    let exact = now + SignedDuration::from_secs(seconds) == at;
    match seconds {
        0 if exact => Some("now".to_owned()),
        _ if exact && seconds.abs() <= 86400 && !text.contains('.') => {
            Some(format!("now{seconds:+}s"))
        }
        _ => None,
    }
}
