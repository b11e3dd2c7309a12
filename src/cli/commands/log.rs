//! `ctl log`.

use std::process::ExitCode;
use std::time::Duration;

use clap::Args;
use jiff::Timestamp;

use super::Outcome;
use crate::api::changes::Difference;
use crate::api::json::{Value, json};
use crate::cli::context::Context;
use crate::cli::error::CliError;
use crate::cli::history::{Times, cut, fitted, names, object, past, point, when};
use crate::cli::options::StructuredOutputArgs;
use crate::cluster::{Cluster, Revision};
use crate::history::{Filter, HistoryStart, LogEntry, Names, Origin, log, mark_of};
use crate::print::table::Table;

/// The longest sleep of `--follow` without a commit.
const PATIENCE: Duration = Duration::from_secs(60);

/// A bound of a listing: a time or a revision.
type Bound = (Option<Timestamp>, Option<Revision>);

/// Show the commits of the cluster, newest last
///
/// Each line is a commit: its revision, its time by the cluster's clock, its writer, the objects that it
/// changed, and the reason. The writer is a controller, `hand-edit` for a saved file, or `you` for a
/// command; the reason is then the command line.
///
/// Examples:
///   ctl log                              every commit
///   ctl log deploy/web -p                the changes of one object, with the fields
///   ctl log --by scheduler --since 10m   the last bindings
///   ctl log --rule scale-up              every commit with this rule
///   ctl log -f                           commits as they are made
#[derive(Args, Debug)]
#[command(verbatim_doc_comment)]
pub(crate) struct LogArgs {
    /// Only commits that change this object: TYPE/NAME, or TYPE and NAME
    #[arg(value_name = "[TYPE/NAME]")]
    words: Vec<String>,
    /// Show the changed fields
    #[arg(short = 'p', long)]
    patch: bool,
    /// Only commits after this point: a time, a duration ago (10m), a mark, or a revision
    #[arg(long, value_name = "TIME|MARK")]
    since: Option<String>,
    /// Only commits up to this point: a time, a duration ago (10m), a mark, or a revision
    #[arg(long, value_name = "TIME|MARK")]
    until: Option<String>,
    /// Only commits of this writer: a controller, `you`, `hand-edit`, or the beginning of a command
    #[arg(long, value_name = "WRITER")]
    by: Option<String>,
    /// Only changes with this rule
    #[arg(long, value_name = "RULE")]
    rule: Option<String>,
    /// Show further commits as they are made
    #[arg(short = 'f', long)]
    follow: bool,
    #[command(flatten)]
    answer: StructuredOutputArgs,
}

/// The index of the cell with the changes in a row.
const CHANGE: usize = 3;

/// The number of columns between two cells.
const GAP: usize = 3;

/// The minimum width of a change.
const LEAST_CHANGE: usize = 16;

/// The minimum width of a reason.
const LEAST_REASON: usize = 40;

/// The width of a terminal below which each reason gets a line of its own.
const NARROW: usize = 110;

pub(crate) fn run(args: &LogArgs, context: &Context) -> Outcome {
    args.answer.check()?;
    let cluster = past(context)?;
    let mut filter = filter(args, context, &cluster)?;
    cluster.files().import_saved(filter.object.as_ref())?;
    let names = names(context, &cluster)?;
    let mut entries = Vec::new();
    // All entries are read before the first is printed, because the width of the time column depends on all times.
    let begins = log(&cluster, &filter, &mut |entry| {
        entries.push(entry);
        true
    })?;
    // With --follow there is no last commit, so each commit is printed as a separate document.
    if !args.answer.is_human() && !args.follow {
        let commits: Vec<Value> = entries.iter().map(data).collect();
        let all = json!({"historyBegins": begins, "commits": commits});
        args.answer.print(context, "", &all)?;
        return Ok(ExitCode::SUCCESS);
    }
    if let Some(note) = note(&cluster, &filter)? {
        context.ui.note(&note);
    }
    let times = Times::for_commits(entries.iter().map(|entry| entry.time), cluster.now()?);
    let mut shown = LogListing {
        args,
        context,
        names,
        times,
        widths: Vec::new(),
        headers: true,
    };
    shown.show(&entries)?;
    if !args.follow && entries.is_empty() {
        context.ui.note("No commits found.");
    }
    if args.follow {
        context.exit_on_signal()?;
        // The sequence is remembered, because a commit without changes has no revision of its own.
        let last = entries.last().map_or(0, |entry| entry.sequence);
        follow(&cluster, &mut filter, last, &mut shown)?;
    }
    Ok(ExitCode::SUCCESS)
}

