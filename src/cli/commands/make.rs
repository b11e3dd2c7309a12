//! Makes an object from flags, in the way that `create`, `run`, `expose` and `autoscale` share.

use clap::Args;

use super::patch::{merged, unreadable};
use crate::api::json::{Value, json};
use crate::cli::context::Context;
use crate::cli::error::CliError;
use crate::cli::options::{
    DryRun, DryRunArgs, ManagerArgs, OutputArgs, ResultPrinter, write_options,
};
use crate::cli::resource::Info;
use crate::cluster::{FieldValidation, PatchType};
use crate::kinds::schema::{StoredFields, decode};
use crate::kinds::{self, Kind, last_applied, shape};
use crate::print::go_order;

/// The flags of every command that makes an object.
#[derive(Args, Clone, Debug, Default)]
pub(super) struct MakeArgs {
    /// Store the configuration in the annotation that apply uses
    #[arg(long)]
    save_config: bool,
    #[command(flatten)]
    dry_run: DryRunArgs,
    #[command(flatten)]
    manager: ManagerArgs,
    #[command(flatten)]
    pub(super) output: OutputArgs,
}

impl MakeArgs {
    /// Returns the dry-run mode.
    pub(super) fn dry_run(&self, context: &Context) -> Result<DryRun, CliError> {
        self.dry_run.get(context)
    }

    /// Rejects invalid values of `--dry-run` and `-o`, as kubectl does before it makes an object.
    pub(super) fn check(&self) -> Result<(), CliError> {
        self.dry_run.check()?;
        self.output.format(false, false).map(|_| ())
    }

    /// Returns the flags without `--save-config`.
    pub(super) fn unsaved(&self) -> Self {
        Self {
            save_config: false,
            ..self.clone()
        }
    }

    /// Returns the printer that reports each created object.
    pub(super) fn printer<'a>(&self, context: &'a Context) -> Result<ResultPrinter<'a>, CliError> {
        ResultPrinter::typed(&self.output, self.dry_run(context)?, context)
    }

    /// Returns a printer that parses the format only when it reports the first object.
    pub(super) fn late_printer<'a>(
        &self,
        context: &'a Context,
    ) -> Result<ResultPrinter<'a>, CliError> {
        let dry_run = self.dry_run(context)?;
        let printer = ResultPrinter::late(&self.output, dry_run, context);
        Ok(printer.of_structs().printer_per_object())
    }

    /// Creates an object in the namespace of the command. `manager` is the default field manager. A client-side dry run
    /// only prints the object.
    pub(super) fn send(
        &self,
        mut object: Value,
        manager: &str,
        validation: FieldValidation,
        printer: &ResultPrinter<'_>,
        context: &Context,
    ) -> Result<Info, CliError> {
        let dry_run = printer.dry_run();
        let kind = kind_of(&object)?;
        let mut namespace = String::new();
        if kind.namespaced {
            namespace = context.namespace()?;
            // As in kubectl, the object names its namespace only if `-n` is given, so that `--dry-run=client -o yaml`
            // gives a manifest for any namespace.
            if context.explicit_namespace().is_some() {
                object["metadata"]["namespace"] = json!(namespace);
            }
        }
        // Unlike `create`, the other commands store nothing in a client-side dry run.
        if self.save_config && (dry_run != DryRun::Client || manager == "kubectl-create") {
            // kubectl generates objects as structs, so the annotation has the order of their fields.
            let text = go_order::one_line(&object) + "\n";
            object = last_applied::with_text(object, &text);
        }
        let name = object["metadata"]["name"].as_str().unwrap_or_default();
        let info = Info {
            kind,
            namespace,
            name: name.to_owned(),
            source: String::new(),
            object,
        };
        // A client-side dry run returns before a cluster is opened, because generating a manifest needs none.
        if dry_run == DryRun::Client {
            return Ok(info);
        }
        let options = write_options(context, dry_run, self.manager.get(manager), validation);
        let answer = context
            .api()?
            .create(&info.place(), &info.object, &options)?;
        printer.warn(&answer);
        Ok(info.with(answer.object))
    }
}

fn kind_of(object: &Value) -> Result<&'static Kind, CliError> {
    let text = |field: &str| object[field].as_str().unwrap_or_default();
    let (api_version, kind) = (text("apiVersion"), text("kind"));
    kinds::find_by_api_version(api_version, kind).ok_or_else(|| {
        CliError::text(if api_version.matches('/').count() > 1 {
            format!("unexpected GroupVersion string: {api_version}")
        } else {
            format!("no kind {kind:?} is registered for version {api_version:?} in scheme \"pkg/scheme/scheme.go:28\"")
        })
    })
}

/// `--overrides` and the type of their patch.
#[derive(Args, Clone, Debug, Default)]
pub(super) struct OverrideArgs {
    /// JSON that overrides fields of the generated object
    #[arg(long, value_name = "JSON")]
    overrides: Option<String>,
    /// Type of --overrides: json, merge or strategic
    #[arg(long, value_name = "HOW", default_value = "merge")]
    override_type: String,
}

