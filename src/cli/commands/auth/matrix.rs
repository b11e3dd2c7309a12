//! Tests every command that sends requests, for every kind, as a user without any role.

use crate::api::json::{Value, json};
use crate::cli::testing::Shell;
use crate::kinds::{Kind, registry};

/// Returns the command lines for a kind. An object `x` is in a file, and `what` names the kind.
fn lines(kind: &Kind, what: &str) -> Vec<String> {
    let has = |verb: &str| kind.verbs.contains(&verb);
    let mut lines = vec![
        "create -f @/x.yaml --validate=false".to_owned(),
        "create -f @/x.yaml --validate=false --dry-run=server".to_owned(),
        "apply -f @/x.yaml --validate=false".to_owned(),
        "apply -f @/two.yaml --validate=false".to_owned(),
        "apply -f @/x.yaml --validate=false --server-side".to_owned(),
        "replace -f @/x.yaml --validate=false".to_owned(),
        "replace --force -f @/x.yaml --validate=false".to_owned(),
        "delete -f @/x.yaml".to_owned(),
        "get -f @/x.yaml".to_owned(),
        "diff -f @/x.yaml".to_owned(),
    ];
    if has("get") {
        lines.push(format!("get {what} x"));
        lines.push(format!("get {what} x -o yaml"));
        lines.push(format!("describe {what} x"));
        lines.push(format!("annotate {what} x a=b"));
        lines.push(format!("label {what} x a=b"));
        lines.push(format!("edit {what} x"));
    }
    if has("list") {
        lines.push(format!("get {what}"));
        lines.push(format!("get {what} -o name"));
        lines.push(format!("get {what} -l a=b"));
        lines.push(format!("describe {what}"));
        lines.push(format!("delete {what} --all"));
    }
    if has("watch") {
        // The timeout ends a watch that is wrongly allowed, which would otherwise hang the test.
        lines.push(format!("get {what} -w --request-timeout=1ms"));
    }
    if has("patch") {
        lines.push(format!("patch {what} x --type=merge -p '{{}}'"));
    }
    if kind.subresource("status").is_some() {
        lines.push(format!(
            "patch {what} x --type=merge -p '{{}}' --subresource=status"
        ));
        lines.push(format!("get {what} x --subresource=status"));
    }
    if kind.subresource("scale").is_some() {
        lines.push(format!("scale {what} x --replicas=2"));
        lines.push(format!("get {what} x --subresource=scale"));
    }
    lines
}

#[track_caller]
fn is_refused(shell: &Shell, line: &str) {
    let said = shell.run(&format!("--as=bob {line}"));
    // `diff` reserves 1 for a difference, so its errors exit with 2.
    let code = if line.starts_with("diff") { 2 } else { 1 };
    assert_eq!(
        (said.code, said.out.as_str()),
        (code, ""),
        "{line}: {said:?}"
    );
    assert!(
        said.err.contains(" is forbidden: User \"bob\" cannot "),
        "{line}: {said:?}"
    );
}

fn revision(shell: &Shell) -> String {
    shell.out("raw revision")
}

#[test]
fn user_without_a_role_is_forbidden_every_command() {
    let shell = Shell::new();
    let before = revision(&shell);
    let mut count = 0;
    for kind in registry::all().filter(|kind| kind.served) {
        // Every user may create reviews of their own access (`system:basic-user`).
        if kind.kind.starts_with("SelfSubject") {
            continue;
        }
        let object = |name: &str| {
            let mut metadata = json!({"name": name});
            if kind.namespaced {
                metadata["namespace"] = json!("default");
            }
            let object: Value = json!({"apiVersion": kind.api_version(), "kind": kind.kind,
                "metadata": metadata});
            object.to_string()
        };
        shell.write("x.yaml", object("x"));
        shell.write(
            "two.yaml",
            format!("{}\n---\n{}\n", object("x"), object("y")),
        );
        let what = match kind.group {
            "" => kind.plural.to_owned(),
            group => format!("{}.{}.{group}", kind.plural, kind.version),
        };
        for line in lines(kind, &what) {
            count += 1;
            is_refused(&shell, &line);
        }
    }
    assert_eq!(revision(&shell), before);
    // An empty registry would pass everything above.
    assert!(count > 1000, "{count}");
}

