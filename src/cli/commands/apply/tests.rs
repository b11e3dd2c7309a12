use crate::api::json::json;
use crate::cli::testing::Shell;

const KEPT: &str = "kubectl.kubernetes.io/last-applied-configuration";

fn map(name: &str, rest: &str) -> String {
    format!(
        "apiVersion: v1\nkind: ConfigMap\nmetadata: {{name: {name}, labels: {{app: web}}}}\n{rest}\n---\n"
    )
}

fn shell() -> Shell {
    let shell = Shell::new();
    shell.write("one.yaml", map("a", "data: {x: '1', k: '2'}"));
    shell.write(
        "two.yaml",
        map("a", "data: {x: '3'}") + &map("b", "data: {}"),
    );
    shell
}

#[test]
fn apply_prints_created_configured_or_unchanged() {
    let shell = shell();
    assert_eq!(shell.out("apply -f @/one.yaml"), "configmap/a created\n");
    assert_eq!(shell.out("apply -f @/one.yaml"), "configmap/a unchanged\n");
    assert_eq!(
        shell.out("apply -f @/two.yaml --dry-run=server"),
        "configmap/a configured (server dry run)\nconfigmap/b created (server dry run)\n"
    );
    assert_eq!(
        shell.out("apply -f @/two.yaml --dry-run=client"),
        "configmap/a configured (dry run)\nconfigmap/b created (dry run)\n"
    );
    assert_eq!(
        shell.out("apply -f @/two.yaml"),
        "configmap/a configured\nconfigmap/b created\n"
    );
    let list = shell.out("apply -f @/two.yaml -o json");
    let head = "{\n    \"kind\": \"List\",\n    \"apiVersion\": \"v1\",\n    \"metadata\": {},\n    \"items\": [\n";
    // The objects are sorted by name.
    assert!(
        list.starts_with(&format!("{head}        {{\n            \"apiVersion\"")),
        "{list}"
    );
    let list = shell.out("apply -f @/two.yaml -o kyaml");
    let head = "---\n{\n  kind: \"List\",\n  apiVersion: \"v1\",\n  metadata: {},\n  items: [{\n    apiVersion";
    assert!(list.starts_with(head), "{list}");
}

#[test]
fn three_way_merge_keeps_fields_of_other_managers() {
    let shell = shell();
    let _ = shell.out("apply -f @/one.yaml");
    let _ = shell.out("patch cm a --type=merge -p '{\"data\":{\"z\":\"9\",\"x\":\"7\"}}'");
    let _ = shell.out("apply -f @/two.yaml");
    assert_eq!(shell.json("get cm a")["data"], json!({"x": "3", "z": "9"}));
    let managed = shell.json("get cm a --show-managed-fields");
    let managers = managed["metadata"]["managedFields"].as_array().unwrap();
    let own = managers
        .iter()
        .find(|m| m["manager"] == "kubectl-client-side-apply")
        .unwrap();
    assert_eq!(own["fieldsV1"]["f:data"], json!({".": {}, "f:x": {}}));
}

#[test]
fn a_definition_cannot_be_patched_locally() {
    let shell = Shell::new();
    let definition = |label: &str| {
        format!(
            "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata: {{name: boats.sea.io, \
             labels: {{a: {label}}}}}\nspec:\n  group: sea.io\n  scope: Cluster\n  names: {{plural: boats, kind: Boat}}\n  \
             versions: [{{name: v1, served: true, storage: true, schema: {{openAPIV3Schema: {{type: object}}}}}}]\n"
        )
    };
    shell.write("one.yaml", definition("b"));
    shell.all(&[
        "apply -f @/one.yaml",
        "apply -f @/one.yaml --dry-run=client",
    ]);
    shell.write("one.yaml", definition("c"));
    let told = shell.fails("apply -f @/one.yaml --dry-run=client");
    assert!(
        told.starts_with("error: error when applying patch:\n\nto:\n")
            && told.ends_with("applying patch locally: expected a struct, but received a nil"),
        "{told}"
    );
}

