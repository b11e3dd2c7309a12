use crate::api::json::json;
use crate::cli::testing::Shell;

fn shell() -> Shell {
    let shell = Shell::new();
    shell.all(&[
        "create configmap b --from-literal=n=2",
        "create configmap a --from-literal=n=10",
        "label configmap a tier=front",
        "create serviceaccount robot",
    ]);
    shell
}

#[test]
fn get_prints_one_row_per_object_with_requested_columns() {
    let shell = shell();
    assert_eq!(
        shell.out("get cm a b -L tier --show-labels"),
        "NAME   DATA   AGE   TIER    LABELS\na      1      0s    front   tier=front\nb      1      0s            <none>\n"
    );
    assert_eq!(
        shell.out("get cm -l tier=front --show-kind --no-headers"),
        "configmap/a   1     0s\n"
    );
    assert_eq!(
        shell.out("get sa/robot cm/a"),
        "NAME                   AGE\nserviceaccount/robot   0s\n\nNAME          DATA   AGE\nconfigmap/a   1      0s\n"
    );
    assert_eq!(
        shell.out("get cm a --server-print=false"),
        "NAME   AGE\na      0s\n"
    );
    assert!(shell.out("get cm -A").starts_with("NAMESPACE "));
    let both = shell.out("get deploy,ns -A");
    assert!(
        both.starts_with("NAMESPACE   NAME ") && both.contains("\n            namespace/default "),
        "{both}"
    );
    assert!(shell.out("get ns,deploy -A").starts_with("NAME "));
    let plain = |line: &str| shell.out(&format!("get {line} --server-print=false"));
    assert_eq!(
        plain("cm/b sa/robot cm/a --sort-by=.metadata.name"),
        "NAME          AGE\nconfigmap/a   0s\nconfigmap/b   0s\n\nNAME                   AGE\nserviceaccount/robot   0s\n"
    );
    assert_eq!(plain("deploy,cm -l tier=front"), "NAME   AGE\na      0s\n");
    assert_eq!(
        shell.run("get ns -l no=thing --server-print=false").err,
        "No resources found in default namespace.\n"
    );
    let plain = plain("ns,clusterroles");
    assert!(
        plain
            .split("\n\n")
            .all(|t| t.starts_with("NAME ") && t.lines().next().unwrap().ends_with(" AGE")),
        "{plain}"
    );
}

#[test]
fn rows_are_sorted_by_a_field() {
    let shell = shell();
    let names = |path: &str| shell.out(&format!("get cm a b -o name --sort-by={path}"));
    // Numbers are compared as such: 2 comes before 10.
    assert_eq!(names(".data.n"), "configmap/b\nconfigmap/a\n");
    assert_eq!(names("{.metadata.name}"), "configmap/a\nconfigmap/b\n");
    assert_eq!(
        names(".metadata.resourceVersion"),
        "configmap/b\nconfigmap/a\n"
    );
    // A map has no order, so kubectl exits with a log message.
    for (flags, place) in [
        ("", "sorter.go:375] Field {.data} in [][][]reflect.Value"),
        (
            "-o name",
            "sorter.go:329] Field {.data} in *unstructured.Unstructured",
        ),
    ] {
        let said = shell.run(&format!("get cm --sort-by=.data {flags}"));
        let told = format!(
            "{place} is an unsortable type: interface, err: unsortable type: map[string]interface {{}}\n"
        );
        assert!(
            said.err.starts_with('F') && said.err.ends_with(&told),
            "{said:?}"
        );
        assert_eq!((said.code, said.out.as_str()), (1, ""));
    }
    let watch = shell.run("get cm --sort-by=.data.n -w --request-timeout=30ms");
    assert_eq!(
        watch.err,
        "warning: --watch requested, --sort-by will be ignored for watch events received\n"
    );
}

#[test]
fn one_object_is_printed_bare_and_several_as_list() {
    let shell = shell();
    assert_eq!(shell.json("get cm a")["kind"], "ConfigMap");
    let list = shell.json("get cm a b");
    assert_eq!(
        (&list["kind"], &list["metadata"]),
        (&json!("List"), &json!({"resourceVersion": ""}))
    );
    assert!(list["items"][0]["metadata"]["managedFields"].is_null());
    assert!(shell.json("get cm a --show-managed-fields")["metadata"]["managedFields"].is_array());
    assert_eq!(
        shell.out("get cm a b -o custom-columns=NAME:.metadata.name,N:.data.n,X:.x"),
        "NAME   N     X\na      10    <none>\nb      2     <none>\n"
    );
    assert_eq!(shell.json("get pods")["items"], json!([]));
}

