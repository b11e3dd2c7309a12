//! `ctl import --kubeconfig`: imports the objects of a live cluster.

use std::collections::BTreeSet;
use std::process::ExitCode;

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;

use super::{ImportArgs, access, note_some, record, store, target};
use crate::api::json::{Value, json};
use crate::cli::commands::Outcome;
use crate::cli::context::Context;
use crate::cli::error::CliError;
use crate::cli::waiting::{Completed, Progress};
use crate::cluster::Cluster;
use crate::kinds::kind::split_api_version;
use crate::kinds::{Kind, find_by_api_version};
use crate::serve::live::{Live, LiveError};

/// The number of objects in a page, as in kubectl.
const PAGE: usize = 500;

/// The replacement of each value of a Secret.
const REDACTED: &str = "REDACTED";

/// A resource of the live cluster.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Resource {
    /// The path of its list.
    pub(super) path: String,
    pub(super) api_version: String,
    pub(super) kind: String,
    /// The plural name, followed by the group.
    pub(super) name: String,
}

/// The objects of a resource, at a revision of the live cluster.
pub(super) struct Objects {
    pub(super) items: Vec<Value>,
    pub(super) version: String,
}

/// A live cluster, and the settings of the import.
pub(super) struct Source {
    pub(super) live: Live,
    pub(super) secrets: bool,
    file: String,
    context: Option<String>,
}

pub(super) fn run(args: &ImportArgs, file: &str, context: &Context) -> Outcome {
    let (live, server) = open(file, args.context.as_deref())?;
    let mut source = Source {
        live,
        secrets: args.secrets,
        file: file.to_owned(),
        context: args.context.clone(),
    };
    let resources = source.discover()?;
    let progress = Progress::new(&context.ui);
    let mut left_out = Vec::new();
    // All kinds are read before anything is written, so that a server that goes away in between leaves no half copy.
    let (mut objects, mut watched) = (Vec::new(), Vec::new());
    for (done, resource) in resources.iter().enumerate() {
        let all = resources.len();
        progress.show(Completed { done, all }, "reading kinds");
        match source.list(resource) {
            Ok(list) => {
                watched.push(record::Watched::new(resource, &list));
                objects.extend(list.items);
            }
            // A kind that may not be listed does not prevent the import of the others.
            Err(e) if e.code().is_some() => left_out.push(format!("{}: {e}", resource.name)),
            Err(e) => return Err(CliError::text(e.to_string())),
        }
    }
    drop(progress);
    if watched.is_empty() {
        note_some(&left_out, context);
        return Err(CliError::text(format!(
            "{server} does not allow any objects to be listed"
        )));
    }
    let cluster = target(context)?;
    let (served, others) = split_by_kind(objects, &cluster)?;
    let others = others.iter();
    left_out.extend(others.map(|kind| format!("{kind}: ctl does not serve this kind")));
    if args.answer.is_human() {
        left_out
            .iter_mut()
            .for_each(|line| line.insert_str(0, "left out "));
        note_some(&left_out, context);
    }
    store(&cluster, served, Vec::new(), args, context)?;
    if args.watch {
        record::run(source, watched, &cluster, context)?;
    }
    Ok(ExitCode::SUCCESS)
}

/// Returns a client for a context of a kubeconfig, and its address.
fn open(file: &str, context: Option<&str>) -> Result<(Live, String), CliError> {
    let access = access::read(file, context)?;
    let live = Live::new(&access).map_err(|e| CliError::text(format!("{file}: {e}")))?;
    Ok((live, access.server))
}

/// Separates the objects whose kinds the cluster can store. Also returns the names of the other kinds.
fn split_by_kind(
    objects: Vec<Value>,
    cluster: &Cluster,
) -> Result<(Vec<Value>, BTreeSet<String>), CliError> {
    let kinds = cluster.kinds()?;
    let text = |object: &Value, field: &str| object[field].as_str().unwrap_or_default().to_owned();
    // Definitions among the objects are not stored yet, so the catalogue does not know their kinds.
    let mut defined = BTreeSet::new();
    let is_definition = |o: &&Value| {
        let kind = find_by_api_version(&text(o, "apiVersion"), &text(o, "kind"));
        kind.is_some_and(Kind::defines_kinds)
    };
    for object in objects.iter().filter(is_definition) {
        let spec = &object["spec"];
        let names = (text(spec, "group"), text(&spec["names"], "kind"));
        defined.insert(names);
    }
    let mut others = BTreeSet::new();
    let mut served = Vec::with_capacity(objects.len());
    for object in objects {
        let (version, kind) = (text(&object, "apiVersion"), text(&object, "kind"));
        let group = split_api_version(&version).0.to_owned();
        if kinds.find_by_api_version(&version, &kind).is_some()
            || defined.contains(&(group, kind.clone()))
        {
            served.push(object);
        } else {
            others.insert(format!("{kind} of {version}"));
        }
    }
    Ok((served, others))
}