#[test]
fn apply_to_a_created_object_adds_annotation_and_warns() {
    let shell = shell();
    let _ = shell.out("create -f @/one.yaml");
    let dry = shell.run("apply -f @/one.yaml --dry-run=client");
    let said = shell.run("apply -f @/one.yaml");
    assert_eq!(dry.err, said.err);
    assert_eq!(
        (said.code, said.out.as_str()),
        (0, "configmap/a configured\n")
    );
    assert_eq!(
        said.err,
        format!(
            "Warning: resource configmaps/a is missing the {KEPT} annotation which is required by kubectl \
             apply. kubectl apply should only be used on resources created declaratively by either kubectl \
             create --save-config or kubectl apply. The missing annotation will be patched automatically.\n"
        )
    );
}

#[test]
fn warning_of_the_read_comes_before_the_one_about_the_annotation() {
    let shell = Shell::new();
    shell.write(
        "e.yaml",
        "apiVersion: v1\nkind: Endpoints\nmetadata: {name: e}\n",
    );
    let _ = shell.run("create -f @/e.yaml");
    let said = shell.run("apply -f @/e.yaml");
    let lines: Vec<&str> = said.err.lines().collect();
    assert_eq!(lines.len(), 2, "{said:?}");
    assert!(lines[0].contains("Endpoints is deprecated"), "{said:?}");
    assert!(lines[1].contains("is missing the"), "{said:?}");
}

#[test]
fn prune_deletes_only_applied_objects_missing_from_the_files() {
    let shell = shell();
    let _ = shell.out("apply -f @/two.yaml");
    let _ = shell.out("create configmap mine");
    let _ = shell.out("label configmap mine app=web");
    let said = shell.run("apply -f @/one.yaml --prune -l app=web --dry-run=client");
    assert_eq!(
        said.out,
        "configmap/a configured (dry run)\nconfigmap/b pruned (dry run)\n"
    );
    // The default kinds are listed, and the server warns about one of them.
    let (header, err) = said.err.split_once("] ").unwrap();
    assert!(
        header.starts_with('W') && header.ends_with(" prune.go:71"),
        "{header}"
    );
    assert_eq!(
        err,
        "Deprecated: kubectl apply will no longer prune non-namespaced resources by default when used with the \
         --namespace flag in a future release. To preserve the current behaviour, list the resources you want to \
         target explicitly in the --prune-allowlist flag.\n\
         Warning: v1 Endpoints is deprecated in v1.33+; use discovery.k8s.io/v1 EndpointSlice\n"
    );
    let said = shell.run("apply -f @/one.yaml --prune -l app=web");
    assert_eq!(said.out, "configmap/a configured\nconfigmap/b pruned\n");
    assert_eq!(
        shell.out("get cm -l app=web -o name"),
        "configmap/a\nconfigmap/mine\n"
    );
    let _ = shell.out("apply -f @/two.yaml");
    let line = "apply -f @/one.yaml --prune -l app=web --prune-allowlist=core/v1/Secret";
    assert_eq!(shell.out(line), "configmap/a configured\n");
    shell.refuses(&[
        (
            "apply -f @/one.yaml --prune -l app=web --prune-allowlist=v1/Secret",
            "invalid GroupVersionKind format: v1/Secret, please follow <group/version/kind>",
        ),
        (
            "apply -f @/one.yaml --prune",
            "all resources selected for prune without explicitly passing --all. To prune all resources, \
             pass the --all flag. If you did not mean to prune all resources, specify a label selector",
        ),
    ]);
}

