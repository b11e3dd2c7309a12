//! `ctl edit`.

mod session;

use std::process::ExitCode;

use clap::Args;

use super::Outcome;
use crate::cli::context::Context;
use crate::cli::error::CliError;
use crate::cli::options::{
    DryRun, ManagerArgs, OutputArgs, RecordArgs, Teller, ValidateArgs, write_options,
};
use crate::cli::resource::{Builder, FileArgs};
use crate::cluster::Part;
pub(crate) use session::{Mode, Session};

/// Edit objects in your editor
///
/// Examples:
///   ctl edit deploy web
///   KUBE_EDITOR=nano ctl edit cm/settings -o json
#[derive(Args, Debug)]
#[command(verbatim_doc_comment)]
pub(crate) struct EditArgs {
    /// TYPE NAME or TYPE/NAME
    resources: Vec<String>,
    #[command(flatten)]
    files: FileArgs,
    /// Print the patch
    #[arg(long)]
    output_patch: bool,
    /// Use Windows line endings in the editor
    #[arg(long)]
    windows_line_endings: bool,
    /// Store the configuration in the annotation that apply uses
    #[arg(long)]
    save_config: bool,
    /// Subresource to edit: status
    #[arg(long, value_name = "NAME")]
    subresource: Option<String>,
    #[command(flatten)]
    validate: ValidateArgs,
    #[command(flatten)]
    manager: ManagerArgs,
    #[command(flatten)]
    record: RecordArgs,
    #[command(flatten)]
    output: OutputArgs,
}

pub(crate) fn run(args: &EditArgs, context: &Context) -> Outcome {
    let validation = args.validate.get()?;
    // `-o` selects the format of the edited file, so the report below has none.
    let asked = args.output.output.as_deref().unwrap_or("yaml");
    let cluster = context.api()?;
    let infos = Builder::new(context, Some(&cluster))?
        .files(&args.files)
        .words(&args.resources, true)
        .subresource(args.subresource.as_deref().unwrap_or_default())
        .latest()
        .find()?
        .all()?;
    if !["json", "yaml", "kyaml"].contains(&asked) {
        return Err(CliError::text(format!(
            "unable to match a printer suitable for the output format {asked:?}, allowed formats are: \
             json,kyaml,yaml"
        )));
    }
    if infos.is_empty() {
        return Err(CliError::text("edit cancelled, no objects found"));
    }
    let manager = args.manager.get("kubectl-edit");
    let session = Session {
        context,
        cluster: &cluster,
        mode: match args.subresource.as_deref() {
            Some("status") => Mode::Part(Part::Status),
            Some("scale") => Mode::Part(Part::Scale),
            Some("resize") => Mode::Part(Part::Resize),
            _ => Mode::Objects,
        },
        json: asked == "json",
        output_patch: args.output_patch,
        save_config: args.save_config,
        windows: args.windows_line_endings,
        record: args.record.clone(),
        show_managed_fields: args.output.show_managed_fields,
        validate: validation == crate::cluster::FieldValidation::Strict,
        options: write_options(context, DryRun::None, manager, validation),
    };
    let mut teller = Teller::late(&args.output, DryRun::None, context).alone();
    session.run(infos, &mut teller)?;
    Ok(ExitCode::SUCCESS)
}

#[cfg(test)]
mod tests {
    use crate::cli::testing::Shell;

    #[test]
    fn invalid_edit_is_rejected_before_the_editor_starts() {
        let shell = Shell::new();
        shell.refuses(&[
            (
                "edit configmap none",
                "Error from server (NotFound): configmaps \"none\" not found",
            ),
            ("edit pods", "edit cancelled, no objects found"),
            (
                "edit ns default -o name",
                "unable to match a printer suitable for the output format \"name\", allowed formats are: json,kyaml,yaml",
            ),
            (
                "edit ns default --validate=odd",
                "invalid - validate option \"odd\"; must be one of: strict (or true), warn, ignore (or false)",
            ),
        ]);
        let none = shell.fails("edit");
        assert!(
            none.starts_with("error: You must provide one or more resources"),
            "{none}"
        );
    }
}
