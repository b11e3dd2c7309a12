//! Objects as rows of a table, which `kubectl get` requests.

use jiff::Timestamp;

use super::Call;
use super::negotiate::Shape;
use crate::api::json::{Value, json};
use crate::api::status::Status;
use crate::cluster::ApiError;
use crate::kinds::tree::{field, take};
use crate::kinds::{Kind, columns};

/// The object that a table row contains, besides its cells.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Include {
    #[default]
    Metadata,
    Object,
    Nothing,
}

/// Converts objects of a kind to the form that a request asks for.
#[derive(Clone, Debug)]
pub(super) struct View {
    kind: &'static Kind,
    shape: Shape,
    include: Include,
    now: Timestamp,
}

impl Call<'_, '_> {
    /// Returns the view for this request.
    pub(super) fn view(&self) -> Result<View, ApiError> {
        let include = match self.query.text("includeObject") {
            "" | "Metadata" => Include::Metadata,
            "Object" => Include::Object,
            "None" => Include::Nothing,
            // Only the conversion to a table reads the parameter.
            _ if self.media.shape != Shape::Table => Include::Metadata,
            other => {
                let why = format!(
                    "Unable to convert to Table as requested: includeObject: Invalid value: {other:?}: \
                     must be 'Metadata', 'Object', 'None', or empty"
                );
                return Err(Status::bad_request(why).into());
            }
        };
        Ok(View {
            kind: self.target.kind,
            shape: self.media.shape,
            include,
            now: match self.media.shape {
                // One time for all rows, so that their ages are comparable.
                Shape::Table => self.cluster.now()?,
                // Only rows contain ages, and reading the time is a read of the store.
                Shape::Object | Shape::Metadata { .. } => Timestamp::UNIX_EPOCH,
            },
        })
    }
}

impl View {
    /// Treats objects as objects of another kind, for a subresource with its own kind.
    pub(super) fn of(self, kind: &'static Kind) -> Self {
        Self { kind, ..self }
    }

    /// Converts a single object.
    pub(super) fn one(&self, object: Value) -> Value {
        match self.shape {
            Shape::Object => object,
            Shape::Metadata { .. } => metadata_of(&object),
            Shape::Table => {
                let version = field(field(&object, "metadata"), "resourceVersion").clone();
                // A table of one object has the revision of that object; a table of several has that of the list.
                let metadata = json!({"resourceVersion": version});
                self.table(std::slice::from_ref(&object), metadata, true)
            }
        }
    }

    /// Converts a list of objects.
    pub(super) fn list(&self, mut items: Vec<Value>, metadata: Value) -> Value {
        let (version, kind) = match self.shape {
            Shape::Table => return self.table(&items, metadata, true),
            Shape::Metadata { .. } => (
                "meta.k8s.io/v1".to_owned(),
                "PartialObjectMetadataList".to_owned(),
            ),
            Shape::Object => (self.kind.api_version(), self.kind.list_kind()),
        };
        if let Shape::Metadata { .. } = self.shape {
            items = items.iter().map(metadata_of).collect();
        } else if self.kind.custom.is_none() {
            // The list names the type of its items, and only custom resources repeat it.
            for item in &mut items {
                take(item, "apiVersion");
                take(item, "kind");
            }
        }
        let mut list = json!({"apiVersion": version, "kind": kind, "metadata": metadata});
        list["items"] = Value::Array(items.into());
        list
    }

    /// Names the form of the objects in events, by which watches share encoded events; `None` if it depends on the
    /// watch.
    pub(super) fn form(&self) -> Option<&'static str> {
        match self.shape {
            Shape::Object => Some("object"),
            Shape::Metadata { .. } => Some("metadata"),
            // The columns are sent once per watch, and ages depend on when the watch started.
            Shape::Table => None,
        }
    }

    /// Converts the object of an event; `first` adds the column definitions.
    pub(super) fn event(&self, object: Value, first: bool) -> Value {
        match self.shape {
            Shape::Table => {
                let version = field(field(&object, "metadata"), "resourceVersion").clone();
                let metadata = json!({"resourceVersion": version});
                self.table(std::slice::from_ref(&object), metadata, first)
            }
            _ => self.one(object),
        }
    }

    /// Converts the object of a bookmark.
    pub(super) fn mark(&self, object: Value) -> Value {
        match self.shape {
            // The table for a bookmark has no rows, only a revision.
            Shape::Table => self.table(&[], field(&object, "metadata").clone(), false),
            _ => self.one(object),
        }
    }

    fn table(&self, objects: &[Value], metadata: Value, with_columns: bool) -> Value {
        let columns = with_columns.then(|| {
            let described = self
                .kind
                .columns
                .iter()
                .zip(columns::descriptions(self.kind));
            let column = described.map(|(column, description)| {
                json!({
                    "name": column.name, "type": column.kind, "format": column.format,
                    "description": description, "priority": column.priority,
                })
            });
            column.collect::<Vec<_>>()
        });
        let rows: Vec<Value> = objects.iter().map(|object| self.row(object)).collect();
        let mut table = json!({
            "apiVersion": "meta.k8s.io/v1", "kind": "Table", "metadata": metadata,
            // In later events null rather than an empty list, because kubectl then keeps the columns that it has.
            "columnDefinitions": columns,
        });
        table["rows"] = Value::Array(rows.into());
        table
    }

    fn row(&self, object: &Value) -> Value {
        let mut row = json!({"cells": columns::cells(self.kind, object, self.now)});
        // By default only the metadata, because kubectl needs the names and labels of the rows.
        match self.include {
            Include::Metadata => row["object"] = metadata_of(object),
            Include::Object => row["object"] = object.clone(),
            Include::Nothing => {}
        }
        row
    }
}

