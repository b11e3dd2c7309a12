//! `ctl kuberc view`.

use std::process::ExitCode;

use clap::Args;

use crate::api::json::json;
use crate::cli::commands::Outcome;
use crate::cli::context::Context;
use crate::cli::error::CliError;
use crate::cli::kuberc::{VERSION, read};
use crate::cli::options::{OutputArgs, write};
use crate::kinds::tree::list;
use crate::print::{Format, InOrder};
use crate::sys::bounded;

/// Show the preferences
///
/// Examples:
///   ctl kuberc view
///   ctl kuberc view -o json --kuberc ./kuberc
#[derive(Args, Debug)]
#[command(verbatim_doc_comment)]
pub(super) struct ViewArgs {
    #[command(flatten)]
    output: OutputArgs,
}

pub(super) fn run(args: &ViewArgs, context: &Context) -> Outcome {
    let place = super::file(context)?;
    let file = place.file.display();
    let found =
        read(&place).map_err(|why| CliError::text(format!("error parsing kuberc file: {why}")))?;
    let Some(mut preferences) = found else {
        let text = format!("kuberc file not found at {file}");
        // A file that the user named must exist. The default one is optional, and kubectl offers to create it.
        if place.named {
            return Err(CliError::text(text));
        }
        context.ui.line(text)?;
        context.ui.out(
            "Would you like to generate a default kuberc file with recommended options? (y/N): ",
        )?;
        let answer = bounded::stdin_line()?;
        if answer.trim().eq_ignore_ascii_case("y") {
            let option = |name: &str| json!([{"name": name, "default": "true"}]);
            let preferences = json!({
                "apiVersion": VERSION, "kind": "Preference", "defaults": [
                    {"command": "apply", "options": option("server-side")},
                    {"command": "delete", "options": option("interactive")},
                ],
            });
            super::save(&preferences, &place)?;
            context.ui.line(format_args!("Updated {file}"))?;
        }
        return Ok(ExitCode::SUCCESS);
    };
    for part in ["aliases", "defaults"] {
        // kubectl prints Go structs, which always have both lists.
        if list(&preferences, part).is_empty() {
            preferences[part] = json!([]);
        }
    }
    let mut output = args.output.clone();
    if output.is_human() {
        output.output = Some("yaml".to_owned());
    }
    let shown = InOrder(&preferences, ORDER);
    match output.format(false, false)? {
        Format::Printer(_) if output.output.as_deref() == Some("json") => {
            context.ui.out(&shown.to_json())?;
        }
        Format::Printer(_) if output.output.as_deref() == Some("kyaml") => {
            context.ui.out(&shown.to_kyaml())?;
        }
        Format::Printer(mut printer) => write(printer.print(&preferences), context)?,
        Format::Human | Format::Wide => {}
    }
    Ok(ExitCode::SUCCESS)
}

/// The fields in the order of kubectl's structs, which its JSON output keeps.
const ORDER: &[&str] = &[
    "kind",
    "apiVersion",
    "defaults",
    "aliases",
    "name",
    "command",
    "prependArgs",
    "appendArgs",
    "options",
    "default",
    "credentialPluginPolicy",
    "credentialPluginAllowlist",
];

#[cfg(test)]
mod tests {
    use crate::cli::testing::Shell;

    #[test]
    fn view_prints_empty_aliases_and_defaults() {
        let shell = Shell::empty();
        shell.write(
            "rc",
            "apiVersion: kubectl.config.k8s.io/v1beta1\nkind: Preference\n",
        );
        assert_eq!(
            shell.out("kuberc view --kuberc=@/rc"),
            "aliases: []\napiVersion: kubectl.config.k8s.io/v1beta1\ndefaults: []\nkind: Preference\n"
        );
        assert_eq!(
            shell.json("kuberc view --kuberc=@/rc")["kind"],
            "Preference"
        );
    }

    #[test]
    fn missing_or_invalid_kuberc_file_is_rejected() {
        let shell = Shell::empty();
        shell.write("odd", "apiVersion: v1\nkind: Pod\n");
        shell.refuses(&[(
            "kuberc view --kuberc=@/none",
            "kuberc file not found at @/none",
        )]);
        let odd = shell.fails("kuberc view --kuberc=@/odd");
        assert!(
            odd.starts_with("error: error parsing kuberc file: "),
            "{odd}"
        );
    }
}
