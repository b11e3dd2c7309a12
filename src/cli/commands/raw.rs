//! `ctl raw`: direct access to the store, for tests and debugging.

use std::process::ExitCode;
use std::time::Duration;

use clap::{Args, Subcommand};

use super::Outcome;
use crate::api::json::Value;
use crate::cli::context::Context;
use crate::cli::error::CliError;
use crate::cluster::{Cluster, Expect, HistoryQuery, Key, Range, RawOp, Revision, Stored};
use crate::sys::bounded;
use crate::sys::clock::Stopwatch;

/// Read and write objects as they are stored, without any Kubernetes
///
/// Keys are RESOURCE/NAMESPACE/NAME with _cluster for no namespace.
///
/// Example: ctl raw get configmaps/default/settings
#[derive(Args, Debug)]
pub(crate) struct RawArgs {
    #[command(subcommand)]
    command: RawCommand,
}

#[derive(Debug, Subcommand)]
enum RawCommand {
    /// Print an object after its revision
    Get { key: String },
    /// Print the objects whose keys begin with a prefix
    List {
        #[arg(default_value = "")]
        prefix: String,
        /// As they were at this revision
        #[arg(long)]
        at: Option<Revision>,
    },
    /// Write an object, JSON from standard input
    Put {
        key: String,
        #[command(flatten)]
        expect: ExpectArgs,
    },
    /// Remove an object
    Delete {
        key: String,
        #[command(flatten)]
        expect: ExpectArgs,
    },
    /// Merge a JSON patch into an object, under the lock
    Merge { key: String, patch: String },
    /// Commit the lines of standard input together: `put KEY JSON` or `delete KEY`
    Batch,
    /// Print changes as they come
    Watch {
        #[arg(default_value = "")]
        prefix: String,
        /// Changes after this revision
        #[arg(long)]
        from: Option<Revision>,
        /// Stop when the cluster is at this revision
        #[arg(long)]
        until: Option<Revision>,
        /// Stop after this many seconds
        #[arg(long, default_value_t = 60.0)]
        timeout: f64,
    },
    /// Print the commits that are kept
    Log {
        #[arg(default_value = "")]
        prefix: String,
    },
    /// Print the cluster's revision
    Revision,
    /// Begin a new generation of the journal
    Compact,
    /// Begin a new leader's epoch and print it
    Lead,
}

#[derive(Args, Debug)]
struct ExpectArgs {
    /// Only if the object has this revision
    #[arg(long)]
    revision: Option<Revision>,
    /// Only if the object does not exist
    #[arg(long, conflicts_with = "revision")]
    absent: bool,
    /// Only while this leader's epoch is in force
    #[arg(long)]
    epoch: Option<u64>,
}

impl ExpectArgs {
    fn expect(&self) -> Expect {
        match (self.revision, self.absent) {
            (Some(revision), _) => Expect::At(revision),
            (None, true) => Expect::Absent,
            (None, false) => Expect::Any,
        }
    }
}

