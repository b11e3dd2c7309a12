//! `ctl auth reconcile`.

use std::collections::{BTreeMap, BTreeSet};
use std::process::ExitCode;

use clap::Args;
use jiff::Timestamp;

use super::rules::{self, Operation, Reconciled};
use crate::api::json::{Value, json};
use crate::cli::commands::Outcome;
use crate::cli::context::Context;
use crate::cli::error::CliError;
use crate::cli::options::{DryRun, DryRunArgs, OutputArgs, ResultPrinter, write_options};
use crate::cli::resource::{Builder, FileArgs, Info, apart};
use crate::cluster::{
    ApiError, Cluster, Configuration, DeleteOptions, FieldValidation, ListOptions, Part, PatchType,
    Place, Registration, Request, Response, Verb, WriteOptions, custom_api_service, registrations,
};
use crate::kinds;
use crate::kinds::client::Grant;
use crate::kinds::moment;
use crate::kinds::tree::text;

/// Create or update roles and bindings from a file
///
/// Examples:
///   ctl auth reconcile -f rights.yaml
///   ctl auth reconcile -f rights.yaml --remove-extra-permissions --dry-run=client
#[derive(Args, Debug)]
#[command(verbatim_doc_comment)]
pub(super) struct ReconcileArgs {
    #[arg(hide = true)]
    words: Vec<String>,
    #[command(flatten)]
    files: FileArgs,
    /// Remove rules that the file does not contain
    #[arg(long)]
    remove_extra_permissions: bool,
    /// Remove subjects that the file does not contain
    #[arg(long)]
    remove_extra_subjects: bool,
    #[command(flatten)]
    dry_run: DryRunArgs,
    #[command(flatten)]
    output: OutputArgs,
}

pub(super) fn run(args: &ReconcileArgs, context: &Context) -> Outcome {
    if args.files.is_empty() {
        args.files.require()?;
    }
    if !args.words.is_empty() {
        return Err(CliError::text("no arguments are allowed"));
    }
    let what = "error accessing --dry-run flag for command reconcile: ";
    let dry_run = args
        .dry_run
        .get(context)
        .map_err(|e| e.with_context(what))?;
    if dry_run == DryRun::Server {
        let text = "--dry-run=server for command reconcile is not supported yet";
        return Err(CliError::text(text));
    }
    let cluster = context.api()?;
    let found = Builder::new(context, Some(&cluster))?
        .files(&args.files)
        // As in kubectl, the namespace of the context does not apply to a role without a namespace.
        .grants()
        .find()?;
    // As in kubectl, mistakes in the names of files come before an unknown format.
    let mut printer = ResultPrinter::typed(&args.output, dry_run, context)?;
    // kubectl reports manifests that it could not decode last.
    let (infos, undecoded) = apart(found.in_turn());
    let mut errors = Vec::new();
    for info in &infos {
        // kubectl skips objects of other kinds, so that a file with a whole application can be reconciled.
        let Some(grant) = info.kind.grants_by() else {
            let text = || format!("skipping {}", info.shown());
            context.ui.verbose(1, text);
            continue;
        };
        let remove = match grant {
            Grant::Rules => args.remove_extra_permissions,
            Grant::Subjects => args.remove_extra_subjects,
        };
        // kubectl's `auth reconcile` has no field manager of its own.
        let manager = "kubectl".to_owned();
        let options = write_options(context, DryRun::None, manager, FieldValidation::Warn);
        let options = (dry_run == DryRun::None).then_some(&options);
        match one(remove, &cluster, info, options, context) {
            Err(e) => errors.push(e),
            Ok(done) => {
                printer.print_result(&info.with(done.object.clone()), "reconciled")?;
                explain(args, &done, context);
            }
        }
    }
    errors.extend(undecoded);
    CliError::all(errors)?;
    Ok(ExitCode::SUCCESS)
}

