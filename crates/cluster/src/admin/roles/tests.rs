use super::*;

fn rules(name: &str) -> &'static [Value] {
    &ROLES.iter().find(|role| role.is(name)).unwrap().rules
}

#[test]
fn role_table_is_complete_and_roles_aggregate_parts() {
    for (text, roles) in [(TABLE, &*ROLES), (COMPONENTS, &table(COMPONENTS))] {
        let word = |line: &str| line.split(' ').next().unwrap().to_owned();
        let is_rule = |line: &&str| ["rules", "paths", "events"].contains(&&*word(line));
        let own: usize = roles
            .iter()
            .filter(|r| !SUMS.contains(&r.name.1))
            .map(|r| r.rules.len())
            .sum();
        assert_eq!(text.lines().filter(is_rule).count(), own);
    }
    let holds = |sum: &str, part: &str| rules(part).iter().all(|rule| rules(sum).contains(rule));
    assert!(holds("view", "system:aggregate-to-view"));
    assert!(holds("edit", "view") && holds("edit", "system:aggregate-to-edit"));
    assert!(holds("admin", "edit") && holds("admin", "system:aggregate-to-admin"));
    assert!(!holds("edit", "system:aggregate-to-admin"));
}

#[test]
fn only_administrators_may_do_everything() {
    let everything = |role: &&Role| {
        let all = json!(["*"]);
        let whole = |rule: &Value| rule["verbs"] == all && rule["resources"] == all;
        role.rules.iter().any(whole)
    };
    let components = table(COMPONENTS);
    let every = ROLES.iter().chain(&components);
    let found: Vec<String> = every.filter(everything).map(Role::name).collect();
    assert_eq!(found, ["cluster-admin"]);
    let all = objects();
    let (_, _, first) = all
        .iter()
        .find(|(kind, ..)| *kind == "ClusterRoleBinding")
        .unwrap();
    assert_eq!(first["subjects"][0]["name"], "system:masters");
    let mut roles = all.iter().filter(|(kind, ..)| kind.ends_with("Role"));
    assert!(roles.all(|(.., role)| role["rules"].as_array().is_some_and(|r| !r.is_empty())));
}

#[test]
fn each_component_is_bound_to_its_role() {
    let all = defaults();
    let is_binding = |object: &Value| object["kind"].as_str().unwrap().ends_with("Binding");
    let binding = |name: &str| {
        let own = |object: &&Value| is_binding(object) && object["metadata"]["name"] == name;
        all.iter().find(own).unwrap()
    };
    let job = binding("system:controller:job-controller");
    assert_eq!(
        job["subjects"],
        json!([{"kind": "ServiceAccount", "name": "job-controller", "namespace": "kube-system"}])
    );
    assert_eq!(job["roleRef"]["name"], "system:controller:job-controller");
    assert_eq!(binding("system:node").get("subjects"), None);
    let reader = binding("system::extension-apiserver-authentication-reader");
    assert_eq!(reader["roleRef"]["kind"], "Role");
    assert_eq!(
        reader["roleRef"]["name"],
        "extension-apiserver-authentication-reader"
    );
    let count = |kind: &str| all.iter().filter(|o| o["kind"] == kind).count();
    let counts = ["ClusterRole", "ClusterRoleBinding", "Role", "RoleBinding"].map(count);
    assert_eq!(counts, [69, 50, 7, 7]);
}

/// The roles and bindings of a server of Kubernetes 1.36 with its default feature gates: see the first line.
const EXPECTED: &str = include_str!("expected.txt");

#[test]
fn default_roles_and_bindings_are_those_of_kubernetes_1_36() {
    let all = defaults();
    let mut lines: Vec<String> = all
        .iter()
        .filter(|object| object.get("rules").is_some())
        .map(|role| line(role, &all))
        .collect();
    lines.sort();
    let expected: Vec<&str> = EXPECTED.lines().filter(|l| !l.starts_with('#')).collect();
    assert_eq!(lines, expected);
}

