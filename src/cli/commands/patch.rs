//! `ctl patch`.

use std::process::ExitCode;

use clap::Args;

use super::Outcome;
use crate::api::go::{json_kind, quoted};
use crate::api::json::Value;
use crate::api::json_syntax;
use crate::api::patch::json::{self as json_patch, JsonPatchError};
use crate::api::patch::merge;
use crate::api::status::Status;
use crate::api::yaml::{self, Mode};
use crate::cli::api_path::{SubresourceTarget, check_subresource};
use crate::cli::context::Context;
use crate::cli::error::CliError;
use crate::cli::options::{
    DryRun, DryRunArgs, ManagerArgs, OutputArgs, RecordArgs, ResultPrinter, write_options,
};
use crate::cli::resource::{Builder, FileArgs, Info};
use crate::cluster::{ApiError, Cluster, FieldValidation, PatchType, WriteOptions};
use crate::kinds::Kind;
use crate::print::json::one_line;
use crate::sys::bounded;

/// Change fields of an object
///
/// Examples:
///   ctl patch deploy web -p '{"spec":{"replicas":3}}'
///   ctl patch deploy web --type=json -p '[{"op":"remove","path":"/spec/paused"}]'
///   ctl patch pod web-0 --subresource=status --type=merge -p '{"status":{"phase":"Succeeded"}}'
#[derive(Args, Debug)]
#[command(verbatim_doc_comment)]
pub(crate) struct PatchArgs {
    /// TYPE NAME or TYPE/NAME
    resources: Vec<String>,
    #[command(flatten)]
    files: FileArgs,
    /// Patch, in JSON or YAML
    #[arg(short, long, value_name = "PATCH")]
    patch: Option<String>,
    /// File with the patch
    #[arg(long, value_name = "FILE")]
    patch_file: Option<String>,
    /// Type of the patch: json, merge or strategic
    #[arg(long = "type", value_name = "TYPE", default_value = "strategic")]
    how: String,
    /// Subresource to patch: status or scale
    #[arg(long, value_name = "NAME")]
    subresource: Option<String>,
    /// Patch the object in the file without contacting the cluster
    #[arg(long)]
    local: bool,
    #[command(flatten)]
    dry_run: DryRunArgs,
    #[command(flatten)]
    manager: ManagerArgs,
    #[command(flatten)]
    record: RecordArgs,
    #[command(flatten)]
    output: OutputArgs,
}

pub(crate) fn run(args: &PatchArgs, context: &Context) -> Outcome {
    let dry_run = args.dry_run.get(context)?;
    let how = check(args, dry_run)?;
    let text = given(args)?;
    let converted = convert(&text)?;
    // kubectl loses the suffix "(dry run)" here, because it sets the name of the operation after it has added the
    // suffix.
    let mut printer = ResultPrinter::late(&args.output, DryRun::None, context).printer_per_object();
    let cluster = match args.local {
        true => None,
        false => Some(context.api()?),
    };
    let builder = Builder::new(context, cluster.as_ref())?
        .local(args.local)
        .files(&args.files)
        .words(&args.resources, false)
        .subresource(args.subresource.as_deref().unwrap_or_default());
    // kubectl reads the object before it patches it, so the user needs the right to read it, too.
    let found = builder.find()?;
    let sending = cluster.as_ref().filter(|_| dry_run != DryRun::Client);
    let request = PatchRequest {
        args,
        context,
        how,
        dry_run,
        options: write_options(
            context,
            dry_run,
            args.manager.get("kubectl-patch"),
            FieldValidation::Warn,
        ),
    };
    let mut errors = Vec::new();
    let mut count = 0;
    for item in found.in_turn() {
        let patched = item.and_then(|info| {
            // A syntax error in JSON is one of each object, because whoever applies the patch reports it.
            let patch = match &converted {
                Some(patch) => patch.clone(),
                None => request.decoded(&text, sending.is_some())?,
            };
            match sending {
                None => local(&info, how, &patch),
                Some(cluster) => request.send(cluster, &info, &patch, &mut printer),
            }
        });
        match patched {
            Err(e) => errors.push(e),
            Ok((info, changed)) => {
                count += 1;
                let done = if changed {
                    "patched"
                } else {
                    "patched (no change)"
                };
                printer.print_result_of_many(&info, done, &mut errors)?;
            }
        }
    }
    CliError::all(errors)?;
    match count {
        0 => Err(CliError::text("no objects passed to patch")),
        _ => Ok(ExitCode::SUCCESS),
    }
}

