//! `ctl run`.

mod foreground;
mod pod;

use std::process::ExitCode;

use clap::Args;

use super::delete::cascading;
use super::expose::service;
use super::make::{MakeArgs, OverrideArgs};
use super::{Outcome, pods};
use crate::api::json::Value;
use crate::cli::context::Context;
use crate::cli::error::CliError;
use crate::cli::flags::Span;
use crate::cli::options::{DryRun, RecordArgs, ResultPrinter};
use crate::cli::resource::Info;
use crate::cluster::FieldValidation;

pub(super) use pod::is_image;

/// Run an image in a Pod
///
/// With -i or --attach, waits for the Pod, joins its shell or prints its log and, unless the Pod always
/// restarts, exits with its exit code.
///
/// Examples:
///   ctl run web --image=nginx:1.25 --port=80 --expose
///   ctl run once --image=busybox --restart=Never -- echo hello
///   ctl run it --image=busybox --command --dry-run=client -o yaml -- sleep 60
#[derive(Args, Debug)]
#[command(verbatim_doc_comment)]
pub(crate) struct RunArgs {
    /// NAME, and after it or after -- the arguments of the container
    words: Vec<String>,
    /// Image of the container
    #[arg(long, value_name = "IMAGE", required = true)]
    image: String,
    /// Image pull policy: Always, IfNotPresent or Never
    #[arg(long, value_name = "WHEN")]
    image_pull_policy: Option<String>,
    /// Annotation of the Pod; can be repeated
    #[arg(long, value_name = "KEY=VALUE")]
    annotations: Vec<String>,
    /// Labels of the Pod, separated by commas
    #[arg(short = 'l', long, value_name = "KEY=VALUE,..")]
    labels: Option<String>,
    /// Environment variable of the container; can be repeated
    #[arg(long, value_name = "NAME=VALUE")]
    env: Vec<String>,
    /// Port that the container exposes
    #[arg(long, value_name = "PORT")]
    port: Option<String>,
    /// Also create a Service for the port
    #[arg(long)]
    expose: bool,
    /// Use the arguments as the container's command rather than as its arguments
    #[arg(long)]
    command: bool,
    /// Restart policy of the Pod: Always, OnFailure or Never
    #[arg(long, value_name = "POLICY", default_value = "Always")]
    restart: String,
    /// Run the container in privileged mode
    #[arg(long)]
    privileged: bool,
    /// Keep standard input of the container open, and attach to the Pod
    #[arg(short = 'i', long)]
    stdin: bool,
    /// Allocate a terminal for the container
    #[arg(short, long)]
    tty: bool,
    /// Leave standard input of the container open after the first attach ends
    #[arg(long)]
    leave_stdin_open: bool,
    /// Wait for the Pod to start, then attach to it
    #[arg(long)]
    attach: bool,
    /// Delete the Pod afterwards
    #[arg(long)]
    rm: bool,
    /// Print only output of the container
    #[arg(short, long)]
    quiet: bool,
    /// Keys that detach from the container without stopping it
    #[arg(long, value_name = "KEYS", default_value = "ctrl-p,ctrl-q")]
    detach_keys: String,
    /// Time to wait for the Pod to run
    #[arg(long, value_name = "TIME", default_value = "1m0s")]
    pod_running_timeout: Span,
    #[command(flatten)]
    overrides: OverrideArgs,
    #[command(flatten)]
    make: MakeArgs,
    #[command(flatten)]
    record: RecordArgs,
    #[command(flatten)]
    unused: UnusedArgs,
}

/// Flags that kubectl takes and does nothing with.
#[derive(Args, Debug)]
struct UnusedArgs {
    /// Does nothing here, but its value is checked
    #[arg(long, hide = true, default_missing_value = "background", num_args = 0..=1,
        require_equals = true)]
    cascade: Option<String>,
    /// Does nothing here
    #[arg(short, long, hide = true, value_delimiter = ',')]
    filename: Vec<String>,
    /// Does nothing here
    #[arg(long, hide = true)]
    force: bool,
    /// Does nothing here
    #[arg(long, hide = true)]
    grace_period: Option<i64>,
    /// Does nothing here
    #[arg(short, long, hide = true)]
    kustomize: Option<String>,
    /// Does nothing here
    #[arg(short = 'R', long, hide = true)]
    recursive: bool,
    /// Does nothing here
    #[arg(long, hide = true)]
    timeout: Option<Span>,
    /// Does nothing here
    #[arg(long, hide = true)]
    wait: bool,
}

impl RunArgs {
    fn port(&self) -> Option<&str> {
        self.port.as_deref().filter(|port| !port.is_empty())
    }

