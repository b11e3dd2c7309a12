//! Requests for the subresources of an object.

use super::errors::{no_resource, not_allowed};
use super::write::{Change, preceded_by};
use super::{Call, Response};
use crate::api::json::Value;
use crate::api::status::Status;
use crate::cluster::{ApiError, LogOptions, Part};
use crate::kinds::Subresource;
use crate::kinds::scale::SCALE;
use crate::kinds::schema::{StoredFields, decode};
use crate::kinds::tree::{field, text};

impl Call<'_, '_> {
    pub(super) fn subresource(&self) -> Result<Response, ApiError> {
        let name = self.target.subresource.as_str();
        let served = self.target.kind.subresource(name).ok_or_else(no_resource)?;
        // Discovery lists the supported verbs, so clients that use it never get this error.
        if !served.verbs.contains(&self.verb()?) {
            return Err(not_allowed().into());
        }
        match name {
            "scale" => self.scale(),
            "binding" => self.binding(served),
            "eviction" => self.eviction(served),
            "token" => self.token(served),
            "log" => self.log(),
            _ => self.part(name),
        }
    }

    /// Handles a subresource that returns the object itself and changes a part of it.
    fn part(&self, name: &str) -> Result<Response, ApiError> {
        let part = Part::named(name).ok_or_else(no_resource)?;
        match self.request.method {
            "GET" => self.get(),
            "PUT" => self.replace(part),
            _ => self.patch_part(part),
        }
    }

    fn scale(&self) -> Result<Response, ApiError> {
        let (place, name) = (self.place(), self.name());
        let view = self.view()?.of(&SCALE);
        let answer = match self.request.method {
            "GET" => {
                let scale = self.cluster.subresources().scale(&place, name)?;
                return Ok(Response::object(200, view.one(scale), Vec::new()));
            }
            "PUT" => {
                let options = self.write_options("UpdateOptions")?;
                let scale = self.sent("Scale")?.object;
                self.cluster
                    .replace(&place, name, &scale, Part::Scale, &options)?
            }
            _ => {
                let mut options = self.write_options("PatchOptions")?;
                match self.change(&options)? {
                    Change::Patch(how, patch, complaints) => {
                        options.complaints.clone_from(&complaints);
                        let patch = (how, &patch);
                        let answer = self
                            .cluster
                            .patch(&place, name, patch, Part::Scale, &options);
                        preceded_by(&complaints, answer, &options)?
                    }
                    Change::Apply(scale, warnings) => {
                        let options = self.apply_options(options, Part::Scale);
                        let mut answer = self.cluster.apply(&place, name, &scale, &options)?;
                        answer.warnings.splice(0..0, warnings);
                        answer
                    }
                }
            }
        };
        let shown = view.one(answer.object);
        Ok(Response::object(200, shown, answer.warnings))
    }

    /// Returns the body of a request to a subresource with a kind of its own.
    fn posted(&self, served: &Subresource) -> Result<Value, ApiError> {
        let body = self.sent(served.kind)?.object;
        // An Eviction of the version that was removed for budgets is still accepted.
        if text(&body, "apiVersion") != "policy/v1beta1" {
            decode::check(&served.body(), &body, StoredFields::NOTHING)?;
        }
        Ok(body)
    }

    fn binding(&self, served: &Subresource) -> Result<Response, ApiError> {
        let options = self.write_options("CreateOptions")?;
        let binding = self.posted(served)?;
        self.cluster
            .subresources()
            .bind(&self.place(), self.name(), &binding, &options)?;
        Ok(Response::success(201, None))
    }

    fn eviction(&self, served: &Subresource) -> Result<Response, ApiError> {
        let eviction = self.posted(served)?;
        // The object also contains the name of the Pod; as in the API server (`EvictionREST`), it must match the path.
        if text(field(&eviction, "metadata"), "name") != self.name() {
            let why = "name in URL does not match name in Eviction object";
            return Err(Status::bad_request(why).into());
        }
        let options = self.eviction_options(&eviction)?;
        self.cluster
            .subresources()
            .evict(&self.place(), self.name(), &options)?;
        Ok(Response::success(201, None))
    }

