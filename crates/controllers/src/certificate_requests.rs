//! Signs approved certificate signing requests with the cluster's authority, and deletes old ones.
//!
//! It approves requests of kubelets only; others wait for `kubectl certificate approve` or another client of the API.
//!
//! Rules:
//! - `approve`: a member of `system:masters` requests the client certificate of a kubelet; the request is approved.
//! - `sign`: a request for one of Kubernetes' own signers is approved; it gets its certificate.
//! - `refuse`: the signer does not issue such a certificate; the request is marked as failed.
//! - `forget`: a request has reached the age limit of its state; it is deleted.

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use jiff::SignedDuration;

use super::views::signing_request;
use super::watched;
use crate::api::json::json;
use crate::api::patch::merge::apply;
use crate::cluster::{Part, PatchType};
use crate::kinds::condition;
use crate::kinds::moment;
use crate::kinds::tree::text;
use crate::pki::{AlternativeName, CertificateRequest, Validity};
use crate::runtime::{Controller, Object, Plan, PlannedWrite, ReconcileContext, Watch};

/// The time that approved, denied and failed requests are kept.
const DECIDED: SignedDuration = SignedDuration::from_hours(1);
/// The time that undecided requests are kept.
const PENDING: SignedDuration = SignedDuration::from_hours(24);

/// The longest and the shortest life of a certificate.
const LONGEST: i64 = 365 * 24 * 3600;
const SHORTEST: i64 = 10 * 60;
/// The time by which a certificate's validity starts early, for machines whose clocks are behind.
const BACKDATE: i64 = 5 * 60;

/// The signers of kube-controller-manager.
const CLIENT: &str = "kubernetes.io/kube-apiserver-client";
const KUBELET_CLIENT: &str = "kubernetes.io/kube-apiserver-client-kubelet";
const KUBELET_SERVING: &str = "kubernetes.io/kubelet-serving";

/// Signs certificate requests.
#[derive(Debug, Default)]
pub(crate) struct CertificateSigner;

impl Controller for CertificateSigner {
    fn name(&self) -> &'static str {
        "csr-signing"
    }

    fn component(&self) -> &'static str {
        "csrsigning"
    }

    fn watches(&self) -> Vec<Watch> {
        vec![Watch::own(watched::signing_requests())]
    }

    fn plan(&mut self, context: &ReconcileContext<'_>) -> Plan {
        let mut plan = Plan::done();
        let kind = watched::signing_requests();
        let Some(request) = context.cache.by_key(kind, context.key) else {
            return plan;
        };
        plan.changes.extend(approval(request));
        if !is_open(request) {
            return plan;
        }
        let asked = signing_request(request);
        // kube-controller-manager retries an unreadable request forever, without effect.
        let Some(wanted) = wanted(request) else {
            return plan;
        };
        let usages = asked.usages();
        let mut status = asked.status().clone();
        let rule = match refusal(asked.signer(), &wanted, &usages) {
            Some(why) => {
                let mut conditions = condition::of(request);
                let now = moment::text(context.now);
                conditions.push(json!({
                    "type": "Failed", "status": "True", "reason": "SignerValidationFailure",
                    "message": why, "lastUpdateTime": now, "lastTransitionTime": now,
                }));
                apply(&mut status, &json!({"conditions": conditions}));
                format!("refuse: {why}")
            }
            None => match context
                .identity
                .certificate(&wanted, &usages, valid(request, context))
            {
                Ok(certificate) => {
                    let certificate = BASE64_STANDARD.encode(certificate);
                    apply(&mut status, &json!({"certificate": certificate}));
                    "sign: the request is approved".to_owned()
                }
                Err(e) => {
                    plan.error = Some(e.to_string());
                    return plan;
                }
            },
        };
        plan.status
            .extend(PlannedWrite::status(request, status, rule));
        plan
    }
}

/// Returns the content of a request, if it can be read.
fn wanted(request: &Object) -> Option<CertificateRequest> {
    let pem = BASE64_STANDARD.decode(signing_request(request).request());
    CertificateRequest::from_pem(&String::from_utf8(pem.ok()?).ok()?)
}

