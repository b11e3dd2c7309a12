//! Creates, replaces and patches objects.

use super::body::{Sent, bare, duplicate_field, read_yaml, warnings_of};
use super::{Call, Response, manager_of};
use crate::api::json::Value;
use crate::api::json_syntax;
use crate::api::status::{Cause, CauseReason, Status};
use crate::api::yaml::{self, Mode};
use crate::cluster::{
    ApiError, ApplyOptions, FieldValidation, Part, PatchType, WriteOptions, administrator,
};
use crate::kinds::schema::{StoredFields, decode};
use crate::kinds::tree::{field, set, text};
use crate::kinds::{Kind, shape};

/// A change that the body of a patch request describes.
pub(super) enum Change {
    /// A patch of this type, and the problems in its text.
    Patch(PatchType, Value, Vec<String>),
    /// The configuration of a field manager, for server-side apply, and the warnings about its text.
    Apply(Value, Vec<String>),
}

impl Call<'_, '_> {
    /// Returns the author that the history records for a write: the field manager or the program. It is preceded by
    /// the user's name, unless that is the administrator.
    pub(super) fn client(&self, manager: &str) -> String {
        let program = match manager {
            "" => manager_of(self.request.user_agent),
            manager => manager.to_owned(),
        };
        // The history treats an author with a space as a command line.
        let program = program.replace(' ', "-");
        let user = &self.request.user.name;
        // The history and the store treat commits of these authors specially, so a client must not be able to use the
        // names.
        let is_taken = ["hand-edit", "clock", "mirror"].contains(&program.as_str());
        match program.is_empty() || (*user == administrator().name && !is_taken) {
            true => program,
            false => format!("{user}/{program}"),
        }
    }

    pub(super) fn create(&self) -> Result<Response, ApiError> {
        let kind = self.target.kind;
        let options = self.write_options("CreateOptions")?;
        let sent = self.sent(kind.kind)?;
        check_type(kind, &sent.object)?;
        // Checked before the object is created, because strict validation applies to the text of the body.
        self.check_strict(&sent, &options)?;
        if kind.is_binding() {
            // The collection `bindings` is deprecated, but schedulers still create objects in it.
            self.cluster.create(&self.place(), &sent.object, &options)?;
            return Ok(Response::success(201, None));
        }
        let answer = self.cluster.create(&self.place(), &sent.object, &options);
        let mut answer = self.with_complaints(answer, &sent, &options)?;
        // The cluster can review only the tokens of its service accounts; the server knows other tokens.
        let issuer = self.cluster.rights().keys().issuer();
        if let Some(status) = self.request.reviewed(kind, &answer.object, issuer) {
            set(&mut answer.object, "status", status);
        }
        self.done(201, answer)
    }

    pub(super) fn update(&self) -> Result<Response, ApiError> {
        self.replace(Part::Whole)
    }

    /// Replaces a part of an object.
    pub(super) fn replace(&self, part: Part) -> Result<Response, ApiError> {
        let kind = self.target.kind;
        let options = self.write_options("UpdateOptions")?;
        let sent = self.sent(kind.kind)?;
        check_type(kind, &sent.object)?;
        self.check_strict(&sent, &options)?;
        let answer = self
            .cluster
            .replace(&self.place(), self.name(), &sent.object, part, &options);
        let answer = self.with_complaints(answer, &sent, &options)?;
        // For a few kinds, PUT creates the object if it does not exist (`AllowCreateOnUpdate`).
        let code = if answer.created { 201 } else { 200 };
        self.done(code, answer)
    }

    pub(super) fn patch(&self) -> Result<Response, ApiError> {
        self.patch_part(Part::Whole)
    }

    /// Patches a part of an object.
    pub(super) fn patch_part(&self, part: Part) -> Result<Response, ApiError> {
        let mut options = self.write_options("PatchOptions")?;
        let (place, name) = (self.place(), self.name());
        let answer = match self.change(&options)? {
            Change::Patch(how, patch, complaints) => {
                let patch = (how, &patch);
                options.complaints.clone_from(&complaints);
                let answer = self.cluster.patch(&place, name, patch, part, &options);
                preceded_by(&complaints, answer, &options)?
            }
            Change::Apply(config, warnings) => {
                let options = self.apply_options(options, part);
                let mut answer = self.cluster.apply(&place, name, &config, &options)?;
                answer.warnings.splice(0..0, warnings);
                // Apply is the only patch that may create an object.
                return self.done(if answer.created { 201 } else { 200 }, answer);
            }
        };
        self.done(200, answer)
    }

