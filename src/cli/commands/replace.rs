//! `ctl replace`.

use std::process::ExitCode;

use clap::Args;

use super::Outcome;
use super::delete::CascadeArgs;
use crate::cli::api_path::{self, Below, check_raw};
use crate::cli::context::Context;
use crate::cli::error::CliError;
use crate::cli::flags::Span;
use crate::cli::options::{
    DryRun, DryRunArgs, ManagerArgs, OutputArgs, Teller, ValidateArgs, write_options,
};
use crate::cli::output::type_and_name;
use crate::cli::resource::{Builder, FileArgs, Info};
use crate::cli::waiting::{self, Progress};
use crate::cluster::{Cluster, DeleteOptions, FieldValidation, WriteOptions};
use crate::kinds::last_applied;

/// Replace objects by those of a file, a directory or standard input
///
/// Examples:
///   ctl replace -f web.yaml
///   ctl get cm web -o yaml | sed s/a/b/ | ctl replace -f -
///   ctl replace --force -f web.yaml    delete the objects and create them again
#[derive(Args, Debug)]
#[command(verbatim_doc_comment)]
pub(crate) struct ReplaceArgs {
    #[arg(hide = true)]
    words: Vec<String>,
    #[command(flatten)]
    files: FileArgs,
    /// Delete the objects and create them again
    #[arg(long)]
    force: bool,
    /// Seconds that a deleted object has to end; negative for its own
    #[arg(long, value_name = "SECONDS", default_value_t = -1)]
    grace_period: i64,
    #[command(flatten)]
    cascade: CascadeArgs,
    /// How long to wait for a deletion
    #[arg(long, value_name = "TIME", default_value = "0s")]
    timeout: Span,
    /// Wait until deleted objects are gone
    #[arg(long)]
    wait: bool,
    /// Keep the configuration in an annotation, so that apply can go on from it
    #[arg(long)]
    save_config: bool,
    /// status replaces the status
    #[arg(long, value_name = "NAME")]
    subresource: Option<String>,
    /// Send the file to this path of the API
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
    if !args.words.is_empty() {
        return Err(context.unexpected(&args.words));
    }
    if let Some(path) = args.raw.as_deref().filter(|p| !p.is_empty()) {
        return raw(args, path, context);
    }
    let dry_run = args.dry_run.get(context)?;
    let validation = args.validate.get()?;
    check(args)?;
    let mut teller = Teller::new(&args.output, dry_run, context)?;
    let cluster = match dry_run {
        DryRun::Client => context.api_if_there()?,
        _ => Some(context.api()?),
    };
    let found = Builder::new(context, cluster.as_ref())?
        .files(&args.files)
        .validated(validation == FieldValidation::Strict)
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
    let sends = cluster.as_ref().filter(|_| dry_run != DryRun::Client);
    let mut errors = Vec::new();
    let mut items = found.items;
    if let Some(cluster) = sends.filter(|_| args.force) {
        // All of them go before the first one comes back.
        items = found_or(items)?;
        replace.delete(cluster, &items)?;
    }
    for item in items {
        let replaced = item.and_then(|mut info| {
            info.object = match args.save_config {
                true => last_applied::annotated(&info.object),
                false => last_applied::refreshed(&info.object),
            };
            match sends {
                None => Ok(info),
                Some(cluster) => replace.one(cluster, &info, &teller),
            }
        });
        match replaced {
            Ok(info) => teller.tell(&info, "replaced")?,
            Err(e) => errors.push(e),
        }
    }
    CliError::all(errors)?;
    Ok(ExitCode::SUCCESS)
}

/// The objects, where nothing is wrong with any of them.
fn found_or(items: Vec<Result<Info, CliError>>) -> Result<Vec<Result<Info, CliError>>, CliError> {
    let (found, errors): (Vec<_>, Vec<_>) = items.into_iter().partition(Result::is_ok);
    CliError::all(errors.into_iter().filter_map(Result::err).collect())?;
    Ok(found)
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

fn check(args: &ReplaceArgs) -> Result<(), CliError> {
    let refuse = |text: &str| Err(CliError::text(text));
    if args.grace_period >= 0 && !args.force {
        return refuse("--grace-period must have --force specified");
    }
    if !args.timeout.is_zero() && !args.force {
        return refuse("--timeout must have --force specified");
    }
    if args.files.is_empty() {
        return refuse("must specify one of -f and -k");
    }
    match args.subresource.as_deref() {
        None | Some("" | "status" | "scale") => Ok(()),
        Some(other) => Err(CliError::text(format!(
            "invalid subresource value: {other:?}. Must be one of [status scale]"
        ))),
    }
}

struct Replace<'a> {
    args: &'a ReplaceArgs,
    context: &'a Context,
    options: WriteOptions,
}

impl Replace<'_> {
    fn one(&self, cluster: &Cluster, info: &Info, teller: &Teller<'_>) -> Result<Info, CliError> {
        if self.args.force {
            let answer = cluster.create(&info.place(), &info.object, &self.options)?;
            teller.warn(&answer);
            return Ok(info.with(answer.object));
        }
        let place = info.place();
        let answer = match self.args.subresource.as_deref().filter(|s| !s.is_empty()) {
            Some(subresource) => Below {
                context: self.context,
                cluster,
                place: &place,
                name: &info.name,
                subresource,
            }
            .replace(&info.object, &self.options),
            None => cluster
                .update(&place, &info.name, &info.object, &self.options)
                .map_err(CliError::from),
        };
        let doing = format!("error when replacing \"{}\": ", info.source);
        let answer = answer.map_err(|e| e.within(&doing))?;
        teller.warn(&answer);
        Ok(info.with(answer.object))
    }

    /// Deletes the objects and waits until they are gone.
    fn delete(&self, cluster: &Cluster, items: &[Result<Info, CliError>]) -> Result<(), CliError> {
        let options = DeleteOptions {
            write: self.options.clone(),
            grace_period: Some(self.args.grace_period.max(0)),
            propagation: Some(self.args.cascade.get()?),
            ..DeleteOptions::default()
        };
        let mut gone = Vec::new();
        for info in items.iter().flatten() {
            let deleted = cluster.delete(&info.place(), &info.name, &options);
            match deleted.map_err(CliError::from) {
                Err(e) if e.is_not_found() => {}
                Err(e) => return Err(e),
                Ok(answer) => {
                    self.tell_deleted(info)?;
                    gone.push(info.with(answer.object));
                }
            }
        }
        let timeout = match self.args.timeout.is_zero() {
            true => waiting::A_WEEK,
            false => self.args.timeout.duration(),
        };
        let progress = Progress::new(&self.context.ui);
        for (at, info) in gone.iter().enumerate() {
            let far = (at, gone.len());
            waiting::until_gone(cluster, self.context, info, timeout, (&progress, far))?;
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
    use crate::api::json::json;
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
    fn an_object_becomes_what_the_file_says_and_nothing_of_the_old_stays() {
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
    fn by_force_it_is_a_new_one_and_need_not_have_been() {
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
    fn a_configuration_that_is_kept_is_kept_up_to_date() {
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
    fn what_is_not_there_or_was_changed_meanwhile_is_refused() {
        let shell = shell();
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
            (
                "replace -f @/one.yaml --subresource=odd",
                "invalid subresource value: \"odd\". Must be one of [status scale]",
            ),
        ]);
        assert_eq!(shell.run("replace -f @/old.yaml --exit-codes").code, 5);
    }
}
