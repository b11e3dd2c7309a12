//! Tests kubectl's commands through the real binary: their output, its stream, and the exit code.

use crate::support::{CommandOutput, World};

const SETTINGS: &str = "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: settings\n  labels: {tier: a}\n\
    data: {keep: \"1\", drop: \"2\"}\n";

/// Returns a cluster with one applied ConfigMap.
fn world() -> World {
    let world = World::fresh();
    assert_eq!(apply(&world, SETTINGS).ok(), "configmap/settings created\n");
    world
}

fn apply(world: &World, text: &str) -> CommandOutput {
    world.run_with(&["apply", "-f", "-"], text)
}

fn words(text: &str) -> Vec<&str> {
    text.split(' ').collect()
}

/// Returns the output, the errors and the exit code of a command as a single text.
fn said(world: &World, command: &str) -> String {
    let ran = world.run(&words(command));
    format!("{}{}[{}]", ran.out, ran.err, ran.code)
}

fn edited(world: &World, editor: &str, command: &str) -> String {
    let ran = world.run_env(&[("KUBE_EDITOR", editor)], &words(command), "");
    let kept = ran.err.lines().filter(|l| !l.starts_with("A copy of"));
    let err: String = kept.map(|l| format!("{l}\n")).collect();
    format!("{}{err}[{}]", ran.out, ran.code)
}

