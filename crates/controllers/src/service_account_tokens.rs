//! Tokens that are kept in Secrets: a Secret of the type `kubernetes.io/service-account-token` gets the token of
//! the account that it names.
//!
//! Such a token does not expire: it is valid as long as the Secret holds it and the account exists.
//!
//! Rules:
//! - `fill`: a Secret of this type lacks its token, the certificate or the namespace; they are added.
//! - `no-account`: the ServiceAccount of such a Secret does not exist, or has another uid than the Secret names;
//!   the Secret is deleted.

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;

use super::views::{ACCOUNT_UID, token_secret};
use super::watched;
use crate::api::json::{Value, json};
use crate::api::patch::merge::apply;
use crate::runtime::{Controller, Key, Object, Plan, PlannedWrite, ReconcileContext, Watch};

/// The issuer of these tokens, older than the one of requested tokens.
const ISSUER: &str = "kubernetes/serviceaccount";

/// Fills Secrets with the tokens of their accounts.
#[derive(Debug, Default)]
pub(crate) struct ServiceAccountTokens;

impl Controller for ServiceAccountTokens {
    fn name(&self) -> &'static str {
        "serviceaccount-token"
    }

    fn component(&self) -> &'static str {
        "tokens-controller"
    }

    fn watches(&self) -> Vec<Watch> {
        let accounts = Watch::new(watched::service_accounts(), |change, cache| {
            let Some(account) = change.object() else {
                return Vec::new();
            };
            let secrets = cache.list(watched::secrets(), account.namespace());
            let own =
                secrets.filter(|s| token_secret(s).is_some_and(|s| s.account() == account.name()));
            own.map(|secret| Key::new(secret.namespace(), secret.name()))
                .collect()
        });
        vec![Watch::own(watched::secrets()), accounts]
    }

    fn plan(&mut self, context: &ReconcileContext<'_>) -> Plan {
        let mut plan = Plan::done();
        let secret = context.cache.by_key(watched::secrets(), context.key);
        let Some(secret) = secret.filter(|secret| !secret.is_terminating()) else {
            return plan;
        };
        let Some(kept) = token_secret(secret) else {
            return plan;
        };
        let (name, bound) = (kept.account(), kept.account_uid());
        let accounts = watched::service_accounts();
        let account = context.cache.get(accounts, secret.namespace(), name);
        match account.filter(|account| bound.is_empty() || bound == account.uid()) {
            None => plan.changes.push(PlannedWrite::delete(
                secret,
                format!("no-account: ServiceAccount {name} does not exist"),
            )),
            Some(account) => match filled(secret, account, context) {
                Ok(Some(value)) => plan.changes.push(PlannedWrite::update(
                    secret,
                    value,
                    format!("fill: with the token of ServiceAccount {name}"),
                )),
                Ok(None) => {}
                Err(error) => plan.error = Some(error),
            },
        }
        plan
    }
}

/// Returns the completed Secret, or `None` if it is complete already.
fn filled(
    secret: &Object,
    account: &Object,
    context: &ReconcileContext<'_>,
) -> Result<Option<Value>, String> {
    let kept = token_secret(secret);
    let root = context.identity.root_certificate();
    let root = BASE64_STANDARD.encode(root.map_err(|e| e.to_string())?);
    // An existing token is kept, because clients use it.
    let token = match kept.map_or("", |kept| kept.token()) {
        "" => BASE64_STANDARD.encode(token(secret, account, context)?),
        own => own.to_owned(),
    };
    let mut data = kept.map_or(&Value::Null, |kept| kept.data()).clone();
    let namespace = BASE64_STANDARD.encode(secret.namespace());
    apply(
        &mut data,
        &json!({"ca.crt": root, "namespace": namespace, "token": token}),
    );
    let is_bound = kept.is_some_and(|kept| kept.account_uid() == account.uid());
    if is_bound && kept.is_some_and(|kept| *kept.data() == data) {
        return Ok(None);
    }
    let mut value = secret.to_value();
    let named = json!({"metadata": {"annotations": {ACCOUNT_UID: account.uid()}}, "data": data});
    apply(&mut value, &named);
    Ok(Some(value))
}

/// Signs a token for an account. It is valid as long as the Secret contains it.
fn token(
    secret: &Object,
    account: &Object,
    context: &ReconcileContext<'_>,
) -> Result<String, String> {
    let claim = |name: &str| format!("kubernetes.io/serviceaccount/{name}");
    let (namespace, name) = (account.namespace(), account.name());
    let claims = json!({
        "iss": ISSUER, "sub": format!("system:serviceaccount:{namespace}:{name}"),
        claim("namespace"): namespace, claim("secret.name"): secret.name(),
        claim("service-account.name"): name, claim("service-account.uid"): account.uid(),
    });
    context.identity.token(&claims).map_err(|e| e.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::harness::{ControllerHarness, content, lines};

    fn secret() -> Value {
        json!({"type": "kubernetes.io/service-account-token", "metadata": {
            "name": "key", "namespace": "default", "annotations": {"kubernetes.io/service-account.name": "robot"},
        }})
    }

    fn account(uid: &str) -> Value {
        json!({"metadata": {"name": "robot", "namespace": "default", "uid": uid}})
    }

    #[test]
    fn a_secret_gets_the_token_of_its_account_once() {
        let mut harness = ControllerHarness::new(ServiceAccountTokens);
        harness.put("v1", "ServiceAccount", account("u1"));
        harness.put("v1", "Secret", secret());
        let plan = harness.plan("default", "key");
        assert_eq!(lines(&plan), ["update secrets key: fill"]);
        let full = content(&plan.changes[0]).clone();
        let keys: Vec<_> = full["data"].as_object().unwrap().keys().collect();
        assert_eq!(keys, ["ca.crt", "namespace", "token"]);
        assert_eq!(full["metadata"]["annotations"][ACCOUNT_UID], "u1");
        let token = BASE64_STANDARD.decode(full["data"]["token"].as_str().unwrap());
        assert_eq!(token.unwrap().iter().filter(|b| **b == b'.').count(), 2);
        harness.put("v1", "Secret", full.clone());
        assert_eq!(harness.plan("default", "key"), Plan::done());
        // A removed entry is added again.
        let mut cut = full;
        cut["data"].as_object_mut().unwrap().remove("ca.crt");
        harness.put("v1", "Secret", cut);
        assert_eq!(
            lines(&harness.plan("default", "key")),
            ["update secrets key: fill"]
        );
    }

    #[test]
    fn a_secret_is_deleted_with_its_account() {
        let mut harness = ControllerHarness::new(ServiceAccountTokens);
        harness.put("v1", "Secret", secret());
        let gone = ["delete secrets key: no-account"];
        assert_eq!(lines(&harness.plan("default", "key")), gone);
        // An account with the same name and another uid is a different account.
        let mut old = secret();
        old["metadata"]["annotations"][ACCOUNT_UID] = json!("u1");
        harness.put("v1", "Secret", old);
        let other = harness.put("v1", "ServiceAccount", account("u2"));
        assert_eq!(lines(&harness.plan("default", "key")), gone);
        assert_eq!(harness.keys(&other), [Key::new("default", "key")]);
        harness.put(
            "v1",
            "Secret",
            json!({"type": "Opaque", "metadata": {"name": "key", "namespace": "default"}}),
        );
        assert_eq!(harness.plan("default", "key"), Plan::done());
    }
}