#[test]
fn an_object_outside_of_namespaces_may_name_one() {
    let shell = shell();
    let role = "apiVersion: rbac.authorization.k8s.io/v1\nkind: ClusterRole\nmetadata: {name: r, namespace: default}\n\
                rules: []\n";
    shell.write("role.yaml", role);
    let plain = shell.json("create -f @/role.yaml --dry-run=client");
    assert_eq!(plain["metadata"], json!({"name": "r"}));
    for (line, done) in [
        ("apply -f @/role.yaml", "created"),
        ("apply -f @/role.yaml -n other", "unchanged"),
        ("replace -f @/role.yaml", "replaced"),
        (
            "apply -f @/role.yaml --server-side --force-conflicts",
            "serverside-applied",
        ),
        ("delete -f @/role.yaml", "deleted"),
    ] {
        let out = shell.out(line);
        assert!(out.trim_end().ends_with(done), "{line}: {out}");
    }
}

#[test]
fn fields_that_are_null_are_not_created() {
    let shell = shell();
    let nulls = |name: &str| {
        format!(
            "apiVersion: v1\nkind: ConfigMap\nmetadata: {{name: {name}, labels: {{a: null, b: c}}}}\nfoo: null\n\
             data: {{x: null, k: z}}\n---\n"
        )
    };
    // Applies one object alone, and several in one batch.
    for names in [&["m"][..], &["p", "q"][..]] {
        let text: String = names.iter().map(|name| nulls(name)).collect();
        shell.write("nulls.yaml", text);
        let _ = shell.out("apply -f @/nulls.yaml");
        for name in names {
            let made = shell.json(&format!("get cm {name}"));
            assert_eq!(made["data"], json!({"k": "z"}), "{name}");
            assert_eq!(made["metadata"]["labels"], json!({"b": "c"}), "{name}");
            let kept = made["metadata"]["annotations"][KEPT].as_str().unwrap();
            assert!(kept.contains("\"foo\":null"), "{kept}");
        }
    }
}

#[test]
fn a_refused_patch_names_the_file_twice() {
    let shell = shell();
    let _ = shell.out("apply -f @/one.yaml");
    let stale = map("a", "data: {}").replace("name: a,", "name: a, resourceVersion: '1',");
    shell.write("stale.yaml", stale);
    let told = shell.fails("apply -f @/stale.yaml");
    let end = "for: \"@/stale.yaml\": error when patching \"@/stale.yaml\": Operation cannot be fulfilled on \
               configmaps \"a\": the object has been modified; please apply your changes to the latest version and try \
               again";
    assert!(told.ends_with(end), "{told}");
    shell.refuses(&[
        ("apply -k @/ -R", "the -k flag can't be used with -f or -R"),
        (
            "apply -f @/one.yaml --cascade=odd",
            "invalid cascade value (odd). Must be \"background\", \"foreground\", or \"orphan\"",
        ),
    ]);
}

#[test]
fn server_side_apply_conflicts_with_another_field_manager() {
    let shell = shell();
    let out = shell.out("apply -f @/one.yaml --server-side --field-manager=ci");
    assert_eq!(out, "configmap/a serverside-applied\n");
    let conflict = shell.fails("apply -f @/two.yaml --server-side");
    assert!(
        conflict.starts_with("error: Apply failed with 1 conflict: conflict with \"ci\": .data.x\nPlease review the fields above"),
        "{conflict}"
    );
    let out = shell.out("apply -f @/two.yaml --server-side --force-conflicts");
    assert_eq!(
        out,
        "configmap/a serverside-applied\nconfigmap/b serverside-applied\n"
    );
    assert_eq!(shell.json("get cm a")["data"], json!({"x": "3", "k": "2"}));
    assert!(shell.json("get cm a")["metadata"]["annotations"].is_null());
}

