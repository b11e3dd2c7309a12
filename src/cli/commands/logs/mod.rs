//! `ctl logs`: prints the logs that the fake kubelet computes.

mod stream;

use std::process::ExitCode;
use std::time::Duration;

use clap::Args;

use super::{Outcome, pods};
use crate::api::selector::LabelSelector;
use crate::cli::context::Context;
use crate::cli::error::CliError;
use crate::cli::flags::Span;
use crate::cli::history::AtArgs;
use crate::cli::resource::{Builder, FileArgs, Info, SelectorArgs};
use crate::cli::waiting;
use crate::cluster::{Cluster, LogOptions};
use crate::kinds;
use crate::kinds::schema::time::canonical;
use crate::kinds::tree::text;
use crate::print::sort::by_key;
use stream::{Source, Streams};

/// The default number of lines per Pod with a selector.
const SELECTOR_TAIL: i64 = 10;

/// Print the logs of containers
///
/// The log is the text of the annotation ctl.dev/logs, or else the output of echo in the container's command.
///
/// Examples:
///   ctl logs web-0
///   ctl logs deploy/web --all-containers --prefix
///   ctl logs -l app=web --tail=5 -f
#[derive(Args, Debug)]
#[command(verbatim_doc_comment)]
pub(crate) struct LogsArgs {
    /// POD or TYPE/NAME, and the container
    words: Vec<String>,
    /// Name of the container
    #[arg(short, long, value_name = "NAME")]
    container: Option<String>,
    /// Print the logs of all containers
    #[arg(long)]
    all_containers: bool,
    /// Print the logs of all Pods, each line prefixed with its Pod
    #[arg(long)]
    all_pods: bool,
    /// Stream new lines
    #[arg(short, long)]
    follow: bool,
    /// Print the log of the previous run of the container
    #[arg(short, long)]
    previous: bool,
    /// Label selector of Pods
    #[arg(short = 'l', long, value_name = "SELECTOR")]
    selector: Option<String>,
    /// Number of lines to print from the end; -1 prints all, the default without -l
    #[arg(long, value_name = "LINES", default_value_t = -1)]
    tail: i64,
    /// Only lines newer than this: 5s, 2m, 3h
    #[arg(long, value_name = "TIME", default_value = "0s")]
    since: Span,
    /// Only lines written at or after this time
    #[arg(long, value_name = "TIME")]
    since_time: Option<String>,
    /// Maximum number of bytes to print
    #[arg(long, value_name = "BYTES", default_value_t = 0)]
    limit_bytes: i64,
    /// Prefix each line with its time
    #[arg(long)]
    timestamps: bool,
    /// Prefix each line with its Pod and container
    #[arg(long)]
    prefix: bool,
    /// Maximum number of logs to follow at once
    #[arg(long, value_name = "COUNT", default_value_t = 5)]
    max_log_requests: i64,
    /// Continue after errors while following logs
    #[arg(long)]
    ignore_errors: bool,
    /// Has no effect on a cluster in a directory
    #[arg(long, hide = true)]
    insecure_skip_tls_verify_backend: bool,
    /// Time to wait for a Pod to run
    #[arg(long, value_name = "TIME", default_value = "20s")]
    pod_running_timeout: Span,
    #[command(flatten)]
    at: AtArgs,
}

