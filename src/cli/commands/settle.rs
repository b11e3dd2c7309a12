//! `ctl settle`.

use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use clap::Args;

use super::Outcome;
use super::controllers::{ControllerSelection, all};
use crate::api::json::{Value, json};
use crate::api::status::Status;
use crate::cli::context::Context;
use crate::cli::durations::span;
use crate::cli::error::{CliError, FAILURE};
use crate::cli::options::StructuredOutputArgs;
use crate::cli::settle_lock;
use crate::cluster::{ClockMode, Cluster};
use crate::controllers::is_ready;
use crate::history::blockers;
use crate::kinds;
use crate::runtime::{self, Cache, Config, Controller, Manager, Observer, Stuck, Until};
use crate::sys::clock::Stopwatch;
use crate::sys::signal;

/// The exit code if the controllers repeat the same changes forever.
const OSCILLATING: u8 = 2;

/// Run the controllers until nothing is left to do
///
/// On a virtual clock, time jumps to the next timer, so minutes take milliseconds; on the system clock, the command
/// waits. Schedules, times to live and other recurring timers do not keep a cluster from being settled; --for also
/// runs for a given time.
///
/// Exit codes: 0 if settled; 1 if some objects are stuck, with each object and the reason; 2 if the same changes
/// repeat, with one cycle of them.
///
/// Examples:
///   ctl apply -f app.yaml && ctl settle    wait until the application runs, or print why it does not
///   ctl settle --for 24h                   simulate a day, CronJobs included
#[derive(Args, Debug)]
#[command(verbatim_doc_comment)]
pub(crate) struct SettleArgs {
    /// Then continue for this much time on the cluster's clock
    #[arg(long = "for", value_name = "DURATION", value_parser = span)]
    pass: Option<jiff::SignedDuration>,
    /// Maximum real time to spend
    #[arg(long, value_name = "DURATION", value_parser = span, default_value = "5m")]
    timeout: jiff::SignedDuration,
    #[command(flatten)]
    which: ControllerSelection,
    #[command(flatten)]
    answer: StructuredOutputArgs,
}

pub(crate) fn run(args: &SettleArgs, context: &Context) -> Outcome {
    args.answer.check()?;
    let cluster = context.open_as_administrator()?;
    let controllers = all(&args.which)?;
    let stop = signal::stop_flag()?;
    let mut summary = None;
    let outcome = settle(args, context, &cluster, controllers, &stop, &mut summary)?;
    if !args.answer.is_human() {
        args.answer
            .print(context, "", &data(&outcome, &cluster.now()?.to_string()))?;
    }
    let code = tell(outcome, context);
    let paused = cluster.election().paused();
    if !paused.is_empty() {
        context.ui.note(&format!(
            "paused: {}; `ctl resume` resumes them",
            paused.join(", ")
        ));
    }
    if let Some(summary) = summary {
        context.ui.note(&summary.line());
    }
    Ok(code)
}

