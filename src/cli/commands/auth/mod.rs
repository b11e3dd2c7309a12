//! `ctl auth`: inspects the current user and its permissions.

mod can_i;
mod reconcile;
mod rules;
mod whoami;

use clap::{Args, Subcommand};

pub(crate) use reconcile::{publish_root_certificate, restore_defaults, restore_registrations};

use super::Outcome;
use crate::cli::context::Context;

/// Inspect and manage authorization
///
/// Examples:
///   ctl auth can-i create deployments
///   ctl auth whoami
#[derive(Args, Debug)]
#[command(verbatim_doc_comment)]
pub(crate) struct AuthArgs {
    #[command(subcommand)]
    command: AuthCommand,
}

#[derive(Debug, Subcommand)]
enum AuthCommand {
    CanI(can_i::CanIArgs),
    Reconcile(reconcile::ReconcileArgs),
    Whoami(whoami::WhoamiArgs),
}

pub(crate) fn run(args: &AuthArgs, context: &Context) -> Outcome {
    match &args.command {
        AuthCommand::CanI(args) => can_i::run(args, context),
        AuthCommand::Reconcile(args) => reconcile::run(args, context),
        AuthCommand::Whoami(args) => whoami::run(args, context),
    }
}

#[cfg(test)]
mod matrix;
#[cfg(test)]
mod tests {
    use crate::cli::testing::Shell;

    #[test]
    fn auth_without_a_subcommand_prints_help_and_fails() {
        let shell = Shell::empty();
        let said = shell.run("auth");
        assert_eq!((said.code, said.out.as_str()), (1, ""));
        assert!(
            said.err.contains("Available Commands:\n") && said.err.contains("kubectl auth [flags]"),
            "{said:?}"
        );
        assert_eq!(shell.out("auth --help"), said.err);
        shell.refuses(&[(
            "auth odd",
            "unknown command \"odd\"\nSee 'kubectl auth -h' for help and examples",
        )]);
        assert!(!shell.state().exists());
    }
}