    fn token(&self, served: &Subresource) -> Result<Response, ApiError> {
        let request = self.posted(served)?;
        let token = self.cluster.subresources().token_with(
            &self.place(),
            self.name(),
            &request,
            &self.authored(),
        )?;
        Ok(Response::object(201, token, Vec::new()))
    }

    /// Returns the log of a container.
    fn log(&self) -> Result<Response, ApiError> {
        let options = self.log_options()?;
        let target =
            self.cluster
                .subresources()
                .log_target(&self.place(), self.name(), &options)?;
        let Some(target) = target else {
            // A container that has not started yet has an empty log.
            return Ok(Response::text(204, ""));
        };
        let text = self.nodes()?.log(self.cluster, &target, &options)?;
        Ok(Response::text(200, text))
    }

    /// Returns the options that select the part of a log to return.
    pub(super) fn log_options(&self) -> Result<LogOptions, ApiError> {
        let query = &self.query;
        Ok(LogOptions {
            container: query.opt("container").map(str::to_owned),
            tail_lines: query.number("tailLines")?,
            limit_bytes: query.number("limitBytes")?,
            since_seconds: query.number("sinceSeconds")?,
            since_time: query.opt("sinceTime").map(str::to_owned),
            previous: query.flag("previous"),
            timestamps: query.flag("timestamps"),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Body, Request, respond};
    use crate::api::json::json;
    use crate::cluster::testing::{fresh, place};
    use crate::cluster::{WriteOptions, administrator};

    #[test]
    fn a_body_of_another_kind_is_refused() {
        let cluster = fresh();
        for (path, kind, internal) in [
            ("pods/a/binding", "Binding", "core"),
            ("pods/a/eviction", "Eviction", "policy"),
            ("serviceaccounts/a/token", "TokenRequest", "authentication"),
        ] {
            let path = format!("/api/v1/namespaces/default/{path}");
            let request = Request {
                method: "POST",
                body: br#"{"apiVersion":"v1","kind":"Pod","metadata":{"name":"a"}}"#,
                ..Request::get(&path, administrator())
            };
            let response = respond(&cluster, &request);
            let Body::Object(status) = response.body else {
                panic!("{path}: no object");
            };
            assert_eq!(response.code, 400, "{path}");
            assert_eq!(
                status["message"],
                format!(
                    "Pod in version \"v1\" cannot be handled as a {kind}: converting (v1.Pod) to \
                     ({internal}.{kind}): unknown conversion"
                )
            );
        }
    }

    #[test]
    fn repeated_keys_in_patches_of_a_scale_are_warnings() {
        let cluster = fresh();
        let set = json!({"metadata": {"name": "a"}, "spec": {"selector": {"matchLabels": {"a": "b"}},
            "template": {"metadata": {"labels": {"a": "b"}}, "spec": {"containers": [{"name": "c", "image": "i"}]}}}});
        let sets = place("replicasets");
        cluster
            .create(&sets, &set, &WriteOptions::default())
            .unwrap();
        let patch = |content_type, body: &[u8]| {
            let path = "/apis/apps/v1/namespaces/default/replicasets/a/scale?fieldManager=m";
            let request = Request {
                method: "PATCH",
                content_type,
                body,
                ..Request::get(path, administrator())
            };
            respond(&cluster, &request).warnings
        };
        let twice = br#"{"spec": {"replicas": 2, "replicas": 3}}"#;
        assert_eq!(
            patch("application/merge-patch+json", twice),
            ["duplicate field \"spec.replicas\""]
        );
        let twice = b"apiVersion: autoscaling/v1\nkind: Scale\nmetadata: {name: a}\nspec:\n  replicas: 3\n  replicas: 3\n";
        assert_eq!(
            patch("application/apply-patch+yaml", twice),
            ["line 6: key \"replicas\" already set in map"]
        );
    }
}
