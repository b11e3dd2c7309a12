use super::*;
use crate::find;

fn catalogue() -> Catalogue {
    Catalogue::default()
}

fn parent(text: &str, namespace: &str) -> Parent {
    let parent = Parent::parse(text, &catalogue()).unwrap();
    Parent {
        namespace: namespace.to_owned(),
        ..parent
    }
}

fn kind(group: &str, kind: &str) -> &'static Kind {
    find(group, "v1", kind).unwrap()
}

/// Returns a valid live parent after a change of its metadata.
fn live(parent: &Parent, change: impl FnOnce(&mut Value)) -> Value {
    let mut extent = Extent::default();
    extent.add(kind("apps", "Deployment"), "shop");
    extent.add(kind("", "Namespace"), "");
    let mut live = parent.with(&extent, "v1.27.0");
    change(&mut live["metadata"]);
    live
}

#[test]
fn a_set_has_the_id_that_kubectl_gives_it() {
    for (text, namespace, id) in [
        (
            "my-set",
            "test",
            "applyset-0eFHV8ySqp7XoShsGvyWFQD3s96yqwHmzc4e0HR1dsY-v1",
        ),
        (
            "simple",
            "test",
            "applyset-bjd1LnyQq0mtUu-riZCqjDQOmh0iNb9O2RcuT12WR0k-v1",
        ),
    ] {
        assert_eq!(parent(text, namespace).id(), id, "{text}");
    }
    let custom: &'static Kind = Box::leak(Box::new(Kind {
        group: "company.com",
        kind: "ApplySet",
        plural: "applysets",
        namespaced: false,
        ..*kind("", "Namespace")
    }));
    let parent = Parent {
        kind: custom,
        namespace: String::new(),
        name: "my-set".to_owned(),
    };
    let id = "applyset-rhp1a-HVAVT_dFgyEygyA1BEB82HPp2o10UiFTpqtAs-v1";
    assert_eq!(parent.id(), id);
    assert_eq!(parent.to_string(), "applysets.company.com/my-set");
}

#[test]
fn parent_reference_defaults_to_a_secret() {
    for (text, shown, built_in) in [
        ("a", "secrets./a", true),
        ("secret/a", "secrets./a", true),
        ("Secrets/a", "secrets./a", true),
        ("cm/a", "configmaps./a", true),
        ("deploy.apps/a", "deployments.apps/a", false),
        ("deployments.ap/a/b", "deployments.apps/a/b", false),
        ("namespaces/a", "namespaces./a", false),
    ] {
        let parent = Parent::parse(text, &catalogue()).unwrap();
        assert_eq!(parent.to_string(), shown, "{text}");
        assert_eq!(parent.is_built_in(), built_in, "{text}");
    }
    for (text, why) in [
        ("secret/", "name cannot be blank"),
        ("doesnotexist/a", "no matches for /, Resource=doesnotexist"),
        ("pods.v1/a", "no matches for v1/, Resource=pods"),
        ("x.y.z/a", "no matches for y.z/, Resource=x"),
    ] {
        assert_eq!(Parent::parse(text, &catalogue()).unwrap_err(), why);
    }
}

#[test]
fn only_labeled_crd_allows_custom_parents() {
    let parent = parent("deployments.apps/a", "b");
    let definition =
        |name: &str, value: Value| json!({"metadata": {"name": name, "labels": value}});
    let marked = definition("deployments.apps", json!({PARENT_TYPE: "false"}));
    parent.check_definitions(&[marked]).unwrap();
    let why = "resource \"apps/v1, Resource=deployments\" is not permitted as an ApplySet parent";
    let others = [
        definition("deployments.app", json!({PARENT_TYPE: "true"})),
        definition("deployments.apps", json!({"a": "b"})),
    ];
    assert_eq!(parent.check_definitions(&others).unwrap_err(), why);
}

#[test]
fn a_parent_records_its_extent_and_reads_it_back() {
    let parent = parent("set", "shop");
    let mut extent = Extent::default();
    extent.add(kind("", "Secret"), "shop");
    extent.add(kind("", "ConfigMap"), "zoo");
    extent.add(kind("apps", "Deployment"), "bar");
    extent.add(kind("", "Namespace"), "");
    let object = parent.with(&extent, "v1.36.2");
    let expected = json!({
        "apiVersion": "v1", "kind": "Secret",
        "metadata": {
            "name": "set", "namespace": "shop",
            "annotations": {
                TOOLING: "kubectl/v1.36.2",
                KINDS: "ConfigMap,Deployment.apps,Namespace,Secret",
                NAMESPACES: "bar,zoo",
            },
            "labels": {ID: parent.id()},
        },
    });
    assert_eq!(object, expected);
    let read = parent.read(&object, &catalogue()).unwrap();
    assert_eq!(read, extent);
    let places: Vec<String> = read
        .places()
        .unwrap()
        .iter()
        .map(|(k, n)| format!("{}/{n}", k.kind))
        .collect();
    assert_eq!(
        places[..4],
        [
            "ConfigMap/bar",
            "ConfigMap/shop",
            "ConfigMap/zoo",
            "Deployment/bar"
        ]
    );
    assert_eq!(places[6], "Namespace/");
    assert_eq!(places.len(), 10);
}

