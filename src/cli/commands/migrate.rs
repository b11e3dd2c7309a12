//! `ctl migrate`.

use std::process::ExitCode;

use clap::Args;

use super::Outcome;
use crate::api::json::json;
use crate::cli::context::Context;
use crate::cli::options::StructuredOutputArgs;

/// Migrate the cluster's directory to the format of this program
///
/// Example: ctl migrate
#[derive(Args, Debug)]
pub(crate) struct MigrateArgs {
    /// Rewrite the directory even if it has the current format
    #[arg(long)]
    rewrite: bool,
    #[command(flatten)]
    answer: StructuredOutputArgs,
}

pub(crate) fn run(args: &MigrateArgs, context: &Context) -> Outcome {
    args.answer.check()?;
    // `cluster()` rather than `api()`, which would first write the default objects of a new cluster.
    let (before, written) = context.cluster()?.configure().migrate(args.rewrite)?;
    let sentence = match written {
        false => format!("the directory has format {before}, the current one: nothing to do"),
        true => format!("the directory was migrated from format {before}"),
    };
    let data = json!({"format": before, "written": written});
    args.answer.print(context, sentence, &data)?;
    Ok(ExitCode::SUCCESS)
}

#[cfg(test)]
mod tests {
    use crate::cli::testing::Shell;

    #[test]
    fn migrate_rewrites_the_current_format_only_with_rewrite() {
        let shell = Shell::new();
        let _ = shell.out("create configmap mine");
        let format = shell.json("migrate")["format"].clone();
        assert_eq!(
            shell.out("migrate"),
            format!("the directory has format {format}, the current one: nothing to do\n")
        );
        let out = shell.out("migrate --rewrite");
        assert_eq!(
            out,
            format!("the directory was migrated from format {format}\n")
        );
        assert_eq!(shell.out("get cm mine -o name"), "configmap/mine\n");
        assert!(shell.out("fsck --history").ends_with("no problem\n"));
    }
}
