//! Tests that every command that changes something prints JSON and nothing else with `-o json`, or names if kubectl
//! prints nothing else.

use std::collections::BTreeSet;
use std::path::Path;

use serde_json::Value;

use crate::causes::commits;
use crate::support::World;
use crate::support::race::write_file;

/// Commands that change neither a cluster nor the kubeconfig.
const LOOKS: &[&str] = &[
    "api-resources",
    "api-versions",
    "apply view-last-applied",
    "assert",
    "attach",
    "auth can-i",
    "auth whoami",
    "blame",
    "cluster list",
    "cluster-info",
    "cluster-info dump",
    "clock",
    "clock show",
    "completion",
    "config current-context",
    "config get-clusters",
    "config get-contexts",
    "config get-users",
    "config view",
    "cp",
    "describe",
    "diff",
    "events",
    "exec",
    "explain",
    "explore",
    "fault list",
    "get",
    "kubeconfig",
    "kuberc view",
    "kustomize",
    "log",
    "logs",
    "man",
    "options",
    "plan",
    "plugin list",
    "port-forward",
    "rollout history",
    "rollout status",
    "test",
    "top node",
    "top pod",
    "tree",
    "plot",
    "render",
    "replay",
    "validate",
    "version",
    "wait",
    "why",
];

/// Commands whose `-o` is the format of the text to edit, as with kubectl.
const EDIT: &[&str] = &["apply edit-last-applied", "edit"];

/// Commands that print only names, as in kubectl: `-o json` is an error.
const NAMES: &[&str] = &["delete"];

/// Commands that run until they are stopped, or show a whole session.
const RUN_ON: &[&str] = &[
    "controllers",
    "demo",
    "learn",
    "mirror",
    "proxy",
    "serve",
    "ui",
];