impl OverrideArgs {
    /// Returns the object with the overrides applied. Fields that its kind lacks are dropped.
    pub(super) fn apply(&self, object: Value) -> Result<Value, CliError> {
        let text = self.overrides.as_deref().unwrap_or_default();
        if text.is_empty() {
            return Ok(object);
        }
        let how = match self.override_type.as_str() {
            "json" => PatchType::Json,
            "" | "merge" => PatchType::Merge,
            "strategic" => PatchType::Strategic,
            other => return Err(CliError::text(format!("invalid override type: {other}"))),
        };
        let patch = serde_json::from_str::<Value>(text).map_err(|e| unreadable(how, &e))?;
        // Merge keys come from the kind, so containers are merged by name rather than replaced.
        let new = merged(kind_of(&object)?, &object, how, &patch)?;
        typed(new)
    }
}

/// Returns an object as a program that knows its type would write it.
fn typed(mut object: Value) -> Result<Value, CliError> {
    let kind = kind_of(&object)?;
    decode::check(kind, &object, StoredFields::NOTHING).map_err(|status| {
        let message = status.message;
        // The server's message begins with a description of a request that was never sent.
        let why = message.split_once(": ").map(|(_, why)| why.to_owned());
        CliError::text(why.unwrap_or(message))
    })?;
    shape::canonical(kind, &mut object, StoredFields::NOTHING);
    Ok(object)
}

/// Parses labels in the form of a flag: `a=1,b=2`.
pub(super) fn labels(text: &str) -> Result<Value, CliError> {
    let mut labels = json!({});
    for spec in text.split(',') {
        match spec.split('=').collect::<Vec<_>>().as_slice() {
            ["", _] => return Err(CliError::text("unexpected empty label key")),
            [key, value] => labels[key] = json!(value),
            _ => return Err(CliError::text(format!("unexpected label spec: {spec}"))),
        }
    }
    Ok(labels)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn overridden(how: &str, overrides: &str) -> Result<Value, String> {
        let args = OverrideArgs {
            overrides: Some(overrides.to_owned()),
            override_type: how.to_owned(),
        };
        let pod = json!({
            "apiVersion": "v1", "kind": "Pod", "metadata": {"name": "p"},
            "spec": {"containers": [{"name": "p", "image": "i", "resources": {}}]}, "status": {},
        });
        let pod = args.apply(pod).map_err(|e| e.to_string())?;
        Ok(pod["spec"]["containers"].clone())
    }

    #[test]
    fn overrides_support_merge_strategic_and_json_patches() {
        let list = json!([{"name": "q", "resources": {}}]);
        let both = json!([
            {"name": "q", "resources": {}},
            {"name": "p", "image": "i", "resources": {}},
        ]);
        let image = json!([{"name": "p", "image": "j", "resources": {}}]);
        for (how, overrides, expected) in [
            (
                "merge",
                r#"{"spec":{"containers":[{"name":"q","odd":1}]}}"#,
                list,
            ),
            (
                "strategic",
                r#"{"spec":{"containers":[{"name":"q"}]}}"#,
                both,
            ),
            (
                "json",
                r#"[{"op":"replace","path":"/spec/containers/0/image","value":"j"}]"#,
                image,
            ),
        ] {
            assert_eq!(overridden(how, overrides), Ok(expected), "{how}");
        }
    }

    #[test]
    fn invalid_overrides_are_rejected() {
        for (how, overrides, error) in [
            ("merge", "{", "Invalid JSON Patch"),
            ("merge", "7", "Invalid JSON Patch"),
            ("magic", "{}", "invalid override type: magic"),
            (
                "merge",
                r#"{"kind":"Deployment"}"#,
                "no kind \"Deployment\" is registered for version \"v1\" in scheme \"pkg/scheme/scheme.go:28\"",
            ),
            (
                "merge",
                r#"{"apiVersion":"a/b/c"}"#,
                "unexpected GroupVersion string: a/b/c",
            ),
            (
                "merge",
                r#"{"kind":null,"spec":null,"status":null}"#,
                "Object 'Kind' is missing in '{\"apiVersion\":\"v1\",\"metadata\":{\"name\":\"p\"}}'",
            ),
        ] {
            assert_eq!(overridden(how, overrides), Err(error.to_owned()), "{how}");
        }
        let error = overridden("merge", r#"{"spec":{"containers":"x"}}"#).unwrap_err();
        assert!(
            error.starts_with("json: cannot unmarshal string"),
            "{error}"
        );
    }

    #[test]
    fn labels_are_pairs() {
        assert_eq!(labels("a=1,b=").unwrap(), json!({"a": "1", "b": ""}));
        let error = |text: &str| labels(text).unwrap_err().to_string();
        assert_eq!(error("a=1,b"), "unexpected label spec: b");
        assert_eq!(error("a=b=c"), "unexpected label spec: a=b=c");
        assert_eq!(error("=c"), "unexpected empty label key");
    }
}
