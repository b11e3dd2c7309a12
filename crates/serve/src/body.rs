//! Decodes request bodies.

use super::Call;
use crate::api::json::{Value, json};
use crate::api::json_syntax;
use crate::api::status::Status;
use crate::api::yaml::{self, Mode};
use crate::protobuf;

/// Go's error for a list or scalar in place of an object.
const NOT_AN_OBJECT: &str = "into Go value of type struct { APIVersion string \
    \"json:\\\"apiVersion,omitempty\\\"\"; Kind string \"json:\\\"kind,omitempty\\\"\" }";

/// The maximum number of bytes of a body to show in an error.
const SHOWN: usize = 30;

/// A decoded object, with the problems of a text that could be decoded nevertheless.
pub(super) struct Sent {
    pub(super) object: Value,
    /// For example `duplicate field "data"`; one entry per problem.
    pub(super) complaints: Vec<String>,
}

impl Call<'_, '_> {
    /// Decodes the body as an object of this kind.
    ///
    /// # Errors
    /// Returns the API server's 400 or 415.
    pub(super) fn sent(&self, kind: &str) -> Result<Sent, Status> {
        let sent = self.read(kind)?;
        if let Some(notes) = &self.request.notes {
            notes.sent(&sent.object);
        }
        Ok(sent)
    }

    fn read(&self, kind: &str) -> Result<Sent, Status> {
        let body = self.request.body;
        let media = self
            // Parameters such as `charset=utf-8` do not change the format.
            .request
            .content_type
            .split(';')
            .next()
            .unwrap_or_default()
            .trim();
        let refuse = |why: &str| {
            Status::bad_request(format!(
                "the object provided is unrecognized (must be of type {kind}): {why} ({})",
                summary(body)
            ))
        };
        let untyped = |why: String| {
            refuse(&format!(
                "couldn't get version/kind; json parse error: {why}"
            ))
        };
        match media {
            // Without a media type, the body is JSON: older versions of client-go send none.
            "" | "*/*" | "application/json" => read_json(body).map_err(untyped),
            "application/yaml" => {
                let sent = read_yaml(body).map_err(|why| refuse(&why))?;
                let object = as_object(sent.object).map_err(untyped)?;
                Ok(Sent { object, ..sent })
            }
            protobuf::MEDIA_TYPE if self.is_binary() || kind != self.target.kind.kind => {
                let object = protobuf::decode(body).map_err(|e| refuse(&e.to_string()))?;
                Ok(Sent {
                    object,
                    complaints: Vec::new(),
                })
            }
            _ => Err(unknown_format(self.is_binary())),
        }
    }
}

/// Returns the 415, with the formats that the kind supports.
fn unknown_format(binary: bool) -> Status {
    let more = match binary {
        true => ", application/vnd.kubernetes.protobuf",
        false => "",
    };
    Status {
        code: 415,
        reason: "UnsupportedMediaType",
        ..Status::bad_request(format!(
            "the body of the request was in an unknown format - accepted media types include: \
             application/json, application/yaml{more}"
        ))
    }
}

// Parsed twice, because serde silently keeps the last of several equal keys, but the API server reports them.
fn read_json(body: &[u8]) -> Result<Sent, String> {
    let duplicates = json_syntax::check(body)?;
    let object: Value = serde_json::from_slice(body).map_err(|e| e.to_string())?;
    Ok(Sent {
        object: as_object(object)?,
        complaints: duplicates
            .iter()
            .map(|path| duplicate_field(path))
            .collect(),
    })
}

/// Returns a decoded body, which has to be an object.
fn as_object(body: Value) -> Result<Value, String> {
    match body {
        Value::Object(_) => Ok(body),
        // As in Go, null and an empty document leave all fields unset.
        Value::Null => Ok(json!({})),
        other => {
            let what = crate::api::go::json_kind(&other);
            Err(format!("json: cannot unmarshal {what} {NOT_AN_OBJECT}"))
        }
    }
}

/// Returns the problem of a repeated key.
pub(super) fn duplicate_field(path: &str) -> String {
    format!("duplicate field \"{path}\"")
}

/// Returns the warnings about a problem in a text: one for each line of the error of Go's YAML decoder.
pub(super) fn warnings_of(problem: &str) -> Vec<String> {
    match problem.strip_prefix("yaml: unmarshal errors:\n") {
        Some(lines) => lines.lines().map(|line| line.trim().to_owned()).collect(),
        None => vec![problem.to_owned()],
    }
}

/// Returns the text of an error without the prefix that kubectl's errors about files have.
pub(super) fn bare(error: yaml::YamlError) -> String {
    let text = error.message;
    text.strip_prefix("error converting YAML to JSON: ")
        .unwrap_or(&text)
        .to_owned()
}

/// Decodes an object in YAML.
///
/// # Errors
/// Returns the error of Go's decoder.
pub(super) fn read_yaml(body: &[u8]) -> Result<Sent, String> {
    let object = yaml::parse_one(body, Mode::Lenient)
        .map_err(bare)?
        .unwrap_or_default();
    // Parsed again to find problems; `fieldValidation` decides if they reject the request.
    let strict = yaml::parse_one(body, Mode::Strict).err().map(bare);
    Ok(Sent {
        object,
        complaints: strict.into_iter().collect(),
    })
}

fn summary(body: &[u8]) -> String {
    let cut = &body[..body.len().min(SHOWN)];
    let more = if body.len() > SHOWN { " ..." } else { "" };
    // As in apimachinery, JSON is shown as text and other formats as hexadecimal, because they may be binary.
    match body.first() {
        None => "<empty>".to_owned(),
        Some(b'{') => format!("{}{more}", String::from_utf8_lossy(cut)),
        Some(_) => {
            let hex: String = cut.iter().map(|byte| format!("{byte:02x}")).collect();
            format!("{hex}{more}")
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::api::json::json;
    use crate::cluster::administrator;
    use crate::cluster::testing::fresh;
    use crate::{Body, Request, respond};

    #[test]
    fn a_body_in_yaml_has_to_be_an_object() {
        let cluster = fresh();
        let definition = json!({"metadata": {"name": "boats.example.com"}, "spec": {"group": "example.com",
            "scope": "Namespaced", "names": {"kind": "Boat", "plural": "boats"}, "versions": [{"name": "v1",
                "served": true, "storage": true, "schema": {"openAPIV3Schema": {"type": "object"}}}]}});
        let send = |path: &str, body: &str| {
            let request = Request {
                method: "POST",
                content_type: "application/yaml",
                body: body.as_bytes(),
                ..Request::get(path, administrator())
            };
            match respond(&cluster, &request).body {
                Body::Object(object) => object["message"].as_str().unwrap_or_default().to_owned(),
                other => panic!("{other:?}"),
            }
        };
        let definitions = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
        assert_eq!(send(definitions, &definition.to_string()), "");
        let boats = "/apis/example.com/v1/namespaces/default/boats";
        for path in ["/api/v1/namespaces/default/configmaps", boats] {
            let refused = send(path, "[]");
            let why = "json parse error: json: cannot unmarshal array into Go value of type struct";
            assert!(refused.contains(why), "{refused}");
            let nameless = send(path, "# nothing");
            let why = "metadata.name: Required value: name or generateName is required";
            assert!(nameless.ends_with(why), "{nameless}");
        }
    }
}