#[test]
fn missing_object_is_reported_after_existing_ones() {
    let shell = shell();
    let said = shell.run("get cm none a -o name");
    assert_eq!((said.code, said.out.as_str()), (1, "configmap/a\n"));
    assert_eq!(
        said.err,
        "Error from server (NotFound): configmaps \"none\" not found\n"
    );
    let said = shell.run("get cm none a -o name --ignore-not-found");
    assert_eq!((said.code, said.err.as_str()), (0, ""));
    let said = shell.run("get pods");
    assert_eq!(
        (said.code, said.err.as_str()),
        (0, "No resources found in default namespace.\n")
    );
    assert_eq!(shell.run("get pods -A").err, "No resources found\n");
    assert_eq!(
        shell.run("get pods,cm -l a=none -n blue").err,
        "No resources found in blue namespace.\n"
    );
    for (line, code) in [
        ("get cm none --exit-code", 3),
        ("get pods --exit-code", 3),
        ("get cm -l tier=front --exit-code", 0),
        ("get cm none --exit-codes", 4),
        ("get cm none", 1),
    ] {
        assert_eq!(shell.run(line).code, code, "{line}");
    }
}

#[test]
fn watch_prints_existing_objects_and_ends_with_its_request() {
    let shell = shell();
    let out = shell.out("get cm a -w --request-timeout=30ms");
    assert_eq!(out, "NAME   DATA   AGE\na      1      0s\n");
    assert_eq!(
        shell.out("get cm a --watch-only --request-timeout=30ms"),
        ""
    );
    let out = shell.out("get cm a -w --output-watch-events --request-timeout=30ms -o jsonpath={.type}{.object.kind}");
    assert_eq!(out, "ADDEDConfigMap");
    let out = shell.out("get cm a -w --output-watch-events --request-timeout=30ms");
    assert_eq!(
        out,
        "EVENT      NAME   DATA   AGE\nADDED      a      1      0s\n"
    );
    shell.refuses(&[
        (
            "get cm,sa -w",
            "you may only specify a single resource type",
        ),
        (
            "get cm a -w -l x=y",
            "name cannot be provided when a selector is specified",
        ),
        (
            "get cm --output-watch-events",
            "--output-watch-events option can only be used with --watch or --watch-only",
        ),
    ]);
}

#[test]
fn several_names_are_shown_and_not_watched() {
    let said = shell().run("get cm a b -w");
    assert!(
        said.out
            .starts_with("NAME   DATA   AGE\na      1      0s\nb "),
        "{said:?}"
    );
    assert_eq!(
        said.err,
        "error: you may only watch a single resource or type of resource at a time\n"
    );
}

#[test]
fn a_single_row_needs_no_field_to_be_sorted() {
    let shell = shell();
    let out = shell.out("get cm a --sort-by=.odd");
    assert_eq!(out, "NAME   DATA   AGE\na      1      0s\n");
    let events = shell.run("get ev");
    assert_eq!(
        events.err,
        "Warning: short name \"ev\" could also match lower priority resource events.events.k8s.io\n\
         No resources found in default namespace.\n"
    );
}

