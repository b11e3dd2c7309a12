//! Replays every recorded request that the real API server validated. Code, reason and causes must be equal.

use std::collections::BTreeMap;

use super::server::{finish, kind_of, prepare, prepare_again, read, yaml};
use crate::api::json::{Value, json};
use crate::api::status::Status;
use crate::kind::Kind;
use crate::tree::{set, take};
use crate::{shape, strategy, validate};

/// The number of rows that must be equal. Raise it when more are; never lower it.
const FLOOR: usize = 920;

struct Row {
    id: String,
    base: String,
    op: String,
    before: String,
    patch: String,
    code: u16,
    reason: String,
    message: String,
    causes: Vec<[String; 3]>,
    warnings: Vec<String>,
}

fn rows() -> Vec<Row> {
    let text = read("validation.tsv");
    let lines = text.lines().skip(1);
    lines
        .map(|line| row(&line.split('\t').collect::<Vec<_>>()))
        .collect()
}

fn row(fields: &[&str]) -> Row {
    let causes = match fields[8] {
        "" => Vec::new(),
        json => serde_json::from_str(json).unwrap(),
    };
    let warnings = fields.get(9).filter(|json| !json.is_empty());
    Row {
        warnings: warnings.map_or(Vec::new(), |json| serde_json::from_str(json).unwrap()),
        id: fields[0].to_owned(),
        base: fields[1].to_owned(),
        op: fields[2].to_owned(),
        before: fields[3].to_owned(),
        patch: fields[4].to_owned(),
        code: fields[5].parse().unwrap(),
        reason: fields[6].to_owned(),
        message: serde_json::from_str(fields[7]).unwrap_or_default(),
        causes,
    }
}

/// Expands `<a*N>` to N letters, and `<base64 a*N>` to their base64 form.
fn expand(text: &str) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some(at) = rest.find("a*") {
        let (head, tail) = rest.split_at(at);
        let digits = &tail[2..];
        let end = digits
            .find('>')
            .filter(|_| head.ends_with('<') || head.ends_with("<base64 "));
        let count = end.and_then(|end| digits[..end].parse::<usize>().ok());
        let Some((count, end)) = count.zip(end) else {
            out.push_str(&rest[..at + 2]);
            rest = &rest[at + 2..];
            continue;
        };
        let letters = "a".repeat(count);
        if let Some(head) = head.strip_suffix("<base64 ") {
            use base64::Engine as _;
            out.push_str(head);
            out.push_str(&base64::engine::general_purpose::STANDARD.encode(letters));
        } else {
            out.push_str(&head[..head.len() - 1]);
            out.push_str(&letters);
        }
        rest = &digits[end + 1..];
    }
    out.push_str(rest);
    out
}

fn apply(object: &mut Value, patch: &str) {
    if patch.is_empty() {
        return;
    }
    let operations: Vec<Value> = serde_json::from_str(&expand(patch)).unwrap();
    for operation in operations {
        let path: Vec<String> = operation["path"].as_str().unwrap()[1..]
            .split('/')
            .map(|part| part.replace("~1", "/").replace("~0", "~"))
            .collect();
        let (last, parents) = path.split_last().unwrap();
        let mut place = &mut *object;
        for part in parents {
            place = match part.parse::<usize>() {
                Ok(index) if place.is_array() => &mut place[index],
                _ => {
                    if place.get(part).is_none_or(Value::is_null) {
                        set(place, part, json!({}));
                    }
                    &mut place[part.as_str()]
                }
            };
        }
        let value = operation.get("value").cloned();
        match (place, value) {
            (Value::Array(items), Some(value)) => {
                let index: usize = last.parse().unwrap();
                match index < items.len() {
                    true => items[index] = value,
                    false => items.push(value),
                }
            }
            (Value::Array(items), None) => drop(items.remove(last.parse().unwrap())),
            (place, Some(value)) => set(place, last, value),
            (place, None) => drop(take(place, last)),
        }
    }
}

fn create(kind: &Kind, object: &Value) -> Result<Value, Status> {
    let object = prepare(kind, object)?;
    // The API server allocates the addresses and ports of a Service before it validates it.
    let finished = finish(kind, object.clone())?;
    validate::refuse(kind, &object, validate::create(kind, &object))?;
    Ok(finished)
}

