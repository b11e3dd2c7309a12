//! `/scale`: an object's number of replicas as a separate object.

use crate::api::json::Value;
use crate::api::patch::{json as json_patch, merge};
use crate::api::status::Status;
use crate::commit::step::Step;
use crate::context::Context;
use crate::entry::Admitted;
use crate::kinds::scale::SCALE;
use crate::kinds::{Kind, validate};
use crate::objects;
use crate::read::list;
use crate::request::PatchType;
use crate::request::Place;
use crate::request::part::Part;
use crate::request::response::{ApiError, Response};
use crate::scale_paths::ScalePaths;
use crate::verbs::patch::refused;
use crate::verbs::write::modify_step;

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
        return Err(Status::internal(format!(
            "Internal error occurred: the spec replicas field {field:?} does not exist"
        ))
        .into());
    }
    Ok(paths.show(&object))
}

/// Returns the step that sets the number of replicas of a changed `Scale`; `change` receives the current one.
///
/// # Errors
/// The API's error if the object has no scale.
pub(crate) fn scale_step<'s>(
    context: &'s Context,
    at: Admitted<'s>,
    change: impl Fn(&Value) -> Result<Value, ApiError> + Send + 's,
) -> Result<Step<'s>, ApiError> {
    let (place, name) = (at.place(), at.name());
    let paths = paths(place.kind, name)?;
    modify_step(context, at, Part::Scale, move |old: &Value| {
        let mut shown = paths.show(old);
        // A writer without a version accepts any current state.
        shown["metadata"]["resourceVersion"].take();
        let scale = change(&shown)?;
        check_identity(&scale, place, name)?;
        validate::refuse(&SCALE, &scale, validate::scale(&scale))?;
        Ok(paths.set(old, &scale))
    })
}

/// Returns a `Scale` with a patch applied.
///
/// # Errors
/// The API's error if the patch does not apply.
pub(crate) fn patched(old: &Value, how: PatchType, patch: &Value) -> Result<Value, ApiError> {
    let mut scale = old.clone();
    match how {
        PatchType::Json => json_patch::apply(&mut scale, patch).map_err(|e| refused(&e))?,
        // A scale has no lists, so both patch types are the same.
        _ => merge::apply(&mut scale, patch),
    }
    Ok(scale)
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
    let mut status = Status::bad_request("the server could not find the requested resource");
    (status.code, status.reason) = (404, "NotFound");
    status
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::WriteOptions;
    use crate::api::json::json;
    use crate::testing::{fresh, place};

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
        let patch = json!({"spec": {"replicas": 2}});
        let patch = (PatchType::Merge, &patch);
        cluster
            .patch(&place, "w", patch, Part::Scale, &options)
            .unwrap();
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