#[test]
fn apply_removes_omitted_fields_and_keeps_those_of_others() {
    let world = world();
    let _ = world
        .run(&["patch", "cm", "settings", "-p", r#"{"data":{"live":"3"}}"#])
        .ok();
    let changed = SETTINGS.replace("drop: \"2\"", "new: \"4\"");
    assert_eq!(
        apply(&world, &changed).ok(),
        "configmap/settings configured\n"
    );
    assert_eq!(
        apply(&world, &changed).ok(),
        "configmap/settings unchanged\n"
    );
    assert_eq!(
        said(&world, "get cm settings -o jsonpath={.data}"),
        r#"{"keep":"1","live":"3","new":"4"}[0]"#
    );
    let ran = world.run_with(&["apply", "-f", "-", "--dry-run=client"], SETTINGS);
    assert_eq!(ran.ok(), "configmap/settings configured (dry run)\n");
    let view = said(&world, "apply view-last-applied cm/settings");
    assert!(
        view.contains("data:\n  keep: \"1\"\n  new: \"4\"\n"),
        "{view}"
    );
}

#[test]
fn label_and_annotate_print_their_results() {
    let world = world();
    for (command, answer) in [
        (
            "label cm settings env=dev",
            "configmap/settings labeled\n[0]",
        ),
        (
            "label cm settings env=prod",
            "error: 'env' already has a value (dev), and --overwrite is false\n[1]",
        ),
        (
            "label cm settings env=prod --overwrite",
            "configmap/settings labeled\n[0]",
        ),
        (
            "label cm settings env-",
            "configmap/settings unlabeled\n[0]",
        ),
        (
            "label cm settings env-",
            "label \"env\" not found.\nconfigmap/settings not labeled\n[0]",
        ),
        ("label cm settings --list", "tier=a\n[0]"),
        (
            "annotate cm settings note=x=y",
            "configmap/settings annotated\n[0]",
        ),
        (
            "annotate cm settings note=z",
            "error: --overwrite is false but found the following declared annotation(s): 'note' \
             already has a value (x=y)\n[1]",
        ),
        (
            "annotate cm settings",
            "error: at least one annotation update is required\n[1]",
        ),
    ] {
        assert_eq!(said(&world, command), answer, "{command}");
    }
}

#[test]
fn edit_saves_only_valid_changes() {
    let world = world();
    assert_eq!(
        edited(&world, "sed -i s/keep:.*/keep:\"9\"/", "edit cm settings"),
        "error: configmaps \"settings\" is invalid\nerror: Edit cancelled, no valid changes were saved.\n[1]"
    );
    assert_eq!(
        edited(&world, "sed -i s/drop/dropped/", "edit cm settings"),
        "configmap/settings edited\n[0]"
    );
    assert_eq!(
        edited(&world, "true", "edit cm settings"),
        "Edit cancelled, no changes made.\n[0]"
    );
    let other = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: other}\n";
    world.run_with(&["apply", "-f", "-"], other).ok();
    assert_eq!(
        edited(&world, "sed -i s/dropped/drop/", "edit cm settings other"),
        "configmap/settings edited\nconfigmap/other skipped\n[0]"
    );
    let mut file = std::fs::File::create(world.outside("new.yaml")).unwrap();
    std::io::Write::write_all(&mut file, other.replace("other", "new").as_bytes()).unwrap();
    let create = format!("create --edit -f {}", world.outside("new.yaml").display());
    assert_eq!(
        edited(&world, "true", &create),
        "Edit cancelled, no changes made.\n[0]"
    );
    assert_eq!(
        edited(&world, "sed -i /^kind/d", "edit cm settings"),
        "error: configmaps \"settings\" is invalid\nerror: Edit cancelled, no valid changes were saved.\n[1]"
    );
    assert_eq!(
        edited(&world, "no-such-editor", "edit cm settings")
            .split("\" ")
            .next()
            .map(|head| head.starts_with("error: unable to launch the editor \"no-such-editor")),
        Some(true)
    );
}

#[test]
fn diff_exit_code_shows_if_apply_would_change_objects() {
    let world = world();
    let same = world.run_with(&["diff", "-f", "-"], SETTINGS);
    assert_eq!((same.out.as_str(), same.code), ("", 0));
    let other = world.run_with(&["diff", "-f", "-"], &SETTINGS.replace("\"1\"", "\"7\""));
    assert_eq!(other.code, 1, "{other:?}");
    assert!(other.out.starts_with("diff -u -N "), "{other:?}");
    assert!(
        other.out.contains("\n-  keep: \"1\"\n+  keep: \"7\"\n"),
        "{other:?}"
    );
    let missing = world.run(&["diff", "-f", "none.yaml"]);
    assert_eq!(missing.code, 2);
    assert_eq!(
        missing.err,
        "error: the path \"none.yaml\" does not exist\n"
    );
}

#[test]
fn exit_codes_flag_distinguishes_failures() {
    let world = world();
    for (command, code) in [
        ("get cm none", 1),
        ("get cm none --exit-codes", 4),
        ("get cm -l a=b --exit-code", 3),
        ("get cm settings --exit-code", 0),
        ("create -f - --exit-codes", 5),
        ("label cm settings a=1 --resource-version=1 --exit-codes", 5),
        ("label cm settings a.b/=1 --exit-codes", 6),
        (
            "wait --for=condition=Ready cm/settings --timeout=0 --exit-codes",
            7,
        ),
    ] {
        let ran = world.run_with(&words(command), SETTINGS);
        assert_eq!(ran.code, code, "{command}: {ran:?}");
    }
}

#[test]
fn wait_ends_with_its_condition_or_timeout() {
    let world = world();
    for (command, answer) in [
        (
            "wait --for=create cm/settings",
            "configmap/settings condition met\n[0]",
        ),
        (
            "wait --for=jsonpath={.data.keep}=1 cm/settings",
            "configmap/settings condition met\n[0]",
        ),
        ("wait --for=delete cm/none", "[0]"),
        (
            "wait --for=delete --for=jsonpath={.data.keep}=1 --any cm/settings",
            "configmap/settings condition met\n[0]",
        ),
        (
            "wait --for=delete --or-fail=jsonpath={.data.keep}=1 cm/settings",
            "error: the --or-fail condition jsonpath={.data.keep}=1 is met\n[1]",
        ),
        ("wait cm/settings", "error: unrecognized condition: []\n[1]"),
        (
            "wait --for=delete cm/settings --timeout=0",
            "error: condition not met for configmaps/settings\n[1]",
        ),
    ] {
        assert_eq!(said(&world, command), answer, "{command}");
    }
}

#[test]
fn replace_and_delete_print_their_results() {
    let world = world();
    let other = SETTINGS.replace("drop: \"2\"", "other: \"3\"");
    let ran = world.run_with(&["replace", "-f", "-"], &other);
    assert_eq!(ran.ok(), "configmap/settings replaced\n");
    let ran = world.run_with(&["replace", "--force", "-f", "-"], &other);
    assert_eq!(
        ran.ok(),
        "configmap \"settings\" deleted from default namespace\nconfigmap/settings replaced\n"
    );
    assert_eq!(
        said(&world, "delete cm settings --dry-run=client"),
        "configmap \"settings\" deleted from default namespace (dry run)\n[0]"
    );
    assert_eq!(
        said(&world, "delete cm -l tier=a -o name"),
        "configmap/settings\n[0]"
    );
    assert_eq!(
        said(&world, "delete cm -l tier=a"),
        "No resources found\n[0]"
    );
    assert_eq!(said(&world, "delete cm settings --ignore-not-found"), "[0]");
}

#[test]
fn context_selects_cluster_and_namespace() {
    let world = world();
    let state = world.state();
    let config = world.outside("config");
    let text = format!(
        "current-context: here\ncontexts:\n- name: here\n  context: {{cluster: c, namespace: kube-system}}\n\
         clusters:\n- name: c\n  cluster: {{server: 'file://{}'}}\n",
        state.display()
    );
    std::fs::File::create(&config).unwrap();
    {
        use std::io::Write as _;
        let mut file = std::fs::File::create(&config).unwrap();
        file.write_all(text.as_bytes()).unwrap();
    }
    let config = config.display().to_string();
    let env = [("CTL_CONFIG", config.as_str())];
    let names = |args: &[&str]| world.run_env(&env, args, "");
    assert_eq!(
        names(&["get", "sa", "-o", "name", "--context=here"]).ok(),
        "serviceaccount/default\n"
    );
    let ran = names(&["get", "sa", "--context=nope"]);
    assert_eq!(
        ran.err,
        "Error in configuration: context was not found for specified context: nope\n"
    );
}

#[test]
fn wrong_names_and_kinds_are_errors() {
    let world = world();
    assert_eq!(
        said(&world, "cordon node-0 nope"),
        "Error from server (NotFound): nodes \"nope\" not found\n[1]"
    );
    assert_eq!(
        said(&world, "uncordon node-0"),
        "node/node-0 already uncordoned\n[0]"
    );
    assert_eq!(
        said(&world, "cordon cm/settings"),
        "error: expected resource of type node, got \"/v1, Resource=configmaps\"\n[1]"
    );
    let nameless = SETTINGS.replace("name:", "generateName:");
    assert_eq!(
        apply(&world, &nameless).err,
        "error: from settings: cannot use generate name with apply\n"
    );
    for command in ["status", "pause", "resume", "restart"] {
        assert_eq!(
            said(&world, &format!("rollout {command} deploy -l app=none")),
            "No resources found in default namespace.\n[0]"
        );
    }
}

#[test]
fn server_side_apply_takes_over_client_side_apply_fields() {
    let world = world();
    assert_eq!(
        world
            .run_with(&["apply", "--server-side", "-f", "-"], SETTINGS)
            .ok(),
        "configmap/settings serverside-applied\n"
    );
    let owners = "get cm settings --show-managed-fields -o \
        jsonpath={.metadata.managedFields[*]['manager','operation']}";
    assert_eq!(
        said(&world, owners),
        "kubectl kubectl-last-applied Apply Apply[0]"
    );
    let less = SETTINGS.replace(", drop: \"2\"", "");
    let _ = world
        .run_with(&["apply", "--server-side", "-f", "-"], &less)
        .ok();
    assert_eq!(
        said(&world, "get cm settings -o jsonpath={.data}"),
        r#"{"keep":"1"}[0]"#
    );
}

#[test]
fn malformed_json_patch_is_a_bad_request() {
    let world = world();
    assert_eq!(
        said(&world, "patch cm settings -p {data:1"),
        "Error from server (BadRequest): invalid character 'd' looking for beginning of object key \
         string\n[1]"
    );
    assert_eq!(
        said(&world, "patch cm settings --type=merge -p {\"data\":1"),
        "Error from server (BadRequest): error decoding patch: unexpected end of JSON input\n[1]"
    );
}

#[test]
fn reading_a_deprecated_kind_prints_a_warning() {
    let world = world();
    assert_eq!(
        world
            .run(&["get", "endpoints", "kubernetes", "-o", "name"])
            .err,
        "Warning: v1 Endpoints is deprecated in v1.33+; use discovery.k8s.io/v1 EndpointSlice\n"
    );
    let listed = world.run(&["get", "endpoints"]);
    assert_eq!(
        listed.err,
        "Warning: v1 Endpoints is deprecated in v1.33+; use discovery.k8s.io/v1 EndpointSlice\n"
    );
}

#[test]
fn impersonated_user_has_only_the_rights_of_its_roles() {
    let world = world();
    assert_eq!(
        said(&world, "get cm settings --as=ann"),
        "Error from server (Forbidden): configmaps \"settings\" is forbidden: User \"ann\" cannot get \
         resource \"configmaps\" in API group \"\" in the namespace \"default\"\n[1]"
    );
    assert_eq!(
        said(&world, "get nodes --as=ann"),
        "Error from server (Forbidden): nodes is forbidden: User \"ann\" cannot list resource \
         \"nodes\" in API group \"\" at the cluster scope\n[1]"
    );
    for command in [
        "create role reader --verb=get,list --resource=configmaps",
        "create rolebinding ann --role=reader --user=ann",
    ] {
        let _ = world.run(&words(command)).ok();
    }
    assert_eq!(
        said(&world, "get cm settings -o name --as=ann"),
        "configmap/settings\n[0]"
    );
    assert_eq!(
        said(&world, "delete cm settings --as=ann"),
        "Error from server (Forbidden): configmaps \"settings\" is forbidden: User \"ann\" cannot \
         delete resource \"configmaps\" in API group \"\" in the namespace \"default\"\n[1]"
    );
    assert_eq!(
        said(&world, "create sa x --as=ann"),
        "error: failed to create serviceaccount: serviceaccounts is forbidden: User \"ann\" cannot \
         create resource \"serviceaccounts\" in API group \"\" in the namespace \"default\"\n[1]"
    );
    assert_eq!(
        said(
            &world,
            "get nodes -o name --as=ann --as-group=system:masters"
        )
        .lines()
        .next(),
        Some("node/node-0")
    );
}

#[test]
fn record_writes_the_command_into_an_annotation() {
    let world = world();
    let note = "Flag --record has been deprecated, --record will be removed in the future\n";
    let cause = |object: &str| {
        let path = "jsonpath={.metadata.annotations.kubernetes\\.io/change-cause}";
        world.run(&["get", object, "-o", path]).ok()
    };
    let manifest = world.outside("web.yaml");
    let web = "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: web}\nspec:\n  selector: {matchLabels: {a: b}}\n  \
        template: {metadata: {labels: {a: b}}, spec: {containers: [{name: c, image: i}]}}\n";
    crate::support::race::write_file(&manifest, web);
    let manifest = manifest.to_str().unwrap();
    for (line, object) in [
        ("create -f MANIFEST --record", "deploy/web"),
        ("apply -f MANIFEST --record=true", "deploy/web"),
        ("set image --record deploy/web c=i:2", "deploy/web"),
        (
            "set resources -v1 deploy web --record --limits=cpu=1",
            "deploy/web",
        ),
        ("set serviceaccount deploy/web robot --record", "deploy/web"),
        ("scale deploy web --replicas 3 --record", "deploy/web"),
        (
            "patch deploy/web -p {\"spec\":{\"replicas\":2}} --record",
            "deploy/web",
        ),
        ("label deploy/web x=y --record", "deploy/web"),
        ("annotate deploy/web x=y --record", "deploy/web"),
        ("autoscale deploy/web --max=3 --record", "hpa/web"),
        ("expose deploy/web --port=80 --record", "service/web"),
        ("set selector service/web a=c --record", "service/web"),
        ("run alone --image=i --record", "pod/alone"),
    ] {
        let line = line.replace("MANIFEST", manifest);
        let ran = world.run(&words(&line));
        assert!(ran.err.contains(note) && ran.code == 0, "{line}: {ran:?}");
        // The words come first, and then the flags with their values, by their long names.
        let (flags, plain): (Vec<&str>, Vec<&str>) = words(&line)
            .into_iter()
            .partition(|word| word.starts_with('-'));
        let said = cause(object);
        assert!(
            said.starts_with(&format!("ctl {} ", plain[0])),
            "{line}: {said}"
        );
        assert!(said.contains("--record=true"), "{line}: {said}");
        assert!(flags.len() >= said.matches(" --").count(), "{line}: {said}");
    }
    assert_eq!(cause("pod/alone"), "ctl run alone --image=i --record=true");
    let scale = ["scale", "--record", "deploy/web", "--replicas", "4"];
    let _ = world.run(&scale).ok();
    assert_eq!(
        cause("deploy/web"),
        "ctl scale deploy/web --record=true --replicas=4"
    );
    let quiet = world.run(&[
        "label",
        "deploy/web",
        "x=z",
        "--overwrite",
        "--record=false",
    ]);
    assert!(quiet.err.contains(note), "{quiet:?}");
    assert_eq!(
        cause("deploy/web"),
        "ctl scale deploy/web --record=true --replicas=4"
    );
    let refused = world.run(&["create", "configmap", "x", "--record"]).fails();
    assert!(
        refused.starts_with("error: unknown flag: --record\n"),
        "{refused}"
    );
    // The Pods of the Deployment refer to this account.
    let _ = world.run(&["create", "serviceaccount", "robot"]).ok();
    // The history of the rollout shows the change.
    let _ = world.run(&["settle"]).ok();
    let history = world.run(&["rollout", "history", "deploy/web"]).ok();
    assert!(
        history.contains("ctl scale deploy/web --record=true --replicas=4"),
        "{history}"
    );
}

#[test]
fn edit_rejects_a_changed_name_or_kind() {
    let world = world();
    let changed = "error: At least one of apiVersion, kind and name was changed\n[1]";
    let renamed = edited(
        &world,
        "sed -i 's/name: settings/name: other/'",
        "edit cm settings",
    );
    assert_eq!(renamed, changed);
    let other = edited(
        &world,
        "sed -i 's/^kind: .*/kind: Secret/'",
        "edit cm settings",
    );
    assert_eq!(other, changed);
    let unknown = edited(
        &world,
        "sed -i 's/^kind: .*/kind: Nope/'",
        "edit cm settings",
    );
    assert_eq!(
        unknown,
        "error: Edit cancelled, no valid changes were saved.\n[1]"
    );
}

#[test]
fn forced_replace_deletes_all_objects_before_it_creates_any() {
    let world = world();
    let two = format!("{SETTINGS}---\n{}", SETTINGS.replace("settings", "others"));
    apply(&world, &two).ok();
    let run = |args: &[&str]| world.run_with(args, &two).ok();
    assert_eq!(
        run(&["replace", "--force", "-f", "-"]),
        "configmap \"settings\" deleted from default namespace\nconfigmap \"others\" deleted from \
         default namespace\nconfigmap/settings replaced\nconfigmap/others replaced\n"
    );
    assert_eq!(
        run(&["replace", "--force", "-o", "name", "-f", "-"]),
        "configmap/settings\nconfigmap/others\nconfigmap/settings\nconfigmap/others\n"
    );
    assert_eq!(
        said(&world, "replace"),
        "error: must specify one of -f and -k\n[1]"
    );
}

#[test]
fn rollout_pause_reports_an_error_for_each_object() {
    let world = world();
    for name in ["a", "b"] {
        let made = [
            "create",
            "deployment",
            name,
            "--image=nginx",
            "--replicas=0",
        ];
        world.run(&made).ok();
    }
    said(&world, "rollout pause deploy");
    assert_eq!(
        said(&world, "rollout pause deploy"),
        "error: deployments.apps \"a\" is already paused\nerror: deployments.apps \"b\" is already \
         paused\n[1]"
    );
    assert_eq!(
        said(&world, "events --for rocket/x"),
        "the server doesn't have a resource type \"rocket\"\n[1]"
    );
    assert_eq!(
        said(&world, "patch deploy a --patch-file=nope"),
        "error: unable to read patch file: open nope: no such file or directory\n[1]"
    );
    let finalizers = r#"{"metadata":{"finalizers":["bad"]}}"#;
    assert_eq!(
        said(&world, &format!("patch deploy a -p {finalizers}")),
        "The Deployment \"a\" is invalid: metadata.finalizers[0]: Invalid value: \"bad\": name is \
         neither a standard finalizer name nor is it fully qualified\n[1]"
    );
}