fn update(kind: &Kind, row: &Row, base: &Value) -> Result<Value, Status> {
    let mut old = create(kind, base)?;
    for (name, value) in [
        ("uid", "UID"),
        ("resourceVersion", "7"),
        ("creationTimestamp", "2026-01-01T00:00:00Z"),
    ] {
        set(&mut old["metadata"], name, value);
    }
    if old["spec"]["clusterIP"] == "CLUSTER_IP" {
        old["spec"]["clusterIP"] = json!("10.96.20.1");
        old["spec"]["clusterIPs"] = json!(["10.96.20.1"]);
    }
    // The recorded definitions were served when they were updated.
    if kind.kind == "CustomResourceDefinition" {
        crate::custom::establish(&mut old, [], "2026-01-01T00:00:00Z");
    }
    let mut new = old.clone();
    apply(&mut new, &row.patch);
    let mut new = shape::read(kind, &new)?.object;
    let name = old["metadata"]["name"].as_str().unwrap().to_owned();
    let namespace = if kind.namespaced { "default" } else { "" };
    strategy::check_update(kind, &new, &old, &name, namespace)?;
    if row.op == "status" {
        strategy::prepare_status(kind, &mut new, &old);
        prepare_again(kind, &mut new);
        validate::refuse(kind, &new, validate::status(kind, &new, &old))?;
    } else {
        strategy::prepare_update(kind, &mut new, &old);
        prepare_again(kind, &mut new);
        validate::refuse(kind, &new, validate::update(kind, &new, &old))?;
    }
    Ok(new)
}

fn replay(row: &Row) -> Result<Value, Status> {
    let mut object = yaml(&format!("defaults/{}.in.yaml", row.base));
    let kind = kind_of(&object);
    apply(&mut object, &row.before);
    if row.op == "create" {
        apply(&mut object, &row.patch);
        return create(kind, &object);
    }
    update(kind, row, &object)
}

/// Compares a message with the recorded one up to the first line break, after which diffs of internal structs follow,
/// or up to its truncation.
fn same_text(ours: &str, theirs: &str) -> bool {
    let theirs = expand(theirs);
    let (first, more) = theirs.split_once('\n').unwrap_or((&theirs, ""));
    match first.strip_suffix('…') {
        Some(cut) => ours.starts_with(cut),
        None if more.is_empty() => ours == first,
        None => ours.starts_with(first),
    }
}

/// Returns the difference between a recorded response and ours, if there is one.
fn difference(row: &Row, answer: &Result<Value, Status>) -> Option<String> {
    let (code, reason) = match answer {
        Ok(_) if row.op == "create" => (201, ""),
        Ok(_) => (200, ""),
        Err(status) => (status.code, status.reason),
    };
    let causes = answer.as_ref().err().map_or(&[][..], Status::causes);
    let same = causes.len() == row.causes.len()
        && causes
            .iter()
            .zip(&row.causes)
            .all(|(ours, [reason, field, message])| {
                ours.reason.as_str() == reason
                    && ours.field == expand(field)
                    && same_text(&ours.message, message)
            });
    let message = answer.as_ref().err().map_or("", |status| &status.message);
    let same = same && same_text(message, &row.message);
    if code == row.code && reason == row.reason && same {
        return None;
    }
    let ours: Vec<_> = causes
        .iter()
        .map(|c| format!("{}: {}", c.field, c.message))
        .collect();
    let text = answer.as_ref().err().map_or("", |status| &status.message);
    let ours = if ours.is_empty() {
        vec![text.to_owned()]
    } else {
        ours
    };
    let short = |text: String| text.chars().take(600).collect::<String>();
    Some(format!(
        "{} {} {} {}\n   ours {code} {reason} {}\n   real {} {} {}",
        row.id,
        row.base,
        row.op,
        short(row.patch.clone()),
        short(ours.join(" | ")),
        row.code,
        row.reason,
        short(row.message.clone()),
    ))
}

#[test]
fn validation_responses_match_the_recorded_api_server() {
    let rows = rows();
    let mut by_kind: BTreeMap<String, (usize, usize)> = BTreeMap::new();
    let mut wrong = Vec::new();
    for row in &rows {
        let counts = by_kind
            .entry(row.base.split('-').next().unwrap().to_owned())
            .or_default();
        counts.1 += 1;
        match difference(row, &replay(row)) {
            None => counts.0 += 1,
            Some(difference) => wrong.push(difference),
        }
    }
    for (kind, (equal, all)) in &by_kind {
        println!("{kind:35} {equal:4} of {all:4}");
    }
    let equal = rows.len() - wrong.len();
    println!("validation: {equal} of {} equal", rows.len());
    println!("{}", wrong.join("\n"));
    assert!(equal >= FLOOR, "only {equal} of {} equal", rows.len());
}

#[test]
fn warnings_match_the_recorded_api_server() {
    let mut wrong = Vec::new();
    let rows = rows();
    let created = rows
        .iter()
        .filter(|row| row.op == "create" && row.code != 400);
    for row in created {
        let mut object = yaml(&format!("defaults/{}.in.yaml", row.base));
        let kind = kind_of(&object);
        apply(&mut object, &row.patch);
        let quiet = !matches!(row.code, 201) && row.warnings.is_empty();
        let Ok(decoded) = shape::read(kind, &object) else {
            continue;
        };
        let ours = decoded.warnings(kind);
        if !quiet && ours != row.warnings {
            wrong.push(format!("{} {ours:?} not {:?}", row.id, row.warnings));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
