//! Every way into the library, for every kind, as a user to whom no role is bound.

use super::*;
use crate::Cluster;
use crate::api::json::{Value, json};
use crate::kinds::{Kind, registry};
use crate::read::page::ListOptions;
use crate::read::select::Selection;
use crate::request::PatchType;
use crate::request::Verb;
use crate::request::options::{ApplyOptions, DeleteOptions, WriteOptions};
use crate::request::part::Part;
use crate::store::{Key, Range};
use crate::testing::{Scratch, fresh, place, pod};
use crate::verbs::log::LogOptions;

fn bob() -> User {
    crate::impersonated("bob", "", Vec::new())
}

/// Sends a request.
type Call<'t> = Box<dyn Fn(&Cluster, &WriteOptions) -> Result<(), ApiError> + 't>;

/// A place, the verb, the name and the subresource that roles must allow, and the result.
type AccessCase<'t> = (&'t Place, (&'t str, &'t str, &'t str), Result<(), ApiError>);

/// A request of a user, and the verb, the name and the subresource that roles must allow for it.
struct Try<'t> {
    access: (&'static str, &'static str, &'static str),
    answer: Call<'t>,
}

fn attempt<'t, T>(
    access: (&'static str, &'static str, &'static str),
    call: impl Fn(&Cluster, &WriteOptions) -> Result<T, ApiError> + 't,
) -> Try<'t> {
    Try {
        access,
        answer: Box::new(move |cluster, options| call(cluster, options).map(drop)),
    }
}

/// Returns Kubernetes' response to a user without permissions.
fn refusal(place: &Place, (verb, name, part): (&str, &str, &str)) -> String {
    let kind = place.kind;
    let name = match name {
        "" => String::new(),
        name => format!(" {name:?}"),
    };
    let resource = match part {
        "" => kind.plural.to_owned(),
        part => format!("{}/{part}", kind.plural),
    };
    let scope = match place.namespace.as_str() {
        "" => "at the cluster scope".to_owned(),
        namespace => format!("in the namespace {namespace:?}"),
    };
    format!(
        "{}{name} is forbidden: User \"bob\" cannot {verb} resource {resource:?} in API group {:?} {scope}",
        kind.qualified_resource(),
        kind.group
    )
}

fn object(kind: &Kind) -> Value {
    json!({"apiVersion": kind.api_version(), "kind": kind.kind, "metadata": {"name": "x"}})
}

fn reads(place: &Place) -> Vec<Try<'_>> {
    let nothing = || Selection::parse(place.kind, "", "").unwrap();
    let list = ListOptions::default;
    let one = || ListOptions {
        fields: "metadata.name=x".to_owned(),
        ..ListOptions::default()
    };
    vec![
        // A rule may name the only object that a list or a watch selects.
        attempt(("list", "x", ""), move |c, _| c.select(place, &one())),
        attempt(("watch", "x", ""), move |c, _| {
            c.watch(place, &one()).map(drop)
        }),
        attempt(("get", "x", ""), |c, _| c.get(place, "x")),
        attempt(("list", "", ""), |c, _| c.list(place, &|_| true, None)),
        attempt(("list", "", ""), |c, _| c.list(place, &|_| true, Some(1))),
        attempt(("list", "", ""), move |c, _| c.select(place, &list())),
        attempt(("list", "", ""), move |c, _| {
            c.feed().map_fields(place, &nothing(), &mut |_| ())
        }),
        attempt(("watch", "", ""), move |c, _| {
            c.watch(place, &list()).map(drop)
        }),
        attempt(("watch", "", ""), |c, _| {
            c.feed().changes(place, &|_| true, 0)
        }),
    ]
}

fn delete_options(write: &WriteOptions) -> DeleteOptions {
    DeleteOptions {
        write: write.clone(),
        ..DeleteOptions::default()
    }
}

