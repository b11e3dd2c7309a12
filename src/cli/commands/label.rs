//! `ctl label`.

use clap::Args;

use super::Outcome;
use super::pairs::{self, Changes, CommonArgs, Editing, Map};
use crate::api::go::quoted;
use crate::api::json::{Map as Labels, Value};
use crate::cli::context::Context;
use crate::cli::error::CliError;
use crate::cli::options::ResultPrinter;
use crate::cli::resource::Info;
use crate::kinds::validate::names;

/// Add, change or remove labels
///
/// Examples:
///   ctl label pod web-0 tier=front
///   ctl label pods --all tier=back --overwrite
///   ctl label pod web-0 tier-
#[derive(Args, Debug)]
#[command(verbatim_doc_comment)]
pub(crate) struct LabelArgs {
    /// TYPE NAME or TYPE/NAME, then KEY=VALUE or KEY- for each label
    words: Vec<String>,
    #[command(flatten)]
    pub(super) common: CommonArgs,
    /// List the labels
    #[arg(long)]
    list: bool,
}

pub(crate) fn run(args: &LabelArgs, context: &Context) -> Outcome {
    let map = Map {
        noun: "label",
        field: "labels",
        manager: "kubectl-label",
        parse,
        edit,
    };
    pairs::run(&map, &args.words, args.list, &args.common, context)
}

fn parse(pairs: &[String]) -> Result<Changes, CliError> {
    let mut changes = Changes::default();
    for pair in pairs {
        if pair.contains('=') {
            // Unlike an annotation, a label value cannot contain `=`, so a second one makes the pair invalid.
            let parts: Vec<&str> = pair.split('=').collect();
            let [key, value] = parts.as_slice() else {
                return Err(CliError::text(format!("invalid label spec: {pair}")));
            };
            let wrong = names::label_value(value);
            if !wrong.is_empty() {
                let (pair, wrong) = (quoted(pair), wrong.join(";"));
                return Err(CliError::text(format!(
                    "invalid label value: {pair}: {wrong}"
                )));
            }
            // As in kubectl's map, the last value of a repeated key wins.
            changes.set.retain(|(k, _)| k != key);
            changes.set.push(((*key).to_owned(), (*value).to_owned()));
        } else if let Some(key) = pair.strip_suffix('-') {
            changes.removed.push(key.to_owned());
        } else {
            return Err(CliError::text(format!("unknown label spec: {pair}")));
        }
    }
    let both = |key: &String| changes.set.iter().any(|(k, _)| k == key);
    if changes.removed.iter().any(both) {
        let text = "can not both modify and remove a label in the same command";
        return Err(CliError::text(text));
    }
    Ok(changes)
}

fn edit(
    map: &Editing<'_>,
    info: &Info,
    printer: &ResultPrinter<'_>,
) -> Result<(Info, &'static str), CliError> {
    let overwrite = map.common.overwrite;
    if map.cluster.is_some() {
        for key in &map.changes.removed {
            if info.object["metadata"]["labels"][key].is_null() {
                let ui = &map.context.ui;
                ui.line(format_args!("label \"{key}\" not found."))?;
            }
        }
    }
    if !overwrite {
        let taken = map.changes.taken(&info.object, "labels");
        let wrong = taken.iter().map(|(key, old)| {
            CliError::text(format!(
                "'{key}' already has a value ({old}), and --overwrite is false"
            ))
        });
        CliError::all(wrong.collect())?;
    }
    let mut changed = map.changes.apply(&info.object, "labels");
    if map.cluster.is_some() {
        changed = map.common.record.mark(map.context, changed);
    }
    let done = done(info, &changed);
    // kubectl sends no request if nothing changes.
    let Some(cluster) = map.cluster.filter(|_| changed != info.object) else {
        return Ok((info.with(Changes::shown(changed, "labels")), done));
    };
    // kubectl prints the object with its own change instead of the response.
    let _ = map.send(cluster, info, &changed, printer)?;
    Ok((info.with(Changes::shown(changed, "labels")), done))
}

/// Returns the word for the outcome, which depends on whether labels are set, removed, or both.
fn done(info: &Info, changed: &Value) -> &'static str {
    if *changed == info.object {
        return "not labeled";
    }
    let (old, new) = (labels(&info.object), labels(changed));
    let sets = new.is_some_and(|new| {
        new.iter()
            .any(|(key, value)| old.and_then(|old| old.get(key)) != Some(value))
    });
    let removes = old.is_some_and(|old| {
        old.keys()
            .any(|key| new.and_then(|new| new.get(key)).is_none())
    });
    match (sets, removes) {
        (true, true) => "modified",
        (false, true) => "unlabeled",
        _ => "labeled",
    }
}

