//! Reviews: objects that are returned and never stored.

use std::fmt::Display;

use super::{posted, token_review};
use crate::access;
use crate::api::json::{Value, json};
use crate::api::status::{Cause, CauseReason, Status};
use crate::commit::step::{Decided, Decision, Step};
use crate::context::Context;
use crate::entry::Admitted;
use crate::kinds::admission::User;
use crate::kinds::admission::policy::Operation;
use crate::kinds::rbac::AccessAttributes;
use crate::kinds::tree::{entries, field, list, set, text, texts};
use crate::kinds::validate::go;
use crate::kinds::{Kind, Review, shape};
use crate::request::response::{ApiError, Response};
use crate::store::View;

/// Returns true if objects of a kind are returned and not stored.
pub(crate) fn is_review(kind: &Kind) -> bool {
    kind.reviews().is_some()
}

/// Returns the step of a review in a batch: it has a response and stores nothing.
pub(crate) fn review_step<'s>(
    context: &'s Context,
    at: Admitted<'s>,
    object: &'s Value,
) -> Result<Step<'s>, ApiError> {
    let reviewed = reviewed(context, &at, object)?;
    // Reviewed before the commit: the verdict is about the roles at the time of the request, and needs no lock because
    // nothing is stored.
    let decide = move |_: &dyn View| {
        Ok(Decided {
            warnings: reviewed.warnings.clone(),
            ..Decision::Keep(reviewed.object.clone()).into()
        })
    };
    Ok(Step::new(at, "create", decide))
}

/// Returns a review with its status. Webhooks may change or reject it; policies do not apply to reviews, because a
/// faulty one could lock out everybody.
pub(crate) fn reviewed(
    context: &Context,
    at: &Admitted<'_>,
    object: &Value,
) -> Result<Response, ApiError> {
    let (place, user) = (at.place(), at.user());
    let mut review = shape::read(place.kind, object)?.object;
    if place.kind.namespaced {
        review["metadata"]["namespace"] = json!(place.namespace);
    }
    let check = |review: &Value| check(place.kind, review);
    let admitted = posted::admitted(context, at, Operation::Create, &review, &check)?;
    let mut review = admitted.object;
    let spec = field(&review, "spec").clone();
    let status = match place.kind.reviews() {
        // `kubectl auth whoami` prints this status.
        Some(Review::OwnUser) => json!({"userInfo": shown(user)}),
        Some(Review::Token) => token_review::status(context, &spec),
        Some(Review::OwnRules) => rules_review(context, user, text(&spec, "namespace"))?,
        Some(Review::OwnAccess) => asked(context, &spec, user)?,
        Some(Review::Access) | None => {
            // The object names the user whose access is reviewed; the caller needs only the right to create it.
            let named = User {
                name: text(&spec, "user").to_owned(),
                uid: text(&spec, "uid").to_owned(),
                groups: texts(&spec, "groups").map(str::to_owned).collect(),
                ..User::default()
            };
            asked(context, &spec, &named)?
        }
    };
    if place.kind.reviews() == Some(Review::OwnRules) {
        // The API server returns a new object, which contains nothing of the request.
        set(&mut review, "spec", json!({}));
    }
    set(&mut review, "status", status);
    Ok(Response {
        warnings: admitted.warnings,
        ..Response::transient(review)
    })
}

/// Rejects a review that asks for nothing, or for too much.
fn check(kind: &Kind, review: &Value) -> Result<(), Status> {
    let spec = field(review, "spec");
    let is_missing = |name: &str| text(spec, name).is_empty();
    match kind.reviews() {
        Some(Review::OwnUser) => Ok(()),
        Some(Review::OwnRules) if is_missing("namespace") => {
            Err(Status::bad_request("no namespace on request"))
        }
        Some(Review::OwnRules) => Ok(()),
        Some(Review::Token) if is_missing("token") => Err(Status::bad_request(
            "token is required for TokenReview in authentication",
        )),
        Some(Review::Token) => Ok(()),
        Some(Review::OwnAccess | Review::Access) | None => match problems(review, kind) {
            causes if causes.is_empty() => Ok(()),
            // The registry names no kind, because its internal objects do not contain theirs.
            causes => Err(Status::invalid(kind.group, "", "", causes)),
        },
    }
}

/// Returns the status of a review of a user's access.
fn asked(context: &Context, spec: &Value, user: &User) -> Result<Value, ApiError> {
    let (on, path) = (
        field(spec, "resourceAttributes"),
        field(spec, "nonResourceAttributes"),
    );
    // Roles name a subresource after a slash.
    let resource = match text(on, "subresource") {
        "" => text(on, "resource").to_owned(),
        below => format!("{}/{below}", text(on, "resource")),
    };
    let access = match path.is_null() {
        true => AccessAttributes::Resource {
            verb: text(on, "verb"),
            group: text(on, "group"),
            resource: &resource,
            name: text(on, "name"),
        },
        false => AccessAttributes::Path {
            verb: text(path, "verb"),
            path: text(path, "path"),
        },
    };
    let verdict = access::may(&*context.store, user, &access, text(on, "namespace"))?;
    let mut status = json!({"allowed": verdict.allowed});
    if !verdict.reason.is_empty() {
        set(&mut status, "reason", verdict.reason);
    }
    Ok(status)
}

