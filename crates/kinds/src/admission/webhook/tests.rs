use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

use super::{Hook, WebhookResponse, WebhookType, patched};
use crate::api::json::{Value, json};

const UID: &str = "u-1";

fn read(
    webhook_type: WebhookType,
    code: u16,
    content_type: &str,
    body: &str,
) -> Result<super::AdmissionResult, String> {
    let spec = json!({"name": "a.b.c", "admissionReviewVersions": ["v9", "v1"]});
    let received = WebhookResponse {
        code,
        content_type,
        body: body.as_bytes(),
    };
    Hook {
        spec: &spec,
        webhook_type,
    }
    .read(UID, &received)
}

fn review(response: &Value) -> String {
    let review = json!({"apiVersion": "admission.k8s.io/v1", "kind": "AdmissionReview", "response": response});
    review.to_string()
}

fn verdict(webhook_type: WebhookType, response: &Value) -> Result<super::AdmissionResult, String> {
    read(webhook_type, 200, "application/json", &review(response))
}

#[test]
fn webhook_denial_uses_code_and_message_of_its_status() {
    let denied = "admission webhook \"a.b.c\" denied the request";
    for (status, code, reason, message) in [
        (
            json!(null),
            400,
            "",
            format!("{denied} without explanation"),
        ),
        (
            json!({"code": 200}),
            400,
            "",
            format!("{denied} without explanation"),
        ),
        (
            json!({"code": 418, "message": "salt"}),
            418,
            "",
            format!("{denied}: salt"),
        ),
        (
            json!({"reason": "Conflict"}),
            400,
            "Conflict",
            format!("{denied}: Conflict"),
        ),
        (
            json!({"reason": "Odd", "message": "m"}),
            400,
            "",
            format!("{denied}: m"),
        ),
    ] {
        let response = json!({"uid": UID, "allowed": false, "status": status});
        let refusal = verdict(WebhookType::Validating, &response)
            .unwrap()
            .refusal
            .unwrap();
        assert_eq!((refusal.code, refusal.reason), (code, reason));
        assert_eq!(refusal.message, message);
    }
}

#[test]
fn invalid_webhook_response_errors_match_the_api_server() {
    let patch = STANDARD.encode("[]");
    let valid = json!({"uid": UID, "allowed": true});
    let with = |extra: Value| {
        let mut response = valid.clone();
        for (name, value) in extra.as_object().unwrap() {
            response[name.as_str()] = value.clone();
        }
        response
    };
    for (webhook_type, extra, error) in [
        (
            WebhookType::Mutating,
            json!({"uid": "x"}),
            "expected response.uid=\"u-1\", got \"x\"",
        ),
        (
            WebhookType::Mutating,
            json!({"patch": patch}),
            "webhook returned response.patch but not response.patchType",
        ),
        (
            WebhookType::Mutating,
            json!({"patchType": "JSONPatch"}),
            "webhook returned response.patchType but not response.patch",
        ),
        (
            WebhookType::Validating,
            json!({"patch": patch}),
            "validating webhook may not return response.patch",
        ),
        (
            WebhookType::Validating,
            json!({"patchType": "JSONPatch"}),
            "validating webhook may not return response.patchType",
        ),
        (
            WebhookType::Mutating,
            json!({"patch": patch, "patchType": "Merge"}),
            "unsupported patch type \"Merge\"",
        ),
    ] {
        let found = verdict(webhook_type, &with(extra)).unwrap_err();
        assert_eq!(found, format!("received invalid webhook response: {error}"));
    }
    let absent = read(WebhookType::Mutating, 200, "", "{}").unwrap_err();
    assert_eq!(
        absent,
        "received invalid webhook response: webhook response was absent"
    );
    let unversioned = json!({"response": {"uid": UID}}).to_string();
    let found = read(WebhookType::Mutating, 200, "", &unversioned).unwrap_err();
    assert!(
        found.ends_with("Kind=AdmissionReview, got /, Kind="),
        "{found}"
    );
}

#[test]
fn invalid_reviews_and_failure_codes_have_client_gos_texts() {
    let of = |code, media: &str, body: &str| {
        read(WebhookType::Validating, code, media, body).unwrap_err()
    };
    assert!(of(200, "application/json", "plain").ends_with(
        r#"json: cannot unmarshal string into Go value of type struct { APIVersion string "json:\"apiVersion,omitempty\""; Kind string "json:\"kind,omitempty\"" }"#
    ));
    assert_eq!(
        of(503, "application/json", "no\n"),
        "failed to call webhook: the server is currently unable to handle the request"
    );
    assert_eq!(
        of(500, "text/plain", "boom\n"),
        "failed to call webhook: an error on the server (\"boom\") has prevented the request from succeeding"
    );
    assert_eq!(
        of(302, "", ""),
        "failed to call webhook: the server responded with the status code 302 but did not return more information"
    );
    let status =
        json!({"kind": "Status", "apiVersion": "v1", "status": "Failure", "message": "own words"});
    assert_eq!(
        of(404, "application/json", &status.to_string()),
        "failed to call webhook: own words"
    );
}

#[test]
fn webhook_patch_errors_match_the_api_server() {
    let patch = |steps: &str| {
        let patch = STANDARD.encode(steps);
        verdict(
            WebhookType::Mutating,
            &json!({"uid": UID, "allowed": true, "patch": patch, "patchType": "JSONPatch"}),
        )
    };
    assert_eq!(
        patch("rubbish").unwrap_err(),
        "received undecodable patch in webhook response: invalid character 'r' looking for beginning of value"
    );
    assert!(
        patch("{}")
            .unwrap_err()
            .ends_with("json: cannot unmarshal object into Go value of type jsonpatch.Patch")
    );
    assert_eq!(patch("[]").unwrap().patch, Value::Null);
    let steps = patch(r#"[{"op": "add", "path": "/a", "value": 1}]"#)
        .unwrap()
        .patch;
    assert_eq!(patched(&json!({}), &steps).unwrap(), json!({"a": 1}));
    let failing = json!([{"op": "test", "path": "/a", "value": 2}]);
    let status = patched(&json!({"a": 1}), &failing).unwrap_err();
    assert_eq!((status.code, status.reason), (500, "InternalError"));
    assert_eq!(
        status.message,
        "Internal error occurred: testing value /a failed: test failed"
    );
}
