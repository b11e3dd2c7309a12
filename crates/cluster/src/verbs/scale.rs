//! `/scale`: an object's number of replicas as a separate object.

use std::borrow::Cow;

use crate::api::json::{Value, json};
use crate::api::status::Status;
use crate::commit::step::Step;
use crate::context::Context;
use crate::entry::Admitted;
use crate::kinds::scale::SCALE;
use crate::kinds::shape::Decoded;
use crate::kinds::{Kind, shape, validate};
use crate::objects;
use crate::read::list;
use crate::request::PatchType;
use crate::request::Place;
use crate::request::part::Part;
use crate::request::response::{ApiError, Response};
use crate::scale_paths::ScalePaths;
use crate::verbs::patch::{patched, unsupported};
use crate::verbs::write::{modify_step, strictly, unknown};
use crate::verbs::{apply, not_served};

/// Returns the scale of an object.
///
/// # Errors
/// The API's error if the object does not exist or has no scale.
pub(crate) fn get(context: &Context, at: &Admitted<'_>) -> Result<Value, ApiError> {
    let paths = paths(at.place().kind, at.name())?;
    let object = list::get(context, at)?;
    // Built-in kinds have defaults; the definition of a custom resource may name a field that an object lacks.
    if at.place().kind.custom.is_some() && !paths.has_replicas(&object) {
        let field = format!(".{}", paths.spec.join("."));
        let why = format!("the spec replicas field {field:?} does not exist");
        return Err(Status::internal_error(why).into());
    }
    Ok(paths.show(&object))
}

/// Returns the step that replaces the `Scale` of an object by the one of the request.
///
/// # Errors
/// The API's error if the object has no scale.
pub(crate) fn update_step<'s>(
    context: &'s Context,
    at: Admitted<'s>,
    scale: &'s Value,
) -> Result<Step<'s>, ApiError> {
    let options = at.options();
    scale_step(context, at, move |_| {
        strictly(&SCALE, shape::read(&SCALE, scale)?, options)
    })
}

/// Returns the step that patches the `Scale` of an object.
///
/// # Errors
/// The API's error if the object has no scale.
pub(crate) fn patch_step<'s>(
    context: &'s Context,
    at: Admitted<'s>,
    how: PatchType,
    patch: &'s Value,
) -> Result<Step<'s>, ApiError> {
    let (place, name, options) = (at.place(), at.name(), at.options());
    // A Scale is a built-in kind, but the handler of custom resources takes no strategic patches at all.
    if how == PatchType::Strategic && place.kind.custom.is_some() {
        return Err(unsupported().into());
    }
    scale_step(context, at, move |old| {
        let decoded = patched(&SCALE, old, how, patch, options)?;
        let (own, now) = (
            objects::meta(&decoded.object, "uid"),
            objects::meta(old, "uid"),
        );
        // A patch has no preconditions for the storage; the handler of the scale compares the uids itself.
        if own.is_empty() || own == now {
            return Ok(decoded);
        }
        let resource = place.kind.qualified_resource();
        let (plural, group) = resource.split_at(place.kind.plural.len());
        let why =
            format!("Precondition failed: UID in precondition: {own}, UID in object meta: {now}");
        Err(Status::conflict(&format!("{plural}/scale{group}"), name, &why).into())
    })
}

/// Returns the step that applies a `Scale` to an object: its manager comes to own the number of replicas.
///
/// # Errors
/// The API's error if the object has no scale, or if the configuration is none.
pub(crate) fn apply_step<'s>(
    context: &'s Context,
    at: Admitted<'s>,
    scale: &Value,
    force: bool,
) -> Result<Step<'s>, ApiError> {
    let kind = at.place().kind;
    let paths = paths(kind, at.name())?;
    apply::check_type(&SCALE, scale)?;
    validate::refuse(&SCALE, scale, validate::scale(scale))?;
    let mut config = json!({"apiVersion": kind.api_version(), "kind": kind.kind, "metadata": {}});
    // Nothing else of the Scale is part of the object, so its manager must not become the owner of labels, for example.
    for name in ["name", "namespace"] {
        if let Some(own) = scale["metadata"].get(name) {
            config["metadata"][name] = own.clone();
        }
    }
    if scale["spec"]["replicas"].is_i64() {
        config = paths.set(&config, scale);
    }
    apply::apply_step(context, at, Cow::Owned(config), Part::Scale, force)
}

/// Returns the step that sets the number of replicas of a changed `Scale`; `change` receives the current one.
fn scale_step<'s>(
    context: &'s Context,
    at: Admitted<'s>,
    change: impl Fn(&Value) -> Result<Decoded, ApiError> + Send + 's,
) -> Result<Step<'s>, ApiError> {
    let (place, name) = (at.place(), at.name());
    let paths = paths(place.kind, name)?;
    modify_step(context, at, Part::Scale, move |old: &Value| {
        let decoded = change(&paths.show(old))?;
        at.replies().warn(unknown(&decoded, at.options()));
        let scale = decoded.object;
        check_identity(&scale, place, name)?;
        validate::refuse(&SCALE, &scale, validate::scale(&scale))?;
        Ok(paths.set(old, &scale))
    })
}

