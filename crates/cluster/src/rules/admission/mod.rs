//! Admission in a transaction: the environment of a write, the reasons to reject it, and the side effects that are
//! committed with it.
//!
//! The rules themselves are pure and in `kinds::admission`; here they run on a state that no other writer can change
//! before the commit, which makes a quota exact.

mod addresses;
mod endpoints;
mod last;
mod quota;

use std::sync::LazyLock;

use memchr::memmem::Finder;

use crate::api::json::Value;
use crate::api::status::{Cause, CauseReason, Status};
use crate::kinds::admission::{AdmissionContext, User, classes, limits, pod_security};
use crate::kinds::{Kind, admission, strategy};
use crate::read::stored_fields;
use crate::request::Place;
use crate::request::options::Author;
use crate::request::part::Part;
use crate::request::response::ApiError;
use crate::rules::{api_services, policies};
use crate::store::{Key, Op, Range, Stored, View};
use crate::sys::entropy::Seed;
use crate::{access, objects};

use last::Last;

pub use addresses::address_record;

thread_local! {
    static GOING: Last<Option<bool>> = const { Last::new() };
    static FOUND: Last<Option<Value>> = const { Last::new() };
}

/// The prefix of the labels that set the Pod security level of a namespace.
static SECURITY: LazyLock<Finder<'static>> =
    LazyLock::new(|| Finder::new(b"pod-security.kubernetes.io/"));

/// The field of a PriorityClass that is the default.
static DEFAULT: LazyLock<Finder<'static>> =
    LazyLock::new(|| Finder::new(br#""globalDefault":true"#));

/// The writer, and the random names drawn for a new object before its admission.
pub(crate) struct Writer<'a> {
    pub(crate) author: Author<'a>,
    /// The name of the volume with a Pod's token.
    pub(crate) token_volume: &'a str,
    /// The name of the object in the request: its name, or the prefix of a generated one.
    pub(crate) called: &'a str,
}

/// An object before and after a request. Both are trees, so only their names distinguish them.
#[derive(Clone, Copy)]
pub(crate) struct Update<'a> {
    /// The object to store.
    pub(crate) new: &'a Value,
    /// The stored object.
    pub(crate) old: &'a Value,
}

/// Changes a new object as the mutating plug-ins do.
pub(crate) fn create(
    view: &dyn View,
    place: &Place,
    object: &mut Value,
    writer: &Writer<'_>,
) -> Result<(), ApiError> {
    access::check_escalation(view, writer.author.user, place, object, None)?;
    plug_ins(view, place, object, writer)?;
    let request = policies::Request {
        place,
        author: writer.author,
        part: Part::Whole,
        old: None,
        named: writer.called != objects::meta(object, "name"),
        posted: None,
    };
    // Policies follow the other plug-ins, which run once more on an object that a policy has changed.
    policies::mutate(view, request, object, &mut |object| {
        plug_ins(view, place, object, writer)
    })
}

/// Runs the mutating plug-ins that are part of the server.
fn plug_ins(
    view: &dyn View,
    place: &Place,
    object: &mut Value,
    writer: &Writer<'_>,
) -> Result<(), ApiError> {
    // Mostly the account of the last Pod: to parse it for each took 2 % of the creation of a Pod.
    let find = |resource: &str, namespace: &str, name: &str| {
        let stored = objects::found(view, resource, namespace, name)?;
        FOUND.with(|last| last.get_or_read(&stored, |stored| objects::shown(stored).ok()))
    };
    let kind = place.kind;
    let default_class = match wants_priority(kind, object) {
        true => default_class(view)?,
        false => None,
    };
    let around = AdmissionContext {
        find: &find,
        default_priority_class: default_class.as_ref(),
        token_volume: (!writer.author.without_accounts).then_some(writer.token_volume),
        user: writer.author.user,
        called: writer.called,
    };
    if kind.is_pod() {
        limits::set_defaults(object, &all(view, "limitranges", &place.namespace)?);
    }
    // Limit ranges precede the other plug-ins, because quotas count the requests that they add.
    admission::admit_create(kind, object, &place.namespace, &around)?;
    if let Some(class) = kind.default_class().filter(|class| (class.wants)(object)) {
        let all = all(view, class.resource, "")?;
        (class.set)(object, &all);
    }
    Ok(())
}