/// Adds missing default roles and bindings, as an API server does when it starts.
pub(crate) fn restore_defaults(cluster: &Cluster, context: &Context) -> Result<(), CliError> {
    let manager = "kube-apiserver".to_owned();
    let options = write_options(context, DryRun::None, manager, FieldValidation::Ignore);
    let mut existing: BTreeMap<(&str, String, String), Value> = BTreeMap::new();
    let (mut listed, mut missing) = (BTreeSet::new(), Vec::new());
    for object in Configuration::default_roles() {
        let kind = kinds::find_by_api_version(text(&object, "apiVersion"), text(&object, "kind"));
        let Some(kind) = kind else { continue };
        // One list per kind: each start of the server reads 200 objects, and nearly always writes none.
        if listed.insert(kind.kind) {
            let all = cluster.list(&Place::new(kind, ""), &|_| true, None)?;
            let named = |object: Value| {
                let part = |name: &str| text(&object["metadata"], name).to_owned();
                ((kind.kind, part("namespace"), part("name")), object)
            };
            existing.extend(all.items.into_iter().map(named));
        }
        let info = Info::at(
            &Place::new(kind, text(&object["metadata"], "namespace")),
            object,
        );
        let key = (kind.kind, info.namespace.clone(), info.name.clone());
        let existing = existing.get(&key);
        let done = rules::reconcile(&info.object, existing, false);
        match existing {
            // A cluster that is served for the first time lacks most of them, so they are created in one commit.
            None => {
                let request = Request::create(info.place(), done.object);
                missing.push(request.with(options.clone()));
            }
            Some(_) if done.protected => {}
            Some(_) => drop(write(cluster, &info, &done, &options)?),
        }
    }
    send_missing(cluster, &missing)
}

/// Returns the APIServices of the definitions in the cluster, which had none before a server was started.
fn custom_registrations(cluster: &Cluster) -> Result<Vec<Registration>, CliError> {
    let kind = cluster.kind("customresourcedefinitions")?;
    let definitions = cluster.list(&Place::new(kind, ""), &|_| true, None)?.items;
    let mut made = BTreeMap::new();
    for definition in &definitions {
        let spec = &definition["spec"];
        let versions = spec["versions"].as_array().into_iter().flatten();
        for version in versions.filter(|version| version["served"] == true) {
            let object = custom_api_service(text(spec, "group"), text(version, "name"));
            // Several definitions of a group share the APIService of a version.
            made.insert(text(&object["metadata"], "name").to_owned(), object);
        }
    }
    let registered = made.into_values().map(|object| Registration {
        manager: "kube-apiserver",
        object,
    });
    Ok(registered.collect())
}

/// Creates the objects that describe the API server itself if they are missing, as an API server does when it starts.
pub(crate) fn restore_registrations(cluster: &Cluster, context: &Context) -> Result<(), CliError> {
    let mut existing: BTreeSet<(&str, String)> = BTreeSet::new();
    let (mut listed, mut missing) = (BTreeSet::new(), Vec::new());
    let mut all = registrations();
    all.extend(custom_registrations(cluster)?);
    for Registration { manager, object } in all {
        let kind = kinds::find_by_api_version(text(&object, "apiVersion"), text(&object, "kind"));
        let Some(kind) = kind else { continue };
        let place = Place::new(kind, "");
        // One list per kind instead of a read per object.
        if listed.insert(kind.kind) {
            let all = cluster.list(&place, &|_| true, None)?.items.into_iter();
            let name = |object: Value| text(&object["metadata"], "name").to_owned();
            existing.extend(all.map(|object| (kind.kind, name(object))));
        }
        let name = text(&object["metadata"], "name").to_owned();
        if existing.contains(&(kind.kind, name.clone())) {
            continue;
        }
        let options = |manager: &str| {
            let manager = manager.to_owned();
            write_options(context, DryRun::None, manager, FieldValidation::Ignore)
        };
        let state = state_of(&object, cluster.now()?);
        missing.push(Request::create(place.clone(), object).with(options(manager)));
        missing.extend(state.map(|config| {
            let (part, force) = (Part::Status, true);
            let verb = Verb::Apply {
                part,
                config,
                force,
            };
            let request = Request::new(place, &name, verb);
            // Flow control in kube-apiserver writes the status under this manager.
            request.with(options("api-priority-and-fairness-config-consumer-v1"))
        }));
    }
    send_missing(cluster, &missing)
}

