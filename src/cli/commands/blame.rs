//! `ctl blame`.

use std::collections::HashMap;
use std::process::ExitCode;

use clap::Args;

use super::Outcome;
use super::diff::kept_lines;
use crate::api::changes::ITEM_KEYS;
use crate::api::json::{Value, json};
use crate::api::status::Status;
use crate::api::yaml;
use crate::cli::context::Context;
use crate::cli::history::{Times, fitted, object, past};
use crate::cli::options::StructuredOutputArgs;
use crate::history::{Version, versions_of};
use crate::print::objects;

/// Show the last writer of each line of an object's YAML
///
/// The columns are the revision, the time, the writer and the line. The writer is a controller, `hand-edit` for a
/// saved file, or `you` for a command; -o json has the command line and the rule. `-` marks lines that are older
/// than the history.
///
/// Examples:
///   ctl blame deploy/web
///   ctl blame deploy/web | grep image
#[derive(Args, Debug)]
#[command(verbatim_doc_comment)]
pub(crate) struct BlameArgs {
    /// The object: TYPE/NAME, or TYPE and NAME
    #[arg(value_name = "TYPE/NAME", required = true)]
    words: Vec<String>,
    /// Show managedFields
    #[arg(long)]
    show_managed_fields: bool,
    #[command(flatten)]
    answer: StructuredOutputArgs,
}

/// A line, and the version that introduced it if the history has it.
struct Line {
    text: String,
    set_by: Option<usize>,
}

pub(crate) fn run(args: &BlameArgs, context: &Context) -> Outcome {
    args.answer.check()?;
    let cluster = past(context)?;
    let (info, key) = object(context, &cluster, &args.words)?;
    cluster.files().import_saved(Some(&key))?;
    let history = versions_of(&cluster, &key)?;
    let is_secret = info.kind.is_confidential();
    let text = |object: &Value| shown(object, args.show_managed_fields, false);
    let versions = &history.versions;
    if history.now().is_none() {
        return Err(Status::not_found(key.resource(), key.name()).into());
    }
    let mut lines: Vec<Line> = Vec::new();
    // The lines of the state before the oldest retained commit have no known writer.
    let first = history.first.as_ref().map(|object| (None, text(object)));
    let others = versions.iter().enumerate().map(|(at, version)| {
        (
            Some(at),
            version.object.as_ref().map(text).unwrap_or_default(),
        )
    });
    for (set_by, text) in first.into_iter().chain(others) {
        // The versions are compared from the oldest to the newest, so that a line keeps the version that introduced it.
        lines = carried_over(lines, &text, set_by);
    }
    if let (true, Some(now)) = (is_secret, history.now()) {
        // Masking comes after the comparison, because versions that differ in a value must not look equal.
        let masked = shown(now, args.show_managed_fields, true);
        // Masking replaces values within their lines and never changes their number.
        for (line, masked) in lines.iter_mut().zip(masked.lines()) {
            masked.clone_into(&mut line.text);
        }
    }
    if args.answer.is_human() {
        if let Some(note) = history.begins.note() {
            context.ui.note(&note);
        }
        let times = Times::for_commits(versions.iter().map(|v| v.time), cluster.now()?);
        let out = table(&lines, versions, times);
        context.ui.out(&fitted(&out, context.ui.columns()))?;
        return Ok(ExitCode::SUCCESS);
    }
    let data = json!({
        "historyBegins": history.begins.revision, "object": key.as_str(),
        "lines": lines.iter().map(|line| data(line, versions)).collect::<Vec<Value>>(),
    });
    args.answer.print(context, "", &data)?;
    Ok(ExitCode::SUCCESS)
}

/// Returns an object as YAML. The values of a Secret are masked.
fn shown(object: &Value, managed_fields: bool, is_secret: bool) -> String {
    let mut object = object.clone();
    if !managed_fields {
        objects::strip_managed_fields(&mut object);
    }
    if is_secret {
        super::diff::mask(&mut object);
    }
    yaml::to_string(&object)
}

/// Returns the lines of a newer text: unchanged lines keep their version, the others get `set_by`.
fn carried_over(old: Vec<Line>, new: &str, set_by: Option<usize>) -> Vec<Line> {
    let before: Vec<&str> = old.iter().map(|line| line.text.as_str()).collect();
    let after: Vec<&str> = new.lines().collect();
    let mut lines: Vec<Line> = after
        .iter()
        .map(|text| Line {
            text: (*text).to_owned(),
            set_by,
        })
        .collect();
    // Lines are compared item by item, because controllers reorder conditions, and equal lines of two items must not be
    // confused.
    let known = by_item(&before);
    for (item, places) in by_item(&after) {
        let Some(known) = known.get(&item) else {
            continue;
        };
        let before: Vec<&str> = known.iter().map(|at| before[*at]).collect();
        let after: Vec<&str> = places.iter().map(|at| after[*at]).collect();
        for (place, from) in places.iter().zip(kept_lines(&before, &after)) {
            if let Some(from) = from {
                lines[*place].set_by = old[known[from]].set_by;
            }
        }
    }
    lines
}

