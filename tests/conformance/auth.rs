//! SIG Auth: service accounts and their tokens, certificate requests, and access reviews.

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use serde_json::{Value, json};

use crate::cluster::{Api, namespace};
use crate::objects::{BUSYBOX, PAUSE, pod, spec};
use crate::operations::{discovered, supported};
use crate::resource::{is_true, name};

fn space(name: &str) -> Api {
    namespace("auth", name)
}

const TOKENS: &str = "/var/run/secrets/kubernetes.io/serviceaccount";

#[test]
fn root_certificate_is_in_every_namespace() {
    let api = space("root-ca");
    let maps = api.of("v1", "ConfigMap");
    let root = "kube-root-ca.crt";
    let made = maps.until(root, "exists", |map| !map.is_null());
    let (uid, data) = (made["metadata"]["uid"].clone(), made["data"].clone());
    assert!(data["ca.crt"].is_string(), "{made}");
    maps.delete(root);
    maps.until(root, "is made again", |map| {
        !map.is_null() && map["metadata"]["uid"] != uid
    });
    maps.merge(root, "", json!({"data": {"ca.crt": ""}}));
    maps.until(root, "is set right", |map| map["data"] == data);
}

#[test]
fn token_is_mounted() {
    let api = space("token-mount");
    api.of("v1", "ServiceAccount")
        .create(json!({"metadata": {"name": "mounter"}}));
    let text =
        format!("cat {TOKENS}/namespace; echo; cat {TOKENS}/ca.crt | wc -l; cat {TOKENS}/token");
    let mut made = pod("reader", crate::objects::script("sleep 3600"));
    made["spec"]["serviceAccountName"] = json!("mounter");
    api.of("v1", "Pod").create(made);
    crate::objects::until_ready(&api.of("v1", "Pod"), "reader");
    let out = crate::exec::run(&api, "reader", "main", &["sh", "-c", &text]);
    let mut lines = out.lines();
    assert_eq!(lines.next(), Some("token-mount"), "{out}");
    assert!(lines.next().is_some(), "{out}");
    let token = lines.next().unwrap();
    let status = review(&api, token);
    assert_eq!(status["authenticated"], true, "{status}");
    assert_eq!(
        status["user"]["username"],
        "system:serviceaccount:token-mount:mounter"
    );
    let groups = &status["user"]["groups"];
    let wanted = [
        "system:serviceaccounts",
        "system:serviceaccounts:token-mount",
        "system:authenticated",
    ];
    assert_eq!(*groups, json!(wanted), "{status}");
}

fn review(api: &Api, token: &str) -> Value {
    let reviews = api.global("authentication.k8s.io/v1", "TokenReview");
    reviews.create(json!({"metadata": {"name": "r"}, "spec": {"token": token}}))["status"].clone()
}

fn requested_token_is_authenticated(api: &Api) {
    let accounts = api.of("v1", "ServiceAccount");
    let request = json!({
        "apiVersion": "authentication.k8s.io/v1", "kind": "TokenRequest", "spec": {"expirationSeconds": 3600},
    });
    let given = accounts.try_post("default", "token", &request).ok();
    let token = given["status"]["token"].as_str().unwrap();
    assert_eq!(
        review(api, token)["user"]["username"],
        "system:serviceaccount:token-projected:default"
    );
    assert_ne!(review(api, "no.such.token")["authenticated"], true);
}

#[test]
fn projected_token_is_mounted() {
    let api = space("token-projected");
    let volume = json!({"name": "token", "projected": {"sources": [{"serviceAccountToken": {
        "path": "oidc-token", "expirationSeconds": 600,
    }}]}});
    let container = json!({
        "name": "main", "image": BUSYBOX, "command": ["sleep", "3600"],
        "volumeMounts": [{"name": "token", "mountPath": "/var/run/secrets/tokens"}],
    });
    let pods = api.of("v1", "Pod");
    pods.create(pod(
        "reader",
        json!({"containers": [container], "volumes": [volume]}),
    ));
    crate::objects::until_ready(&pods, "reader");
    let token = crate::exec::run(
        &api,
        "reader",
        "main",
        &["cat", "/var/run/secrets/tokens/oidc-token"],
    );
    let status = review(&api, token.trim());
    assert_eq!(
        status["user"]["username"],
        "system:serviceaccount:token-projected:default"
    );
    requested_token_is_authenticated(&api);
}