#[test]
fn apply_force_with_an_invalid_object_deletes_nothing() {
    let shell = Shell::new();
    let web = |label: &str, version: &str| {
        format!(
            "apiVersion: apps/v1\nkind: Deployment\nmetadata: {{name: web{version}}}\n\
             spec: {{selector: {{matchLabels: {{app: {label}}}}}, template: {{metadata: {{labels: {{app: web}}}}, \
             spec: {{containers: [{{name: c, image: nginx}}]}}}}}}\n"
        )
    };
    shell.write("web.yaml", web("web", ""));
    let _ = shell.out("apply -f @/web.yaml");
    let before = shell.json("get deployment web");
    shell.write("bad.yaml", web("other", ""));
    let said = shell.run("apply -f @/bad.yaml --force");
    assert_eq!((said.code, said.out.as_str()), (1, ""));
    assert!(
        said.err.starts_with("The Deployment \"web\" is invalid: "),
        "{said:?}"
    );
    assert_eq!(shell.json("get deployment web"), before);
    // An outdated resourceVersion causes a conflict; a new object has none.
    shell.write("old.yaml", web("web", ", resourceVersion: \"1\""));
    assert!(
        shell.fails("apply -f @/old.yaml").contains(
            "old.yaml\": error when patching \"@/old.yaml\": Operation cannot be fulfilled"
        )
    );
    assert_eq!(
        shell.out("apply -f @/old.yaml --force"),
        "deployment.apps/web configured\n"
    );
    assert_ne!(
        shell.json("get deployment web")["metadata"]["uid"],
        before["metadata"]["uid"]
    );
    let _ = shell.out("delete deployment web");
    assert_eq!(
        shell.out("apply -f @/old.yaml"),
        "deployment.apps/web created\n"
    );
}

#[test]
fn immutable_change_recreates_the_object_only_with_force() {
    let shell = shell();
    let job = |image: &str| {
        format!(
            "apiVersion: batch/v1\nkind: Job\nmetadata: {{name: j}}\nspec: {{template: {{spec: {{restartPolicy: \
             Never, containers: [{{name: c, image: {image}}}]}}}}}}\n"
        )
    };
    shell.write("old.yaml", job("a"));
    shell.write("new.yaml", job("b"));
    let _ = shell.out("apply -f @/old.yaml");
    let uid = |shell: &Shell| shell.json("get job j")["metadata"]["uid"].clone();
    let before = uid(&shell);
    let refused = shell.fails("apply -f @/new.yaml");
    assert!(
        refused.contains("spec.template: Invalid value: ")
            && refused.contains("field is immutable"),
        "{refused}"
    );
    assert_eq!(shell.run("apply -f @/new.yaml --exit-codes").code, 6);
    assert_eq!(
        shell.out("apply -f @/new.yaml --force"),
        "job.batch/j configured\n"
    );
    assert_ne!(uid(&shell), before);
}

#[test]
fn incompatible_apply_flags_are_rejected() {
    let shell = shell();
    let line = |flags: &str| format!("apply -f @/one.yaml {flags}");
    for (flags, why) in [
        (
            "--force-conflicts",
            "--force-conflicts only works with --server-side",
        ),
        (
            "--server-side --dry-run=client",
            "--dry-run=client doesn't work with --server-side (did you mean --dry-run=server instead?)",
        ),
        (
            "--force --dry-run=server",
            "--dry-run=server cannot be used with --force",
        ),
        (
            "--force --server-side",
            "--force cannot be used with --server-side",
        ),
        (
            "--subresource=status",
            "--subresource can only be specified for --server-side",
        ),
        (
            "--all -l a=b",
            "cannot set --all and --selector at the same time",
        ),
        ("-l a=none", "no objects passed to apply"),
        (
            "word",
            "Unexpected args: [word]\nSee 'kubectl apply -h' for help and examples",
        ),
    ] {
        shell.refuses(&[(&line(flags), why)]);
    }
    shell.refuses(&[("apply", "must specify one of -f and -k")]);
}

#[test]
fn apply_needs_a_name() {
    let shell = shell();
    shell.write(
        "name.yaml",
        "apiVersion: v1\nkind: ConfigMap\nmetadata: {generateName: x-}\n",
    );
    shell.refuses(&[(
        "apply -f @/name.yaml",
        "from x-: cannot use generate name with apply",
    )]);
}