fn filter(args: &LogArgs, context: &Context, cluster: &Cluster) -> Result<Filter, CliError> {
    let now = cluster.now()?;
    let bound = |text: &Option<String>| -> Result<Bound, CliError> {
        let Some(text) = text else {
            return Ok((None, None));
        };
        match when(text, now) {
            Some(time) => Ok((Some(time), None)),
            // A mark is a point between two commits, which may have equal times.
            None => Ok((None, Some(point(cluster, text)?.revision))),
        }
    };
    let ((since, after), (until, up_to)) = (bound(&args.since)?, bound(&args.until)?);
    let one = (!args.words.is_empty()).then(|| object(context, cluster, &args.words));
    // Without an object, the namespace is a filter only if it is given explicitly.
    let named = args.words.is_empty() && context.given("namespace");
    Ok(Filter {
        object: one.transpose()?.map(|(_, key)| key),
        namespace: named.then(|| context.namespace()).transpose()?,
        after: after.unwrap_or_default(),
        up_to,
        since,
        until,
        by: args.by.clone(),
        rule: args.rule.clone(),
        fields: args.patch,
    })
}

/// Returns the note about requested commits that are no longer retained.
fn note(cluster: &Cluster, filter: &Filter) -> Result<Option<String>, CliError> {
    // A mark or revision that is found is retained, and so is everything after it.
    match filter.after {
        0 => Ok(HistoryStart::read(cluster)?.note_since(filter.since)),
        _ => Ok(None),
    }
}

/// Prints new commits until the command is interrupted.
fn follow(
    cluster: &Cluster,
    filter: &mut Filter,
    mut last: u64,
    shown: &mut LogListing<'_>,
) -> Result<(), CliError> {
    while !is_over(cluster, filter)? {
        // The listing starts one revision earlier, because a commit without changes has the revision of the previous
        // one. The sequence removes duplicates.
        filter.after = cluster.stored().wait(filter.after, PATIENCE)?.max(1) - 1;
        let mut entries = Vec::new();
        log(cluster, filter, &mut |entry| {
            // A commit without changes has the revision of the previous one, so the sequence decides.
            if entry.sequence > last {
                entries.push(entry);
            }
            true
        })?;
        last = entries.last().map_or(last, |entry| entry.sequence);
        filter.after = cluster.stored().revision()?;
        shown.show(&entries)?;
    }
    Ok(())
}

/// Returns true if every later commit is after the end of the listing.
fn is_over(cluster: &Cluster, filter: &Filter) -> Result<bool, CliError> {
    let (revision, now) = cluster.stored().moment()?;
    Ok(
        filter.up_to.is_some_and(|end| end <= revision)
            || filter.until.is_some_and(|end| end < now),
    )
}

/// Shortens the changes so that their reasons fit the width of a terminal.
fn shorten(rows: &mut [Vec<String>], columns: usize) {
    let width = |at: usize| {
        let cells = rows.iter().map(|row| row[at].chars().count());
        cells.max().unwrap_or(0) + GAP
    };
    let before: usize = (0..CHANGE).map(width).sum();
    // Reasons are the purpose of the command, and `-o json` lists all objects of a change.
    let most = columns.saturating_sub(before + GAP + LEAST_REASON);
    for row in rows {
        row[CHANGE] = cut(&row[CHANGE], most.max(LEAST_CHANGE));
    }
}

/// The state of a listing.
struct LogListing<'a> {
    args: &'a LogArgs,
    context: &'a Context,
    names: Names,
    times: Times,
    widths: Vec<usize>,
    headers: bool,
}