    fn restart_policy(&self) -> &str {
        match self.restart.as_str() {
            // An interactive program that succeeds must not be restarted.
            "" if self.stdin => "OnFailure",
            "" => "Always",
            policy => policy,
        }
    }

    /// Returns true if the command attaches to the Pod.
    fn stays(&self, context: &Context) -> bool {
        // `-i` implies `--attach`, unless `--attach=false` is given.
        self.attach || self.stdin && !context.given("attach")
    }

    fn check(&self, context: &Context) -> Result<(), CliError> {
        cascading(self.unused.cascade.as_deref().unwrap_or("background"))?;
        if self.words.is_empty() || context.before_dash() == Some(0) {
            return Err(context.usage("NAME is required for run"));
        }
        pods::check_timeout(self.pod_running_timeout).map_err(|e| context.usage(e))?;
        if self.image.is_empty() {
            return Err(CliError::text("--image is required"));
        }
        if !is_image(&self.image) {
            let image = &self.image;
            let text = format!("Invalid image name {image:?}: invalid reference format");
            return Err(CliError::text(text));
        }
        if self.tty && !self.stdin {
            let text = "-i/--stdin is required for containers with -t/--tty=true";
            return Err(context.usage(text));
        }
        if self.expose && self.port().is_none() {
            return Err(context.usage("--port must be set when exposing a service"));
        }
        if !["Always", "OnFailure", "Never"].contains(&self.restart_policy()) {
            let policy = &self.restart;
            return Err(context.usage(format_args!("invalid restart policy: {policy}")));
        }
        // `--rm` needs a process that is still there when the Pod ends.
        if !self.stays(context) && self.rm {
            return Err(context.usage("--rm should only be used for attached containers"));
        }
        if self.stays(context) && self.make.dry_run(context)? != DryRun::None {
            return Err(context.usage(
                "--dry-run=[server|client] can't be used with attached containers options \
                 (--attach, --stdin, or --tty)",
            ));
        }
        let pull = self.image_pull_policy.as_deref().unwrap_or_default();
        if !["", "Always", "IfNotPresent", "Never"].contains(&pull) {
            return Err(context.usage(format_args!("invalid image pull policy: {pull}")));
        }
        Ok(())
    }
}

pub(crate) fn run(args: &RunArgs, context: &Context) -> Outcome {
    let mut printer = args.make.printer(context)?;
    args.check(context)?;
    let [name, words @ ..] = args.words.as_slice() else {
        return Err(context.usage("NAME is required for run"));
    };
    let pod = args.overrides.apply(pod::pod(name, args, words)?)?;
    let pod = send(args, args.record.mark(context, pod), &printer, context)?;
    let mut made = vec![pod.clone()];
    let mut failed = Vec::new();
    if args.expose {
        match expose(args, name, &mut printer, context) {
            Ok(service) => made.push(service),
            // The Pod exists by now, so it is reported even if creating its Service fails.
            Err(e) => failed.push(e),
        }
    }
    if args.stays(context) {
        // The attached program owns the output, so the Pod is not reported as created.
        return foreground::run(args, &pod, &made, context);
    }
    printer.print_result(&pod, "created")?;
    CliError::all(failed)?;
    Ok(ExitCode::SUCCESS)
}

/// Creates a Service for the Pod and prints it.
fn expose(
    args: &RunArgs,
    name: &str,
    printer: &mut ResultPrinter<'_>,
    context: &Context,
) -> Result<Info, CliError> {
    let labels = pod::labels(name, args);
    let wanted = service::NewService {
        name,
        selector: &labels,
        labels: args.labels.as_deref().unwrap_or_default(),
        ports: args.port().unwrap_or_default(),
        ..service::NewService::default()
    };
    let made = send(args, wanted.service()?, printer, context)?;
    printer.print_result(&made, "created")?;
    // The output holds two YAML documents: the Service and then the Pod.
    if args.make.output.output.as_deref() == Some("yaml") {
        context.ui.line("---")?;
    }
    Ok(made)
}

fn send(
    args: &RunArgs,
    object: Value,
    printer: &ResultPrinter<'_>,
    context: &Context,
) -> Result<Info, CliError> {
    let ignore = FieldValidation::Ignore;
    args.make
        .send(object, "kubectl-run", ignore, printer, context)
}

#[cfg(test)]
mod tests {
    use crate::api::json::json;
    use crate::cli::testing::Shell;

