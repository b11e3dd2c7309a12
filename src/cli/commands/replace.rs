//! `ctl replace`.

use std::process::ExitCode;
use std::slice;

use clap::Args;

use super::Outcome;
use super::recreate::{DeletionArgs, Recreate};
use crate::api::json::Value;
use crate::cli::api_path::{self, SubresourceTarget, check_raw};
use crate::cli::context::Context;
use crate::cli::error::CliError;
use crate::cli::options::{
    DryRun, DryRunArgs, ManagerArgs, OutputArgs, ResultPrinter, ValidateArgs, write_options,
};
use crate::cli::output::type_and_name;
use crate::cli::resource::{Builder, FileArgs, Info};
use crate::cluster::{Cluster, WriteOptions};
use crate::kinds::last_applied;

/// Replace objects with those in files, directories or standard input
///
/// Examples:
///   ctl replace -f web.yaml
///   ctl get cm web -o yaml | sed s/a/b/ | ctl replace -f -
///   ctl replace --force -f web.yaml    delete the objects and create them again
#[derive(Args, Debug)]
#[command(verbatim_doc_comment)]
pub(crate) struct ReplaceArgs {
    // kubectl's `replace` ignores positional arguments, which `create` and `apply` reject.
    #[arg(hide = true)]
    _words: Vec<String>,
    #[command(flatten)]
    files: FileArgs,
    /// Delete the objects and recreate them
    #[arg(long)]
    force: bool,
    #[command(flatten)]
    deletion: DeletionArgs,
    /// Store the configuration in the annotation that apply uses
    #[arg(long)]
    save_config: bool,
    /// Subresource to replace: status
    #[arg(long, value_name = "NAME")]
    subresource: Option<String>,
    /// Send the file to this API path
    #[arg(long, value_name = "PATH")]
    raw: Option<String>,
    #[command(flatten)]
    dry_run: DryRunArgs,
    #[command(flatten)]
    validate: ValidateArgs,
    #[command(flatten)]
    manager: ManagerArgs,
    #[command(flatten)]
    output: OutputArgs,
}

pub(crate) fn run(args: &ReplaceArgs, context: &Context) -> Outcome {
    // The order of these checks is kubectl's, with --raw as well.
    let validation = args.validate.get()?;
    let dry_run = args.dry_run.get(context)?;
    let mut printer = ResultPrinter::new(&args.output, dry_run, context)?;
    let _ = args.deletion.cascade.get()?;
    check(args, dry_run)?;
    if let Some(path) = args.raw.as_deref().filter(|p| !p.is_empty()) {
        return raw(args, path, context);
    }
    let cluster = match dry_run {
        // A client-side dry run needs no cluster, only the kinds.
        DryRun::Client => context.api_if_exists()?,
        _ => Some(context.api()?),
    };
    let found = Builder::new(context, cluster.as_ref())?
        .files(&args.files)
        .validated(validation)
        .find()?;
    let options = write_options(
        context,
        dry_run,
        args.manager.get("kubectl-replace"),
        validation,
    );
    let replace = Replace {
        args,
        context,
        options,
    };
    let annotated = |mut info: Info| {
        // The last-applied annotation of an object that `apply` manages must follow the replacement, or the next apply
        // would undo it.
        if args.save_config || last_applied::of(&info.object).is_some() {
            info.object = last_applied::annotated(&info.object);
        }
        info
    };
    let (found, mut unread) = found.readable();
    let items: Vec<_> = found
        .items
        .into_iter()
        .map(|item| item.map(annotated))
        .collect();
    let mut errors = Vec::new();
    let mut tell = |replaced: Result<Info, CliError>| match replaced {
        Ok(info) => printer.print_result(&info, "replaced"),
        Err(e) => {
            errors.push(e);
            Ok(())
        }
    };
    match cluster.as_ref().filter(|_| dry_run != DryRun::Client) {
        // A client-side dry run prints the objects from the files.
        None => items.into_iter().try_for_each(tell)?,
        // Nothing is deleted unless every file was read.
        Some(cluster) if args.force => {
            replace.forced(cluster, found_or(items, unread.take())?, &mut tell)?;
        }
        Some(cluster) => items
            .into_iter()
            .try_for_each(|item| tell(item.and_then(|info| replace.one(cluster, &info))))?,
    }
    errors.extend(unread);
    CliError::all(errors)?;
    Ok(ExitCode::SUCCESS)
}