pub(crate) fn run(args: &LogsArgs, context: &Context) -> Outcome {
    let selector = args.selector.as_deref().unwrap_or_default();
    args.check_words(selector, context)?;
    pods::check_timeout(args.pod_running_timeout)?;
    let options = args.options(context)?;
    args.at.without(&[("--follow", args.follow)], context)?;
    let cluster = args.at.api(context)?;
    let object = match args.words.first() {
        // With a container, kubectl leaves this check to the look-up.
        Some(_) if !selector.is_empty() => {
            return Err(CliError::text(
                "selectors and the all flag cannot be used when passing resource/name arguments",
            ));
        }
        Some(word) => {
            let none = FileArgs::default();
            let object = pods::object(&[word.as_str()], &none, &cluster, context);
            Some(object.map_err(|e| missing(e, context))?)
        }
        None => None,
    };
    let selected = match object {
        Some(_) => Vec::new(),
        None => args.selected(selector, &cluster, context)?,
    };
    // As in kubectl, flags are checked after the look-up: a missing Pod is reported before contradictory flags.
    args.check(&options, context)?;
    let pods = match object {
        None => selected,
        Some(object) => args.pods_of(object, &cluster, context)?,
    };
    let mut sources = Vec::new();
    for pod in &pods {
        sources.extend(args.sources(pod, &options, context)?);
    }
    let count = i64::try_from(sources.len()).unwrap_or(i64::MAX);
    // One stream is always allowed, even with a limit of 0.
    if args.follow && count > 1 && count > args.max_log_requests {
        return Err(CliError::text(format!(
            "you are attempting to follow {count} log streams, but maximum allowed concurrency is \
             {}, use --max-log-requests to increase the limit",
            args.max_log_requests
        )));
    }
    let streams = Streams {
        cluster: &cluster,
        context,
        options: &options,
        prefix: args.prefix || args.all_pods,
        ignore_errors: args.ignore_errors,
        patience: args.pod_running_timeout.duration(),
    };
    match args.follow {
        true => streams.follow(&sources)?,
        false => streams.print(&sources)?,
    }
    Ok(ExitCode::SUCCESS)
}

/// Adds the namespace to a not-found error, as kubectl does only for `logs`.
fn missing(error: CliError, context: &Context) -> CliError {
    let (true, Ok(namespace)) = (error.is_not_found(), context.namespace()) else {
        return error;
    };
    CliError::text(format!(
        "error from server (NotFound): {error} in namespace {namespace:?}"
    ))
}

impl LogsArgs {
    fn check_words(&self, selector: &str, context: &Context) -> Result<(), CliError> {
        match (self.words.len(), selector) {
            (1, selector) if !selector.is_empty() => {
                Err(context.usage("only a selector (-l) or a POD name is allowed"))
            }
            (1 | 2, _) => Ok(()),
            (0, selector) if !selector.is_empty() => Ok(()),
            _ => Err(context.usage(
                "expected 'logs [-f] [-p] (POD | TYPE/NAME) [-c CONTAINER]'.\nPOD or TYPE/NAME is \
                 a required argument for the logs command",
            )),
        }
    }

    fn options(&self, context: &Context) -> Result<LogOptions, CliError> {
        let since_time = self.since_time.as_deref().filter(|time| !time.is_empty());
        let since_time = since_time.map(|time| canonical(time, false)).transpose();
        let since_time = since_time.map_err(CliError::text)?;
        // The second argument takes precedence. Naming a container twice is rejected later, after the look-up.
        let container = match self.words.get(1) {
            Some(container) => Some(container.clone()),
            None => self.container.clone(),
        };
        let by_selector = self.selector.as_deref().is_some_and(|s| !s.is_empty());
        // An explicit `--tail=-1` requests all lines; only the default is limited with a selector.
        let usual = by_selector && self.tail == -1 && !context.given("tail");
        let seconds = self.since.round_to_seconds();
        Ok(LogOptions {
            container: container.filter(|container| !container.is_empty()),
            tail_lines: match self.tail {
                _ if usual => Some(SELECTOR_TAIL),
                -1 => None,
                tail => Some(tail),
            },
            limit_bytes: (self.limit_bytes != 0).then_some(self.limit_bytes),
            // The API counts whole seconds, and kubectl rounds to them.
            since_seconds: (!self.since.is_zero()).then_some(seconds),
            since_time,
            previous: self.previous,
            timestamps: self.timestamps,
        })
    }

    fn check(&self, options: &LogOptions, context: &Context) -> Result<(), CliError> {
        let refuse = |text: &str| Err(CliError::text(text));
        if options.since_time.is_some() && options.since_seconds.is_some() {
            return refuse("at most one of `sinceTime` or `sinceSeconds` may be specified");
        }
        if let (true, Some(container)) = (self.all_containers, &options.container) {
            return Err(CliError::text(format!(
                "--all-containers=true should not be specified with container name {container}"
            )));
        }
        if context.given("container") && self.words.len() == 2 {
            return refuse("only one of -c or an inline [CONTAINER] arg is allowed");
        }
        if self.limit_bytes < 0 {
            return refuse("--limit-bytes must be greater than 0");
        }
        if options.since_seconds.is_some_and(|seconds| seconds < 0) {
            return refuse("--since must be greater than 0");
        }
        if self.tail < -1 {
            return refuse("--tail must be greater than or equal to -1");
        }
        Ok(())
    }

