//! Gets and lists objects.

use super::encode::is_read_by_a_person;
use super::negotiate::{Format, Shape};
use super::{Call, Response, negotiate, protobuf};
use crate::api::json::{Value, json};
use crate::api::status::Status;
use crate::cluster::{ApiError, Encode, ListOptions, Page, Place, Room};
use crate::kinds::tree::set;

/// An estimate of the memory of a parsed object for each byte of its JSON.
pub(super) const TREE: usize = 4;

/// The memory of encoded objects for each byte of their JSON: once for the single objects and once for the response.
const PIECES: usize = 2;

/// The encoding of the objects of a list.
enum Encoding<'k> {
    /// The objects are parsed, and encoded again with the response.
    Tree,
    /// The stored JSON of the objects is copied.
    Json,
    /// The stored JSON of the objects is converted to protobuf.
    Protobuf(protobuf::List<'k>),
}

/// Returns the metadata of a list.
fn metadata_of<I>(page: &Page<I>) -> Value {
    let mut metadata = json!({"resourceVersion": page.revision.to_string()});
    // Set only if there is a next page, because client-go requests pages as long as the token is present.
    if !page.continue_token.is_empty() {
        set(&mut metadata, "continue", page.continue_token.clone());
    }
    // As with etcd, the number is known only for a list without selectors.
    if let Some(remaining) = page.remaining {
        set(&mut metadata, "remainingItemCount", remaining);
    }
    metadata
}

impl Call<'_, '_> {
    pub(super) fn get(&self) -> Result<Response, ApiError> {
        let object = match self.metrics_apis.has(self.target.kind) {
            true => self.measured_one()?,
            false => self.cluster.get(&self.place(), self.name())?,
        };
        negotiate::check_metadata(self.media.shape, self.target.kind, false)?;
        Ok(Response::object(200, self.view()?.one(object), Vec::new()))
    }

    pub(super) fn list(&self) -> Result<Response, ApiError> {
        negotiate::check_metadata(self.media.shape, self.target.kind, true)?;
        if self.metrics_apis.has(self.target.kind) {
            // A list of metrics has no revision, because samples are not stored.
            let list = self.view()?.list(self.measured_list()?, json!({}));
            return Ok(Response::object(200, list, Vec::new()));
        }
        let (place, options) = (self.place(), self.list_options()?);
        let (version, kind) = (place.kind.api_version(), place.kind.list_kind());
        match self.encoding(&version, &kind) {
            Encoding::Tree => {
                // One more than `TREE`, because the encoded response is in memory together with the parsed objects.
                let page = self.selected(&place, &options, TREE + 1)?;
                let metadata = metadata_of(&page);
                let list = self.view()?.list(page.items, metadata);
                Ok(Response::object(200, list, Vec::new()))
            }
            Encoding::Json => {
                // The store contains compact JSON with sorted fields, as in a response, so the objects only need to be
                // joined. The list names the type of the items once, except for custom resources.
                let of_items = match place.kind.custom {
                    Some(_) => Vec::new(),
                    None => vec![("apiVersion", version.as_str()), ("kind", place.kind.kind)],
                };
                let members = of_items
                    .iter()
                    .map(|(name, value)| format!("\"{name}\":\"{value}\","));
                let members: Vec<String> = members.collect();
                let put = |json: &[u8], out: &mut Vec<u8>| {
                    out.push(b',');
                    let (mut rest, mut depth) = (json, 0);
                    for member in &members {
                        if let Some(at) = top_level(rest, depth, member.as_bytes()) {
                            let (before, after) = rest.split_at(at);
                            out.extend_from_slice(before);
                            (rest, depth) = (after.get(member.len()..)?, 1);
                        }
                    }
                    out.extend_from_slice(rest);
                    Some(())
                };
                let page = self.pieces(&place, &options, &put)?;
                let head = format!("{{\"apiVersion\":\"{version}\",\"items\":[");
                let metadata = metadata_of(&page);
                // Ends with a line break, as all JSON responses do.
                let tail = format!("],\"kind\":\"{kind}\",\"metadata\":{metadata}}}\n");
                let mut items = page.items.iter().filter(|piece| !piece.is_empty());
                // Each object was written with a leading comma.
                let first = items.next().map_or(&b""[..], |piece| &piece[1..]);
                let mut parts = vec![head.as_bytes(), first];
                parts.extend(items.map(Vec::as_slice));
                parts.push(tail.as_bytes());
                Ok(Response::encoded("application/json", parts.concat()))
            }
            Encoding::Protobuf(list) => {
                let put = |json: &[u8], out: &mut Vec<u8>| list.item(json, out);
                let page = self.pieces(&place, &options, &put)?;
                // In protobuf the length precedes the list, so the head can be written only now.
                let length = page.items.iter().map(Vec::len).sum();
                let around = list.around(&metadata_of(&page), length);
                let (head, tail) = around.ok_or_else(|| Status::internal("no metadata"))?;
                let mut parts = vec![head.as_slice()];
                parts.extend(page.items.iter().map(Vec::as_slice));
                parts.push(tail);
                Ok(Response::encoded(protobuf::MEDIA_TYPE, parts.concat()))
            }
        }
    }

