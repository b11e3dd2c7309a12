//! `ctl exec`: runs commands in fake containers.

use std::process::ExitCode;

use clap::Args;

use super::pods::StreamArgs;
use super::{Outcome, pods};
use crate::cli::containers::{Admitted, Connect, Session, target};
use crate::cli::context::Context;
use crate::cli::error::CliError;
use crate::cli::flags::Span;
use crate::cli::resource::FileArgs;
use crate::kinds::tree::text;

/// Run a command in a container
///
/// Containers are simulated. A small shell runs the command with the container's variables and the files of its
/// volumes; the annotation ctl.dev/exec defines the output of other programs. An annotation of the Pod stores the
/// files that a command writes.
///
/// Examples:
///   ctl exec web-0 -- date
///   ctl exec deploy/web -c side -- sh -c 'echo hello'
#[derive(Args, Debug)]
#[command(verbatim_doc_comment)]
pub(crate) struct ExecArgs {
    /// POD or TYPE/NAME, and after -- the command
    words: Vec<String>,
    /// File that identifies the object
    #[arg(short, long, value_name = "FILE", value_delimiter = ',')]
    filename: Vec<String>,
    #[command(flatten)]
    stream: StreamArgs,
    /// Time to wait for a Pod to run
    #[arg(long, value_name = "TIME", default_value = "1m0s")]
    pod_running_timeout: Span,
}

