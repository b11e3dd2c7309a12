//! `ctl kustomize`.

use std::collections::BTreeSet;
use std::fs::File;
use std::io::Write as _;
use std::path::Path;
use std::process::ExitCode;

use clap::Args;

use super::Outcome;
use crate::api::json::Value;
use crate::api::yaml;
use crate::cli::context::Context;
use crate::cli::error::CliError;
use crate::cli::kustomize::build;
use crate::kustomize::{Options, Order, to_yaml};

/// Build objects from a kustomization directory
///
/// Example: ctl kustomize overlays/production
#[derive(Args, Debug)]
pub(crate) struct KustomizeArgs {
    /// The directory; by default the working directory
    #[arg(value_name = "DIR")]
    directory: Vec<String>,
    /// File for the output, or directory for one file per object
    #[arg(short, long, value_name = "PATH")]
    output: Option<String>,
    /// With `LoadRestrictionsNone`, kustomizations may load files from outside their directories
    #[arg(long, value_name = "RESTRICTOR", default_value = RESTRICTED)]
    load_restrictor: String,
    #[arg(long, hide = true)]
    reorder: Option<String>,
    #[arg(long, hide = true)]
    enable_managedby_label: bool,
    #[command(flatten)]
    programs: Programs,
}

/// Flags for plugins and charts; a kustomization that has any is rejected.
#[derive(Args, Debug)]
struct Programs {
    #[arg(long, hide = true)]
    as_current_user: bool,
    #[arg(long, hide = true)]
    enable_alpha_plugins: bool,
    #[arg(long, hide = true)]
    enable_helm: bool,
    #[arg(short, long, hide = true)]
    env: Vec<String>,
    #[arg(long, hide = true)]
    helm_api_versions: Vec<String>,
    #[arg(long, hide = true)]
    helm_command: Option<String>,
    #[arg(long, hide = true)]
    helm_debug: bool,
    #[arg(long, hide = true)]
    helm_kube_version: Option<String>,
    #[arg(long, hide = true)]
    mount: Vec<String>,
    #[arg(long, hide = true)]
    network: bool,
    #[arg(long, hide = true)]
    network_name: Option<String>,
}

const RESTRICTED: &str = "LoadRestrictionsRootOnly";
const FREE: &str = "LoadRestrictionsNone";

pub(crate) fn run(args: &KustomizeArgs, context: &Context) -> Outcome {
    if args.reorder.is_some() {
        context.ui.note(
            "Flag --reorder has been deprecated, use the new 'sortOptions' field in kustomization.yaml instead.",
        );
    }
    if context.given("enable-managedby-label") {
        context.ui.note(
            "Flag --enable-managedby-label has been deprecated, The flag `enable-managedby-label` has been deprecated. \
             Use the `managedByLabel` option in the `buildMetadata` field instead.",
        );
    }
    let directory = match args.directory.as_slice() {
        [] => ".",
        [directory] => directory,
        _ => return Err(CliError::text("specify one path to kustomization.yaml")),
    };
    let options = options(args)?;
    let objects = build(directory, options, &context.ui)?;
    match args.output.as_deref() {
        None | Some("") => context.ui.out(&to_yaml(&objects))?,
        // As in kustomize, an existing directory gets one file per object.
        Some(path) if Path::new(path).is_dir() => write_each(Path::new(path), &objects)?,
        Some(path) => write(Path::new(path), &to_yaml(&objects))?,
    }
    Ok(ExitCode::SUCCESS)
}

fn options(args: &KustomizeArgs) -> Result<Options, CliError> {
    let illegal = |flag: &str, value: &str, legal: &str| {
        CliError::text(format!(
            "illegal flag value --{flag} {value}; legal values: [{legal}]"
        ))
    };
    let only_below_root = match args.load_restrictor.as_str() {
        // An empty value is accepted for scripts that pass an empty variable.
        RESTRICTED | "" => true,
        FREE => false,
        other => {
            let legal = format!("{RESTRICTED} {FREE}");
            return Err(illegal("load-restrictor", other, &legal));
        }
    };
    let order = match args.reorder.as_deref() {
        // Namespaces and definitions come first and webhooks last, so that the output can be applied from top to
        // bottom.
        None | Some("legacy") => Order::Legacy,
        Some("none") => Order::AsRead,
        Some(other) => return Err(illegal("reorder", other, "legacy none")),
    };
    Ok(Options {
        order,
        only_below_root,
        managed_by_label: args.enable_managedby_label,
    })
}

