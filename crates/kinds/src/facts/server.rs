//! A minimal API server for the recordings: one namespace and one account.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use crate::admission::ranges::{take_address, take_port};
use crate::admission::service::{Ranges, allocate};
use crate::admission::{AdmissionContext, User, admit_create};
use crate::api::json::{Value, json};
use crate::api::status::Status;
use crate::schema::StoredFields;
use crate::shape;
use crate::strategy::{WriteContext, prepare_create};
use crate::tree::{ensure, set_default};
use crate::{Catalogue, Kind};

pub(super) fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../testdata/facts")
}

pub(super) fn read(name: &str) -> String {
    std::fs::read_to_string(folder().join(name)).unwrap()
}

/// The time of every request, for which the facts say `TIME`.
pub(super) const NOW: &str = "2026-01-01T00:00:00Z";

/// A certificate request, for which the facts say `CSRPEM`.
pub(crate) const REQUEST: &str = "LS0tLS1CRUdJTiBDRVJUSUZJQ0FURSBSRVFVRVNULS0tLS0KTUlIYU1JR0JBZ0VBTUI4eERUQUxCZ05WQkFvTUJHTnlaWGN4RGpBTUJnTlZCQU1NQlhCcGJHOTBNRmt3RXdZSApLb1pJemowQ0FRWUlLb1pJemowREFRY0RRZ0FFMFZnZTFBaHVBS2EwWSt3NExwSVgzVVl4ZTlnVTRrS2x2UmwwCjNTdENRQ0V1RExvQWJuZHMyaHYvNENySWJvTUg0L212WURocUhpckYwYUxrNlJWQlY2QUFNQW9HQ0NxR1NNNDkKQkFNQ0EwZ0FNRVVDSVFEUGRvc1lMU1JFNzh2Rkk1aTNOVGpWRnhhNXY2KzJPZTc5aFdvbGhlSDI0QUlnRnpmWAprTWpzWDQ4NHc4WENBdU1ITmRicVVNTExJZkMrNldDd0pZRTNjMk09Ci0tLS0tRU5EIENFUlRJRklDQVRFIFJFUVVFU1QtLS0tLQo=";

pub(super) fn yaml(name: &str) -> Value {
    serde_yaml::from_str(&read(name).replace("CSRPEM", REQUEST)).unwrap()
}

pub(super) fn kind_of(object: &Value) -> &'static Kind {
    let text = |name: &str| object[name].as_str().unwrap();
    Catalogue::default()
        .all()
        .find(|k| k.api_version() == text("apiVersion") && k.kind == text("kind"))
        .unwrap()
}

fn find(resource: &str, namespace: &str, name: &str) -> Option<Value> {
    let known = resource == "serviceaccounts" && namespace == "default" && name == "default";
    known.then(|| json!({"metadata": {"name": "default"}}))
}

/// Prepares a new object up to validation.
pub(super) fn prepare(kind: &Kind, object: &Value) -> Result<Value, Status> {
    let labeled = crate::strategy::labeled(object);
    let mut object = shape::read(kind, object)?.object;
    let namespace = if kind.namespaced { "default" } else { "" };
    crate::strategy::check_create(&object, namespace)?;
    let metadata = ensure(&mut object, "metadata");
    if kind.namespaced {
        set_default(metadata, "namespace", "default");
    }
    if let Some(prefix) = metadata["generateName"].as_str().map(str::to_owned) {
        set_default(metadata, "name", format!("{prefix}xxxxx"));
    }
    shape::normalize(kind, &mut object);
    let called = object["metadata"]["name"]
        .as_str()
        .unwrap_or_default()
        .to_owned();
    let user = User {
        name: "admin".to_owned(),
        uid: "admin-uid".to_owned(),
        groups: vec![
            "system:masters".to_owned(),
            "system:authenticated".to_owned(),
        ],
        ..User::default()
    };
    let context = AdmissionContext {
        find: &find,
        default_priority_class: None,
        token_volume: Some("kube-api-access-xxxxx"),
        user: &user,
        called: &called,
    };
    admit_create(kind, &mut object, namespace, &context)?;
    let write_context = WriteContext {
        now: NOW,
        uid: "UID",
        labeled,
    };
    prepare_create(kind, &mut object, &write_context);
    shape::canonical(kind, &mut object, StoredFields::NOTHING);
    Ok(object)
}

fn range_address(wanted: Option<&str>) -> Result<String, String> {
    let taken = |address: &str| address == "10.96.0.1";
    match wanted {
        None => Ok("CLUSTER_IP".to_owned()),
        wanted => take_address("10.96.0.0/16", &taken, 0, wanted),
    }
}

/// Returns a validated object as it is stored and returned.
pub(super) fn finish(kind: &Kind, mut object: Value) -> Result<Value, Status> {
    if kind.kind == "Service" {
        let mut taken = BTreeSet::new();
        let mut port = |wanted: u16| {
            let port = take_port(30000..=32767, &|port| taken.contains(&port), 1000, wanted)?;
            taken.insert(port);
            Ok(port)
        };
        let mut ranges = Ranges {
            address: &mut range_address,
            port: &mut port,
        };
        allocate(&mut object, &mut ranges)?;
    }
    shape::normalize(kind, &mut object);
    Ok(object)
}

/// Runs the admission of an update and settles the result.
pub(super) fn prepare_again(kind: &Kind, object: &mut Value) {
    crate::admission::admit_update(kind, object);
    shape::normalize(kind, object);
}
