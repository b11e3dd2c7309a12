//! `ctl controllers`.

use std::io;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use clap::{Args, ValueEnum};

use super::Outcome;
use crate::api::json::json;
use crate::cli::context::Context;
use crate::cli::durations::span;
use crate::cli::error::CliError;
use crate::cli::settle_lock;
use crate::cluster::{ApiError, Candidate, ClockMode, Cluster, Leadership, Share, StoreError};
use crate::controllers::EventTtl;
use crate::runtime::backoff::Class;
use crate::runtime::{Configs, Controller, Manager, Observer, Reconciled, Stop};
use crate::serve::Page;
use crate::serve::http::{Limits, Server};
use crate::sys::{bounded, signal};

/// The selection of controllers.
#[derive(Args, Clone, Debug, Default)]
pub(crate) struct ControllerSelection {
    /// Run only these controllers
    #[arg(long, value_delimiter = ',', value_name = "NAMES")]
    only: Vec<String>,
    /// Run all controllers except these
    #[arg(long, value_delimiter = ',', value_name = "NAMES")]
    except: Vec<String>,
    /// Do not simulate nodes and Pods
    #[arg(long)]
    no_kubelet: bool,
    /// Time to live of events after their last update; 0 keeps them forever. By default the
    /// cluster's eventTTL, or one hour
    #[arg(long, value_name = "DURATION", value_parser = span)]
    pub(super) event_ttl: Option<jiff::SignedDuration>,
}

impl ControllerSelection {
    /// Selects the named controllers, or all if none is named.
    pub(super) fn only(names: &[String]) -> Self {
        Self {
            only: names.to_vec(),
            ..Self::default()
        }
    }
}