fn writes<'t>(place: &'t Place, object: &'t Value) -> Vec<Try<'t>> {
    let patch = |how| {
        attempt(("patch", "x", ""), move |c, o| {
            c.patch(place, "x", (how, &json!({})), false, o)
        })
    };
    let part = |part: Part| {
        let access = ("update", "x", part.name());
        attempt(access, move |c, o| c.replace(place, "x", object, part, o))
    };
    let modify = |part: Part| {
        let access = ("update", "x", part.name());
        attempt(access, move |c, o| {
            c.modify(place, "x", part, o, &mut |old| Ok(old.clone()))
        })
    };
    let apply = |subresource: &'static str| {
        attempt(("patch", "x", subresource), move |c, o| {
            let write = WriteOptions {
                field_manager: "t".to_owned(),
                ..o.clone()
            };
            let options = ApplyOptions {
                write,
                force: true,
                subresource: subresource.to_owned(),
            };
            c.apply(place, "x", object, &options)
        })
    };
    vec![
        attempt(("create", "", ""), |c, o| c.create(place, object, o)),
        attempt(("update", "x", ""), |c, o| c.update(place, "x", object, o)),
        attempt(("update", "x", "status"), |c, o| {
            c.replace(place, "x", object, Part::Status, o)
        }),
        part(Part::Approval),
        part(Part::Finalize),
        part(Part::Resize),
        part(Part::EphemeralContainers),
        modify(Part::Whole),
        modify(Part::Approval),
        modify(Part::Status),
        patch(PatchType::Json),
        patch(PatchType::Merge),
        patch(PatchType::Strategic),
        apply(""),
        apply("status"),
        attempt(("delete", "x", ""), |c, o| {
            c.delete(place, "x", &delete_options(o))
        }),
        attempt(("deletecollection", "", ""), |c, o| {
            c.delete_collection(place, &|_| true, &delete_options(o))
        }),
    ]
}