/// Sets the default requests and limits of a Pod that is resized, as those of a new one.
pub(crate) fn resize(
    view: &dyn View,
    place: &Place,
    pod: &mut Value,
    old: &Value,
) -> Result<(), ApiError> {
    if !is_marked(old) {
        limits::set_defaults(pod, &all(view, "limitranges", &place.namespace)?);
    }
    Ok(())
}

/// Returns true if an object is terminating; limit ranges ignore it.
fn is_marked(object: &Value) -> bool {
    object["metadata"]["deletionTimestamp"].is_string()
}

/// Runs the validating plug-ins on a new object; returns the operations to commit along with it.
pub(crate) fn created(
    view: &dyn View,
    place: &Place,
    object: &Value,
    author: Author<'_>,
    seed: Seed,
    warnings: &mut Vec<String>,
) -> Result<Vec<Op>, ApiError> {
    let kind = place.kind;
    security(view, place, object, author, warnings)?;
    if kind.is_limited() {
        within_limits(view, place, object)?;
    }
    check_priority_class(view, kind, object)?;
    policies::created(view, place, author, object, warnings)?;
    let mut also = quota::check_and_update_usage(view, place, object, None)?;
    also.extend(companions(view, kind, None, Some(object), seed)?);
    Ok(also)
}

/// Runs the validating plug-ins on an update; returns the operations to commit along with it.
pub(crate) fn updated(
    view: &dyn View,
    place: &Place,
    part: Part,
    update: Update<'_>,
    author: Author<'_>,
    seed: Seed,
    warnings: &mut Vec<String>,
) -> Result<Vec<Op>, ApiError> {
    let kind = place.kind;
    let Update { new: object, old } = update;
    access::check_escalation(view, author.user, place, object, Some(old))?;
    // Only kinds with an approval have a signer.
    if kind.subresource("approval").is_some() {
        check_signer(view, part, update, author.user)?;
    }
    check_priority_class(view, kind, object)?;
    secure_update(view, place, part, update, author, warnings)?;
    policies::updated(view, place, author, part, update, warnings)?;
    // Taking the last finalizer of a deleted object away removes the object, and its records with it.
    if strategy::deletion::ends(kind, object, old) {
        return removed(view, kind, old, seed);
    }
    // Sizes, quotas and addresses depend on the spec alone, and most updates write only a status.
    if !part.has_spec() || object["spec"] == old["spec"] {
        return Ok(Vec::new());
    }
    if (kind.grows_by_class() || part == Part::Resize) && !is_marked(old) {
        within_limits(view, place, object)?;
    }
    if kind.grows_by_class() {
        let find = |name: &str| objects::find(view, "storageclasses.storage.k8s.io", "", name);
        classes::check_resize(object, old, &find)?;
    }
    let mut also = Vec::new();
    // Of Pods, only resizes are counted again; of most kinds only their existence.
    if kind.is_counted_again() && (!kind.is_pod() || part == Part::Resize) {
        also = quota::check_and_update_usage(view, place, object, Some(old))?;
    }
    also.extend(companions(view, kind, Some(old), Some(object), seed)?);
    Ok(also)
}

/// Returns the operations on objects that follow this one: the addresses of a Service, the APIServices of a definition.
fn companions(
    view: &dyn View,
    kind: &Kind,
    old: Option<&Value>,
    new: Option<&Value>,
    seed: Seed,
) -> Result<Vec<Op>, ApiError> {
    let mut also = addresses::records(view, kind, old, new, seed)?;
    also.extend(api_services::changes(view, kind, old, new, seed)?);
    Ok(also)
}