/// Puts the certificate of the cluster's authority into the ConfigMaps that the programs in the cluster read, as the
/// publisher of a real cluster does, and creates the ConfigMaps of the API server itself. The certificate exists only
/// after the first start of a server.
pub(crate) fn publish_root_certificate(
    cluster: &Cluster,
    context: &Context,
    certificate: &str,
) -> Result<(), CliError> {
    const NAME: &str = "kube-root-ca.crt";
    let kind = cluster.kind("configmaps")?;
    let options = ListOptions {
        fields: format!("metadata.name={NAME}"),
        ..ListOptions::default()
    };
    let data = json!({"ca.crt": certificate});
    let maps = cluster.select(&Place::new(kind, ""), &options)?.items;
    // Only outdated maps are written, so most starts of a server commit nothing here.
    let outdated = maps.iter().filter(|map| map["data"] != data);
    let write = |map: &Value| {
        let verb = Verb::Patch {
            part: Part::Whole,
            how: PatchType::Merge,
            patch: json!({"data": data}),
        };
        let place = Place::new(kind, text(&map["metadata"], "namespace"));
        let manager = "kube-controller-manager".to_owned();
        let options = write_options(context, DryRun::None, manager, FieldValidation::Ignore);
        Request::new(place, NAME, verb).with(options)
    };
    let mut outdated: Vec<Request> = outdated.map(write).collect();
    outdated.extend(own_maps(cluster, context, certificate)?);
    send_missing(cluster, &outdated)
}

/// Returns the writes of the ConfigMaps in which an API server publishes the authority of its clients, and the day since
/// which it tracks tokens in Secrets.
fn own_maps(
    cluster: &Cluster,
    context: &Context,
    certificate: &str,
) -> Result<Vec<Request>, CliError> {
    let place = Place::new(cluster.kind("configmaps")?, "kube-system");
    let now = moment::text(cluster.now()?);
    let today = now.split('T').next().unwrap_or_default();
    let mut writes = Vec::new();
    for (name, key, value) in [
        (
            "extension-apiserver-authentication",
            "client-ca-file",
            certificate,
        ),
        (
            "kube-apiserver-legacy-service-account-token-tracking",
            "since",
            today,
        ),
    ] {
        // The first day stays.
        let is_current = |map: &Value| key == "since" || map["data"][key] == value;
        let data = json!({key: value});
        let verb = match cluster.get(&place, name).map_err(CliError::from) {
            Ok(map) if is_current(&map) => continue,
            Ok(_) => Verb::Patch {
                part: Part::Whole,
                how: PatchType::Merge,
                patch: json!({"data": data}),
            },
            Err(e) if e.is_not_found() => Verb::Create(json!({
                "apiVersion": "v1", "kind": "ConfigMap", "data": data,
                "metadata": {"name": name, "namespace": "kube-system"},
            })),
            Err(e) => return Err(e),
        };
        let manager = "kube-apiserver".to_owned();
        let options = write_options(context, DryRun::None, manager, FieldValidation::Ignore);
        writes.push(Request::new(place.clone(), name, verb).with(options));
    }
    Ok(writes)
}

/// Returns the status that the server's flow control reports for a FlowSchema whose priority level exists.
fn state_of(object: &Value, now: Timestamp) -> Option<Value> {
    let level = object["spec"]["priorityLevelConfiguration"]["name"].as_str()?;
    let message = format!(
        "This FlowSchema references the PriorityLevelConfiguration object named {level:?} and it exists"
    );
    Some(json!({
        "apiVersion": object["apiVersion"], "kind": object["kind"],
        "metadata": {"name": object["metadata"]["name"]},
        "status": {"conditions": [{
            "type": "Dangling", "status": "False", "reason": "Found", "message": message,
            "lastTransitionTime": moment::text(now),
        }]},
    }))
}