fn write(path: &Path, text: &str) -> Result<(), CliError> {
    let failed = |e| CliError::unopened(&path.display().to_string(), &e);
    let mut file = File::create(path).map_err(failed)?;
    Ok(file.write_all(text.as_bytes())?)
}

/// Writes one file per object, named after its kind and name.
fn write_each(directory: &Path, objects: &[Value]) -> Result<(), CliError> {
    let namespace = |object: &Value| object["metadata"]["namespace"].as_str().map(str::to_owned);
    let namespaces: BTreeSet<String> = objects.iter().filter_map(namespace).collect();
    for object in objects {
        let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        let kind = text(&object["apiVersion"]).replace('/', "_") + "_" + &text(&object["kind"]);
        let mut name = format!("{kind}_{}.yaml", text(&object["metadata"]["name"]));
        // Without the namespace, objects with one name in two namespaces would overwrite each other.
        if let Some(namespace) = namespace(object).filter(|_| namespaces.len() > 1) {
            name = format!("{namespace}_{name}");
        }
        // RBAC allows names with a slash, which would be a path.
        let name = name.to_lowercase().replace('/', "_");
        write(&directory.join(name), &yaml::to_string(object))?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use crate::cli::testing::Shell;

    fn shell() -> Shell {
        let shell = Shell::empty();
        shell.write(
            "base/kustomization.yaml",
            "resources: [cm.yaml]\nnamePrefix: a-\n",
        );
        shell.write(
            "base/cm.yaml",
            "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: c, namespace: blue}\n",
        );
        shell.write("up/kustomization.yaml", "resources: [../base/cm.yaml]\n");
        shell
    }

    #[test]
    fn kustomize_writes_to_stdout_one_file_or_a_directory() {
        let shell = shell();
        let built = "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: a-c\n  namespace: blue\n";
        assert_eq!(shell.out("kustomize @/base"), built);
        assert_eq!(shell.out("kustomize @/base -o @/all.yaml"), "");
        assert_eq!(
            std::fs::read_to_string(shell.path("all.yaml")).unwrap(),
            built
        );
        std::fs::create_dir(shell.path("each")).unwrap();
        let _ = shell.out("kustomize @/base -o @/each");
        let one = std::fs::read_to_string(shell.path("each/v1_configmap_a-c.yaml")).unwrap();
        assert_eq!(one, built);
    }

    #[test]
    fn files_outside_the_root_require_load_restrictions_none() {
        let shell = shell();
        let refused = shell.fails("kustomize @/up");
        assert!(refused.contains("is not in or below"), "{refused}");
        let empty = shell.fails("kustomize @/up --load-restrictor=");
        assert_eq!(empty, refused);
        let free = shell.out("kustomize @/up --load-restrictor=LoadRestrictionsNone");
        assert!(free.contains("  name: c\n"), "{free}");
        shell.refuses(&[
            (
                "kustomize @/up --load-restrictor=odd",
                "illegal flag value --load-restrictor odd; legal values: [LoadRestrictionsRootOnly \
                 LoadRestrictionsNone]",
            ),
            (
                "kustomize @/up --load-restrictor=odd --reorder=odd",
                "Flag --reorder has been deprecated, use the new 'sortOptions' field in kustomization.yaml instead.\n\
                 error: illegal flag value --load-restrictor odd; legal values: [LoadRestrictionsRootOnly \
                 LoadRestrictionsNone]",
            ),
            ("kustomize a b", "specify one path to kustomization.yaml"),
            (
                "kustomize @/base -o @/none/all.yaml",
                "open @/none/all.yaml: no such file or directory",
            ),
        ]);
        let said = shell.run("kustomize @/base --reorder=odd");
        assert!(
            said.err.ends_with(
                "error: illegal flag value --reorder odd; legal values: [legacy none]\n"
            ),
            "{said:?}"
        );
    }
}
