use std::path::Path;

use super::*;
use crate::cli::context::Context;
use crate::cli::flags::Line;
use crate::cli::global_args::GlobalArgs;
use crate::cli::testing::Shell;
use crate::cli::ui::Ui;
use crate::cluster::Place;
use crate::cluster::{Cluster, FieldValidation, Open, WriteOptions};

/// A cluster in a directory of its own, and a context with the namespace `namespace`.
struct World {
    dir: tempfile::TempDir,
    cluster: Cluster,
    context: Context,
}

impl World {
    fn new(namespace: Option<&str>) -> Self {
        let dir = tempfile::tempdir().unwrap();
        let state = dir.path().join("state");
        let cluster = Cluster::open(&state, Open::default()).unwrap();
        cluster.bootstrap().unwrap();
        let global = GlobalArgs {
            state: Some(state),
            namespace: namespace.map(str::to_owned),
            kubeconfig: Some("/dev/null".to_owned()),
            ..GlobalArgs::default()
        };
        let (program, line) = ("kubectl".to_owned(), Line::default());
        let context = Context::new(global, program, line, String::new(), Ui::new());
        let world = Self {
            dir,
            cluster,
            context,
        };
        for name in ["a", "b"] {
            world.create(name);
        }
        world
    }

    fn create(&self, name: &str) {
        let kind = crate::kinds::find("", "v1", "ConfigMap").unwrap();
        let object = crate::api::json::json!({"apiVersion": "v1", "kind": "ConfigMap",
            "metadata": {"name": name, "labels": {"name": name}}});
        let place = Place::new(kind, "default");
        let options = WriteOptions::default();
        self.cluster.create(&place, &object, &options).unwrap();
    }

    fn file(&self, name: &str, text: &str) -> String {
        let path = self.dir.path().join(name);
        std::fs::create_dir_all(path.parent().unwrap_or(Path::new("/"))).unwrap();
        write(&path, text);
        path.display().to_string()
    }

    fn builder(&self) -> Builder<'_> {
        Builder::new(&self.context, Some(&self.cluster)).unwrap()
    }

    fn words(&self, words: &str, labels: &str) -> Result<Vec<String>, String> {
        let words: Vec<String> = words.split_whitespace().map(str::to_owned).collect();
        let selectors = SelectorArgs {
            selector: Some(labels.to_owned()),
            field_selector: None,
        };
        said(self.builder().words(&words, true).selectors(&selectors))
    }

    fn files(&self, names: &[&str], recursive: bool) -> Result<Vec<String>, String> {
        let args = FileArgs {
            filename: names.iter().map(|n| (*n).to_owned()).collect(),
            recursive,
            ..FileArgs::default()
        };
        let said = said(
            self.builder()
                .files(&args)
                .validated(FieldValidation::Strict),
        )?;
        let dir = format!("{}/", self.dir.path().display());
        Ok(said.iter().map(|line| line.replace(&dir, "")).collect())
    }
}

fn write(path: &Path, text: &str) {
    use std::io::Write as _;
    let mut file = std::fs::File::create(path).unwrap();
    file.write_all(text.as_bytes()).unwrap();
}

/// Returns the objects and failures in order, or the error of the command line.
fn said(builder: Builder<'_>) -> Result<Vec<String>, String> {
    let found = builder.find().map_err(|e| e.message().0)?;
    let items = found.items.into_iter().map(|item| match item {
        Ok(info) => info.shown(),
        Err(e) => e.message().0,
    });
    Ok(items.collect())
}

fn config_map(name: &str) -> String {
    format!("apiVersion: v1\nkind: ConfigMap\nmetadata: {{name: {name}}}\n")
}

#[test]
fn objects_are_returned_in_argument_order() {
    let world = World::new(None);
    let said = world.words("cm b nope a", "").unwrap();
    assert_eq!(
        said,
        [
            "configmap/b",
            "Error from server (NotFound): configmaps \"nope\" not found",
            "configmap/a"
        ]
    );
    assert_eq!(
        world.words("cm/a ns/default", "").unwrap(),
        ["configmap/a", "namespace/default"]
    );
    assert_eq!(world.words("cm", "name=b").unwrap(), ["configmap/b"]);
    assert_eq!(
        world.words("cm,ns a default", "").unwrap(),
        [
            "configmap/a",
            "Error from server (NotFound): configmaps \"default\" not found",
            "Error from server (NotFound): namespaces \"a\" not found",
            "namespace/default",
        ]
    );
}