/// Returns the approval of an undecided request for the client certificate of a kubelet. kube-controller-manager first
/// reviews the access of the user.
fn approval(request: &Object) -> Option<PlannedWrite> {
    let asked = signing_request(request);
    let is = |kind| condition::find(request, kind).is_some();
    let is_decided = is("Approved") || is("Denied") || !asked.certificate().is_empty();
    // Masters pass every review. The roles of others are unknown here, so somebody has to approve their requests.
    if is_decided || asked.signer() != KUBELET_CLIENT || !asked.is_of_master() {
        return None;
    }
    let wanted = wanted(request)?;
    if of_node(&wanted, &asked.usages(), "client auth").is_some() {
        return None;
    }
    let is_own = wanted.subject().is_some_and(|s| s.name == asked.user());
    let whose = if is_own { "self " } else { "" };
    let mut conditions = condition::of(request);
    conditions.push(json!({
        "type": "Approved", "status": "True", "reason": "AutoApproved",
        "message": format!("Auto approving {whose}kubelet client certificate after SubjectAccessReview."),
    }));
    // Somebody may decide at the same time.
    let version = request.revision().to_string();
    let patch = json!({
        "metadata": {"resourceVersion": version}, "status": {"conditions": conditions},
    });
    let rule = "approve: a kubelet may have the certificate";
    let (part, how) = (Part::Approval, PatchType::Merge);
    Some(PlannedWrite::patch(request, part, how, patch, rule))
}

/// Returns true if a request is approved, names a signer of this controller and is not handled yet.
fn is_open(request: &Object) -> bool {
    let asked = signing_request(request);
    let own = [CLIENT, KUBELET_CLIENT, KUBELET_SERVING].contains(&asked.signer());
    let is = |kind| condition::is_true(request, kind);
    let has_certificate = !asked.certificate().is_empty();
    own && is("Approved") && !is("Denied") && !is("Failed") && !has_certificate
}

/// Returns the time in which the certificate of a request is valid.
fn valid(request: &Object, context: &ReconcileContext<'_>) -> Validity {
    let asked = signing_request(request).expiration_seconds();
    let life = asked.map_or(LONGEST, |asked| asked.clamp(SHORTEST, LONGEST));
    let now = context.now.as_second();
    Validity {
        from: now - BACKDATE,
        until: now + life,
    }
}

/// Returns the reason why a signer refuses a request, in kube-controller-manager's words.
fn refusal(signer: &str, wanted: &CertificateRequest, usages: &[&str]) -> Option<String> {
    match signer {
        CLIENT => {
            let allowed = ["client auth", "digital signature", "key encipherment"];
            match usages.iter().find(|usage| !allowed.contains(usage)) {
                Some(odd) => Some(format!("invalid usage for client certificate: {odd}")),
                None if usages.contains(&"client auth") => None,
                None => {
                    Some("missing required usage for client certificate: client auth".to_owned())
                }
            }
        }
        KUBELET_CLIENT => of_node(wanted, usages, "client auth").map(str::to_owned),
        _ => of_node(wanted, usages, "server auth").map(str::to_owned),
    }
}

/// Returns the reason why a request does not come from a node, for this usage.
fn of_node(wanted: &CertificateRequest, usages: &[&str], usage: &str) -> Option<&'static str> {
    let is_server = usage == "server auth";
    let has = |kind| wanted.has_name(kind);
    let names = (
        has(AlternativeName::Dns) || has(AlternativeName::Ip),
        has(AlternativeName::Email),
        has(AlternativeName::Uri),
    );
    let subject = wanted.subject();
    let (name, groups) = subject
        .map(|s| (s.name, s.organizations))
        .unwrap_or_default();
    let extra = ["digital signature", "key encipherment"];
    let is_usual = usages.contains(&usage)
        && usages.contains(&"digital signature")
        && usages.iter().all(|u| *u == usage || extra.contains(u));
    if groups != ["system:nodes"] {
        return Some("subject organization is not system:nodes");
    }
    match names {
        (false, _, _) if is_server => return Some("DNS or IP subjectAltName is required"),
        (true, _, _) if !is_server => return Some("DNS and IP subjectAltNames are not allowed"),
        (_, true, _) => return Some("Email subjectAltNames are not allowed"),
        (_, _, true) => return Some("URI subjectAltNames are not allowed"),
        _ => {}
    }
    if !name.starts_with("system:node:") {
        return Some("subject common name does not begin with system:node: ");
    }
    (!is_usual).then_some("usages did not match")
}

