//! Steps through a schedule.

use super::ReplayArgs;
use crate::api::json::json;
use crate::cli::commands::explore::recipe::{self, Recipe};
use crate::cli::commands::step::{commit_of, commits_after, summary};
use crate::cli::context::Context;
use crate::cli::error::CliError;
use crate::cli::history::names;
use crate::cluster::Cluster;
use crate::history::Names;
use crate::runtime::explore::{Problem, Shared, TracedTurn, problem};
use crate::sys::bounded;

/// The number of keys that a turn shows; the rest are only counted.
const KEYS: usize = 5;

pub(super) fn play(args: &ReplayArgs, bytes: &[u8], context: &Context) -> Result<(), CliError> {
    let Recipe {
        scenario,
        decisions,
        ..
    } = &recipe::read(bytes, context, args.timeout.unsigned_abs())?;
    // The run is simulated to its end first, which takes less time than a user needs for the first step.
    let schedule = Shared::listed(decisions).traced();
    let (fork, end) = scenario.play(&schedule)?;
    let (_, reference) = scenario.play(&Shared::listed(&[]))?;
    let turns = schedule.take_turns();
    let names = names(context, &fork.cluster)?;
    for (number, turn) in (1..).zip(&turns) {
        if args.until.is_some_and(|until| number > until) {
            return Ok(());
        }
        let shown = StepOutput {
            number,
            turn,
            cluster: &fork.cluster,
            names: &names,
        };
        match args.answer.is_human() {
            true => context.ui.out(&shown.text()?)?,
            false => args.answer.print(context, "", &shown.data())?,
        }
        let asks = context.ui.can_ask() && args.answer.is_human();
        if asks && bounded::stdin_line()?.trim().eq_ignore_ascii_case("q") {
            return Ok(());
        }
    }
    let found = problem(&end, &reference);
    match args.answer.is_human() {
        true => context.ui.out(&last(found.as_ref(), turns.len())),
        false => {
            let lines = found.as_ref().map(recipe::lines);
            args.answer.print(context, "", &json!({"problem": lines}))
        }
    }
}

/// Returns the lines about the outcome of the schedule.
fn last(found: Option<&Problem>, turns: usize) -> String {
    let Some(found) = found else {
        return format!("after {turns} steps, the end is that of `ctl settle`\n");
    };
    let mut out = match found {
        Problem::Differs(_) => {
            format!("after {turns} steps, the end differs from that of `ctl settle`:\n")
        }
        Problem::Violates(_) => format!("after {turns} steps, a condition does not hold:\n"),
    };
    for line in recipe::lines(found) {
        out += &format!("  {line}\n");
    }
    out
}

/// One step, for text and JSON output.
struct StepOutput<'a> {
    number: u64,
    turn: &'a TracedTurn,
    cluster: &'a Cluster,
    names: &'a Names,
}

impl StepOutput<'_> {
    fn text(&self) -> Result<String, CliError> {
        let turn = self.turn;
        let time = turn.now.strftime("%F %T");
        let mut out = format!("step {}  {}  {time}\n", self.number, turn.controller);
        let mut row = |head: &str, text: &str| out.push_str(&format!("  {head:<8} {text}\n"));
        for decision in &turn.decisions {
            row("schedule", &decision.to_string());
        }
        for key in turn.keys.iter().take(KEYS) {
            if !key.key.name.is_empty() {
                row("key", &key.key.to_string());
            }
            if let Some(revision) = key.trigger {
                let commit = commit_of(self.cluster, revision)?;
                let commit = commit.map_or_else(String::new, |entry| {
                    format!(": {}", summary(self.names, &entry))
                });
                row("trigger", &format!("revision {revision}{commit}"));
            }
            for (at, rule) in key.rules.iter().enumerate() {
                row(if at == 0 { "plan" } else { "" }, rule);
            }
        }
        if turn.keys.len() > KEYS {
            row("", &format!("and {} more keys", turn.keys.len() - KEYS));
        }
        let commits = commits_after(self.cluster, turn.before, Some(turn.after))?;
        for entry in &commits {
            let changes = entry.changes.iter().map(|c| (c.key.as_str(), c.action));
            let text = format!(
                "revision {}: {}",
                entry.revision,
                self.names.summary(changes)
            );
            row("result", &text);
        }
        if commits.is_empty() {
            row("result", "nothing is written");
        }
        Ok(out)
    }

    fn data(&self) -> crate::api::json::Value {
        let turn = self.turn;
        let keys = turn.keys.iter().map(
            |key| json!({"key": key.key.to_string(), "trigger": key.trigger, "rules": key.rules.clone()}),
        );
        let decisions: Vec<String> = turn.decisions.iter().map(ToString::to_string).collect();
        json!({"step": self.number, "controller": turn.controller, "time": turn.now.to_string(),
            "decisions": decisions, "keys": keys.collect::<Vec<_>>(),
            "before": turn.before, "after": turn.after})
    }
}
