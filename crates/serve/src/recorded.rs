//! Replays recorded requests in their original order and compares the code, reason, message, details and warnings.

use super::{Body, Request, Response, respond};
use crate::api::json::{Value, json};
use crate::cluster::testing::{Scratch, fresh, place};
use crate::cluster::{DeleteOptions, Part, WriteOptions, administrator};
use crate::kinds::admission::User;

const ROWS: &str = include_str!("../../../testdata/facts/http-errors.tsv");

/// Rows that differ for a reason that `docs/fidelity.md` states.
const UNEQUAL: &[&str] = &["h202"];

struct Row<'a> {
    id: &'a str,
    case: &'a str,
    method: &'a str,
    path: String,
    content_type: &'a str,
    accept: &'a str,
    body: String,
    code: u16,
    status: &'a str,
    reason: &'a str,
    message: Value,
    details: Value,
    headers: &'a str,
}

fn row(line: &str) -> Row<'_> {
    let cells: Vec<&str> = line.split('\t').collect();
    let json = |text: &str| match text {
        "" => Value::Null,
        text => serde_json::from_str(text).unwrap(),
    };
    Row {
        id: cells[0],
        case: cells[1],
        method: cells[2],
        path: cells[3].replace("\\n", "\n"),
        content_type: cells[4],
        accept: cells[5],
        body: cells[6].replace("\\n", "\n"),
        code: cells[7].parse().unwrap(),
        status: cells[8],
        reason: cells[9],
        message: json(cells[10]),
        details: json(cells[11]),
        headers: cells.get(12).copied().unwrap_or_default(),
    }
}

/// Returns true if both texts are equal. `UID`, `RV` and `TIME` match any text, and `…` matches the rest of the text.
fn fits(ours: &str, theirs: &str) -> bool {
    // Some messages contain a diff of Go structs, which is not reproduced.
    let theirs = match theirs.split_once("\n@@") {
        Some((before, _)) => before,
        None => theirs,
    };
    let (theirs, cut) = match theirs.strip_suffix('…') {
        Some(start) => (start, true),
        None => (theirs, false),
    };
    let marked = theirs
        .replace("UID", "\u{1}")
        .replace("TIME", "\u{1}")
        .replace("RV", "\u{1}");
    // Restores the words `UID` and `RV` where they belong to the message and are not placeholders.
    let marked = marked
        .replace("the \u{1} in", "the UID in")
        .replace("\u{1} in ", "UID in ");
    let mut rest = ours;
    let mut pieces = marked.split('\u{1}').peekable();
    let first = pieces.next().unwrap_or_default();
    let Some(after) = rest.strip_prefix(first) else {
        return false;
    };
    rest = after;
    while let Some(piece) = pieces.next() {
        if pieces.peek().is_none() && !cut {
            return rest.ends_with(piece);
        }
        let Some(at) = rest.find(piece) else {
            return false;
        };
        rest = &rest[at + piece.len()..];
    }
    cut || rest.is_empty()
}

fn same(ours: &Value, theirs: &Value) -> bool {
    match (ours, theirs) {
        // The recording leaves the cell of `details: {}` empty, as that of no details.
        (Value::Object(ours), Value::Null) => ours.is_empty(),
        (Value::String(ours), Value::String(theirs)) => fits(ours, theirs),
        (Value::Array(ours), Value::Array(theirs)) => {
            ours.len() == theirs.len() && ours.iter().zip(theirs).all(|(o, t)| same(o, t))
        }
        (Value::Object(ours), Value::Object(theirs)) => {
            ours.len() == theirs.len()
                && theirs
                    .iter()
                    .all(|(key, t)| ours.get(key).is_some_and(|o| same(o, t)))
        }
        (ours, theirs) => ours == theirs,
    }
}

fn warnings(headers: &str) -> Vec<String> {
    headers
        .split("; ")
        .filter_map(|header| header.strip_prefix("Warning: 299 - "))
        .map(|quoted| serde_json::from_str(quoted).unwrap())
        .collect()
}