    fn selected(
        &self,
        selector: &str,
        cluster: &Cluster,
        context: &Context,
    ) -> Result<Vec<Info>, CliError> {
        let Some(kind) = kinds::find("", "v1", "Pod") else {
            return Ok(Vec::new());
        };
        let selectors = SelectorArgs {
            selector: Some(selector.to_owned()),
            field_selector: None,
        };
        // A list request gives this error, which names the resource.
        let builder = Builder::new(context, Some(cluster))?.selectors(&selectors);
        builder.selection(kind)?;
        let selector = LabelSelector::parse(selector).map_err(|e| CliError::text(e.to_string()))?;
        let namespace = context.namespace()?;
        let pods = pods::selected(&selector, &namespace, cluster)?;
        if pods.is_empty() {
            let text = format!("No resources found in {namespace} namespace.");
            context.ui.note(&text);
        }
        Ok(pods)
    }

    /// Returns the Pods whose logs are printed for an object: itself, its best Pod, or all of its Pods.
    fn pods_of(
        &self,
        object: Info,
        cluster: &Cluster,
        context: &Context,
    ) -> Result<Vec<Info>, CliError> {
        if object.kind.is_pod() {
            return Ok(vec![object]);
        }
        let selector = pods::selector(&object).map_err(|e| {
            let of = pods::go_type(&object);
            CliError::text(format!("cannot get the logs from {of}: {e}"))
        })?;
        // The past does not change, so there is nothing to wait for.
        let timeout = match self.at.is_given() {
            true => Duration::ZERO,
            false => self.pod_running_timeout.duration(),
        };
        let found = waiting::until(cluster, context, timeout, &mut || {
            let pods = pods::selected(&selector, &object.namespace, cluster)?;
            Ok((!pods.is_empty()).then_some(pods))
        })?;
        let text = "timed out waiting for the condition";
        let mut found = found.ok_or_else(|| CliError::TimedOut(text.to_owned()))?;
        if self.all_pods {
            return Ok(found);
        }
        // This is kubectl's `ByLogging` order: running before pending, ready before not ready, then more restarts.
        found = by_key(found, |pod| pods::rank(&pod.object, true));
        if let [best, _, ..] = found.as_slice() {
            let (count, name) = (found.len(), &best.name);
            context
                .ui
                .note(&format!("Found {count} pods, using pod/{name}"));
        }
        found.truncate(1);
        Ok(found)
    }

    /// Returns the containers of a Pod whose logs are printed.
    fn sources(
        &self,
        pod: &Info,
        options: &LogOptions,
        context: &Context,
    ) -> Result<Vec<Source>, CliError> {
        let source = |container: &str| Source {
            pod: pod.clone(),
            container: container.to_owned(),
        };
        if !self.all_containers {
            let wanted = options.container.as_deref().unwrap_or_default();
            let container = pods::container(&pod.object, wanted, self.all_pods, context)?;
            return Ok(vec![source(text(container, "name"))]);
        }
        let all = pods::containers(&pod.object);
        // This is kubectl's order, which is also the order in which the containers start.
        let of = |wanted: &'static str| {
            let own = all.iter().filter(move |(list, _)| *list == wanted);
            own.map(|(_, container)| source(text(container, "name")))
        };
        let lists = ["initContainers", "containers", "ephemeralContainers"];
        Ok(lists.into_iter().flat_map(of).collect())
    }
}

#[cfg(test)]
mod tests {
    use crate::cli::testing::Shell;

    fn shell() -> Shell {
        let shell = Shell::empty();
        let pod = |name: &str| {
            format!(
                "apiVersion: v1\nkind: Pod\nmetadata: {{name: {name}, labels: {{app: web}}, annotations: {{ctl.dev/logs: \
                 \"one\\ntwo\\nthree\"}}}}\nspec: {{containers: [{{name: c, image: i}}, {{name: d, image: i}}]}}\n---\n"
            )
        };
        shell.write("pods.yaml", pod("a") + &pod("b"));
        shell.all(&[
            "cluster init --clock virtual --seed 7",
            "create -f @/pods.yaml",
            "settle",
        ]);
        shell
    }