/// The settings of the requests.
struct PatchRequest<'a> {
    args: &'a PatchArgs,
    context: &'a Context,
    how: PatchType,
    dry_run: DryRun,
    options: WriteOptions,
}

impl PatchRequest<'_> {
    /// Decodes a patch in JSON.
    fn decoded(&self, text: &str, is_sent: bool) -> Result<Value, CliError> {
        match is_sent {
            true => sent(text, self.how, self.context),
            false => serde_json::from_str(text).map_err(|e| unreadable(self.how, &e)),
        }
    }

    /// Patches an object in the cluster. Returns the result, and true if it changed.
    fn send(
        &self,
        cluster: &Cluster,
        info: &Info,
        patch: &Value,
        printer: &mut ResultPrinter<'_>,
    ) -> Result<(Info, bool), CliError> {
        info.require_name()?;
        let (place, name) = (info.place(), info.name.as_str());
        if let Some(subresource) = subresource(self.args) {
            let below = SubresourceTarget {
                context: self.context,
                cluster,
                place: &place,
                name,
                subresource,
            };
            let answer = below.patch(self.how, patch, &self.options)?;
            printer.warn(&answer);
            let changed = info.object != answer.object;
            return Ok((info.with(answer.object), changed));
        }
        let status = self.args.subresource.as_deref() == Some("status");
        if status {
            check_subresource(info.kind, "status", name)?;
        }
        let answer = cluster
            .patch(&place, name, (self.how, patch), status, &self.options)
            .map_err(|e| unsupported(e, self.how, info.kind))?;
        printer.warn(&answer);
        // A dry run commits nothing, so `changed` is false even if the patch has an effect.
        let changed = match info.source.is_empty() {
            true => answer.changed || dry_run_changes(cluster, info, &answer.object, self.dry_run),
            // kubectl compares the response with the object in the file.
            false => info.object != answer.object,
        };
        // kubectl records the change cause in a second request, so that the user's patch is sent unchanged.
        let recorded = self
            .args
            .record
            .send(self.context, cluster, info, &self.options);
        Ok((info.with(recorded.unwrap_or(answer.object)), changed))
    }
}

/// Returns the text of the patch.
fn given(args: &PatchArgs) -> Result<String, CliError> {
    match (&args.patch, args.patch_file.as_deref()) {
        (_, Some(file)) if !file.is_empty() => bounded::read_text(file, bounded::CONTENT)
            .map_err(|e| CliError::unread(file, &e).with_context("unable to read patch file: ")),
        (text, _) => Ok(text.clone().unwrap_or_default()),
    }
}

/// Returns the subresource unless it is `status`, which is a part of the object.
fn subresource(args: &PatchArgs) -> Option<&str> {
    args.subresource
        .as_deref()
        .filter(|name| !["", "status"].contains(name))
}

fn check(args: &PatchArgs, dry_run: DryRun) -> Result<PatchType, CliError> {
    let refuse = |text: &str| Err(CliError::text(text));
    let given = |text: &Option<String>| text.as_deref().is_some_and(|t| !t.is_empty());
    match (given(&args.patch), given(&args.patch_file)) {
        (true, true) => return refuse("cannot specify --patch and --patch-file together"),
        (false, false) => {
            return refuse(
                "must specify --patch or --patch-file containing the contents of the patch",
            );
        }
        _ => {}
    }
    if args.local && !args.resources.is_empty() {
        return refuse("cannot specify --local and server resources");
    }
    if args.local && dry_run == DryRun::Server {
        return refuse(
            "cannot specify --local and --dry-run=server - did you mean --dry-run=client?",
        );
    }
    match args.how.to_lowercase().as_str() {
        "json" => Ok(PatchType::Json),
        "merge" => Ok(PatchType::Merge),
        // kubectl ignores an empty type.
        "" | "strategic" => Ok(PatchType::Strategic),
        _ => Err(CliError::text(format!(
            "--type must be one of [json merge strategic], not {}",
            quoted(&args.how)
        ))),
    }
}