#[test]
fn a_watch_of_files_follows_one_object() {
    let shell = shell();
    let map = |name: &str| format!("apiVersion: v1\nkind: ConfigMap\nmetadata: {{name: {name}}}\n");
    shell.write("one.yaml", map("a"));
    shell.write("two.yaml", format!("{}---\n{}", map("a"), map("b")));
    shell.write("secret.yaml", map("s").replace("ConfigMap", "Secret"));
    let _ = shell.out("create -f @/secret.yaml");
    let out = shell.out("get -f @/one.yaml -w --request-timeout=30ms");
    assert_eq!(out, "NAME   DATA   AGE\na      1      0s\n");
    let several = "watch is only supported on individual resources and resource collections - 2 resources were found";
    let said = shell.run("get -f @/two.yaml -w");
    assert_eq!(said.err, format!("error: {several}\n"));
    assert!(
        said.out
            .starts_with("NAME   DATA   AGE\na      1      0s\nb "),
        "{said:?}"
    );
    let kinds = shell.run("get -f @/one.yaml -f @/secret.yaml -w").out;
    assert!(
        kinds
            .starts_with("NAME   DATA     AGE\na      1        0s\nNAME   TYPE     DATA   AGE\ns "),
        "{kinds}"
    );
    let said = shell.run("get -f @/one.yaml -f @/secret.yaml -w -o name");
    assert_eq!(said.out, "configmap/a\nsecret/s\n");
    let item = "{apiVersion: v1, kind: ConfigMap, metadata: {name: b}}";
    let text = format!(
        "{}---\napiVersion: v1\nkind: List\nitems: [{item}]\n",
        map("a")
    );
    shell.write("list.yaml", text);
    let list = "watch is only supported on individual resources and resource collections, but a list of resources \
        is found";
    let files = "you may only watch a single resource or type of resource at a time";
    shell.refuses(&[
        ("get -f @/two.yaml --watch-only", several),
        ("get -f @/one.yaml -f @/two.yaml --watch-only", files),
        ("get -f @/one.yaml -f @/secret.yaml --watch-only", files),
        ("get -f @/list.yaml -w", list),
    ]);
}

#[test]
fn a_selector_does_not_see_the_labels_of_files_in_tables() {
    let shell = shell();
    let map = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a, labels: {of: file}}\n";
    shell.write("a.yaml", map);
    shell.all(&["label cm a of=cluster"]);
    let found = |selector: &str, flags: &str| {
        let said = shell.run(&format!(
            "get -f @/a.yaml -l '{selector}' --no-headers {flags}"
        ));
        !said.out.is_empty()
    };
    for flags in ["", "-o wide", "--sort-by=.metadata.name"] {
        assert!(
            !found("of=cluster", flags) && found("!of", flags),
            "{flags}"
        );
    }
    for flags in ["-o name", "--server-print=false"] {
        assert!(
            found("of=cluster", flags) && !found("of=file", flags),
            "{flags}"
        );
    }
    // `describe` reads the objects itself, after it has selected among the manifests.
    let described = |selector: &str| {
        shell
            .run(&format!("describe -f @/a.yaml -l {selector}"))
            .out
    };
    assert!(described("of=file").starts_with("Name: "));
    assert_eq!(described("of=cluster"), "");
}

#[test]
fn raw_get_prints_the_response_unchanged() {
    let shell = shell();
    let answer = shell.out("get --raw /api/v1/namespaces/default/configmaps/a");
    assert!(
        answer.starts_with("{\"apiVersion\":\"v1\"")
            || answer.starts_with("{\"kind\":\"ConfigMap\""),
        "{answer}"
    );
    shell.refuses(&[
        (
            "get --raw /api/v1 pods",
            "arguments may not be passed when --raw is specified",
        ),
        (
            "get --raw /api/v1 -w",
            "--raw may not be specified with other flags that filter the server request or alter the output",
        ),
        (
            "get --raw api -l a=b -o yaml",
            "--raw may not be specified with other flags that filter the server request or alter the output",
        ),
        (
            "get --raw api -o yaml",
            "--raw and --output are mutually exclusive",
        ),
        (
            "get --raw /api --output-watch-events",
            "--output-watch-events option can only be used with --watch or --watch-only",
        ),
    ]);
}

