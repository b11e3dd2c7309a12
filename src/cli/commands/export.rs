//! `ctl export`.

use std::fs::File;
use std::io::{self, BufWriter, Write as _};
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::Path;
use std::process::ExitCode;

use clap::Args;

use super::Outcome;
use crate::api::json::{Value, json};
use crate::cli::context::Context;
use crate::cli::error::CliError;
use crate::cli::options::StructuredOutputArgs;
use crate::cluster::{Cluster, Key, Open, Range};
use crate::kinds::{Kind, find_resource};

/// Write the cluster with its history into one file
///
/// The file contains all objects, every commit with its cause, the settings, the seed and the clock. `ctl import`
/// creates a cluster from it, for `ctl log`, `ctl why` and `--at`, and `ctl replay` plays its commits. It is a
/// gzipped tar archive and contains Secrets, but not the keys of the cluster's certificates and tokens.
///
/// Examples:
///   ctl export run.tgz
///   ctl export - | ssh host ctl import - --state ./run
#[derive(Args, Debug)]
#[command(verbatim_doc_comment)]
pub(crate) struct ExportArgs {
    /// File to write; - writes to standard output
    #[arg(value_name = "FILE")]
    to: String,
    /// Replace the file if it exists
    #[arg(long)]
    overwrite: bool,
    #[command(flatten)]
    answer: StructuredOutputArgs,
}

pub(crate) fn run(args: &ExportArgs, context: &Context) -> Outcome {
    args.answer.check()?;
    let mut cluster = context.open_as_administrator()?;
    cluster.act_as(context.user());
    let about = about(&cluster)?;
    let open = context.open()?;
    if args.to == "-" {
        cluster.files().export(io::stdout().lock(), &open)?;
        return Ok(ExitCode::SUCCESS);
    }
    write(args, &cluster, &open)?;
    let secrets = match about["secrets"].as_u64() {
        None | Some(0) => String::new(),
        Some(1) => ", including 1 Secret,".to_owned(),
        Some(n) => format!(", including {n} Secrets,"),
    };
    let sentence = format!(
        "exported {} objects{secrets} at revision {} to {}",
        about["objects"], about["revision"], args.to
    );
    args.answer.print(context, sentence, &about)?;
    Ok(ExitCode::SUCCESS)
}

/// Writes a new file next to the target and renames it, so that the target is never half an archive.
fn write(args: &ExportArgs, cluster: &Cluster, open: &Open) -> Result<(), CliError> {
    let to = Path::new(&args.to);
    let failed = |e: io::Error| CliError::text(format!("{}: {e}", args.to));
    if !args.overwrite && to.exists() {
        return Err(failed(io::Error::other("exists; --overwrite replaces it")));
    }
    let mut fresh = to.as_os_str().to_owned();
    fresh.push(format!(".{}", std::process::id()));
    let fresh = Path::new(&fresh);
    // Only the owner can read the file, because the archive holds Secrets.
    let file = File::options()
        .write(true)
        .create_new(true)
        .mode(0o600)
        .open(fresh);
    let mut file = BufWriter::new(file.map_err(failed)?);
    let written = cluster
        .files()
        .export(&mut file, open)
        .map_err(CliError::from)
        .and_then(|()| {
            // The file is synced before the rename, so that not even a crash leaves a partial archive under the name.
            file.flush().map_err(failed)?;
            file.get_ref().sync_all().map_err(failed)?;
            std::fs::rename(fresh, to).map_err(failed)
        });
    if written.is_err() {
        // The first error is the one to report; the partial file is useless.
        let _ = std::fs::remove_file(fresh);
    }
    written
}

fn about(cluster: &Cluster) -> Result<Value, CliError> {
    let stored = cluster.stored();
    let all = stored.list(&Range::all(), None)?;
    let is_secret =
        |key: &Key| find_resource("", "v1", key.resource()).is_some_and(Kind::is_confidential);
    let secrets = all.items.iter().filter(|s| is_secret(&s.key)).count();
    Ok(json!({"objects": all.items.len(), "secrets": secrets, "revision": all.revision}))
}

#[cfg(test)]
mod tests {
    use crate::cli::testing::Shell;

    #[test]
    fn imported_cluster_is_identical_and_evolves_identically() {
        let shell = Shell::empty();
        let _ = shell.out("cluster init --clock virtual --seed 7");
        let _ = shell.out("create deployment web --image=nginx --replicas=2");
        let _ = shell.out("settle");
        let _ = shell.out("create secret generic s --from-literal=a=b");
        let out = shell.out("export @/run.tgz");
        assert!(
            out.contains(" objects, including 1 Secret, at revision "),
            "{out}"
        );
        let said = shell.out("import @/run.tgz --state @/copy");
        assert!(said.starts_with("imported a cluster of "), "{said}");
        for line in ["get all,events,secrets -A -o yaml", "log -o json", "clock"] {
            assert_eq!(
                shell.out(line),
                shell.out(&format!("{line} --state @/copy")),
                "{line}"
            );
        }
        for line in ["scale deployment web --replicas=5", "settle"] {
            let _ = shell.out(line);
            let _ = shell.out(&format!("{line} --state @/copy"));
        }
        let line = "get all,events -A -o yaml";
        assert_eq!(
            shell.out(line),
            shell.out(&format!("{line} --state @/copy"))
        );
    }

    #[test]
    fn existing_files_and_directories_are_not_overwritten() {
        let shell = Shell::new();
        shell.write("taken", "mine");
        let _ = shell.out("create configmap c");
        shell.refuses(&[("export @/taken", "@/taken: exists; --overwrite replaces it")]);
        let _ = shell.out("export @/taken --overwrite");
        shell.refuses(&[("import @/taken", "@/taken: @/state is not empty")]);
        shell.write("broken", [0x1f, 0x8b, 8, 0, 1]);
        let told = shell.fails("import @/broken --state @/new");
        assert!(told.starts_with("error: @/broken: "), "{told}");
        assert!(!shell.path("new").join("cluster.yaml").exists());
    }
}