/// Returns the difference, if there is one.
fn difference(row: &Row<'_>, ours: &Response) -> Option<String> {
    let text = row.message.as_str().unwrap_or_default();
    let (status, reason, message, details) = match &ours.body {
        Body::Text(text) => (
            String::new(),
            String::new(),
            format!("raw:{text}"),
            Value::Null,
        ),
        Body::Object(object) if object["kind"] == "Status" => (
            object["status"].as_str().unwrap_or_default().to_owned(),
            object["reason"].as_str().unwrap_or_default().to_owned(),
            object["message"].as_str().unwrap_or_default().to_owned(),
            object["details"].clone(),
        ),
        Body::Object(object) => {
            let kind = object["kind"].as_str().unwrap_or_default();
            (
                String::new(),
                String::new(),
                format!("kind={kind}"),
                Value::Null,
            )
        }
        other => panic!("{other:?}"),
    };
    let cut = row.details["truncated"] == true;
    let equal = ours.code == row.code
        && status == row.status
        && reason == row.reason
        && fits(&message, text)
        && (cut || same(&details, &row.details))
        && ours.warnings == warnings(row.headers);
    (!equal).then(|| {
        format!(
            "{} {}: {} {}\n   ours {} {status} {reason} {message} {details} {:?}\n   real {} {} {} {text} {} {:?}",
            row.id,
            row.case,
            row.method,
            row.path,
            ours.code,
            ours.warnings,
            row.code,
            row.status,
            row.reason,
            row.details,
            warnings(row.headers),
        )
    })
}

/// Returns the user and the body of a request. A row without a body contains headers instead.
fn sender<'r>(row: &'r Row<'_>) -> (User, &'r str) {
    let named = |name: &str, groups: &[&str]| User {
        name: name.to_owned(),
        groups: groups.iter().map(|group| (*group).to_owned()).collect(),
        ..User::default()
    };
    if let Some(body) = row.body.strip_suffix(" as bob") {
        return (named("bob", &["system:authenticated"]), body);
    }
    if !row.content_type.is_empty() || row.body.is_empty() {
        return (administrator(), &row.body);
    }
    let headers: Value = serde_json::from_str(&row.body).unwrap();
    let user = match headers["Impersonate-User"].as_str() {
        Some(name) => named(name, &["system:authenticated"]),
        None => named("system:anonymous", &["system:unauthenticated"]),
    };
    (user, "")
}

fn create(cluster: &Scratch, resource: &str, object: Value) {
    let options = WriteOptions::default();
    cluster.create(&place(resource), &object, &options).unwrap();
}

fn set_status(cluster: &Scratch, resource: &str, name: &str, status: Value) {
    let mut object = cluster.get(&place(resource), name).unwrap();
    object["status"] = status;
    let options = WriteOptions::default();
    cluster
        .replace(&place(resource), name, &object, Part::Status, &options)
        .unwrap();
}

fn remove(cluster: &Scratch, resource: &str, name: &str) {
    cluster
        .delete(&place(resource), name, &DeleteOptions::default())
        .unwrap();
}

fn deployment(name: &str) -> Value {
    json!({"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": name},
        "spec": {"selector": {"matchLabels": {"app": "a"}}, "template": {
            "metadata": {"labels": {"app": "a"}},
            "spec": {"containers": [{"name": "c", "image": "i"}]}}}})
}

fn pod(name: &str, containers: &[&str]) -> Value {
    let containers: Vec<Value> = containers
        .iter()
        .map(|c| json!({"name": c, "image": "i"}))
        .collect();
    json!({"apiVersion": "v1", "kind": "Pod", "metadata": {"name": name},
        "spec": {"containers": containers}})
}

fn budget(name: &str) -> Value {
    json!({"apiVersion": "policy/v1", "kind": "PodDisruptionBudget", "metadata": {"name": name},
        "spec": {"minAvailable": 1, "selector": {"matchLabels": {"app": "a"}}}})
}

/// Creates the cluster in its state before the first request.
fn recorded_on() -> Scratch {
    let cluster = fresh();
    let mut first = pod("p1", &["c"]);
    first["metadata"]["labels"] = json!({"app": "a"});
    let mut third = pod("p3", &["c", "d"]);
    third["spec"]["nodeName"] = json!("nn");
    for (resource, object) in [
        (
            "configmaps",
            json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "cm1"},
            "data": {"a": "b"}}),
        ),
        (
            "configmaps",
            json!({"apiVersion": "v1", "kind": "ConfigMap",
            "metadata": {"name": "fin", "finalizers": ["a.b/c"]}}),
        ),
        (
            "namespaces",
            json!({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "tns"}}),
        ),
        ("deployments", deployment("d1")),
        ("deployments", deployment("d2")),
        ("pods", first),
        ("pods", pod("p2", &["c"])),
        ("pods", third),
        ("pods", pod("p4", &["c"])),
    ] {
        create(&cluster, resource, object);
    }
    cluster
}

