//! Admission webhooks in a transaction: the webhooks of the state that match a request, and their replies.
//!
//! A missing reply ends the decision (see [`crate::webhooks`]).

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

use super::attributes::{Converted, Namespace};
use super::body::Body;
use crate::access::Snapshot;
use crate::api::json::{Value, json};
use crate::api::status::Status;
use crate::discovery::versions;
use crate::kinds::admission::policy::{
    Attributes, Constraints, Inputs, Roles, conditions, is_exempt, wants,
};
use crate::kinds::admission::webhook::{AdmissionResult, Hook, WebhookType, patched};
use crate::kinds::convert::convert;
use crate::kinds::tree::{field, list, text};
use crate::kinds::{Kind, shape};
use crate::objects;
use crate::request::options::{Author, Consult};
use crate::request::response::ApiError;
use crate::store::{CLUSTER_SCOPE, Range, View};
use crate::webhooks::{Question, Replies, endpoint, review_template};

/// The webhooks of a state that may apply to a kind.
pub(super) struct Hooks<'v> {
    view: &'v dyn View,
    consult: Consult<'v>,
    author: Author<'v>,
    webhook_type: WebhookType,
    entries: Vec<Entry>,
    versions: Vec<&'static Kind>,
}

/// A webhook with its place among all.
struct Entry {
    /// The configuration, the webhook and its number in there.
    id: String,
    spec: Value,
}

/// The result of asking a webhook.
enum CallOutcome {
    /// Its reply is not known yet.
    Nothing,
    /// It failed, and the request continues without it.
    Ignored,
    AdmissionResult(AdmissionResult),
}

/// The state of the calls after a pass over all mutating webhooks.
#[derive(Default)]
pub(super) struct WebhookPass {
    pub(super) changed: bool,
    /// The numbers of the webhooks that were called and must be called again after a change.
    called: BTreeSet<usize>,
    /// Those of them after which there was a change.
    again: BTreeSet<usize>,
    output: Value,
}

/// Returns the resource of the configurations of webhooks.
pub(super) fn resource(webhook_type: WebhookType) -> &'static str {
    match webhook_type {
        WebhookType::Mutating => "mutatingwebhookconfigurations.admissionregistration.k8s.io",
        WebhookType::Validating => "validatingwebhookconfigurations.admissionregistration.k8s.io",
    }
}

impl<'v> Hooks<'v> {
    /// Returns the webhooks with a rule for the group of the kind; `None` if there are none, as in most clusters, or if
    /// the author of the request calls none.
    pub(super) fn new(
        view: &'v dyn View,
        kind: &'static Kind,
        author: Author<'v>,
        webhook_type: WebhookType,
    ) -> Result<Option<Self>, ApiError> {
        let Some(consult) = author.consult.filter(|_| !is_exempt(kind)) else {
            return Ok(None);
        };
        let resource = resource(webhook_type);
        let mut entries = Vec::new();
        // Configurations are listed by name, which is the order in which the API server calls them.
        for stored in view.list(&Range::resource(resource, Some(CLUSTER_SCOPE)))? {
            let configuration = objects::shown(&stored)?;
            let name = objects::meta(&configuration, "name");
            for (number, spec) in list(&configuration, "webhooks").iter().enumerate() {
                let rules = list(spec, "rules");
                if !rules.is_empty() && wants(rules, kind) {
                    entries.push(Entry {
                        id: format!("{name}/{number}/{}", text(spec, "name")),
                        spec: spec.clone(),
                    });
                }
            }
        }
        Ok((!entries.is_empty()).then(|| Self {
            view,
            consult,
            author,
            webhook_type,
            entries,
            versions: versions(view, kind),
        }))
    }