impl LogListing<'_> {
    fn show(&mut self, entries: &[LogEntry]) -> Result<(), CliError> {
        if !self.args.answer.is_human() {
            for entry in entries {
                self.args.answer.print(self.context, "", &data(entry))?;
            }
            return Ok(());
        }
        if entries.is_empty() {
            return Ok(());
        }
        let headers = ["REVISION", "TIME", "WRITER", "CHANGE", "REASON"].map(str::to_owned);
        // The header is printed once, and later lines keep its widths.
        let headers = std::mem::take(&mut self.headers).then(|| headers.to_vec());
        let columns = self.context.ui.columns();
        let rows: Vec<Vec<String>> = entries.iter().map(|entry| self.row(entry)).collect();
        let mut table = Table {
            headers: headers.unwrap_or_default(),
            rows,
        };
        let mut reasons = Vec::new();
        match columns {
            None => {}
            Some(columns) if columns < NARROW => {
                let _ = table.headers.pop();
                reasons = table.rows.iter_mut().filter_map(Vec::pop).collect();
            }
            Some(columns) => shorten(&mut table.rows, columns),
        }
        let has_headers = usize::from(!table.headers.is_empty());
        let text = table.render_within(&mut self.widths);
        if columns.is_none() && !self.args.patch {
            return self.context.ui.out(&text);
        }
        let indent: usize = self.widths.iter().take(2).sum();
        let mut out = String::new();
        let cut = |line: &str| match columns {
            None => format!("{line}\n"),
            columns => fitted(line, columns),
        };
        for (at, line) in text.lines().enumerate() {
            out += &cut(line);
            let Some(at) = at.checked_sub(has_headers) else {
                continue;
            };
            if let Some(reason) = reasons.get(at) {
                out += &cut(&format!("{:indent$}{reason}", ""));
            }
            if self.args.patch {
                for line in self.fields(&entries[at]) {
                    out += &format!("    {line}\n");
                }
            }
        }
        self.context.ui.out(&out)
    }

    fn row(&self, entry: &LogEntry) -> Vec<String> {
        let changes = entry.changes.iter().map(|c| (c.key.as_str(), c.action));
        let change = match (entry.changes.is_empty(), entry.rule.as_str()) {
            (false, _) => self.names.summary(changes),
            (true, "lead") => "became leader".to_owned(),
            (true, rule) if rule.starts_with("clock") => "clock moved".to_owned(),
            (true, rule) if mark_of(rule).is_some() => rule.to_owned(),
            (true, _) => "-".to_owned(),
        };
        vec![
            entry.revision.to_string(),
            self.times.shown(entry.time),
            entry.origin.author(&entry.writer).to_owned(),
            change,
            reason(entry),
        ]
    }

    fn fields(&self, entry: &LogEntry) -> Vec<String> {
        let changed = entry.changes.iter().flat_map(|change| {
            let name = self.names.object(&change.key);
            let field = move |difference: &Difference| format!("{name}: {}", words(difference));
            change.fields.iter().map(field)
        });
        changed.collect()
    }
}

/// Returns the reason of a commit, and the number of other rules behind its changes.
fn reason(entry: &LogEntry) -> String {
    let mut rules: Vec<&str> = entry.changes.iter().map(|c| c.rule.as_str()).collect();
    // Neighboring changes often have equal rules, for example those of ten Pods of one ReplicaSet.
    rules.sort_unstable();
    rules.dedup();
    match (entry.origin, rules.len()) {
        (Origin::Person, _) | (_, 0 | 1) => entry.reason().to_owned(),
        (_, more) => format!("{} (+{})", entry.reason(), more - 1),
    }
}

/// Returns a changed field in words; only its path if its values may be secret.
fn words(difference: &Difference) -> String {
    match (&difference.before, &difference.after) {
        (None, None) => difference.path.clone(),
        _ => difference.to_string(),
    }
}

