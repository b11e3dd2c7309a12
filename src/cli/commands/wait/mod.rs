//! `ctl wait`.

mod condition;

use std::process::ExitCode;
use std::time::Duration;

use clap::Args;

use super::Outcome;
use super::set::LOCAL;
use crate::api::json::Value;
use crate::cli::context::Context;
use crate::cli::error::CliError;
use crate::cli::flags::Span;
use crate::cli::options::{DryRun, OutputArgs, ResultPrinter};
use crate::cli::resource::{Builder, FileArgs, Info, NamedObjects, SelectorArgs};
use crate::cli::waiting::{self, Completed, Progress};
use crate::cluster::Cluster;
use crate::sys::clock::Stopwatch;
use condition::{Condition, Lookup};

/// Wait for a condition
///
/// Examples:
///   ctl wait --for=condition=Available deploy/web
///   ctl wait --for=delete pod/web-0 --timeout=60s
///   ctl wait --for=jsonpath='{.status.readyReplicas}'=3 deploy/web
///   ctl wait --for=condition=Complete --or-fail=condition=Failed job/pi
#[derive(Args, Debug)]
#[command(verbatim_doc_comment)]
pub(crate) struct WaitArgs {
    /// TYPE NAME or TYPE/NAME
    resources: Vec<String>,
    /// File or directory with the objects; - reads standard input
    #[arg(short, long, value_name = "FILE", value_delimiter = ',')]
    filename: Vec<String>,
    /// Read directories recursively
    #[arg(short = 'R', long, value_name = "BOOL", default_value_t = true, action = clap::ArgAction::Set)]
    recursive: bool,
    #[command(flatten)]
    selectors: SelectorArgs,
    /// Select all objects of the given types
    #[arg(long)]
    all: bool,
    /// Select objects in all namespaces
    #[arg(short = 'A', long)]
    all_namespaces: bool,
    /// Condition to wait for: delete, create, condition=NAME[=VALUE] or jsonpath={PATH}[=VALUE]; if
    /// repeated, all must be met
    #[arg(long = "for", value_name = "CONDITION")]
    conditions: Vec<String>,
    /// Stop when any of several --for conditions is met
    #[arg(long)]
    any: bool,
    /// Fail as soon as this condition is met; takes the forms of --for
    #[arg(long, value_name = "CONDITION")]
    or_fail: Vec<String>,
    /// Time to wait; 0 checks once, a negative time waits for a week
    #[arg(long, value_name = "TIME", default_value = "30s")]
    timeout: Span,
    /// Read the objects from the files without contacting the cluster
    #[arg(long)]
    local: bool,
    #[command(flatten)]
    output: OutputArgs,
}

/// The condition and the deadline of a wait.
struct Waiting<'a> {
    args: &'a WaitArgs,
    context: &'a Context,
    cluster: &'a Cluster,
    wanted: Vec<Condition>,
    failing: Vec<Condition>,
    stopwatch: Stopwatch,
    timeout: Duration,
}

pub(crate) fn run(args: &WaitArgs, context: &Context) -> Outcome {
    let mut printer = ResultPrinter::new(&args.output, DryRun::None, context)?;
    if args.conditions.is_empty() {
        return Err(CliError::text("unrecognized condition: []"));
    }
    let wanted = Condition::parse_all(&args.conditions)?;
    let failing = Condition::parse_all(&args.or_fail)?;
    context.exit_on_signal()?;
    let cluster = context.api()?;
    let waiting = Waiting {
        args,
        context,
        cluster: &cluster,
        wanted,
        failing,
        stopwatch: Stopwatch::start(),
        timeout: match args.timeout.is_negative() {
            // kubectl documents that a negative timeout means a week.
            true => waiting::A_WEEK,
            false => args.timeout.duration(),
        },
    };
    let mut found = waiting.objects()?;
    // An object that does not exist meets `--for=delete`.
    let for_delete = waiting.wanted.contains(&Condition::Delete);
    if for_delete {
        found = found.without(CliError::is_not_found);
    }
    if found.items.is_empty() && !for_delete {
        return Err(CliError::text("no matching resources found"));
    }
    CliError::all(waiting.all(found.in_turn(), &mut printer)?)?;
    Ok(ExitCode::SUCCESS)
}