/// Converts a patch from YAML. Returns nothing for JSON, which kubectl passes on as it is.
fn convert(text: &str) -> Result<Option<Value>, CliError> {
    if text.trim_start().starts_with('{') {
        return Ok(None);
    }
    // Only the first document counts, whatever follows it.
    let documents = yaml::parse(text.as_bytes(), Mode::Lenient).or_else(|e| {
        let (documents, _) = yaml::parse_until_error(text.as_bytes(), Mode::Lenient);
        match documents.is_empty() {
            true => Err(e),
            false => Ok(documents),
        }
    });
    let documents = documents.map_err(|e| {
        let why = e
            .message
            .trim_start_matches("error converting YAML to JSON: ");
        CliError::text(format!("unable to parse {}: {why}", quoted(text)))
    })?;
    let first = documents.into_iter().next();
    Ok(Some(
        first.map(|document| document.value).unwrap_or_default(),
    ))
}

/// Returns the error of a client for a patch with a syntax error.
pub(super) fn unreadable(how: PatchType, error: &serde_json::Error) -> CliError {
    CliError::text(match how {
        PatchType::Json => error.to_string(),
        PatchType::Merge => "Invalid JSON Patch".to_owned(),
        PatchType::Strategic => "invalid JSON document".to_owned(),
    })
}

/// Checks a patch that begins as JSON, with the server's messages. The text itself is sent unchanged.
fn sent(text: &str, how: PatchType, context: &Context) -> Result<Value, CliError> {
    let refuse = |why: String| match how {
        // kube-apiserver decodes strategic patches in a different place, which does not add this prefix.
        PatchType::Strategic => Status::bad_request(why),
        _ => Status::bad_request(format!("error decoding patch: {why}")),
    };
    let twice = json_syntax::check(text.as_bytes()).map_err(refuse)?;
    for path in twice {
        context
            .ui
            .warn(&format!("duplicate field {}", quoted(&path)));
    }
    Ok(serde_json::from_str(text).map_err(|e| refuse(e.to_string()))?)
}

/// Returns an object from a file with its patch applied, and true if it changed.
fn local(info: &Info, how: PatchType, patch: &Value) -> Result<(Info, bool), CliError> {
    let kind = info.kind;
    // Merge keys come from Go structs, which custom resources lack.
    if how == PatchType::Strategic && !kind.has_go_struct() {
        let (version, name) = (kind.api_version(), kind.kind);
        let slash = if kind.group.is_empty() { "/" } else { "" };
        return Err(CliError::text(format!(
            "strategic merge patch is not supported for {slash}{version}, Kind={name} locally, try --type merge"
        )));
    }
    let object = merged(kind, &info.object, how, patch)?;
    let changed = object != info.object;
    Ok((info.with(object), changed))
}

/// Applies a patch without a server, as kubectl does for `--local` and client-side dry runs: no types are checked, and
/// the errors are those of the libraries that kubectl calls.
pub(super) fn merged(
    kind: &Kind,
    object: &Value,
    how: PatchType,
    patch: &Value,
) -> Result<Value, CliError> {
    let mut new = object.clone();
    let unfit = |of: &str| {
        let name = json_kind(patch);
        CliError::text(format!(
            "json: cannot unmarshal {name} into Go value of type {of}"
        ))
    };
    match (how, patch) {
        (PatchType::Json, Value::Array(_)) => {
            json_patch::apply(&mut new, patch).map_err(|e| refused(&e))?;
        }
        (PatchType::Json, _) => return Err(unfit("jsonpatch.Patch")),
        (PatchType::Merge, Value::Object(_)) => merge::apply_request(&mut new, patch),
        // kubectl decodes the result as an object, which a list is not.
        (PatchType::Merge, Value::Array(_)) => return Err(unfit("unstructured.detector")),
        (PatchType::Merge, _) => return Err(CliError::text("Invalid JSON Patch")),
        (PatchType::Strategic, Value::Object(_)) => {
            let applied = how.apply(kind, object, patch);
            new = applied.map_err(|e| CliError::text(e.to_string()))?;
        }
        (PatchType::Strategic, _) => return Err(CliError::text("invalid JSON document")),
    }
    if new["kind"].as_str().is_none_or(str::is_empty) {
        let text = one_line(&new);
        return Err(CliError::text(format!(
            "Object 'Kind' is missing in '{text}'"
        )));
    }
    Ok(new)
}