/// Returns the objects, or all errors if there is any.
fn found_or(
    items: Vec<Result<Info, CliError>>,
    unread: Option<CliError>,
) -> Result<Vec<Info>, CliError> {
    let (found, errors): (Vec<_>, Vec<_>) = items.into_iter().partition(Result::is_ok);
    let errors = errors.into_iter().filter_map(Result::err);
    CliError::all(errors.chain(unread).collect())?;
    Ok(found.into_iter().flatten().collect())
}

fn raw(args: &ReplaceArgs, path: &str, context: &Context) -> Outcome {
    let [file] = args.files.filename.as_slice() else {
        let text = "--raw can only use a single local file or stdin";
        return Err(CliError::text(text));
    };
    let output = args.output.output.as_deref().is_some_and(|o| !o.is_empty());
    check_raw(path, &args.files, &[(output, "output")])?;
    let answer = api_path::raw(context, "PUT", path, Some(file))?;
    context.ui.out(&answer)?;
    Ok(ExitCode::SUCCESS)
}

fn check(args: &ReplaceArgs, dry_run: DryRun) -> Result<(), CliError> {
    let refuse = |text: &str| Err(CliError::text(text));
    if args.files.is_empty() {
        return refuse("must specify one of -f and -k");
    }
    if args.deletion.grace_period >= 0 && !args.force {
        return refuse("--grace-period must have --force specified");
    }
    if !args.deletion.timeout.is_zero() && !args.force {
        return refuse("--timeout must have --force specified");
    }
    if args.force && dry_run != DryRun::None {
        return refuse("--dry-run can not be used when --force is set");
    }
    Ok(())
}

/// Returns the object as kubectl sends it: with the live object's resourceVersion unless the file has one.
fn overwriting(cluster: &Cluster, info: &Info) -> Value {
    let mut object = info.object.clone();
    // kubectl overwrites the object regardless of its version; a version in the file makes the update conditional.
    let version = object["metadata"]["resourceVersion"].as_str();
    if version.is_none_or(str::is_empty)
        && let Ok(live) = cluster.get(&info.place(), &info.name)
    {
        object["metadata"]["resourceVersion"] = live["metadata"]["resourceVersion"].clone();
    }
    object
}

struct Replace<'a> {
    args: &'a ReplaceArgs,
    context: &'a Context,
    options: WriteOptions,
}

impl Replace<'_> {
    fn one(&self, cluster: &Cluster, info: &Info) -> Result<Info, CliError> {
        let (place, object) = (info.place(), overwriting(cluster, info));
        let answer = match self.args.subresource.as_deref().filter(|s| !s.is_empty()) {
            Some(subresource) => SubresourceTarget {
                context: self.context,
                cluster,
                place: &place,
                name: &info.name,
                subresource,
            }
            .replace(&object, &self.options),
            None => cluster
                .update(&place, &info.name, &object, &self.options)
                .map_err(CliError::from),
        };
        let doing = format!("error when replacing \"{}\": ", info.source);
        let answer = info.require_name().and(answer).map_err(|e| {
            // The server warns about a deprecated API version even if it rejects the request.
            if let Some(text) = crate::kinds::warnings::deprecation(info.kind) {
                self.context.ui.warn(text);
            }
            e.with_context(&doing)
        })?;
        self.context.ui.warn_of(&answer);
        Ok(info.with(answer.object))
    }

    /// Deletes and recreates the objects. All of them are deleted before the first one is created. An object whose
    /// replacement would be rejected is left alone.
    fn forced(
        &self,
        cluster: &Cluster,
        infos: Vec<Info>,
        tell: &mut dyn FnMut(Result<Info, CliError>) -> Result<(), CliError>,
    ) -> Result<(), CliError> {
        let recreate = Recreate {
            context: self.context,
            cluster,
            flags: &self.args.deletion,
            options: &self.options,
        };
        // kubectl names the file in an error of the deletion, but not in those of the reads and creations around it.
        let undeleted = |info: &Info, e: CliError| {
            let text = e.to_string();
            let others = [" cannot get resource ", " cannot create resource "];
            match others.iter().any(|other| text.contains(other)) {
                true => e,
                false => e.with_context(&format!("error when deleting \"{}\": ", info.source)),
            }
        };
        // A deletion needs a name, even if the server could generate one for the new object.
        for info in &infos {
            info.require_name().map_err(|e| undeleted(info, e))?;
        }
        // A dry run validates every new object first; kubectl would delete the old one and then fail.
        let checked = recreate.check(&infos).or_else(|e| {
            // The check stops at the first object that may not be deleted, but kubectl reports all of them.
            let one =
                |info: &Info| Some((info.clone(), recreate.check(slice::from_ref(info)).err()?));
            let refused: Vec<_> = infos.iter().filter_map(one).collect();
            let named = refused.into_iter().map(|(info, e)| undeleted(&info, e));
            CliError::all(named.collect()).and(Err(e))
        })?;
        let (mut gone, mut errors) = (Vec::new(), Vec::new());
        for (info, answer) in infos.iter().zip(&checked) {
            let deleted = match answer {
                Ok(_) => recreate.delete(info).map_err(|e| undeleted(info, e)),
                Err(_) => Ok(None),
            };
            let deleted = deleted.unwrap_or_else(|e| {
                errors.push(e);
                None
            });
            if deleted.is_some() {
                self.tell_deleted(info)?;
            }
            gone.push(deleted);
        }
        // Nothing is created unless every old object could be deleted.
        CliError::all(errors)?;
        let going: Vec<_> = gone.iter().flatten().map(|(_, going)| going).collect();
        // A name is free only once the old object is gone, which its finalizers may delay.
        recreate.wait(going.into_iter())?;
        for ((info, answer), gone) in infos.iter().zip(checked).zip(gone) {
            let old = gone.as_ref().map(|(old, _)| old);
            let created = answer
                .map_err(CliError::from)
                .and_then(|_| recreate.create(info, old));
            tell(created.map(|answer| {
                self.context.ui.warn_of(&answer);
                info.with(answer.object)
            }))?;
        }
        Ok(())
    }

    fn tell_deleted(&self, info: &Info) -> Result<(), CliError> {
        let shown = type_and_name(info.kind, &info.name);
        if self.args.output.output.as_deref() == Some("name") {
            return self.context.ui.line(shown);
        }
        let (kind, name) = shown.split_once('/').unwrap_or_default();
        let namespace = match info.namespace.as_str() {
            "" => String::new(),
            namespace => format!(" from {namespace} namespace"),
        };
        let text = format_args!("{kind} \"{name}\" deleted{namespace}");
        self.context.ui.line(text)
    }
}