fn labels(object: &Value) -> Option<&Labels> {
    object["metadata"]["labels"].as_object()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::testing::Shell;

    fn refusal(pairs: &[&str]) -> String {
        let pairs: Vec<String> = pairs.iter().map(|p| (*p).to_owned()).collect();
        parse(&pairs).unwrap_err().to_string()
    }

    #[test]
    fn invalid_labels_are_rejected() {
        assert_eq!(refusal(&["a=b=c"]), "invalid label spec: a=b=c");
        assert!(refusal(&["a=b c"]).starts_with("invalid label value: \"a=b c\": a valid label"));
        assert_eq!(
            refusal(&["a=1", "a-"]),
            "can not both modify and remove a label in the same command"
        );
    }

    #[test]
    fn a_label_that_changes_nothing_is_not_sent() {
        let shell = Shell::new();
        shell.all(&[
            "create configmap c",
            "label cm c a=b",
            "create clusterrole reads --verb=get --resource=configmaps",
            "create clusterrolebinding reads --clusterrole=reads --user=ro",
        ]);
        let same = shell.out("label cm c a=b --as=ro");
        assert_eq!(same, "configmap/c not labeled\n");
        let absent = shell.out("label cm c x- --as=ro --resource-version=1");
        assert_eq!(absent, "label \"x\" not found.\nconfigmap/c not labeled\n");
        let other = shell.fails("label cm c a=c --overwrite --as=ro");
        assert!(other.contains("User \"ro\" cannot patch"), "{other}");
    }

    #[test]
    fn label_prints_labeled_unlabeled_or_not_labeled() {
        let shell = Shell::new();
        let _ = shell.out("create configmap c");
        assert_eq!(shell.out("label cm c tier=a"), "configmap/c labeled\n");
        assert_eq!(shell.out("label cm c tier=a"), "configmap/c not labeled\n");
        assert_eq!(shell.out("label cm c tier-"), "configmap/c unlabeled\n");
        assert_eq!(
            shell.out("label cm c tier-"),
            "label \"tier\" not found.\nconfigmap/c not labeled\n"
        );
        let none = shell.out("label cm c tier- -o yaml");
        assert!(none.contains("  labels: {}\n"), "{none}");
        let _ = shell.out("label cm c tier=a");
        shell.refuses(&[
            (
                "label cm c tier=b",
                "'tier' already has a value (a), and --overwrite is false",
            ),
            ("label cm c", "at least one label update is required"),
        ]);
        assert_eq!(
            shell.out("label cm c tier=b --overwrite"),
            "configmap/c labeled\n"
        );
        assert_eq!(
            shell.out("label cm c side=x tier- --overwrite"),
            "configmap/c modified\n"
        );
        assert_eq!(
            shell.out("label cm c tier=b side- --overwrite"),
            "configmap/c modified\n"
        );
        assert_eq!(shell.out("label cm c --list"), "tier=b\n");
        // kubectl uses a new printer for each object.
        let _ = shell.out("create configmap d");
        let both = shell.out("label cm c d both=yes -o yaml");
        assert_eq!(
            (
                both.matches("kind: ConfigMap").count(),
                both.contains("---")
            ),
            (2, false)
        );
        let wrong = shell.fails("label cm c 'a b=c'");
        assert!(
            wrong.starts_with("The ConfigMap \"c\" is invalid: metadata.labels: "),
            "{wrong}"
        );
        let wrong = shell.fails("label cm c a=-b-");
        assert!(
            wrong.contains("a valid label must be an empty string or consist of"),
            "{wrong}"
        );
    }

    #[test]
    fn errors_about_manifests_are_the_last_one() {
        let shell = Shell::new();
        shell.write("a.yaml", "apiVersion: v1\nkind: Foo\nmetadata: {name: x}\n");
        shell.write(
            "b.yaml",
            "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: b, labels: {k: v}}\n",
        );
        let _ = shell.out("create -f @/b.yaml");
        let mapping = "resource mapping not found for name: \"x\" namespace: \"\" from \"@/a.yaml\": no matches for kind \
                       \"Foo\" in version \"v1\"\nensure CRDs are installed first";
        let taken = "'k' already has a value (v), and --overwrite is false";
        let told = shell.fails("label -f @/a.yaml -f @/b.yaml k=w");
        assert_eq!(told, format!("{taken}\n{mapping}"));
    }

    #[test]
    fn local_manifests_may_be_of_any_kind() {
        let shell = Shell::empty();
        shell.write(
            "all.yaml",
            "apiVersion: example.com/v1\nkind: Widget\nmetadata: {name: w}\nspec: {a: 1}\n---\n\
             apiVersion: v1\nkind: Foo\nmetadata: {name: f}\n",
        );
        assert_eq!(
            shell.out("label -f @/all.yaml --local x=y"),
            "widget.example.com/w labeled\nfoo/f labeled\n"
        );
        let merge = "patch -f @/all.yaml --local --type=merge -p '{\"spec\":{\"b\":2}}'";
        assert_eq!(
            shell.out(merge),
            "widget.example.com/w patched\nfoo/f patched\n"
        );
        assert_eq!(
            shell.fails("patch -f @/all.yaml --local -p {}"),
            "strategic merge patch is not supported for example.com/v1, Kind=Widget locally, try --type merge\n\
             strategic merge patch is not supported for /v1, Kind=Foo locally, try --type merge"
        );
        let told = shell.fails("set env -f @/all.yaml --local A=b");
        assert!(told.contains("no kind \"Widget\" is registered"), "{told}");
        let crd = "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata: {name: a.b.c}\n";
        shell.write("crd.yaml", crd);
        let told = shell.fails("set env -f @/crd.yaml --local A=b");
        assert!(
            told.contains("no kind \"CustomResourceDefinition\" is registered"),
            "{told}"
        );
        let told = shell.fails("patch -f @/crd.yaml --local -p {}");
        assert!(told.contains(", try --type merge"), "{told}");
    }
}