/// Settles the cluster, after any other process that settles it. The leader of the controllers pauses meanwhile. On a
/// terminal, a summary follows.
fn settle(
    args: &SettleArgs,
    context: &Context,
    cluster: &Cluster,
    controllers: Vec<Box<dyn Controller>>,
    stop: &Arc<AtomicBool>,
    summary: &mut Option<Summary>,
) -> Result<runtime::Outcome, CliError> {
    let (spent, timeout) = (Stopwatch::start(), args.timeout.unsigned_abs());
    // `Relaxed` suffices, because the flag guards no other data.
    let stopped = || stop.load(Ordering::Relaxed);
    // Two processes that settle the same cluster would fence each other off forever.
    let Some(_lock) = settle_lock::acquire(cluster, context, Some(timeout), &stopped)? else {
        return Ok(match stopped() {
            true => runtime::Outcome::Stopped,
            false => late(&cluster.election().settle_lock_holder()),
        });
    };
    // Taken after the wait for the settle lock, because changes of the previous process do not belong to this summary.
    let before = cluster.stored().moment()?;
    // The new epoch fences off the leader's commits, so that nothing is reconciled twice.
    let epoch = cluster.election().lead()?;
    // Files are written once at the end instead of after each commit, because a rollout rewrites the same files many
    // times.
    cluster.files().hold_tree();
    let schedule = context.fork().and_then(|fork| fork.schedule.as_ref());
    let mut manager = match schedule {
        None => Manager::new(cluster, controllers, &|_| Config::default()),
        Some(schedule) => {
            // The names are valid: the first call of `all` checked them.
            let which = args.which.clone();
            let again = move |_: &Cluster| all(&which).map_err(|_| Status::internal("").into());
            Manager::under(cluster, Arc::new(again), schedule.clone())?
        }
    };
    manager.set_epoch(epoch);
    manager.set_stop_flag(Arc::clone(stop));
    if context.ui.is_terminal() {
        manager.observe(progress(context, cluster.settings().clock));
    }
    let until = Until {
        pass: args.pass,
        // `--timeout` bounds the whole command, so the wait for the settle lock counts.
        timeout: Some(timeout.saturating_sub(spent.elapsed())),
    };
    let outcome = manager
        .load_scheduled()
        .and_then(|()| manager.settle(&until, &stopped));
    if !stopped() {
        // A stopped process leaves the files to the next writer, as a killed process would.
        cluster.files().show_held()?;
    }
    context.ui.show_progress(None);
    if let (Ok(outcome), true) = (&outcome, context.ui.is_terminal()) {
        let (revision, now) = cluster.stored().moment()?;
        let shown = Summary {
            settled: matches!(outcome, runtime::Outcome::Settled),
            changes: revision.saturating_sub(before.0),
            pods: Pods::from_cache(manager.cache()),
            real: spent.elapsed(),
            simulated: (cluster.settings().clock == ClockMode::Virtual)
                .then(|| now.duration_since(before.1).as_secs()),
        };
        *summary = Some(shown);
    }
    // The process ends, so freeing the cache object by object would waste time.
    std::mem::forget(manager);
    Ok(outcome?)
}

/// Returns the outcome if another process is still settling the cluster at the timeout.
fn late(who: &str) -> runtime::Outcome {
    let reason = format!("still waiting for {who} to settle the cluster");
    runtime::Outcome::Stuck(vec![Stuck::of_controllers(&reason)])
}

/// Reports everything that is not in its desired state, and returns the exit code.
fn tell(outcome: runtime::Outcome, context: &Context) -> ExitCode {
    match outcome {
        runtime::Outcome::Settled => ExitCode::SUCCESS,
        runtime::Outcome::Stuck(objects) => {
            for blocker in blockers(&objects) {
                context.ui.note(&format!("stuck: {blocker}"));
            }
            ExitCode::from(FAILURE)
        }
        runtime::Outcome::Oscillating(cycle) => {
            context.ui.note("oscillating: these changes repeat");
            for line in cycle {
                context.ui.note(&format!("  {line}"));
            }
            ExitCode::from(OSCILLATING)
        }
        runtime::Outcome::Stopped => {
            context.ui.note("stopped before the cluster was settled");
            ExitCode::from(FAILURE)
        }
    }
}

/// Returns the outcome as structured output.
fn data(outcome: &runtime::Outcome, now: &str) -> Value {
    match outcome {
        runtime::Outcome::Settled => json!({"outcome": "settled", "time": now}),
        runtime::Outcome::Stuck(objects) => {
            let stuck = objects
                .iter()
                .map(|s| json!({"object": s.object.as_str(), "reason": s.reason.as_str()}));
            let blockers = blockers(objects).into_iter().map(|blocker| {
                json!({"cause": blocker.cause, "objects": blocker.objects,
                    "waiting": blocker.waiting})
            });
            json!({"outcome": "stuck", "time": now, "stuck": stuck.collect::<Vec<_>>(),
                "blockers": blockers.collect::<Vec<_>>()})
        }
        runtime::Outcome::Oscillating(cycle) => {
            let cycle: Vec<String> = cycle.iter().map(ToString::to_string).collect();
            json!({"outcome": "oscillating", "time": now, "cycle": cycle})
        }
        runtime::Outcome::Stopped => json!({"outcome": "stopped", "time": now}),
    }
}