pub(crate) fn run(args: RawArgs, context: &Context) -> Outcome {
    let cluster = context.cluster()?;
    let ui = &context.ui;
    match args.command {
        RawCommand::Get { key } => {
            let key = parse_key(&key)?;
            let found = cluster.stored().get(&key)?;
            let found = found.ok_or_else(|| CliError::text(format!("{key} not found")))?;
            ui.line(format_args!("{}\t{}", found.revision, text(&found.json)))?;
        }
        RawCommand::List { prefix, at } => {
            let list = cluster.stored().list(&Range::prefix(&prefix), at)?;
            let mut out = format!("# {}\n", list.revision);
            out.extend(list.items.iter().map(line));
            ui.out(&out)?;
        }
        RawCommand::Put { key, expect } => {
            let input = bounded::stdin(bounded::CONTENT)?;
            put(&cluster, context, &key, Some(parse_json(&input)?), &expect)?;
        }
        RawCommand::Delete { key, expect } => put(&cluster, context, &key, None, &expect)?,
        RawCommand::Merge { key, patch } => {
            let patch = parse_json(patch.as_bytes())?;
            let done = cluster.stored().merge(&parse_key(&key)?, &patch)?;
            ui.line(shown(done))?;
        }
        RawCommand::Batch => {
            let revisions = cluster.stored().commit(&read_batch()?, None, "batch")?;
            ui.out(
                &revisions
                    .into_iter()
                    .map(|r| shown(r) + "\n")
                    .collect::<String>(),
            )?;
        }
        RawCommand::Watch {
            prefix,
            from,
            until,
            timeout,
        } => {
            let range = Range::prefix(&prefix);
            let timeout = Duration::from_secs_f64(timeout);
            let revisions = Revisions { from, until };
            watch(&cluster, context, &range, &revisions, timeout)?;
        }
        RawCommand::Log { prefix } => log(&cluster, context, &prefix)?,
        RawCommand::Revision => ui.line(cluster.stored().revision()?)?,
        RawCommand::Compact => cluster.stored().compact()?,
        // Tests use this process's epoch to fence off another process.
        RawCommand::Lead => ui.line(cluster.stored().lead()?)?,
    }
    Ok(ExitCode::SUCCESS)
}

fn put(
    cluster: &Cluster,
    context: &Context,
    key: &str,
    object: Option<Value>,
    expect: &ExpectArgs,
) -> Result<(), CliError> {
    // The history shows this rule, as it shows the rules of kubectl's commands.
    let rule = if object.is_some() { "put" } else { "delete" };
    let op = RawOp {
        key: parse_key(key)?,
        object,
        expect: expect.expect(),
    };
    let done = cluster.stored().commit(&[op], expect.epoch, rule)?;
    context.ui.line(shown(done.first().copied().flatten()))
}

fn shown(revision: Option<Revision>) -> String {
    revision.map_or("unchanged".to_owned(), |r| r.to_string())
}

fn text(json: &[u8]) -> std::borrow::Cow<'_, str> {
    String::from_utf8_lossy(json)
}

fn line(item: &Stored) -> String {
    format!("{}\t{}\t{}\n", item.revision, item.key, text(&item.json))
}

fn parse_key(key: &str) -> Result<Key, CliError> {
    Key::parse(key).map_err(|e| CliError::text(e.to_string()))
}

fn parse_json(bytes: &[u8]) -> Result<Value, CliError> {
    serde_json::from_slice(bytes).map_err(|e| CliError::text(format!("not JSON: {e}")))
}

fn read_batch() -> Result<Vec<RawOp>, CliError> {
    let input = bounded::stdin_text(bounded::MANIFESTS)?;
    let lines = input.lines().filter(|l| !l.trim().is_empty());
    lines
        .map(|line| {
            // Three parts at most, because the JSON may contain spaces.
            let mut words = line.splitn(3, ' ');
            let (what, key) = (
                words.next().unwrap_or_default(),
                words.next().unwrap_or_default(),
            );
            let object = match what {
                "put" => Some(parse_json(words.next().unwrap_or_default().as_bytes())?),
                "delete" => None,
                _ => return Err(CliError::text(format!("neither put nor delete: {line}"))),
            };
            Ok(RawOp {
                key: parse_key(key)?,
                object,
                // The lines of a batch cannot express a condition; `put --revision` can.
                expect: Expect::Any,
            })
        })
        .collect()
}

/// The range of revisions that a watch shows.
struct Revisions {
    /// The watch starts after this revision; by default after the current one.
    from: Option<Revision>,
    /// The watch ends after this revision; by default at its timeout.
    until: Option<Revision>,
}