/// Checks that a user who approves a certificate request or issues the certificate has the right to its signer. The
/// signer is that of the stored object, so that a request cannot change it to another one.
fn check_signer(
    view: &dyn View,
    part: Part,
    update: Update<'_>,
    user: &User,
) -> Result<(), ApiError> {
    let Update { new: object, old } = update;
    let issued = || {
        let changes = |name: &str| object["status"][name] != old["status"][name];
        changes("certificate") || changes("conditions")
    };
    match part {
        Part::Approval => access::check_signer(view, user, "approve", old),
        Part::Status if issued() => access::check_signer(view, user, "sign", old),
        _ => Ok(()),
    }
}

/// Returns the operations to commit along with a deletion.
pub(crate) fn removed(
    view: &dyn View,
    kind: &Kind,
    old: &Value,
    seed: Seed,
) -> Result<Vec<Op>, ApiError> {
    let mut also = companions(view, kind, Some(old), None, seed)?;
    also.extend(endpoints::removed(view, kind, old)?);
    Ok(also)
}

/// Rejects a new object in a missing or terminating namespace.
pub(crate) fn check_namespace(
    view: &dyn View,
    place: &Place,
    called: &str,
) -> Result<(), ApiError> {
    if !place.kind.namespaced {
        return Ok(());
    }
    let name = &place.namespace;
    let key = Key::new("namespaces", None, name).ok();
    let found = key.and_then(|key| view.get(&key).ok().flatten());
    // The namespace is usually that of the last object: to read it for each took 2 % of the creation of a Pod.
    let is_known_going = |namespace| GOING.with(|last| last.get_or_read(&namespace, is_going));
    let Some(going) = found.and_then(is_known_going) else {
        return Err(Status::not_found("namespaces", name).into());
    };
    if going {
        let why = format!(
            "unable to create new content in namespace {name} because it is being terminated"
        );
        let mut status = Status::forbidden(&place.kind.qualified_resource(), called, &why);
        if let Some(details) = &mut status.details {
            details.causes.push(Cause {
                reason: CauseReason::NamespaceTerminating,
                field: "metadata.namespace".to_owned(),
                message: format!("namespace {name} is being terminated"),
            });
        }
        return Err(status.into());
    }
    Ok(())
}

/// Returns true if a namespace is marked, or its phase is Terminating; `None` if it cannot be read.
fn is_going(namespace: &Stored) -> Option<bool> {
    let at = |path: &[&str]| stored_fields::at(&namespace.json, path);
    if let (Ok(marked), Ok(phase)) = (
        at(&["metadata", "deletionTimestamp"]),
        at(&["status", "phase"]),
    ) {
        let marked = marked.is_some_and(|mark| mark.starts_with(b"\""));
        return Some(marked || phase == Some(b"\"Terminating\""));
    }
    let object = objects::shown(namespace).ok()?;
    let marked = object["metadata"]["deletionTimestamp"].is_string();
    Some(marked || object["status"]["phase"] == "Terminating")
}

fn within_limits(view: &dyn View, place: &Place, object: &Value) -> Result<(), ApiError> {
    let ranges = all(view, "limitranges", &place.namespace)?;
    match limits::refusal(place.kind, object, &ranges) {
        None => Ok(()),
        Some(why) => {
            let name = objects::meta(object, "name");
            Err(Status::forbidden(place.kind.plural, name, &why).into())
        }
    }
}