    /// Returns the options of a server-side apply to a part of an object.
    pub(super) fn apply_options(&self, write: WriteOptions, part: Part) -> ApplyOptions {
        ApplyOptions {
            write,
            force: self.query.flag("force"),
            subresource: part.name().to_owned(),
        }
    }

    /// Parses the change in the body of a patch.
    pub(super) fn change(&self, options: &WriteOptions) -> Result<Change, ApiError> {
        let change = self.read_change(options)?;
        // Here rather than in each caller, because every patch, including one of a scale, is parsed here.
        if let Some(notes) = &self.request.notes {
            let (Change::Patch(_, body, _) | Change::Apply(body, _)) = &change;
            notes.sent(body);
        }
        Ok(change)
    }

    fn read_change(&self, options: &WriteOptions) -> Result<Change, ApiError> {
        let media = self
            .request
            .content_type
            .split(';')
            .next()
            .unwrap_or_default()
            .trim();
        let how = match media {
            "application/json-patch+json" => Some(PatchType::Json),
            "application/merge-patch+json" => Some(PatchType::Merge),
            "application/strategic-merge-patch+json" => Some(PatchType::Strategic),
            "application/apply-patch+yaml" => None,
            _ => return Err(unsupported_media().into()),
        };
        // Apply has a YAML body and no patch type.
        let Some(how) = how else {
            check_manager(options)?;
            return Ok(self.configuration(options)?);
        };
        // `force` takes over fields of other managers, which only apply supports.
        if self.query.opt("force").is_some() {
            let message = "Forbidden: may not be specified for non-apply patch";
            return Err(patch_options(CauseReason::Forbidden, "force", message).into());
        }
        // The API server has two error messages, because it decodes strategic merge patches separately.
        let refuse = |why: String| match how {
            PatchType::Strategic => Status::bad_request(why),
            _ => Status::bad_request(format!("error decoding patch: {why}")),
        };
        // Checked before serde parses it, because Go's decoder and serde disagree about malformed JSON.
        let duplicates = json_syntax::check(self.request.body).map_err(refuse)?;
        let patch: Value =
            serde_json::from_slice(self.request.body).map_err(|e| refuse(e.to_string()))?;
        let complaints = match how {
            PatchType::Json => step_problems(&patch, &duplicates),
            _ => duplicates
                .iter()
                .map(|path| duplicate_field(path))
                .collect(),
        };
        Ok(Change::Patch(how, patch, complaints))
    }

    fn configuration(&self, options: &WriteOptions) -> Result<Change, Status> {
        let refuse = |how: &str, why: &str| {
            Status::bad_request(format!(
                "error {how}decoding YAML: error converting YAML to JSON: {why}"
            ))
        };
        let sent = read_yaml(self.request.body).map_err(|why| refuse("", &why))?;
        let found = sent.complaints.into_iter().next().map(|complaint| {
            // The API server reads JSON as YAML, too.
            let strict = yaml::parse_as_yaml(self.request.body, Mode::Strict);
            strict.err().map_or(complaint, bare)
        });
        let warnings = match (found, options.field_validation) {
            (None, _) | (_, FieldValidation::Ignore) => Vec::new(),
            (Some(why), FieldValidation::Warn) => warnings_of(&why),
            (Some(why), FieldValidation::Strict) => return Err(refuse("strict ", &why)),
        };
        Ok(Change::Apply(sent.object, warnings))
    }

    pub(super) fn done(
        &self,
        code: u16,
        answer: crate::cluster::Response,
    ) -> Result<Response, ApiError> {
        let object = self.view()?.one(answer.object);
        Ok(Response::object(code, object, answer.warnings))
    }