/// Returns a commit as structured output.
fn data(entry: &LogEntry) -> Value {
    let change = |change: &crate::history::Changed| {
        let fields = change.fields.iter().map(|field| {
            json!({"path": field.path.as_str(), "before": field.before.clone(),
                "after": field.after.clone()})
        });
        json!({"object": change.key.as_str(), "revision": change.revision,
            "change": change.action.participle(), "rule": change.rule.as_str(),
            "cause": change.trigger, "fields": fields.collect::<Vec<_>>()})
    };
    json!({
        "revision": entry.revision, "time": entry.time.to_string(),
        "writer": entry.writer.as_str(), "origin": entry.origin.name(),
        "rule": entry.rule.as_str(), "cause": entry.trigger,
        "changes": entry.changes.iter().map(change).collect::<Vec<_>>(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::testing::Shell;

    #[test]
    fn long_changes_leave_room_for_the_reasons() {
        let row = ["85", "00:00:00", "deployment", &"x".repeat(70), "why"].map(str::to_owned);
        let mut rows = vec![row.to_vec()];
        shorten(&mut rows, 200);
        assert_eq!(rows[0], row);
        shorten(&mut rows, 120);
        let before: usize = rows[0][..4].iter().map(|c| c.chars().count() + GAP).sum();
        assert_eq!(before, 120 - LEAST_REASON);
        assert!(rows[0][CHANGE].ends_with('…'), "{rows:?}");
    }

    /// Returns a shell with a Deployment that was scaled.
    fn shell() -> Shell {
        let shell = Shell::new();
        shell.all(&[
            "create deployment web --image=i",
            "settle",
            "scale deployment web --replicas=2",
            "settle",
        ]);
        shell
    }

    #[test]
    fn log_prints_writer_change_and_reason_of_each_commit() {
        let shell = shell();
        let out = shell.out("log");
        let lines: Vec<&str> = out.lines().collect();
        let head: Vec<&str> = lines[0].split_whitespace().collect();
        assert_eq!(head, ["REVISION", "TIME", "WRITER", "CHANGE", "REASON"]);
        let has = |words: &[&str]| {
            let all = |line: &&&str| words.iter().all(|word| line.contains(word));
            assert!(lines.iter().any(|line| all(&line)), "{words:?}: {out}");
        };
        let command = "kubectl --state=";
        has(&[
            "you",
            "deployment.apps/web created",
            command,
            "create deployment web --image=i",
        ]);
        has(&[
            "replicaset",
            "pod/web-",
            "created",
            "scale-up: desired 1, current 0",
        ]);
        has(&["became leader"]);
    }

    #[test]
    fn filters_select_by_object_writer_rule_and_time() {
        let shell = shell();
        let count = |flags: &str| shell.run(&format!("log {flags}")).out.lines().count();
        let all = shell.json("log --by replicaset");
        let writers = all["commits"].as_array().unwrap().iter();
        assert!(writers.clone().count() > 2);
        assert!(writers.clone().all(|c| c["writer"] == "replicaset"));
        let scaled = shell.json("log deploy/web --by you");
        assert_eq!(scaled["commits"].as_array().unwrap().len(), 2);
        assert!(count("--rule scale-up") > 1);
        assert_eq!(count("--rule nothing"), 0);
        assert_eq!(shell.run("log --rule nothing").err, "No commits found.\n");
        assert_eq!(count("--since 2099-01-01T00:00:00Z"), 0);
        let last = all["commits"].as_array().unwrap().last().unwrap()["revision"].clone();
        assert!(count(&format!("-f --until {last}")) > 3);
        assert_eq!(count("--until 2001-01-01T00:00:00Z"), 0);
        assert!(count("--since 1h") > 3);
        assert_eq!(count("deploy/other"), 0);
        let odd = shell.fails("log --since soon");
        assert!(odd.contains("or a mark in the history"), "{odd}");
    }

    #[test]
    fn mark_or_revision_separates_commits_of_the_same_time() {
        let shell = shell();
        shell.all(&[
            "mark here",
            "create configmap one",
            "mark there",
            "create configmap two",
        ]);
        let changed = |flags: &str| {
            let log = shell.json(&format!("log {flags}"));
            let commits = log["commits"].as_array().unwrap().iter();
            let changes = commits.flat_map(|c| c["changes"].as_array().unwrap().clone());
            let objects = changes.map(|c| c["object"].as_str().unwrap().to_owned());
            objects.collect::<Vec<_>>()
        };
        let [one, two] = ["one", "two"].map(|name| format!("configmaps/default/{name}"));
        assert_eq!(changed("--since here"), [one.clone(), two.clone()]);
        assert_eq!(
            changed("--since here --until there"),
            std::slice::from_ref(&one)
        );
        let revision = shell.out("get cm one -o jsonpath={.metadata.resourceVersion}");
        assert_eq!(changed(&format!("--since {revision}")), [two]);
        assert_eq!(changed(&format!("--until {revision}")).last(), Some(&one));
        // The listing is complete, so the beginning of the history is not mentioned.
        assert_eq!(shell.run("log --since here").err, "");
    }

    #[test]
    fn commands_that_read_the_past_create_no_cluster() {
        let shell = Shell::empty();
        for line in [
            "log",
            "why pod/a",
            "blame pod/a",
            "undo --last",
            "diff --revision 1..2",
        ] {
            let said = shell.run(&format!("{line} --state=@/none"));
            assert_eq!(said.err, "error: no cluster in @/none\n", "{line}");
        }
        assert!(!shell.path("none").exists());
    }

    #[test]
    fn a_patch_shows_the_fields_and_no_secrets() {
        let shell = shell();
        let out = shell.out("log deploy/web -p --by you");
        assert!(
            out.contains("    deployment.apps/web: spec.replicas 1 -> 2\n"),
            "{out}"
        );
        shell.all(&[
            "create secret generic s --from-literal=a=first",
            "patch secret s -p '{\"stringData\":{\"a\":\"second\"}}'",
        ]);
        let out = shell.out("log secret/s -p");
        assert!(out.contains("    secret/s: data.a\n"), "{out}");
        let json = shell.json("log secret/s -p").to_string();
        assert!(
            !json.contains("Zmlyc3Q") && !json.contains("c2Vjb25k"),
            "{json}"
        );
    }
}
