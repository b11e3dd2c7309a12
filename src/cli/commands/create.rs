//! `ctl create -f`, and the subcommands that create an object from flags.

mod common;
mod configmap;
mod cronjob;
mod deployment;
mod ingress;
mod job;
mod namespace;
mod poddisruptionbudget;
mod priorityclass;
mod quota;
mod role;
mod rolebinding;
mod secret;
mod service;
mod serviceaccount;
mod sources;
mod token;

use std::process::ExitCode;

use clap::{Args, Subcommand};

use super::Outcome;
use super::edit::{EditFormat, Mode, Session};
use crate::cli::api_path::{self, check_raw};
use crate::cli::context::Context;
use crate::cli::error::CliError;
use crate::cli::options::{
    DryRun, DryRunArgs, ManagerArgs, OutputArgs, RecordArgs, ResultPrinter, ValidateArgs,
    write_options,
};
use crate::cli::resource::{Builder, FileArgs, SelectorArgs, to_create};
use crate::cluster::FieldValidation;
use crate::kinds::last_applied;

/// Create objects from files, directories or standard input
///
/// Examples:
///   ctl create -f web.yaml
///   ctl create -f - < web.yaml
///   ctl create -f web.yaml --edit -o json    edit the objects as JSON first
#[derive(Args, Debug)]
#[command(verbatim_doc_comment, subcommand_precedence_over_arg = true)]
pub(crate) struct CreateArgs {
    #[command(subcommand)]
    command: Option<CreateCommand>,
    #[arg(hide = true)]
    words: Vec<String>,
    #[command(flatten)]
    files: FileArgs,
    /// Label selector
    #[arg(short = 'l', long, value_name = "SELECTOR")]
    selector: Option<String>,
    /// Store the configuration in the annotation that apply uses
    #[arg(long)]
    save_config: bool,
    /// Edit the objects before creating them
    #[arg(long)]
    edit: bool,
    /// Use Windows line endings in the editor
    #[arg(long)]
    windows_line_endings: bool,
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
    record: RecordArgs,
    #[command(flatten)]
    output: OutputArgs,
}

/// The objects that flags can describe.
#[derive(Debug, Subcommand)]
enum CreateCommand {
    #[command(visible_alias = "cj")]
    Cronjob(cronjob::CronjobArgs),
    #[command(visible_alias = "deploy")]
    Deployment(deployment::DeploymentArgs),
    #[command(visible_alias = "ing")]
    Ingress(ingress::IngressArgs),
    Job(job::JobArgs),
    #[command(visible_alias = "svc")]
    Service(service::ServiceArgs),
    Clusterrole(role::ClusterroleArgs),
    #[command(visible_alias = "cm")]
    Configmap(configmap::ConfigmapArgs),
    #[command(visible_alias = "pdb")]
    Poddisruptionbudget(poddisruptionbudget::PoddisruptionbudgetArgs),
    Role(role::RoleArgs),
    Secret(secret::SecretArgs),
    Token(token::TokenArgs),
    Clusterrolebinding(rolebinding::ClusterrolebindingArgs),
    #[command(visible_alias = "ns")]
    Namespace(namespace::NamespaceArgs),
    #[command(visible_alias = "pc")]
    Priorityclass(priorityclass::PriorityclassArgs),
    #[command(visible_alias = "resourcequota")]
    Quota(quota::QuotaArgs),
    Rolebinding(rolebinding::RolebindingArgs),
    #[command(visible_alias = "sa")]
    Serviceaccount(serviceaccount::ServiceaccountArgs),
}