pub(crate) fn run(args: &ExecArgs, context: &Context) -> Outcome {
    let dash = context.before_dash();
    let (words, command) = args.words.split_at(dash.unwrap_or(args.words.len()));
    // kubectl dropped the form without `--`, which cannot distinguish the command's flags from kubectl's own.
    if dash.is_none() && (words.len() > 1 || !words.is_empty() && !args.filename.is_empty()) {
        return Err(context.usage(
            "exec [POD] [COMMAND] is not supported anymore. Use exec [POD] -- [COMMAND] instead",
        ));
    }
    pods::check_timeout(args.pod_running_timeout).map_err(|e| context.usage(e))?;
    if words.is_empty() && args.filename.is_empty() {
        let text = "pod, type/name or --filename must be specified";
        return Err(CliError::text(text));
    }
    if command.is_empty() {
        let text = "you must specify at least one command for the container";
        return Err(CliError::text(text));
    }
    let cluster = context.api()?;
    let files = FileArgs {
        filename: args.filename.clone(),
        ..FileArgs::default()
    };
    // kubectl ignores all but the first word before `--`.
    let first: Vec<&str> = words.iter().take(1).map(String::as_str).collect();
    let object = pods::object(&first, &files, &cluster, context)?;
    let timeout = args.pod_running_timeout.duration();
    let pod = pods::pod_of(object, timeout, &cluster, context)?;
    if let Some(phase) = pods::ended(&pod.object) {
        return Err(CliError::text(format!(
            "cannot exec into a container in a completed pod; current phase is {phase}"
        )));
    }
    let wanted = args.stream.container.as_deref().unwrap_or_default();
    let container = pods::container(&pod.object, wanted, args.stream.quiet, context)?;
    let container = text(container, "name");
    let streams = args.stream.streams();
    let connect = Connect {
        streams,
        words: Some(command),
        container,
    };
    let Admitted {
        target,
        words,
        streams,
    } = target(&cluster, &pod.place(), &pod.name, connect)?;
    let mut session = Session::enter(&cluster, target, streams, context)?;
    // The command may run forever, so a signal ends it; nothing is written before that.
    if !session.has_keys() {
        context.exit_on_signal()?;
    }
    let code = session.run(&words)?;
    // The terminal is restored before the exit code is reported.
    drop(session);
    match u8::try_from(code) {
        Ok(0) => Ok(ExitCode::SUCCESS),
        code => {
            let code = code.unwrap_or(u8::MAX);
            let text = format!("command terminated with exit code {code}");
            Err(CliError::Coded(Box::new(CliError::Bare(text)), code))
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::cli::testing::Shell;

    #[test]
    fn exec_uses_environment_and_files_of_the_container() {
        let shell = Shell::seeded();
        shell.all(&["run web --image=i --env=COLOUR=blue", "settle"]);
        assert_eq!(shell.out("exec web -- hostname"), "web\n");
        let script = "exec web -- sh -c 'echo $COLOUR > /tmp/colour; cat /tmp/colour'";
        assert_eq!(shell.out(script), "blue\n");
        assert_eq!(shell.out("exec web -- cat /tmp/colour"), "blue\n");
        let failed = shell.run("exec web -- sh -c 'exit 3'");
        let said = (failed.code, failed.err.as_str());
        assert_eq!(said, (3, "command terminated with exit code 3\n"));
        let canned = "annotate pod web 'ctl.dev/exec=[{command: nginx -t, output: \"ok\\n\"}]'";
        let _ = shell.out(canned);
        assert_eq!(shell.out("exec web -- nginx -t"), "ok\n");
        let _ = shell.out("run late --image=i");
        let waits = shell.fails("exec late -- date");
        assert!(waits.contains("does not have a host assigned"), "{waits}");
    }

    #[test]
    fn exec_runs_the_command_that_a_policy_leaves() {
        let shell = Shell::seeded();
        shell.write(
            "nice.yaml",
            "apiVersion: admissionregistration.k8s.io/v1\nkind: MutatingAdmissionPolicy\nmetadata: {name: nice}\n\
             spec:\n  reinvocationPolicy: Never\n  matchConstraints:\n    resourceRules:\n    - {apiGroups: [''], \
             apiVersions: [v1], operations: [CONNECT], resources: [pods/exec]}\n  mutations:\n  - patchType: JSONPatch\n    \
             jsonPatch: {expression: \"[JSONPatch{op: 'add', path: '/command/1', value: 'policy'}]\"}\n---\n\
             apiVersion: admissionregistration.k8s.io/v1\nkind: MutatingAdmissionPolicyBinding\nmetadata: {name: nice}\n\
             spec: {policyName: nice}\n",
        );
        shell.all(&["run web --image=i", "settle", "create -f @/nice.yaml"]);
        assert_eq!(shell.out("exec web -- echo user"), "policy user\n");
    }

    #[test]
    fn exec_rejects_invalid_arguments_and_completed_pods() {
        let shell = Shell::seeded();
        shell.all(&["run web --image=i", "settle"]);
        let gone = "exec [POD] [COMMAND] is not supported anymore. Use exec [POD] -- [COMMAND] instead\n\
                    See 'kubectl exec -h' for help and examples";
        shell.refuses(&[
            ("exec", "pod, type/name or --filename must be specified"),
            (
                "exec web",
                "you must specify at least one command for the container",
            ),
            ("exec web date", gone),
            (
                "exec none -- date",
                "Error from server (NotFound): pods \"none\" not found",
            ),
            (
                "exec web -c other -- date",
                "container other is not valid for pod web out of: web",
            ),
        ]);
        let pods = ["a", "b"].map(|name| {
            format!(
                "apiVersion: v1\nkind: Pod\nmetadata: {{name: {name}}}\nspec: {{containers: [{{name: c, \
                 image: i}}]}}\n"
            )
        });
        shell.write("two.yaml", pods.join("---\n"));
        shell.all(&["create -f @/two.yaml"]);
        shell.refuses(&[(
            "exec -f @/two.yaml -- date",
            "cannot exec into multiple objects at a time",
        )]);
        let runs = shell.fails("exec deploy/none -- date");
        assert_eq!(
            runs,
            "Error from server (NotFound): deployments.apps \"none\" not found"
        );
        let none = shell.fails("exec web -- nginx -t");
        assert_eq!(
            none,
            "error: Internal error occurred: error executing command in container: failed to exec in \
             container: exec: \"nginx\": executable file not found in $PATH"
        );
        let _ = shell
            .out("patch pod web --subresource=status -p '{\"status\":{\"phase\":\"Succeeded\"}}'");
        shell.refuses(&[(
            "exec web -- date",
            "cannot exec into a container in a completed pod; current phase is Succeeded",
        )]);
    }
}