    /// Returns the parsed objects of a list. Reserves `per_byte` bytes of the server's memory for each byte of their
    /// JSON.
    pub(super) fn selected(
        &self,
        place: &Place,
        options: &ListOptions,
        per_byte: usize,
    ) -> Result<Page, ApiError> {
        let room = self.room(per_byte);
        self.cluster.feed().select(place, options, room)
    }

    fn pieces(
        &self,
        place: &Place,
        options: &ListOptions,
        put: Encode<'_>,
    ) -> Result<Page<Vec<u8>>, ApiError> {
        let (feed, room) = (self.cluster.feed(), self.room(PIECES));
        feed.select_encoded(place, options, put, room)
    }

    fn room(&self, per_byte: usize) -> Option<Room<'_>> {
        // A command without a server reads the cluster in its own process, so no memory limit applies.
        let memory = self.request.memory?;
        Some(Room { memory, per_byte })
    }

    /// Returns the encoding of a list.
    fn encoding<'k>(&self, version: &'k str, kind: &'k str) -> Encoding<'k> {
        // Metadata and table rows are computed from parsed objects.
        if !self.request.takes_bytes || self.media.shape != Shape::Object {
            return Encoding::Tree;
        }
        match self.media.format {
            Format::Json if !is_read_by_a_person(self.request) => Encoding::Json,
            Format::Protobuf => {
                protobuf::List::for_kind(version, kind).map_or(Encoding::Tree, Encoding::Protobuf)
            }
            Format::Json | Format::Yaml => Encoding::Tree,
        }
    }

    pub(super) fn list_options(&self) -> Result<ListOptions, ApiError> {
        let query = &self.query;
        let version = query.text("resourceVersion");
        let limit = query.number("limit")?.unwrap_or(0);
        Ok(ListOptions {
            labels: query.text("labelSelector").to_owned(),
            fields: query.text("fieldSelector").to_owned(),
            // A list at any version comes from the cache of the real server, which ignores the limit.
            limit: if version == "0" { 0 } else { limit },
            continue_token: query.text("continue").to_owned(),
            resource_version: version.to_owned(),
            resource_version_match: query.text("resourceVersionMatch").to_owned(),
            send_initial_events: query
                .opt("sendInitialEvents")
                .map(|_| query.flag("sendInitialEvents")),
        })
    }
}