pub(crate) fn run(args: &CreateArgs, context: &Context) -> Outcome {
    let Some(command) = &args.command else {
        return from_files(args, context);
    };
    match command {
        CreateCommand::Cronjob(args) => cronjob::run(args, context),
        CreateCommand::Deployment(args) => deployment::run(args, context),
        CreateCommand::Ingress(args) => ingress::run(args, context),
        CreateCommand::Job(args) => job::run(args, context),
        CreateCommand::Clusterrolebinding(args) => rolebinding::run_cluster(args, context),
        CreateCommand::Namespace(args) => namespace::run(args, context),
        CreateCommand::Priorityclass(args) => priorityclass::run(args, context),
        CreateCommand::Quota(args) => quota::run(args, context),
        CreateCommand::Rolebinding(args) => rolebinding::run(args, context),
        CreateCommand::Serviceaccount(args) => serviceaccount::run(args, context),
        CreateCommand::Clusterrole(args) => role::run_cluster(args, context),
        CreateCommand::Configmap(args) => configmap::run(args, context),
        CreateCommand::Poddisruptionbudget(args) => poddisruptionbudget::run(args, context),
        CreateCommand::Role(args) => role::run(args, context),
        CreateCommand::Secret(args) => secret::run(args, context),
        CreateCommand::Token(args) => token::run(args, context),
        CreateCommand::Service(args) => service::run(args, context),
    }
}

fn raw(args: &CreateArgs, path: &str, context: &Context) -> Outcome {
    // kubectl treats an empty flag as absent.
    let given = |text: &Option<String>| text.as_deref().is_some_and(|t| !t.is_empty());
    if args.edit {
        return Err(CliError::text("--raw and --edit are mutually exclusive"));
    }
    let [file] = args.files.filename.as_slice() else {
        let text = "--raw can only use a single local file or stdin";
        return Err(CliError::text(text));
    };
    let others = [
        (given(&args.selector), "selector (-l)"),
        (given(&args.output.output), "output"),
    ];
    check_raw(path, &args.files, &others)?;
    let answer = api_path::raw(context, "POST", path, Some(file))?;
    context.ui.out(&answer)?;
    Ok(ExitCode::SUCCESS)
}

fn from_files(args: &CreateArgs, context: &Context) -> Outcome {
    if !args.words.is_empty() {
        return Err(context.unexpected(&args.words));
    }
    let dry_run = args.dry_run.get(context)?;
    let validation = args.validate.get()?;
    let mut printer = ResultPrinter::new(&args.output, dry_run, context)?;
    args.files.require()?;
    // As in kubectl, the other flags must be valid although they have no effect with --raw.
    if let Some(path) = args.raw.as_deref().filter(|p| !p.is_empty()) {
        return raw(args, path, context);
    }
    let cluster = match dry_run {
        // A client-side dry run leaves no trace, so it creates no cluster; an existing cluster provides custom kinds.
        DryRun::Client => context.api_if_exists()?,
        _ => Some(context.api()?),
    };
    let selectors = SelectorArgs {
        // kubectl edits all objects of the files, even those that the selector excludes.
        selector: args.selector.clone().filter(|_| !args.edit),
        field_selector: None,
    };
    let found = Builder::new(context, cluster.as_ref())?
        .files(&args.files)
        .selectors(&selectors)
        .validated(validation)
        .find()?;
    let options = write_options(
        context,
        dry_run,
        args.manager.get("kubectl-create"),
        validation,
    );
    if let (true, Some(cluster)) = (args.edit, &cluster) {
        let session = Session {
            context,
            cluster,
            mode: Mode::Create,
            format: EditFormat::from_args(&args.output)?,
            output_patch: false,
            save_config: args.save_config,
            windows: args.windows_line_endings,
            record: args.record.clone(),
            validate: validation != FieldValidation::Ignore,
            options,
        };
        let mut printer = ResultPrinter::late(&args.output, dry_run, context).printer_per_object();
        session.run(found.all()?, &mut printer)?;
        return Ok(ExitCode::SUCCESS);
    }
    let (mut errors, mut count) = (Vec::new(), 0);
    let (found, unread) = found.readable();
    for item in found.items {
        let created = item.and_then(|mut info| {
            if args.save_config {
                // This precedes `--record`, because the annotation holds the manifest without changes by this command.
                info.object = last_applied::annotated(&info.object);
            }
            // A client-side dry run prints the manifest as it was read, without the API server's defaults.
            let Some(cluster) = cluster.as_ref().filter(|_| dry_run != DryRun::Client) else {
                return Ok(info);
            };
            info.object = args.record.mark(context, info.object);
            let answer = cluster.create(&info.place(), &to_create(&info.object), &options);
            let answer = answer.map_err(|e| {
                printer.warn_of_kind(info.kind);
                CliError::while_doing(e, "creating", &info.source)
            })?;
            printer.warn(&answer);
            Ok(info.with(answer.object))
        });
        match created {
            Err(e) => errors.push(e),
            Ok(info) => {
                count += 1;
                printer.print_result(&info, "created")?;
            }
        }
    }
    // The errors come last, because the objects after a rejected one are still created.
    errors.extend(unread);
    CliError::all(errors)?;
    match count {
        0 => Err(CliError::text("no objects passed to create")),
        _ => Ok(ExitCode::SUCCESS),
    }
}