/// The interval between updates of the progress line. A shorter run shows none.
const SHOW: Duration = Duration::from_millis(200);

fn progress(context: &Context, mode: ClockMode) -> Observer {
    let ui = context.ui.clone();
    let (mut started, mut shown, since) = (None, Stopwatch::start(), Stopwatch::start());
    let mut first = None;
    let passed = match mode {
        ClockMode::System => "elapsed",
        ClockMode::Virtual => "simulated",
    };
    Box::new(move |reconciled| {
        let started = *started.get_or_insert(reconciled.now);
        if shown.elapsed() >= SHOW {
            shown = Stopwatch::start();
            let pods = Pods::from_cache(reconciled.cache);
            // Pods that were ready before the run do not count toward the rate.
            let rate = pods.rate(*first.get_or_insert(pods.ready), since.elapsed());
            let time = clock_face(reconciled.now.duration_since(started).as_secs());
            ui.show_progress(Some(&format!("{}{rate}, {passed} {time}", pods.words())));
        }
    })
}

/// The number of ready Pods, and of all Pods that have not ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Pods {
    ready: usize,
    all: usize,
}

impl Pods {
    fn from_cache(cache: &Cache) -> Self {
        let (mut ready, mut all) = (0, 0);
        for pod in kinds::find("", "v1", "Pod")
            .into_iter()
            .flat_map(|kind| cache.list(kind, ""))
        {
            let phase = pod["status"]["phase"].as_str();
            all += usize::from(!matches!(phase, Some("Succeeded" | "Failed")));
            ready += usize::from(is_ready(pod));
        }
        Self { ready, all }
    }

    /// Formats the numbers, as in `6,120 of 10,000 Pods ready`.
    fn words(self) -> String {
        format!(
            "{} of {} Pods ready",
            grouped(self.ready),
            grouped(self.all)
        )
    }

    /// Returns the rate at which Pods became ready, as in `, 1,400/s`; nothing if none did.
    fn rate(self, first: usize, time: Duration) -> String {
        let (more, millis) = (self.ready.saturating_sub(first), time.as_millis());
        let millis = usize::try_from(millis).unwrap_or(usize::MAX);
        match (more.saturating_mul(1000)).checked_div(millis) {
            None | Some(0) => String::new(),
            Some(rate) => format!(", {}/s", grouped(rate)),
        }
    }
}

/// The result of a run, in one line for a terminal.
#[derive(Clone, Copy, Debug)]
struct Summary {
    settled: bool,
    changes: u64,
    pods: Pods,
    real: Duration,
    /// The seconds that have passed on a virtual clock.
    simulated: Option<i64>,
}

impl Summary {
    fn line(&self) -> String {
        let settled = if self.settled {
            "settled"
        } else {
            "not settled"
        };
        let changes = match self.changes {
            0 => "no changes".to_owned(),
            1 => "1 change".to_owned(),
            many => format!(
                "{} changes",
                grouped(usize::try_from(many).unwrap_or(usize::MAX))
            ),
        };
        let simulated = self.simulated.map_or_else(String::new, |seconds| {
            format!(", simulated {}", clock_face(seconds))
        });
        let (pods, real) = (self.pods.words(), self.real.as_secs_f64());
        format!("{settled}: {changes}, {pods}, {real:.2} s{simulated}")
    }
}

