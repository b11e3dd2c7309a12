//! `ctl delete`.

use std::process::ExitCode;
use std::time::Duration;

use clap::Args;

use super::Outcome;
use crate::cli::api_path::{self, check_raw};
use crate::cli::context::Context;
use crate::cli::error::CliError;
use crate::cli::flags::Span;
use crate::cli::options::{DryRun, DryRunArgs, write_options};
use crate::cli::output::type_name;
use crate::cli::resource::{Builder, FileArgs, Info, SelectorArgs};
use crate::cli::waiting::{self, Completed, Progress};
use crate::cluster::{Cluster, DeleteOptions, FieldValidation, Propagation};
use crate::kinds;

/// Delete objects
///
/// Examples:
///   ctl delete pod web-0
///   ctl delete -f web.yaml
///   ctl delete deploy,svc -l app=web
///   ctl delete pods --all --grace-period=1
#[derive(Args, Debug)]
#[command(verbatim_doc_comment)]
pub(crate) struct DeleteArgs {
    /// Types with commas between them and then names, or TYPE/NAME pairs
    resources: Vec<String>,
    #[command(flatten)]
    files: FileArgs,
    #[command(flatten)]
    selectors: SelectorArgs,
    /// Select objects in all namespaces
    #[arg(short = 'A', long)]
    all_namespaces: bool,
    /// Select all objects of the given types
    #[arg(long)]
    all: bool,
    #[command(flatten)]
    cascade: CascadeArgs,
    /// Seconds until a deleted object must end; negative for the object's own grace period
    #[arg(long, value_name = "SECONDS", default_value_t = -1)]
    grace_period: i64,
    /// Shut objects down at once: like --grace-period=1
    #[arg(long)]
    now: bool,
    /// Remove objects immediately without waiting for them to end; implies --grace-period=0
    #[arg(long)]
    force: bool,
    /// Ignore objects that do not exist
    #[arg(long)]
    ignore_not_found: bool,
    /// Ask for confirmation
    #[arg(short, long)]
    interactive: bool,
    /// Time to wait until the objects are removed; 0 waits as long as needed
    #[arg(long, value_name = "TIME", default_value = "0s")]
    timeout: Span,
    /// Wait until the objects are removed
    #[arg(long, value_name = "BOOL", default_value_t = true, action = clap::ArgAction::Set)]
    wait: bool,
    /// Send the request to this API path
    #[arg(long, value_name = "PATH")]
    raw: Option<String>,
    /// Output format: name
    #[arg(short, long, value_name = "FORMAT")]
    output: Option<String>,
    #[command(flatten)]
    dry_run: DryRunArgs,
}

/// `--cascade`.
#[derive(Args, Clone, Debug, Default)]
pub(crate) struct CascadeArgs {
    /// Deletion of dependents: background (after the owner), foreground (before the owner) or
    /// orphan (never)
    #[arg(long, value_name = "HOW", default_value = "background",
        default_missing_value = "background", num_args = 0..=1, require_equals = true)]
    cascade: String,
}

/// Parses the value of `--cascade`.
pub(super) fn cascading(value: &str) -> Result<Propagation, CliError> {
    match value {
        // Boolean values are kubectl's spellings before 1.20, as `strconv.ParseBool` accepts them.
        "background" | "1" | "t" | "T" | "TRUE" | "true" | "True" => Ok(Propagation::Background),
        "foreground" => Ok(Propagation::Foreground),
        "orphan" | "0" | "f" | "F" | "FALSE" | "false" | "False" => Ok(Propagation::Orphan),
        other => Err(CliError::text(format!(
            "invalid cascade value ({other}). Must be \"background\", \"foreground\", or \"orphan\""
        ))),
    }
}

impl CascadeArgs {
    /// Returns the propagation policy.
    pub(crate) fn get(&self) -> Result<Propagation, CliError> {
        cascading(&self.cascade)
    }

    /// Warns that boolean values are deprecated.
    fn remark(&self, context: &Context) {
        let given = self.cascade.as_str();
        if ["background", "foreground", "orphan", ""].contains(&given) {
            return;
        }
        if let Ok(propagation) = self.get() {
            let new = match propagation {
                Propagation::Orphan => "orphan",
                _ => "background",
            };
            context.ui.note(&format!(
                "warning: --cascade={given} is deprecated (boolean value) and can be replaced with \
                 --cascade={new}."
            ));
        }
    }
}