#[test]
fn invalid_resource_arguments_are_rejected() {
    let world = World::new(None);
    let refusal = |words: &str, labels: &str| world.words(words, labels).unwrap_err();
    assert_eq!(
        refusal("rockets", ""),
        "the server doesn't have a resource type \"rockets\""
    );
    assert_eq!(
        refusal("cm a", "x=y"),
        "name cannot be provided when a selector is specified"
    );
    assert_eq!(
        refusal("cm/a", "x=y"),
        "selectors and the all flag cannot be used when passing resource/name arguments"
    );
    assert!(refusal("", "").starts_with("You must provide one or more resources"));
    let said = world.words("cm", "a in b").unwrap();
    assert!(said[0].starts_with(
        "Error from server (BadRequest): Unable to find \"/v1, Resource=configmaps\" that match label \
         selector \"a in b\", field selector \"\": unable to parse"
    ));
}

#[test]
fn missing_namespace_is_reported_as_not_found() {
    let world = World::new(Some("nowhere"));
    assert_eq!(
        world.words("cm a", "").unwrap(),
        ["Error from server (NotFound): namespaces \"nowhere\" not found"]
    );
    assert_eq!(world.words("cm", "").unwrap(), Vec::<String>::new());
    let own = config_map("x").replace("name: x", "name: x, namespace: other");
    let file = world.file("own.yaml", &own);
    assert_eq!(
        world.files(&[&file], false).unwrap(),
        [
            "the namespace from the provided object \"other\" does not match the namespace \"nowhere\". \
          You must pass '--namespace=other' to perform this operation."
        ]
    );
}

#[test]
fn directories_are_read_in_order_and_recursively_on_request() {
    let world = World::new(None);
    let two = format!("{}---\n{}", config_map("one"), config_map("two"));
    world.file("d/b.yaml", &two);
    world.file("d/a.json", &config_map("first"));
    world.file("d/z.txt", "no");
    world.file("d/c/deep.yml", &config_map("deep"));
    let dir = world.dir.path().join("d").display().to_string();
    let flat = ["configmap/first", "configmap/one", "configmap/two"];
    assert_eq!(world.files(&[&dir], false).unwrap(), flat);
    let deep = world.files(&[&dir], true).unwrap();
    assert_eq!(deep[3], "configmap/deep");
    let pattern = format!("{dir}/*.json");
    assert_eq!(world.files(&[&pattern], false).unwrap(), flat[..1]);
}

#[test]
fn invalid_manifest_does_not_stop_other_files() {
    let world = World::new(None);
    let text = format!("{}---\nkind: [\n", config_map("good"));
    let broken = world.file("broken.yaml", &text);
    let text = config_map("x").replace("v1", "v9");
    let unknown = world.file("unknown.yaml", &text);
    let cut = world.file("cut.json", "{\"apiVersion\": \"v1\", \"kind\"");
    let said = world.files(&[&cut], false).unwrap();
    assert_eq!(said, ["error parsing cut.json: unexpected EOF"]);
    let nothing = world.file("nothing.yaml", "hello\n");
    let said = world.files(&[&broken, &unknown, &nothing], false).unwrap();
    assert_eq!(said[0], "configmap/good");
    assert!(
        said[1].starts_with("error parsing broken.yaml: "),
        "{said:?}"
    );
    assert_eq!(
        said[2],
        "resource mapping not found for name: \"x\" namespace: \"\" from \"unknown.yaml\": no \
         matches for kind \"ConfigMap\" in version \"v9\"\nensure CRDs are installed first"
    );
    assert!(said[3].contains("error validating data: invalid object to validate; if you"));
    let mistyped = |metadata: &str| {
        let text = config_map("x").replace("name: x", metadata);
        let file = world.file("mistyped.yaml", &text);
        world.files(&[&file], false).unwrap().remove(0)
    };
    assert_eq!(
        mistyped("name: x, labels: {app: y}"),
        "unable to decode \"mistyped.yaml\": json: cannot unmarshal bool into Go struct field \
         ObjectMeta.metadata.labels of type string"
    );
    assert!(mistyped("name: 7").contains("number into Go struct field ObjectMeta.metadata.name"));
    let missing = world.files(&["/nope/none.yaml"], false).unwrap_err();
    assert_eq!(missing, "the path \"/nope/none.yaml\" does not exist");
}

#[test]
fn files_exclude_types_and_names() {
    let world = World::new(None);
    let file = world.file("a.yaml", &config_map("a"));
    let args = FileArgs {
        filename: vec![file],
        ..FileArgs::default()
    };
    for (words, error) in [
        (
            vec!["configmap", "a"],
            "when paths, URLs, or stdin is provided as input, you may not specify resource arguments as well",
        ),
        (
            vec!["configmap/a"],
            "resource/name arguments cannot be provided when a path is specified",
        ),
    ] {
        let words: Vec<String> = words.into_iter().map(str::to_owned).collect();
        let builder = world.builder().files(&args).words(&words, true);
        assert_eq!(said(builder).unwrap_err(), error);
    }
}

