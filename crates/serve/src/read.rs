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

#[cfg(test)]
mod tests {
    use crate::api::json::json;
    use crate::cluster::WriteOptions;
    use crate::cluster::testing::{fresh, place};
    use crate::kinds::admission::User;
    use crate::{Request, respond};

    #[test]
    fn a_right_to_one_name_admits_lists_and_watches_of_that_name() {
        let cluster = fresh();
        let api = "rbac.authorization.k8s.io";
        let role = json!({"metadata": {"name": "one"}, "rules": [{"apiGroups": [""],
            "resources": ["configmaps"], "resourceNames": ["a"], "verbs": ["list", "watch"]}]});
        let binding = json!({"metadata": {"name": "one"},
            "subjects": [{"kind": "User", "name": "bob", "apiGroup": api}],
            "roleRef": {"apiGroup": api, "kind": "Role", "name": "one"}});
        for (resource, object) in [("roles", role), ("rolebindings", binding)] {
            let options = WriteOptions::default();
            cluster.create(&place(resource), &object, &options).unwrap();
        }
        let code = |query: &str| {
            let user = User {
                name: "bob".to_owned(),
                ..User::default()
            };
            let path = format!("/api/v1/namespaces/default/configmaps?{query}");
            respond(&cluster.cluster, &Request::get(&path, user)).code
        };
        assert_eq!(code("fieldSelector=metadata.name%3Da"), 200);
        assert_eq!(code("fieldSelector=metadata.name%3Da&watch=true"), 200);
        assert_eq!(code("fieldSelector=metadata.name%3Db"), 403);
        assert_eq!(code("fieldSelector=metadata.name!%3Da"), 403);
        assert_eq!(code(""), 403);
    }
}