#[test]
fn last_applied_configuration_is_viewed_and_set() {
    let shell = shell();
    let _ = shell.out("apply -f @/one.yaml");
    let view = shell.out("apply view-last-applied cm/a");
    assert!(
        view.starts_with("apiVersion: v1\ndata:\n  k: \"2\"\n  x: \"1\"\n"),
        "{view}"
    );
    assert_eq!(shell.json("apply view-last-applied cm a")["data"]["k"], "2");
    let out = shell.out("apply set-last-applied -f @/one.yaml --dry-run=client");
    assert!(
        out == "configmap/a configured (dry run)\n" || out.contains("no changes required"),
        "{out}"
    );
    shell.write("new.yaml", map("a", "data: {x: '8'}"));
    assert_eq!(
        shell.out("apply set-last-applied -f @/new.yaml"),
        "configmap/a configured\n"
    );
    assert_eq!(shell.json("get cm a")["data"]["x"], "1");
    assert_eq!(
        shell.json("apply view-last-applied cm a")["data"],
        json!({"x": "8"})
    );
    assert_eq!(
        shell.out("apply set-last-applied -f @/new.yaml"),
        "set-last-applied a: no changes required.\n"
    );
    let _ = shell.out("create configmap plain");
    assert_eq!(shell.out("apply view-last-applied cm/plain -o ''"), "");
    let words = shell.fails("apply set-last-applied cm a");
    assert!(
        words.contains("You must provide one or more resources"),
        "{words}"
    );
    assert_eq!(
        shell.fails("apply set-last-applied -f @/new.yaml -n nope"),
        "Error from server (NotFound): namespaces \"nope\" not found"
    );
    let unread = shell.fails("apply set-last-applied -f @/new.yaml --as=nobody");
    assert!(
        unread.starts_with(
            "Error from server (Forbidden): error when retrieving current configuration of:\nResource: \"/v1, \
             Resource=configmaps\", GroupVersionKind: \"/v1, Kind=ConfigMap\"\nName: \"a\", Namespace: \
             \"default\"\nfrom server for: \"@/new.yaml\": configmaps \"a\" is forbidden: "
        ),
        "{unread}"
    );
}

#[test]
fn objects_without_a_last_applied_configuration_are_reported() {
    let shell = shell();
    let _ = shell.out("apply -f @/one.yaml");
    let _ = shell.out("create configmap bare");
    shell.write(
        "bare.yaml",
        "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: bare}\n",
    );
    shell.refuses(&[
        (
            "apply set-last-applied -f @/bare.yaml",
            "no last-applied-configuration annotation found on resource: bare, to create the annotation, \
             run the command with --create-annotation",
        ),
        (
            "apply view-last-applied -f @/bare.yaml",
            "error when no last-applied-configuration annotation found on resource: bare\n \"@/bare.yaml\": <nil>",
        ),
        (
            "apply view-last-applied cm/a -o ''",
            "Unexpected -o output mode: , the flag 'output' must be one of yaml|json\n\
             See 'kubectl apply view-last-applied -h' for help and examples",
        ),
        (
            "apply view-last-applied cm --all -l a=b",
            "found non-empty label selector \"a=b\" with previously set 'all' parameter.",
        ),
        (
            "apply view-last-applied cm/a -o name",
            "Unexpected -o output mode: name, the flag 'output' must be one of yaml|json\n\
             See 'kubectl apply view-last-applied -h' for help and examples",
        ),
        (
            "apply edit-last-applied cm/bare",
            "no last-applied-configuration annotation found on resources, to create the annotation, use command \
             `kubectl apply set-last-applied --create-annotation`",
        ),
        (
            "apply edit-last-applied cm/a -o odd",
            "unable to match a printer suitable for the output format \"odd\", allowed formats are: json,kyaml,yaml",
        ),
    ]);
    assert_eq!(
        shell.out("apply set-last-applied -f @/bare.yaml --create-annotation"),
        "configmap/bare configured\n"
    );
}