#[test]
fn flags_that_make_no_sense_are_refused() {
    let shell = shell();
    shell.refuses(&[
        (
            "get cm --show-labels -o json",
            "--show-labels option cannot be used with json printer",
        ),
        (
            "get cm --subresource=odd",
            "subresource cannot be used when bulk resources are specified",
        ),
        (
            "get cm a --subresource=odd",
            "Error from server (NotFound): the server could not find the requested resource",
        ),
        (
            "get cm -o WIDE",
            "unable to match a printer suitable for the output format \"WIDE\", allowed formats are: \
             custom-columns,custom-columns-file,go-template,go-template-file,json,jsonpath,jsonpath-as-json,\
             jsonpath-file,kyaml,name,template,templatefile,wide,yaml",
        ),
        // The objects are looked up before the format is parsed.
        (
            "get cm none -o odd",
            "Error from server (NotFound): configmaps \"none\" not found",
        ),
        (
            "get cm,sa --sort-by=.metadata.name",
            "couldn't find any field with path \"{.metadata.name}\" in the list of objects",
        ),
        (
            "get cm a -A",
            "a resource cannot be retrieved by name across all namespaces",
        ),
    ]);
    let none = shell.fails("get");
    assert!(
        none.starts_with(
            "You must specify the type of resource to get. Use \"kubectl api-resources\""
        ),
        "{none}"
    );
    assert!(
        none.contains("error: Required resource not specified.\n"),
        "{none}"
    );
    let _ = shell.out("create deployment web --image=i --replicas=2");
    assert_eq!(
        shell.out("get deployment web --subresource=scale"),
        "NAME   DESIRED   AVAILABLE   AGE\nweb    2         0           0s\n"
    );
    // kubectl reads the objects of manifests as a whole.
    shell.write(
        "web.yaml",
        "{apiVersion: apps/v1, kind: Deployment, metadata: {name: web}}",
    );
    let whole = shell.out("get -f @/web.yaml --subresource=scale");
    assert!(whole.starts_with("NAME   READY   UP-TO-DATE"), "{whole}");
}

#[test]
fn errors_of_manifests_are_printed_without_prefix() {
    let shell = shell();
    for (line, why) in [
        ("get -k @/none", "must build at directory: "),
        ("describe -k @/none", "must build at directory: "),
        ("apply -k @/none", "error: must build at directory: "),
    ] {
        let said = shell.fails(line);
        assert!(said.starts_with(why), "{line}: {said}");
    }
}

#[test]
fn a_manifest_that_is_no_object_has_the_error_of_the_decoder() {
    let shell = shell();
    let cases = [("not yaml", "string"), ("7", "number"), ("[1]", "array")];
    for (text, name) in cases {
        shell.write("r.txt", text);
        let why = format!(
            "\"@/r.txt\": json: cannot unmarshal {name} into Go value of type unstructured.detector"
        );
        assert_eq!(
            shell.fails("get -f @/r.txt"),
            format!("unable to decode {why}")
        );
        let typed = shell.fails("set image -f @/r.txt a=b");
        assert_eq!(
            typed,
            format!(
                "error: unable to decode \"@/r.txt\": couldn't get version/kind; json parse error: json: cannot \
                 unmarshal {name} into Go value of type struct {{ APIVersion string \
                 \"json:\\\"apiVersion,omitempty\\\"\"; Kind string \"json:\\\"kind,omitempty\\\"\" }}"
            )
        );
    }
}

#[test]
fn kinds_of_manifests_may_be_in_lower_case_and_the_server_rejects_them() {
    let shell = shell();
    let map = |kind: &str| format!("apiVersion: v1\nkind: {kind}\nmetadata: {{name: new}}\n");
    shell.write("map.yaml", map("configmap"));
    let why = "configmap in version \"v1\" cannot be handled as a ConfigMap: no kind \"configmap\" is registered for \
        version \"v1\" in scheme \"pkg/api/legacyscheme/scheme.go:30\"";
    let missing = "Error from server (NotFound): configmaps \"new\" not found";
    let refused =
        format!("Error from server (BadRequest): error when creating \"@/map.yaml\": {why}");
    shell.refuses(&[
        ("create -f @/map.yaml", &refused),
        ("apply -f @/map.yaml", &refused),
        ("get -f @/map.yaml", missing),
        (
            "set image -f @/map.yaml a=b --local",
            "unable to decode \"@/map.yaml\": no kind \"configmap\" is registered for version \"v1\" in scheme \
             \"pkg/scheme/scheme.go:28\"",
        ),
    ]);
    shell.write("map.yaml", map("CONFIGMAP"));
    assert!(
        shell
            .fails("get -f @/map.yaml")
            .contains("resource mapping not found")
    );
}