/// Creates missing objects, most of them in one commit.
fn send_missing(cluster: &Cluster, missing: &[Request]) -> Result<(), CliError> {
    for response in cluster.all(missing)? {
        // Another server may have created it a moment ago.
        let is_there = |e: &ApiError| e.status().is_some_and(|s| s.reason == "AlreadyExists");
        match response {
            Err(e) if is_there(&e) => {}
            response => drop(response?),
        }
    }
    Ok(())
}

/// Reconciles a role or a binding. Without options nothing is written.
fn one(
    remove: bool,
    cluster: &Cluster,
    info: &Info,
    options: Option<&WriteOptions>,
    context: &Context,
) -> Result<Reconciled, CliError> {
    let is_nowhere = info.kind.namespaced && info.namespace.is_empty();
    let read = || cluster.get(&info.place(), &info.name);
    let found = (!is_nowhere).then(|| read().map_err(CliError::from));
    let existing = match found {
        Some(Ok(object)) => Some(object),
        Some(Err(e)) if !e.is_not_found() => return Err(e),
        _ => None,
    };
    if is_nowhere && options.is_some() {
        // This is client-go's error about the namespace, which kubectl looks up before it creates the role.
        return Err(CliError::text("resource name may not be empty"));
    }
    let mut done = rules::reconcile(&info.object, existing.as_ref(), remove);
    // The annotation `rbac.authorization.kubernetes.io/autoupdate: "false"` lets an administrator opt a role out.
    let Some(options) = options.filter(|_| !done.protected) else {
        return Ok(done);
    };
    if let Some(answer) = write(cluster, info, &done, options)? {
        context.ui.warn_of(&answer);
        done.object = answer.object;
    }
    Ok(done)
}

fn write(
    cluster: &Cluster,
    info: &Info,
    done: &Reconciled,
    options: &WriteOptions,
) -> Result<Option<Response>, CliError> {
    let (place, name) = (info.place(), &info.name);
    Ok(match done.operation {
        Operation::Nothing => None,
        Operation::Create => {
            ensure_namespace(cluster, info, options)?;
            Some(cluster.create(&place, &done.object, options)?)
        }
        Operation::Update => Some(cluster.update(&place, name, &done.object, options)?),
        Operation::Recreate => {
            let delete = DeleteOptions {
                write: options.clone(),
                // The uid is a precondition, so that a binding created by another client in the meantime is not
                // deleted.
                uid: Some(done.replaces.clone()),
                ..DeleteOptions::default()
            };
            match cluster
                .delete(&place, name, &delete)
                .map_err(CliError::from)
            {
                // Another writer has deleted it, as the recreation would have done.
                Err(e) if !e.is_not_found() => return Err(e),
                _ => {}
            }
            let mut object = done.object.clone();
            if let Some(metadata) = object["metadata"].as_object_mut() {
                // The API server rejects a resourceVersion on creation, and assigns the uid itself.
                metadata.remove("resourceVersion");
                metadata.remove("uid");
            }
            Some(cluster.create(&place, &object, options)?)
        }
    })
}

/// Creates a role's namespace if it does not exist.
fn ensure_namespace(
    cluster: &Cluster,
    info: &Info,
    options: &WriteOptions,
) -> Result<(), CliError> {
    // A RoleBinding cannot exist without its namespace; kubectl creates the namespace for namespaced grants only.
    let Some(kind) = kinds::find("", "v1", "Namespace").filter(|_| info.kind.namespaced) else {
        return Ok(());
    };
    let place = Place::new(kind, "");
    match cluster.get(&place, &info.namespace).map_err(CliError::from) {
        Err(e) if e.is_not_found() => {
            let object = json!({"apiVersion": "v1", "kind": "Namespace",
                "metadata": {"name": info.namespace}});
            cluster.create(&place, &object, options)?;
            Ok(())
        }
        answer => answer.map(|_| ()),
    }
}