    #[test]
    fn run_flags_define_the_pod() {
        let shell = Shell::empty();
        let made = shell.made(
            "run web --image=nginx --port=80 --env=A=B --env=C= --labels=app=x,tier=y --annotations=k=v \
             --image-pull-policy=Never --restart=OnFailure --privileged -- one two",
        );
        assert_eq!(made["metadata"]["labels"], json!({"app": "x", "tier": "y"}));
        assert_eq!(made["metadata"]["annotations"], json!({"k": "v"}));
        assert_eq!(
            made["spec"],
            json!({
                "containers": [{
                    "name": "web", "image": "nginx", "args": ["one", "two"], "imagePullPolicy": "Never",
                    "env": [{"name": "A", "value": "B"}, {"name": "C"}], "ports": [{"containerPort": 80}],
                    "resources": {}, "securityContext": {"privileged": true},
                }],
                "dnsPolicy": "ClusterFirst", "restartPolicy": "OnFailure",
            })
        );
        let made = shell.made("run web --image=nginx --command -- sleep 1d");
        assert_eq!(
            made["spec"]["containers"][0]["command"],
            json!(["sleep", "1d"])
        );
        assert_eq!(made["metadata"]["labels"], json!({"run": "web"}));
        // The server checks the range of the port, so a client-side dry run accepts it.
        let made = shell.made("run web --image=nginx --port=70000");
        let port = &made["spec"]["containers"][0]["ports"][0]["containerPort"];
        assert_eq!(*port, 70_000);
        let made =
            shell.made("run web --image=nginx --overrides='{\"spec\":{\"nodeName\":\"n\"}}'");
        assert_eq!(made["spec"]["nodeName"], "n");
    }

    #[test]
    fn expose_creates_a_service_selecting_the_pod() {
        let shell = Shell::new();
        let out = shell.out("run web --image=nginx --port=80 --expose");
        assert_eq!(out, "service/web created\npod/web created\n");
        let service = shell.json("get service web");
        assert_eq!(service["spec"]["selector"], json!({"run": "web"}));
        assert_eq!(service["spec"]["ports"][0]["targetPort"], 80);
    }

    #[test]
    fn attached_run_times_out_and_rm_deletes_the_pod() {
        let shell = Shell::new();
        let line =
            "run once --image=busybox --restart=Never --attach --pod-running-timeout=50ms -- true";
        assert_eq!(
            shell.fails(line),
            "error: timed out waiting for the condition"
        );
        let line = "run gone --image=busybox --restart=Never -i --rm --pod-running-timeout=50ms";
        let said = shell.run(line);
        assert_eq!(said.out, "pod \"gone\" deleted from default namespace\n");
        assert_eq!(shell.out("get pod gone --ignore-not-found -o name"), "");
    }

    #[test]
    fn flags_that_make_no_sense_are_refused() {
        let shell = Shell::new();
        let help = "\nSee 'kubectl run -h' for help and examples";
        for (line, why) in [
            ("run --image=nginx", "NAME is required for run"),
            (
                "run web --image=nginx -t",
                "-i/--stdin is required for containers with -t/--tty=true",
            ),
            (
                "run web --image=nginx --expose",
                "--port must be set when exposing a service",
            ),
            (
                "run web --image=nginx --pod-running-timeout=0s",
                "--pod-running-timeout must be higher than zero",
            ),
            (
                "run web --image=nginx --restart=Odd",
                "invalid restart policy: Odd",
            ),
            (
                "run web --image=nginx --rm",
                "--rm should only be used for attached containers",
            ),
            (
                "run web --image=nginx -i --dry-run=client",
                "--dry-run=[server|client] can't be used with attached containers options (--attach, \
                 --stdin, or --tty)",
            ),
            (
                "run web --image=nginx --image-pull-policy=Odd",
                "invalid image pull policy: Odd",
            ),
        ] {
            shell.refuses(&[(line, &format!("{why}{help}"))]);
        }
        shell.refuses(&[
            ("run web", "required flag(s) \"image\" not set"),
            ("run web --image=", "--image is required"),
            ("run '' --image=nginx", "Parameter: name is required"),
            (
                "run web --image=nginx --port=x --labels=a --annotations=b",
                "invalid annotations format: b",
            ),
            (
                "run web --image=nginx --port=x --labels=a",
                "unexpected label spec: a",
            ),
            (
                "run web --image=nginx --cascade=odd",
                "invalid cascade value (odd). Must be \"background\", \"foreground\", or \"orphan\"",
            ),
            (
                "run web --image=nginx --port=x",
                "strconv.Atoi: parsing \"x\": invalid syntax",
            ),
            (
                "run web --image=nginx --port=99999999999999999999",
                "strconv.Atoi: parsing \"99999999999999999999\": value out of range",
            ),
            (
                "run web --image=A:b:c",
                "Invalid image name \"A:b:c\": invalid reference format",
            ),
        ]);
    }
}