/// The options of a deletion and of its output.
struct Deletion<'a> {
    args: &'a DeleteArgs,
    context: &'a Context,
    dry_run: DryRun,
    options: DeleteOptions,
    ignore_missing: bool,
}

pub(crate) fn run(args: &DeleteArgs, context: &Context) -> Outcome {
    // The order of these checks is kubectl's, with --raw as well.
    let propagation = args.cascade.get()?;
    args.cascade.remark(context);
    let grace = grace_period(args)?;
    let dry_run = args.dry_run.get(context)?;
    if let Some(path) = args.raw.as_deref().filter(|p| !p.is_empty()) {
        check(args, grace, context)?;
        return raw(args, path, context);
    }
    let cluster = context.api()?;
    let SelectorArgs {
        selector,
        field_selector,
    } = &args.selectors;
    let selects = args.all || is_given(selector.as_ref()) || is_given(field_selector.as_ref());
    let found = Builder::new(context, Some(&cluster))?
        .files(&args.files)
        .selectors(&args.selectors)
        .select_all(args.all)
        .all_namespaces(args.all_namespaces)
        .words(&args.resources, false)
        // A deletion by name needs no read, so the verb `delete` suffices.
        .names_only()
        .find()?;
    check(args, grace, context)?;
    let write = write_options(context, dry_run, String::new(), FieldValidation::Ignore);
    let deletion = Deletion {
        args,
        context,
        dry_run,
        options: DeleteOptions {
            write,
            grace_period: (grace >= 0).then_some(grace),
            propagation: Some(propagation),
            ..DeleteOptions::default()
        },
        // Another writer may delete a selected object between the list and the deletion.
        ignore_missing: args.ignore_not_found || (selects && !context.given("ignore-not-found")),
    };
    let (found, unread) = found.readable();
    let (infos, mut errors) = found.split();
    errors.retain(|e| !(deletion.ignore_missing && e.is_not_found()));
    // As in kubectl, a "no" is the user's decision, so the exit code is 0.
    if args.interactive && !infos.is_empty() && !deletion.confirmed(&infos)? {
        context.ui.line("deletion is cancelled")?;
        return Ok(ExitCode::SUCCESS);
    }
    let deleted = deletion.delete_all(&cluster, &infos, &mut errors)?;
    errors.extend(unread);
    // Errors are reported before the wait instead of after the timeout of the other objects.
    CliError::all(errors)?;
    if infos.is_empty() {
        context.ui.line("No resources found")?;
    }
    if args.wait && dry_run == DryRun::None {
        deletion.wait(&cluster, &deleted)?;
    }
    Ok(ExitCode::SUCCESS)
}

/// Returns true if a flag has a value.
fn is_given(flag: Option<&String>) -> bool {
    flag.is_some_and(|value| !value.is_empty())
}

fn raw(args: &DeleteArgs, path: &str, context: &Context) -> Outcome {
    if args.interactive {
        let text = "--interactive can not be used with --raw";
        return Err(CliError::text(text));
    }
    if args.files.filename.len() > 1 {
        let text = "--raw can only use a single local file or stdin";
        return Err(CliError::text(text));
    }
    let output = (is_given(args.output.as_ref()), "output");
    check_raw(path, &args.files, &[output])?;
    let file = args.files.filename.first().map(String::as_str);
    context
        .ui
        .out(&api_path::raw(context, "DELETE", path, file)?)?;
    Ok(ExitCode::SUCCESS)
}

fn grace_period(args: &DeleteArgs) -> Result<i64, CliError> {
    if args.now && args.grace_period != -1 {
        let text = "--now and --grace-period cannot be specified together";
        return Err(CliError::text(text));
    }
    Ok(match args.grace_period {
        _ if args.now => 1,
        // As in kubectl, zero becomes one without --force, so that an immediate deletion is deliberate.
        0 if !args.force => 1,
        // `--force` alone means no grace period. An explicit `--grace-period` is checked later.
        seconds if seconds < 0 && args.force => 0,
        seconds => seconds,
    })
}