/// Returns a client's error about a JSON patch; unlike a server, it includes the reason.
fn refused(error: &JsonPatchError) -> CliError {
    const NO_KEY: &str = "replace operation does not apply: doc is missing key: ";
    let text = match error {
        JsonPatchError::Rejected(step) => step.to_string(),
        // kubectl decodes into the library's type of an operation, the server into a type of its own.
        JsonPatchError::Decode(why) => why.replace("handlers.jsonPatchOp", "jsonpatch.Operation"),
        other => other.to_string(),
    };
    CliError::text(match text.strip_prefix(NO_KEY) {
        Some(field) => format!("Object to be patched is missing field ({field})"),
        None => text,
    })
}

/// Returns true if a dry run would have changed anything.
fn dry_run_changes(cluster: &Cluster, info: &Info, object: &Value, dry_run: DryRun) -> bool {
    dry_run != DryRun::None
        && cluster
            .get(&info.place(), &info.name)
            .is_ok_and(|live| live != *object)
}

/// Names the patch type if the kind does not accept it: custom resources reject strategic patches.
fn unsupported(error: ApiError, how: PatchType, kind: &Kind) -> CliError {
    if error.status().is_none_or(|s| s.code != 415) {
        return error.into();
    }
    let media = match how {
        PatchType::Json => "application/json-patch+json",
        PatchType::Merge => "application/merge-patch+json",
        PatchType::Strategic => "application/strategic-merge-patch+json",
    };
    CliError::text(format!(
        "{media} is not supported by {}, Kind={}: {error}",
        kind.api_version(),
        kind.kind
    ))
}

#[cfg(test)]
mod tests {
    use crate::api::json::json;
    use crate::cli::testing::Shell;

    fn shell() -> Shell {
        let shell = Shell::new();
        let _ = shell.out("create deployment web --image=nginx:1");
        shell
    }

    #[test]
    fn patch_supports_strategic_merge_and_json_types() {
        let shell = shell();
        let containers = |shell: &Shell| {
            shell.json("get deploy web")["spec"]["template"]["spec"]["containers"].clone()
        };
        let side = r#"{"spec":{"template":{"spec":{"containers":[{"name":"side","image":"s"}]}}}}"#;
        let out = shell.out(&format!("patch deployment web -p '{side}'"));
        assert_eq!(out, "deployment.apps/web patched\n");
        assert_eq!(containers(&shell).as_array().unwrap().len(), 2);
        assert_eq!(
            shell.out(&format!("patch deployment web -p '{side}'")),
            "deployment.apps/web patched (no change)\n"
        );
        let _ = shell.out(&format!("patch deployment/web --type=merge -p '{side}'"));
        assert_eq!(containers(&shell).as_array().unwrap().len(), 1);
        let steps =
            r#"[{"op":"replace","path":"/spec/template/spec/containers/0/image","value":"t"}]"#;
        let _ = shell.out(&format!("patch deployment web --type=JSON -p '{steps}'"));
        assert_eq!(containers(&shell)[0]["image"], "t");
        let _ = shell.out("patch deployment web --type= -p 'spec: {replicas: 3}'");
        assert_eq!(shell.json("get deploy web")["spec"]["replicas"], 3);
    }

