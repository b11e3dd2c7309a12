//! `ctl diff --revision A..B`: shows the objects that differ between two points in the history.

use super::{DiffArgs, Outcome, Pair, compare, shown, stripped};
use crate::api::json::Value;
use crate::api::status::Status;
use crate::cli::context::Context;
use crate::cli::error::CliError;
use crate::cli::history::{in_past, object, past, point};
use crate::cli::resource::Info;
use crate::cluster::{Cluster, Key};
use crate::history::{Moment, ObjectDiff, between, is_noise, versions_of};
use crate::kinds::tree::{field, text};
use crate::kinds::{Catalogue, Kind};

pub(super) fn run(args: &DiffArgs, range: &str, context: &Context) -> Outcome {
    if !args.files.is_empty() || args.at.is_given() || args.prune {
        let text = "--revision cannot be used with -f, -k, --at or --prune";
        return Err(context.usage(text));
    }
    let cluster = past(context)?;
    cluster.files().import_saved(None)?;
    let [from, to] = ends(&cluster, range, context)?;
    let object = match args.words.is_empty() {
        true => None,
        false => Some(object(context, &cluster, &args.words)?),
    };
    let key = object.as_ref().map(|(_, key)| key);
    let namespace = match context.given("namespace") {
        true => Some(context.namespace()?),
        false => None,
    };
    // Keys are filtered before any object is parsed, because most of the history concerns other objects.
    let wanted = |own: &str| selects(own, key, namespace.as_deref());
    let found = between(&cluster, from.revision, to.revision, &wanted)?;
    if let (Some(key), true) = (key, found.is_empty()) {
        // A misspelled name must not look like an object without changes.
        let known = versions_of(&cluster, key)?;
        if known.first.is_none() && known.versions.is_empty() {
            return Err(Status::not_found(key.resource(), key.name()).into());
        }
    }
    let kinds = cluster.kinds()?;
    let pairs: Result<Vec<Pair>, CliError> = found
        .into_iter()
        .map(|own| {
            let kind = kind_of(&own, &kinds, &cluster)?;
            Ok(pair(args, kind, own))
        })
        .collect();
    let names = [from, to].map(|end| format!("REVISION-{}", end.revision));
    let sides = [(names[0].as_str(), from.time), (names[1].as_str(), to.time)];
    compare(&pairs?, &sides, context)
}

/// Returns the two points of `A..B`.
fn ends(cluster: &Cluster, range: &str, context: &Context) -> Result<[Moment; 2], CliError> {
    let Some((from, to)) = range.split_once("..").filter(|(from, _)| !from.is_empty()) else {
        return Err(
            context.usage("--revision needs two points, such as 40..50, before..after or 10m..")
        );
    };
    let from = point(cluster, from)?;
    let to = match to {
        "" => {
            let (revision, time) = cluster.stored().moment()?;
            Moment { revision, time }
        }
        to => point(cluster, to)?,
    };
    match from.revision <= to.revision {
        true => Ok([from, to]),
        false => Err(context.usage(format_args!(
            "--revision {range}: revision {} is later than revision {}",
            from.revision, to.revision
        ))),
    }
}

fn selects(own: &str, key: Option<&Key>, namespace: Option<&str>) -> bool {
    match (key, namespace) {
        (Some(key), _) => key.as_str() == own,
        (None, Some(namespace)) if own.split('/').nth(1) != Some(namespace) => false,
        // Leases and similar objects change constantly, so they are compared only if they are named.
        (None, _) => !is_noise(own),
    }
}

/// Returns the kind of an object, even if its CustomResourceDefinition has been deleted since.
fn kind_of(
    found: &ObjectDiff,
    kinds: &Catalogue,
    cluster: &Cluster,
) -> Result<Option<&'static Kind>, CliError> {
    let some = found.before.as_ref().or(found.after.as_ref());
    let word = |name: &str| some.map_or("", |object| text(object, name));
    let find = |kinds: &Catalogue| kinds.find_by_api_version(word("apiVersion"), word("kind"));
    match find(kinds) {
        Some(kind) => Ok(Some(kind)),
        None => in_past(cluster, |past| find(&*past.kinds().ok()?)),
    }
}