#[test]
fn a_list_in_a_list_is_an_error_in_place_of_all_its_objects() {
    let shell = shell();
    let map =
        |name: &str| format!("{{apiVersion: v1, kind: ConfigMap, metadata: {{name: {name}}}}}");
    let inner = format!("{{apiVersion: v1, kind: List, items: [{}]}}", map("x"));
    let (first, last) = (map("y"), map("a"));
    let text = format!("apiVersion: v1\nkind: List\nitems: [{first}, {inner}]\n---\n{last}\n");
    shell.write("lists.yaml", text);
    let said = shell.run("get -f @/lists.yaml --no-headers");
    assert_eq!(said.out, "a     1     0s\n");
    let why = "*unstructured.Unstructured is not a list: no Items field in this object\n";
    assert_eq!((said.code, said.err.as_str()), (1, why));
}

#[test]
fn a_version_of_three_parts_is_an_error() {
    let shell = shell();
    shell.write(
        "v.yaml",
        "apiVersion: a/b/c\nkind: ConfigMap\nmetadata: {name: m}\n",
    );
    let why = "unexpected GroupVersion string: a/b/c";
    let sent = "{\"apiVersion\":\"a/b/c\",\"kind\":\"ConfigMap\",\"metadata\":{\"name\":\"m\"}}";
    shell.refuses(&[
        (
            "get -f @/v.yaml",
            &format!("unable to decode \"@/v.yaml\": Object 'Kind' is missing in '{sent}'"),
        ),
        ("set image -f @/v.yaml a=b", &format!("unable to decode \"@/v.yaml\": {why}")),
        (
            "apply -f @/v.yaml",
            &format!(
                "error validating \"@/v.yaml\": error validating data: {why}; if you choose to ignore these errors, \
                 turn validation off with --validate=false"
            ),
        ),
    ]);
}

#[test]
fn an_error_of_one_file_leaves_nothing_to_print_for_programs() {
    let shell = shell();
    let map = |name: &str| format!("apiVersion: v1\nkind: ConfigMap\nmetadata: {{name: {name}}}\n");
    shell.write("two.yaml", format!("{}---\n{}", map("a"), map("none")));
    shell.write("foo.yaml", map("a").replace("v1", "v9"));
    let missing = "Error from server (NotFound): configmaps \"none\" not found\n";
    let said = shell.run("get -f @/two.yaml -o name");
    assert_eq!((said.out.as_str(), said.err.as_str()), ("", missing));
    // The table shows the objects that exist.
    assert_eq!(shell.run("get -f @/two.yaml").out.lines().count(), 2);
    assert!(
        shell
            .fails("get -f @/foo.yaml -o name")
            .starts_with("error: resource mapping")
    );
    assert!(
        shell
            .fails("get -f @/foo.yaml")
            .starts_with("resource mapping")
    );
    let typed = "unable to decode \"@/foo.yaml\": no kind \"ConfigMap\" is registered for version \"v9\" in scheme \
        \"pkg/scheme/scheme.go:28\"";
    shell.refuses(&[("set image -f @/foo.yaml a=b", typed)]);
    shell.write("one/kustomization.yaml", "resources: [cm.yaml]\n");
    shell.write("one/cm.yaml", map("a"));
    assert_eq!(shell.json("get -k @/one")["kind"], "ConfigMap");
}

#[test]
fn a_named_object_is_printed_before_its_watch_is_refused() {
    let shell = Shell::new();
    shell.all(&[
        "create cm c",
        "create clusterrole reads --verb=get --resource=configmaps",
        "create clusterrolebinding reads --clusterrole=reads --user=go",
    ]);
    let said = shell.run("get cm c -w --as=go");
    assert!(
        said.out.starts_with("NAME   DATA   AGE\nc      0 "),
        "{said:?}"
    );
    assert_eq!(
        said.err,
        "Error from server (Forbidden): configmaps \"c\" is forbidden: User \"go\" cannot watch resource \"configmaps\" in \
         API group \"\" in the namespace \"default\"\n"
    );
    let said = shell.fails("get cm -w --as=go");
    assert!(
        said.contains("configmaps is forbidden: User \"go\" cannot list"),
        "{said}"
    );
    let warned = shell.fails("get componentstatuses --as=go");
    assert!(
        warned.starts_with("Error from server (Forbidden): "),
        "{warned}"
    );
}
