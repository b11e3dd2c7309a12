//! Get, list, watch.

use std::time::Duration;

use serde_json::{Value, json};

use super::{Body, Call, Response};
use crate::cluster::{ApiError, ListOptions, WatchEvent};
use crate::kinds::tree::{field, set};

impl Call<'_> {
    pub(super) fn get(&self) -> Result<Response, ApiError> {
        let object = self.cluster.get(&self.place(), self.name())?;
        Ok(Response::object(200, self.shown(object), Vec::new()))
    }

    pub(super) fn list(&self) -> Result<Response, ApiError> {
        if self.query.flag("watch") {
            return self.watch();
        }
        let page = self.cluster.select(&self.place(), &self.list_options()?)?;
        let mut metadata = json!({"resourceVersion": page.revision.to_string()});
        if !page.continue_token.is_empty() {
            set(&mut metadata, "continue", page.continue_token);
        }
        if let Some(remaining) = page.remaining {
            set(&mut metadata, "remainingItemCount", remaining);
        }
        let list = self.list_of(page.items, metadata);
        Ok(Response::object(200, list, Vec::new()))
    }

    /// What has happened up to now, one event in a line: nobody waits here.
    fn watch(&self) -> Result<Response, ApiError> {
        self.query.number("timeoutSeconds")?;
        let mut watching = self.cluster.watch(&self.place(), &self.list_options()?)?;
        let mut text = String::new();
        for event in watching.next(Duration::ZERO)? {
            let (kind, object) = match event {
                WatchEvent::Added(object) => ("ADDED", object),
                WatchEvent::Modified(object) => ("MODIFIED", object),
                WatchEvent::Deleted(object) => ("DELETED", object),
                WatchEvent::Bookmark(object) => ("BOOKMARK", object),
            };
            let line = json!({"type": kind, "object": self.shown(object)});
            text.push_str(&line.to_string());
            text.push('\n');
        }
        Ok(Response {
            code: 200,
            body: Body::Text(text),
            warnings: Vec::new(),
        })
    }

    pub(super) fn list_options(&self) -> Result<ListOptions, ApiError> {
        let query = &self.query;
        Ok(ListOptions {
            labels: query.text("labelSelector").to_owned(),
            fields: query.text("fieldSelector").to_owned(),
            limit: query.number("limit")?.unwrap_or(0),
            continue_token: query.text("continue").to_owned(),
            resource_version: query.text("resourceVersion").to_owned(),
            resource_version_match: query.text("resourceVersionMatch").to_owned(),
            send_initial_events: query.opt("sendInitialEvents").map(|text| text == "true"),
        })
    }

    /// Objects as a list of their kind, or of their metadata where that is what is wanted.
    pub(super) fn list_of(&self, items: Vec<Value>, metadata: Value) -> Value {
        let kind = self.target.kind;
        let (version, name) = match self.wanted_as() {
            Some("PartialObjectMetadata" | "PartialObjectMetadataList") => (
                "meta.k8s.io/v1".to_owned(),
                "PartialObjectMetadataList".to_owned(),
            ),
            _ => (kind.api_version(), format!("{}List", kind.kind)),
        };
        let items: Vec<Value> = items.into_iter().map(|item| self.shown(item)).collect();
        json!({"apiVersion": version, "kind": name, "metadata": metadata, "items": items})
    }

    /// An object, or its metadata alone where that is what is wanted.
    pub(super) fn shown(&self, object: Value) -> Value {
        match self.wanted_as() {
            Some("PartialObjectMetadata" | "PartialObjectMetadataList") => json!({
                "apiVersion": "meta.k8s.io/v1", "kind": "PartialObjectMetadata",
                "metadata": field(&object, "metadata"),
            }),
            _ => object,
        }
    }
}