#[test]
fn nulls_of_a_created_object_reach_the_server() {
    // The server reads null as an empty text in a map of texts, and as absent elsewhere.
    let shell = Shell::new();
    let map = |name: &str| {
        format!(
            "apiVersion: v1\nkind: ConfigMap\nmetadata: {{name: {name}, labels: {{x: null}}}}\nimmutable: null\ndata: {{a: null, b: x}}\n---\n"
        )
    };
    shell.write("one.yaml", map("one"));
    shell.write("more.yaml", map("two") + &map("three"));
    shell.all(&["create -f @/one.yaml", "create -f @/more.yaml"]);
    for name in ["one", "two", "three"] {
        let made = shell.json(&format!("get cm {name}"));
        assert_eq!(made["data"], json!({"a": "", "b": "x"}), "{name}");
        assert_eq!(made["metadata"]["labels"], json!({"x": ""}), "{name}");
        assert!(made.get("immutable").is_none(), "{name}");
    }
}

#[test]
fn a_client_dry_run_prints_the_merged_object_as_it_is() {
    let shell = shell();
    let secret = |text: &str| {
        let head = "apiVersion: v1\nkind: Secret\nmetadata: {name: s}\nstringData";
        shell.write("secret.yaml", format!("{head}: {{a: {text}}}\n"));
    };
    secret("x");
    let _ = shell.out("apply -f @/secret.yaml");
    secret("z");
    let merged = shell.json("apply -f @/secret.yaml --dry-run=client");
    assert_eq!(merged["data"], json!({"a": "eA=="}));
    assert_eq!(merged["stringData"], json!({"a": "z"}));
    assert_eq!(shell.json("get secret s")["data"], merged["data"]);
}

#[test]
fn the_first_error_ends_a_view_of_last_applied_configurations() {
    let shell = shell();
    shell.write("made.yaml", map("made", ""));
    shell.write("applied.yaml", map("applied", ""));
    shell.write("missing.yaml", map("missing", ""));
    shell.all(&["create -f @/made.yaml", "apply -f @/applied.yaml"]);
    let none = "error: error when no last-applied-configuration annotation found on resource: made\n \"@/made.yaml\": <nil>";
    let missing = "Error from server (NotFound): configmaps \"missing\" not found";
    for (files, told) in [
        ("-f @/applied.yaml -f @/made.yaml -f @/missing.yaml", none),
        (
            "-f @/applied.yaml -f @/missing.yaml -f @/made.yaml",
            missing,
        ),
    ] {
        let said = shell.run(&format!("apply view-last-applied {files}"));
        assert_eq!((said.out.as_str(), said.err.trim_end()), ("", told));
    }
}

#[test]
fn a_patch_that_cannot_be_made_is_told_with_all_states() {
    let shell = Shell::new();
    let _ = shell.out("create deployment web --image=nginx");
    shell.write(
        "web.yaml",
        "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: web}\nspec: {selector: {matchLabels: {app: web}}, template: \
         {metadata: {labels: {app: web}}, spec: {containers: [{image: nginx:2}]}}}\n",
    );
    let why = "map: map[image:nginx:2] does not contain declared merge key: name";
    let warnings = format!(
        "warning: error calculating patch from openapi v3 spec: {why}\nwarning: error calculating patch from openapi spec: \
         {why}\n"
    );
    let creating = "for: \"@/web.yaml\": error when patching \"@/web.yaml\": creating patch with:\noriginal:\n\nmodified:\n{\"";
    let said = shell.run("apply -f @/web.yaml");
    for part in [
        &warnings,
        creating,
        "}\n\ncurrent:\n{\"",
        &format!("}}\n\nfor: {why}\n"),
    ] {
        assert!(said.err.contains(part), "{part:?} is not in {}", said.err);
    }
    let said = shell.run("diff -f @/web.yaml");
    let told = "error: error when patching \"@/web.yaml\": creating patch with:\noriginal:\n\nmodified:\n{\"";
    assert!(
        said.err.starts_with(&format!("{warnings}{told}")),
        "{}",
        said.err
    );
}