fn rules_review(context: &Context, user: &User, namespace: &str) -> Result<Value, ApiError> {
    let mut held = access::rules_of(&*context.store, user, namespace)?;
    let (mut resources, mut paths) = (Vec::new(), Vec::new());
    for rule in std::mem::take(&mut held.rules) {
        match list(&rule, "nonResourceURLs") {
            [] => resources.push(rule),
            _ => paths.push(rule),
        }
    }
    let mut status =
        json!({"incomplete": false, "resourceRules": resources, "nonResourceRules": paths});
    if let Some(error) = held.error() {
        set(&mut status, "evaluationError", error);
    }
    Ok(status)
}

fn shown(user: &User) -> Value {
    let mut shown = json!({"username": user.name, "groups": user.groups});
    if !user.uid.is_empty() {
        set(&mut shown, "uid", user.uid.clone());
    }
    if !user.extra.is_empty() {
        set(&mut shown, "extra", json!(user.extra));
    }
    shown
}

/// Returns the errors of a review of access.
fn problems(review: &Value, kind: &Kind) -> Vec<Cause> {
    let spec = field(review, "spec");
    let (on, path) = (
        field(spec, "resourceAttributes"),
        field(spec, "nonResourceAttributes"),
    );
    // The API server prints the attributes as Go marshals its internal type.
    let shown = json!({"Path": text(path, "path"), "Verb": text(path, "verb")});
    let mut causes = Vec::new();
    let mut wrong = |field: &str, value: &Value, why: &str| causes.push(invalid(field, value, why));
    match (on.is_null(), path.is_null()) {
        (true, true) => wrong(
            "spec.resourceAttributes",
            &Value::Null,
            "exactly one of nonResourceAttributes or resourceAttributes must be specified",
        ),
        (false, false) => wrong(
            "spec.nonResourceAttributes",
            &shown,
            "cannot be specified in combination with resourceAttributes",
        ),
        _ => {}
    }
    let names_user = !text(spec, "user").is_empty() || !list(spec, "groups").is_empty();
    if kind.reviews() != Some(Review::OwnAccess) && !names_user {
        let why = "at least one of user or group must be specified";
        wrong("spec.user", &json!(""), why);
    }
    if let Some(cause) = metadata_problem(review, kind) {
        causes.push(cause);
    }
    let mut wrong = |field: &str, value: &Value, why: &str| causes.push(invalid(field, value, why));
    if kind.namespaced {
        let own = text(on, "namespace");
        if !on.is_null() && own != text(field(review, "metadata"), "namespace") {
            let why = "must match metadata.namespace";
            wrong("spec.resourceAttributes.namespace", &json!(own), why);
        }
        if !path.is_null() {
            let why = "disallowed on this kind of request";
            wrong("spec.nonResourceAttributes", &shown, why);
        }
    }
    causes
}

/// Returns the error of a review with metadata: nothing could refer to it.
fn metadata_problem(review: &Value, kind: &Kind) -> Option<Cause> {
    let mut given = entries(review, "metadata");
    // The namespace comes from the request.
    let is_given = given.any(|(name, value)| {
        !matches!(name, "namespace" | "managedFields") && *value != json!("") && !value.is_null()
    });
    let why = match kind.namespaced {
        true => "must be empty except for namespace",
        false => "must be empty",
    };
    let shown = go::shown_metadata(field(review, "metadata"));
    is_given.then(|| invalid("metadata", &shown, why))
}