/// Commands that change something, in an order in which each succeeds; `@` is the scratch directory. Each runs with
/// `-o json` appended, or `-o name` if it prints names alone.
const CHANGES: &str = "
    create -f @/web.yaml
    import @/web.yaml
    export @/run.tgz
    envtest @/assets
    create clusterrole reader --verb=get --resource=pods
    create clusterrolebinding reads --clusterrole=reader --user=ann
    create configmap plain --from-literal=a=b
    create cronjob daily --image=shop:1 --schedule=@daily
    create deployment shop --image=shop:1
    create ingress shop --rule=shop.example/x=shop:80
    create job once --image=shop:1
    mark here
    create namespace blue
    create poddisruptionbudget budget --selector=app=shop --min-available=0
    create priorityclass high --value=5
    create quota few --hard=secrets=90
    create role reader --verb=get --resource=pods
    create rolebinding reads --role=reader --user=ann
    create secret docker-registry images --docker-username=a --docker-password=b
    create secret generic creds --from-literal=a=b
    create secret tls front --cert=@/front.crt --key=@/front.key
    create service clusterip one --tcp=80
    create service externalname two --external-name=two.example
    create service loadbalancer three --tcp=80
    create service nodeport four --tcp=80
    create serviceaccount robot
    create token robot
    expose deployment shop --port=80
    run alone --image=shop:1
    settle
    pause job
    resume job
    scale deployment/shop --replicas=3
    step
    trace
    set env deployment/shop A=B
    set image deployment/shop shop=shop:2
    set resources deployment/shop --limits=cpu=1
    set selector service/one app=shop
    set serviceaccount deployment/shop robot
    set subject rolebinding/reads --user=bob
    scale deployment/shop --replicas=2
    settle
    rollout pause deployment/shop
    rollout resume deployment/shop
    rollout restart deployment/shop
    rollout undo deployment/shop
    autoscale deployment/shop --max=3
    certificate approve agreed
    certificate deny refused
    cordon node-0
    uncordon node-0
    taint nodes node-0 key=value:NoSchedule
    debug alone --image=shop:1
    auth reconcile -f @/role.yaml
    apply -f @/settings.yaml
    apply set-last-applied -f @/settings.yaml
    patch deployment shop -p {\"spec\":{\"replicas\":1}}
    replace -f @/settings.yaml
    label configmap plain a=b
    undo --last
    label configmap plain a=b
    annotate configmap plain a=b
    delete configmap plain
    config set-cluster dev --server=file:///srv/dev
    config set-context dev --cluster=dev --user=ann
    config set-context gone
    config set-credentials ann --token=secret
    config set contexts.dev.namespace blue
    config unset contexts.dev.namespace
    config rename-context gone left
    config delete-context left
    config use-context dev
    config unset current-context
    config delete-user ann
    config delete-cluster dev
    kuberc set --section defaults --command version --option output=json
    fault node node-1 --slow=1s
    fault clear node node-1
    fault pod alone --crash 1
    fault api slow --latency 1ms --rate 0.5
    fault clear api
    drain node-0 --ignore-daemonsets --force --disable-eviction --grace-period=0
    clock advance 1m
    clock set 2199-01-01T00:00:00Z
    clock mode system
    fsck --repair
    migrate --rewrite
    cluster set --history 64
    cluster fork @/copy
    cluster copy @/copy @/other
    cluster reset
    cluster init
    cluster delete
";

/// Commands of this list that commit nothing: they write settings, the kubeconfig or other directories, or they have
/// nothing to change here.
const COMMIT_NOTHING: &[&str] = &[
    "cluster",
    "clock mode",
    "config",
    "create token",
    "envtest",
    "export",
    "fault api",
    "fault clear api",
    "fsck",
    "import",
    "kuberc",
    "migrate",
    "pause",
    "resume",
];

const WEB: &str = "apiVersion: v1\nkind: List\nitems:\n\
    - apiVersion: certificates.k8s.io/v1\n  kind: CertificateSigningRequest\n  metadata: {name: agreed}\n  spec: &spec\n    \
      request: LS0tLS1CRUdJTiBDRVJUSUZJQ0FURSBSRVFVRVNULS0tLS0KTUlIYU1JR0JBZ0VBTUI4eERUQUxCZ05WQkFvTUJHTnlaWGN4RGpBTUJnTlZCQU1NQlhCcGJHOTBNRmt3RXdZSApLb1pJemowQ0FRWUlLb1pJemowREFRY0RRZ0FFMFZnZTFBaHVBS2EwWSt3NExwSVgzVVl4ZTlnVTRrS2x2UmwwCjNTdENRQ0V1RExvQWJuZHMyaHYvNENySWJvTUg0L212WURocUhpckYwYUxrNlJWQlY2QUFNQW9HQ0NxR1NNNDkKQkFNQ0EwZ0FNRVVDSVFEUGRvc1lMU1JFNzh2Rkk1aTNOVGpWRnhhNXY2KzJPZTc5aFdvbGhlSDI0QUlnRnpmWAprTWpzWDQ4NHc4WENBdU1ITmRicVVNTExJZkMrNldDd0pZRTNjMk09Ci0tLS0tRU5EIENFUlRJRklDQVRFIFJFUVVFU1QtLS0tLQo=\n    \
      signerName: example.com/a\n    usages: [client auth]\n\
    - apiVersion: certificates.k8s.io/v1\n  kind: CertificateSigningRequest\n  metadata: {name: refused}\n  spec: *spec\n";

fn world() -> World {
    let world = World::fresh();
    let role = "apiVersion: rbac.authorization.k8s.io/v1\nkind: Role\nmetadata: {name: reader, namespace: default}\n\
        rules:\n- {apiGroups: [\"\"], resources: [pods, services], verbs: [get]}\n";
    let settings =
        "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: settings}\ndata: {a: \"1\"}\n";
    for (name, text) in [
        ("web.yaml", WEB),
        ("role.yaml", role),
        ("settings.yaml", settings),
        ("front.crt", include_str!("../../testdata/tls/ec.crt")),
        ("front.key", include_str!("../../testdata/tls/ec.key")),
    ] {
        write_file(&world.outside(name), text);
    }
    world
}

/// The groups whose usage does not mention subcommands, because kubectl's does not.
const GROUPS: [&str; 5] = ["auth", "create secret", "create service", "plugin", "top"];

/// Returns every command that runs by itself (not a group), from the generated page of commands.
pub fn commands() -> BTreeSet<String> {
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/commands.md");
    let page = std::fs::read_to_string(page).unwrap();
    let sections = page.split("\n## ctl ").skip(1);
    let is_group = |(name, text): &(&str, &str)| {
        let usage = |word: &str| text.contains(&format!("\n  ctl {name} {word} [options]\n"));
        GROUPS.contains(name) || usage("COMMAND") || usage("SUBCOMMAND")
    };
    let named = sections.filter_map(|text| Some((text.lines().next()?, text)));
    named
        .filter(|section| !is_group(section))
        .map(|(name, _)| name.to_owned())
        .collect()
}

/// Returns the command that a line calls: the longest command at its beginning.
pub fn called<'a>(all: &'a BTreeSet<String>, line: &str) -> Option<&'a str> {
    let begins = |name: &&String| format!("{line} ").starts_with(&format!("{name} "));
    let longest = all.iter().filter(begins).max_by_key(|name| name.len());
    longest.map(String::as_str)
}

