//! `ctl cluster fork`.

use std::path::PathBuf;
use std::process::ExitCode;

use clap::Args;

use super::Outcome;
use super::init::about;
use crate::cli::context::Context;
use crate::cli::error::CliError;
use crate::cli::options::AnswerArgs;
use crate::cli::state_dir::clusters_directory;

/// Copy the current cluster, with its history, into a new directory
///
/// Examples:
///   ctl cluster fork ./what-if     into a directory
///   ctl cluster fork what-if       under a name, in the user's data directory
#[derive(Args, Debug)]
#[command(verbatim_doc_comment)]
pub(crate) struct ForkArgs {
    /// A directory (with a / in it), or a name
    to: String,
    #[command(flatten)]
    answer: AnswerArgs,
}

pub(crate) fn run(args: &ForkArgs, context: &Context) -> Outcome {
    args.answer.check()?;
    let to = target(&args.to)?;
    let cluster = context.cluster()?.files().copy_to(&to, context.open()?)?;
    let revision = cluster.stored().revision()?;
    let sentence = format_args!("forked at revision {revision} into {}", to.display());
    args.answer
        .tell(context, sentence, &about(&cluster, "forked")?)?;
    Ok(ExitCode::SUCCESS)
}

fn target(to: &str) -> Result<PathBuf, CliError> {
    // As for a command in a shell: a word with a slash is a path, any other is a name.
    if to.contains('/') || to == "." {
        return Ok(to.into());
    }
    Ok(clusters_directory()?.join(to))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::testing::Shell;

    #[test]
    fn a_copy_goes_its_own_way() {
        let shell = Shell::new();
        let _ = shell.out("create configmap before");
        let out = shell.out("cluster fork @/copy");
        assert!(
            out.starts_with("forked at revision ") && out.ends_with(" into @/copy\n"),
            "{out}"
        );
        let _ = shell.out("create configmap after");
        let copy = "-o name --ignore-not-found --state=@/copy";
        assert_eq!(
            shell.out(&format!("get cm before {copy}")),
            "configmap/before\n"
        );
        assert_eq!(shell.out(&format!("get cm after {copy}")), "");
        shell.refuses(&[("cluster fork @/copy", "@/copy is not empty")]);
    }

    #[test]
    fn a_name_is_no_directory_of_here() {
        assert_eq!(target("./a").unwrap(), PathBuf::from("./a"));
        assert_eq!(target(".").unwrap(), PathBuf::from("."));
        assert!(target("a").unwrap().ends_with("clusters/a"));
    }
}
