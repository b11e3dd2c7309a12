//! A request as data in three forms: a call of the library, a request over HTTP, and a command line.

use ctl::api::json::{Value, json};
use ctl::cluster::{
    ApiError, ApplyOptions, Cluster, DeleteOptions, FieldValidation, ListOptions, Part, PatchType,
    Place, Propagation, Verb, WriteOptions,
};

/// The field manager of every write.
const MANAGER: &str = "tests";

/// The operation of a request.
#[derive(Clone, Debug)]
pub enum Do {
    Get(Part),
    /// Lists with a label selector, a field selector and a limit.
    List(&'static str, &'static str, i64),
    /// Reads the second page of a list with this limit.
    NextPage(i64),
    Create(Value),
    Update(Part, Value),
    Patch(Part, PatchType, Value),
    /// Applies on the server; `true` takes fields over from other managers.
    Apply(Value, bool),
    Delete(Option<Propagation>, Value),
    /// Deletes the objects that match a label selector.
    DeleteCollection(&'static str),
    Evict,
    Bind(Value),
    Token(Value),
}

/// A request.
#[derive(Clone, Debug)]
pub struct Ask {
    /// The resource, such as `pods`.
    pub resource: &'static str,
    pub name: &'static str,
    pub verb: Do,
    /// The user, if it is not the administrator.
    pub user: Option<&'static str>,
    pub dry_run: bool,
}

/// A request as a command line.
pub struct Line {
    pub args: Vec<String>,
    pub input: String,
    /// True if the output is the object in JSON.
    pub prints: bool,
}

/// A request over HTTP.
pub struct Sent {
    pub method: &'static str,
    pub path: String,
    pub media: &'static str,
    pub body: String,
}

/// Returns the name of a propagation policy in kubectl's flag and in the API.
fn cascade(policy: Propagation) -> (&'static str, &'static str) {
    match policy {
        Propagation::Background => ("background", "Background"),
        Propagation::Foreground => ("foreground", "Foreground"),
        Propagation::Orphan => ("orphan", "Orphan"),
    }
}

impl Ask {
    pub fn new(resource: &'static str, name: &'static str, verb: Do) -> Self {
        Self {
            resource,
            name,
            verb,
            user: None,
            dry_run: false,
        }
    }

    pub fn by(self, user: &'static str) -> Self {
        Self {
            user: Some(user),
            ..self
        }
    }

    pub fn dry(self) -> Self {
        Self {
            dry_run: true,
            ..self
        }
    }

    fn place(&self, cluster: &Cluster) -> Place {
        Place::new(cluster.kind(self.resource).unwrap(), "default")
    }

    fn write(&self) -> WriteOptions {
        WriteOptions {
            dry_run: self.dry_run,
            field_manager: MANAGER.to_owned(),
            field_validation: FieldValidation::Strict,
            user: user(self.user),
            ..WriteOptions::default()
        }
    }

    /// Calls the library. Returns the object; a list is in the API's form.
    pub fn call(&self, cluster: &mut Cluster) -> Result<Value, ApiError> {
        cluster.act_as(user(self.user));
        let (cluster, place, write) = (&*cluster, self.place(cluster), self.write());
        let request = match &self.verb {
            Do::List(labels, fields, limit) => {
                return page(cluster, &place, (labels, fields), *limit, String::new());
            }
            Do::NextPage(limit) => {
                let first = page(cluster, &place, ("", ""), *limit, String::new())?;
                let token = first["metadata"]["continue"].as_str().unwrap();
                return page(cluster, &place, ("", ""), *limit, token.to_owned());
            }
            Do::DeleteCollection(selector) => {
                let (key, value) = selector.split_once('=').unwrap();
                let wanted = |object: &Value| object["metadata"]["labels"][key] == value;
                let options = DeleteOptions {
                    write,
                    ..DeleteOptions::default()
                };
                cluster.delete_collection(&place, &wanted, &options)?;
                return Ok(Value::Null);
            }
            Do::Apply(config, force) => {
                let options = ApplyOptions {
                    write,
                    force: *force,
                    subresource: String::new(),
                };
                return Ok(cluster.apply(&place, self.name, config, &options)?.object);
            }
            Do::Get(part) => Verb::Get(*part),
            Do::Create(object) => Verb::Create(object.clone()),
            Do::Update(part, object) => Verb::Update(*part, object.clone()),
            Do::Patch(part, how, patch) => Verb::Patch {
                part: *part,
                how: *how,
                patch: patch.clone(),
            },
            Do::Delete(policy, conditions) => {
                let text = |name: &str| conditions[name].as_str().map(str::to_owned);
                Verb::Delete(Box::new(DeleteOptions {
                    propagation: *policy,
                    uid: text("uid"),
                    resource_version: text("resourceVersion"),
                    ..DeleteOptions::default()
                }))
            }
            Do::Evict => Verb::Evict(Box::default()),
            Do::Bind(binding) => Verb::Bind(binding.clone()),
            Do::Token(request) => Verb::Token(request.clone()),
        };
        let request = ctl::cluster::Request::new(place, self.name, request).with(write);
        Ok(cluster.submit(&request)?.object)
    }

