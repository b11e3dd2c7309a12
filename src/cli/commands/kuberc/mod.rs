//! `ctl kuberc`: manages aliases of commands and defaults of their flags.

mod set;
mod view;

use clap::{Args, Subcommand};

use super::Outcome;
use crate::api::json::Value;
use crate::api::yaml;
use crate::cli::context::Context;
use crate::cli::error::CliError;
use crate::cli::kuberc::{Place, place};
use crate::cli::output::write_private_file;

/// Show and change preferences: aliases of commands and defaults of flags
///
/// Examples:
///   ctl kuberc view
///   ctl kuberc set --section aliases --name getn --command get --prependarg nodes --option output=wide
///   ctl getn
#[derive(Args, Debug)]
#[command(verbatim_doc_comment)]
pub(crate) struct KubercArgs {
    #[command(subcommand)]
    command: KubercCommand,
}

#[derive(Debug, Subcommand)]
enum KubercCommand {
    Set(set::SetArgs),
    View(view::ViewArgs),
}

pub(crate) fn run(args: &KubercArgs, context: &Context) -> Outcome {
    match &args.command {
        KubercCommand::Set(args) => set::run(args, context),
        KubercCommand::View(args) => view::run(args, context),
    }
}

/// Returns the path of the preferences file.
fn file(context: &Context) -> Result<Place, CliError> {
    let flag = context.global.remote.kuberc.as_deref();
    place(flag)?
        .ok_or_else(|| CliError::text("KUBERC is disabled via KUBERC=off environment variable"))
}

/// Writes the preferences.
fn save(preferences: &Value, place: &Place) -> Result<(), CliError> {
    if let Some(folder) = place.file.parent().filter(|f| !f.as_os_str().is_empty()) {
        std::fs::create_dir_all(folder)?;
    }
    let text = yaml::to_string(preferences);
    // The file is private, because a default may be a token.
    write_private_file(&place.file, &text)
        .map_err(|e| CliError::text(format!("failed to write kuberc file: {e}")))
}

#[cfg(test)]
mod tests {
    use crate::cli::testing::Shell;

    #[test]
    fn kuberc_without_a_subcommand_prints_help_and_fails() {
        let shell = Shell::empty();
        let said = shell.run("kuberc");
        assert_eq!((said.code, said.out.as_str()), (1, ""));
        assert!(
            said.err.contains("Available Commands:\n")
                && said.err.contains("kubectl kuberc SUBCOMMAND"),
            "{said:?}"
        );
        assert_eq!(shell.out("kuberc --help"), said.err);
        shell.refuses(&[(
            "kuberc odd",
            "unknown command \"odd\"\nSee 'kubectl kuberc -h' for help and examples",
        )]);
        assert!(!shell.state().exists());
    }
}