#[cfg(test)]
mod tests {
    use crate::api::json::{Value, json};
    use crate::cli::testing::Shell;

    fn shell() -> Shell {
        let shell = Shell::new();
        let map = |value: &str| {
            format!("apiVersion: v1\nkind: ConfigMap\nmetadata: {{name: c}}\ndata: {{{value}}}\n")
        };
        shell.write("one.yaml", map("a: b"));
        shell.write("two.yaml", map("c: d"));
        let _ = shell.out("create -f @/one.yaml");
        shell
    }

    #[test]
    fn a_subresource_is_replaced_at_any_version() {
        let shell = Shell::new();
        let api = "apiVersion: apiregistration.k8s.io/v1\nkind: APIService\nmetadata: {name: v1.b.com}\n\
            spec: {group: b.com, version: v1, groupPriorityMinimum: 100, versionPriority: 100}\n";
        shell.write("api.yaml", api);
        let _ = shell.out("create -f @/api.yaml");
        assert_eq!(
            shell.out("replace -f @/api.yaml --subresource=status"),
            "apiservice.apiregistration.k8s.io/v1.b.com replaced\n"
        );
    }

    #[test]
    fn replace_overwrites_the_object_and_keeps_its_uid() {
        let shell = shell();
        let uid = |shell: &Shell| shell.json("get cm c")["metadata"]["uid"].clone();
        let before = uid(&shell);
        assert_eq!(shell.out("replace -f @/two.yaml"), "configmap/c replaced\n");
        assert_eq!(shell.json("get cm c")["data"], json!({"c": "d"}));
        assert_eq!(uid(&shell), before);
        let out = shell.out("replace -f @/one.yaml --dry-run=server");
        assert_eq!(out, "configmap/c replaced (server dry run)\n");
        let out = shell.out("replace -f @/one.yaml --dry-run=client");
        assert_eq!(out, "configmap/c replaced (dry run)\n");
        assert_eq!(shell.json("get cm c")["data"], json!({"c": "d"}));
    }

    #[test]
    fn annotation_of_a_saved_object_has_its_creation_time() {
        let shell = shell();
        shell.write("saved.yaml", shell.out("get cm c -o yaml"));
        let _ = shell.out("replace --save-config -f @/saved.yaml");
        let live = shell.json("get cm c");
        let applied: Value =
            serde_json::from_str(crate::kinds::last_applied::of(&live).unwrap()).unwrap();
        let created = |object: &Value| object["metadata"]["creationTimestamp"].clone();
        assert!(created(&live).is_string());
        assert_eq!(created(&applied), created(&live));
    }