/// Reports the missing and extra parts on standard error.
fn explain(args: &ReconcileArgs, done: &Reconciled, context: &Context) {
    if done.operation == Operation::Nothing {
        return;
    }
    let caveat = match done.protected {
        true => ", but object opted out (rbac.authorization.kubernetes.io/autoupdate: false)",
        false => "",
    };
    let note = |text: &str| context.ui.note(text);
    let operation = done.operation.name();
    note(&format!("\treconciliation required {operation}{caveat}"));
    let parts = rules::parts_of(&done.object);
    let told = |what: &str, all: &[crate::api::json::Value]| {
        if !all.is_empty() {
            note(&format!("\t{what}:"));
        }
        all.iter()
            .for_each(|part| note(&format!("\t\t{}", rules::shown(part))));
    };
    told(&format!("missing {parts} added"), &done.missing);
    // Extra parts are listed only if they were removed; otherwise nothing has changed.
    let removes = match parts {
        "rules" => args.remove_extra_permissions,
        _ => args.remove_extra_subjects,
    };
    if removes {
        told(&format!("extra {parts} removed"), &done.extra);
    }
}

#[cfg(test)]
mod tests {
    use crate::api::json::json;
    use crate::cli::testing::Shell;

    fn role(verb: &str) -> String {
        format!(
            "apiVersion: rbac.authorization.k8s.io/v1\nkind: Role\nmetadata: {{name: r, namespace: new}}\n\
             rules: [{{apiGroups: [''], resources: [pods], verbs: [{verb}]}}]\n---\n\
             apiVersion: v1\nkind: ConfigMap\nmetadata: {{name: c}}\n"
        )
    }

    #[test]
    fn missing_rules_are_added_and_extra_rules_kept() {
        let shell = Shell::new();
        shell.write("get.yaml", role("get"));
        shell.write("list.yaml", role("list"));
        let said = shell.run("auth reconcile -f @/get.yaml");
        assert_eq!(said.out, "role.rbac.authorization.k8s.io/r reconciled\n");
        assert_eq!(
            said.err,
            "\treconciliation required create\n\tmissing rules added:\n\
             \t\t{Verbs:[get] APIGroups:[] Resources:[pods] ResourceNames:[] NonResourceURLs:[]}\n"
        );
        let _ = shell.run("auth reconcile -f @/list.yaml");
        assert_eq!(
            shell.json("get role r -n new")["rules"]
                .as_array()
                .unwrap()
                .len(),
            2
        );
        let said = shell.run("auth reconcile -f @/list.yaml --remove-extra-permissions");
        assert!(said.err.contains("\textra rules removed:\n"), "{said:?}");
        let rules = &shell.json("get role r -n new")["rules"];
        assert_eq!(rules[0]["verbs"], json!(["list"]));
        assert_eq!(shell.run("auth reconcile -f @/list.yaml").err, "");
        assert_eq!(shell.out("get cm c --ignore-not-found"), "");
        let made = shell.json("get role r -n new --show-managed-fields");
        assert_eq!(made["metadata"]["managedFields"][0]["manager"], "kubectl");
    }

    #[test]
    fn role_without_a_namespace_is_refused() {
        let shell = Shell::new();
        let role = role("get").replace(", namespace: new", "");
        shell.write("role.yaml", &role);
        let why = "resource name may not be empty";
        shell.refuses(&[
            ("auth reconcile -f @/role.yaml", why),
            ("auth reconcile -f @/role.yaml -n new", why),
        ]);
        let unknown = role.replace("Role", "Foo");
        shell.write("foo.yaml", format!("{unknown}---\n{role}"));
        let said = shell.run("auth reconcile -f @/foo.yaml");
        let undecoded = format!("{why}\nunable to decode");
        assert!(said.err.starts_with(&undecoded), "{said:?}");
        assert_eq!(shell.out("get ns new --ignore-not-found"), "");
        shell.all(&["create -f @/role.yaml"]);
        let said = shell.run("auth reconcile -f @/role.yaml --dry-run=client");
        assert_eq!(
            said.out,
            "role.rbac.authorization.k8s.io/r reconciled (dry run)\n"
        );
        assert!(
            said.err.starts_with("\treconciliation required create\n"),
            "{said:?}"
        );
    }