/// Deletes certificate requests.
#[derive(Debug, Default)]
pub(crate) struct CertificateRequests;

impl Controller for CertificateRequests {
    fn name(&self) -> &'static str {
        "csr-cleaner"
    }

    fn component(&self) -> &'static str {
        "csrcleaner"
    }

    fn watches(&self) -> Vec<Watch> {
        vec![Watch::own(watched::signing_requests())]
    }

    fn plan(&mut self, context: &ReconcileContext<'_>) -> Plan {
        let mut plan = Plan::done();
        let kind = watched::signing_requests();
        let Some(request) = context.cache.by_key(kind, context.key) else {
            return plan;
        };
        let Some((since, kept)) = kept(request) else {
            return plan;
        };
        let Some(since) = moment::read(&since.into()) else {
            return plan;
        };
        let left = kept.saturating_sub(moment::since(since, context.now));
        match left.is_positive() {
            // Idle, because waiting a day for a cleanup must not keep a cluster from settling.
            true => plan.idle_requeue_in(left),
            false => plan.changes.push(PlannedWrite::delete(
                request,
                format!("forget: older than {kept:#}"),
            )),
        }
        plan
    }
}

/// Returns the start of the retention and its length; `None` for an approved request that waits for its signer.
fn kept(request: &Object) -> Option<(String, SignedDuration)> {
    let is_issued = !signing_request(request).certificate().is_empty();
    let decided = ["Approved", "Denied", "Failed"]
        .iter()
        .filter(|kind| is_issued || **kind != "Approved")
        // The expiry of kube-controller-manager's csrcleaner starts with the decision, not with the creation.
        .find_map(|kind| condition::find(request, kind));
    match decided {
        Some(c) => Some((text(c, "lastUpdateTime").to_owned(), DECIDED)),
        None if !condition::of(request).is_empty() => None,
        None => Some((request.meta("creationTimestamp").to_owned(), PENDING)),
    }
}

#[cfg(test)]
mod tests {
    use rcgen::{CertificateParams, DistinguishedName, DnType, KeyPair};

    use super::*;
    use crate::api::json::Value;
    use crate::harness::{ControllerHarness, content, lines};

    const GROUP: &str = "certificates.k8s.io/v1";
    const KIND: &str = "CertificateSigningRequest";

    fn approved(signer: &str, usages: &[&str], organization: &str, names: &[&str]) -> Value {
        let names: Vec<String> = names.iter().map(|&name| name.to_owned()).collect();
        let mut params = CertificateParams::new(names).unwrap();
        params.distinguished_name = DistinguishedName::new();
        for (kind, value) in [
            (DnType::OrganizationName, organization),
            (DnType::CommonName, "system:node:n1"),
        ] {
            params.distinguished_name.push(kind, value);
        }
        let key = KeyPair::generate().unwrap();
        let pem = params.serialize_request(&key).unwrap().pem().unwrap();
        json!({
            "metadata": {"name": "r"},
            "spec": {"request": BASE64_STANDARD.encode(pem), "signerName": signer, "usages": usages},
            "status": {"conditions": [{"type": "Approved", "status": "True"}]},
        })
    }

    fn outcome(request: Value) -> (Vec<String>, Value) {
        let mut harness = ControllerHarness::new(CertificateSigner);
        harness.put(GROUP, KIND, request);
        let plan = harness.plan("", "r");
        let status = plan
            .status
            .first()
            .map(|write| content(write)["status"].clone());
        if let Some(status) = &status {
            let mut after = harness
                .cache
                .list(watched::signing_requests(), "")
                .next()
                .unwrap()
                .to_value();
            after["status"] = status.clone();
            harness.put(GROUP, KIND, after);
            assert_eq!(harness.plan("", "r"), Plan::done(), "once");
        }
        (lines(&plan), status.unwrap_or_default())
    }

    #[test]
    fn an_approved_request_gets_a_certificate() {
        let (done, status) = outcome(approved(CLIENT, &["client auth"], "crew", &[]));
        assert_eq!(done, ["status certificatesigningrequests r: sign"]);
        let pem = BASE64_STANDARD
            .decode(status["certificate"].as_str().unwrap())
            .unwrap();
        assert!(pem.starts_with(b"-----BEGIN CERTIFICATE-----"));
        let (node, serving) = ("system:nodes", ["server auth", "digital signature"]);
        let (done, _) = outcome(approved(KUBELET_SERVING, &serving, node, &["n1"]));
        assert_eq!(done.len(), 1);
        let kubelet = ["client auth", "digital signature", "key encipherment"];
        let (_, status) = outcome(approved(KUBELET_CLIENT, &kubelet, node, &[]));
        assert!(status["certificate"].is_string());
    }