fn check(args: &DeleteArgs, grace: i64, context: &Context) -> Result<(), CliError> {
    let refuse = |text: &str| Err(CliError::text(text));
    if let Some(other) = args.output.as_deref()
        && !["", "name"].contains(&other)
    {
        let text = format!("unexpected -o output mode: {other}. We only support '-o name'");
        return Err(CliError::text(text));
    }
    // Without --raw, the look-up of the objects has rejected both.
    let SelectorArgs {
        selector,
        field_selector,
    } = &args.selectors;
    for (selector, name) in [(selector, "selector"), (field_selector, "field-selector")] {
        if args.all && is_given(selector.as_ref()) {
            let text = format!("cannot set --all and --{name} at the same time");
            return refuse(&text);
        }
    }
    if args.force && grace > 0 {
        return refuse("--force and --grace-period greater than 0 cannot be specified together");
    }
    if args.force && grace == 0 {
        context.ui.warn(
            "Immediate deletion does not wait for confirmation that the running resource has been \
             terminated. The resource may continue to run on the cluster indefinitely.",
        );
    }
    Ok(())
}

impl Deletion<'_> {
    /// Asks for confirmation.
    fn confirmed(&self, infos: &[Info]) -> Result<bool, CliError> {
        let ui = &self.context.ui;
        let count = infos.len();
        ui.line(format_args!(
            "You are about to delete the following {count} resource(s):"
        ))?;
        for info in infos {
            ui.line(info.shown())?;
        }
        ui.confirm()
    }

    /// Deletes the objects in order. Returns those that were deleted.
    fn delete_all(
        &self,
        cluster: &Cluster,
        infos: &[Info],
        errors: &mut Vec<CliError>,
    ) -> Result<Vec<Info>, CliError> {
        let outside = |info: &Info| !info.kind.namespaced;
        // Only an explicit `-n` suggests that the user expects the deletion to stay within a namespace.
        let asked = self.context.explicit_namespace().is_some() && !self.args.all_namespaces;
        let mut deleted = Vec::new();
        for info in infos {
            if asked && outside(info) {
                self.context.ui.warn(
                    "deleting cluster-scoped resources, not scoped to the provided namespace",
                );
            }
            // kubectl prints the objects without asking the server, which might reject the deletion.
            if self.dry_run == DryRun::Client {
                self.tell(info)?;
                continue;
            }
            // The server sends its warning about a deprecated kind even if the object does not exist.
            if let Some(text) = kinds::warnings::deprecation(info.kind) {
                self.context.ui.warn(text);
            }
            let answer = info.require_name().and_then(|()| {
                let answer = cluster.delete(&info.place(), &info.name, &self.options);
                answer.map_err(CliError::from)
            });
            match answer {
                Ok(answer) => {
                    self.context.ui.warn_of(&answer);
                    let info = info.with(answer.object);
                    self.tell(&info)?;
                    deleted.push(info);
                }
                Err(e) => {
                    let e = match info.source.as_str() {
                        "" => e,
                        source => e.with_context(&format!("error when deleting \"{source}\": ")),
                    };
                    if !(self.ignore_missing && e.is_not_found()) {
                        errors.push(e);
                    }
                }
            }
        }
        Ok(deleted)
    }

    fn tell(&self, info: &Info) -> Result<(), CliError> {
        let ui = &self.context.ui;
        // An object without a name, which a client-side dry run can delete, is printed without one.
        let (kind, name) = (type_name(info.kind), &info.name);
        if self.args.output.as_deref() == Some("name") {
            return ui.line(format_args!("{kind}/{name}"));
        }
        // kubectl prints "force deleted" because of the grace period rather than the flag --force.
        let force = if self.options.grace_period == Some(0) {
            "force "
        } else {
            ""
        };
        let suffix = self.dry_run.suffix();
        let namespace = match info.namespace.as_str() {
            "" => String::new(),
            namespace => format!(" from {namespace} namespace"),
        };
        ui.line(format_args!(
            "{kind} \"{name}\" {force}deleted{namespace}{suffix}"
        ))
    }

    fn wait(&self, cluster: &Cluster, deleted: &[Info]) -> Result<(), CliError> {
        let timeout = match self.args.timeout.duration() {
            // For deletions, kubectl treats zero as a week rather than forever.
            Duration::ZERO => waiting::A_WEEK,
            timeout => timeout,
        };
        // The deletions are committed, so Ctrl-C ends only the wait.
        self.context.exit_on_signal()?;
        let progress = Progress::new(&self.context.ui);
        // As in kubectl, objects are awaited in turn: the total time is that of the slowest, and messages keep their
        // order.
        for (done, info) in deleted.iter().enumerate() {
            let all = deleted.len();
            let completed = Completed { done, all };
            waiting::until_gone(cluster, self.context, info, timeout, &progress, completed)?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use crate::cli::testing::Shell;

    const WARNING: &str = "Warning: Immediate deletion does not wait for confirmation that the running \
                           resource has been terminated. The resource may continue to run on the cluster \
                           indefinitely.\n";

    fn shell() -> Shell {
        let shell = Shell::new();
        shell.all(&[
            "create configmap a",
            "create configmap b",
            "label configmap b x=z1",
            "create ns blue",
        ]);
        shell
    }

    #[test]
    fn delete_prints_objects_in_argument_order() {
        let shell = shell();
        assert_eq!(
            shell.out("delete configmap b a"),
            "configmap \"b\" deleted from default namespace\nconfigmap \"a\" deleted from default namespace\n"
        );
        assert_eq!(
            shell.out("delete ns blue --wait=false"),
            "namespace \"blue\" deleted\n"
        );
        let said = shell.run("delete configmap a");
        assert_eq!(
            (said.code, said.err.as_str()),
            (
                1,
                "Error from server (NotFound): configmaps \"a\" not found\n"
            )
        );
        assert_eq!(shell.run("delete configmap a --exit-codes").code, 4);
        assert_eq!(shell.out("delete configmap a --ignore-not-found"), "");
    }

    #[test]
    fn foreground_delete_of_a_service_deletes_its_endpoint_slices() {
        let shell = shell();
        shell.all(&[
            "create service clusterip web --tcp=80",
            "run web --image=nginx -l app=web",
            "settle",
            "delete service web --cascade=foreground --wait=false",
            "settle",
        ]);
        for kind in ["service web", "endpoints web", "endpointslices -l app=web"] {
            assert!(!shell.run(&format!("get {kind}")).out.contains("web"));
        }
    }

    #[test]
    fn missing_object_does_not_stop_other_deletions() {
        let shell = shell();
        let said = shell.run("delete cm none a");
        assert_eq!(
            (said.code, said.out.as_str()),
            (1, "configmap \"a\" deleted from default namespace\n")
        );
        assert_eq!(
            said.err,
            "Error from server (NotFound): configmaps \"none\" not found\n"
        );
        shell.write(
            "cm.yaml",
            "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: none}\n",
        );
        assert_eq!(
            shell.fails("delete -f @/cm.yaml"),
            "Error from server (NotFound): error when deleting \"@/cm.yaml\": configmaps \"none\" not found"
        );
    }

    #[test]
    fn delete_by_selector_reports_no_match() {
        let shell = shell();
        let out = shell.out("delete cm -l x=z1 --dry-run=client");
        assert_eq!(
            out,
            "configmap \"b\" deleted from default namespace (dry run)\n"
        );
        let out = shell.out("delete cm -l x=z1 --dry-run=server");
        assert_eq!(
            out,
            "configmap \"b\" deleted from default namespace (server dry run)\n"
        );
        assert_eq!(
            shell.out("delete cm --field-selector=metadata.name=a -o name"),
            "configmap/a\n"
        );
        assert_eq!(shell.out("delete cm -l x=none"), "No resources found\n");
        let said = shell.run("delete ns blue -n default --dry-run=client");
        assert_eq!(
            said.err,
            "Warning: deleting cluster-scoped resources, not scoped to the provided namespace\n"
        );
    }

    #[test]
    fn force_deletes_immediately_with_a_warning() {
        let shell = shell();
        let said = shell.run("delete cm a --force");
        assert_eq!(said.err, WARNING);
        assert_eq!(
            said.out,
            "configmap \"a\" force deleted from default namespace\n"
        );
        let said = shell.run("delete cm b --grace-period=0");
        assert_eq!(
            (said.err.as_str(), said.out.as_str()),
            ("", "configmap \"b\" deleted from default namespace\n")
        );
        shell.refuses(&[
            (
                "delete cm a --now --grace-period=3",
                "--now and --grace-period cannot be specified together",
            ),
            (
                "delete cm a --force --grace-period=3",
                "--force and --grace-period greater than 0 cannot be specified together",
            ),
            (
                "delete cm a --force --now",
                "--force and --grace-period greater than 0 cannot be specified together",
            ),
        ]);
    }

    #[test]
    fn cascade_orphan_keeps_dependents_without_owner() {
        let shell = shell();
        shell.all(&["create deployment web --image=i", "settle"]);
        let _ = shell.out("delete deployment web --cascade=orphan --wait=false");
        let _ = shell.out("settle");
        assert_eq!(
            shell.out("get rs -l app=web -o jsonpath={.items[*].metadata.ownerReferences}"),
            ""
        );
        assert!(!shell.out("get rs -l app=web -o name").is_empty());
        let said = shell.run("delete cm a --cascade=false --dry-run=client");
        assert_eq!(
            said.err,
            "warning: --cascade=false is deprecated (boolean value) and can be replaced with --cascade=orphan.\n"
        );
        shell.refuses(&[(
            "delete cm a --cascade=odd",
            "invalid cascade value (odd). Must be \"background\", \"foreground\", or \"orphan\"",
        )]);
    }

    #[test]
    fn deleting_a_deprecated_kind_warns_if_it_exists_or_not() {
        let shell = shell();
        let said = shell.run("delete endpoints none");
        assert!(
            said.err
                .starts_with("Warning: v1 Endpoints is deprecated in v1.33+"),
            "{said:?}"
        );
        assert!(
            said.err.ends_with("endpoints \"none\" not found\n"),
            "{said:?}"
        );
    }

    #[test]
    fn incompatible_delete_flags_are_rejected() {
        let shell = shell();
        let both = "setting 'all' parameter but found a non empty selector.";
        shell.refuses(&[
            ("delete cm --all -l a=b", both),
            (
                "delete cm/a b --all -l a=b -f @/nofile",
                "the path \"@/nofile\" does not exist\nsetting 'all' parameter but found a non empty selector. \nthere is \
                 no need to specify a resource type as a separate argument when passing arguments in resource/name form \
                 (e.g. 'kubectl get resource/<resource_name>' instead of 'kubectl get resource \
                 resource/<resource_name>'",
            ),
            (
                "delete -f x -k y -R",
                "only one of -f or -k can be specified\nthe -k flag can't be used with -f or -R",
            ),
            ("delete cm --all --field-selector=metadata.name=a", both),
            (
                "delete cm a --dry-run=",
                "Invalid dry-run value (). Must be \"none\", \"server\", or \"client\".",
            ),
            (
                "delete cm a -o wide",
                "unexpected -o output mode: wide. We only support '-o name'",
            ),
            (
                "delete cm",
                "resource(s) were provided, but no name was specified",
            ),
            (
                "delete --raw=/api/v1/namespaces/blue -i",
                "--interactive can not be used with --raw",
            ),
            (
                "delete --raw=/api/v1/namespaces/blue --all -l a=b -i",
                "cannot set --all and --selector at the same time",
            ),
            (
                "delete --raw=/api/v1/namespaces/blue -o yaml --dry-run=odd --now --grace-period=3",
                "--now and --grace-period cannot be specified together",
            ),
            (
                "delete cm --all -l a=b --dry-run=odd --cascade=odd",
                "invalid cascade value (odd). Must be \"background\", \"foreground\", or \"orphan\"",
            ),
            (
                "delete --raw=/api/v1/namespaces/blue -f @/a -f @/b",
                "--raw can only use a single local file or stdin",
            ),
        ]);
        let out = shell.out("delete --raw=/api/v1/namespaces/default/configmaps/a");
        assert!(out.contains("\"status\":\"Success\""), "{out}");
    }

    #[test]
    fn types_that_may_not_be_listed_are_one_error_behind_the_others() {
        let shell = Shell::new();
        shell.all(&[
            "create clusterrole r --verb=get,list --resource=pods,services",
            "create clusterrolebinding r --clusterrole=r --user=ann",
            "create service clusterip s --tcp=80",
        ]);
        let told = shell.fails("delete pods,secrets,services --all --as=ann");
        let (first, last) = told.split_once('\n').unwrap();
        assert!(
            first.starts_with("Error from server (Forbidden): services \""),
            "{told}"
        );
        let list = "secrets is forbidden: User \"ann\" cannot list resource \"secrets\" in API group \"\" in the namespace \
                    \"default\"";
        assert!(
            last.ends_with(&format!("\n{list}")) || last == list,
            "{told}"
        );
        let told = shell.fails("delete secrets --all --as=ann");
        assert_eq!(told, format!("Error from server (Forbidden): {list}"));
    }
}
