//! `ctl validate`.

use std::process::ExitCode;

use clap::Args;

use super::Outcome;
use crate::api::json::json;
use crate::cli::context::Context;
use crate::cli::error::CliError;
use crate::cli::options::{DryRun, OutputArgs, ResultPrinter};
use crate::cli::resource::{Builder, FileArgs, Info};
use crate::cluster::FieldValidation;
use crate::kinds::schema::{StoredFields, decode};
use crate::kinds::strategy::{self, WriteContext};
use crate::kinds::{shape, validate};

/// Validate manifests as the API server would, without a cluster
///
/// Reports unknown fields, wrong types and all other errors that the API server's validation finds. It uses the
/// CustomResourceDefinitions in the files. It skips checks that need a cluster, such as the existence of a
/// namespace, and reads and creates no state directory.
///
/// Examples:
///   ctl validate -f web.yaml
///   ctl validate -R -f manifests/
///   kustomize build . | ctl validate -f -
#[derive(Args, Debug)]
#[command(verbatim_doc_comment)]
pub(crate) struct ValidateArgs {
    #[arg(hide = true)]
    words: Vec<String>,
    #[command(flatten)]
    files: FileArgs,
    #[command(flatten)]
    output: OutputArgs,
}

pub(crate) fn run(args: &ValidateArgs, context: &Context) -> Outcome {
    if !args.words.is_empty() {
        return Err(context.unexpected(&args.words));
    }
    args.files.require()?;
    let mut printer = ResultPrinter::new(&args.output, DryRun::None, context)?;
    // No cluster is opened: the built-in kinds and those defined in the files suffice.
    let found = Builder::new(context, None)?
        .files(&args.files)
        .validated(FieldValidation::Strict)
        .with_own_definitions()
        .find()?;
    let (mut errors, mut count) = (Vec::new(), 0);
    for item in found.items {
        count += 1;
        match item.and_then(|info| checked(&info, context)) {
            Ok(info) => printer.print_result(&info, "valid")?,
            Err(e) => errors.push(e),
        }
    }
    CliError::all(errors)?;
    match count {
        0 => Err(CliError::text("no objects passed to validate")),
        _ => Ok(ExitCode::SUCCESS),
    }
}

/// Returns the object as the server would store it.
fn checked(info: &Info, context: &Context) -> Result<Info, CliError> {
    let refused = |status: crate::api::status::Status| {
        let doing = format!("error when validating \"{}\": ", info.source);
        CliError::from(status).with_context(&doing)
    };
    let kind = info.kind;
    let decoded = shape::read(kind, &info.object).map_err(refused)?;
    decode::strict(kind, &decoded.unknown).map_err(refused)?;
    for warning in decoded.warnings(kind) {
        context.ui.warn(&warning);
    }
    let mut object = decoded.object;
    // Validation requires both values. They are removed before printing.
    let (now, uid) = (
        "1970-01-01T00:00:00Z",
        "00000000-0000-0000-0000-000000000000",
    );
    let meta = &mut object["metadata"];
    let generated = meta["name"].is_null() && meta["generateName"].is_string();
    if generated {
        let prefix = meta["generateName"].as_str().unwrap_or_default();
        // The server validates the generated name, whose suffix has five characters.
        meta["name"] = json!(format!("{prefix}xxxxx"));
    }
    let write_context = WriteContext {
        now,
        uid,
        labeled: strategy::labeled(&info.object),
    };
    strategy::prepare_create(kind, &mut object, &write_context);
    object["metadata"]["uid"] = json!(uid);
    object["metadata"]["creationTimestamp"] = json!(now);
    shape::canonical(kind, &mut object, StoredFields::NOTHING);
    validate::refuse(kind, &object, validate::create(kind, &object)).map_err(refused)?;
    if let Some(meta) = object["metadata"].as_object_mut() {
        // Only a server sets these fields, so they are removed.
        meta.remove("uid");
        meta.remove("creationTimestamp");
        if generated {
            meta.remove("name");
        }
    }
    Ok(info.with(object))
}

#[cfg(test)]
mod tests {
    use crate::cli::testing::Shell;

    #[test]
    fn validate_prints_each_object_and_creates_no_cluster() {
        let shell = Shell::empty();
        shell.write(
            "all.yaml",
            "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: c, namespace: none}\n---\napiVersion: v1\nkind: \
             ConfigMap\nmetadata: {generateName: c-}\n",
        );
        let out = shell.out("validate -f @/all.yaml");
        assert!(out.starts_with("configmap/c valid\n"), "{out}");
        let made = shell.out("validate -f @/all.yaml -o jsonpath={.metadata}");
        assert!(!made.contains("uid") && !made.contains("xxxxx"), "{made}");
        assert!(!shell.state().exists());
    }

    #[test]
    fn validate_checks_custom_resources_against_crds_in_the_files() {
        let shell = Shell::empty();
        let boats = |sails: &str| {
            format!(
                "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata: {{name: boats.sea.io}}\n\
                 spec:\n  group: sea.io\n  scope: Namespaced\n  names: {{plural: boats, singular: boat, kind: Boat}}\n  \
                 versions:\n  - name: v1\n    served: true\n    storage: true\n    schema:\n      openAPIV3Schema:\n        \
                 type: object\n        properties: {{sails: {{type: integer}}}}\n---\n\
                 apiVersion: sea.io/v1\nkind: Boat\nmetadata: {{name: b}}\nsails: {sails}\n"
            )
        };
        shell.write("good.yaml", boats("2"));
        shell.write("bad.yaml", boats("many"));
        assert!(
            shell
                .out("validate -f @/good.yaml")
                .ends_with("boat.sea.io/b valid\n")
        );
        let bad = shell.fails("validate -f @/bad.yaml");
        assert!(bad.contains("sails"), "{bad}");
    }

    #[test]
    fn validate_reports_errors_for_each_object() {
        let shell = Shell::empty();
        shell.write(
            "bad.yaml",
            "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: A_b}\n---\napiVersion: v1\nkind: ConfigMap\n\
             metadata: {name: c}\n---\napiVersion: v1\nkind: Odd\nmetadata: {name: c}\n",
        );
        let said = shell.run("validate -f @/bad.yaml");
        assert_eq!((said.code, said.out.as_str()), (1, "configmap/c valid\n"));
        assert!(
            said.err.contains("metadata.name: Invalid value: \"A_b\"")
                && said.err.contains("\"Odd\""),
            "{said:?}"
        );
        shell.refuses(&[("validate", "must specify one of -f and -k")]);
    }
}