    /// Rejects duplicate and unknown keys if validation is strict.
    fn check_strict(&self, sent: &Sent, options: &WriteOptions) -> Result<(), Status> {
        if options.field_validation != FieldValidation::Strict {
            return Ok(());
        }
        let kind = self.target.kind;
        // The cluster also finds unknown fields, but duplicate keys are only in the text, and one error must list both.
        let read = shape::read(kind, &sent.object);
        let unknown = read.map_err(|e| self.first_mistake(sent, e))?.unknown;
        if sent.complaints.is_empty() && unknown.is_empty() {
            return Ok(());
        }
        Err(Status::bad_request(format!(
            "{} in version \"{}\" cannot be handled as a {}: strict decoding error: {}",
            kind.kind,
            kind.version,
            kind.kind,
            self.problems(sent, unknown).join(", ")
        )))
    }

    /// Returns duplicate keys and the unknown fields at some paths. For a built-in kind, both kinds of problems are
    /// sorted by their position in JSON. For a custom resource, duplicate keys come first, because its schema is checked
    /// only after it is decoded.
    fn problems(&self, sent: &Sent, unknown: Vec<String>) -> Vec<String> {
        let (text, is_custom) = (self.request.body, self.target.kind.custom.is_some());
        let (duplicates, places) = match is_custom {
            true => (Vec::new(), Vec::new()),
            // A YAML text has only one problem, which has no position.
            false => (
                json_syntax::duplicate_order(text),
                json_syntax::key_order(text, &unknown),
            ),
        };
        let duplicates = duplicates.into_iter().map(Some);
        let duplicates = duplicates.chain(std::iter::repeat(None));
        let places = places.into_iter().chain(std::iter::repeat(None));
        // The decoder skips the values of unknown fields, and repeats no problem.
        let is_skipped = |problem: &str| {
            let path = problem.strip_prefix("duplicate field \"");
            let below = |field: &String| path?.strip_prefix(field.as_str());
            let mut below = unknown.iter().filter_map(below);
            !is_custom && below.any(|rest| rest.starts_with(['"', '.', '[']))
        };
        let duplicates = duplicates.zip(sent.complaints.clone());
        let mut all: Vec<(Option<usize>, String)> = duplicates
            .filter(|(_, problem)| !is_skipped(problem))
            .collect();
        let unknown = unknown.iter().map(|path| decode::unknown_field(path));
        all.extend(places.zip(unknown));
        all.sort_by_key(|(place, _)| *place);
        all.into_iter().map(|(_, problem)| problem).collect()
    }

    /// Returns the error about the wrong type that comes first in the body, if the error is about a wrong type.
    fn first_mistake(&self, sent: &Sent, error: Status) -> Status {
        let kind = self.target.kind;
        // A custom resource has no types before it is converted to a map, which is sorted.
        if error.code != 400 || kind.custom.is_some() {
            return error;
        }
        let mistake = |text: &[u8]| {
            let checked = decode::check_text(kind, &sent.object, StoredFields::NOTHING, text);
            checked.err().map(|status| status.message)
        };
        // Other errors have the same code.
        match mistake(b"") {
            Some(message) if message == error.message => Status {
                message: mistake(self.request.body).unwrap_or(message),
                ..error
            },
            _ => error,
        }
    }

    /// Adds the problems in the body's text to the warnings of the response or the error.
    fn with_complaints(
        &self,
        answer: Result<crate::cluster::Response, ApiError>,
        sent: &Sent,
        options: &WriteOptions,
    ) -> Result<crate::cluster::Response, ApiError> {
        let answer = answer.map_err(|e| match e {
            ApiError::Status(status) => self.first_mistake(sent, *status).into(),
            other => other,
        });
        if options.field_validation != FieldValidation::Warn {
            return answer;
        }
        let shown = |problems: Vec<String>| -> Vec<String> {
            problems.iter().flat_map(|one| warnings_of(one)).collect()
        };
        let mut answer = answer.map_err(|e| e.warned(&shown(sent.complaints.clone())))?;
        let mut unknown = Vec::new();
        answer.warnings.retain(|warning| {
            let path = warning.strip_prefix("unknown field \"");
            let path = path.and_then(|path| path.strip_suffix('"'));
            unknown.extend(path.map(str::to_owned));
            path.is_none()
        });
        // They come first, because they are found before any other warning.
        let problems = self.problems(sent, unknown);
        answer.warnings.splice(0..0, shown(problems));
        Ok(answer)
    }
}