    fn hook<'e>(&self, entry: &'e Entry) -> Hook<'e> {
        Hook {
            spec: &entry.spec,
            webhook_type: self.webhook_type,
        }
    }

    /// Calls all matching webhooks for a request; rejects it if one of them does.
    pub(super) fn refuse(
        &self,
        at: &Attributes<'_>,
        warnings: &mut Vec<String>,
    ) -> Result<(), ApiError> {
        let mut missing = false;
        let mut refused = None;
        // All calls of validating webhooks are made at the same time, so the first refusal does not end the loop.
        for (number, entry) in self.entries.iter().enumerate() {
            let Some(kind) = self.matched(entry, at)? else {
                continue;
            };
            let converted = Converted::new(at, kind);
            match self.ask(entry, &converted.attributes(at), kind, 0) {
                Ok(CallOutcome::Nothing) => missing = true,
                Ok(CallOutcome::Ignored) => self.annotate_failure(0, number, entry),
                Ok(CallOutcome::AdmissionResult(verdict)) => {
                    self.annotate(entry, &verdict);
                    warnings.extend(verdict.warnings);
                    let unfit = (!verdict.patch.is_null()).then(|| unpatchable(self.hook(entry)));
                    refused = refused.or(verdict.refusal).or(unfit);
                }
                Err(e) => refused = refused.or(Some(e)),
            }
        }
        match refused {
            _ if missing => Err(Replies::missing().into()),
            Some(status) => Err(status.into()),
            None => Ok(()),
        }
    }

    /// Calls the mutating webhooks one after the other, each with the object that the earlier ones leave. The second
    /// pass calls only those that must process changes made after their call.
    pub(super) fn pass(
        &self,
        body: &mut Body<'_>,
        earlier: Option<WebhookPass>,
    ) -> Result<WebhookPass, ApiError> {
        let round = u8::from(earlier.is_some());
        let mut passed = earlier.unwrap_or_default();
        passed.changed = false;
        // Another plug-in changed the object after the last webhook.
        if round > 0 && passed.output != body.object {
            passed.again.append(&mut passed.called);
        }
        for (number, entry) in self.entries.iter().enumerate() {
            let own = body.attributes();
            let Some(kind) = self.matched(entry, &own)? else {
                continue;
            };
            // A webhook is never called for the first time in the second pass.
            if round > 0 && !passed.again.contains(&number) {
                continue;
            }
            let converted = Converted::new(&own, kind);
            let at = converted.attributes(&own);
            let verdict = match self.ask(entry, &at, kind, round)? {
                CallOutcome::Nothing => return Err(Replies::missing().into()),
                CallOutcome::Ignored => {
                    self.annotate_failure(round, number, entry);
                    None
                }
                CallOutcome::AdmissionResult(verdict) => Some(verdict),
            };
            if let Some(verdict) = verdict {
                self.annotate(entry, &verdict);
                self.consult.replies.warn(verdict.warnings);
                if let Some(refusal) = verdict.refusal {
                    return Err(refusal.into());
                }
                let mut mutated = false;
                if !verdict.patch.is_null() {
                    let object = at.object.unwrap_or(&Value::Null);
                    let mut new = decoded(kind, &own, patched(object, &verdict.patch)?)?;
                    if own.body.is_none() {
                        convert(&mut new, own.kind);
                    }
                    mutated = new != body.object;
                    if mutated {
                        body.object = new;
                        passed.changed = true;
                        passed.again.append(&mut passed.called);
                    }
                }
                self.annotate_mutation(round, number, entry, mutated);
            }
            if self.hook(entry).reinvocable() {
                passed.called.insert(number);
            }
        }
        passed.output = body.object.clone();
        Ok(passed)
    }

    /// Records the audit annotations of a webhook, under its own name.
    fn annotate(&self, entry: &Entry, verdict: &AdmissionResult) {
        let name = self.hook(entry).name();
        for (key, value) in &verdict.annotations {
            self.author
                .annotate(&format!("{name}/{key}"), || value.clone());
        }
    }

    /// Notes that a mutating webhook was called, for the audit log.
    fn annotate_mutation(&self, round: u8, number: usize, entry: &Entry, mutated: bool) {
        let key = format!("mutation.webhook.admission.k8s.io/round_{round}_index_{number}");
        let configuration = entry.id.split('/').next().unwrap_or_default();
        let name = self.hook(entry).name();
        self.author.annotate(&key, || {
            json!({"configuration": configuration, "webhook": name, "mutated": mutated}).to_string()
        });
    }

    /// Records for the audit log that a request continues after a webhook has failed.
    fn annotate_failure(&self, round: u8, number: usize, entry: &Entry) {
        let webhook_type = match self.webhook_type {
            WebhookType::Mutating => "mutating",
            WebhookType::Validating => "validating",
        };
        let key = format!(
            "failed-open.{webhook_type}.webhook.admission.k8s.io/round_{round}_index_{number}"
        );
        let name = self.hook(entry).name();
        self.author.annotate(&key, || name.to_owned());
    }

    /// Returns the kind for which a webhook matches a request, if its conditions are met.
    fn matched(
        &self,
        entry: &Entry,
        at: &Attributes<'_>,
    ) -> Result<Option<&'static Kind>, ApiError> {
        let namespace = Namespace::new(self.view, at);
        let constraints = Constraints::of_webhook(&entry.spec);
        let Some(kind) = constraints.matched(at, &self.versions, &|| namespace.get()) else {
            return Ok(None);
        };
        let wanted = list(&entry.spec, "matchConditions");
        if wanted.is_empty() {
            return Ok(Some(kind));
        }
        let converted = Converted::new(at, kind);
        let authorizes = wanted
            .iter()
            .any(|condition| text(condition, "expression").contains("authorizer"));
        let roles: Option<Arc<dyn Roles>> = match authorizes {
            true => Some(Arc::new(Snapshot::read(self.view)?)),
            false => None,
        };
        let mut inputs = Inputs::new(&converted.attributes(at), kind, roles);
        match conditions(wanted, &mut inputs) {
            Ok(holds) => Ok(holds.then_some(kind)),
            Err(_) if self.hook(entry).fails_open() => Ok(None),
            Err(why) => {
                let resource = at.kind.qualified_resource();
                Err(Status::forbidden(&resource, at.name, &why).into())
            }
        }
    }

    /// Calls one webhook, or returns its reply if it was called before.
    fn ask(
        &self,
        entry: &Entry,
        at: &Attributes<'_>,
        kind: &'static Kind,
        round: u8,
    ) -> Result<CallOutcome, Status> {
        let hook = self.hook(entry);
        let at = Attributes {
            // A copy of the cluster must not make a webhook change anything outside.
            dry_run: at.dry_run || self.consult.on_a_copy,
            ..*at
        };
        if at.dry_run {
            hook.check_dry_run()?;
        }
        let failed = |why: &str| match hook.fails_open() {
            true => Ok(CallOutcome::Ignored),
            false => Err(hook.failed(why)),
        };
        let url = endpoint::address(field(hook.spec, "clientConfig"), hook.timeout());
        let unreachable =
            |why: &str| failed(&format!("failed to call webhook: Post \"{url}\": {why}"));
        let review = hook.review(&at, kind);
        let key = format!(
            "{:?} {} {round} {}",
            self.webhook_type,
            entry.id,
            review_template::text(&review)
        );
        let Some(known) = self.consult.replies.known(&key) else {
            let config = field(&entry.spec, "clientConfig");
            let find =
                |namespace: &str, name: &str| objects::find(self.view, "services", namespace, name);
            let connect = match endpoint::forwarded(&find, field(config, "service")) {
                Ok(connect) => connect,
                Err(why) => return unreachable(&why),
            };
            let authorities = STANDARD.decode(text(config, "caBundle"));
            let question = Question {
                url,
                connect,
                authorities: authorities.unwrap_or_default(),
                timeout: Duration::from_secs(hook.timeout()),
                review,
                revision: self.view.revision(),
            };
            self.consult.replies.ask(key, question);
            return Ok(CallOutcome::Nothing);
        };
        let reply = match &known.outcome {
            Ok(reply) => reply,
            Err(why) => return unreachable(why),
        };
        match hook.read(&known.uid, &reply.received()) {
            Ok(verdict) => Ok(CallOutcome::AdmissionResult(verdict)),
            Err(why) => failed(&why),
        }
    }
}

/// Reads a patched object as if it had been sent: a patch may add any field.
fn decoded(kind: &Kind, at: &Attributes<'_>, object: Value) -> Result<Value, Status> {
    // The body of a subresource has a different type.
    if at.body.is_some() {
        return Ok(object);
    }
    let wrong = |status: Status| Status::internal_error(status.message);
    Ok(shape::read_own(kind, object).map_err(wrong)?.object)
}

/// Returns the error of a webhook that patches a request without an object.
fn unpatchable(hook: Hook<'_>) -> Status {
    let name = hook.name();
    Status::internal_error(format!(
        "admission webhook {name:?} attempted to modify the object, which is not supported for this operation"
    ))
}