#[test]
fn token_mount_is_optional() {
    let api = space("token-optional");
    let accounts = api.of("v1", "ServiceAccount");
    for (name, mounts) in [
        ("default-sa", None),
        ("mount-sa", Some(true)),
        ("nomount-sa", Some(false)),
    ] {
        accounts
            .create(json!({"metadata": {"name": name}, "automountServiceAccountToken": mounts}));
    }
    for (account, in_pod, mounts) in [
        ("default-sa", None, true),
        ("mount-sa", None, true),
        ("nomount-sa", None, false),
        ("default-sa", Some(true), true),
        ("mount-sa", Some(true), true),
        ("nomount-sa", Some(true), true),
        ("default-sa", Some(false), false),
        ("mount-sa", Some(false), false),
        ("nomount-sa", Some(false), false),
    ] {
        let mut made = spec(PAUSE);
        made["serviceAccountName"] = json!(account);
        made["automountServiceAccountToken"] = json!(in_pod);
        let made = api
            .of("v1", "Pod")
            .create(json!({"metadata": {"generateName": "p-"}, "spec": made}));
        let list = made["spec"]["containers"][0]["volumeMounts"]
            .as_array()
            .cloned()
            .unwrap_or_default();
        let has = list.iter().any(|mount| mount["mountPath"] == TOKENS);
        assert_eq!(has, mounts, "{account} {in_pod:?}");
    }
}

#[test]
fn issuer_is_discovered() {
    let api = space("issuer");
    let document = api.get("/.well-known/openid-configuration").ok();
    let issuer = document["issuer"].as_str().unwrap();
    assert!(
        document["jwks_uri"]
            .as_str()
            .unwrap()
            .ends_with("/openid/v1/jwks"),
        "{document}"
    );
    let keys = api.get("/openid/v1/jwks").ok();
    let key = &keys["keys"][0];
    let accounts = api.of("v1", "ServiceAccount");
    let request = json!({
        "apiVersion": "authentication.k8s.io/v1", "kind": "TokenRequest",
        "spec": {"audiences": ["oidc-discovery-test"]},
    });
    let given = accounts.try_post("default", "token", &request).ok();
    let token = given["status"]["token"].as_str().unwrap().to_owned();
    let part = |index: usize| -> Value {
        let text = token.split('.').nth(index).unwrap();
        let decoded = base64::prelude::BASE64_URL_SAFE_NO_PAD
            .decode(text)
            .unwrap();
        serde_json::from_slice(&decoded).unwrap()
    };
    assert_eq!(part(0)["kid"], key["kid"]);
    assert_eq!(part(1)["iss"], issuer);
    assert_eq!(part(1)["aud"], json!(["oidc-discovery-test"]));
    assert_eq!(part(1)["sub"], "system:serviceaccount:issuer:default");
}

#[test]
fn service_account_has_a_lifecycle() {
    let api = space("account-life");
    let accounts = api.of("v1", "ServiceAccount");
    let mut watch = accounts.watch("labelSelector=test-serviceaccount-static%3Dtrue");
    accounts.create(
        json!({"metadata": {"name": "life", "labels": {"test-serviceaccount-static": "true"}}}),
    );
    assert_eq!(name(&watch.expect("ADDED")), "life");
    let patched = accounts.merge("life", "", json!({"automountServiceAccountToken": false}));
    assert_eq!(patched["automountServiceAccountToken"], false);
    let listed = api
        .global("v1", "ServiceAccount")
        .list("test-serviceaccount-static=true");
    assert!(
        listed
            .iter()
            .any(|a| name(a) == "life" && a["automountServiceAccountToken"] == false)
    );
    accounts.delete_all("test-serviceaccount-static=true");
    watch.find("DELETED", |_| true);
}

