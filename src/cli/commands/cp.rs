//! `ctl cp`: copies files between this machine and fake containers.

use std::fs::{self, File};
use std::io::{self, Write as _};
use std::path::Path;
use std::process::ExitCode;

use clap::Args;

use super::{Outcome, pods};
use crate::cli::containers::{Connect, Session, Streams, target};
use crate::cli::context::Context;
use crate::cli::error::CliError;
use crate::cluster::Place;
use crate::kinds;
use crate::kinds::tree::text;
use crate::sys::bounded;

/// Copy files from and to containers
///
/// Containers are simulated: their files are those of their volumes and those that commands and copies have
/// written. An annotation of the Pod stores the copied files, up to 256 KiB.
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

/// One side of a copy.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct End<'a> {
    namespace: &'a str,
    pod: &'a str,
    file: &'a str,
}

pub(crate) fn run(args: &CpArgs, context: &Context) -> Outcome {
    let [from, to] = args.words.as_slice() else {
        return Err(CliError::text("source and destination are required"));
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
    // As in kubectl, a missing local file is reported before any request.
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
    // kubectl runs `tar` with `exec`, so it fails with the error of `exec`.
    if let Some(phase) = pods::ended(&pod) {
        return Err(CliError::text(format!(
            "cannot exec into a container in a completed pod; current phase is {phase}"
        )));
    }
    let wanted = args.container.as_deref().unwrap_or_default();
    // When kubectl copies from a container, everything but the file itself goes to standard output.
    let reads = from.pod == remote.pod && !from.pod.is_empty();
    let container = text(pods::container(&pod, wanted, reads, context)?, "name");
    if let Some(notice) = pods::default_container_notice(&pod, wanted).filter(|_| reads) {
        context.ui.line(notice)?;
    }
    // These are the commands that kubectl runs in the container.
    let words: &[&str] = match from.pod.is_empty() {
        true => &["tar", "-xmf", "-", "-C", remote.file],
        false => &["tar", "cf", "-", remote.file],
    };
    let words: Vec<String> = words.iter().map(|word| (*word).to_owned()).collect();
    let connect = Connect {
        streams: Streams::default(),
        words: Some(&words),
        container,
    };
    let target = target(&cluster, &place, remote.pod, connect)?.target;
    let mut session = Session::enter(&cluster, target, Streams::default(), context)?;
    if from.pod.is_empty() {
        let source = Path::new(from.file);
        // The name of the file if the target is a directory.
        let name = source.canonicalize().map_err(|e| unread(source, &e))?;
        let name = name.file_name().unwrap_or_default().to_string_lossy();
        let mut files = Vec::new();
        collect(source, "", &mut files)?;
        session.put(to.file, &name, files)?;
    } else {
        let Some(files) = session.files(from.file) else {
            // kubectl prints the errors of `tar` on its own standard output.
            let file = from.file;
            context
                .ui
                .line(format_args!("tar: {file}: No such file or directory"))?;
            // `exec` reports the exit code of `tar` with this text.
            let text = "command terminated with exit code 1".to_owned();
            return Err(CliError::Bare(text));
        };
        save(Path::new(to.file), files)
            .map_err(|e| CliError::unopened(to.file.trim_end_matches('/'), &e))?;
    }
    Ok(ExitCode::SUCCESS)
}

fn unread(path: &Path, error: &io::Error) -> CliError {
    CliError::unread(&path.display().to_string(), error)
}

/// Reads a file, or all files below a directory. Their names are relative to the first path.
fn collect(path: &Path, below: &str, files: &mut Vec<(String, Vec<u8>)>) -> Result<(), CliError> {
    let failed = |e: io::Error| unread(path, &e);
    if !path.metadata().map_err(failed)?.is_dir() {
        let content = bounded::read(path, bounded::CONTENT).map_err(failed)?;
        files.push((below.to_owned(), content));
        return Ok(());
    }
    let mut entries: Vec<_> = fs::read_dir(path)
        .and_then(Iterator::collect::<io::Result<_>>)
        .map_err(failed)?;
    // A directory lists its entries in any order.
    entries.sort_by_cached_key(fs::DirEntry::file_name);
    for entry in entries {
        // A link could lead back up, so links are skipped; kubectl leaves them to `tar`.
        if !entry.file_type().map_err(failed)?.is_symlink() {
            let name = entry.file_name();
            let below = format!("{below}/{}", name.to_string_lossy());
            collect(&entry.path(), &below, files)?;
        }
    }
    Ok(())
}

/// Writes the files of a container to a path, or below the path if they come from a directory.
fn save(place: &Path, files: Vec<(String, Vec<u8>)>) -> io::Result<()> {
    let is_file = matches!(files.as_slice(), [(below, _)] if below.is_empty());
    if !is_file {
        fs::create_dir_all(place)?;
    }
    for (below, content) in files {
        let path = match below.trim_start_matches('/') {
            // kubectl does not check if the path is a directory, and fails to open it as a file.
            "" => place.components().collect(),
            below => place.join(below),
        };
        if let Some(parent) = path.parent().filter(|p| !p.as_os_str().is_empty()) {
            fs::create_dir_all(parent)?;
        }
        File::create(path)?.write_all(&content)?;
    }
    Ok(())
}

/// Parses `FILE`, `POD:FILE` or `NAMESPACE/POD:FILE`.
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
        // `:path` names no Pod, but kubectl does not take it for a local file either.
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
    fn file_spec_is_a_path_or_pod_with_path() {
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
    fn cp_rejects_invalid_file_specs() {
        let shell = Shell::seeded();
        shell.all(&["run web --image=i", "settle"]);
        shell.write("file", "");
        let expected = "source and destination are required";
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
        let none = shell.run("cp web:/a @/other");
        assert_eq!(none.out, "tar: /a: No such file or directory\n");
        assert_eq!(none.err, "command terminated with exit code 1\n");
    }

    #[test]
    fn files_and_directories_are_copied_in_and_out() {
        let shell = Shell::seeded();
        shell.all(&["run web --image=i", "settle"]);
        shell.write("tree/a", "one");
        shell.write("tree/sub/b", "two");
        assert_eq!(shell.out("cp @/tree/a web:/data/a"), "");
        assert_eq!(shell.out("exec web -- cat /data/a"), "one");
        // A copy into an existing directory keeps its name.
        shell.all(&[
            "cp @/tree web:/data",
            "cp web:/data @/back",
            "cp web:/data/a @/back/new/sub",
        ]);
        let read = |name: &str| shell.out(&format!("exec web -- cat {name}"));
        assert_eq!(read("/data/tree/sub/b"), "two");
        for (path, content) in [("a", "one"), ("tree/sub/b", "two"), ("tree/a", "one")] {
            let found = fs::read_to_string(shell.path(&format!("back/{path}"))).unwrap();
            assert_eq!(found, content, "{path}");
        }
        let new = fs::read_to_string(shell.path("back/new/sub")).unwrap();
        assert_eq!(new, "one");
        shell.refuses(&[("cp web:/data/a @/back", "open @/back: is a directory")]);
        shell.write("large", "x".repeat(300 * 1024));
        let full = shell.fails("cp @/large web:/large");
        assert!(
            full.starts_with("error: no space left on device: "),
            "{full}"
        );
    }
}