#[track_caller]
fn prints_objects(line: &str, out: &str) {
    let documents = serde_json::Deserializer::from_str(out).into_iter::<Value>();
    let documents: Result<Vec<Value>, _> = documents.collect();
    let documents = documents.unwrap_or_else(|e| panic!("{line}: {e}: {out}"));
    let are_objects = documents.iter().all(Value::is_object);
    assert!(are_objects && !documents.is_empty(), "{line}: {out}");
}

#[test]
fn every_writing_command_supports_json_output() {
    let world = world();
    let all = commands();
    assert!(all.len() > 100, "{all:?}");
    let mut left: BTreeSet<&str> = all.iter().map(String::as_str).collect();
    let scratch = world.outside("");
    let scratch = scratch.to_str().unwrap().trim_end_matches('/');
    let lines = CHANGES
        .lines()
        .map(str::trim)
        .filter(|line| !line.is_empty());
    for line in lines {
        let name = called(&all, line).unwrap();
        left.remove(name);
        let before = commits(&world).len();
        let line = line.replace("@/", &format!("{scratch}/"));
        let mut args: Vec<&str> = line.split_whitespace().collect();
        let is_named = NAMES.contains(&name);
        args.extend(["-o", if is_named { "name" } else { "json" }]);
        let ran = world.run(&args);
        assert_eq!(ran.code, 0, "{line}: {ran:?}");
        match is_named {
            true => assert_eq!(ran.out, "configmap/plain\n", "{line}"),
            false => prints_objects(&line, &ran.out),
        }
        let after = commits(&world);
        let new = after.get(before..).unwrap_or_default();
        let is_cause = |(writer, rule): &(String, String)| {
            writer.starts_with(&format!("ctl {name}")) && !rule.is_empty()
        };
        let is_quiet = COMMIT_NOTHING.iter().any(|quiet| line.starts_with(quiet));
        assert_eq!(new.iter().any(is_cause), !is_quiet, "{line}: {new:?}");
    }
    for name in LOOKS.iter().chain(RUN_ON).chain(EDIT) {
        assert!(left.remove(name), "{name} is listed twice, or no command");
    }
    assert!(
        left.is_empty(),
        "neither looks nor a line that changes: {left:?}"
    );
}

#[test]
fn unknown_output_format_is_rejected_before_any_write() {
    let world = World::fresh();
    for args in [
        &["cluster", "reset"][..],
        &["clock", "advance", "1m"],
        &["config", "set-context", "dev"],
        &["cordon", "node-0"],
        &["fault", "node", "node-0", "--down"],
    ] {
        let before = world.fsck();
        let ran = world.run(&[args, &["-o", "jsn"]].concat());
        assert!(
            ran.err
                .contains("output format \"jsn\", allowed formats are: "),
            "{args:?}: {ran:?}"
        );
        assert_eq!(ran.code, 1, "{args:?}");
        assert_eq!(world.fsck(), before, "{args:?}");
    }
    assert_eq!(
        world.run(&["config", "get-contexts", "-o", "name"]).ok(),
        ""
    );
}
