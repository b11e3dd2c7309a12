//! `ctl edit`.

mod session;

use std::process::ExitCode;

use clap::Args;

use super::Outcome;
use crate::cli::context::Context;
use crate::cli::error::CliError;
use crate::cli::options::{
    DryRun, ManagerArgs, OutputArgs, RecordArgs, ResultPrinter, ValidateArgs, write_options,
};
use crate::cli::resource::{Builder, FileArgs};
use crate::cluster::Part;
pub(crate) use session::{EditFormat, Mode, Session};

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
    let cluster = context.api()?;
    let found = Builder::new(context, Some(&cluster))?
        .files(&args.files)
        .words(&args.resources, true)
        .subresource(args.subresource.as_deref().unwrap_or_default())
        .latest()
        .find()?;
    // As in kubectl, mistakes in the words come before this check, and missing objects after it.
    let validation = args.validate.get()?;
    let infos = found.all()?;
    // `-o` selects the format of the edited file, so it does not apply to the report below.
    let format = EditFormat::from_args(&args.output)?;
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
        format,
        output_patch: args.output_patch,
        save_config: args.save_config,
        windows: args.windows_line_endings,
        record: args.record.clone(),
        validate: validation != crate::cluster::FieldValidation::Ignore,
        options: write_options(context, DryRun::None, manager, validation),
    };
    let mut printer = ResultPrinter::late(&args.output, DryRun::None, context).printer_per_object();
    session.run(infos, &mut printer)?;
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
                "edit odd x --validate=odd",
                "the server doesn't have a resource type \"odd\"",
            ),
            (
                "edit ns default -o odd --validate=odd",
                "invalid - validate option \"odd\"; must be one of: strict (or true), warn, ignore (or false)",
            ),
        ]);
        let none = shell.fails("edit");
        assert!(
            none.starts_with("error: You must provide one or more resources"),
            "{none}"
        );
    }

    /// Runs an edit with a script as the editor.
    fn edited(shell: &Shell, script: &str, line: &str) -> (u8, String) {
        shell.write("edit.sh", script);
        let said = shell.run(line);
        let lines = said.err.lines().filter(|l| !l.starts_with("A copy of"));
        let lines: Vec<&str> = said.out.lines().chain(lines).collect();
        (said.code, lines.join("\n"))
    }

    #[test]
    fn an_edited_file_is_validated_first() {
        let shell = Shell::in_memory();
        shell.all(&["create configmap c --from-literal=a=b"]);
        let invalid = "error: configmaps \"c\" is invalid\nerror: Edit cancelled, no valid changes were saved.";
        for script in [
            ": > \"$1\"",
            "sed -i 's/.*//' \"$1\"",
            "sed -i 's/^kind:.*//' \"$1\"",
            "sed -i 's/a: b$/a: b: c/' \"$1\"",
        ] {
            let found = edited(&shell, script, "edit configmap c");
            assert_eq!(found, (1, invalid.to_owned()), "{script}");
        }
        let empty = edited(&shell, ": > \"$1\"", "edit configmap c --validate=false");
        assert_eq!(
            empty,
            (0, "Edit cancelled, saved file was empty.".to_owned())
        );
        let unread = edited(
            &shell,
            "sed -i 's/a: b$/a: b: c/' \"$1\"",
            "edit configmap c --validate=false",
        );
        assert_eq!(
            unread,
            (
                1,
                "error: Edit cancelled, no valid changes were saved.".to_owned()
            )
        );
    }

    #[test]
    fn an_edited_file_has_the_requested_format() {
        let shell = Shell::in_memory();
        shell.all(&["create configmap c --from-literal=a=b"]);
        for (format, line, was, is) in [
            ("kyaml", "  kind: \"ConfigMap\",", "b", "e"),
            ("json", "    \"kind\": \"ConfigMap\",", "e", "d"),
        ] {
            let script =
                format!("grep -qx '{line}' \"$1\" && sed -i 's/\"{was}\"/\"{is}\"/' \"$1\"");
            let found = edited(&shell, &script, &format!("edit configmap c -o {format}"));
            // The edited object is printed in the same format.
            assert_eq!(found.0, 0, "{format}");
            assert!(found.1.contains(&format!("\"{is}\"")), "{found:?}");
            assert!(found.1.contains(line), "{found:?}");
        }
        assert_eq!(shell.out("get cm c -o jsonpath={.data.a}"), "d");
        shell.write(
            "new.yaml",
            "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: n}\n",
        );
        shell.refuses(&[(
            "create --edit -f @/new.yaml -o name",
            "unable to match a printer suitable for the output format \"name\", allowed formats are: json,kyaml,yaml",
        )]);
    }

    #[test]
    fn an_edit_that_makes_no_patch_says_why() {
        let shell = Shell::in_memory();
        shell.all(&["create service clusterip s --tcp=80"]);
        for (script, why) in [
            (
                "s/port: 80/prt: 80/",
                "map: map[name:80 protocol:TCP prt:80 targetPort:80] does not contain declared merge key: port",
            ),
            (
                "s/name: s$/name: t/",
                "At least one of apiVersion, kind and name was changed",
            ),
        ] {
            let script = format!("sed -i '{script}' \"$1\"");
            let found = edited(&shell, &script, "edit service s");
            assert_eq!(found, (1, format!("error: {why}")), "{script}");
        }
    }

    #[test]
    fn an_edit_stays_in_its_namespace() {
        let shell = Shell::in_memory();
        shell.all(&[
            "create configmap c --from-literal=a=b",
            "create namespace other",
        ]);
        let moved = edited(
            &shell,
            "sed -i 's/namespace: default/namespace: other/' \"$1\"",
            "edit configmap c",
        );
        assert_eq!(
            moved,
            (
                1,
                "error: the namespace from the provided object \"other\" does not match the namespace \"default\". You \
                 must pass '--namespace=other' to perform this operation."
                    .to_owned()
            )
        );
        let script = "sed -i '/namespace: default/d; s/a: b$/a: c/' \"$1\"";
        let named = edited(&shell, script, "edit configmap c");
        assert_eq!(named, (0, "configmap/c edited".to_owned()));
    }

    #[test]
    fn an_edited_object_is_known_by_its_uid() {
        let shell = Shell::in_memory();
        shell.all(&["create configmap c --from-literal=a=b"]);
        let whole = "printf 'apiVersion: v1\\nkind: ConfigMap\\nmetadata: {name: c}\\n' > \"$1\"";
        let why = "error: no original object found for &unstructured.Unstructured{Object:map[string]interface {}\
                   {\"apiVersion\":\"v1\", \"kind\":\"ConfigMap\", \"metadata\":map[string]interface {}\
                   {\"name\":\"c\", \"namespace\":\"default\"}}}";
        let found = edited(&shell, whole, "edit configmap c");
        assert_eq!(found, (1, why.to_owned()));
        let other = "sed -i 's/uid: .*/uid: other/' \"$1\"";
        let found = edited(&shell, other, "edit configmap c");
        assert!(
            found.1.starts_with("error: no original object found for &"),
            "{found:?}"
        );
        assert_eq!(shell.out("get cm c -o jsonpath={.data.a}"), "b");
    }

    #[test]
    fn managed_fields_are_hidden_and_survive_an_edit() {
        let shell = Shell::in_memory();
        shell.all(&["create configmap c --from-literal=a=b"]);
        let live = shell.out("get configmap c -o yaml --show-managed-fields");
        shell.write("live.yaml", live);
        shell.all(&["replace -f @/live.yaml --save-config"]);
        // The configuration in the annotation lacks these fields, so they are added to it.
        let mut config = shell.json("get configmap c --show-managed-fields");
        config["metadata"]["annotations"] = crate::api::json::Value::Null;
        let config = crate::api::json::json!({"metadata": {"annotations": {
            crate::kinds::last_applied::LAST_APPLIED: config.to_string()}}});
        shell.write("patch.json", config.to_string());
        shell.all(&["patch configmap c --type=merge --patch-file=@/patch.json"]);
        for line in [
            "edit configmap c --show-managed-fields",
            "apply edit-last-applied configmap/c",
        ] {
            let script = "grep -q '^  managedFields' \"$1\" && echo shown; sed -i 's/^  a: b$/  a: c/' \"$1\"";
            let found = edited(&shell, script, line);
            assert_eq!(found, (0, "configmap/c edited".to_owned()), "{line}");
        }
        let after = shell.json("get configmap c --show-managed-fields");
        assert!(after["metadata"]["managedFields"].is_array(), "{after}");
        let text = crate::kinds::last_applied::of(&after).unwrap();
        assert!(text.contains("managedFields"), "{text}");
    }

    #[test]
    fn new_objects_are_edited_one_after_the_other() {
        let shell = Shell::in_memory();
        let map =
            |name: &str| format!("apiVersion: v1\nkind: ConfigMap\nmetadata: {{name: {name}}}\n");
        shell.write("two.yaml", map("one") + "---\n" + &map("two"));
        let made = edited(
            &shell,
            "sed -i 's/name: one/name: first/' \"$1\"",
            "create --edit -f @/two.yaml -l app=none",
        );
        let text = "configmap/first created\nEdit cancelled, no changes made.";
        assert_eq!(made, (0, text.to_owned()));
        shell.refuses(&[(
            "get configmap two",
            "Error from server (NotFound): configmaps \"two\" not found",
        )]);
    }
}