fn invalid(field: &str, value: &dyn Display, why: &str) -> Cause {
    Cause {
        reason: CauseReason::Invalid,
        field: field.to_owned(),
        message: format!("Invalid value: {value}: {why}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kinds::admission::User;
    use crate::testing::{fresh, place};
    use crate::{Request, WriteOptions, administrator, impersonated};

    fn bob() -> User {
        impersonated("bob", "", Vec::new())
    }

    #[test]
    fn reviews_of_access_have_a_status_and_are_not_stored() {
        let cluster = fresh();
        let before = cluster.stored().revision().unwrap();
        let place = place("selfsubjectaccessreviews");
        let pods = json!({"apiVersion": "authorization.k8s.io/v1", "kind": "SelfSubjectAccessReview",
            "spec": {"resourceAttributes": {"verb": "get", "resource": "pods", "namespace": "default"}}});
        let options = |user: User| WriteOptions {
            user,
            ..WriteOptions::default()
        };
        let allowed = |user: User| {
            let answer = cluster.create(&place, &pods, &options(user)).unwrap();
            answer.object["status"]["allowed"].clone()
        };
        assert_eq!(
            (allowed(administrator()), allowed(bob())),
            (json!(true), json!(false))
        );
        let request = Request::create(place.clone(), pods.clone()).with(options(bob()));
        let answers = cluster.all(&[request]).unwrap();
        assert_eq!(
            answers[0].as_ref().unwrap().object["status"]["allowed"],
            false
        );
        assert_eq!(cluster.stored().revision().unwrap(), before);
        let mut both = pods.clone();
        both["spec"]["nonResourceAttributes"] = json!({"verb": "get", "path": "/"});
        assert!(
            cluster
                .rights()
                .review(&place, &both, &bob())
                .unwrap_err()
                .to_string()
                .contains("combination")
        );
    }

    #[test]
    fn invalid_access_reviews_list_every_cause() {
        let cluster = fresh();
        let refused = |kind: &str, spec: Value| {
            let resource = format!("{}s", kind.to_lowercase());
            let review =
                json!({"apiVersion": "authorization.k8s.io/v1", "kind": kind, "spec": spec});
            let options = WriteOptions::default();
            let error = cluster
                .create(&place(&resource), &review, &options)
                .unwrap_err();
            let status = error.into_status();
            let shown = |cause: &Cause| cause.to_string();
            status.causes().iter().map(shown).collect::<Vec<_>>()
        };
        let pods = json!({"namespace": "kube-system", "verb": "get", "resource": "pods"});
        let path = json!({"path": "/x", "verb": "get"});
        let both = json!({"user": "", "resourceAttributes": pods, "nonResourceAttributes": path});
        assert_eq!(
            refused("SubjectAccessReview", both),
            [
                "spec.nonResourceAttributes: Invalid value: {\"Path\":\"/x\",\"Verb\":\"get\"}: cannot be specified in \
                 combination with resourceAttributes",
                "spec.user: Invalid value: \"\": at least one of user or group must be specified",
            ]
        );
        assert_eq!(
            refused(
                "LocalSubjectAccessReview",
                json!({"user": "x", "resourceAttributes": pods})
            ),
            [
                "spec.resourceAttributes.namespace: Invalid value: \"kube-system\": must match metadata.namespace"
            ]
        );
        assert_eq!(
            refused("SelfSubjectAccessReview", json!({})),
            [
                "spec.resourceAttributes: Invalid value: null: exactly one of nonResourceAttributes or resourceAttributes \
              must be specified"
            ]
        );
    }

    #[test]
    fn a_review_has_no_name() {
        let told = |resource: &str, metadata: Value| {
            let review = json!({"metadata": metadata, "spec": {"user": "x", "resourceAttributes": {"namespace": "n"}}});
            let causes = problems(&review, place(resource).kind);
            causes.iter().map(ToString::to_string).collect::<Vec<_>>()
        };
        let (any, local) = ("subjectaccessreviews", "localsubjectaccessreviews");
        assert_eq!(
            told(any, json!({"name": "a"})),
            ["metadata: Invalid value: {\"name\":\"a\"}: must be empty"]
        );
        assert_eq!(
            told(local, json!({"name": "a", "namespace": "n"})),
            [
                "metadata: Invalid value: {\"name\":\"a\",\"namespace\":\"n\"}: must be empty except for namespace"
            ]
        );
        assert_eq!(told(local, json!({"namespace": "n"})), [""; 0]);
    }

    #[test]
    fn self_subject_reviews_return_the_user_and_their_rules() {
        let cluster = fresh();
        let who = json!({"apiVersion": "authentication.k8s.io/v1", "kind": "SelfSubjectReview"});
        let answer = cluster
            .rights()
            .review(&place("selfsubjectreviews"), &who, &bob())
            .unwrap();
        assert_eq!(answer["status"]["userInfo"]["username"], "bob");
        let mut rules =
            json!({"apiVersion": "authorization.k8s.io/v1", "kind": "SelfSubjectRulesReview"});
        let place = place("selfsubjectrulesreviews");
        let nowhere = cluster.rights().review(&place, &rules, &bob());
        assert_eq!(nowhere.unwrap_err().to_string(), "no namespace on request");
        rules["spec"] = json!({"namespace": "default"});
        let all = cluster
            .rights()
            .review(&place, &rules, &administrator())
            .unwrap();
        assert_eq!(all["status"]["resourceRules"][0]["verbs"], json!(["*"]));
        assert_eq!(all["spec"], json!({}));
        let none = cluster.rights().review(&place, &rules, &bob()).unwrap();
        let resources: Vec<&Value> = none["status"]["resourceRules"]
            .as_array()
            .unwrap()
            .iter()
            .flat_map(|rule| list(rule, "resources"))
            .collect();
        assert_eq!(
            resources,
            [
                "selfsubjectaccessreviews",
                "selfsubjectrulesreviews",
                "selfsubjectreviews"
            ]
        );
        assert_eq!(
            none["status"]["nonResourceRules"][0]["verbs"],
            json!(["get"])
        );
    }
}
