//! The bodies of an operation: the object that a request sends, and those of its responses.

use super::{Format, Wanted, custom, full_name};
use crate::api::json::{Map, Value, json};
use crate::delete::returns_object;
use crate::kinds::schema::of_kind;
use crate::kinds::{Kind, Subresource};

/// The schemas of an error and of most deletions, which the table of kinds does not contain.
const STATUS: [&str; 4] = [
    "meta.v1.Status",
    "meta.v1.StatusDetails",
    "meta.v1.StatusCause",
    "meta.v1.ListMeta",
];

/// The schemas of the bodies of a resource.
pub(super) struct Bodies {
    /// The schema of one object; `None` if it is free-form.
    one: Option<String>,
    list: Option<String>,
    /// True if a deletion returns the object.
    returned: bool,
    is_custom: bool,
}

impl Bodies {
    /// Returns the bodies of a kind; adds their schemas to `wanted`.
    pub(super) fn of(kind: &Kind, wanted: &mut Wanted) -> Self {
        wanted.extend(STATUS);
        let (one, list) = match kind.custom {
            Some(custom) => (
                Some(custom::name(kind, kind.kind)),
                Some(custom::name(kind, &custom.list_kind)),
            ),
            None => {
                let mut own = |name: &str| known(kind.group, kind.version, name, wanted);
                (own(kind.kind), own(&kind.list_kind()))
            }
        };
        Self {
            one,
            list,
            returned: returns_object(kind),
            is_custom: kind.custom.is_some(),
        }
    }

    /// Returns the bodies of a subresource, whose objects may be of another kind.
    pub(super) fn of_part(self, kind: &Kind, part: &Subresource, wanted: &mut Wanted) -> Self {
        let own = (kind.group, kind.version, kind.kind);
        if (part.group, part.version, part.kind) == own {
            return self;
        }
        let one = known(part.group, part.version, part.kind, wanted);
        Self { one, ..self }
    }

    /// Adds the bodies to an operation with this value of `x-kubernetes-action`.
    pub(super) fn add(&self, operation: &mut Value, action: &str, format: Format) {
        let codes: &[&str] = match action {
            "post" => &["200", "201", "202"],
            // The patch of a custom resource creates nothing in the document of the API server.
            "patch" if self.is_custom => &["200"],
            "put" | "patch" => &["200", "201"],
            "delete" => &["200", "202"],
            _ => &["200"],
        };
        let status = || Some(full_name(STATUS[0]));
        let schema = match action {
            "list" => self.list.clone(),
            "deletecollection" => status(),
            "delete" if !self.returned => status(),
            "connect" => None,
            _ => self.one.clone(),
        };
        // A connection has no object, only bytes.
        let schema = match (schema, action) {
            (_, "connect") => json!({"type": "string"}),
            (Some(name), _) => reference(&name, format),
            (None, _) => json!({"type": "object"}),
        };
        let mut responses = Map::new();
        for code in codes {
            let text = match *code {
                "201" => "Created",
                "202" => "Accepted",
                _ => "OK",
            };
            let response = match format {
                Format::V2 => json!({"description": text, "schema": schema}),
                Format::V3 => {
                    let content = self
                        .media(action)
                        .map(|media| (media, json!({"schema": schema})));
                    json!({"description": text, "content": content.collect::<Map>()})
                }
            };
            responses.insert((*code).to_owned(), response);
        }
        responses.insert("401".to_owned(), json!({"description": "Unauthorized"}));
        operation["responses"] = Value::Object(responses);
        if matches!(action, "post" | "put") {
            self.add_request(operation, format);
        }
    }

    /// Adds the object that a request sends.
    fn add_request(&self, operation: &mut Value, format: Format) {
        let Some(name) = &self.one else { return };
        let schema = reference(name, format);
        if format == Format::V3 {
            let content = json!({"*/*": {"schema": schema}});
            operation["requestBody"] = json!({"content": content, "required": true});
        } else if let Some(parameters) = operation["parameters"].as_array_mut() {
            let body = json!({"name": "body", "in": "body", "required": true, "schema": schema});
            parameters.push(body);
        }
    }

    /// Returns the media types of responses.
    fn media(&self, action: &str) -> impl Iterator<Item = String> {
        const OBJECT: &[&str] = &[
            "application/json",
            "application/yaml",
            crate::protobuf::MEDIA_TYPE,
        ];
        let types = match (action, self.is_custom) {
            ("connect", _) => &["*/*"][..],
            // Custom resources have no form in protobuf.
            (_, true) => &OBJECT[..2],
            (_, false) => OBJECT,
        };
        let streams = action == "list";
        types.iter().flat_map(move |media| {
            let streamed =
                (streams && *media != "application/yaml").then(|| format!("{media};stream=watch"));
            std::iter::once((*media).to_owned()).chain(streamed)
        })
    }
}

/// Returns the full name of the schema of a kind; `None` for a kind without one.
fn known(group: &str, version: &str, kind: &str, wanted: &mut Wanted) -> Option<String> {
    let schema = of_kind(group, version, kind)?;
    wanted.insert(schema.name);
    Some(full_name(schema.name))
}

fn reference(name: &str, format: Format) -> Value {
    // A body is a reference and nothing else, so it needs no `allOf` around it.
    match format {
        Format::V2 => json!({"$ref": format!("#/definitions/{name}")}),
        Format::V3 => json!({"$ref": format!("#/components/schemas/{name}")}),
    }
}

/// Returns one of the schemas of an error.
pub(super) fn status(name: &str, format: Format) -> Option<Value> {
    let texts = |names: &[&str]| -> Map {
        let text = |name: &&str| ((*name).to_owned(), json!({"type": "string"}));
        names.iter().map(text).collect()
    };
    let number = || json!({"type": "integer", "format": "int32"});
    let refer = |name: &str| format.reference(&full_name(name));
    let mut properties;
    match name {
        "meta.v1.Status" => {
            properties = texts(&["apiVersion", "kind", "message", "reason", "status"]);
            properties.insert("code".to_owned(), number());
            properties.insert("details".to_owned(), refer(STATUS[1]));
            properties.insert("metadata".to_owned(), refer(STATUS[3]));
        }
        "meta.v1.StatusDetails" => {
            properties = texts(&["group", "kind", "name", "uid"]);
            properties.insert("retryAfterSeconds".to_owned(), number());
            let causes = json!({"type": "array", "items": refer(STATUS[2])});
            properties.insert("causes".to_owned(), causes);
        }
        "meta.v1.StatusCause" => properties = texts(&["field", "message", "reason"]),
        _ => return None,
    }
    Some(json!({"type": "object", "properties": properties}))
}