/// Returns the response to a changed scale: the scale, not the object.
pub(crate) fn shown(kind: &Kind, mut answer: Response) -> Response {
    if let Some(paths) = ScalePaths::for_kind(kind) {
        answer.object = paths.show(&answer.object);
    }
    answer
}

fn paths(kind: &Kind, name: &str) -> Result<ScalePaths, Status> {
    ScalePaths::for_kind(kind).ok_or_else(|| no_subresource(kind, name))
}

fn check_identity(scale: &Value, place: &Place, name: &str) -> Result<(), Status> {
    let (own, namespace) = (
        objects::meta(scale, "name"),
        objects::meta(scale, "namespace"),
    );
    if own.is_empty() {
        return Err(Status::bad_request(format!(
            "the name of the object ({name} based on URL) was undeterminable: name must be provided"
        )));
    }
    if own != name {
        return Err(Status::bad_request(format!(
            "the name of the object ({own}) does not match the name on the URL ({name})"
        )));
    }
    if !namespace.is_empty() && namespace != place.namespace {
        return Err(Status::bad_request(
            "the namespace of the provided object does not match the namespace sent on the request",
        ));
    }
    Ok(())
}

/// Returns the server's error for a subresource that a kind does not have. For custom resources it names the object.
pub fn no_subresource(kind: &Kind, name: &str) -> Status {
    // kube-apiserver serves custom resources with another handler, which checks the object first.
    if kind.custom.is_some() {
        return Status::not_found(&kind.qualified_resource(), name);
    }
    not_served()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{fresh, place};
    use crate::{ApplyOptions, WriteOptions};

    fn deployment(name: &str) -> Value {
        json!({"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": name},
            "spec": {"replicas": 3, "selector": {"matchLabels": {"app": "a"}},
                "template": {"metadata": {"labels": {"app": "a"}},
                    "spec": {"containers": [{"name": "c", "image": "i"}]}}}})
    }

    fn scale(name: &str, replicas: i64) -> Value {
        json!({"apiVersion": "autoscaling/v1", "kind": "Scale", "metadata": {"name": name},
            "spec": {"replicas": replicas}})
    }

    #[test]
    fn a_scale_shows_and_sets_the_replicas() {
        let cluster = fresh();
        let place = place("deployments");
        let options = WriteOptions::default();
        cluster.create(&place, &deployment("d"), &options).unwrap();
        let shown = cluster.subresources().scale(&place, "d").unwrap();
        assert_eq!(shown["spec"], json!({"replicas": 3}));
        assert_eq!(shown["status"], json!({"replicas": 0, "selector": "app=a"}));
        let answer = cluster
            .replace(&place, "d", &scale("d", 0), Part::Scale, &options)
            .unwrap();
        assert_eq!(
            (&answer.object["kind"], &answer.object["spec"]),
            (&json!("Scale"), &json!({}))
        );
        let patch = json!({"spec": {"replicas": 7}});
        cluster
            .patch(
                &place,
                "d",
                (PatchType::Merge, &patch),
                Part::Scale,
                &options,
            )
            .unwrap();
        let object = cluster.get(&place, "d").unwrap();
        assert_eq!(
            (
                &object["spec"]["replicas"],
                &object["metadata"]["generation"]
            ),
            (&json!(7), &json!(3))
        );
    }

    #[test]
    fn an_applied_scale_owns_the_replicas() {
        let (cluster, place) = (fresh(), place("deployments"));
        let apply = |manager: &str, config: &Value, subresource: &str, force| {
            let write = WriteOptions {
                field_manager: manager.to_owned(),
                ..WriteOptions::default()
            };
            let options = ApplyOptions {
                write,
                force,
                subresource: subresource.to_owned(),
            };
            cluster.apply(&place, "d", config, &options)
        };
        let owners = || -> Vec<String> {
            let object = cluster.get(&place, "d").unwrap();
            let entries = object["metadata"]["managedFields"].as_array().unwrap();
            let owns = |e: &&Value| !e["fieldsV1"]["f:spec"]["f:replicas"].is_null();
            let named = |e: &Value| e["manager"].as_str().unwrap().to_owned();
            entries.iter().filter(owns).map(named).collect()
        };
        apply("whole", &deployment("d"), "", false).unwrap();
        let refused = apply("one", &scale("d", 17), "scale", false).unwrap_err();
        assert_eq!(
            refused.to_string(),
            "Apply failed with 1 conflict: conflict with \"whole\": .spec.replicas"
        );
        let scaled = apply("one", &scale("d", 17), "scale", true).unwrap();
        assert_eq!(
            (&scaled.object["kind"], &scaled.object["spec"]["replicas"]),
            (&json!("Scale"), &json!(17))
        );
        assert_eq!(owners(), ["one"]);
        // A manager that agrees shares the field.
        apply("two", &scale("d", 17), "scale", false).unwrap();
        assert_eq!(owners(), ["one", "two"]);
        let refused = apply("one", &deployment("d"), "scale", false).unwrap_err();
        assert_eq!(
            refused.to_string(),
            "invalid object type: apps/v1, Kind=Deployment"
        );
    }

    #[test]
    fn only_a_scale_with_numbers_is_accepted() {
        let (cluster, options) = (fresh(), WriteOptions::default());
        let place = place("deployments");
        cluster.create(&place, &deployment("d"), &options).unwrap();
        let replaced = cluster.replace(&place, "d", &deployment("d"), Part::Scale, &options);
        assert_eq!(
            replaced.unwrap_err().to_string(),
            "Deployment in version \"v1\" cannot be handled as a Scale: converting (v1.Deployment) to \
             (autoscaling.Scale): unknown conversion"
        );
        let patch =
            |how, patch: &Value| cluster.patch(&place, "d", (how, patch), Part::Scale, &options);
        let words = json!({"spec": {"replicas": "x"}});
        let why = "json: cannot unmarshal string into Go struct field ScaleSpec.spec.replicas of type int32";
        let told = patch(PatchType::Merge, &words).unwrap_err().to_string();
        assert!(told.ends_with(why), "{told}");
        let told = patch(PatchType::Strategic, &words).unwrap_err().to_string();
        assert!(
            told.ends_with(
                "Invalid value: \"map[spec:map[replicas:x]]\": unrecognized type: int32"
            ),
            "{told}"
        );
        let warned = patch(PatchType::Merge, &json!({"spec": {"foo": 1}})).unwrap();
        assert_eq!(warned.warnings, ["unknown field \"spec.foo\""]);
        let other = patch(PatchType::Merge, &json!({"metadata": {"uid": "c"}})).unwrap_err();
        let told = other.to_string();
        let start = "Operation cannot be fulfilled on deployments/scale.apps \"d\": Precondition failed: UID in precondition: c";
        assert!(told.starts_with(start), "{told}");
        assert_eq!(cluster.get(&place, "d").unwrap()["spec"]["replicas"], 3);
    }

    #[test]
    fn a_custom_resource_without_the_field_has_no_scale_to_read() {
        let (cluster, options) = (fresh(), WriteOptions::default());
        let schema = json!({"type": "object", "properties":
            {"spec": {"type": "object", "x-kubernetes-preserve-unknown-fields": true}}});
        let scale = json!({"specReplicasPath": ".spec.size", "statusReplicasPath": ".status.size"});
        let version = json!({"name": "v1", "served": true, "storage": true,
            "schema": {"openAPIV3Schema": schema}, "subresources": {"scale": scale}});
        let definition = json!({"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
            "metadata": {"name": "widgets.x.io"},
            "spec": {"group": "x.io", "scope": "Namespaced", "versions": [version],
                "names": {"plural": "widgets", "singular": "widget", "kind": "Widget", "listKind": "WidgetList"}}});
        let definitions = place("customresourcedefinitions");
        cluster.create(&definitions, &definition, &options).unwrap();
        let kind = cluster.kind("widgets").unwrap();
        let place = Place::new(kind, "default");
        let widget = json!({"apiVersion": "x.io/v1", "kind": "Widget", "metadata": {"name": "w"}, "spec": {}});
        cluster.create(&place, &widget, &options).unwrap();
        let error = cluster.subresources().scale(&place, "w").unwrap_err();
        assert_eq!(
            error.to_string(),
            "Internal error occurred: the spec replicas field \".spec.size\" does not exist"
        );
        assert_eq!(error.status().unwrap().reason, "InternalError");
        let two = json!({"spec": {"replicas": 2}});
        let patch = |how| cluster.patch(&place, "w", (how, &two), Part::Scale, &options);
        let refused = patch(PatchType::Strategic).unwrap_err();
        assert_eq!(refused.status().unwrap().code, 415);
        patch(PatchType::Merge).unwrap();
        let shown = cluster.subresources().scale(&place, "w").unwrap();
        assert_eq!(shown["spec"]["replicas"], 2);
    }

    #[test]
    fn refusals_name_the_scale_or_the_object() {
        let cluster = fresh();
        let place = place("deployments");
        let options = WriteOptions::default();
        cluster.create(&place, &deployment("d"), &options).unwrap();
        let refused = |name: &str, scale: &Value| {
            cluster
                .replace(&place, name, scale, Part::Scale, &options)
                .unwrap_err()
                .to_string()
        };
        assert_eq!(
            refused("d", &scale("d", -1)),
            "Scale.autoscaling \"d\" is invalid: spec.replicas: Invalid value: -1: must be greater \
             than or equal to 0"
        );
        assert_eq!(
            refused("x", &scale("x", 1)),
            "deployments.apps \"x\" not found"
        );
        let mut stale = scale("d", 1);
        stale["metadata"]["resourceVersion"] = json!("1");
        assert!(
            refused("d", &stale).contains("deployments.apps \"d\": the object has been modified")
        );
        let daemons = crate::testing::place("daemonsets");
        assert_eq!(
            cluster
                .subresources()
                .scale(&daemons, "x")
                .unwrap_err()
                .status()
                .unwrap()
                .code,
            404
        );
    }
}