#[test]
fn without_overwrite_every_change_conflicts() {
    let shell = Shell::new();
    let map = |x: u8| {
        format!("apiVersion: v1\nkind: ConfigMap\nmetadata: {{name: a}}\ndata: {{x: '{x}'}}\n")
    };
    shell.write("a.yaml", map(1));
    let _ = shell.out("apply -f @/a.yaml");
    let line = "apply -f @/a.yaml --overwrite=false";
    assert_eq!(shell.out(line), "configmap/a unchanged\n");
    shell.write("a.yaml", map(3));
    let _ = shell.out("patch cm a --type=merge -p '{\"data\":{\"x\":\"2\"}}'");
    let told = shell.run(line).err;
    let patch = "patch:\ndata:\n  x: \"3\"\nmetadata:\n";
    let changed =
        "\n\nconflicts with changes made from original to current:\ndata:\n  x: \"2\"\nmetadata:\n";
    let warning = format!("warning: error calculating patch from openapi v3 spec: {patch}");
    assert!(told.starts_with(&warning), "{told}");
    assert_eq!(told.matches(changed).count(), 3, "{told}");
    assert!(told.contains(&format!("\n\nfor: {patch}")), "{told}");
    assert_eq!(shell.json("get cm a")["data"]["x"], "2");
}

#[test]
fn an_edited_configuration_is_sent_to_the_object_that_it_names() {
    let shell = Shell::in_memory();
    shell.write("one.yaml", map("a", "data: {x: '8'}"));
    shell.all(&["apply -f @/one.yaml"]);
    for (script, why) in [
        (
            "/name: a/d; s/8/7/",
            "error: resource name may not be empty",
        ),
        (
            "s/name: a/name: b/",
            "Error from server (NotFound): configmaps \"b\" not found",
        ),
    ] {
        shell.write("edit.sh", format!("sed -i '{script}' \"$1\"\n"));
        let said = shell.fails("apply edit-last-applied cm/a");
        let (kept, said) = said.split_once('\n').unwrap();
        std::fs::remove_file(kept.split('"').nth(1).unwrap()).unwrap();
        assert_eq!(said, why, "{script}");
    }
    shell.write("edit.sh", "sed -i '/namespace: default/d; s/8/9/' \"$1\"\n");
    assert_eq!(
        shell.out("apply edit-last-applied cm/a"),
        "configmap/a edited\n"
    );
    let stored = shell.out("apply view-last-applied cm/a");
    assert!(
        stored.contains("namespace: default") && stored.contains("x: \"9\""),
        "{stored}"
    );
}

#[test]
fn a_refused_edit_of_the_configuration_ends_the_command() {
    let shell = Shell::in_memory();
    shell.write("one.yaml", map("a", "data: {x: '8'}"));
    shell.write("edit.sh", "sed -i 's/8/9/' \"$1\"\n");
    shell.all(&[
        "apply -f @/one.yaml",
        "create clusterrole reads --verb=get --resource=configmaps",
        "create clusterrolebinding reads --clusterrole=reads --user=ro",
    ]);
    let said = shell.fails("apply edit-last-applied cm/a --as=ro");
    let (kept, why) = said.split_once('\n').unwrap();
    let file = kept.split('"').nth(1).unwrap();
    assert!(file.contains("kubectl-edit-"), "{kept}");
    std::fs::remove_file(file).unwrap();
    assert!(
        why.starts_with(
            "Error from server (Forbidden): configmaps \"a\" is forbidden: User \"ro\" cannot patch"
        ),
        "{why}"
    );
}

#[test]
fn names_are_printed_before_a_later_object_is_refused() {
    let shell = Shell::in_memory();
    let all = [map("a", ""), map("B", ""), map("c", "")];
    shell.write("all.yaml", all.join("---\n"));
    let said = shell.run("apply -f @/all.yaml -o name");
    assert_eq!(
        (said.code, said.out.as_str()),
        (1, "configmap/a\nconfigmap/c\n")
    );
    let said = shell.run("apply -f @/all.yaml --template={{.metadata.name}}");
    assert_eq!((said.code, said.out.as_str()), (1, "ac"));
    let said = shell.run("apply -f @/all.yaml -o yaml");
    assert_eq!((said.code, said.out.as_str()), (1, ""));
}