/// Returns the members of a batch, each of which is refused by itself.
fn members(object: &Value) -> Vec<(Verb, (&'static str, &'static str, &'static str))> {
    let patch = |part| Verb::Patch {
        part,
        how: PatchType::Merge,
        patch: json!({}),
    };
    vec![
        (Verb::Create(object.clone()), ("create", "", "")),
        (
            Verb::Update(Part::Whole, object.clone()),
            ("update", "x", ""),
        ),
        (
            Verb::Update(Part::Status, object.clone()),
            ("update", "x", "status"),
        ),
        (patch(Part::Whole), ("patch", "x", "")),
        (patch(Part::Status), ("patch", "x", "status")),
        (
            Verb::Update(Part::Finalize, object.clone()),
            ("update", "x", "finalize"),
        ),
        (Verb::Bind(json!({})), ("create", "x", "binding")),
        (Verb::Delete(Box::default()), ("delete", "x", "")),
    ]
}

#[track_caller]
fn refused(place: &Place, access: (&str, &str, &str), answer: Result<(), ApiError>) {
    let wanted = refusal(place, access);
    let error = answer.expect_err(&wanted);
    assert_eq!(error.to_string(), wanted);
    assert_eq!(
        error.status().map(|s| (s.code, s.reason)),
        Some((403, "Forbidden")),
        "{wanted}"
    );
}

/// Returns the two ways to name the user: the cluster acts as one, or a write names its author.
fn both() -> [(Scratch, WriteOptions); 2] {
    let mut acting = fresh();
    acting.cluster.act_as(bob());
    let author = WriteOptions {
        user: bob(),
        ..WriteOptions::default()
    };
    [(acting, WriteOptions::default()), (fresh(), author)]
}

#[test]
fn without_a_role_every_verb_on_every_kind_is_rejected() {
    let (mut kinds, mut tries) = (0, 0);
    for (number, (cluster, options)) in both().into_iter().enumerate() {
        let before = cluster.stored().moment().unwrap();
        for kind in registry::all().filter(|kind| kind.served) {
            let place = Place::new(kind, "default");
            let object = object(kind);
            let mut all = writes(&place, &object);
            if number == 0 {
                kinds += 1;
                all.extend(reads(&place));
            }
            // Every user may review their own access.
            let open = kind.kind.starts_with("SelfSubject");
            for one in all.iter().filter(|t| !open || t.access.0 != "create") {
                tries += 1;
                refused(&place, one.access, (one.answer)(&cluster, &options));
            }
            let (verbs, accesses): (Vec<_>, Vec<_>) = members(&object).into_iter().unzip();
            let request = |verb| Request::new(place.clone(), "x", verb).with(options.clone());
            let requests: Vec<Request> = verbs.into_iter().map(request).collect();
            let answers = cluster.all(&requests).unwrap();
            for (answer, access) in answers.into_iter().zip(accesses) {
                let open = open && access.0 == "create";
                if !open {
                    refused(&place, access, answer.map(drop));
                }
            }
        }
        assert_eq!(cluster.stored().moment().unwrap(), before);
    }
    assert!(kinds > 50 && tries > 2000, "{kinds} kinds, {tries} tries");
}

#[test]
fn subresources_have_separate_rights() {
    let [(cluster, options), _] = both();
    let (pods, accounts, sets) = (
        place("pods"),
        place("serviceaccounts"),
        place("deployments"),
    );
    let scale = json!({"metadata": {"name": "x"}});
    let log = LogOptions::default();
    let delete = delete_options(&options);
    let json = json!({});
    let c = &cluster.cluster;
    let merge = (PatchType::Merge, &json);
    let all: Vec<AccessCase<'_>> = vec![
        (
            &pods,
            ("get", "x", "log"),
            c.subresources().log_target(&pods, "x", &log).map(drop),
        ),
        (
            &pods,
            ("create", "x", "exec"),
            c.subresources()
                .exec_target(&pods, "x", "exec", None)
                .map(drop),
        ),
        (
            &pods,
            ("create", "x", "attach"),
            c.subresources()
                .exec_target(&pods, "x", "attach", None)
                .map(drop),
        ),
        (
            &pods,
            ("create", "x", "portforward"),
            c.subresources()
                .exec_target(&pods, "x", "portforward", None)
                .map(drop),
        ),
        (
            &pods,
            ("create", "x", "binding"),
            c.subresources()
                .bind(&pods, "x", &scale, &options)
                .map(drop),
        ),
        (
            &pods,
            ("create", "x", "eviction"),
            c.subresources().evict(&pods, "x", &delete).map(drop),
        ),
        (
            &accounts,
            ("create", "default", "token"),
            c.subresources()
                .token(&accounts, "default", &json)
                .map(drop),
        ),
        (
            &sets,
            ("get", "x", "scale"),
            c.subresources().scale(&sets, "x").map(drop),
        ),
        (
            &sets,
            ("update", "x", "scale"),
            c.replace(&sets, "x", &scale, Part::Scale, &options)
                .map(drop),
        ),
        (
            &sets,
            ("patch", "x", "scale"),
            c.patch(&sets, "x", merge, Part::Scale, &options).map(drop),
        ),
    ];
    for (place, access, answer) in all {
        refused(place, access, answer);
    }
}

#[test]
fn only_the_administrator_reads_stored_objects() {
    let [(cluster, _), _] = both();
    let key = Key::new("secrets", Some("default"), "x").unwrap();
    let c = &cluster.cluster;
    let refused = [
        c.stored().get(&key).map(drop),
        c.stored().list(&Range::all(), None).map(drop),
        c.stored().commit(&[], None, "put").map(drop),
        c.stored().merge(&key, &json!({})).map(drop),
        c.stored().lead().map(drop),
        c.stored().events(&Range::all(), 0).map(drop),
        c.stored()
            .history(&crate::HistoryQuery::default())
            .map(drop),
        c.stored().compact(),
    ];
    for answer in refused {
        let said = answer.unwrap_err().to_string();
        assert!(said.contains("not user \"bob\""), "{said}");
    }
    let pods = [place("pods").kind];
    refused_changes(c, &pods);
}