/// Formats a number with a comma before every three digits.
fn grouped(number: usize) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (place, digit) in digits.char_indices() {
        if place > 0 && (digits.len() - place).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// Formats seconds as `HH:MM:SS`.
fn clock_face(seconds: i64) -> String {
    format!(
        "{:02}:{:02}:{:02}",
        seconds / 3600,
        seconds / 60 % 60,
        seconds % 60
    )
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::{Pods, Summary, clock_face, grouped};
    use crate::cli::testing::Shell;

    #[test]
    fn numbers_are_grouped_and_durations_formatted() {
        let numbers = [0, 999, 1_000, 10_000, 1_234_567].map(grouped);
        assert_eq!(numbers, ["0", "999", "1,000", "10,000", "1,234,567"]);
        assert_eq!(clock_face(12), "00:00:12");
        assert_eq!(clock_face(100 * 3600 + 61), "100:01:01");
    }

    #[test]
    fn the_summary_has_the_changes_the_pods_and_both_times() {
        let pods = Pods {
            ready: 6120,
            all: 10_000,
        };
        let summary = Summary {
            settled: true,
            changes: 61_234,
            pods,
            real: Duration::from_millis(1540),
            simulated: Some(12),
        };
        assert_eq!(
            summary.line(),
            "settled: 61,234 changes, 6,120 of 10,000 Pods ready, 1.54 s, simulated 00:00:12"
        );
        let stuck = Summary {
            settled: false,
            changes: 1,
            simulated: None,
            ..summary
        };
        assert_eq!(
            stuck.line(),
            "not settled: 1 change, 6,120 of 10,000 Pods ready, 1.54 s"
        );
        assert_eq!(pods.rate(520, Duration::from_secs(4)), ", 1,400/s");
        assert_eq!(pods.rate(6120, Duration::from_secs(4)), "");
        assert_eq!(pods.rate(0, Duration::ZERO), "");
    }

    #[test]
    fn settle_reaches_the_desired_state_without_output() {
        let shell = Shell::new();
        let _ = shell.out("create deployment web --image=i --replicas=2");
        assert_eq!(shell.out("settle"), "");
        let ready = "get deployment web -o jsonpath={.status.readyReplicas}";
        assert_eq!(shell.out(ready), "2");
        assert_eq!(shell.json("settle")["outcome"], "settled");
    }

    #[test]
    fn stuck_object_is_printed_with_its_reason() {
        let shell = Shell::new();
        let _ = shell.out(
            "run picky --image=i --overrides='{\"spec\":{\"nodeSelector\":{\"disk\":\"ssd\"}}}'",
        );
        let said = shell.run("settle");
        assert_eq!((said.code, said.out.as_str()), (1, ""));
        assert!(
            said.err.starts_with("stuck: Unschedulable: ")
                && said.err.ends_with(" (Pod default/picky)\n"),
            "{said:?}"
        );
        let said = shell.run("settle -o json");
        assert!(
            said.out.contains("\"outcome\": \"stuck\"") && said.code == 1,
            "{said:?}"
        );
    }

    #[test]
    fn unschedulable_pods_of_a_deployment_share_one_line() {
        let shell = Shell::new();
        let _ = shell.out("create deployment web --image=i --replicas=12");
        let _ = shell.out("set resources deployment web --requests=cpu=10000");
        let said = shell.run("settle");
        let lines: Vec<&str> = said
            .err
            .lines()
            .filter(|l| l.contains("Unschedulable"))
            .collect();
        assert_eq!((said.code, lines.len()), (1, 1), "{said:?}");
        assert!(lines[0].starts_with("stuck: Unschedulable: 0/"), "{said:?}");
        let waiting = "; Deployment default/web waits for this)";
        assert!(
            lines[0].contains(" objects: Pod default/web-") && lines[0].ends_with(waiting),
            "{said:?}"
        );
    }

    #[test]
    fn for_advances_time_and_unknown_controllers_are_rejected() {
        let shell = Shell::new();
        let before = shell.out("clock");
        let _ = shell.out("settle --for 1h");
        assert_ne!(shell.out("clock"), before);
        let _ = shell.out("create deployment web --image=i");
        let _ = shell.run("settle --only replicaset");
        assert_eq!(shell.out("get rs -o name --ignore-not-found"), "");
        let odd = shell.fails("settle --except odd");
        assert!(
            odd.starts_with(
                "error: unknown controller \"odd\"; choose from resourcequota, deployment"
            ),
            "{odd}"
        );
        let odd = shell.fails("settle --for soon");
        assert!(odd.contains("is not a duration such as 90s"), "{odd}");
    }
}