/// Returns both states of an object as text.
fn pair(args: &DiffArgs, kind: Option<&'static Kind>, found: ObjectDiff) -> Pair {
    let ObjectDiff { key, before, after } = found;
    let some = before.as_ref().or(after.as_ref());
    let metadata = |name: &str| some.map_or("", |object| text(field(object, "metadata"), name));
    match kind {
        Some(kind) => {
            let info = Info {
                kind,
                namespace: metadata("namespace").to_owned(),
                name: metadata("name").to_owned(),
                source: String::new(),
                object: Value::Null,
            };
            shown(args, &info, before, after)
        }
        // The version of the CustomResourceDefinition is no longer retained.
        None => {
            let [before, after] = [before, after].map(|object| stripped(args, object));
            Pair::new(key.replace('/', "."), before, after)
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::cli::testing::Shell;

    #[test]
    fn objects_that_differ_between_two_points_are_shown() {
        let shell = Shell::new();
        shell.all(&[
            "create configmap a --from-literal=v=1",
            "create configmap kept --from-literal=v=1",
            "create secret generic s --from-literal=p=one",
            "mark before",
            "patch configmap a -p '{\"data\":{\"v\":\"2\"}}'",
            "create configmap short",
            "delete configmap short",
            "patch secret s -p '{\"stringData\":{\"p\":\"two\"}}'",
            "mark after",
            "create configmap b",
        ]);
        let changed = |flags: &str| {
            let ran = shell.run(&format!("diff --revision {flags}"));
            assert_eq!((ran.code, ran.err.as_str()), (1, ""), "{ran:?}");
            ran.out
        };
        let out = changed("before..after");
        assert!(out.contains("-  v: \"1\"\n+  v: \"2\"\n"), "{out}");
        assert!(out.contains("/v1.ConfigMap.default.a\t"), "{out}");
        for absent in ["ConfigMap.default.b", "kept", "short", "dHdv"] {
            assert!(!out.contains(absent), "{absent}: {out}");
        }
        assert!(out.contains("***"), "{out}");
        assert!(changed("before..").contains("ConfigMap.default.b"));
        assert!(!changed("before.. configmap/b").contains("ConfigMap.default.a"));
        assert_eq!(shell.out("diff --revision after..after"), "");
        assert_eq!(shell.out("diff --revision before.. -n kube-system"), "");
        let backwards = shell.run("diff --revision after..before");
        assert!(
            backwards.err.contains("is later than revision"),
            "{backwards:?}"
        );
        assert_eq!(backwards.code, 2);
        let gone = shell.run("diff --revision before.. configmap/nope");
        assert!(
            gone.code == 2 && gone.err.contains("configmaps \"nope\" not found"),
            "{gone:?}"
        );
        let one = shell.run("diff --revision before");
        assert!(one.err.contains("--revision needs two points"), "{one:?}");
    }

    #[test]
    fn an_object_that_did_not_exist_is_an_empty_file() {
        let shell = Shell::new();
        let crd = "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata: {name: foos.ex.com}\n\
            spec:\n  group: ex.com\n  scope: Namespaced\n  names: {plural: foos, kind: Foo}\n  versions:\n  - name: v1\n    \
            served: true\n    storage: true\n    schema: {openAPIV3Schema: {type: object, \
            x-kubernetes-preserve-unknown-fields: true}}\n";
        shell.write("crd.yaml", crd);
        shell.write(
            "foo.yaml",
            "apiVersion: ex.com/v1\nkind: Foo\nmetadata: {name: f}\n",
        );
        shell.all(&[
            "mark before",
            "create secret generic s --from-literal=a=b",
            "create -f @/crd.yaml",
            "create -f @/foo.yaml",
            "mark there",
            "delete crd foos.ex.com",
        ]);
        let out = shell.run("diff --revision before.. secret/s").out;
        assert!(
            out.contains("@@ -0,0 +1,") && !out.contains("null"),
            "{out}"
        );
        // The kind of the object is no longer known.
        let out = shell.run("diff --revision there..").out;
        assert!(
            out.contains("-kind: Foo") && !out.contains("managedFields"),
            "{out}"
        );
    }

    #[test]
    fn a_manifest_is_compared_with_the_past() {
        let shell = Shell::new();
        let map = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: c}\ndata: {a: '1'}\n";
        shell.write("c.yaml", map);
        shell.all(&["apply -f @/c.yaml", "mark first", "delete configmap c"]);
        assert_eq!(shell.out("diff -f @/c.yaml --at first"), "");
        assert_eq!(shell.run("diff -f @/c.yaml").code, 1);
    }
}