    #[test]
    fn subresources_and_files_are_patched_too() {
        let shell = shell();
        let _ = shell.out("patch deployment web --subresource=scale --type=merge -p '{\"spec\":{\"replicas\":4}}'");
        assert_eq!(shell.json("get deploy web")["spec"]["replicas"], 4);
        let status = "{\"status\":{\"replicas\":4},\"spec\":{\"replicas\":9}}";
        let _ = shell.out(&format!(
            "patch deployment web --subresource=status --type=merge -p '{status}'"
        ));
        let web = shell.json("get deploy web");
        assert_eq!(
            (&web["spec"]["replicas"], &web["status"]["replicas"]),
            (&json!(4), &json!(4))
        );
        shell.write(
            "cm.yaml",
            "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: c}\n",
        );
        shell.write("patch.yaml", "data: {a: b}\n");
        let made = shell.json("patch -f @/cm.yaml --patch-file=@/patch.yaml --local");
        assert_eq!(made["data"], json!({"a": "b"}));
        assert_eq!(shell.out("get cm c --ignore-not-found"), "");
    }

    #[test]
    fn a_patch_needs_the_right_to_read_the_object() {
        let shell = shell();
        let said = shell.fails("patch deploy web -p {} --as=bob");
        assert!(
            said.contains("User \"bob\" cannot get resource \"deployments\""),
            "{said}"
        );
    }

    #[test]
    fn an_invalid_format_is_an_error_of_each_changed_object() {
        let shell = shell();
        shell.all(&[
            "create cm a",
            "create cm b",
            "create deployment other --image=i",
        ]);
        for (line, changed) in [
            (
                "patch cm a b -p '{\"data\":{\"x\":\"y\"}}'",
                "get cm b -o jsonpath={.data}",
            ),
            (
                "label cm a b x=y",
                "get cm b -o jsonpath={.metadata.labels}",
            ),
            (
                "rollout pause deploy/web deploy/other",
                "get deploy other -o jsonpath={.spec.paused}",
            ),
        ] {
            let said = shell.fails(&format!("{line} -o wide"));
            let why = "unable to match a printer suitable for the output format \"wide\"";
            assert!(said.starts_with(why), "{said}");
            assert_eq!(said.lines().count(), 2, "{said}");
            assert!(!shell.out(changed).is_empty(), "{line}");
        }
    }

    #[test]
    fn patches_that_are_not_sent_have_the_errors_of_the_client() {
        let shell = shell();
        shell.all(&["create cm a --from-literal=x=y"]);
        for (how, patch, why) in [
            (
                "json",
                "[{\"op\":\"remove\",\"path\":\"/data/z\"}]",
                "error in remove for path: '/data/z': Unable to remove nonexistent key: z: missing value",
            ),
            (
                "json",
                "[{\"op\":\"test\",\"path\":\"/data/x\",\"value\":\"q\"}]",
                "testing value /data/x failed: test failed",
            ),
            (
                "json",
                "{\"a\":1}",
                "json: cannot unmarshal object into Go value of type jsonpatch.Patch",
            ),
            (
                "merge",
                "[1]",
                "json: cannot unmarshal array into Go value of type unstructured.detector",
            ),
            ("merge", "5", "Invalid JSON Patch"),
            ("merge", "{\"", "Invalid JSON Patch"),
            ("strategic", "5", "invalid JSON document"),
            (
                "strategic",
                "{\"$patch\":\"delete\"}",
                "Object 'Kind' is missing in '{}'",
            ),
            (
                "strategic",
                "{\"data\":{\"$patch\":\"foo\"}}",
                "unknown patch type: foo in map: map[$patch:foo]",
            ),
            (
                "strategic",
                "a: [",
                "unable to parse \"a: [\": yaml: line 1: did not find expected node content",
            ),
        ] {
            let said = shell.fails(&format!(
                "patch cm a --dry-run=client --type={how} -p '{patch}'"
            ));
            assert_eq!(said, format!("error: {why}"));
        }
        // Types are not checked.
        let patched = shell.json("patch cm a --dry-run=client -p '{\"data\":{\"x\":5},\"odd\":1}'");
        assert_eq!(
            (&patched["data"]["x"], &patched["odd"]),
            (&json!(5), &json!(1))
        );
    }

