use super::*;
use crate::api::json::{Value, json};
use crate::cli::testing::Shell;

/// Returns a shell with the flag enabled.
fn shell() -> Shell {
    let shell = Shell::new().with(|root| root.mut_subcommand("apply", with_flag));
    shell.all(&["create ns shop"]);
    let map = |name: &str| {
        json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name}}).to_string()
    };
    shell.write("a.yaml", map("a"));
    shell.write("b.yaml", map("b"));
    shell
}

/// Returns the kinds and the other namespaces that the parent lists.
fn extent(shell: &Shell, parent: &str) -> (String, String) {
    let parent = shell.json(&format!("get {parent}"));
    let annotation = |name: &str| {
        let text = &parent["metadata"]["annotations"][format!("applyset.kubernetes.io/{name}")];
        text.as_str().unwrap().to_owned()
    };
    (
        annotation("contains-group-kinds"),
        annotation("additional-namespaces"),
    )
}

const APPLY: &str = "apply -n shop --prune --applyset=set";

#[test]
fn applyset_flag_is_unknown_without_the_environment_variable() {
    let shell = Shell::new();
    shell.refuses(&[(
        "apply -f @/a.yaml --prune --applyset=a",
        "unknown flag: --applyset\nSee 'kubectl apply --help' for usage.",
    )]);
}

#[test]
fn removed_members_are_pruned_and_dropped_from_the_parent() {
    let shell = shell();
    let both = shell.out(&format!("{APPLY} -f @/a.yaml -f @/b.yaml"));
    assert_eq!(both, "configmap/a created\nconfigmap/b created\n");
    let id = shell.json("get secret set -n shop")["metadata"]["labels"][applyset::ID].clone();
    let member = shell.json("get cm a -n shop");
    assert_eq!(member["metadata"]["labels"], json!({applyset::PART_OF: id}));
    shell.write(
        "s.yaml",
        r#"{"apiVersion": "v1", "kind": "ServiceAccount", "metadata": {"name": "s"}}"#,
    );
    let out = shell.out(&format!("{APPLY} -f @/a.yaml -f @/s.yaml"));
    assert_eq!(
        out,
        "configmap/a unchanged\nserviceaccount/s created\nconfigmap/b pruned\n"
    );
    let pair = ("ConfigMap,ServiceAccount".to_owned(), String::new());
    assert_eq!(extent(&shell, "secret set -n shop"), pair);
    let out = shell.out(&format!("{APPLY} -f @/s.yaml -o name"));
    assert_eq!(out, "serviceaccount/s\nconfigmap/a\n");
    let pair = ("ServiceAccount".to_owned(), String::new());
    assert_eq!(extent(&shell, "secret set -n shop"), pair);
}

#[test]
fn parent_fields_belong_to_the_applyset_field_manager() {
    let shell = shell();
    for how in ["", " --server-side"] {
        let done = if how.is_empty() {
            "created"
        } else {
            "serverside-applied"
        };
        let out = shell.out(&format!("{APPLY}{} -f @/a.yaml{how}", done.len()));
        assert_eq!(out, format!("configmap/a {done}\n"));
        let parent = shell.json(&format!(
            "get secret set{} -n shop --show-managed-fields",
            done.len()
        ));
        let managed = parent["metadata"]["managedFields"].as_array().unwrap();
        assert_eq!(managed.len(), 1);
        assert_eq!(managed[0]["manager"], "kubectl-applyset");
        assert_eq!(managed[0]["operation"], "Apply");
        let tooling = &parent["metadata"]["annotations"]["applyset.kubernetes.io/tooling"];
        assert_eq!(tooling, "kubectl/v1.36.2");
    }
}