fn refused_changes(cluster: &Cluster, kinds: &[&'static Kind]) {
    let place = Place::new(kinds[0], "");
    let answer = cluster.feed().changes_of(kinds, 0).map(drop);
    refused(&place, ("watch", "", ""), answer);
}

/// Binds bob to rules for the whole cluster.
fn grant(cluster: &Cluster, rules: Value) {
    let role = json!({"apiVersion": "rbac.authorization.k8s.io/v1", "kind": "ClusterRole",
        "metadata": {"name": "r"}, "rules": rules});
    let binding = json!({"apiVersion": "rbac.authorization.k8s.io/v1", "kind": "ClusterRoleBinding",
        "metadata": {"name": "b"},
        "subjects": [{"kind": "User", "name": "bob", "apiGroup": "rbac.authorization.k8s.io"}],
        "roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole", "name": "r"}});
    let options = WriteOptions::default();
    cluster
        .create(&place("clusterroles"), &role, &options)
        .unwrap();
    cluster
        .create(&place("clusterrolebindings"), &binding, &options)
        .unwrap();
}

#[test]
fn an_apply_that_creates_needs_the_right_to_create() {
    let mut cluster = fresh();
    let maps = place("configmaps");
    let map = json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "m"}});
    cluster
        .create(&maps, &map, &WriteOptions::default())
        .unwrap();
    grant(
        &cluster,
        json!([{"apiGroups": [""], "resources": ["configmaps"], "verbs": ["patch"]}]),
    );
    cluster.cluster.act_as(bob());
    let options = ApplyOptions {
        write: WriteOptions {
            field_manager: "t".to_owned(),
            ..WriteOptions::default()
        },
        ..ApplyOptions::default()
    };
    cluster.apply(&maps, "m", &map, &options).unwrap();
    let other = json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "n"}});
    let refused = cluster.apply(&maps, "n", &other, &options).unwrap_err();
    assert_eq!(refused.to_string(), "configmaps \"n\" is forbidden: ");
}

#[test]
fn the_right_to_delete_a_collection_suffices() {
    let mut cluster = fresh();
    let pods = place("pods");
    cluster
        .create(&pods, &pod("a"), &WriteOptions::default())
        .unwrap();
    grant(
        &cluster,
        json!([{"apiGroups": [""], "resources": ["pods"], "verbs": ["deletecollection"]}]),
    );
    cluster.cluster.act_as(bob());
    let options = DeleteOptions::default();
    assert!(cluster.delete(&pods, "a", &options).is_err());
    let gone = cluster.delete_collection(&pods, &|_| true, &options);
    assert_eq!(gone.unwrap().len(), 1);
}