#[test]
fn the_union_of_extents_contains_both() {
    let (mut a, mut b) = (Extent::default(), Extent::default());
    a.add(kind("", "Secret"), "x");
    b.add(kind("", "ConfigMap"), "y");
    b.add(kind("", "Secret"), "x");
    let object = parent("set", "x").with(&a.and(&b), "v1");
    assert_eq!(object["metadata"]["annotations"][KINDS], "ConfigMap,Secret");
    assert_eq!(object["metadata"]["annotations"][NAMESPACES], "y");
}

#[test]
fn group_resources_annotation_is_the_fallback_for_group_kinds() {
    let parent = parent("set", "shop");
    let older = |text: &str| {
        live(&parent, |meta| {
            meta["annotations"].as_object_mut().unwrap().remove(KINDS);
            meta["annotations"][RESOURCES] = json!(text);
        })
    };
    let read = parent
        .read(&older("secrets,deployments.apps"), &catalogue())
        .unwrap();
    let kinds: Vec<&String> = read.kinds.keys().collect();
    assert_eq!(kinds, ["Deployment.apps", "Secret"]);
    let why = "parsing ApplySet annotation on \"secrets./set\": invalid group resource in \
               \"applyset.kubernetes.io/contains-group-resources\" annotation: no matches for \
               x/, Resource=boats";
    assert_eq!(
        parent.read(&older("boats.x"), &catalogue()).unwrap_err(),
        why
    );
    let why = "parsing ApplySet annotation on \"secrets./set\": kubectl requires the \
               \"applyset.kubernetes.io/contains-group-kinds\" annotation to be set on all \
               ApplySet parent objects";
    assert_eq!(parent.read(&older(""), &catalogue()).unwrap_err(), why);
}

#[test]
fn an_empty_annotation_is_an_empty_set() {
    let parent = parent("set", "shop");
    let empty = live(&parent, |meta| {
        meta["annotations"][KINDS] = json!("");
        meta["annotations"][NAMESPACES] = json!("");
    });
    let read = parent.read(&empty, &catalogue()).unwrap();
    assert!(read.places().unwrap().is_empty());
    assert_eq!(read.namespaces.into_iter().collect::<Vec<_>>(), ["shop"]);
    let odd = live(&parent, |meta| {
        meta["annotations"][NAMESPACES] = json!("a,,b")
    });
    let read = parent.read(&odd, &catalogue()).unwrap();
    let why =
        "unexpectedly encountered empty namespace during prune of namespace-scoped resource 0";
    assert_eq!(read.places().unwrap_err(), why);
}

#[test]
fn invalid_parent_labels_and_annotations_are_rejected() {
    let parent = parent("my-set", "test");
    let already = "ApplySet parent object \"secrets./my-set\" already exists and is";
    let exists = "ApplySet parent object \"secrets./my-set\" exists and";
    let managed =
        |tool: &str| format!("{already} managed by tooling {tool:?} instead of \"kubectl\"");
    let cases: [(&str, Value, String); 7] = [
        (
            TOOLING,
            Value::Null,
            format!("{already} missing required annotation \"applyset.kubernetes.io/tooling\""),
        ),
        (TOOLING, json!("helm/v3"), managed("helm")),
        (TOOLING, json!("helm"), managed("helm")),
        (
            TOOLING,
            json!("example.com/tool/why/v1"),
            managed("example.com/tool/why"),
        ),
        (
            ID,
            Value::Null,
            format!("{exists} does not have required label applyset.kubernetes.io/id"),
        ),
        (
            ID,
            json!("somethingelse"),
            format!(
                "{exists} has incorrect value for label \"applyset.kubernetes.io/id\" (got: \
                 somethingelse, want: {})",
                parent.id()
            ),
        ),
        (
            KINDS,
            json!("Secret,does-not-exist"),
            "parsing ApplySet annotation on \"secrets./my-set\": could not find mapping for kind \
             in \"applyset.kubernetes.io/contains-group-kinds\" annotation: no matches for kind \
             \"does-not-exist\" in group \"\""
                .to_owned(),
        ),
    ];
    for (name, value, why) in cases {
        let part = if name == ID { "labels" } else { "annotations" };
        let odd = live(&parent, |meta| {
            let map = meta[part].as_object_mut().unwrap();
            map.remove(name);
            if !value.is_null() {
                map.insert(name, value);
            }
        });
        assert_eq!(parent.read(&odd, &catalogue()).unwrap_err(), why);
    }
    let good = live(&parent, |_| {});
    parent.read(&good, &catalogue()).unwrap();
}

#[test]
fn member_with_an_apply_set_label_is_rejected() {
    let mut object = json!({"kind": "ConfigMap"});
    mark(&mut object, "a").unwrap();
    assert_eq!(object["metadata"]["labels"], json!({PART_OF: "a"}));
    let why = "ApplySet label \"applyset.kubernetes.io/part-of\" already set in input data";
    assert_eq!(mark(&mut object, "a").unwrap_err(), why);
    let mut object = json!({"metadata": {"labels": {"x": "y"}}});
    mark(&mut object, "a").unwrap();
    assert_eq!(
        object["metadata"]["labels"],
        json!({PART_OF: "a", "x": "y"})
    );
}
