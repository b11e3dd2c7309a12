//! `ctl blame`.

use std::process::ExitCode;

use clap::Args;

use super::Outcome;
use super::diff::kept_lines;
use crate::api::json::{Value, json};
use crate::api::status::Status;
use crate::api::yaml;
use crate::cli::context::Context;
use crate::cli::history::{Times, fitted, object};
use crate::cli::options::AnswerArgs;
use crate::history::{Version, versions_of};
use crate::print::objects;

/// Show each line of an object's YAML with who last set it and when
///
/// The columns are the revision, the time, the writer and the line. The writer is a controller,
/// `hand-edit` for a saved file, or `you` for a command; -o json has the command line and the rule.
/// `-` stands for lines that are older than the history.
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
    answer: AnswerArgs,
}

/// A line and the version that introduced it, if the history has it.
struct Line {
    text: String,
    set_by: Option<usize>,
}

pub(crate) fn run(args: &BlameArgs, context: &Context) -> Outcome {
    args.answer.check()?;
    let cluster = context.api()?;
    let (info, key) = object(context, &cluster, &args.words)?;
    let history = versions_of(&cluster, &key)?;
    let is_secret = info.kind.is_confidential();
    let text = |object: &Value| shown(object, args.show_managed_fields, false);
    let versions = &history.versions;
    if history.now().is_none() {
        return Err(Status::not_found(key.resource(), key.name()).into());
    }
    let mut lines: Vec<Line> = Vec::new();
    // The state before the oldest kept commit: its lines have no known writer.
    let first = history.first.as_ref().map(|object| (None, text(object)));
    let others = versions.iter().enumerate().map(|(at, version)| {
        (
            Some(at),
            version.object.as_ref().map(text).unwrap_or_default(),
        )
    });
    for (set_by, text) in first.into_iter().chain(others) {
        // From the oldest version to the newest, so that a line keeps the version that introduced it.
        lines = carried_over(lines, &text, set_by);
    }
    if let (true, Some(now)) = (is_secret, history.now()) {
        // Masked only after the comparison: versions that differ in a value alone must not look alike.
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
        let times = Times::of(versions.iter().map(|v| v.time), cluster.now()?);
        let out = table(&lines, versions, times);
        context.ui.out(&fitted(&out, context.ui.columns()))?;
        return Ok(ExitCode::SUCCESS);
    }
    let data = json!({
        "historyBegins": history.begins.revision, "object": key.as_str(),
        "lines": lines.iter().map(|line| data(line, versions)).collect::<Vec<Value>>(),
    });
    args.answer.tell(context, "", &data)?;
    Ok(ExitCode::SUCCESS)
}

/// Returns an object as YAML, with masked values if it is a Secret.
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

/// Returns the lines of a newer text: those that it kept with their version, the others with `set_by`.
fn carried_over(old: Vec<Line>, new: &str, set_by: Option<usize>) -> Vec<Line> {
    let before: Vec<&str> = old.iter().map(|line| line.text.as_str()).collect();
    let after: Vec<&str> = new.lines().collect();
    let kept = kept_lines(&before, &after);
    let line = |(text, from): (&&str, Option<usize>)| Line {
        text: (*text).to_owned(),
        set_by: from.map_or(set_by, |from| old[from].set_by),
    };
    after.iter().zip(kept).map(line).collect()
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
    fn values_of_secrets_are_not_shown() {
        let shell = Shell::new();
        shell.all(&["create secret generic s --from-literal=p=one"]);
        let out = shell.out("blame secret/s");
        assert!(!out.contains("b25l") && out.contains("***"), "{out}");
    }
}