/// Returns the positions of the lines of each keyed item by the path of the item; other lines have an empty path.
fn by_item(lines: &[&str]) -> HashMap<String, Vec<usize>> {
    let mut groups: HashMap<String, Vec<usize>> = HashMap::new();
    // The names of the enclosing fields and items, with their depths. A dash counts as deeper than the field of its
    // list, which has the same indentation.
    let mut path: Vec<(usize, String)> = Vec::new();
    for (at, line) in lines.iter().enumerate() {
        let mut text = line.trim_start();
        let mut indent = line.len() - text.len();
        let mut enter = |depth: usize, name: String| {
            path.retain(|(above, _)| *above < depth);
            path.push((depth, name));
        };
        while let Some(rest) = text.strip_prefix("- ") {
            enter(2 * indent + 1, item_key(&lines[at..], indent));
            (text, indent) = (rest, indent + 2);
        }
        if let Some((name, _)) = text.split_once(':') {
            enter(2 * indent, format!(".{name}"));
        }
        let item = path.iter().rposition(|(_, name)| name.starts_with('['));
        let item = item.map_or(&[][..], |last| &path[..=last]);
        let item: String = item.iter().map(|(_, name)| name.as_str()).collect();
        groups.entry(item).or_default().push(at);
    }
    groups
}

/// Returns the key of the item that begins at the first line, in brackets, or an empty text if it has none.
fn item_key(lines: &[&str], indent: usize) -> String {
    let is_inner = |line: &&&str| line.get(..=indent).is_some_and(|l| l.trim().is_empty());
    let rest = lines.iter().skip(1).take_while(is_inner);
    let fields = lines.iter().take(1).chain(rest);
    let fields = fields.filter_map(|line| line.get(indent + 2..));
    let key = |key: &&str| {
        let value = |field: &str| {
            field
                .strip_prefix(*key)?
                .strip_prefix(": ")
                .map(str::to_owned)
        };
        fields.clone().find_map(value)
    };
    let key = ITEM_KEYS.iter().find_map(key);
    key.map_or_else(String::new, |key| format!("[{key}]"))
}

fn table(lines: &[Line], versions: &[Version], times: Times) -> String {
    let cells: Vec<[String; 3]> = lines
        .iter()
        .map(|line| match line.set_by.map(|at| &versions[at]) {
            None => ["-", "-", "-"].map(str::to_owned),
            Some(version) => [
                version.revision.to_string(),
                times.shown(version.time),
                version.origin.author(&version.writer).to_owned(),
            ],
        })
        .collect();
    let width = |at: usize| {
        let all = cells.iter().map(|row| row[at].chars().count());
        all.max().unwrap_or(0)
    };
    let [a, b, c] = [width(0), width(1), width(2)];
    let mut out = String::new();
    for ([revision, time, writer], line) in cells.iter().zip(lines) {
        let text = &line.text;
        out.push_str(&format!(
            "{revision:>a$}  {time:<b$}  {writer:<c$}  {text}\n"
        ));
    }
    out
}

fn data(line: &Line, versions: &[Version]) -> Value {
    let text = line.text.as_str();
    match line.set_by.map(|at| &versions[at]) {
        None => json!({"line": text}),
        Some(version) => json!({
            "line": text, "revision": version.revision, "time": version.time.to_string(),
            "writer": version.writer.as_str(), "origin": version.origin.name(),
            "rule": version.rule.as_str(),
        }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::testing::Shell;

    #[test]
    fn blame_names_the_last_writer_of_each_line() {
        let shell = Shell::new();
        shell.all(&[
            "create deployment web --image=i",
            "settle",
            "set image deployment/web i=j",
        ]);
        let data = shell.json("blame deployment/web");
        let lines = data["lines"].as_array().unwrap();
        let of = |text: &str| {
            let has =
                |line: &&crate::api::json::Value| line["line"].as_str().unwrap().trim() == text;
            lines
                .iter()
                .find(has)
                .unwrap_or_else(|| panic!("{text}: {lines:?}"))
                .clone()
        };
        let has = |text: &str, writer: &str| {
            let line = of(text);
            assert!(line["writer"].as_str().unwrap().contains(writer), "{line}");
        };
        has("- image: j", "set image deployment/web");
        has("replicas: 1", "create deployment web");
        has("availableReplicas: 1", "deployment");
        assert_eq!(of("availableReplicas: 1")["origin"], "controller");
        let out = shell.out("blame deployment web");
        assert!(out.lines().all(|line| line.contains("  ")), "{out}");
        assert!(
            out.lines()
                .any(|l| l.contains("  you ") && l.ends_with("image: j")),
            "{out}"
        );
        assert!(!out.contains("managedFields"), "{out}");
        let none = shell.fails("blame deployment/none");
        assert!(none.contains("\"none\" not found"), "{none}");
    }

    #[test]
    fn lines_of_items_belong_to_the_items_with_the_same_key() {
        let old = "conditions:\n- status: \"True\"\n  type: Progressing\n- status: \"False\"\n  type: Available\nkind: D\n";
        let new = "conditions:\n- status: \"True\"\n  type: Available\n- status: \"True\"\n  type: Progressing\nkind: D\n";
        let lines = carried_over(Vec::new(), old, Some(0));
        let lines = carried_over(lines, new, Some(1));
        let set_by: Vec<Option<usize>> = lines.iter().map(|line| line.set_by).collect();
        assert_eq!(set_by, [0, 1, 0, 0, 0, 0].map(Some));
        let reordered = "c:\n- name: b\n  args:\n  - x\n  - y\n- name: a\n";
        let lines = carried_over(
            Vec::new(),
            "c:\n- name: a\n- name: b\n  args:\n  - y\n",
            Some(0),
        );
        let lines = carried_over(lines, reordered, Some(1));
        let set_by: Vec<Option<usize>> = lines.iter().map(|line| line.set_by).collect();
        assert_eq!(set_by, [0, 0, 0, 1, 0, 0].map(Some));
    }

    #[test]
    fn values_of_secrets_are_not_shown() {
        let shell = Shell::new();
        shell.all(&["create secret generic s --from-literal=p=one"]);
        let out = shell.out("blame secret/s");
        assert!(!out.contains("b25l") && out.contains("***"), "{out}");
    }
}
