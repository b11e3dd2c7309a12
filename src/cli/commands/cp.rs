//! `ctl cp`, up to the point at which a real container would be needed.

use clap::Args;

use super::{Outcome, pods};
use crate::cli::context::Context;
use crate::cli::error::CliError;
use crate::cluster::Place;
use crate::kinds;
use crate::kinds::tree::text;

/// Copy files from and to containers
///
/// Containers are simulated and have no files: the command resolves and checks its arguments
/// as kubectl does, then reports that it cannot copy.
///
/// Examples:
///   ctl cp notes.txt web-0:/tmp/notes.txt
///   ctl cp other/web-0:/var/log/app.log app.log -c side
#[derive(Args, Debug)]
#[command(verbatim_doc_comment)]
pub(crate) struct CpArgs {
    /// From and to: a path, or [NAMESPACE/]POD:PATH
    words: Vec<String>,
    /// Name of the container
    #[arg(short, long, value_name = "NAME")]
    container: Option<String>,
    /// Do not keep owners and permissions
    #[arg(long)]
    no_preserve: bool,
    /// Number of retries of an interrupted copy; negative for unlimited
    #[arg(long, value_name = "COUNT", default_value_t = 0)]
    retries: i64,
}

/// One end of a copy.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct End<'a> {
    namespace: &'a str,
    pod: &'a str,
    file: &'a str,
}

pub(crate) fn run(args: &CpArgs, context: &Context) -> Outcome {
    let [from, to] = args.words.as_slice() else {
        let text = "expected 'cp <file-spec-src> <file-spec-dest> [-c container]'.";
        return Err(context.usage(text));
    };
    let refuse = |text: &str| Err(CliError::text(text));
    let (from, to) = (end(from)?, end(to)?);
    let remote = match (from.pod, to.pod) {
        ("", "") => return refuse("one of src or dest must be a remote file specification"),
        ("", _) => to,
        (_, "") => from,
        _ => return refuse("one of src or dest must be a local file specification"),
    };
    if from.file.is_empty() || to.file.is_empty() {
        return refuse("filepath can not be empty");
    }
    // A missing local file is reported before any request, as in kubectl.
    if from.pod.is_empty() && !std::path::Path::new(from.file).exists() {
        let file = from.file;
        return Err(CliError::text(format!(
            "{file} doesn't exist in local filesystem"
        )));
    }
    let cluster = context.api()?;
    let namespace = match remote.namespace {
        "" => context.namespace()?,
        namespace => namespace.to_owned(),
    };
    let Some(kind) = kinds::find("", "v1", "Pod") else {
        return refuse("there are no pods");
    };
    let place = Place::new(kind, &namespace);
    let pod = cluster.get(&place, remote.pod)?;
    // `cp` runs `tar` through exec, so kubectl fails with the text of exec.
    if let Some(phase) = pods::ended(&pod) {
        return Err(CliError::text(format!(
            "cannot exec into a container in a completed pod; current phase is {phase}"
        )));
    }
    let wanted = args.container.as_deref().unwrap_or_default();
    let container = text(pods::container(&pod, wanted, false, context)?, "name");
    let target = cluster
        .subresources()
        .exec_target(&place, remote.pod, "exec", Some(container))?;
    Err(CliError::text(format!(
        "cannot copy {} pod/{} ({}): {}",
        if from.pod.is_empty() { "to" } else { "from" },
        remote.pod,
        target.container,
        pods::NOTHING_RUNS
    )))
}

/// Parses `file`, `pod:file` or `namespace/pod:file`.
fn end(text: &str) -> Result<End<'_>, CliError> {
    let refuse =
        || CliError::text("filespec must match the canonical format: [[namespace/]pod:]file/path");
    let Some((pod, file)) = text.split_once(':') else {
        return Ok(End {
            namespace: "",
            pod: "",
            file: text,
        });
    };
    let (namespace, pod) = match pod.split('/').collect::<Vec<_>>().as_slice() {
        // `:path` names no Pod, and kubectl does not read it as a local file either.
        [""] => return Err(refuse()),
        [pod] => ("", *pod),
        [namespace, pod] => (*namespace, *pod),
        _ => return Err(refuse()),
    };
    Ok(End {
        namespace,
        pod,
        file,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::testing::Shell;

    #[test]
    fn ends_are_paths_or_pods_with_paths() {
        let of = |namespace, pod, file| End {
            namespace,
            pod,
            file,
        };
        assert_eq!(end("a/b").unwrap(), of("", "", "a/b"));
        assert_eq!(end("p:/a").unwrap(), of("", "p", "/a"));
        assert_eq!(end("n/p:a:b").unwrap(), of("n", "p", "a:b"));
        for bad in [":a", "a/b/c:d"] {
            assert!(end(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn what_is_wrong_with_the_question_comes_before_that_nothing_runs() {
        let shell = Shell::seeded();
        shell.all(&["run web --image=i", "settle"]);
        shell.write("file", "");
        let expected = "expected 'cp <file-spec-src> <file-spec-dest> [-c container]'.\n\
                        See 'kubectl cp -h' for help and examples";
        shell.refuses(&[
            ("cp @/file", expected),
            ("cp a b c", expected),
            (
                "cp @/file @/other",
                "one of src or dest must be a remote file specification",
            ),
            (
                "cp web:/a web:/b",
                "one of src or dest must be a local file specification",
            ),
            (
                "cp @/none web:/a",
                "@/none doesn't exist in local filesystem",
            ),
            ("cp @/file web:", "filepath can not be empty"),
            (
                "cp @/file none:/a",
                "Error from server (NotFound): pods \"none\" not found",
            ),
            (
                "cp @/file kube-system/web:/a",
                "Error from server (NotFound): pods \"web\" not found",
            ),
        ]);
        let to = shell.fails("cp @/file default/web:/a");
        assert!(
            to.starts_with("error: cannot copy to pod/web (web): no process runs"),
            "{to}"
        );
        let from = shell.fails("cp web:/a @/other");
        assert!(
            from.starts_with("error: cannot copy from pod/web (web): "),
            "{from}"
        );
    }
}