#[test]
fn applyset_rejects_the_flags_and_parents_kubectl_rejects() {
    let shell = shell();
    shell.refuses(&[
        (
            "apply -f @/a.yaml -n shop --applyset=doesnotexist/a",
            "invalid parent reference \"doesnotexist/a\": no matches for /, Resource=doesnotexist",
        ),
        (
            "apply -f @/a.yaml -n shop --prune --applyset=secret/",
            "invalid parent reference \"secret/\": name cannot be blank",
        ),
        (
            "apply -f @/a.yaml -n shop --applyset=a",
            "--applyset requires --prune",
        ),
        (
            "apply -f @/a.yaml --prune --applyset=a",
            "namespace is required to use namespace-scoped ApplySet",
        ),
        (
            "apply -f @/a.yaml -n shop --prune --applyset=a --all",
            "--all is incompatible with --applyset",
        ),
        (
            "apply -f @/a.yaml -n shop --prune --applyset=a -l a=b",
            "--selector is incompatible with --applyset",
        ),
        (
            "apply -f @/a.yaml -n shop --prune --applyset=a --prune-allowlist=core/v1/Pod",
            "--prune-allowlist is incompatible with --applyset",
        ),
        (
            "apply -f @/a.yaml -n shop --prune --applyset=a --prune-allowlist=Pod",
            "invalid GroupVersionKind format: Pod, please follow <group/version/kind>",
        ),
        (
            "apply -f @/a.yaml -n shop --prune --applyset=a --force",
            "--force cannot be used with --prune",
        ),
        (
            "apply -f @/a.yaml -n shop --prune --applyset=namespaces/a",
            "resource \"/v1, Resource=namespaces\" is not permitted as an ApplySet parent",
        ),
        (
            "apply -f @/a.yaml --prune --applyset=deployments.apps/a",
            "namespace is required to use namespace-scoped ApplySet\nresource \"apps/v1, \
             Resource=deployments\" is not permitted as an ApplySet parent",
        ),
        (
            "apply -f @/a.yaml -n shop --prune --applyset=secrets/a/b",
            "failed to fetch ApplySet parent object \"secrets./a/b\": invalid resource name \
             \"a/b\": [may not contain '/']",
        ),
        (
            "apply -f @/a.yaml -n nowhere --prune --applyset=a",
            "failed to update ApplySet: namespaces \"nowhere\" not found",
        ),
        (
            "apply -f @/a.yaml -n shop --prune --applyset=a --as=bob",
            "failed to fetch ApplySet parent object \"secrets./a\": secrets \"a\" is forbidden: \
             User \"bob\" cannot get resource \"secrets\" in API group \"\" in the namespace \
             \"shop\"",
        ),
    ]);
    assert_eq!(shell.run("get cm a -n shop").code, 1);
}

#[test]
fn object_without_tooling_annotation_is_rejected_as_parent() {
    let shell = shell();
    shell.all(&["create secret generic plain -n shop"]);
    shell.refuses(&[(
        "apply -f @/a.yaml -n shop --prune --applyset=plain",
        "ApplySet parent object \"secrets./plain\" already exists and is missing required \
         annotation \"applyset.kubernetes.io/tooling\"",
    )]);
    shell.all(&[
        &format!("{APPLY} -f @/a.yaml"),
        "annotate secret set -n shop --overwrite applyset.kubernetes.io/tooling=helm/v3",
    ]);
    shell.refuses(&[(
        &format!("{APPLY} -f @/b.yaml"),
        "ApplySet parent object \"secrets./set\" already exists and is managed by tooling \"helm\" \
         instead of \"kubectl\"",
    )]);
    assert_eq!(shell.run("get cm b -n shop").code, 1);
}

#[test]
fn conflicting_parent_fields_are_forced_with_a_warning() {
    let shell = shell();
    shell.all(&[
        &format!("{APPLY} -f @/a.yaml"),
        "annotate secret set -n shop --overwrite applyset.kubernetes.io/tooling=kubectl/v9",
    ]);
    let said = shell.run(&format!("{APPLY} -f @/a.yaml"));
    assert_eq!(
        (said.code, said.out.as_str()),
        (0, "configmap/a unchanged\n")
    );
    assert_eq!(
        said.err,
        "WARNING: failed to update ApplySet: Apply failed with 1 conflict: conflict with \
         \"kubectl-annotate\" using v1: .metadata.annotations.applyset.kubernetes.io/tooling\n\
         ApplySet field manager kubectl-applyset should own these fields. Retrying with conflicts \
         forced.\n"
    );
}