fn metadata_of(object: &Value) -> Value {
    json!({
        "apiVersion": "meta.k8s.io/v1", "kind": "PartialObjectMetadata",
        "metadata": field(object, "metadata"),
    })
}

#[cfg(test)]
mod tests {
    use super::super::{Body, Request, respond};
    use crate::api::json::json;
    use crate::cluster::testing::{fresh, place};
    use crate::cluster::{WriteOptions, administrator};

    const ONLY: &str = "application/json;as=Table;v=v1;g=meta.k8s.io";

    #[test]
    fn scale_has_separate_table_columns() {
        let cluster = fresh();
        let web = json!({
            "apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "web"},
            "spec": {"replicas": 2, "selector": {"matchLabels": {"a": "b"}}, "template": {
                "metadata": {"labels": {"a": "b"}}, "spec": {"containers": [{"name": "c", "image": "i"}]},
            }},
        });
        let options = WriteOptions::default();
        let _ = cluster
            .create(&place("deployments"), &web, &options)
            .unwrap();
        let path = "/apis/apps/v1/namespaces/default/deployments/web/scale";
        let request = Request {
            accept: ONLY,
            ..Request::get(path, administrator())
        };
        let Body::Object(table) = respond(&cluster, &request).body else {
            panic!("no object");
        };
        let columns = table["columnDefinitions"].as_array().unwrap();
        let names: Vec<_> = columns.iter().filter_map(|c| c["name"].as_str()).collect();
        assert_eq!(names, ["Name", "Desired", "Available", "Age"]);
        let cells = &table["rows"][0]["cells"];
        assert_eq!(
            (&cells[0], &cells[1], &cells[2]),
            (&json!("web"), &json!(2), &json!(0))
        );
    }

    #[test]
    fn an_unknown_object_of_the_rows_is_refused() {
        let cluster = fresh();
        let got = |accept| {
            let request = Request {
                accept,
                ..Request::get("/api/v1/namespaces?includeObject=All", administrator())
            };
            match respond(&cluster, &request).body {
                Body::Object(object) => (object["kind"].clone(), object["message"].clone()),
                _ => panic!("no object"),
            }
        };
        let why = "Unable to convert to Table as requested: includeObject: Invalid value: \"All\": \
                   must be 'Metadata', 'Object', 'None', or empty";
        assert_eq!(got(ONLY), (json!("Status"), json!(why)));
        assert_eq!(got("application/json").0, json!("NamespaceList"));
    }

    #[test]
    fn columns_of_custom_resources_have_the_descriptions_of_their_definition() {
        let cluster = fresh();
        let column = |name: &str, path: &str, description: &str| json!({"name": name, "type": "string", "jsonPath": path, "description": description});
        let definition = json!({
            "apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition", "metadata": {"name": "boats.sea.io"},
            "spec": {"group": "sea.io", "scope": "Namespaced", "names": {"plural": "boats", "kind": "Boat"},
                "versions": [{"name": "v1", "served": true, "storage": true,
                    "schema": {"openAPIV3Schema": {"type": "object", "x-kubernetes-preserve-unknown-fields": true}},
                    "additionalPrinterColumns": [column("Sails", ".spec.sails", "How many."), column("Crew", ".spec.crew", "")],
                }]},
        });
        let options = WriteOptions::default();
        let definitions = place("customresourcedefinitions");
        let _ = cluster.create(&definitions, &definition, &options).unwrap();
        let request = Request {
            accept: ONLY,
            ..Request::get("/apis/sea.io/v1/boats", administrator())
        };
        let Body::Object(table) = respond(&cluster, &request).body else {
            panic!("no object");
        };
        let columns = table["columnDefinitions"].as_array().unwrap();
        let all: Vec<_> = columns
            .iter()
            .filter_map(|c| c["description"].as_str())
            .collect();
        assert!(all[0].starts_with("Name must be unique"), "{all:?}");
        assert_eq!(
            all[1..],
            [
                "How many.",
                "Custom resource definition column (in JSONPath format): .spec.crew"
            ]
        );
    }

    #[test]
    fn kinds_that_can_only_be_created_have_no_table() {
        let cluster = fresh();
        let review = br#"{"apiVersion":"authorization.k8s.io/v1","kind":"SelfSubjectAccessReview",
            "spec":{"resourceAttributes":{"verb":"get","resource":"pods"}}}"#;
        let create = |path: &str, body: &[u8], accept: &str| {
            let request = Request {
                method: "POST",
                body,
                accept,
                ..Request::get(path, administrator())
            };
            let response = respond(&cluster, &request);
            match response.body {
                Body::Object(object) => (response.code, object["kind"].clone()),
                _ => panic!("{path}: no object"),
            }
        };
        let reviews = "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews";
        let or_json = format!("{ONLY},application/json");
        assert_eq!(create(reviews, review, ONLY), (406, "Status".into()));
        assert_eq!(
            create(reviews, review, &or_json),
            (201, "SelfSubjectAccessReview".into())
        );
        let account = br#"{"apiVersion":"v1","kind":"ServiceAccount","metadata":{"name":"a"}}"#;
        let accounts = "/api/v1/namespaces/default/serviceaccounts";
        assert_eq!(create(accounts, account, ONLY), (201, "Table".into()));
        let token = br#"{"apiVersion":"authentication.k8s.io/v1","kind":"TokenRequest","spec":{}}"#;
        let tokens = format!("{accounts}/a/token");
        assert_eq!(create(&tokens, token, ONLY), (406, "Status".into()));
    }
}