/// Returns the unknown and the repeated fields of the steps of a JSON patch.
fn step_problems(patch: &Value, duplicates: &[String]) -> Vec<String> {
    let mut problems = Vec::new();
    for (i, step) in patch.as_array().into_iter().flatten().enumerate() {
        let start = format!("[{i}].");
        let names = step.as_object().into_iter().flat_map(|step| step.keys());
        let unknown = names
            .map(|name| &**name)
            .filter(|name| !["op", "path", "from", "value"].contains(name));
        let unknown = unknown.map(|name| decode::unknown_field(&format!("{start}{name}")));
        // As for objects, the unknown fields of a step precede its repeated ones.
        let repeated = duplicates.iter().filter(|path| path.starts_with(&start));
        let repeated = repeated.map(|path| duplicate_field(path));
        problems.extend(
            unknown
                .chain(repeated)
                .map(|one| format!("json patch {one}")),
        );
    }
    problems
}

/// Puts the problems in the text of a patch before the warnings of the response or the error.
pub(super) fn preceded_by(
    complaints: &[String],
    answer: Result<crate::cluster::Response, ApiError>,
    options: &WriteOptions,
) -> Result<crate::cluster::Response, ApiError> {
    if options.field_validation != FieldValidation::Warn {
        return answer;
    }
    let mut answer = answer.map_err(|e| e.warned(complaints))?;
    answer.warnings.splice(0..0, complaints.iter().cloned());
    Ok(answer)
}

/// Rejects a custom resource with the type of another resource. Built-in kinds are checked when they are decoded.
fn check_type(kind: &Kind, object: &Value) -> Result<(), Status> {
    if kind.custom.is_none() {
        return Ok(());
    }
    let (version, own) = (text(object, "apiVersion"), text(object, "kind"));
    let wanted = kind.api_version();
    if !version.is_empty() && version != wanted {
        return Err(decode::other_version(version, &wanted));
    }
    // A body without a type has that of the path.
    if own.is_empty() || own == kind.kind {
        return Ok(());
    }
    let cause = Cause {
        reason: CauseReason::Invalid,
        field: "kind".to_owned(),
        message: format!("Invalid value: {own:?}: must be {}", kind.kind),
    };
    let name = text(field(object, "metadata"), "name");
    Err(Status::invalid(kind.group, own, name, vec![cause]))
}

fn check_manager(options: &WriteOptions) -> Result<(), Status> {
    match options.field_manager.is_empty() {
        false => Ok(()),
        true => Err(patch_options(
            CauseReason::Required,
            "fieldManager",
            "Required value: is required for apply patch",
        )),
    }
}

fn patch_options(reason: CauseReason, field: &str, message: &str) -> Status {
    let cause = Cause {
        reason,
        field: field.to_owned(),
        message: message.to_owned(),
    };
    Status::invalid("meta.k8s.io", "PatchOptions", "", vec![cause])
}

fn unsupported_media() -> Status {
    Status {
        code: 415,
        reason: "UnsupportedMediaType",
        ..Status::bad_request("415: Unsupported Media Type")
    }
}

#[cfg(test)]
mod tests {
    use crate::cluster::administrator;
    use crate::cluster::testing::in_memory;
    use crate::{Body, Request, respond};

    fn refused(path: &str, body: &str) -> String {
        let message = answered(path, body);
        let (_, complaints) = message
            .split_once("strict decoding error: ")
            .unwrap_or_default();
        complaints.to_owned()
    }