#[test]
fn manifest_with_part_of_label_is_rejected() {
    let shell = shell();
    shell.write(
        "own.yaml",
        r#"{"apiVersion": "v1", "kind": "ConfigMap", "metadata":
            {"name": "own", "labels": {"applyset.kubernetes.io/part-of": "x"}}}"#,
    );
    shell.refuses(&[(
        &format!("{APPLY} -f @/a.yaml -f @/own.yaml"),
        "ApplySet label \"applyset.kubernetes.io/part-of\" already set in input data",
    )]);
    assert_eq!(shell.out("get cm -n shop -o name --ignore-not-found"), "");
    assert_eq!(extent(&shell, "secret set -n shop").0, "");
}

#[test]
fn a_member_of_another_set_moves_over_as_with_kubectl() {
    let shell = shell();
    shell.all(&[&format!("{APPLY}1 -f @/a.yaml")]);
    assert_eq!(
        shell.out(&format!("{APPLY}2 -f @/a.yaml")),
        "configmap/a configured\n"
    );
    // The first set finds its members by their label, which `a` no longer has.
    assert_eq!(
        shell.out(&format!("{APPLY}1 -f @/b.yaml")),
        "configmap/b created\n"
    );
    assert_eq!(
        shell.out(&format!("{APPLY}2 -f @/b.yaml")),
        "configmap/b configured\nconfigmap/a pruned\n"
    );
}

#[test]
fn member_owned_by_another_manager_requires_force_conflicts() {
    let shell = shell();
    let one = "--server-side --field-manager=one -f @/a.yaml";
    shell.all(&[&format!("{APPLY}1 {one}")]);
    let two = one.replace("=one", "=two");
    let refused = shell.fails(&format!("{APPLY}2 {two}"));
    assert!(
        refused.contains(
            "Apply failed with 1 conflict: conflict with \"one\": \
             .metadata.labels.applyset.kubernetes.io/part-of"
        ),
        "{refused}"
    );
    let out = shell.out(&format!("{APPLY}2 {two} --force-conflicts"));
    assert_eq!(out, "configmap/a serverside-applied\n");
}

#[test]
fn a_dry_run_writes_neither_parent_nor_members() {
    let shell = shell();
    for (how, suffix) in [("client", "dry run"), ("server", "server dry run")] {
        let out = shell.out(&format!("{APPLY} -f @/a.yaml --dry-run={how}"));
        assert_eq!(out, format!("configmap/a created ({suffix})\n"));
    }
    assert_eq!(
        shell.out("get secret -n shop -o name --ignore-not-found"),
        ""
    );
    shell.all(&[&format!("{APPLY} -f @/a.yaml")]);
    let before = shell.json("get secret set -n shop");
    for (how, suffix) in [("client", "dry run"), ("server", "server dry run")] {
        let out = shell.out(&format!("{APPLY} -f @/b.yaml --dry-run={how}"));
        let pruned = format!("configmap/b created ({suffix})\nconfigmap/a pruned ({suffix})\n");
        assert_eq!(out, pruned);
    }
    assert_eq!(shell.json("get secret set -n shop"), before);
    shell.all(&["get cm a -n shop"]);
}

#[test]
fn a_dry_run_on_the_client_needs_no_cluster() {
    let shell = Shell::empty().with(|root| root.mut_subcommand("apply", with_flag));
    shell.write(
        "a.yaml",
        r#"{"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "a"}}"#,
    );
    let out = shell.out(&format!("{APPLY} -f @/a.yaml --dry-run=client"));
    assert_eq!(out, "configmap/a created (dry run)\n");
    assert!(!shell.state().exists());
}