/// Run the controllers until stopped
///
/// -v 1 logs each reconcile that changes something, -v 2 every reconcile.
///
/// If several processes run on a cluster, one leads and the others stand by. Processes with a shard of the
/// namespaces each (`shard: 0/2`) lead at the same time. On etcd, all processes lead, divide the namespaces, and
/// take over those of a process that dies. Ctrl-C or SIGTERM stops them.
///
/// Examples:
///   ctl controllers                            all controllers and the fake kubelets
///   ctl controllers --once                     reconcile what is due now and stop
///   ctl controllers --only deployment,replicaset -v 2
///   ctl controllers --metrics 127.0.0.1:9090   metrics for Prometheus
#[derive(Args, Debug)]
#[command(verbatim_doc_comment)]
pub(crate) struct ControllersArgs {
    #[command(flatten)]
    pub(super) which: ControllerSelection,
    /// Reconcile what is due now, then exit
    #[arg(long)]
    once: bool,
    /// YAML file with settings of the controllers
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,
    /// Serve metrics on this loopback address
    #[arg(long, value_name = "ADDRESS")]
    metrics: Option<SocketAddr>,
    /// Time without a heartbeat after which another process becomes the leader
    #[arg(long, value_name = "DURATION", value_parser = lease, default_value = "2s")]
    lease: jiff::SignedDuration,
    /// Format of the log
    #[arg(long, value_enum, default_value = "text")]
    pub(super) log_format: LogFormat,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum LogFormat {
    Text,
    Json,
}

impl Default for ControllersArgs {
    fn default() -> Self {
        Self {
            which: ControllerSelection::default(),
            once: false,
            config: None,
            metrics: None,
            lease: LEASE,
            log_format: LogFormat::Text,
        }
    }
}

/// The default time without a renewal after which another process takes over the lead.
const LEASE: jiff::SignedDuration = jiff::SignedDuration::from_secs(2);

/// The time without commits after which a leader that was fenced off leads again.
const SILENCE: Duration = Duration::from_secs(1);

/// The interval at which a standby tries to take over.
const LOOK: Duration = Duration::from_millis(200);

pub(crate) fn run(args: &ControllersArgs, context: &Context) -> Outcome {
    run_on(args, context, None, &Arc::default())
}

/// The metrics of the controllers in this process, in the text that was published last.
pub(crate) type Published = Arc<Mutex<String>>;

/// Returns the metrics that were published last.
pub(crate) fn published(numbers: &Published) -> String {
    numbers
        .lock()
        .unwrap_or_else(PoisonError::into_inner)
        .clone()
}

/// Runs the controllers on an open cluster, or on the cluster that the flags select.
pub(crate) fn run_on(
    args: &ControllersArgs,
    context: &Context,
    open: Option<&Cluster>,
    numbers: &Published,
) -> Outcome {
    context.ui.tell_as_log();
    if args.log_format == LogFormat::Json {
        context.ui.tell_as_json();
    }
    // Errors in the flags are reported before the process waits for leadership.
    let chosen = all(&args.which)?;
    let configs = configs(args)?;
    let part = configs.part(chosen.iter().map(|c| c.name()));
    let share = part.map_or(Share::WHOLE, |(own, of)| Share::part(own, of));
    let own;
    let cluster = match open {
        Some(cluster) => cluster,
        None => {
            own = context.open_as_administrator()?;
            &own
        }
    };
    let stop = signal::stop_flag()?;
    if let Some(address) = args.metrics {
        let text = Arc::clone(numbers);
        let text = move || published(&text);
        // Errors of the operating system lack the address; errors of `Server::bind` already contain it.
        let named = |e: io::Error| match e.raw_os_error() {
            Some(_) => io::Error::new(e.kind(), format!("{address}: {e}")),
            None => e,
        };
        let address = serve_numbers(address, text).map_err(|e| CliError::Io(named(e)))?;
        context
            .ui
            .note(&format!("metrics: http://{address}/metrics"));
    }
    if args.once {
        // As for `ctl settle`, a leader yields to a single run, so the run need not wait for the lease.
        let is_over = || stop.load(Ordering::Relaxed);
        let shared = (&configs, &is_over as Stop<'_>, &stop, numbers);
        lead(args, context, cluster, shared, None)?;
        return Ok(ExitCode::SUCCESS);
    }
    let stand_by = || stand_by(args, context, cluster, share, &stop);
    let Some(mut leadership) = stand_by()? else {
        return Ok(ExitCode::SUCCESS);
    };
    context.ui.hint(&start_line(&chosen, cluster));
    let mut done = Ok(());
    let mut begin = Begin::After(0);
    while !stop.load(Ordering::Relaxed) {
        let paused = cluster.election().paused();
        // The names are compared, because an edit of another setting also triggers a read.
        let other_controllers = || *cluster.election().paused() != *paused;
        // The stop condition is checked between reconciles, because a process that has lost its lease must not write
        // again.
        let is_over =
            || stop.load(Ordering::Relaxed) || leadership.is_lost() || other_controllers();
        // A process that lost the lease while it waited must not begin an epoch, which would fence off the new leader.
        if !leadership.is_lost() {
            let own = Some((&leadership, begin));
            let shared = (&configs, &is_over as Stop<'_>, &stop, numbers);
            done = lead(args, context, cluster, shared, own);
        }
        if leadership.is_lost() {
            // Another process leads now, so this one becomes a standby.
            drop(leadership);
            // The epoch of the other processes is valid, because no newer epoch has fenced it off.
            begin = Begin::After(0);
            match stand_by()? {
                Some(again) => leadership = again,
                None => return Ok(ExitCode::SUCCESS),
            }
            continue;
        }
        match &done {
            Err(ApiError::Store(StoreError::Fenced { current, .. })) => {
                // Being fenced off is not a failure: `ctl settle` or another shard has begun a newer epoch.
                begin = after_fence(cluster, &leadership, *current, &is_over)?;
                done = Ok(());
            }
            // Errors such as 429, 500 and 503, which injected faults return, and a lost connection to etcd are
            // temporary, so the controllers keep running.
            Err(error) if passes(error) => {
                context.ui.note(&format!("{error}: retrying"));
                done = Ok(());
                signal::sleep(SILENCE);
            }
            // A controller was paused or resumed, so the next round runs a different set.
            Ok(()) if other_controllers() && !stop.load(Ordering::Relaxed) => {}
            _ => break,
        }
    }
    drop(leadership);
    done?;
    Ok(ExitCode::SUCCESS)
}

/// Returns true if an error is temporary.
fn passes(error: &ApiError) -> bool {
    match error {
        ApiError::Status(status) => Class::from_status(status) == Class::Passing,
        ApiError::Store(error) => error.is_passing(),
    }
}

/// Serves a text at `/metrics` in threads of its own until the process ends.
fn serve_numbers(
    address: SocketAddr,
    text: impl Fn() -> String + Send + Sync + 'static,
) -> io::Result<SocketAddr> {
    let limits = Limits {
        // A scraper needs one connection; the limit keeps stuck connections from exhausting the process.
        connections: 64,
        watches: 0,
        memory: 16 << 20,
        ..Limits::default()
    };
    let server = Server::bind(address, false, limits)?;
    let address = server.address().unwrap_or(address);
    let page = Arc::new(Page::new(text));
    std::thread::spawn(move || server.run(&page, &Arc::default()));
    Ok(address)
}

/// The epoch of a leader's writes.
#[derive(Clone, Copy)]
enum Begin {
    /// An epoch that the leader of another shard has begun.
    With(u64),
    /// An epoch that another host has begun after this one, or else a new epoch.
    After(u64),
}

/// Handles a leader that was fenced off. If the leader of another shard began the new epoch, returns that epoch,
/// because it is valid here, too. Otherwise waits until the other process has settled the cluster.
fn after_fence(
    cluster: &Cluster,
    leadership: &Leadership,
    current: u64,
    is_over: Stop<'_>,
) -> Result<Begin, ApiError> {
    let mut seen = cluster.stored().revision()?;
    while !is_over() {
        if leadership.shares(current)? {
            return Ok(Begin::With(current));
        }
        let now = cluster.wait(seen, SILENCE)?;
        // A second without a commit means that the other process has finished or was killed.
        if now == seen {
            break;
        }
        seen = now;
    }
    Ok(Begin::After(current))
}

/// Waits until this process may lead. Returns `None` if it is told to stop first.
fn stand_by(
    args: &ControllersArgs,
    context: &Context,
    cluster: &Cluster,
    share: Share,
    stop: &AtomicBool,
) -> Result<Option<Leadership>, CliError> {
    let mut candidate = Candidate::new(args.lease.unsigned_abs(), share);
    let mut told = false;
    while !stop.load(Ordering::Relaxed) {
        let reason = match cluster.election().try_lead(&mut candidate) {
            Ok(Some(leadership)) => return Ok(Some(leadership)),
            Ok(None) => {
                "standing by: another `ctl controllers` leads or has just stopped".to_owned()
            }
            Err(error) if error.is_passing() => format!("standing by: {error}"),
            Err(error) => return Err(error.into()),
        };
        // The reason is reported once: a line for every check would drown everything else.
        if !std::mem::replace(&mut told, true) {
            context.ui.note(&reason);
        }
        // The interval is a fraction of the lease, so that the end of a short lease is noticed soon.
        signal::sleep(LOOK.min(args.lease.unsigned_abs() / 4));
    }
    Ok(None)
}

/// The settings, the stop condition, the stop flag and the metrics.
type Shared<'s> = (&'s Configs, Stop<'s>, &'s Arc<AtomicBool>, &'s Published);

fn lead(
    args: &ControllersArgs,
    context: &Context,
    cluster: &Cluster,
    (configs, over, stop, numbers): Shared<'_>,
    own: Option<(&Leadership, Begin)>,
) -> Result<(), ApiError> {
    let refused =
        |e: CliError| ApiError::from(crate::api::status::Status::bad_request(e.in_one_line()));
    let controllers = all(&args.which).map_err(refused)?;
    // A new epoch would now fence off a process that is settling the cluster.
    let mut lock = None;
    // Beginning an epoch would fence off the other hosts, which would then read everything again.
    let joined = match own {
        Some((leadership, Begin::After(fenced))) => leadership.joined_epoch(fenced)?,
        Some((_, Begin::With(shared))) => Some(shared),
        None => None,
    };
    let epoch = match joined {
        Some(joined) => joined,
        None => {
            lock = settle_lock::acquire(cluster, context, None, over).map_err(refused)?;
            if lock.is_none() {
                return Ok(());
            }
            cluster.election().lead()?
        }
    };
    if !args.once {
        // The settle lock is released before the run: `ctl settle` may begin an epoch at any time, and this leader then
        // pauses.
        drop(lock.take());
    }
    if let Some((leadership, _)) = own {
        // The lease records the epoch, because the leader of another shard needs to know if it shares this epoch.
        leadership.writes_under(epoch);
    }
    let mut manager = Manager::new(cluster, controllers, &|name| configs.of(name));
    manager.set_epoch(epoch);
    manager.set_stop_flag(Arc::clone(stop));
    if context.global.v > 0 {
        manager.observe(observer(args, context));
    } else if context.ui.is_terminal() && args.log_format == LogFormat::Text {
        manager.observe(changes(context));
    }
    if let Some((leadership, _)) = own
        && let Some(division) = leadership.division()
    {
        manager.set_division(division);
    }
    manager.load()?;
    let mut publish = |manager: &Manager<'_>| {
        *numbers.lock().unwrap_or_else(PoisonError::into_inner) = manager.metrics();
    };
    let result = if args.once {
        manager.run_once(over)
    } else {
        manager.run(over, &mut publish)
    };
    publish(&manager);
    result
}

/// Returns the selected controllers.
pub(crate) fn all(which: &ControllerSelection) -> Result<Vec<Box<dyn Controller>>, CliError> {
    let mut all = crate::controllers::wanted(&|_| true);
    if let Some(ttl) = which.event_ttl {
        let own: Box<dyn Controller> = Box::new(EventTtl::with_ttl(ttl));
        all.retain(|c| c.name() != own.name());
        all.push(own);
    }
    if !which.no_kubelet {
        all.extend(crate::kubelet::controllers());
    }
    let names: Vec<&str> = all.iter().map(|c| c.name()).collect();
    for name in which.only.iter().chain(&which.except) {
        if !names.contains(&name.as_str()) {
            let text = format!(
                "unknown controller {name:?}; choose from {}",
                names.join(", ")
            );
            return Err(CliError::text(text));
        }
    }
    let only = |name: &str| which.only.is_empty() || which.only.iter().any(|n| n == name);
    all.retain(|c| only(c.name()) && !which.except.iter().any(|n| n == c.name()));
    if all.is_empty() {
        return Err(CliError::text("no controllers left to run"));
    }
    Ok(all)
}

/// Parses a positive duration.
fn lease(text: &str) -> Result<jiff::SignedDuration, String> {
    match span(text)? {
        none if none.is_zero() => Err("must be longer than 0s".to_owned()),
        span => Ok(span),
    }
}

fn configs(args: &ControllersArgs) -> Result<Configs, CliError> {
    let Some(path) = &args.config else {
        return Ok(Configs::default());
    };
    let place = path.display();
    let text = bounded::read_text(path, bounded::SETTINGS)
        .map_err(|e| io::Error::new(e.kind(), format!("{place}: {e}")))?;
    let configs = Configs::read(&text).map_err(|e| CliError::text(format!("{place}: {e}")))?;
    // Names are checked against all controllers rather than those of --only, because several processes can share one
    // file.
    let known = all(&ControllerSelection::default())?;
    if let Some(name) = configs
        .names()
        .find(|n| known.iter().all(|c| c.name() != *n))
    {
        return Err(CliError::text(format!(
            "{place}: unknown controller {name:?}"
        )));
    }
    Ok(configs)
}

fn observer(args: &ControllersArgs, context: &Context) -> Observer {
    let (ui, format, level) = (context.ui.clone(), args.log_format, context.global.v);
    Box::new(move |seen| {
        // Most reconciles change nothing, and at level 1 they would hide the changes.
        if level < 2 && seen.plan.is_empty() && seen.error.is_none() {
            return;
        }
        match format {
            LogFormat::Text => ui.note(&text_line(seen)),
            LogFormat::Json => ui.record(&json_line(seen)),
        }
    })
}

/// Returns the line that reports the start.
fn start_line(controllers: &[Box<dyn Controller>], cluster: &Cluster) -> String {
    let paused = cluster.election().paused();
    let names = controllers.iter().map(|c| c.name());
    let paused = names
        .filter(|name| paused.iter().any(|p| p == name))
        .count();
    let clock = match cluster.settings().clock {
        ClockMode::System => "the system's clock",
        ClockMode::Virtual => "a virtual clock",
    };
    let place = cluster.place();
    let running = controllers.len() - paused;
    let paused = match paused {
        0 => String::new(),
        paused => format!(" ({paused} paused)"),
    };
    format!("running {running} controllers{paused} on {place}, with {clock}; Ctrl-C stops them")
}

/// The controllers whose changes interest users. The others maintain derived data, such as endpoints and quotas, or act
/// on each Pod.
const FOLLOWED: &[&str] = &[
    "cronjob",
    "daemonset",
    "deployment",
    "horizontalpodautoscaler",
    "job",
    "namespace",
    "node-lifecycle",
    "replicaset",
    "statefulset",
    "taint-eviction",
];

/// Returns an observer that prints each change of a workload and each error.
fn changes(context: &Context) -> Observer {
    let ui = context.ui.clone();
    Box::new(move |seen| {
        let is_change = FOLLOWED.contains(&seen.controller) && !seen.plan.changes.is_empty();
        if is_change || seen.error.is_some() {
            ui.note(&change_line(seen));
        }
    })
}

/// Returns the line about a change: the rules of its writes except those of the status.
fn change_line(seen: &Reconciled<'_>) -> String {
    let mut rules: Vec<&str> = seen.plan.changes.iter().map(|w| w.rule.as_str()).collect();
    // Ten Pods that one rule creates make one line.
    rules.dedup();
    let error = seen
        .error
        .map_or_else(String::new, |e| format!(" error={e:?}"));
    let (time, rules) = (seen.now.strftime("%H:%M:%S"), rules.join("; "));
    format!("{time} {} {}: {rules}{error}", seen.controller, seen.key)
}

fn rules(seen: &Reconciled<'_>) -> Vec<String> {
    let mut rules: Vec<String> = Vec::new();
    for write in seen.plan.changes.iter().chain(&seen.plan.status) {
        if rules.last() != Some(&write.rule) {
            rules.push(write.rule.clone());
        }
    }
    rules
}

fn text_line(seen: &Reconciled<'_>) -> String {
    let trigger = seen
        .trigger
        .map_or_else(String::new, |t| format!(" trigger={t}"));
    let rules = match rules(seen) {
        rules if rules.is_empty() => "nothing to do".to_owned(),
        rules => rules.join("; "),
    };
    let error = seen
        .error
        .map_or_else(String::new, |e| format!(" error={e:?}"));
    format!(
        "{} {} {}{trigger} plan: {rules}{error}",
        seen.now, seen.controller, seen.key
    )
}

fn json_line(seen: &Reconciled<'_>) -> String {
    json!({
        "time": seen.now.to_string(),
        "controller": seen.controller,
        "key": seen.key.to_string(),
        "trigger": seen.trigger,
        "plan": rules(seen),
        "error": seen.error,
    })
    .to_string()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::testing::Shell;

    fn names(only: &[&str], except: &[&str], no_kubelet: bool) -> Vec<String> {
        let owned = |words: &[&str]| words.iter().map(|w| (*w).to_owned()).collect();
        let which = ControllerSelection {
            only: owned(only),
            except: owned(except),
            no_kubelet,
            event_ttl: None,
        };
        let all = all(&which).map_err(|e| e.to_string()).unwrap();
        all.iter().map(|c| c.name().to_owned()).collect()
    }

    #[test]
    fn only_and_except_select_controllers() {
        let everything = names(&[], &[], false);
        assert!(everything.contains(&"kubelet".to_owned()), "{everything:?}");
        assert_eq!(
            names(&["job", "deployment"], &["job"], false),
            ["deployment"]
        );
        assert_eq!(names(&[], &["job"], false).len(), everything.len() - 1);
        assert!(!names(&[], &[], true).contains(&"kubelet".to_owned()));
        let none = ControllerSelection {
            only: vec!["job".to_owned()],
            except: vec!["job".to_owned()],
            no_kubelet: false,
            event_ttl: None,
        };
        let said = all(&none).map(|_| ()).unwrap_err().in_one_line();
        assert!(said.ends_with("no controllers left to run"), "{said}");
    }

    #[test]
    fn once_runs_due_reconciles_and_logs_when_verbose() {
        let shell = Shell::new();
        let _ = shell.out("create deployment web --image=i");
        let said = shell.run("controllers --once -v 1");
        assert_eq!((said.code, said.out.as_str()), (0, ""));
        assert!(said.err.contains(" deployment default/web"), "{said:?}");
        assert!(!shell.out("get rs -l app=web -o name").is_empty());
        let _ = shell.out("create deployment api --image=i");
        let said = shell.run("controllers --once -v 1 --log-format=json");
        let line = said
            .err
            .lines()
            .find(|l| l.contains("\"deployment\""))
            .unwrap();
        let read = |line: &str| -> crate::api::json::Value { serde_json::from_str(line).unwrap() };
        // Other messages are JSON, too, because the reader of a JSON log parses every line.
        assert!(said.err.lines().any(|l| read(l)["message"].is_string()));
        let line = read(line);
        assert!(
            line["plan"].is_array() && line["time"].is_string(),
            "{line}"
        );
    }

    #[test]
    fn invalid_controller_settings_are_rejected() {
        let shell = Shell::new();
        shell.write("odd.yaml", "odd: {workers: 1}\n");
        let odd = shell.fails("controllers --once --config=@/odd.yaml");
        assert!(odd.starts_with("error: @/odd.yaml: "), "{odd}");
        let none = shell.fails("controllers --once --config=@/none.yaml");
        assert!(none.contains("@/none.yaml: "), "{none}");
        let odd = shell.fails("controllers --once --only odd");
        assert!(
            odd.contains("unknown controller \"odd\"; choose from resourcequota, "),
            "{odd}"
        );
        assert_eq!(
            shell.fails("controllers --only odd"),
            odd,
            "said at once, whoever leads"
        );
        let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        let taken = listener.local_addr().unwrap();
        let busy = shell.fails(&format!("controllers --once --metrics {taken}"));
        assert!(busy.starts_with(&format!("error: {taken}: ")), "{busy}");
        drop(listener);
        let odd = shell.fails("controllers --once --lease 0");
        assert!(odd.contains("must be longer than 0s"), "{odd}");
    }
}