    #[test]
    fn old_versions_of_roles_are_refused_by_name() {
        let shell = Shell::new();
        let old = role("get").replace("k8s.io/v1", "k8s.io/v1beta1");
        let (old, _) = old.split_once("---").unwrap();
        shell.write("old.yaml", old);
        shell.write(
            "pod.yaml",
            "apiVersion: rbac.authorization.k8s.io/v1beta1\nkind: Pod\n",
        );
        let mapping = "resource mapping not found for name: \"r\" namespace: \"new\" from \"@/old.yaml\": no matches for \
                       kind \"Role\" in version \"rbac.authorization.k8s.io/v1beta1\"\nensure CRDs are installed first";
        shell.refuses(&[
            (
                "auth reconcile -f @/old.yaml",
                "only rbac.authorization.k8s.io/v1 is supported: not *v1beta1.Role",
            ),
            (
                "auth reconcile -f @/pod.yaml",
                "unable to decode \"@/pod.yaml\": no kind \"Pod\" is registered for version \
                 \"rbac.authorization.k8s.io/v1beta1\" in scheme \"pkg/scheme/scheme.go:28\"",
            ),
            ("set subject -f @/old.yaml --user=ann", mapping),
        ]);
    }

    #[test]
    fn binding_with_a_different_role_is_recreated() {
        let shell = Shell::new();
        let _ = shell.out("create rolebinding b --role=old --user=ann");
        let uid = |shell: &Shell| shell.json("get rolebinding b")["metadata"]["uid"].clone();
        let before = uid(&shell);
        shell.write(
            "b.yaml",
            "apiVersion: rbac.authorization.k8s.io/v1\nkind: RoleBinding\nmetadata: {name: b, namespace: default}\n\
             roleRef: {apiGroup: rbac.authorization.k8s.io, kind: Role, name: new}\n\
             subjects: [{apiGroup: rbac.authorization.k8s.io, kind: User, name: bob}]\n",
        );
        let dry = shell.run("auth reconcile -f @/b.yaml --dry-run=client");
        assert_eq!(
            dry.out,
            "rolebinding.rbac.authorization.k8s.io/b reconciled (dry run)\n"
        );
        assert_eq!(uid(&shell), before);
        let said = shell.run("auth reconcile -f @/b.yaml");
        assert!(
            said.err.starts_with("\treconciliation required recreate\n"),
            "{said:?}"
        );
        assert_ne!(uid(&shell), before);
        let now = shell.json("get rolebinding b");
        assert_eq!(now["roleRef"]["name"], "new");
        assert_eq!(now["subjects"].as_array().unwrap().len(), 1, "{now}");
        assert_eq!(now["subjects"][0]["name"], "bob");
    }

    #[test]
    fn reconcile_requires_a_file_and_no_arguments() {
        let shell = Shell::new();
        shell.write("get.yaml", role("get"));
        shell.refuses(&[
            ("auth reconcile", "must specify one of -f and -k"),
            (
                "auth reconcile -f @/get.yaml word",
                "no arguments are allowed",
            ),
            (
                "auth reconcile -f @/none.yaml -o odd",
                "the path \"@/none.yaml\" does not exist",
            ),
            (
                "auth reconcile -k @/none -o odd",
                "unable to match a printer suitable for the output format \"odd\", allowed formats are: go-template,\
                 go-template-file,json,jsonpath,jsonpath-as-json,jsonpath-file,kyaml,name,template,templatefile,yaml",
            ),
            (
                "auth reconcile -f @/get.yaml --dry-run=server",
                "--dry-run=server for command reconcile is not supported yet",
            ),
        ]);
    }
}