#[test]
fn service_account_is_updated() {
    let api = space("account-update");
    let accounts = api.of("v1", "ServiceAccount");
    let made = accounts.create(json!({"metadata": {"name": "e2e-sa"}}));
    assert!(made["automountServiceAccountToken"].is_null(), "{made}");
    accounts.edit("e2e-sa", "", |account| {
        account["automountServiceAccountToken"] = json!(false)
    });
    assert_eq!(
        accounts.get("e2e-sa")["automountServiceAccountToken"],
        false
    );
}

#[test]
fn reviews_know_what_an_account_may() {
    let api = space("reviews");
    api.of("v1", "ServiceAccount")
        .create(json!({"metadata": {"name": "e2e"}}));
    let user = "system:serviceaccount:reviews:e2e";
    let attributes =
        json!({"group": "apps", "resource": "deployments", "namespace": "reviews", "verb": "list"});
    let spec = json!({"user": user, "resourceAttributes": attributes});
    let path = format!("/apis/apps/v1/namespaces/{}/deployments", api.namespace);
    let check = || {
        let all = api.global("authorization.k8s.io/v1", "SubjectAccessReview");
        let first = all.create(json!({"spec": spec}))["status"]["allowed"].clone();
        let local = api.of("authorization.k8s.io/v1", "LocalSubjectAccessReview");
        let metadata = json!({"namespace": "reviews"});
        let second =
            local.create(json!({"metadata": metadata, "spec": spec}))["status"]["allowed"].clone();
        assert_eq!(first, second);
        let can = api.as_account("e2e").get(&path).code == 200;
        assert_eq!(first.as_bool().unwrap_or(false), can);
        can
    };
    assert!(!check());
    let bindings = api.of("rbac.authorization.k8s.io/v1", "RoleBinding");
    bindings.create(json!({
        "metadata": {"name": "view"},
        "roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole", "name": "view"},
        "subjects": [{"kind": "ServiceAccount", "name": "e2e", "namespace": "reviews"}],
    }));
    crate::cluster::eventually("the account may list", || check().then_some(()));
}

/// A certificate request for the user `ann`, made with openssl.
const REQUEST: &str = include_str!("../../testdata/conformance/request.pem");

#[test]
fn certificate_requests_support_all_operations() {
    let api = space("csr");
    let version = "certificates.k8s.io/v1";
    let resource = "certificatesigningrequests";
    let parts = [
        resource.to_owned(),
        format!("{resource}/approval"),
        format!("{resource}/status"),
    ];
    discovered(&api, version, &[&parts[0], &parts[1], &parts[2]]);
    let make = |number: u32| {
        json!({"metadata": {"name": format!("csr-{number}")}, "spec": {
            "request": BASE64_STANDARD.encode(REQUEST), "signerName": "example.com/e2e",
            "expirationSeconds": 3600, "usages": ["digital signature", "key encipherment", "server auth"],
        }})
    };
    supported(&api, version, "CertificateSigningRequest", true, &make);
    let requests = api.global(version, "CertificateSigningRequest");
    requests.create(make(9));
    let approved = |kind: &str| json!({"type": kind, "status": "True", "reason": "E2E", "message": "approved"});
    requests.merge(
        "csr-9",
        "approval",
        json!({"metadata": {"annotations": {"patchedapproval": "true"}}}),
    );
    let updated = requests.edit("csr-9", "approval", |request| {
        request["status"]["conditions"] = json!([approved("Approved")]);
    });
    assert!(is_true(&updated, "Approved"), "{updated}");
    assert!(is_true(&requests.part("csr-9", "approval"), "Approved"));
    let certificate = BASE64_STANDARD.encode(include_str!("../../testdata/tls/ec.crt"));
    let patch = json!({"metadata": {"annotations": {"patchedstatus": "true"}}, "status": {"certificate": certificate}});
    let patched = requests.merge("csr-9", "status", patch);
    assert_eq!(patched["status"]["certificate"], certificate);
    let updated = requests.edit("csr-9", "status", |request| {
        request["status"]["conditions"]
            .as_array_mut()
            .unwrap()
            .push(approved("StatusUpdate"));
    });
    assert!(is_true(&updated, "StatusUpdate"), "{updated}");
    assert_eq!(
        requests.part("csr-9", "status")["metadata"]["annotations"]["patchedstatus"],
        "true"
    );
}
