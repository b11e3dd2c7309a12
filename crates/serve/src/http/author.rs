//! Determines the user of a request: its sender, or the user that the sender impersonates.

use std::collections::BTreeMap;

use super::head::Head;
use super::login::Caller;
use crate::cluster::{Impersonation, anonymous};
use crate::kinds::admission::User;
use crate::query::unescaped;
use crate::{Body, Response, Service};

/// The user of a request, with the impersonation if the sender is someone else.
pub(super) type Author = (User, Option<Impersonation>);

/// Returns the user of a request. With the headers of `--as`, the sender impersonates another user. The right to do so
/// is checked later, once the resource of the request is known.
pub(super) fn author(
    head: &Head,
    caller: Caller,
    service: &dyn Service,
) -> Result<Author, Box<Response>> {
    let by = match caller {
        // Impersonation requires credentials.
        Caller::Anonymous => return Ok((anonymous(), None)),
        Caller::Owner => service.identity(),
        Caller::Known(user) => user,
    };
    let field = |name| head.field(name).unwrap_or_default().to_owned();
    let impersonation = Impersonation {
        by,
        name: field("impersonate-user"),
        uid: field("impersonate-uid"),
        // client-go sends each group in a header of its own.
        groups: head
            .fields("impersonate-group")
            .map(str::to_owned)
            .collect(),
        extra: extra(head),
    };
    let Impersonation {
        by,
        name,
        uid,
        groups,
        extra,
    } = &impersonation;
    let asks = !uid.is_empty() || !groups.is_empty() || !extra.is_empty();
    match (name.is_empty(), asks) {
        // Impersonation without a user name is an error: it must not just change the sender's groups.
        (true, false) => Ok((by.clone(), None)),
        (true, true) => Err(Box::new(nobody(head, &impersonation))),
        _ => Ok((impersonation.user(), Some(impersonation))),
    }
}

/// Returns the extra attributes of the impersonated user; each is part of a header's name.
fn extra(head: &Head) -> BTreeMap<String, Vec<String>> {
    let mut extra: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for (name, value) in head.all_fields() {
        let Some(key) = name.strip_prefix("impersonate-extra-") else {
            continue;
        };
        // client-go escapes characters that a header's name must not contain.
        let key = unescaped(key);
        let values = extra.entry(key).or_default();
        values.push(String::from_utf8_lossy(value).into_owned());
    }
    extra
}

/// Returns the API server's error for impersonated groups without a user, with the references as Go prints them.
fn nobody(head: &Head, asks: &Impersonation) -> Response {
    let Impersonation {
        uid, groups, extra, ..
    } = asks;
    let groups = groups
        .iter()
        .map(|group| format!("{{Group  {group}  rbac.authorization.k8s.io/v1  }}"));
    let uid = (!uid.is_empty()).then(|| format!("{{UID  {uid}  authentication.k8s.io/v1  }}"));
    let extra = extra.iter().flat_map(|(key, values)| {
        let one = move |value| format!("{{UserExtra  {value}  authentication.k8s.io/v1  {key}}}");
        values.iter().map(one)
    });
    let asked: Vec<String> = groups.chain(extra).chain(uid).collect();
    let why = format!(
        "Internal Server Error: {:?}: requested [{}] without impersonating a user\n",
        head.target,
        asked.join(" ")
    );
    Response {
        code: 500,
        body: Body::Text(why),
        warnings: Vec::new(),
        media: "",
        fields: Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::super::shared::Limits;
    use super::super::tests::{codes, fresh, shared, told};

    #[test]
    fn an_impersonated_group_needs_a_user() {
        let cluster = fresh();
        let sent = "GET /api/v1/pods HTTP/1.1\r\nHost: localhost\r\nImpersonate-Group: g\r\n\r\n";
        let got = told(&cluster, sent, &shared(Limits::default()));
        assert_eq!(codes(&got), ["500"], "{got}");
        let said = "Internal Server Error: \"/api/v1/pods\": requested \
                [{Group  g  rbac.authorization.k8s.io/v1  }] without impersonating a user\n";
        assert!(got.ends_with(said), "{got}");
    }

    #[test]
    fn further_attributes_are_impersonated_by_headers() {
        let cluster = fresh();
        let body = r#"{"apiVersion": "authentication.k8s.io/v1", "kind": "SelfSubjectReview"}"#;
        let asked = |user: &str| {
            let sent = format!(
                "POST /apis/authentication.k8s.io/v1/selfsubjectreviews HTTP/1.1\r\nHost: localhost\r\n\
                 Content-Type: application/json\r\n{user}Impersonate-Extra-Acme.com%2fProject: x\r\n\
                 Content-Length: {}\r\n\r\n{body}",
                body.len()
            );
            told(&cluster, &sent, &shared(Limits::default()))
        };
        let got = asked("Impersonate-User: ann\r\n");
        assert!(
            got.contains(r#""extra":{"acme.com/project":["x"]}"#),
            "{got}"
        );
        let got = asked("");
        let said = "requested [{UserExtra  x  authentication.k8s.io/v1  acme.com/project}] without \
                impersonating a user\n";
        assert!(got.ends_with(said), "{got}");
    }
}