#[cfg(test)]
mod tests {
    use crate::cli::testing::Shell;

    const TWO: &str = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a, labels: {x: z}}\n---\n\
                       apiVersion: v1\nkind: ConfigMap\nmetadata: {name: b}\n";

    #[test]
    fn existing_object_does_not_stop_other_creations() {
        let shell = Shell::new();
        shell.write("two.yaml", TWO);
        let _ = shell.out("create configmap a");
        let said = shell.run("create -f @/two.yaml");
        assert_eq!((said.code, said.out.as_str()), (1, "configmap/b created\n"));
        assert_eq!(
            said.err,
            "Error from server (AlreadyExists): error when creating \"@/two.yaml\": configmaps \"a\" \
             already exists\n"
        );
        assert_eq!(shell.run("create -f @/two.yaml --exit-codes").code, 5);
    }

    #[test]
    fn selector_filters_manifests_and_empty_match_is_an_error() {
        let shell = Shell::new();
        shell.write("two.yaml", TWO);
        let out = shell.out("create -f @/two.yaml -l x=z -o name");
        assert_eq!(out, "configmap/a\n");
        shell.refuses(&[
            (
                "create -f @/two.yaml -l x=other",
                "no objects passed to create",
            ),
            ("create", "must specify one of -f and -k"),
            (
                "create configmaps",
                "Unexpected args: [configmaps]\nSee 'kubectl create -h' for help and examples",
            ),
            (
                "create --validate=odd",
                "invalid - validate option \"odd\"; must be one of: strict (or true), warn, ignore (or false)",
            ),
            (
                "create -f @/two.yaml --raw=/api/v1/namespaces/default/configmaps --validate=odd",
                "invalid - validate option \"odd\"; must be one of: strict (or true), warn, ignore (or false)",
            ),
            (
                "create -f @/two.yaml --raw=/api/v1/namespaces/default/configmaps --edit",
                "--raw and --edit are mutually exclusive",
            ),
            (
                "create -f @/two.yaml -f @/two.yaml --raw=/api/v1/namespaces/default/configmaps",
                "--raw can only use a single local file or stdin",
            ),
        ]);
    }

    #[test]
    fn last_applied_configuration_is_saved_only_with_save_config() {
        let shell = Shell::new();
        shell.write("two.yaml", TWO);
        let kept = "kubectl.kubernetes.io/last-applied-configuration";
        let _ = shell.out("create -f @/two.yaml -l x=z");
        let _ = shell.out("create -f @/two.yaml -l !x --save-config");
        assert!(shell.json("get cm a")["metadata"]["annotations"].is_null());
        let annotation = &shell.json("get cm b")["metadata"]["annotations"][kept];
        assert_eq!(
            *annotation,
            "{\"apiVersion\":\"v1\",\"kind\":\"ConfigMap\",\"metadata\":{\"annotations\":{},\"name\":\"b\",\
             \"namespace\":\"default\"}}\n"
        );
    }

    #[test]
    fn raw_create_posts_the_body_unchanged() {
        let shell = Shell::new();
        shell.write(
            "one.json",
            "{\"apiVersion\":\"v1\",\"kind\":\"ConfigMap\",\"metadata\":{\"name\":\"r\"}}",
        );
        let out = shell.out("create --raw /api/v1/namespaces/kube-public/configmaps -f @/one.json");
        assert!(out.contains("\"namespace\":\"kube-public\""), "{out}");
        assert_eq!(
            shell.out("get cm r -n kube-public -o name"),
            "configmap/r\n"
        );
    }
}