/// Returns the position of a member of an object, which is not within another member. The text begins at this depth.
// A ConfigMap may have data that looks like its type. Usually, the search ends after a few bytes.
fn top_level(json: &[u8], mut depth: i32, member: &[u8]) -> Option<usize> {
    let (mut quoted, mut escaped) = (false, false);
    for (at, byte) in json.iter().enumerate() {
        match byte {
            _ if escaped => escaped = false,
            b'\\' => escaped = quoted,
            b'"' => {
                if !quoted && depth == 1 && json[at..].starts_with(member) {
                    return Some(at);
                }
                quoted = !quoted;
            }
            b'{' | b'[' if !quoted => depth += 1,
            b'}' | b']' if !quoted => depth -= 1,
            _ => {}
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use crate::api::json::{Value, json};
    use crate::cluster::testing::{fresh, place};
    use crate::cluster::{WriteOptions, administrator};
    use crate::kinds::admission::User;
    use crate::{Body, Reply, Request, Service as _, protobuf, respond};

    #[test]
    fn encoded_lists_are_those_of_their_trees() {
        let cluster = fresh();
        let options = WriteOptions::default();
        for n in 0..70 {
            let labels = json!({"even": format!("{}", n % 2 == 0)});
            let map = json!({"metadata": {"name": format!("m{n}"), "labels": labels}, "data": {"a": "\"\u{1}ä\n"}});
            cluster
                .create(&place("configmaps"), &map, &options)
                .unwrap();
        }
        let autoscaler = json!({"metadata": {"name": "a"}, "spec": {"maxReplicas": 3, "scaleTargetRef":
            {"apiVersion": "apps/v1", "kind": "Deployment", "name": "web"}}});
        cluster
            .create(&place("horizontalpodautoscalers"), &autoscaler, &options)
            .unwrap();
        let namespaced = "/namespaces/default";
        for path in [
            format!("/api/v1{namespaced}/configmaps"),
            format!("/api/v1{namespaced}/configmaps?limit=3"),
            format!("/api/v1{namespaced}/configmaps?labelSelector=even%3Dfalse"),
            format!("/api/v1{namespaced}/configmaps?labelSelector=even%3Dfalse&limit=2"),
            format!("/api/v1{namespaced}/configmaps?fieldSelector=metadata.name%3Dno"),
            format!("/api/v1{namespaced}/secrets"),
            "/api/v1/configmaps?pretty=true".to_owned(),
            "/api/v1/namespaces".to_owned(),
            format!("/apis/autoscaling/v1{namespaced}/horizontalpodautoscalers"),
            format!("/apis/autoscaling/v2{namespaced}/horizontalpodautoscalers"),
        ] {
            for accept in ["application/json", protobuf::MEDIA_TYPE, "application/yaml"] {
                let encoded = |takes_bytes| {
                    let request = Request {
                        accept,
                        takes_bytes,
                        ..Request::get(&path, administrator())
                    };
                    let Reply::Whole(mut response) = cluster.cluster.open(&request) else {
                        panic!("no watch");
                    };
                    response.encode(&request)
                };
                assert_eq!(encoded(true), encoded(false), "{path} {accept}");
            }
        }
    }

    #[test]
    fn a_list_at_any_version_has_no_pages() {
        let cluster = fresh();
        let count = |query: &str| {
            let path = format!("/api/v1/namespaces?{query}");
            let request = Request::get(&path, administrator());
            let Body::Object(list) = respond(&cluster, &request).body else {
                panic!("no object");
            };
            list["items"].as_array().unwrap().len()
        };
        assert_eq!(count("limit=1"), 1);
        assert_eq!(count("limit=1&resourceVersion=0"), count(""));
    }

    #[test]
    fn only_the_list_names_the_type_of_its_items() {
        let cluster = fresh();
        let options = WriteOptions::default();
        let data = json!({"a": "\"kind\":\"ConfigMap\",\"apiVersion\":\"v1\",", "apiVersion": "v1", "kind": "ConfigMap", "z": "{"});
        let map = json!({"metadata": {"name": "m"}, "data": data});
        let maps = place("configmaps");
        cluster.create(&maps, &map, &options).unwrap();
        let path = "/api/v1/namespaces/default/configmaps?fieldSelector=metadata.name%3Dm";
        for takes_bytes in [false, true] {
            let request = Request {
                takes_bytes,
                ..Request::get(path, administrator())
            };
            let Reply::Whole(mut response) = cluster.cluster.open(&request) else {
                panic!("no watch");
            };
            let list: Value = serde_json::from_slice(&response.encode(&request).1).unwrap();
            assert_eq!(list["kind"], "ConfigMapList");
            let item = list["items"][0].as_object().unwrap();
            let names: Vec<&str> = item.keys().map(|name| &**name).collect();
            assert_eq!(names, ["data", "metadata"]);
            assert_eq!(item["data"], map["data"]);
        }
    }

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