    #[test]
    fn invalid_request_fails_and_foreign_signer_is_ignored() {
        let (node, serving) = ("system:nodes", ["server auth", "digital signature"]);
        for (request, why) in [
            (
                approved(CLIENT, &["server auth"], "crew", &[]),
                "invalid usage for client certificate: server auth",
            ),
            (
                approved(CLIENT, &["digital signature"], "crew", &[]),
                "missing required usage for client certificate: client auth",
            ),
            (
                approved(KUBELET_SERVING, &serving, "crew", &["n1"]),
                "subject organization is not system:nodes",
            ),
            (
                approved(KUBELET_SERVING, &serving, node, &[]),
                "DNS or IP subjectAltName is required",
            ),
            (
                approved(KUBELET_CLIENT, &["client auth"], node, &[]),
                "usages did not match",
            ),
        ] {
            let (done, status) = outcome(request);
            assert_eq!(
                done,
                ["status certificatesigningrequests r: refuse"],
                "{why}"
            );
            assert_eq!(status["conditions"][1]["message"], why);
            assert_eq!(status["conditions"][1]["reason"], "SignerValidationFailure");
        }
        let mut open = approved(CLIENT, &["client auth"], "crew", &[]);
        open["status"] = json!({});
        assert_eq!(outcome(open).0, Vec::<String>::new());
        let foreign = approved("example.com/own", &["client auth"], "crew", &[]);
        assert_eq!(outcome(foreign).0, Vec::<String>::new());
    }

    #[test]
    fn only_masters_requests_for_kubelets_are_approved() {
        let usages = ["client auth", "digital signature"];
        let approvals = |signer: &str, organization: &str, user: &str, group: &str| {
            let mut request = approved(signer, &usages, organization, &[]);
            request["status"] = json!({});
            request["spec"]["username"] = json!(user);
            request["spec"]["groups"] = json!([group]);
            let mut harness = ControllerHarness::new(CertificateSigner);
            harness.put(GROUP, KIND, request);
            let plan = harness.plan("", "r");
            let conditions = plan
                .changes
                .iter()
                .map(|write| &content(write)["status"]["conditions"][0]["message"]);
            conditions.cloned().collect::<Vec<_>>()
        };
        let (node, masters) = ("system:nodes", "system:masters");
        let said = |whose: &str| {
            let end = "kubelet client certificate after SubjectAccessReview.";
            vec![json!(format!("Auto approving {whose}{end}"))]
        };
        assert_eq!(approvals(KUBELET_CLIENT, node, "admin", masters), said(""));
        let own = approvals(KUBELET_CLIENT, node, "system:node:n1", masters);
        assert_eq!(own, said("self "));
        for (signer, organization, group) in [
            (CLIENT, node, masters),
            (KUBELET_CLIENT, "crew", masters),
            (KUBELET_CLIENT, node, "crew"),
        ] {
            assert!(approvals(signer, organization, "admin", group).is_empty());
        }
    }

    #[test]
    fn approved_and_pending_requests_are_deleted_after_their_ttl() {
        let mut harness = ControllerHarness::new(CertificateRequests);
        let (group, kind) = ("certificates.k8s.io/v1", "CertificateSigningRequest");
        harness.put(group, kind, json!({"metadata": {"name": "open"}}));
        harness.put(
            group,
            kind,
            json!({"metadata": {"name": "done"}, "status": {"certificate": "eA==", "conditions": [
                {"type": "Approved", "status": "True", "lastUpdateTime": "2026-01-02T11:30:00Z"},
            ]}}),
        );
        assert_eq!(harness.plan("", "open").idle_requeue_after, Some(PENDING));
        assert_eq!(
            harness.plan("", "done").idle_requeue_after,
            Some(SignedDuration::from_mins(30))
        );
        harness.now = "2026-01-02T12:30:00Z".parse().unwrap();
        assert_eq!(
            lines(&harness.plan("", "done")),
            ["delete certificatesigningrequests done: forget"]
        );
    }
}
