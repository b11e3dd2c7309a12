//! `ctl step`: runs one reconcile at a time.

use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use clap::Args;
use jiff::Timestamp;

use super::Outcome;
use super::controllers::{ControllerSelection, all};
use crate::api::json::{Value, json};
use crate::cli::context::Context;
use crate::cli::error::CliError;
use crate::cli::history::names;
use crate::cli::options::StructuredOutputArgs;
use crate::cli::settle_lock;
use crate::cluster::{Cluster, Revision};
use crate::history::{Filter, LogEntry, Names, log};
use crate::runtime::{Config, Key, Manager, OneStep, Upcoming};
use crate::sys::signal;

/// Run one reconcile, and show its trigger, its plan and its commits
///
/// Controllers take turns as in `ctl settle`; the command skips reconciles that write nothing. If nothing is due,
/// it advances a virtual clock to the next timer. The output shows the change that made the key due, the rules of
/// the plan with their reasons, the commits, and the next reconcile. With -o json, each reconcile is an object, and
/// the last one also has the next reconciles, the timers and the paused controllers.
///
/// Examples:
///   ctl create deployment web --image=nginx && ctl step
///   ctl step replicaset    the next reconcile of this controller
///   ctl step --count 5
#[derive(Args, Debug)]
#[command(verbatim_doc_comment)]
pub(crate) struct StepArgs {
    /// Reconcile for this controller only
    #[arg(value_name = "CONTROLLER")]
    controller: Option<String>,
    /// Number of reconciles
    #[arg(long, default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..))]
    count: u32,
    #[command(flatten)]
    answer: StructuredOutputArgs,
}

/// The number of upcoming reconciles that are shown.
const NEXT: usize = 5;

pub(crate) fn run(args: &StepArgs, context: &Context) -> Outcome {
    args.answer.check()?;
    let which = match &args.controller {
        None => ControllerSelection::default(),
        Some(name) => ControllerSelection::only(std::slice::from_ref(name)),
    };
    walk(&which, Some(args.count), &args.answer, context)
}

/// Runs and shows reconciles, up to a number or until the cluster is settled. Then shows the upcoming ones.
pub(super) fn walk(
    which: &ControllerSelection,
    count: Option<u32>,
    answer: &StructuredOutputArgs,
    context: &Context,
) -> Outcome {
    let controllers = all(which)?;
    let cluster = context.open_as_administrator()?;
    let names = names(context, &cluster)?;
    let stop: Arc<AtomicBool> = signal::stop_flag()?;
    let is_over = || stop.load(Ordering::Relaxed);
    let Some(_lock) = settle_lock::acquire(&cluster, context, None, &is_over)? else {
        return Ok(ExitCode::SUCCESS);
    };
    // The leader of the controllers pauses meanwhile, as during `ctl settle`.
    let epoch = cluster.election().lead()?;
    let mut manager = Manager::new(&cluster, controllers, &|_| Config::default());
    manager.set_epoch(epoch);
    manager.set_stop_flag(Arc::clone(&stop));
    manager.load()?;
    let (mut made, mut failed) = (0, false);
    // JSON and YAML output has the last reconcile and the upcoming ones in one document.
    let mut last: Option<Value> = None;
    let horizon = match count {
        // A user who takes single steps may follow a Pod that never starts for any length of time.
        Some(_) => Timestamp::MAX,
        None => manager.horizon(),
    };
    while count.is_none_or(|count| made < count) {
        let Some(step) = manager.step_one(horizon)? else {
            break;
        };
        made += 1;
        failed |= step.error.is_some();
        let seen = ObservedReconcile::from_step(&cluster, step)?;
        if answer.is_human() {
            context.ui.out(&seen.text(&names))?;
        } else if let Some(before) = last.replace(seen.data(&names)) {
            answer.print(context, "", &before)?;
        }
    }
    let coming = Coming::from_manager(&cluster, &mut manager);
    if answer.is_human() {
        context.ui.out(&coming.text(made))?;
    } else {
        let mut last = last.unwrap_or_else(|| json!({}));
        coming.add_to(&mut last);
        answer.print(context, "", &last)?;
    }
    Ok(ExitCode::from(u8::from(failed)))
}

