//! The attributes of a request for policies and webhooks in a transaction.

use std::cell::OnceCell;

use crate::api::json::{Value, json};
use crate::kinds::Kind;
use crate::kinds::admission::policy::{Attributes, Operation};
use crate::kinds::convert::convert;
use crate::objects;
use crate::request::Place;
use crate::request::options::Author;
use crate::store::View;

/// Returns the attributes of a request without its objects.
pub(super) fn attributes<'a>(
    place: &'a Place,
    author: Author<'a>,
    name: &'a str,
    operation: Operation,
    options: &'a Value,
) -> Attributes<'a> {
    Attributes {
        kind: place.kind,
        subresource: "",
        body: None,
        namespace: &place.namespace,
        name,
        operation,
        object: None,
        old: None,
        user: author.shown(),
        dry_run: author.options.dry_run,
        options,
    }
}

/// Returns the options of a request as an object; null for a connection, which has none.
pub(super) fn options(operation: Operation, author: Author<'_>) -> Value {
    let kind = match operation {
        Operation::Create => "CreateOptions",
        Operation::Update => "UpdateOptions",
        Operation::Delete => "DeleteOptions",
        Operation::Connect => return Value::Null,
    };
    let mut options = json!({"kind": kind, "apiVersion": "meta.k8s.io/v1"});
    if author.options.dry_run {
        options["dryRun"] = json!(["All"]);
    }
    // A deletion owns no fields, so its options have no manager.
    if kind != "DeleteOptions" {
        options["fieldManager"] = json!(author.options.manager());
    }
    options
}

/// The namespace of a request, read on first use, because most policies do not use it.
pub(super) struct Namespace<'a> {
    view: &'a dyn View,
    name: &'a str,
    found: OnceCell<Option<Value>>,
}

impl<'a> Namespace<'a> {
    pub(super) fn new(view: &'a dyn View, at: &Attributes<'a>) -> Self {
        Self {
            view,
            name: at.own_namespace(),
            found: OnceCell::new(),
        }
    }

    pub(super) fn get(&self) -> Option<Value> {
        let find = || objects::find(self.view, "namespaces", "", self.name);
        self.found.get_or_init(find).clone()
    }
}

/// The objects of a request at the version that the rules are for.
pub(super) struct Converted {
    objects: Option<(Option<Value>, Option<Value>)>,
}

impl Converted {
    pub(super) fn new(at: &Attributes<'_>, kind: &'static Kind) -> Self {
        let converted = |object: Option<&Value>| {
            let mut object = object.cloned()?;
            convert(&mut object, kind);
            Some(object)
        };
        // A body such as a Scale has no other version.
        let differs = at.kind != kind && at.body.is_none();
        Self {
            objects: differs.then(|| (converted(at.object), converted(at.old))),
        }
    }

    pub(super) fn attributes<'a>(&'a self, at: &Attributes<'a>) -> Attributes<'a> {
        match &self.objects {
            None => *at,
            Some((object, old)) => Attributes {
                object: object.as_ref(),
                old: old.as_ref(),
                ..*at
            },
        }
    }
}