impl Source {
    /// Reads the kubeconfig again, because tokens expire and plugins return new ones.
    pub(super) fn log_in_again(&mut self) -> Result<(), CliError> {
        (self.live, _) = open(&self.file, self.context.as_deref())?;
        Ok(())
    }

    /// Returns the resources that can be listed, in each group's preferred version.
    pub(super) fn discover(&mut self) -> Result<Vec<Resource>, CliError> {
        let fail = |e: LiveError| CliError::text(e.to_string());
        let mut found = self.resources("v1").map_err(fail)?;
        let groups = self.live.get("/apis").map_err(fail)?;
        for group in groups["groups"].as_array().map_or(&[][..], |list| list) {
            let version = group["preferredVersion"]["groupVersion"].as_str();
            let name = group["name"].as_str().unwrap_or_default();
            // Metrics are no stored objects, and Events are also in the core group.
            if name.ends_with("metrics.k8s.io") || name == "events.k8s.io" {
                continue;
            }
            match self.resources(version.unwrap_or_default()) {
                Ok(more) => found.extend(more),
                // The server of an aggregated group may be unavailable.
                Err(e) if e.code().is_some() => {}
                Err(e) => return Err(fail(e)),
            }
        }
        Ok(found)
    }

    /// Returns the resources of a group and version that can be listed and watched.
    fn resources(&mut self, version: &str) -> Result<Vec<Resource>, LiveError> {
        let root = match version.contains('/') {
            true => format!("/apis/{version}"),
            false => format!("/api/{version}"),
        };
        let all = self.live.get(&root)?;
        let (group, _) = split_api_version(version);
        let read = |one: &Value| {
            let name = one["name"].as_str()?;
            let can = |verb: &str| {
                one["verbs"]
                    .as_array()
                    .is_some_and(|v| v.iter().any(|v| v == verb))
            };
            // `componentstatuses` can be listed, but they are not stored and cannot be watched.
            let stored = can("list") && can("watch") && !name.contains('/');
            let dot = if group.is_empty() { "" } else { "." };
            stored.then(|| Resource {
                path: format!("{root}/{name}"),
                api_version: version.to_owned(),
                kind: one["kind"].as_str().unwrap_or_default().to_owned(),
                name: format!("{name}{dot}{group}"),
            })
        };
        let list = all["resources"].as_array().map_or(&[][..], |list| list);
        Ok(list.iter().filter_map(read).collect())
    }

    /// Returns all objects of a resource, read in pages.
    pub(super) fn list(&mut self, resource: &Resource) -> Result<Objects, LiveError> {
        match self.pages(resource, PAGE) {
            // The list expired between two pages, so it is read again in one request.
            Err(e) if e.code() == Some(410) => self.pages(resource, 0),
            outcome => outcome,
        }
    }

    fn pages(&mut self, resource: &Resource, limit: usize) -> Result<Objects, LiveError> {
        let (mut items, mut next) = (Vec::new(), String::new());
        loop {
            let mut path = format!("{}?limit={limit}", resource.path);
            if !next.is_empty() {
                path.push_str("&continue=");
                path.extend(next.bytes().map(escaped));
            }
            let mut page = self.live.get(&path)?;
            if let Some(list) = page["items"].as_array_mut() {
                let taken = list.drain(..);
                items.extend(taken.map(|object| self.taken(resource, object)));
            }
            let meta = &page["metadata"];
            let text = |field: &str| meta[field].as_str().unwrap_or_default().to_owned();
            let goes_on = text("continue");
            // A server that always returns the same token would make this an endless loop.
            if goes_on.is_empty() || goes_on == next {
                let version = text("resourceVersion");
                return Ok(Objects { items, version });
            }
            next = goes_on;
        }
    }

    /// Returns an object in the form that is imported: with its type, which lists omit, and without secrets.
    pub(super) fn taken(&self, resource: &Resource, mut object: Value) -> Value {
        // Items of a list have no type of their own.
        if let Some(fields) = object.as_object_mut() {
            let _ = fields.insert("apiVersion", json!(resource.api_version));
            let _ = fields.insert("kind", json!(resource.kind));
        }
        let kind = find_by_api_version(&resource.api_version, &resource.kind);
        if kind.is_some_and(Kind::is_confidential) && !self.secrets {
            redact(&mut object);
        }
        object
    }
}

/// Percent-encodes a byte of a query.
fn escaped(byte: u8) -> String {
    match byte {
        b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'_' | b'.' | b'~' => {
            char::from(byte).to_string()
        }
        _ => format!("%{byte:02X}"),
    }
}

/// Replaces the values of a Secret. Its keys stay, because Pods refer to them.
fn redact(secret: &mut Value) {
    let value = json!(BASE64_STANDARD.encode(REDACTED));
    if let Some(data) = secret["data"].as_object_mut() {
        data.values_mut().for_each(|v| *v = value.clone());
    }
    // The annotation of `kubectl apply` contains the values, too.
    if let Some(annotations) = secret["metadata"]["annotations"].as_object_mut() {
        let _ = annotations.remove("kubectl.kubernetes.io/last-applied-configuration");
    }
}