#[test]
fn names_that_are_no_part_of_a_path_are_refused() {
    let world = World::new(None);
    for (words, error) in [
        (
            "configmap ..",
            "invalid resource name \"..\": [may not be '..']",
        ),
        (
            "configmap/.",
            "invalid resource name \".\": [may not be '.']",
        ),
        (
            "configmap a%2fb",
            "invalid resource name \"a%2fb\": [may not contain '%']",
        ),
    ] {
        assert_eq!(world.words(words, "").unwrap(), [error]);
    }
}

#[test]
fn errors_of_unreadable_manifests_are_one_error_among_others() {
    let shell = Shell::new();
    shell.write(
        "two/a.yaml",
        "{kind: Foo, apiVersion: v1, metadata: {name: x}}",
    );
    shell.write(
        "two/b.yaml",
        "{kind: Foo, apiVersion: v1, metadata: {name: z}}",
    );
    let map =
        |name: &str| format!("{{kind: ConfigMap, apiVersion: v1, metadata: {{name: {name}}}}}");
    shell.write("two/c.json", map("Bad_"));
    let said = |line: &str| shell.run(line).err;
    let unread = |name: &str, file: &str| {
        format!(
            "resource mapping not found for name: \"{name}\" namespace: \"\" from \"@/two/{file}.yaml\": no matches for \
             kind \"Foo\" in version \"v1\"\nensure CRDs are installed first"
        )
    };
    let both = format!("[{}, {}]\n", unread("x", "a"), unread("z", "b"));
    let one = format!("{}\n", unread("x", "a"));
    for command in ["apply", "create", "replace", "delete", "describe"] {
        let is_first = ["apply", "describe"].contains(&command);
        let all = said(&format!("{command} -f @/two"));
        assert_eq!(all.starts_with(&both), is_first, "{all}");
        assert_eq!(all.ends_with(&both), !is_first, "{all}");
        let single = said(&format!("{command} -f @/two/a.yaml -f @/two/c.json"));
        assert_eq!(single.starts_with(&one), is_first, "{single}");
        assert_eq!(single.ends_with(&one), !is_first, "{single}");
    }
    shell.write("two/c.json", map("good"));
    let alone = format!("{}\n{}\n", unread("x", "a"), unread("z", "b"));
    assert_eq!(said("apply -f @/two"), alone);
}

#[test]
fn a_live_object_is_read_before_its_namespace_is_compared() {
    let shell = Shell::new();
    shell.all(&["create ns n1", "create ns n2"]);
    shell.write(
        "a.yaml",
        "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a, namespace: n2}\n",
    );
    let line = |command: &str| shell.fails(&format!("{command} -n n1 -f @/a.yaml"));
    let commands = [
        "get",
        "label x=y",
        "annotate x=y",
        "rollout status",
        "apply view-last-applied",
    ];
    for command in commands {
        let missing = "Error from server (NotFound): configmaps \"a\" not found";
        assert_eq!(line(command), missing, "{command}");
    }
    let _ = shell.out("create cm a -n n2");
    for command in commands.into_iter().chain(["apply", "create", "delete"]) {
        let said = line(command);
        assert!(
            said.starts_with("error: the namespace from the provided object \"n2\" does not match"),
            "{command}: {said}"
        );
    }
}

#[test]
fn items_of_a_list_have_errors_of_their_own() {
    // These errors are recorded from kubectl 1.36.3.
    let shell = Shell::new();
    shell.write(
        "list.yaml",
        "kind: List\napiVersion: v1\nitems:\n- {foo: bar}\n- {kind: ConfigMap}\n- {apiVersion: v1, kind: Nope, metadata: \
         {name: x}}\n- {apiVersion: v1, kind: ConfigMap, metadata: {name: good}}\n",
    );
    let said = shell.run("create -f @/list.yaml --dry-run=client --validate=warn");
    assert_eq!(said.out, "configmap/good created (dry run)\n");
    let (log, errors) = said.err.split_once('\n').unwrap();
    let skipped = "schema.go:145] cannot perform warn validation if server-side field validation is unsupported, skipping \
                   validation";
    assert!(log.starts_with('W') && log.ends_with(skipped), "{log}");
    let untyped = "unable to get type info from the object \"*unstructured.Unstructured\": Object";
    let lines = format!(
        "{untyped} 'Kind' is missing in 'object has no kind field '\n\
         {untyped} 'apiVersion' is missing in 'object has no apiVersion field '\n\
         unable to recognize no matches for kind \"Nope\" in version \"v1\"\n"
    );
    assert_eq!((said.code, errors), (1, lines.as_str()));
    shell.write(
        "review.yaml",
        "apiVersion: authentication.k8s.io/v1\nkind: SelfSubjectReview\n",
    );
    let said = shell.run("create -f @/review.yaml --dry-run=client --validate=warn");
    assert!(said.err.ends_with(&format!("{skipped}\n")), "{}", said.err);
    shell.write("map.yaml", config_map("m"));
    let said = shell.run("create -f @/map.yaml --dry-run=client --validate=warn");
    assert_eq!(said.err, "");
}