/// client-go's error about a request that it does not send because the time is over.
const UNSENT: &str = "client rate limiter Wait returned an error: context deadline exceeded";

impl Waiting<'_> {
    /// Waits for each object in turn and reports it. Returns the errors.
    fn all(
        &self,
        items: Vec<Result<Info, CliError>>,
        printer: &mut ResultPrinter<'_>,
    ) -> Result<Vec<CliError>, CliError> {
        let (mut errors, mut is_over) = (Vec::new(), false);
        let all = items.len();
        for (done, item) in items.into_iter().enumerate() {
            let completed = Completed { done, all };
            let info = match item {
                Ok(info) => info,
                Err(e) => {
                    errors.push(e);
                    continue;
                }
            };
            // Each condition is awaited and reported in turn. With --any, the first condition that holds ends the wait.
            let wanted: Vec<&[Condition]> = match self.args.any {
                true => vec![&self.wanted],
                false => self.wanted.chunks(1).collect(),
            };
            for wanted in wanted {
                // The objects share the timeout. Once it is over, kubectl does not check the remaining objects; for a
                // deletion its error is that of the request that it did not send.
                let waited = match (is_over, wanted.contains(&Condition::Delete)) {
                    (true, true) => Err(CliError::TimedOut(UNSENT.to_owned())),
                    (true, false) => Err(waiting::timed_out(&info)),
                    (false, _) => self.one(&info, wanted, completed),
                };
                match waited {
                    Ok(info) => printer.print_result(&info, "condition met")?,
                    Err(e) => {
                        is_over |= e.is_timeout() && !self.timeout.is_zero();
                        errors.push(e);
                        break;
                    }
                }
            }
        }
        Ok(errors)
    }

    /// Returns the named objects. With `--for=create`, waits until they exist.
    fn objects(&self) -> Result<NamedObjects, CliError> {
        if !self.wanted.contains(&Condition::Create) {
            return self.builder()?.find();
        }
        let progress = Progress::new(&self.context.ui);
        let found = waiting::until(self.cluster, self.context, self.left(), &mut || {
            progress.show(
                Completed { done: 0, all: 1 },
                "waiting for the objects to be created",
            );
            let found = self.builder()?.find()?;
            let mut errors = found.items.iter().filter_map(|item| item.as_ref().err());
            match (errors.next(), errors.next()) {
                (None, _) => Ok((!found.items.is_empty()).then_some(found)),
                // kubectl does not recognize a missing object in a joined error, nor one from a manifest.
                (Some(e), None) if e.is_not_found() && self.args.filename.is_empty() => Ok(None),
                _ => found.all().map(|_| None),
            }
        })?;
        found.ok_or_else(|| CliError::TimedOut("timed out waiting for the condition".to_owned()))
    }

    fn builder(&self) -> Result<Builder<'_>, CliError> {
        let files = FileArgs {
            filename: self.args.filename.clone(),
            recursive: self.args.recursive,
            kustomize: None,
        };
        // Names are looked up in the cluster, which `--local` does not use.
        if self.args.local && files.is_empty() && !self.args.resources.is_empty() {
            return Err(CliError::text(LOCAL));
        }
        let builder = Builder::new(self.context, Some(self.cluster))?
            .files(&files)
            .selectors(&self.args.selectors)
            .all_namespaces(self.args.all_namespaces)
            .words(&self.args.resources, self.args.all);
        Ok(match self.args.local {
            true => builder,
            false => builder.latest(),
        })
    }

    fn left(&self) -> Duration {
        self.timeout.saturating_sub(self.stopwatch.elapsed())
    }

    /// Waits for one object, and returns it in its last state.
    fn one(
        &self,
        info: &Info,
        wanted: &[Condition],
        completed: Completed,
    ) -> Result<Info, CliError> {
        if self.args.local {
            return match self.look(&Lookup::There(info.object.clone()), wanted)? {
                true => Ok(info.clone()),
                false => Err(self.not_met(info)),
            };
        }
        if info.name.is_empty() {
            return Err(CliError::text("resource name must be provided"));
        }
        let mut last = info.clone();
        // An object that is recreated under the same name does not meet a condition of the old one.
        let uid = info.object["metadata"]["uid"].clone();
        let progress = Progress::new(&self.context.ui);
        let what = format!("waiting for {}", info.shown());
        let met = waiting::until(self.cluster, self.context, self.left(), &mut || {
            progress.show(completed, &what);
            let found = self.cluster.get(&info.place(), &info.name);
            let looked = looked(found.map_err(CliError::from), &uid);
            if let Lookup::There(object) = &looked {
                last = info.with(object.clone());
            }
            Ok(self.look(&looked, wanted)?.then_some(()))
        })?;
        match met {
            Some(()) => Ok(last),
            // A zero timeout means a single check, so nothing has timed out.
            None if self.timeout.is_zero() => Err(self.not_met(info)),
            None => Err(waiting::timed_out(info)),
        }
    }

    fn not_met(&self, info: &Info) -> CliError {
        CliError::TimedOut(format!(
            "condition not met for {}/{}",
            info.kind.plural, info.name
        ))
    }

    /// Returns true if a condition holds now.
    fn look(&self, looked: &Lookup, wanted: &[Condition]) -> Result<bool, CliError> {
        for failing in &self.failing {
            // An object that cannot be read yet must not end the wait, so an error counts as "not met" here.
            if failing.is_met(looked).unwrap_or(false) {
                let text = format!("the --or-fail condition {failing} is met");
                return Err(CliError::text(text));
            }
        }
        for condition in wanted {
            if condition.is_met(looked)? {
                return Ok(true);
            }
        }
        Ok(false)
    }
}

