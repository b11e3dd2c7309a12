//! The object of a request while mutating plug-ins change it.

use super::attributes::{attributes, options};
use crate::api::json::Value;
use crate::api::status::Status;
use crate::kinds::admission::policy::{Attributes, Operation};
use crate::kinds::{Kind, shape};
use crate::objects;
use crate::request::Place;
use crate::request::options::Author;
use crate::request::part::Part;
use crate::scale_paths::ScalePaths;

/// The body of a `/scale` request.
const SCALE: (&str, &str, &str) = ("autoscaling", "v1", "Scale");

/// A request that plug-ins may change.
#[derive(Clone, Copy)]
pub(crate) struct Request<'a> {
    pub(crate) place: &'a Place,
    pub(crate) author: Author<'a>,
    pub(crate) part: Part,
    /// The stored object; `None` for a creation.
    pub(crate) old: Option<&'a Value>,
    /// True if the server made up the name of the new object.
    pub(crate) named: bool,
    /// The request to a subresource that stores no object, if it is one.
    pub(crate) posted: Option<SubresourceBody<'a>>,
}

/// The body of a request to a subresource of an object.
#[derive(Clone, Copy)]
pub(crate) struct SubresourceBody<'a> {
    pub(crate) name: &'a str,
    pub(crate) subresource: &'a str,
    pub(crate) operation: Operation,
    pub(crate) body: &'a Value,
}

impl SubresourceBody<'_> {
    /// Returns the type of the body, which plug-ins see instead of that of the object: a Binding, not a Pod.
    pub(super) fn kind(&self, of: &Kind) -> Option<(&'static str, &'static str, &'static str)> {
        let part = of.subresource(self.subresource)?;
        Some((part.group, part.version, part.kind))
    }
}

/// The object of a request in the form for plug-ins.
pub(super) struct Body<'a> {
    request: Request<'a>,
    operation: Operation,
    options: Value,
    scales: Option<ScalePaths>,
    old: Option<Value>,
    name: String,
    pub(super) object: Value,
}

impl<'a> Body<'a> {
    pub(super) fn new(request: Request<'a>, object: &Value) -> Self {
        let operation = match (request.posted, request.old) {
            (Some(posted), _) => posted.operation,
            (None, None) => Operation::Create,
            (None, Some(_)) => Operation::Update,
        };
        // A `/scale` request is about a Scale, of which only the replicas reach the object.
        let scales = match request.part {
            Part::Scale => ScalePaths::for_kind(request.place.kind),
            _ => None,
        };
        let shown = |object: &Value| match &scales {
            Some(paths) => paths.show(object),
            None => object.clone(),
        };
        let mut body = Self {
            old: request.old.map(shown),
            object: shown(object),
            name: match &request.posted {
                Some(posted) => posted.name.to_owned(),
                None => objects::meta(object, "name").to_owned(),
            },
            options: options(operation, request.author),
            request,
            operation,
            scales,
        };
        // The API server makes up a name after the mutating plug-ins.
        if request.named
            && let Some(metadata) = body.object["metadata"].as_object_mut()
        {
            metadata.remove("name");
        }
        body
    }

    /// Returns the request with the object in its current state.
    pub(super) fn attributes(&self) -> Attributes<'_> {
        let Request { place, author, .. } = self.request;
        let name = if self.request.named { "" } else { &self.name };
        Attributes {
            subresource: match &self.request.posted {
                Some(posted) => posted.subresource,
                None => self.request.part.name(),
            },
            // The type of the body is that of the subresource, and rules match it.
            body: match &self.request.posted {
                Some(posted) => posted.kind(place.kind),
                None => self.scales.as_ref().map(|_| SCALE),
            },
            old: self.old.as_ref(),
            object: Some(&self.object),
            ..attributes(place, author, name, self.operation, &self.options)
        }
    }

    /// Reads the object as if it had been sent: a patch may add any field.
    pub(super) fn decode(&mut self) -> Result<(), Status> {
        if self.scales.is_none() && self.request.posted.is_none() {
            let object = std::mem::take(&mut self.object);
            self.object = shape::read_own(self.request.place.kind, object)?.object;
        }
        Ok(())
    }

    /// Copies the body into the object after the plug-ins.
    pub(super) fn into(mut self, object: &mut Value) {
        if self.request.named && objects::meta(&self.object, "name").is_empty() {
            self.object["metadata"]["name"] = Value::from(self.name.as_str());
        }
        *object = match &self.scales {
            Some(paths) => paths.set(object, &self.object),
            None => self.object,
        };
    }
}