    /// Returns the message about an object that is created with strict validation.
    fn answered(path: &str, body: &str) -> String {
        let cluster = in_memory();
        let definition = r#"{"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
            "metadata": {"name": "boats.example.com"},
            "spec": {"group": "example.com", "scope": "Namespaced",
                "names": {"kind": "Boat", "plural": "boats"},
                "versions": [{"name": "v1", "served": true, "storage": true, "schema": {"openAPIV3Schema": {
                    "type": "object", "properties": {"spec": {"type": "object"}}}}}]}}"#;
        let send = |path: &str, body: &str| {
            let request = Request {
                method: "POST",
                content_type: "application/json",
                body: body.as_bytes(),
                ..Request::get(path, administrator())
            };
            match respond(&cluster, &request).body {
                Body::Object(object) => object["message"].as_str().unwrap_or_default().to_owned(),
                other => panic!("{other:?}"),
            }
        };
        let _ = send(
            "/apis/apiextensions.k8s.io/v1/customresourcedefinitions",
            definition,
        );
        send(&format!("{path}?fieldValidation=Strict"), body)
    }

    #[test]
    fn strict_problems_are_in_the_order_of_the_decoder() {
        let deployment = r#"{"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "d"},
            "spec": {"unknownField": "foo", "replicas": 2, "replicas": 3, "other": 1}}"#;
        assert_eq!(
            refused("/apis/apps/v1/namespaces/default/deployments", deployment),
            "unknown field \"spec.unknownField\", duplicate field \"spec.replicas\", unknown field \"spec.other\""
        );
        let boat = r#"{"apiVersion": "example.com/v1", "kind": "Boat", "metadata": {"name": "b"},
            "spec": {"z": 1, "a": 2, "z": 3}}"#;
        assert_eq!(
            refused("/apis/example.com/v1/namespaces/default/boats", boat),
            "duplicate field \"spec.z\", unknown field \"spec.a\", unknown field \"spec.z\""
        );
    }

    #[test]
    fn a_custom_resource_of_another_type_is_refused() {
        let boat = |version: &str, kind: &str| {
            let boat = format!(
                r#"{{"apiVersion": "{version}", "kind": "{kind}", "metadata": {{"name": "b"}}}}"#
            );
            answered("/apis/example.com/v1/namespaces/default/boats", &boat)
        };
        assert_eq!(
            boat("example.com/v2", "Boat"),
            "the API version in the data (example.com/v2) does not match the expected API version (example.com/v1)"
        );
        assert_eq!(
            boat("example.com/v1", "Raft"),
            "Raft.example.com \"b\" is invalid: kind: Invalid value: \"Raft\": must be Boat"
        );
    }

    #[test]
    fn problems_are_reported_in_the_order_of_the_body() {
        let cluster = in_memory();
        let send = |validation: &str, body: &str| {
            let path = format!("/api/v1/namespaces/default/pods?fieldValidation={validation}");
            let request = Request {
                method: "POST",
                content_type: "application/json",
                body: body.as_bytes(),
                ..Request::get(&path, administrator())
            };
            let response = respond(&cluster, &request);
            let Body::Object(object) = response.body else {
                panic!("{body}");
            };
            let message = object["message"].as_str().unwrap_or_default().to_owned();
            (message, response.warnings)
        };
        let wrong = r#"{"spec": {"restartPolicy": 1, "hostNetwork": 2}}"#;
        for validation in ["Ignore", "Warn", "Strict"] {
            let (message, _) = send(validation, wrong);
            let field = "PodSpec.spec.restartPolicy of type v1.RestartPolicy";
            assert!(message.ends_with(field), "{validation}: {message}");
        }
        // A field that is not known is reported only once.
        let unknown = r#"{"metadata": {"name": "p"}, "z": {"b": 1, "b": 2}, "a": 1, "z": 2, "metadata": {"name": "p"},
            "spec": {"containers": [{"name": "c", "image": "i"}]}}"#;
        let (message, warnings) = send("Warn", unknown);
        assert_eq!(message, "");
        let problems = [
            "unknown field \"z\"",
            "unknown field \"a\"",
            "duplicate field \"metadata\"",
        ];
        assert_eq!(warnings, problems);
        let (message, _) = send("Strict", unknown);
        assert!(message.ends_with(&problems.join(", ")), "{message}");
    }

    #[test]
    fn repeated_keys_in_yaml_are_single_warnings_or_an_error() {
        let cluster = in_memory();
        let send = |method, content_type, validation: &str| {
            let name = if method == "POST" { "" } else { "/a" };
            let path = format!(
                "/api/v1/namespaces/default/configmaps{name}?fieldManager=m&fieldValidation={validation}"
            );
            let request = Request {
                method,
                content_type,
                body: b"apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\ndata:\n  a: v\n  a: w\n  b: v\n  b: w\n",
                ..Request::get(&path, administrator())
            };
            let answer = respond(&cluster, &request);
            let Body::Object(object) = answer.body else {
                panic!("no object");
            };
            let message = object["message"].as_str().unwrap_or_default().to_owned();
            (message, answer.warnings)
        };
        let lines = [
            "line 6: key \"a\" already set in map",
            "line 8: key \"b\" already set in map",
        ];
        let found = format!("yaml: unmarshal errors:\n  {}\n  {}", lines[0], lines[1]);
        let warned = (String::new(), lines.map(str::to_owned).to_vec());
        assert_eq!(send("POST", "application/yaml", "Warn"), warned);
        let apply = "application/apply-patch+yaml";
        assert_eq!(send("PATCH", apply, "Warn"), warned);
        assert_eq!(send("PATCH", apply, "Ignore"), (String::new(), Vec::new()));
        let strict = format!("error strict decoding YAML: error converting YAML to JSON: {found}");
        assert_eq!(send("PATCH", apply, "Strict").0, strict);
        let json = Request {
            method: "PATCH",
            content_type: apply,
            body:
                b"{\n\t\"apiVersion\": \"v1\", \"metadata\": {\"name\": \"b\"},\n\t\"kind\": \"ConfigMap\",\n\t\"kind\": \"ConfigMap\"}",
            ..Request::get(
                "/api/v1/namespaces/default/configmaps/b?fieldManager=m",
                administrator(),
            )
        };
        let answer = respond(&cluster, &json);
        assert_eq!(answer.warnings, ["line 4: key \"kind\" already set in map"]);
    }

    #[test]
    fn repeated_keys_of_a_patch_are_warnings() {
        let cluster = in_memory();
        let patch = |media: &str, body: &[u8]| {
            let request = Request {
                method: "PATCH",
                content_type: media,
                body,
                ..Request::get("/api/v1/namespaces/default", administrator())
            };
            let answer = respond(&cluster, &request);
            assert_eq!(answer.code, 200, "{answer:?}");
            answer.warnings
        };
        let twice = br#"{"metadata": {"labels": {"a": "b", "a": "c"}}}"#;
        for media in [
            "application/merge-patch+json",
            "application/strategic-merge-patch+json",
        ] {
            let duplicate = ["duplicate field \"metadata.labels.a\""];
            assert_eq!(patch(media, twice), duplicate, "{media}");
        }
        let steps = br#"[{"op": "test", "op": "remove", "path": "/metadata/labels/a", "foo": 1}]"#;
        let problems = [
            "json patch unknown field \"[0].foo\"",
            "json patch duplicate field \"[0].op\"",
        ];
        assert_eq!(patch("application/json-patch+json", steps), problems);
        // Strict validation refuses them together with unknown fields of the object.
        let request = Request {
            method: "PATCH",
            content_type: "application/merge-patch+json",
            body: br#"{"metadata": {"labels": {"a": "b", "a": "c"}}, "z": 1}"#,
            ..Request::get(
                "/api/v1/namespaces/default?fieldValidation=Strict",
                administrator(),
            )
        };
        let Body::Object(status) = respond(&cluster, &request).body else {
            panic!("no object");
        };
        let why =
            "strict decoding error: duplicate field \"metadata.labels.a\", unknown field \"z\"";
        assert!(
            status["message"].as_str().unwrap().ends_with(why),
            "{status}"
        );
    }

    #[test]
    fn the_history_names_the_client() {
        use crate::cluster::HistoryQuery;
        use crate::{Reply, Request, Service as _};

        let cluster = crate::cluster::testing::fresh();
        let own = "/api/v1/namespaces/default/configmaps";
        for path in [own, &format!("{own}?fieldManager=kubectl-create")] {
            let request = Request {
                method: "POST",
                content_type: "application/json",
                user_agent: "robot/1.0 (x)",
                body: br#"{"metadata": {"generateName": "a-"}}"#,
                ..Request::get(path, administrator())
            };
            let Reply::Whole(response) = cluster.open(&request) else {
                panic!("{path} is a watch");
            };
            assert_eq!(response.code, 201);
        }
        let all = HistoryQuery {
            after: cluster.stored().oldest().unwrap(),
            ..HistoryQuery::default()
        };
        let mut writers = Vec::new();
        let seen = cluster.stored().visit(&all, &mut |commit| {
            writers.push(commit.writer.to_owned());
            Ok(true)
        });
        seen.unwrap();
        let last = ["robot".to_owned(), "kubectl-create".to_owned()];
        assert!(writers.ends_with(&last), "{writers:?}");
    }
}