    #[test]
    fn replace_force_recreates_the_object_or_creates_it() {
        let shell = shell();
        let before = shell.json("get cm c")["metadata"]["uid"].clone();
        assert_eq!(
            shell.out("replace --force -f @/two.yaml"),
            "configmap \"c\" deleted from default namespace\nconfigmap/c replaced\n"
        );
        assert_ne!(shell.json("get cm c")["metadata"]["uid"], before);
        assert_eq!(
            shell.out("replace --force -f @/two.yaml -o name"),
            "configmap/c\nconfigmap/c\n"
        );
        let _ = shell.out("delete cm c");
        assert_eq!(
            shell.out("replace --force -f @/two.yaml"),
            "configmap/c replaced\n"
        );
    }

    #[test]
    fn replace_force_accepts_a_saved_object() {
        let shell = shell();
        let saved = shell.out("get cm c -o yaml");
        assert!(saved.contains("resourceVersion:"), "{saved}");
        shell.write("saved.yaml", &saved);
        assert_eq!(
            shell.out("replace --force -f @/saved.yaml"),
            "configmap \"c\" deleted from default namespace\nconfigmap/c replaced\n"
        );
        let _ = shell.out("delete cm c");
        assert_eq!(shell.out("create -f @/saved.yaml"), "configmap/c created\n");
        assert_eq!(shell.json("get cm c")["data"], json!({"a": "b"}));
    }