/// Returns the line of a role in the table: what its rules grant and who is bound to it.
fn line(role: &Value, all: &[Value]) -> String {
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let count = |rule: &Value, field: &str| rule[field].as_array().map_or(1, |all| all.len());
    let rules = role["rules"].as_array().unwrap();
    let granted = |rule: &Value| {
        let fields = [
            "verbs",
            "apiGroups",
            "resources",
            "resourceNames",
            "nonResourceURLs",
        ];
        fields
            .iter()
            .map(|field| count(rule, field))
            .product::<usize>()
    };
    let labels = role["metadata"]["labels"].as_object().unwrap();
    let part = labels
        .iter()
        .find_map(|(key, _)| key.split_once("/aggregate-to-"));
    let is_binding = |object: &&Value| {
        object["roleRef"]["name"] == role["metadata"]["name"]
            && object["metadata"]["namespace"] == role["metadata"]["namespace"]
    };
    let bound: Vec<String> = all
        .iter()
        .filter(is_binding)
        .flat_map(|object| match object["subjects"].as_array() {
            Some(subjects) => subjects.iter().map(|s| text(&s["name"])).collect(),
            None => vec!["nobody".to_owned()],
        })
        .collect();
    let place = text(&role["metadata"]["namespace"]);
    let granted: usize = rules.iter().map(granted).sum();
    let mut words = vec![format!("{place}/{}", text(&role["metadata"]["name"]))];
    words.push(format!("{} {granted}", rules.len()));
    words.extend(part.map(|(_, sum)| format!("to {sum}")));
    words.extend((!bound.is_empty()).then(|| format!("bound {}", bound.join(" "))));
    words.join(" ")
}

#[test]
fn roles_grant_what_1_36_added() {
    let all = defaults();
    let allows = |role: &str, verb: &str, group: &str, resource: &str| {
        let is_role =
            |object: &&Value| object.get("rules").is_some() && object["metadata"]["name"] == role;
        let role = all.iter().find(is_role).unwrap();
        role["rules"].as_array().unwrap().iter().any(|rule| {
            let has = |field: &str, value: &str| {
                rule[field]
                    .as_array()
                    .is_some_and(|values| values.iter().any(|v| v == value))
            };
            has("verbs", verb) && has("apiGroups", group) && has("resources", resource)
        })
    };
    for (role, verb, group, resource) in [
        ("view", "list", "events.k8s.io", "events"),
        ("view", "get", "resource.k8s.io", "resourceclaims/status"),
        ("edit", "create", "events.k8s.io", "events"),
        (
            "edit",
            "delete",
            "resource.k8s.io",
            "resourceclaimtemplates",
        ),
        ("admin", "patch", "resource.k8s.io", "resourceclaims"),
        ("system:monitoring", "get", "", "nodes/metrics"),
        ("system:kubelet-api-admin", "*", "", "nodes/pods"),
        (
            "system:kube-scheduler",
            "patch",
            "resource.k8s.io",
            "resourceclaims/binding",
        ),
        (
            "system:kube-scheduler",
            "create",
            "resource.k8s.io",
            "resourceclaims",
        ),
        (
            "system:kube-scheduler",
            "update",
            "coordination.k8s.io",
            "leasecandidates",
        ),
        ("system:node", "create", "events.k8s.io", "events"),
        ("system:node", "get", "", "serviceaccounts"),
    ] {
        assert!(
            allows(role, verb, group, resource),
            "{role} {verb} {resource}"
        );
    }
    // Nodes publish slices through their drivers' own accounts, and only clean up.
    assert!(!allows(
        "system:node",
        "create",
        "resource.k8s.io",
        "resourceslices"
    ));
    assert!(allows(
        "system:node",
        "deletecollection",
        "resource.k8s.io",
        "resourceslices"
    ));
}