    /// Returns the path of the object or its collection, with the path of a subresource.
    fn path(&self, cluster: &Cluster, name: &str, part: &str) -> String {
        let kind = self.place(cluster).kind;
        let mut path = match kind.group {
            "" => format!("/api/{}", kind.version),
            group => format!("/apis/{group}/{}", kind.version),
        };
        if kind.namespaced {
            path.push_str("/namespaces/default");
        }
        for word in [kind.plural, name, part] {
            if !word.is_empty() {
                path = format!("{path}/{word}");
            }
        }
        path
    }

    /// Returns the query of a write.
    fn query(&self) -> String {
        let dry = if self.dry_run { "&dryRun=All" } else { "" };
        format!("fieldManager={MANAGER}&fieldValidation=Strict{dry}")
    }

    /// Returns the request over HTTP. `token` continues a list.
    pub fn sent(&self, cluster: &Cluster, token: &str) -> Sent {
        let path = |part: &str| self.path(cluster, self.name, part);
        let own = self.query();
        let sent = |method, path: String, query: &str, media, body: String| Sent {
            method,
            path: format!("{path}?{query}"),
            media,
            body,
        };
        let json = "application/json";
        match &self.verb {
            Do::Get(part) => sent("GET", path(part.name()), "", json, String::new()),
            Do::List(labels, fields, limit) => {
                let query = selected(labels, fields, *limit, "");
                sent("GET", path(""), &query, json, String::new())
            }
            Do::NextPage(limit) => {
                let query = selected("", "", *limit, token);
                sent("GET", path(""), &query, json, String::new())
            }
            Do::Create(object) => {
                let path = self.path(cluster, "", "");
                sent("POST", path, &own, json, object.to_string())
            }
            Do::Update(part, object) => {
                sent("PUT", path(part.name()), &own, json, object.to_string())
            }
            Do::Patch(part, how, patch) => {
                let media = match how {
                    PatchType::Json => "application/json-patch+json",
                    PatchType::Merge => "application/merge-patch+json",
                    PatchType::Strategic => "application/strategic-merge-patch+json",
                };
                sent("PATCH", path(part.name()), &own, media, patch.to_string())
            }
            Do::Apply(config, force) => {
                let query = format!("{own}&force={force}");
                let media = "application/apply-patch+yaml";
                sent("PATCH", path(""), &query, media, config.to_string())
            }
            Do::Delete(..) => sent("DELETE", path(""), "", json, self.delete_options()),
            Do::DeleteCollection(selector) => {
                let query = selected(selector, "", 0, "");
                sent("DELETE", path(""), &query, json, String::new())
            }
            Do::Evict => {
                let (body, query) = (self.eviction().to_string(), &own);
                sent("POST", path("eviction"), query, json, body)
            }
            Do::Bind(binding) => sent("POST", path("binding"), &own, json, binding.to_string()),
            Do::Token(request) => sent("POST", path("token"), &own, json, request.to_string()),
        }
    }

    fn eviction(&self) -> Value {
        json!({"apiVersion": "policy/v1", "kind": "Eviction", "metadata": {"name": self.name, "namespace": "default"}})
    }

    fn delete_options(&self) -> String {
        let Do::Delete(policy, conditions) = &self.verb else {
            return String::new();
        };
        let mut options = json!({"apiVersion": "v1", "kind": "DeleteOptions"});
        if let Some(policy) = policy {
            options["propagationPolicy"] = json!(cascade(*policy).1);
        }
        if conditions.is_object() {
            options["preconditions"] = conditions.clone();
        }
        if self.dry_run {
            options["dryRun"] = json!(["All"]);
        }
        options.to_string()
    }

