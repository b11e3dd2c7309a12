//! `ctl config view`: prints the configuration without its secrets.

use std::path::{Path, PathBuf};

use base64::Engine as _;
use clap::Args;

use super::file::{File, List};
use crate::api::json::{Value, json};
use crate::cli::context::Context;
use crate::cli::error::CliError;
use crate::cli::options::{OutputArgs, write};
use crate::cli::resource::clean;
use crate::print::{Format, InOrder};
use crate::sys::bounded;

/// The fields that contain paths of files.
const FILES: [&str; 3] = ["certificate-authority", "client-certificate", "client-key"];

/// kubectl's order of the fields in JSON and KYAML.
const ORDER: &[&str] = &[
    "kind",
    "name",
    "command",
    "args",
    "env",
    "apiVersion",
    "installHint",
    "provideClusterInfo",
    "interactiveMode",
    "preferences",
    "clusters",
    "users",
    "contexts",
    "current-context",
    "cluster",
    "server",
    "tls-server-name",
    "insecure-skip-tls-verify",
    "certificate-authority",
    "certificate-authority-data",
    "proxy-url",
    "disable-compression",
    "client-certificate",
    "client-certificate-data",
    "client-key",
    "client-key-data",
    "token",
    "tokenFile",
    "as",
    "as-uid",
    "as-groups",
    "as-user-extra",
    "username",
    "password",
    "auth-provider",
    "exec",
    "user",
    "namespace",
    "extensions",
];

/// Show the configuration
///
/// Example: ctl config view --minify -o jsonpath='{..namespace}'
#[derive(Args, Debug)]
pub(crate) struct ViewArgs {
    #[arg(hide = true)]
    words: Vec<String>,
    /// Print only what the current context uses
    #[arg(long)]
    minify: bool,
    /// Print certificates and keys instead of their file names
    #[arg(long)]
    flatten: bool,
    /// Print tokens, passwords and certificates unmasked
    #[arg(long)]
    raw: bool,
    /// Has no effect: there is one configuration file
    #[arg(long)]
    merge: bool,
    #[command(flatten)]
    output: OutputArgs,
}

pub(super) fn run(args: &ViewArgs, context: &Context) -> Result<(), CliError> {
    if !args.words.is_empty() {
        let words = args.words.join(" ");
        return Err(context.usage(format_args!("unexpected arguments: [{words}]")));
    }
    let mut output = args.output.clone();
    if output.template.is_none() {
        // kubectl treats an empty format as `name`.
        let format = match output.output.as_deref() {
            None => "yaml",
            Some("") => "name",
            Some(format) => format,
        };
        output.output = Some(format.to_owned());
    }
    let format = output.format(false, false)?;
    let mut file = File::load(context)?;
    if args.minify {
        // --minify keeps the context selected by flags, which may differ from the current one.
        if let Some(name) = &context.global.context {
            file.tree["current-context"] = json!(name);
        }
        minify(&mut file)?;
    }
    if args.flatten {
        let folder = file.folder()?;
        each(&mut file.tree, &mut |entry| {
            resolve(entry, &folder);
            flatten(entry)
        })?;
    }
    // A flattened configuration is meant for use elsewhere, for which masked secrets would be useless.
    if !args.flatten && !args.raw {
        hide_secrets(&mut file)?;
    }
    let shown = InOrder(&file.tree, ORDER);
    match format {
        Format::Printer(_) if output.output.as_deref() == Some("json") => {
            context.ui.out(&shown.to_json())
        }
        Format::Printer(_) if output.output.as_deref() == Some("kyaml") => {
            context.ui.out(&shown.to_kyaml())
        }
        Format::Printer(mut printer) => write(printer.print(&file.tree), context),
        Format::Human | Format::Wide => Ok(()),
    }
}

/// Masks tokens, passwords and certificates.
pub(super) fn hide_secrets(file: &mut File) -> Result<(), CliError> {
    each(&mut file.tree, &mut |entry| {
        redact(entry);
        Ok(())
    })
}

fn minify(file: &mut File) -> Result<(), CliError> {
    let name = file.current().to_owned();
    if name.is_empty() {
        return Err(CliError::text(
            "current-context must exist in order to minify",
        ));
    }
    let Some(found) = file.get(List::Contexts, &name) else {
        return Err(CliError::text(format!("cannot locate context {name}")));
    };
    let text = |field: &str| found[field].as_str().unwrap_or_default().to_owned();
    let (cluster, user) = (text("cluster"), text("user"));
    for (list, wanted) in [
        (List::Contexts, name),
        (List::Clusters, cluster),
        (List::Users, user),
    ] {
        if !wanted.is_empty() && list != List::Contexts && file.get(list, &wanted).is_none() {
            let word = list.words().1;
            return Err(CliError::text(format!("cannot locate {word} {wanted}")));
        }
        let items = &mut file.tree[list.words().0];
        if let Some(all) = items.as_array_mut() {
            all.retain(|i| i["name"] == wanted.as_str());
            if all.is_empty() {
                // Go writes a nil slice as null.
                items.take();
            }
        }
    }
    Ok(())
}