    fn log(shell: &Shell, flags: &str) -> String {
        let said = shell.run(&format!("logs {flags}"));
        assert_eq!(said.code, 0, "{flags}: {said:?}");
        said.out
    }

    #[test]
    fn default_container_is_printed_to_stderr() {
        let shell = shell();
        let said = shell.run("logs a");
        assert_eq!(said.err, "Defaulted container \"c\" out of: c, d\n");
        assert!(said.out.ends_with("three\n"), "{said:?}");
        assert_eq!(shell.out("logs a -c d"), said.out);
        assert_eq!(shell.out("logs a d"), said.out);
        assert_eq!(
            shell.run("logs pod/a -c none").err,
            "error: container none is not valid for pod a out of: c, d\n"
        );
    }

    #[test]
    fn tail_limit_prefix_and_timestamps_shape_the_log() {
        let shell = shell();
        assert_eq!(log(&shell, "a c --tail=1"), "three\n");
        assert_eq!(log(&shell, "a c --tail=0"), "");
        assert_eq!(log(&shell, "a c --limit-bytes=2").len(), 2);
        assert_eq!(log(&shell, "a c --tail=1 --prefix"), "[pod/a/c] three\n");
        assert_eq!(
            log(&shell, "a --all-containers --tail=1 --prefix"),
            "[pod/a/c] three\n[pod/a/d] three\n"
        );
        assert_eq!(
            log(&shell, "-l app=web -c c --tail=1 --prefix"),
            "[pod/a/c] three\n[pod/b/c] three\n"
        );
        let stamped = log(&shell, "a c --timestamps --tail=1");
        let (time, line) = stamped.split_once(' ').unwrap();
        assert!(
            time.parse::<jiff::Timestamp>().is_ok() && line == "three\n",
            "{stamped}"
        );
        assert_eq!(
            shell.run("logs -l app=none").err,
            "No resources found in default namespace.\n"
        );
    }

    #[test]
    fn invalid_logs_flags_are_rejected() {
        let shell = shell();
        let help = "\nSee 'kubectl logs -h' for help and examples";
        let expected = format!(
            "expected 'logs [-f] [-p] (POD | TYPE/NAME) [-c CONTAINER]'.\nPOD or TYPE/NAME is a required argument \
             for the logs command{help}"
        );
        let only = format!("only a selector (-l) or a POD name is allowed{help}");
        for (flags, why) in [
            ("", expected.as_str()),
            ("a -l app=web", &only),
            (
                "a b -l app=web",
                "selectors and the all flag cannot be used when passing resource/name arguments",
            ),
            (
                "a --since=1s --since-time=2026-01-01T00:00:00Z",
                "at most one of `sinceTime` or `sinceSeconds` may be specified",
            ),
            (
                "a --since-time=2026",
                "parsing time \"2026\" as \"2006-01-02T15:04:05Z07:00\": cannot parse \"\" as \"-\"",
            ),
            (
                "a --all-containers -c c",
                "--all-containers=true should not be specified with container name c",
            ),
            (
                "a c -c c",
                "only one of -c or an inline [CONTAINER] arg is allowed",
            ),
            ("a --limit-bytes=-1", "--limit-bytes must be greater than 0"),
            ("a --since=-1s", "--since must be greater than 0"),
            ("a --tail=-2", "--tail must be greater than or equal to -1"),
            (
                "-l app=web --all-containers -f --max-log-requests=3",
                "you are attempting to follow 4 log streams, but maximum allowed concurrency is 3, use \
                 --max-log-requests to increase the limit",
            ),
            (
                "none",
                "error from server (NotFound): pods \"none\" not found in namespace \"default\"",
            ),
        ] {
            shell.refuses(&[(&format!("logs {flags}"), why)]);
        }
        let previous = shell.fails("logs a c --previous");
        assert!(
            previous.contains("previous terminated container \"c\" in pod \"a\" not found"),
            "{previous}"
        );
    }
}
