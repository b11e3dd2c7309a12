//! The bodies of an operation: the object in the request, and the objects in the responses.

use super::{Format, SchemaNames, custom, full_name};
use crate::api::json::{Map, Value, json};
use crate::delete::returns_object;
use crate::kinds::schema::of_kind;
use crate::kinds::{Kind, Subresource};

/// The names of schemas: of errors and most deletions, of patches, of the options of deletions, and of watch events.
const STATUS: &str = "meta.v1.Status";
const PATCH: &str = "meta.v1.Patch";
const DELETE: &str = "meta.v1.DeleteOptions";
const EVENT: &str = "meta.v1.WatchEvent";

/// The media types of a request body that the server accepts in each of its formats.
const ANY: &[&str] = &["*/*"];

/// The schemas of the bodies of a resource.
pub(super) struct Bodies {
    /// The schema of one object; `None` if the object has no schema.
    one: Option<String>,
    list: Option<String>,
    /// True if a deletion returns the deleted object.
    returned: bool,
    is_custom: bool,
}

impl Bodies {
    /// Returns the bodies for a kind; adds the names of their schemas to `wanted`.
    pub(super) fn for_kind(kind: &Kind, wanted: &mut SchemaNames) -> Self {
        wanted.extend([STATUS, PATCH, DELETE, EVENT]);
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

    /// Returns the bodies for a subresource, whose objects may be of another kind.
    pub(super) fn of_part(self, kind: &Kind, part: &Subresource, wanted: &mut SchemaNames) -> Self {
        let own = (kind.group, kind.version, kind.kind);
        if (part.group, part.version, part.kind) == own {
            return self;
        }
        let one = known(part.group, part.version, part.kind, wanted);
        Self { one, ..self }
    }

    /// Adds the bodies to an operation; `action` is its value of `x-kubernetes-action`.
    pub(super) fn add(&self, operation: &mut Value, action: &str, format: Format) {
        let codes: &[&str] = match action {
            "post" => &["200", "201", "202"],
            // In the API server's document, a patch of a custom resource never creates an object.
            "patch" if self.is_custom => &["200"],
            "put" | "patch" => &["200", "201"],
            "delete" => &["200", "202"],
            _ => &["200"],
        };
        let status = || Some(full_name(STATUS));
        let schema = match action {
            "list" => self.list.clone(),
            "deletecollection" => status(),
            "watch" | "watchlist" => Some(full_name(EVENT)),
            "delete" if !self.returned => status(),
            "connect" => None,
            _ => self.one.clone(),
        };
        // A connection transfers bytes, not an object.
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
        match action {
            "post" | "put" => self.add_request(operation, self.one.as_deref(), ANY, format),
            "patch" => {
                self.add_request(operation, Some(&full_name(PATCH)), self.patches(), format);
            }
            "delete" | "deletecollection" => {
                self.add_request(operation, Some(&full_name(DELETE)), ANY, format);
            }
            _ => {}
        }
    }

    /// Adds the body of a request, which may have any of these media types.
    fn add_request(
        &self,
        operation: &mut Value,
        name: Option<&str>,
        media: &[&str],
        format: Format,
    ) {
        if format == Format::V2 && media != ANY {
            operation["consumes"] = json!(media);
        }
        let Some(name) = name else { return };
        let mut body = json!({"name": "body", "in": "body"});
        let schema = json!({"schema": reference(name, format)});
        if format == Format::V3 {
            let content = media
                .iter()
                .map(|name| ((*name).to_owned(), schema.clone()));
            body = json!({"content": content.collect::<Map>()});
        } else {
            body["schema"] = reference(name, format);
        }
        // The options of a deletion are optional.
        if name != full_name(DELETE) {
            body["required"] = json!(true);
        }
        match format {
            Format::V3 => operation["requestBody"] = body,
            Format::V2 => {
                if let Some(parameters) = operation["parameters"].as_array_mut() {
                    parameters.push(body);
                }
            }
        }
    }

    /// Returns the media types of the patches that the kind accepts.
    fn patches(&self) -> &'static [&'static str] {
        const TYPES: &[&str] = &[
            "application/apply-patch+yaml",
            "application/json-patch+json",
            "application/merge-patch+json",
            "application/strategic-merge-patch+json",
        ];
        // Strategic merge needs patch strategies, which the schemas of custom resources do not have.
        if self.is_custom { &TYPES[..3] } else { TYPES }
    }

    /// Returns the media types of the responses.
    fn media(&self, action: &str) -> impl Iterator<Item = String> {
        const OBJECT: &[&str] = &[
            "application/json",
            "application/yaml",
            crate::protobuf::MEDIA_TYPE,
        ];
        let types = match (action, self.is_custom) {
            ("connect", _) => &["*/*"][..],
            // Custom resources cannot be encoded in protobuf.
            (_, true) => &OBJECT[..2],
            (_, false) => OBJECT,
        };
        let streams = matches!(action, "list" | "watch" | "watchlist");
        types.iter().flat_map(move |media| {
            let streamed =
                (streams && *media != "application/yaml").then(|| format!("{media};stream=watch"));
            std::iter::once((*media).to_owned()).chain(streamed)
        })
    }
}

/// Returns the full name of the schema of a kind; `None` if the kind has no schema.
fn known(group: &str, version: &str, kind: &str, wanted: &mut SchemaNames) -> Option<String> {
    let schema = of_kind(group, version, kind)?;
    wanted.insert(schema.name);
    Some(full_name(schema.name))
}

fn reference(name: &str, format: Format) -> Value {
    // The schema of a body is only a reference, without other fields, so it needs no `allOf` around it.
    match format {
        Format::V2 => json!({"$ref": format!("#/definitions/{name}")}),
        Format::V3 => json!({"$ref": format!("#/components/schemas/{name}")}),
    }
}