/// Returns the state of an object with a uid. The uid is null if the object did not exist at first.
fn looked(found: Result<Value, CliError>, uid: &Value) -> Lookup {
    match found {
        Ok(object) if object["metadata"]["uid"] == *uid || uid.is_null() => Lookup::There(object),
        Ok(_) => Lookup::Gone(None),
        // The object existed, so kubectl continues until the timeout.
        Err(e) if e.is_not_found() && !uid.is_null() => Lookup::Gone(None),
        Err(e) => Lookup::Gone(Some(e)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::api::json::json;
    use crate::api::status::Status;
    use crate::cli::testing::Shell;

    #[test]
    fn an_object_that_is_deleted_meanwhile_is_waited_for() {
        let missing = || Err(Status::not_found("pods", "a").into());
        let other = json!({"metadata": {"uid": "2"}});
        assert!(matches!(looked(missing(), &json!("1")), Lookup::Gone(None)));
        assert!(matches!(looked(Ok(other), &json!("1")), Lookup::Gone(None)));
        let never = looked(missing(), &Value::Null);
        assert!(matches!(never, Lookup::Gone(Some(e)) if e.is_not_found()));
    }

    fn shell() -> Shell {
        let shell = Shell::new();
        shell.all(&[
            "create configmap a --from-literal=x=1",
            "create configmap b --from-literal=x=2",
        ]);
        shell
    }

    #[test]
    fn wait_prints_condition_met_or_times_out() {
        let shell = shell();
        let line = "wait --for=jsonpath={.data.x}=1 --timeout=20ms";
        assert_eq!(
            shell.out(&format!("{line} cm/a")),
            "configmap/a condition met\n"
        );
        let said = shell.run(&format!("{line} cm/a cm/b"));
        assert_eq!(
            (said.code, said.out.as_str()),
            (1, "configmap/a condition met\n")
        );
        assert_eq!(
            said.err,
            "error: timed out waiting for the condition on configmaps/b\n"
        );
        assert_eq!(shell.run(&format!("{line} cm/b --exit-codes")).code, 7);
        let said = shell.run(&format!("{line} cm/b cm/a"));
        assert_eq!((said.code, said.out.as_str()), (1, ""));
        assert_eq!(
            said.err,
            "timed out waiting for the condition on configmaps/b\n\
             timed out waiting for the condition on configmaps/a\n"
        );
        let said = shell.run("wait --for=delete --timeout=20ms cm/b cm/a");
        assert_eq!(
            said.err,
            format!("timed out waiting for the condition on configmaps/b\n{UNSENT}\n")
        );
        shell.refuses(&[(
            "wait --for=jsonpath={.data.x}=1 --timeout=0 cm/b",
            "condition not met for configmaps/b",
        )]);
        let both = shell.out("wait --for=jsonpath={.data.x} cm a b -o name --timeout=1s");
        assert_eq!(both, "configmap/a\nconfigmap/b\n");
    }

    #[test]
    fn wait_for_delete_and_create_return_at_once() {
        let shell = shell();
        assert_eq!(shell.out("wait --for=delete cm/none"), "");
        assert_eq!(
            shell.out("wait --for=create cm/a"),
            "configmap/a condition met\n"
        );
        shell.refuses(&[
            (
                "wait --for=delete cm/a --timeout=10ms",
                "timed out waiting for the condition on configmaps/a",
            ),
            (
                "wait --for=create cm/none --timeout=10ms",
                "timed out waiting for the condition",
            ),
        ]);
    }

    #[test]
    fn each_met_condition_is_printed() {
        let shell = shell();
        let one = "--for=jsonpath={.data.x}=1";
        let two = "--for=jsonpath={.data.x}=2";
        let out = shell.out(&format!("wait --for=create {one} cm/a"));
        assert_eq!(out, "configmap/a condition met\n".repeat(2));
        let said = shell.run(&format!("wait {one} {two} cm/a --timeout=10ms"));
        assert_eq!(said.out, "configmap/a condition met\n");
        assert_eq!(
            said.err,
            "error: timed out waiting for the condition on configmaps/a\n"
        );
    }

    #[test]
    fn any_returns_on_one_condition_and_or_fail_fails() {
        let shell = shell();
        let one = "--for=jsonpath={.data.x}=1";
        let two = "--for=jsonpath={.data.x}=2";
        assert_eq!(
            shell
                .run(&format!("wait {one} {two} cm/a --timeout=10ms"))
                .code,
            1
        );
        assert_eq!(
            shell
                .out(&format!("wait {one} {two} --any cm/a cm/b"))
                .lines()
                .count(),
            2
        );
        shell.refuses(&[(
            "wait --for=delete --or-fail=jsonpath={.data.x}=1 cm/a",
            "the --or-fail condition jsonpath={.data.x}=1 is met",
        )]);
    }

    #[test]
    fn invalid_wait_conditions_are_rejected() {
        let shell = shell();
        shell.refuses(&[
            ("wait cm/a", "unrecognized condition: []"),
            (
                "wait cm/a -o odd",
                "unable to match a printer suitable for the output format \"odd\", allowed formats are: go-template,\
                 go-template-file,json,jsonpath,jsonpath-as-json,jsonpath-file,kyaml,name,template,templatefile,yaml",
            ),
            ("wait --for=odd cm/a", "unrecognized condition: \"odd\""),
            (
                "wait --for=condition=x --local cm --all",
                "you must specify resources by --filename when --local is set.\nExample resource specifications \
                 include:\n   '-f rsrc.yaml'\n   '--filename=rsrc.json'",
            ),
            (
                "wait --for=condition=Ready pod/none",
                "Error from server (NotFound): pods \"none\" not found",
            ),
            (
                "wait --for=condition=Ready pods --all",
                "no matching resources found",
            ),
        ]);
    }

    #[test]
    fn a_manifest_of_a_missing_object_is_not_waited_for() {
        let shell = shell();
        let map =
            |name: &str| format!("apiVersion: v1\nkind: ConfigMap\nmetadata: {{name: {name}}}\n");
        shell.write("a.yaml", map("a"));
        shell.write("none.yaml", map("none"));
        let missing =
            |name: &str| format!("Error from server (NotFound): configmaps {name:?} not found");
        let create = "wait --for=create --timeout=1h";
        for (line, told) in [
            ("-f @/none.yaml", missing("none")),
            ("-f @/a.yaml -f @/none.yaml", missing("none")),
            (
                "cm none never",
                format!("{}\n{}", missing("none"), missing("never")),
            ),
        ] {
            assert_eq!(shell.fails(&format!("{create} {line}")), told);
        }
        let deleted = "wait --for=delete --timeout=10ms -f @/none.yaml -f @/a.yaml";
        let late = "error: timed out waiting for the condition on configmaps/a";
        assert_eq!(shell.fails(deleted), late);
        let joined = "wait --for=jsonpath={.data.x}=9 --timeout=10ms -f @/none.yaml -f @/a.yaml";
        let late =
            "timed out waiting for the condition on configmaps/a\nconfigmaps \"none\" not found";
        assert_eq!(shell.fails(joined), late);
    }
}