type Change<'a> = &'a mut dyn FnMut(&mut Value) -> Result<(), CliError>;

fn each(tree: &mut Value, change: Change<'_>) -> Result<(), CliError> {
    for (many, one) in [List::Clusters.words(), List::Users.words()] {
        for item in tree[many].as_array_mut().into_iter().flatten() {
            change(&mut item[one])?;
        }
    }
    Ok(())
}

/// Resolves the paths of an entry relative to the folder of the configuration.
fn resolve(entry: &mut Value, folder: &Path) {
    for field in FILES {
        if let Some(path) = entry[field].as_str().map(PathBuf::from) {
            // As in kubectl, an absolute path stays as it is.
            if path.is_relative() {
                entry[field] = json!(clean(&folder.join(path)).display().to_string());
            }
        }
    }
}

fn flatten(entry: &mut Value) -> Result<(), CliError> {
    let Some(entry) = entry.as_object_mut() else {
        return Ok(());
    };
    for field in FILES {
        if let Some(path) = entry.remove(field).as_ref().and_then(Value::as_str) {
            let bytes =
                bounded::read(path, bounded::SETTINGS).map_err(|e| CliError::unread(path, &e))?;
            let text = base64::engine::general_purpose::STANDARD.encode(bytes);
            // The result must work on another machine, which does not have the file.
            entry.insert(format!("{field}-data"), json!(text));
        }
    }
    Ok(())
}

fn redact(entry: &mut Value) {
    let Some(entry) = entry.as_object_mut() else {
        return;
    };
    for (field, value) in entry.iter_mut() {
        match field.as_str() {
            "token" | "password" => *value = json!("REDACTED"),
            "client-key-data" | "client-certificate-data" | "certificate-authority-data" => {
                *value = json!("DATA+OMITTED");
            }
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::cli::testing::Shell;

    fn shell() -> Shell {
        let shell = Shell::empty();
        shell.write("ca.crt", "authority");
        shell.all(&[
            "config set-cluster dev --server=file:///srv/dev --certificate-authority=@/ca.crt",
            "config set-cluster other --server=file:///srv/other",
            "config set-credentials ann --token=secret",
            "config set-credentials bob --username=bob --password=word",
            "config set-context dev --cluster=dev --user=ann",
            "config set-context lost --cluster=none",
        ]);
        shell
    }

    #[test]
    fn config_view_redacts_secrets_without_raw() {
        let shell = shell();
        let out = shell.out("config view");
        assert!(
            out.contains("token: REDACTED") && out.contains("password: REDACTED"),
            "{out}"
        );
        assert!(out.contains("certificate-authority: ca.crt"), "{out}");
        let raw = shell.out("config view --raw");
        assert!(
            raw.contains("token: secret") && raw.contains("password: word"),
            "{raw}"
        );
        let flat = shell.out("config view --flatten");
        assert!(
            flat.contains("certificate-authority-data: YXV0aG9yaXR5"),
            "{flat}"
        );
        assert!(!flat.contains("ca.crt"), "{flat}");
    }

    #[test]
    fn minify_keeps_only_one_context() {
        let shell = shell();
        let out = shell.out(
            "config view --minify --context=dev -o jsonpath='{.clusters[*].name} {.users[*].name}'",
        );
        assert_eq!(out, "dev ann");
        shell.refuses(&[
            (
                "config view --minify",
                "current-context must exist in order to minify",
            ),
            (
                "config view --minify --context=none",
                "cannot locate context none",
            ),
            (
                "config view --minify --context=lost",
                "cannot locate cluster none",
            ),
        ]);
    }

    #[test]
    fn json_fields_follow_kubectl_struct_order() {
        let shell = shell();
        let out = shell.out("config view -o json");
        let at = |field: &str| out.find(field).unwrap_or_else(|| panic!("{field}: {out}"));
        assert!(at("\"kind\"") < at("\"apiVersion\""));
        assert!(at("\"clusters\"") < at("\"users\"") && at("\"users\"") < at("\"contexts\""));
        // A file that does not exist yet has no entries, even if --kubeconfig names it.
        let none = shell.out("config view --kubeconfig=@/none");
        assert!(none.contains("contexts: null\n"), "{none}");
    }
}
