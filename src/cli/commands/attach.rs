//! `ctl attach`: attaches to the first process of a fake container.

use std::process::ExitCode;

use clap::Args;

use super::pods::StreamArgs;
use super::{Outcome, pods};
use crate::cli::containers::{Admitted, Connect, Session, target};
use crate::cli::context::Context;
use crate::cli::error::CliError;
use crate::cli::flags::Span;
use crate::cli::resource::FileArgs;
use crate::kinds::tree::{flag, text};

/// Attach to a running container
///
/// Containers are simulated. If the container began with a shell that reads its input, such as that of
/// `run -it`, attach opens the shell, and the container ends when the shell does. For any other
/// container, attach prints its output until it ends.
///
/// Examples:
///   ctl attach web-0
///   ctl attach deploy/web -c side -i
#[derive(Args, Debug)]
#[command(verbatim_doc_comment)]
pub(crate) struct AttachArgs {
    /// POD, TYPE/NAME or TYPE NAME
    words: Vec<String>,
    #[command(flatten)]
    stream: StreamArgs,
    /// Keys that detach from the container without stopping it
    #[arg(long, value_name = "KEYS", default_value = "ctrl-p,ctrl-q")]
    detach_keys: String,
    /// Time to wait for a Pod to run
    #[arg(long, value_name = "TIME", default_value = "1m0s")]
    pod_running_timeout: Span,
}

pub(crate) fn run(args: &AttachArgs, context: &Context) -> Outcome {
    let words: Vec<&str> = args.words.iter().map(String::as_str).collect();
    // This is the only check for which kubectl refers to the help.
    pods::check_timeout(args.pod_running_timeout).map_err(|e| context.usage(e))?;
    if words.is_empty() {
        let text = "at least 1 argument is required for attach";
        return Err(CliError::text(text));
    }
    if words.len() > 2 {
        return Err(CliError::text(format!(
            // kubectl prints the words as Go's `%v` prints a slice.
            "expected POD, TYPE/NAME, or TYPE NAME, (at most 2 arguments) saw {}: [{}]",
            words.len(),
            words.join(" ")
        )));
    }
    let cluster = context.api()?;
    let object = pods::object(&words, &FileArgs::default(), &cluster, context)?;
    let timeout = args.pod_running_timeout.duration();
    let pod = pods::pod_of(object, timeout, &cluster, context)?;
    // kubectl checks the phase first, so a completed Pod is reported even if the container's name is wrong.
    if let Some(phase) = pods::ended(&pod.object) {
        return Err(CliError::text(format!(
            "cannot attach a container in a completed pod; current phase is {phase}"
        )));
    }
    let wanted = args.stream.container.as_deref().unwrap_or_default();
    let container = pods::container(&pod.object, wanted, args.stream.quiet, context)
        .map_err(|e| e.with_context("cannot attach to the container: "))?;
    let name = text(container, "name");
    // kubectl prints this line itself, with the prefix twice, and continues without a terminal.
    let mut streams = args.stream.streams();
    if streams.tty && !flag(container, "tty") {
        streams.tty = false;
        if !args.stream.quiet {
            context.ui.note(&format!(
                "error: Unable to use a TTY - container {name} did not allocate one"
            ));
        }
    }
    pods::announce_session(args.stream.quiet, context);
    // The request is always sent, so that authorization and admission can reject it as in a real cluster.
    let connect = Connect {
        streams,
        words: None,
        container: name,
    };
    let Admitted {
        target, streams, ..
    } = target(&cluster, &pod.place(), &pod.name, connect)?;
    let mut session = Session::enter(&cluster, target, streams, context)?;
    // The container may run forever, so a signal ends the command.
    if !session.has_keys() {
        context.exit_on_signal()?;
    }
    session.attach()?;
    Ok(ExitCode::SUCCESS)
}

#[cfg(test)]
mod tests {
    use crate::cli::testing::Shell;

    #[test]
    fn attach_rejects_invalid_arguments_and_completed_pods() {
        let shell = Shell::seeded();
        shell.all(&["run web --image=i", "settle"]);
        shell.refuses(&[
            ("attach", "at least 1 argument is required for attach"),
            (
                "attach a b c",
                "expected POD, TYPE/NAME, or TYPE NAME, (at most 2 arguments) saw 3: [a b c]",
            ),
            (
                "attach --pod-running-timeout=0s",
                "--pod-running-timeout must be higher than zero\nSee 'kubectl attach -h' for help and examples",
            ),
            ("attach none", "Error from server (NotFound): pods \"none\" not found"),
            (
                "attach web -c other",
                "cannot attach to the container: container other is not valid for pod web out of: web",
            ),
        ]);
        let runs = shell.run("attach pod web -it --request-timeout=1ms");
        let err = "error: Unable to use a TTY - container web did not allocate one\nAll commands and output from this \
            session will be recorded in container logs, including credentials and sensitive information passed through \
            the command prompt.\nIf you don't see a command prompt, try pressing enter.\n";
        assert_eq!((runs.code, runs.err.as_str()), (0, err));
        let _ = shell
            .out("patch pod web --subresource=status -p '{\"status\":{\"phase\":\"Failed\"}}'");
        shell.refuses(&[(
            "attach web",
            "cannot attach a container in a completed pod; current phase is Failed",
        )]);
    }

    #[test]
    fn the_output_of_a_container_is_shown() {
        let shell = Shell::seeded();
        shell.all(&[
            "run web --image=i --annotations=ctl.dev/logs=here",
            "settle",
        ]);
        let said = shell.run("attach web --request-timeout=1ms");
        assert_eq!((said.code, said.out.as_str()), (0, "here\n"));
    }

    #[test]
    fn a_shell_ends_its_container() {
        let shell = Shell::seeded();
        let pod = "apiVersion: v1\nkind: Pod\nmetadata: {name: box}\nspec: {restartPolicy: Never, containers: \
                   [{name: c, image: busybox, stdin: true, stdinOnce: true}]}\n";
        shell.write("pod.yaml", pod);
        shell.all(&["create -f @/pod.yaml", "settle"]);
        // Without `-i` the shell's input is empty.
        assert_eq!(shell.out("attach box -q"), "");
        shell.all(&["settle"]);
        let phase = shell.out("get pod box -o jsonpath={.status.phase}");
        assert_eq!(phase, "Succeeded");
    }
}