/// A reconcile with the commit that triggered it and the commits that it made.
struct ObservedReconcile {
    step: OneStep,
    trigger: Option<LogEntry>,
    commits: Vec<LogEntry>,
}

impl ObservedReconcile {
    fn from_step(cluster: &Cluster, step: OneStep) -> Result<Self, CliError> {
        let trigger = match step.trigger {
            Some(revision) => commit_of(cluster, revision)?,
            None => None,
        };
        let commits = commits_after(cluster, step.before, None)?;
        Ok(Self {
            step,
            trigger,
            commits,
        })
    }

    fn text(&self, names: &Names) -> String {
        let step = &self.step;
        let mut out = named(step.controller, &step.key) + "\n";
        let mut row = |head: &str, text: &str| out.push_str(&format!("  {head:<8} {text}\n"));
        if let Some(moved) = step.moved {
            row("clock", &format!("moved to {}", moved.strftime("%F %T")));
        }
        if let Some(entry) = &self.trigger {
            let text = format!("revision {}: {}", entry.revision, summary(names, entry));
            row("trigger", &text);
        }
        for (at, rule) in step.rules.iter().enumerate() {
            row(if at == 0 { "plan" } else { "" }, rule);
        }
        for (at, entry) in self.commits.iter().enumerate() {
            let changes = entry.changes.iter().map(|c| (c.key.as_str(), c.action));
            let text = format!("revision {}: {}", entry.revision, names.summary(changes));
            row(if at == 0 { "result" } else { "" }, &text);
        }
        if let Some(error) = &step.error {
            row("error", error);
        }
        out
    }

    fn data(&self, names: &Names) -> Value {
        let trigger = self.trigger.as_ref().map(|entry| summary(names, entry));
        let commits = self.commits.iter();
        let commits: Vec<u64> = commits.map(|entry| entry.revision).collect();
        json!({
            "controller": self.step.controller, "key": self.step.key.to_string(),
            "trigger": self.step.trigger, "triggeredBy": trigger, "rules": self.step.rules, "error": self.step.error,
            "clockMovedTo": self.step.moved.map(|at| at.to_string()), "commits": commits,
        })
    }
}

/// Returns the commit that made the change with a revision.
pub(super) fn commit_of(
    cluster: &Cluster,
    revision: Revision,
) -> Result<Option<LogEntry>, CliError> {
    let filter = Filter {
        after: revision.saturating_sub(1),
        ..Filter::default()
    };
    let mut found = None;
    // A commit covers several revisions, so its own revision may be lower.
    log(cluster, &filter, &mut |entry| {
        let is_it = entry.changes.iter().any(|c| c.revision == revision);
        if is_it {
            found = Some(entry);
        }
        !is_it
    })?;
    Ok(found)
}

/// Returns the commits that made changes after one revision and up to another.
pub(super) fn commits_after(
    cluster: &Cluster,
    after: Revision,
    last: Option<Revision>,
) -> Result<Vec<LogEntry>, CliError> {
    let filter = Filter {
        after,
        ..Filter::default()
    };
    let mut commits = Vec::new();
    log(cluster, &filter, &mut |entry| {
        let is_later = last.is_some_and(|last| entry.revision > last);
        if !entry.changes.is_empty() && !is_later {
            commits.push(entry);
        }
        !is_later
    })?;
    Ok(commits)
}

/// Returns the changes of a commit with their author and cause.
pub(super) fn summary(names: &Names, entry: &LogEntry) -> String {
    let changes = entry.changes.iter().map(|c| (c.key.as_str(), c.action));
    let author = entry.origin.author(&entry.writer);
    format!("{author}: {} ({})", names.summary(changes), entry.reason())
}

/// The upcoming reconciles, the timers, and the paused controllers.
struct Coming {
    next: Vec<Upcoming>,
    timers: Vec<(Timestamp, &'static str, Key)>,
    paused: Arc<[String]>,
}

impl Coming {
    fn from_manager(cluster: &Cluster, manager: &mut Manager<'_>) -> Self {
        let mut timers = manager.timers();
        let (next, later): (Vec<Upcoming>, Vec<Upcoming>) =
            manager.upcoming().into_iter().partition(|u| u.at.is_none());
        // Planning has found timers of keys that this run has not reconciled, so they are added.
        let later = later.into_iter();
        timers.extend(later.filter_map(|u| Some((u.at?, u.controller, u.key))));
        timers.sort();
        timers.dedup();
        Self {
            next,
            timers,
            paused: cluster.election().paused(),
        }
    }