#[test]
fn failed_prune_keeps_remaining_kinds_in_the_parent() {
    let shell = shell();
    shell.write(
        "ns.yaml",
        r#"{"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "n"}}"#,
    );
    let all = "-f @/a.yaml -f @/ns.yaml";
    shell.all(&[
        &format!("{APPLY} {all}"),
        "create clusterrole some --verb=get,list,create,update,patch --resource=secrets,configmaps",
        "create clusterrole see --verb=get,list,delete --resource=namespaces",
        "create clusterrolebinding some --clusterrole=some --user=bob",
        "create clusterrolebinding see --clusterrole=see --user=bob",
    ]);
    shell.refuses(&[(
        &format!("{APPLY} -f @/b.yaml --as=bob"),
        "pruning ConfigMap shop/a: configmaps \"a\" is forbidden: User \"bob\" cannot delete \
         resource \"configmaps\" in API group \"\" in the namespace \"shop\"",
    )]);
    assert_eq!(
        extent(&shell, "secret set -n shop").0,
        "ConfigMap,Namespace"
    );
    let out = shell.out(&format!("{APPLY} -f @/b.yaml"));
    assert_eq!(
        out,
        "configmap/b unchanged\nconfigmap/a pruned\nnamespace/n pruned\n"
    );
    assert_eq!(extent(&shell, "secret set -n shop").0, "ConfigMap");
}

#[test]
fn failed_apply_prunes_nothing() {
    let shell = shell();
    shell.write(
        "bad.yaml",
        r#"{"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "B_"}}"#,
    );
    shell.all(&[&format!("{APPLY} -f @/a.yaml")]);
    assert_eq!(
        shell
            .run(&format!("{APPLY} -f @/b.yaml -f @/bad.yaml"))
            .code,
        1
    );
    shell.all(&["get cm a -n shop"]);
    assert_eq!(extent(&shell, "secret set -n shop").0, "ConfigMap,Secret");
}

/// Creates a definition of cluster-scoped parents, and one such parent.
fn custom(shell: &Shell) {
    let definition = json!({
        "apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
        "metadata": {"name": "applysets.company.com"},
        "spec": {
            "group": "company.com", "scope": "Cluster",
            "names": {"kind": "ApplySet", "plural": "applysets", "singular": "applyset"},
            "versions": [{
                "name": "v1", "served": true, "storage": true,
                "schema": {"openAPIV3Schema": {"type": "object"}},
            }],
        },
    });
    shell.write("crd.yaml", definition.to_string());
    shell.all(&["apply -f @/crd.yaml"]);
}

#[test]
fn cluster_scoped_parent_has_members_in_several_namespaces() {
    let shell = shell();
    custom(&shell);
    let apply = "apply --prune --applyset=applysets.company.com/set";
    let refused = shell.fails(&format!("{apply} -f @/a.yaml"));
    assert!(
        refused.contains("resource \"company.com/v1, Resource=applysets\" is not permitted"),
        "{refused}"
    );
    shell.all(&["label crd applysets.company.com applyset.kubernetes.io/is-parent-type=true"]);
    shell.refuses(&[(
        &format!("{apply} -f @/a.yaml"),
        "custom resource ApplySet parents cannot be created automatically",
    )]);
    let id = "applyset-M5yDcUBzpyN5ltIQLbCXt3JtkuBw21BcQc--Y-hZGqw-v1";
    let parent: Value = json!({
        "apiVersion": "company.com/v1", "kind": "ApplySet",
        "metadata": {
            "name": "set",
            "labels": {applyset::ID: id},
            "annotations": {
                "applyset.kubernetes.io/tooling": "kubectl/v1.30.0",
                "applyset.kubernetes.io/contains-group-resources": "configmaps",
            },
        },
    });
    shell.write("parent.yaml", parent.to_string());
    shell.all(&["create -f @/parent.yaml"]);
    shell.write("two.yaml", r#"{"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "two", "namespace": "shop"}}"#);
    let said = shell.run(&format!("{apply} -f @/a.yaml -f @/two.yaml"));
    assert_eq!(
        said.out, "configmap/a created\nconfigmap/two created\n",
        "{said:?}"
    );
    let pair = ("ConfigMap".to_owned(), "default,shop".to_owned());
    assert_eq!(extent(&shell, "applysets set"), pair);
    let out = shell.out(&format!("{apply} -f @/a.yaml"));
    assert_eq!(out, "configmap/a unchanged\nconfigmap/two pruned\n");
    assert_eq!(extent(&shell, "applysets set").1, "default");
}