    #[test]
    fn dry_run_prints_the_result_and_changes_nothing() {
        let shell = shell();
        let patch = "-p '{\"spec\":{\"replicas\":7}}'";
        let out = shell.out(&format!("patch deploy web {patch} --dry-run=client"));
        assert_eq!(out, "deployment.apps/web patched\n");
        let said = shell.run("patch deploy web --dry-run=client -p '{\"odd\":1}'");
        let done = ("deployment.apps/web patched\n", "");
        assert_eq!((said.out.as_str(), said.err.as_str()), done);
        let none = "patch deploy web -p '{\"spec\":{\"replicas\":1}}' --dry-run";
        for how in ["client", "server"] {
            let out = shell.out(&format!("{none}={how}"));
            assert_eq!(out, "deployment.apps/web patched (no change)\n");
        }
        let out = shell.out(&format!("patch deploy web {patch} --dry-run=server"));
        assert_eq!(out, "deployment.apps/web patched\n");
        let made = shell.json(&format!("patch deploy web {patch} --dry-run=server"));
        assert_eq!(made["spec"]["replicas"], 7);
        assert_eq!(shell.json("get deploy web")["spec"]["replicas"], 1);
    }

    #[test]
    fn a_subresource_is_read_before_it_is_patched() {
        let shell = shell();
        let patch = "patch deploy web --type=merge -p '{\"spec\":{\"replicas\":7}}'";
        let scale = shell.json(&format!("{patch} --subresource=scale --dry-run=client"));
        assert_eq!(
            (&scale["kind"], &scale["spec"]["replicas"]),
            (&json!("Scale"), &json!(7))
        );
        shell.all(&[
            "create clusterrole up --verb=patch --resource=deployments.apps,deployments.apps/status,deployments.apps/scale",
            "create clusterrolebinding up --clusterrole=up --user=up",
        ]);
        for part in ["status", "scale"] {
            let said = shell.fails(&format!("{patch} --subresource={part} --as=up"));
            let why = format!("User \"up\" cannot get resource \"deployments/{part}\"");
            assert!(said.contains(&why), "{said}");
        }
        assert_eq!(
            shell.fails(&format!("{patch} --subresource=scale -n nope")),
            "Error from server (NotFound): namespaces \"nope\" not found"
        );
    }

    #[test]
    fn invalid_patches_are_rejected() {
        let shell = shell();
        shell.write("p", "{}");
        let _ = shell.out("create configmap c");
        shell.refuses(&[
            (
                "patch deploy web -p {} --patch-file=@/p",
                "cannot specify --patch and --patch-file together",
            ),
            (
                "patch deploy web",
                "must specify --patch or --patch-file containing the contents of the patch",
            ),
            (
                "patch deploy web -p {} --local",
                "cannot specify --local and server resources",
            ),
            (
                "patch -f @/p -p {} --local --dry-run=server",
                "cannot specify --local and --dry-run=server - did you mean --dry-run=client?",
            ),
            (
                "patch deploy web -p {} --type=odd",
                "--type must be one of [json merge strategic], not \"odd\"",
            ),
            (
                "patch deploy web -p {} --subresource=odd",
                "Error from server (NotFound): the server could not find the requested resource",
            ),
            (
                "patch deploy web --patch-file=@/none",
                "unable to read patch file: open @/none: no such file or directory",
            ),
            (
                "patch odd x -p 'a: b: c'",
                "unable to parse \"a: b: c\": yaml: mapping values are not allowed in this context",
            ),
            (
                "patch deploy none -p {",
                "Error from server (NotFound): deployments.apps \"none\" not found",
            ),
            (
                "patch deploy none -p {}",
                "Error from server (NotFound): deployments.apps \"none\" not found",
            ),
        ]);
        assert_eq!(
            shell.out("patch configmap c -p 'data: {a: b}\n---\na: b: c'"),
            "configmap/c patched\n"
        );
        shell.all(&["create configmap d"]);
        let each = shell.fails("patch configmap c d -p { --dry-run=client");
        assert_eq!(each, "invalid JSON document\ninvalid JSON document");
        let wrong = shell
            .fails("patch deploy web --type=json -p '[{\"op\":\"remove\",\"path\":\"/nope\"}]'");
        assert!(
            wrong.contains("the server rejected our request due to an error in our request"),
            "{wrong}"
        );
    }
}