#[test]
fn users_cannot_grant_or_approve_beyond_their_rights() {
    let mut cluster = fresh();
    let request = json!({"apiVersion": "certificates.k8s.io/v1", "kind": "CertificateSigningRequest",
        "metadata": {"name": "csr"}, "spec": {"signerName": "example.com/a", "usages": ["client auth"],
            "request": "LS0tLS1CRUdJTiBDRVJUSUZJQ0FURSBSRVFVRVNULS0tLS0KTUlIYU1JR0JBZ0VBTUI4eERUQUxCZ05WQkFvTUJHTnlaWGN4RGpBTUJnTlZCQU1NQlhCcGJHOTBNRmt3RXdZSApLb1pJemowQ0FRWUlLb1pJemowREFRY0RRZ0FFMFZnZTFBaHVBS2EwWSt3NExwSVgzVVl4ZTlnVTRrS2x2UmwwCjNTdENRQ0V1RExvQWJuZHMyaHYvNENySWJvTUg0L212WURocUhpckYwYUxrNlJWQlY2QUFNQW9HQ0NxR1NNNDkKQkFNQ0EwZ0FNRVVDSVFEUGRvc1lMU1JFNzh2Rkk1aTNOVGpWRnhhNXY2KzJPZTc5aFdvbGhlSDI0QUlnRnpmWAprTWpzWDQ4NHc4WENBdU1ITmRicVVNTExJZkMrNldDd0pZRTNjMk09Ci0tLS0tRU5EIENFUlRJRklDQVRFIFJFUVVFU1QtLS0tLQo="}});
    let requests = place("certificatesigningrequests");
    let options = WriteOptions::default();
    let made = cluster
        .create(&requests, &request, &options)
        .unwrap()
        .object;
    grant(
        &cluster,
        json!([
            {"apiGroups": ["*"], "resources": ["certificatesigningrequests/approval",
                "certificatesigningrequests/status", "rolebindings", "roles"], "verbs": ["*"]},
        ]),
    );
    cluster.cluster.act_as(bob());
    let decided = |part, status: Value| {
        let mut new = made.clone();
        new["status"] = status;
        let answer = cluster.replace(&requests, "csr", &new, part, &options);
        answer.unwrap_err().to_string()
    };
    let condition = json!({"conditions": [{"type": "Approved", "status": "True", "reason": "r"}]});
    assert_eq!(
        decided(Part::Approval, condition),
        "certificatesigningrequests.certificates.k8s.io \"csr\" is forbidden: user not permitted to \
         approve requests with signerName \"example.com/a\""
    );
    let certificate = json!({"conditions": [{"type": "Failed", "status": "True", "reason": "r"}]});
    assert_eq!(
        decided(Part::Status, certificate),
        "certificatesigningrequests.certificates.k8s.io \"csr\" is forbidden: user not permitted to \
         sign requests with signerName \"example.com/a\""
    );
    // The options of a write name the administrator, and bob makes the request.
    let binding = json!({"apiVersion": "rbac.authorization.k8s.io/v1", "kind": "RoleBinding",
        "metadata": {"name": "all"},
        "subjects": [{"kind": "User", "name": "bob", "apiGroup": "rbac.authorization.k8s.io"}],
        "roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole", "name": "cluster-admin"}});
    let refused = cluster.create(&place("rolebindings"), &binding, &options);
    let said = refused.unwrap_err().to_string();
    assert!(
        said.contains("user \"bob\" (groups=[\"system:authenticated\"]) is attempting to grant RBAC permissions not currently held:\n"),
        "{said}"
    );
}

#[test]
fn impersonation_adds_the_implicit_groups() {
    let groups = |name: &str, asked: &[&str]| {
        let asked = asked.iter().map(|g| (*g).to_owned()).collect();
        crate::impersonated(name, "", asked).groups
    };
    assert_eq!(groups("bob", &[]), ["system:authenticated"]);
    assert_eq!(groups("bob", &["devs"]), ["devs", "system:authenticated"]);
    assert_eq!(
        groups("bob", &["system:authenticated"]),
        ["system:authenticated"]
    );
    assert_eq!(groups("system:anonymous", &[]), ["system:unauthenticated"]);
    assert_eq!(
        groups("system:serviceaccount:a:b", &[]),
        [
            "system:serviceaccounts",
            "system:serviceaccounts:a",
            "system:authenticated"
        ]
    );
}

#[test]
fn a_sender_impersonates_only_if_roles_allow_it() {
    let mut cluster = fresh();
    let mut acts = |name: &str, groups: &[&str]| {
        cluster.cluster.act_as(crate::Impersonation {
            by: bob(),
            name: name.to_owned(),
            uid: String::new(),
            groups: groups.iter().map(|&group| group.to_owned()).collect(),
            extra: std::collections::BTreeMap::new(),
        });
        let got = cluster.get(&place("pods"), "x");
        got.unwrap_err().to_string()
    };
    // Not even as a user without restrictions.
    for groups in [&[][..], &["system:masters"]] {
        let said = acts("ann", groups);
        assert!(
            said.contains("User \"bob\" cannot impersonate-on:user-info:get resource \"pods\""),
            "{said}"
        );
    }
    cluster.cluster.act_as(crate::administrator());
    let said = cluster.get(&place("pods"), "x").unwrap_err().to_string();
    assert_eq!(said, "pods \"x\" not found");
}