fn watch(
    cluster: &Cluster,
    context: &Context,
    range: &Range,
    revisions: &Revisions,
    timeout: Duration,
) -> Result<(), CliError> {
    let &Revisions { from, until } = revisions;
    let stopwatch = Stopwatch::start();
    let mut at = match from {
        Some(revision) => revision,
        None => cluster.stored().revision()?,
    };
    loop {
        // `seen` may be later than the last event, so that commits to other keys are not read again.
        let (events, seen) = cluster.stored().events(range, at)?;
        let mut out = String::new();
        for event in &events {
            let (what, json) = match (&event.after, &event.before) {
                (Some(json), _) => ("put", text(json)),
                (None, Some((_, json))) => ("delete", text(json)),
                (None, None) => ("delete", "".into()),
            };
            out.push_str(&format!(
                "{}\t{what}\t{}\t{json}\n",
                event.revision, event.key
            ));
        }
        context.ui.out(&out)?;
        at = seen;
        // The remaining time is computed after printing, so that a slow reader does not extend the watch.
        let left = timeout.saturating_sub(stopwatch.elapsed());
        if until.is_some_and(|until| at >= until) || left.is_zero() {
            return Ok(());
        }
        cluster.stored().wait(at, left)?;
    }
}

fn log(cluster: &Cluster, context: &Context, prefix: &str) -> Result<(), CliError> {
    // Compaction has removed the history before the oldest revision.
    let after = cluster.files().fsck(false)?.oldest;
    let past = HistoryQuery {
        after,
        range: Range::prefix(prefix),
        ..HistoryQuery::default()
    };
    let mut out = String::new();
    for change in cluster.stored().history(&past)? {
        let trigger = change
            .cause
            .trigger
            .map_or("-".to_owned(), |change| change.revision.to_string());
        let keys: Vec<String> = change
            .events
            .iter()
            .map(|e| format!("{}@{}", e.key, e.revision))
            .collect();
        out.push_str(&format!(
            "{}\t{}\t{}\t{trigger}\t{}\t{}\n",
            change.time,
            change.cause.writer,
            change.cause.rule,
            change.epoch,
            keys.join(" ")
        ));
    }
    context.ui.out(&out)
}

#[cfg(test)]
mod tests {
    use crate::cli::testing::Shell;

    #[test]
    fn the_store_is_read_and_written_by_keys_and_revisions() {
        let shell = Shell::new();
        let _ = shell.out("create configmap c --from-literal=a=b");
        let at: u64 = shell.out("raw revision").trim().parse().unwrap();
        let stored = shell.out("raw get configmaps/default/c");
        assert!(stored.starts_with(&format!("{at}\t{{")), "{stored}");
        let merged = shell.out("raw merge configmaps/default/c '{\"data\":{\"a\":\"z\"}}'");
        assert_eq!(merged, format!("{}\n", at + 1));
        assert_eq!(shell.out("get cm c -o jsonpath={.data.a}"), "z");
        assert_eq!(
            shell.out("raw merge configmaps/default/c '{\"data\":{\"a\":\"z\"}}'"),
            "unchanged\n"
        );
        let before = shell.out(&format!("raw list configmaps/default/c --at {at}"));
        assert!(before.contains("\"a\":\"b\""), "{before}");
        let watched = shell.out(&format!("raw watch configmaps/ --from {at} --timeout 0"));
        assert!(
            watched.starts_with(&format!("{}\tput\tconfigmaps/default/c\t{{", at + 1)),
            "{watched}"
        );
    }

    #[test]
    fn raw_rejects_failed_preconditions_and_invalid_keys() {
        let shell = Shell::new();
        let _ = shell.out("create configmap c");
        let conflict = shell.fails("raw delete configmaps/default/c --revision 1");
        assert!(conflict.starts_with("error: "), "{conflict}");
        assert_eq!(shell.out("get cm c -o name"), "configmap/c\n");
        let _ = shell.out("raw delete configmaps/default/c");
        shell.refuses(&[(
            "raw get configmaps/default/c",
            "configmaps/default/c not found",
        )]);
        let odd = shell.fails("raw get odd");
        assert!(odd.contains("odd"), "{odd}");
        let odd = shell.fails("raw merge configmaps/default/c {");
        assert!(odd.starts_with("error: not JSON: "), "{odd}");
    }
}