/// Grants a user a verb on resources in all namespaces.
fn bind(cluster: &Scratch, user: &str, resources: Value, verb: &str) {
    let group = "rbac.authorization.k8s.io";
    let rule = json!({"apiGroups": ["*"], "resources": resources, "verbs": [verb]});
    let role = json!({"apiVersion": format!("{group}/v1"), "kind": "ClusterRole",
        "metadata": {"name": user}, "rules": [rule]});
    create(cluster, "clusterroles", role);
    let binding = json!({"apiVersion": format!("{group}/v1"), "kind": "ClusterRoleBinding",
        "metadata": {"name": user},
        "subjects": [{"kind": "User", "apiGroup": group, "name": user}],
        "roleRef": {"kind": "ClusterRole", "apiGroup": group, "name": user}});
    create(cluster, "clusterrolebindings", binding);
}

/// Makes the changes that happened between the recorded requests.
fn before(cluster: &Scratch, id: &str) {
    let status = |allowed: i64| {
        json!({"observedGeneration": 1, "disruptionsAllowed": allowed, "currentHealthy": 1,
            "desiredHealthy": 1, "expectedPods": 1})
    };
    match id {
        "h146" => {
            let ready = json!([{"type": "Ready", "status": "True"}]);
            let running =
                json!({"phase": "Running", "qosClass": "BestEffort", "conditions": ready});
            set_status(cluster, "pods", "p1", running);
            create(cluster, "pdb", budget("b1"));
        }
        "h147" => set_status(cluster, "pdb", "b1", status(0)),
        "h149" => {
            let mut failed = status(0);
            failed["conditions"] = json!([{"type": "DisruptionAllowed", "status": "False",
                "reason": "SyncFailed", "message": "found no controllers for pod \"p1\"",
                "lastTransitionTime": "2026-01-01T00:00:00Z", "observedGeneration": 1}]);
            set_status(cluster, "pdb", "b1", failed);
        }
        "h150" => create(cluster, "pdb", budget("b2")),
        "h151" => {
            remove(cluster, "pdb", "b2");
            set_status(cluster, "pdb", "b1", status(1));
        }
        "h209" => bind(
            cluster,
            "system:kube-controller-manager",
            json!(["*"]),
            "get",
        ),
        "h210" => bind(cluster, "bob", json!(["roles", "rolebindings"]), "create"),
        "h188" => create(
            cluster,
            "quota",
            json!({"apiVersion": "v1", "kind": "ResourceQuota",
            "metadata": {"name": "q"}, "spec": {"hard": {"configmaps": "1"}}}),
        ),
        "h190" => {
            let hard = json!({"count/deployments.apps": "0", "limits.memory": "1Gi", "pods": "1",
                "requests.cpu": "1", "services.nodeports": "0"});
            let used: Value = hard
                .as_object()
                .unwrap()
                .keys()
                .map(|k| (k.clone(), json!("0")))
                .collect();
            set_status(cluster, "quota", "q", json!({"hard": hard, "used": used}));
        }
        "h196" => {
            remove(cluster, "quota", "q");
            create(
                cluster,
                "limits",
                json!({"apiVersion": "v1", "kind": "LimitRange",
                "metadata": {"name": "l"}, "spec": {"limits": [
                    {"type": "Container", "max": {"cpu": "1"}, "min": {"cpu": "100m"},
                        "maxLimitRequestRatio": {"cpu": "2"}},
                    {"type": "Pod", "max": {"cpu": "1500m"}},
                    {"type": "PersistentVolumeClaim", "min": {"storage": "1Gi"},
                        "max": {"storage": "5Gi"}},
                ]}}),
            );
        }
        _ => {}
    }
}

#[test]
fn recorded_requests_are_answered_as_recorded() {
    let cluster = recorded_on();
    let mut wrong = Vec::new();
    let mut unequal = Vec::new();
    let rows: Vec<Row<'_>> = ROWS.lines().skip(1).map(row).collect();
    for row in &rows {
        before(&cluster, row.id);
        let (user, body) = sender(row);
        let request = Request {
            method: row.method,
            path: &row.path,
            content_type: row.content_type,
            accept: row.accept,
            accept_encoding: "",
            if_none_match: "",
            user_agent: "",
            body: body.as_bytes(),
            user,
            impersonation: None,
            host: "",
            nodes: None,
            notes: None,
            metrics: None,
            tokens: None,
            process: None,
            memory: None,
            takes_bytes: false,
        };
        if let Some(difference) = difference(row, &respond(&cluster, &request)) {
            unequal.push(row.id);
            wrong.push(difference);
        }
    }
    println!(
        "requests: {} of {} equal",
        rows.len() - unequal.len(),
        rows.len()
    );
    println!("{}", wrong.join("\n"));
    assert_eq!(unequal, UNEQUAL);
}