    #[test]
    fn replace_force_keeps_invalid_objects_and_replaces_the_rest() {
        let shell = shell();
        let _ = shell.out("create job j --image=nginx");
        let _ = shell.out("label job j kept=yes");
        let map = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: c}\ndata: {c: d}\n";
        // The selector of the saved Job contains the uid of the old one.
        let job = shell.out("get job j -o yaml");
        shell.write("both.yaml", format!("{job}---\n{map}"));
        let before = shell.json("get job j")["metadata"]["uid"].clone();
        for flags in ["", " --grace-period=3 --timeout=9s"] {
            let said = shell.run(&format!("replace --force -f @/both.yaml{flags}"));
            assert_eq!(
                (said.code, said.out.as_str()),
                (
                    1,
                    "configmap \"c\" deleted from default namespace\nconfigmap/c replaced\n"
                ),
            );
            assert!(
                said.err.starts_with("The Job \"j\" is invalid: "),
                "{said:?}"
            );
        }
        assert_eq!(shell.json("get job j")["metadata"]["uid"], before);
        assert_eq!(shell.json("get cm c")["data"], json!({"c": "d"}));
    }

    #[test]
    fn replace_force_validates_all_objects_together() {
        let shell = shell();
        let _ = shell.out("create ns n");
        let _ = shell.out("create service nodeport s --tcp=80 --node-port=30007");
        let both = "apiVersion: v1\nkind: Namespace\nmetadata: {name: m}\n---\n\
                    apiVersion: v1\nkind: ConfigMap\nmetadata: {name: c, namespace: m}\n";
        shell.write("both.yaml", both);
        assert_eq!(
            shell.out("replace --force -f @/both.yaml"),
            "namespace/m replaced\nconfigmap/c replaced\n"
        );
        // The new Service gets the old one's port and cluster IP, which are free again.
        shell.write("service.yaml", shell.out("get service s -o yaml"));
        assert_eq!(
            shell.out("replace --force -f @/service.yaml"),
            "service \"s\" deleted from default namespace\nservice/s replaced\n"
        );
    }

    #[test]
    fn a_deletion_that_is_refused_names_the_file() {
        let shell = shell();
        let _ = shell.out("create cm d");
        shell.all(&[
            "create clusterrole some --verb=get,list,create --resource=configmaps",
            "create clusterrolebinding some --clusterrole=some --user=ann",
        ]);
        shell.write(
            "d.yaml",
            "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: d}\n",
        );
        let why = |name: &str, file: &str| {
            format!(
                "Error from server (Forbidden): error when deleting \"@/{file}.yaml\": configmaps \"{name}\" is forbidden: \
                 User \"ann\" cannot delete resource \"configmaps\" in API group \"\" in the namespace \"default\""
            )
        };
        let said = shell.run("replace --force -f @/two.yaml -f @/d.yaml --as=ann");
        assert_eq!(
            said.err,
            format!("{}\n{}\n", why("c", "two"), why("d", "d"))
        );
        assert_eq!((said.out.as_str(), said.code), ("", 1));
    }

    #[test]
    fn replace_creates_missing_objects_of_create_on_update_kinds() {
        let shell = Shell::new();
        let bare =
            |kind: &str, more: &str| format!("apiVersion: {kind}\nmetadata: {{name: x}}\n{more}\n");
        for (kind, more, said) in [
            (
                "v1\nkind: Service",
                "spec: {ports: [{port: 80}]}",
                "service/x",
            ),
            ("v1\nkind: LimitRange", "spec: {limits: []}", "limitrange/x"),
            (
                "rbac.authorization.k8s.io/v1\nkind: Role",
                "rules: []",
                "role.rbac.authorization.k8s.io/x",
            ),
            (
                "coordination.k8s.io/v1\nkind: Lease",
                "spec: {holderIdentity: a}",
                "lease.coordination.k8s.io/x",
            ),
        ] {
            shell.write("x.yaml", bare(kind, more));
            assert_eq!(
                shell.out("replace -f @/x.yaml"),
                format!("{said} replaced\n")
            );
            assert_eq!(
                shell.out("replace -f @/x.yaml"),
                format!("{said} replaced\n")
            );
            let made = shell.json(&format!("get {said} --show-managed-fields"));
            assert_eq!(
                made["metadata"]["managedFields"][0]["manager"],
                "kubectl-replace"
            );
        }
        shell.write(
            "gone.yaml",
            "apiVersion: v1\nkind: Service\nmetadata: {name: gone, uid: u}\nspec: {ports: [{port: 80}]}\n",
        );
        shell.refuses(&[(
            "replace -f @/gone.yaml",
            "Error from server (Conflict): error when replacing \"@/gone.yaml\": Operation cannot be \
             fulfilled on services \"gone\": StorageError: invalid object, Code: 4, Key: \
             /registry/services/specs/default/gone, ResourceVersion: 0, AdditionalErrorMsg: Precondition \
             failed: UID in precondition: u, UID in object meta:",
        )]);
    }

    #[test]
    fn save_config_updates_the_last_applied_configuration() {
        let shell = shell();
        let kept = "get cm c -o jsonpath={.metadata.annotations}";
        let _ = shell.out("replace -f @/two.yaml");
        assert_eq!(shell.out(kept), "");
        let _ = shell.out("replace -f @/two.yaml --save-config");
        assert!(
            shell.out(kept).contains("\\\"c\\\":\\\"d\\\""),
            "{}",
            shell.out(kept)
        );
    }

    #[test]
    fn missing_or_outdated_object_is_rejected() {
        let shell = shell();
        shell.write(
            "nameless.yaml",
            "apiVersion: v1\nkind: ConfigMap\nmetadata: {generateName: c-}\n",
        );
        shell.write(
            "none.yaml",
            "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: none}\n",
        );
        shell.write(
            "old.yaml",
            "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: c, resourceVersion: \"1\"}\n",
        );
        shell.refuses(&[
            (
                "replace -f @/none.yaml",
                "Error from server (NotFound): error when replacing \"@/none.yaml\": configmaps \"none\" not found",
            ),
            (
                "replace -f @/old.yaml",
                "Error from server (Conflict): error when replacing \"@/old.yaml\": Operation cannot be \
                 fulfilled on configmaps \"c\": the object has been modified; please apply your changes to \
                 the latest version and try again",
            ),
            ("replace", "must specify one of -f and -k"),
            ("replace -f @/one.yaml --grace-period=3", "--grace-period must have --force specified"),
            ("replace -f @/one.yaml --timeout=3s", "--timeout must have --force specified"),
            ("replace --raw=/api --timeout=3s", "must specify one of -f and -k"),
            (
                "replace --raw=/api -f @/one.yaml -f @/one.yaml --grace-period=3",
                "--grace-period must have --force specified",
            ),
            (
                "replace --raw=/api -f @/one.yaml -f @/one.yaml --dry-run=odd",
                "Invalid dry-run value (odd). Must be \"none\", \"server\", or \"client\".",
            ),
            (
                "replace -f @/one.yaml --force --dry-run=server",
                "--dry-run can not be used when --force is set",
            ),
            (
                "replace --cascade=odd",
                "invalid cascade value (odd). Must be \"background\", \"foreground\", or \"orphan\"",
            ),
            ("replace word", "must specify one of -f and -k"),
            (
                "replace --force -f @/nameless.yaml",
                "error when deleting \"@/nameless.yaml\": resource name may not be empty",
            ),
        ]);
        assert_eq!(shell.run("replace -f @/old.yaml --exit-codes").code, 5);
    }
}