/// Returns the Pod security levels in the labels of a namespace.
fn security(
    view: &dyn View,
    place: &Place,
    object: &Value,
    author: Author<'_>,
    warnings: &mut Vec<String>,
) -> Result<(), ApiError> {
    if !place.kind.namespaced {
        return Ok(());
    }
    let key = Key::new("namespaces", None, &place.namespace);
    let stored = key.ok().map(|key| view.get(&key)).transpose()?.flatten();
    // Most namespaces have no such label, which their bytes show without parsing. A comparison at each byte took 2 % of
    // the creation of a Pod.
    let stored = stored.filter(|stored| SECURITY.find(&stored.json).is_some());
    let namespace = stored.map(|stored| objects::shown(&stored)).transpose()?;
    if place.kind.is_pod() {
        let key = "pod-security.kubernetes.io/enforce-policy";
        let namespace = namespace.as_ref().unwrap_or(&Value::Null);
        author.annotate(key, || pod_security::enforced(namespace));
    }
    let Some(namespace) = namespace else {
        return Ok(());
    };
    if let Some(found) = pod_security::audit(&namespace, place.kind, object) {
        let key = "pod-security.kubernetes.io/audit-violations";
        author.annotate(key, || found);
    }
    let refused = place
        .kind
        .is_pod()
        .then(|| pod_security::refusal(&namespace, object));
    if let Some(why) = refused.flatten() {
        let name = objects::meta(object, "name");
        return Err(Status::forbidden("pods", name, &why).into());
    }
    warnings.extend(pod_security::warning(&namespace, place.kind, object));
    Ok(())
}

/// Checks the Pod security of an update: of containers that a Pod gets, of templates, of the Pods in a namespace that
/// enforces more.
fn secure_update(
    view: &dyn View,
    place: &Place,
    part: Part,
    update: Update<'_>,
    author: Author<'_>,
    warnings: &mut Vec<String>,
) -> Result<(), ApiError> {
    let (kind, Update { new, old }) = (place.kind, update);
    if part == Part::EphemeralContainers {
        return security(view, place, new, author, &mut Vec::new());
    }
    if part != Part::Whole {
        return Ok(());
    }
    if kind.is_namespace() && pod_security::is_stricter(old, new) {
        let pods = all(view, "pods", objects::meta(new, "name"))?;
        warnings.extend(pod_security::of_existing(new, &pods));
    }
    match pod_security::is_checked_again(kind, old, new) {
        true => security(view, place, new, author, warnings),
        false => Ok(()),
    }
}

/// Returns the PriorityClass of Pods that name none.
fn default_class(view: &dyn View) -> Result<Option<Value>, ApiError> {
    let stored = view.list(&Range::resource("priorityclasses.scheduling.k8s.io", None))?;
    // Most classes are not the default, which their bytes show without parsing.
    let defaults = stored
        .iter()
        .filter(|stored| DEFAULT.find(&stored.json).is_some());
    let shown: Result<Vec<_>, _> = defaults.map(objects::shown).collect();
    Ok(classes::default_priority(&shown?))
}

/// Checks that a PriorityClass is the only default one.
fn check_priority_class(view: &dyn View, kind: &Kind, object: &Value) -> Result<(), ApiError> {
    if is(kind, "scheduling.k8s.io", "PriorityClass") {
        let classes = all(view, "priorityclasses.scheduling.k8s.io", "")?;
        classes::check_priority_class(object, &classes)?;
    }
    Ok(())
}

fn wants_priority(kind: &Kind, object: &Value) -> bool {
    kind.is_pod()
        && object["spec"]["priorityClassName"]
            .as_str()
            .unwrap_or_default()
            .is_empty()
}

/// Returns all objects of a resource, in one namespace unless that is empty.
fn all(view: &dyn View, resource: &str, namespace: &str) -> Result<Vec<Value>, ApiError> {
    let namespace = Some(namespace).filter(|n| !n.is_empty());
    let stored = view.list(&Range::resource(resource, namespace))?;
    let shown = stored.iter().map(objects::shown);
    Ok(shown.collect::<Result<_, _>>()?)
}

fn is(kind: &Kind, group: &str, name: &str) -> bool {
    (kind.group, kind.kind) == (group, name)
}

#[cfg(test)]
mod tests;