#[test]
fn read_only_user_changes_nothing() {
    let shell = Shell::new();
    shell.write(
        "new.yaml",
        "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: m}\n---\n\
         apiVersion: v1\nkind: Secret\nmetadata: {name: s}\n",
    );
    // The PEM block has a valid header but no real request, because authorization comes before the signer reads it.
    let request = "LS0tLS1CRUdJTiBDRVJUSUZJQ0FURSBSRVFVRVNULS0tLS0KTUlIYU1JR0JBZ0VBTUI4eERUQUxCZ05WQkFvTUJHTnlaWGN4RGpBTUJnTlZCQU1NQlhCcGJHOTBNRmt3RXdZSApLb1pJemowQ0FRWUlLb1pJemowREFRY0RRZ0FFMFZnZTFBaHVBS2EwWSt3NExwSVgzVVl4ZTlnVTRrS2x2UmwwCjNTdENRQ0V1RExvQWJuZHMyaHYvNENySWJvTUg0L212WURocUhpckYwYUxrNlJWQlY2QUFNQW9HQ0NxR1NNNDkKQkFNQ0EwZ0FNRVVDSVFEUGRvc1lMU1JFNzh2Rkk1aTNOVGpWRnhhNXY2KzJPZTc5aFdvbGhlSDI0QUlnRnpmWAprTWpzWDQ4NHc4WENBdU1ITmRicVVNTExJZkMrNldDd0pZRTNjMk09Ci0tLS0tRU5EIENFUlRJRklDQVRFIFJFUVVFU1QtLS0tLQo=";
    shell.write(
        "csr.yaml",
        format!(
            "apiVersion: certificates.k8s.io/v1\nkind: CertificateSigningRequest\nmetadata: {{name: c}}\n\
             spec: {{request: {request}, signerName: example.com/a, usages: [client auth]}}\n"
        ),
    );
    shell.all(&[
        "create -f @/csr.yaml",
        "run web --image=i",
        "create deployment web --image=i",
        // The user may read all kinds below, so that each command fails at its write and not at the read before it.
        "create clusterrole looks --verb=get,list --resource=pods,nodes,secrets,configmaps,serviceaccounts,services,deployments.apps,certificatesigningrequests.certificates.k8s.io",
        "create clusterrolebinding looks --clusterrole=looks --user=bob",
    ]);
    let before = revision(&shell);
    for line in [
        "apply -f @/new.yaml",
        "apply -f @/new.yaml --server-side",
        "apply -f @/new.yaml --dry-run=server",
        "create -f @/new.yaml",
        "replace --force -f @/new.yaml",
        "create secret generic s --from-literal=a=b",
        "create token default",
        "certificate approve c",
        "certificate deny c",
        "run other --image=i",
        "expose deployment web --port=80",
        "scale deployment web --replicas=2",
        "set image deployment web i=j",
        "set env deployment web A=b",
        "rollout restart deployment web",
        "taint node node-1 a=b:NoSchedule",
        "label pod web a=b",
        "annotate pod web a=b",
        "delete pod web",
        "delete --all pods",
        "logs web",
        "exec web -- true",
        "attach web",
        "create rolebinding b --clusterrole=cluster-admin --user=bob",
        "get pods -w --request-timeout=1ms",
        "get --raw /api/v1/namespaces/default/pods/web/log",
        "delete --raw /api/v1/namespaces/default/pods/web",
    ] {
        let said = shell.run(&format!("--as=bob {line}"));
        assert_eq!(said.code, 1, "{line}: {said:?}");
        assert!(
            said.err.contains("is forbidden: User \"bob\" cannot "),
            "{line}: {said:?}"
        );
    }
    // kubectl reports the error and continues with the next node.
    for line in ["cordon node-1", "drain node-1 --force"] {
        let said = shell.run(&format!("--as=bob {line}"));
        assert!(
            said.err.contains("cannot patch resource \"nodes\""),
            "{line}: {said:?}"
        );
    }
    assert_eq!(revision(&shell), before);
}

#[test]
fn group_impersonation_requires_a_user() {
    let shell = Shell::new();
    for flags in [
        "--as-group=g",
        "--as-uid=7",
        "--as-user-extra=a=b",
        "--as= --as-group=g",
    ] {
        let said = shell.run(&format!("get pods {flags}"));
        assert_eq!(
            (said.code, said.err.as_str()),
            (
                1,
                "error: requesting uid, groups or user-extra for admin \
                 without impersonating a user\n"
            ),
            "{flags}"
        );
    }
    // As a counterexample, a group is accepted together with a user.
    let _ = shell.run("get pods --as=ann --as-group=system:masters");
}