    fn text(&self, made: u32) -> String {
        let next = self.next.iter();
        let next = next.map(|u| format!("{}: {}", named(u.controller, &u.key), u.rules.join("; ")));
        let timers = self.timers.iter().map(|(at, controller, key)| {
            format!("{} at {}", named(controller, key), at.strftime("%F %T"))
        });
        let (next, timers): (Vec<String>, Vec<String>) = (next.collect(), timers.collect());
        let mut out = String::new();
        if made == 0 && next.is_empty() {
            out.push_str("nothing is due\n");
            if !self.paused.is_empty() {
                let paused = self.paused.join(", ");
                out.push_str(&format!("paused: {paused}; `ctl resume` resumes them\n"));
            }
        }
        for (head, lines) in [("next", next), ("timers", timers)] {
            for (at, line) in lines.iter().take(NEXT).enumerate() {
                let head = if at == 0 { head } else { "" };
                out.push_str(&format!("{head:<10} {line}\n"));
            }
            if lines.len() > NEXT {
                out.push_str(&format!("{:<10} and {} more\n", "", lines.len() - NEXT));
            }
        }
        out
    }

    fn add_to(&self, data: &mut Value) {
        let next = self.next.iter().map(|u| {
            json!({"controller": u.controller, "key": u.key.to_string(), "rules": u.rules.clone()})
        });
        let timers = self.timers.iter().map(|(at, controller, key)| {
            json!({"controller": *controller, "key": key.to_string(), "time": at.to_string()})
        });
        data["next"] = next.collect();
        data["timers"] = timers.collect();
        data["paused"] = self.paused.to_vec().into();
    }
}

/// Returns a controller with its key. The key of a controller that reconciles everything at once is empty.
pub(super) fn named(controller: &str, key: &Key) -> String {
    format!("{controller} {key}").trim_end().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::testing::Shell;

    #[test]
    fn a_rollout_is_walked_through_one_reconcile_at_a_time() {
        let shell = Shell::empty();
        let _ = shell.out("cluster init --clock virtual --seed 7");
        let _ = shell.out("settle");
        let _ = shell.out("create deployment web --image=i --replicas=2");
        let out = shell.out("step");
        for part in [
            "deployment default/web\n  trigger  revision ",
            ": you: deployment.apps/web created (",
            "  plan     new-replica-set: no ReplicaSet has this Pod template\n",
            ": replicaset.apps/web-",
            "next       replicaset default/web-",
            ": scale-up: desired 2, current 0",
        ] {
            assert!(out.contains(part), "{part:?} is not in\n{out}");
        }
        let out = shell.out("step replicaset");
        assert!(out.starts_with("replicaset default/web-"), "{out}");
        assert_eq!(shell.out("get pods -o name").lines().count(), 2);
        let all = shell.out("step --count 100");
        assert!(all.contains("kubelet default/web-"), "{all}");
        assert_eq!(
            shell.out("get deployment web -o jsonpath={.status.readyReplicas}"),
            "2"
        );
        assert!(shell.out("step").starts_with("nothing is due\n"));
        shell.all(&["pause scheduler"]);
        let data = shell.json("step");
        assert_eq!(
            (&data["controller"], &data["paused"][0]),
            (&Value::Null, &"scheduler".into())
        );
        assert!(data["timers"].as_array().is_some() && data["next"].as_array().is_some());
        shell.all(&["resume scheduler", "scale deployment web --replicas=3"]);
        let data = shell.json("step");
        assert_eq!(data["controller"], "deployment");
        let mut next = data["next"].as_array().unwrap().iter();
        assert!(next.any(|own| own["controller"] == "replicaset"), "{data}");
        assert!(
            data["triggeredBy"].as_str().unwrap().starts_with("you: "),
            "{data}"
        );
        let _ = shell.out("step --count 100");
        let revision = shell.out("get deployment web -o jsonpath={.metadata.resourceVersion}");
        let _ = shell.out("settle");
        assert_eq!(
            shell.out("get deployment web -o jsonpath={.metadata.resourceVersion}"),
            revision
        );
    }
}
