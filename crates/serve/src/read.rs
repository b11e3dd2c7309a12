//! Get and list.

use super::{Call, Response};
use crate::api::json::json;
use crate::cluster::{ApiError, ListOptions};
use crate::kinds::tree::set;

impl Call<'_, '_> {
    pub(super) fn get(&self) -> Result<Response, ApiError> {
        let object = match self.measured.has(self.target.kind) {
            true => self.measured_one()?,
            false => self.cluster.get(&self.place(), self.name())?,
        };
        Ok(Response::object(200, self.view()?.one(object), Vec::new()))
    }

    pub(super) fn list(&self) -> Result<Response, ApiError> {
        if self.measured.has(self.target.kind) {
            // Without a revision, because samples are not stored.
            let list = self.view()?.list(self.measured_list()?, json!({}));
            return Ok(Response::object(200, list, Vec::new()));
        }
        let page = self.cluster.select(&self.place(), &self.list_options()?)?;
        let mut metadata = json!({"resourceVersion": page.revision.to_string()});
        // Only if there is a next page, because client-go continues as long as the token is present.
        if !page.continue_token.is_empty() {
            set(&mut metadata, "continue", page.continue_token);
        }
        // As in etcd, known only without selectors.
        if let Some(remaining) = page.remaining {
            set(&mut metadata, "remainingItemCount", remaining);
        }
        let list = self.view()?.list(page.items, metadata);
        Ok(Response::object(200, list, Vec::new()))
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
}
