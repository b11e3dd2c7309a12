//! Reviews: objects that are returned and never stored.

use super::token_review;
use crate::access;
use crate::api::json::{Value, json};
use crate::api::status::{Cause, CauseReason, Status};
use crate::commit::step::{Decision, Step};
use crate::context::Context;
use crate::door::Admitted;
use crate::kinds::admission::User;
use crate::kinds::rbac::Ask;
use crate::kinds::tree::{field, list, set, text, texts};
use crate::kinds::{Kind, shape};
use crate::request::response::ApiError;
use crate::store::View;

/// Returns true if objects of a kind are returned and not stored.
pub(crate) fn is_review(kind: &Kind) -> bool {
    kind.is_reviewed()
}

/// Returns the step of a review in a batch: it has a response and stores nothing.
pub(crate) fn review_step<'s>(
    context: &'s Context,
    at: Admitted<'s>,
    object: &'s Value,
) -> Result<Step<'s>, ApiError> {
    let reviewed = reviewed(context, &at, object)?;
    // Reviewed before the commit: the verdict is about the roles at the time of the request, and storing nothing
    // needs no lock.
    let decide = move |_: &dyn View| Ok(Decision::Keep(reviewed.clone()).into());
    Ok(Step::new(at, "create", decide))
}

pub(crate) fn reviewed(
    context: &Context,
    at: &Admitted<'_>,
    object: &Value,
) -> Result<Value, ApiError> {
    let (place, user) = (at.place(), at.user());
    let mut review = shape::read(place.kind, object)?.object;
    let spec = field(&review, "spec").clone();
    let status = match place.kind.kind {
        // `kubectl auth whoami` prints this status.
        "SelfSubjectReview" => json!({"userInfo": shown(user)}),
        "TokenReview" => token_review::status(context, &spec)?,
        "SelfSubjectRulesReview" => rules_review(context, user, text(&spec, "namespace"))?,
        "SelfSubjectAccessReview" => asked(context, place.kind, &spec, user)?,
        _ => {
            let named = User {
                name: text(&spec, "user").to_owned(),
                uid: text(&spec, "uid").to_owned(),
                groups: texts(&spec, "groups").map(str::to_owned).collect(),
            };
            asked(context, place.kind, &spec, &named)?
        }
    };
    set(&mut review, "status", status);
    Ok(review)
}

fn asked(context: &Context, kind: &Kind, spec: &Value, user: &User) -> Result<Value, ApiError> {
    let (on, path) = (
        field(spec, "resourceAttributes"),
        field(spec, "nonResourceAttributes"),
    );
    // Equal means that both or neither are given, and the API wants exactly one.
    if on.is_null() == path.is_null() {
        return Err(neither(kind, on.is_null()).into());
    }
    // Roles name a subresource behind a slash.
    let resource = match text(on, "subresource") {
        "" => text(on, "resource").to_owned(),
        below => format!("{}/{below}", text(on, "resource")),
    };
    let ask = match path.is_null() {
        true => Ask::Resource {
            verb: text(on, "verb"),
            group: text(on, "group"),
            resource: &resource,
            name: text(on, "name"),
        },
        false => Ask::Path {
            verb: text(path, "verb"),
            path: text(path, "path"),
        },
    };
    let verdict = access::may(&*context.store, user, &ask, text(on, "namespace"))?;
    let mut status = json!({"allowed": verdict.allowed});
    if !verdict.reason.is_empty() {
        set(&mut status, "reason", verdict.reason);
    }
    Ok(status)
}

fn rules_review(context: &Context, user: &User, namespace: &str) -> Result<Value, ApiError> {
    let held = access::rules_of(&*context.store, user, namespace)?;
    let (mut resources, mut paths) = (Vec::new(), Vec::new());
    for rule in held {
        match list(&rule, "nonResourceURLs") {
            [] => resources.push(rule),
            _ => paths.push(rule),
        }
    }
    Ok(json!({"incomplete": false, "resourceRules": resources, "nonResourceRules": paths}))
}

fn shown(user: &User) -> Value {
    let mut shown = json!({"username": user.name, "groups": user.groups});
    if !user.uid.is_empty() {
        set(&mut shown, "uid", user.uid.clone());
    }
    shown
}

/// A review asks about a resource or about a path, and not about both.
fn neither(kind: &Kind, none: bool) -> Status {
    let (field, message) = match none {
        true => (
            "spec.resourceAttributes",
            "Invalid value: null: exactly one of nonResourceAttributes or resourceAttributes must be \
             specified",
        ),
        false => (
            "spec.nonResourceAttributes",
            "Invalid value: \"\": cannot be specified in combination with resourceAttributes",
        ),
    };
    let cause = Cause {
        reason: CauseReason::Invalid,
        field: field.to_owned(),
        message: message.to_owned(),
    };
    Status::invalid(kind.group, kind.kind, "", vec![cause])
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
    fn access_is_answered_and_nothing_is_kept() {
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
    fn who_asks_and_what_he_may() {
        let cluster = fresh();
        let who = json!({"apiVersion": "authentication.k8s.io/v1", "kind": "SelfSubjectReview"});
        let answer = cluster
            .rights()
            .review(&place("selfsubjectreviews"), &who, &bob())
            .unwrap();
        assert_eq!(answer["status"]["userInfo"]["username"], "bob");
        let rules = json!({"apiVersion": "authorization.k8s.io/v1", "kind": "SelfSubjectRulesReview",
            "spec": {"namespace": "default"}});
        let place = place("selfsubjectrulesreviews");
        let all = cluster
            .rights()
            .review(&place, &rules, &administrator())
            .unwrap();
        assert_eq!(all["status"]["resourceRules"][0]["verbs"], json!(["*"]));
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