    /// Returns the command line. `token` continues a list.
    pub fn line(&self, cluster: &Cluster, token: &str) -> Line {
        let object = ["-o", "json", "--show-managed-fields"];
        let written = ["-f", "-", "--field-manager", MANAGER];
        let own = [self.resource, self.name];
        let line =
            |words: &[&[&str]], input: String, prints| self.run(&words.concat(), input, prints);
        let part = |part: &Part| match part.name() {
            "" => Vec::new(),
            name => vec!["--subresource".to_owned(), name.to_owned()],
        };
        match &self.verb {
            Do::Get(of) => {
                let part = part(of);
                let part: Vec<&str> = part.iter().map(String::as_str).collect();
                line(&[&["get"], &own, &object, &part], String::new(), true)
            }
            // The command itself reads all pages of a list, so a single page is requested by its path.
            Do::List(..) | Do::NextPage(_) => {
                let sent = self.sent(cluster, token);
                line(&[&["get", "--raw", &sent.path]], String::new(), true)
            }
            Do::Create(new) => {
                let strict = ["--validate=strict"];
                line(
                    &[&["create"], &written, &object, &strict],
                    new.to_string(),
                    true,
                )
            }
            // A scale has no resource of its own, so no manifest of a scale leads to its object.
            Do::Update(Part::Scale, _) => self.raw("replace", cluster, true),
            Do::Update(of, new) => {
                let part = part(of);
                let part: Vec<&str> = part.iter().map(String::as_str).collect();
                line(
                    &[&["replace"], &written, &object, &part],
                    new.to_string(),
                    true,
                )
            }
            Do::Patch(of, how, patch) => {
                let how = match how {
                    PatchType::Json => "json",
                    PatchType::Merge => "merge",
                    PatchType::Strategic => "strategic",
                };
                let (part, patch) = (part(of), patch.to_string());
                let part: Vec<&str> = part.iter().map(String::as_str).collect();
                let patch = ["--type", how, "-p", &patch, "--field-manager", MANAGER];
                line(
                    &[&["patch"], &own, &patch, &object, &part],
                    String::new(),
                    true,
                )
            }
            Do::Apply(config, force) => {
                let force: &[&str] = if *force { &["--force-conflicts"] } else { &[] };
                let apply = ["apply", "--server-side"];
                line(
                    &[&apply, &written, &object, force],
                    config.to_string(),
                    true,
                )
            }
            Do::Delete(policy, conditions) => self.deletion(cluster, *policy, conditions),
            Do::DeleteCollection(_) => {
                let path = self.sent(cluster, "").path;
                line(&[&["delete", "--raw", &path]], String::new(), false)
            }
            Do::Evict | Do::Bind(_) => self.raw("create", cluster, false),
            Do::Token(_) => self.raw("create", cluster, true),
        }
    }

    /// Returns the command line that sends the body of the request to its path.
    fn raw(&self, verb: &str, cluster: &Cluster, prints: bool) -> Line {
        let sent = self.sent(cluster, "");
        let words = [verb, "--raw", &sent.path, "-f", "-"];
        self.run(&words, sent.body, prints)
    }

    /// Returns the command line of a deletion.
    fn deletion(&self, cluster: &Cluster, policy: Option<Propagation>, conditions: &Value) -> Line {
        // kubectl has no flag for a precondition.
        if conditions.is_object() {
            let path = self.path(cluster, self.name, "");
            let words = ["delete", "--raw", &path, "-f", "-"];
            return self.run(&words, self.delete_options(), false);
        }
        let policy = policy.map_or("background", |policy| cascade(policy).0);
        let policy = format!("--cascade={policy}");
        let words = ["delete", self.resource, self.name, &policy, "--wait=false"];
        self.run(&words, String::new(), false)
    }

    fn run(&self, words: &[&str], input: String, prints: bool) -> Line {
        let mut args: Vec<String> = words.iter().map(|word| (*word).to_owned()).collect();
        if let Some(user) = self.user {
            args.extend(["--as".to_owned(), user.to_owned()]);
        }
        // A raw path contains the parameter itself.
        if self.dry_run && !words.contains(&"--raw") {
            args.push("--dry-run=server".to_owned());
        }
        Line {
            args,
            input,
            prints,
        }
    }
}

fn user(name: Option<&str>) -> ctl::kinds::admission::User {
    match name {
        Some(name) => ctl::cluster::impersonated(name, "", Vec::new()),
        None => ctl::cluster::administrator(),
    }
}

fn selected(labels: &str, fields: &str, limit: i64, token: &str) -> String {
    let escaped = |text: &str| {
        text.replace(' ', "%20")
            .replace('=', "%3D")
            .replace('!', "%21")
            .replace(',', "%2C")
    };
    format!(
        "labelSelector={}&fieldSelector={}&limit={limit}&continue={token}",
        escaped(labels),
        escaped(fields)
    )
}

fn page(
    cluster: &Cluster,
    place: &Place,
    (labels, fields): (&str, &str),
    limit: i64,
    continue_token: String,
) -> Result<Value, ApiError> {
    let options = ListOptions {
        labels: labels.to_owned(),
        fields: fields.to_owned(),
        limit,
        continue_token,
        ..ListOptions::default()
    };
    let page = cluster.select(place, &options)?;
    let mut list =
        json!({"metadata": {"resourceVersion": page.revision.to_string()}, "items": page.items});
    if !page.continue_token.is_empty() {
        list["metadata"]["continue"] = json!(page.continue_token);
    }
    if let Some(remaining) = page.remaining {
        list["metadata"]["remainingItemCount"] = json!(remaining);
    }
    Ok(list)
}
