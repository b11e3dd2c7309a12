//! Reserves memory for lists before they are built.

use std::sync::{Mutex, MutexGuard, PoisonError};

use super::refusal::Refusal;
use super::shared::Shared;
use crate::api::status::Status;
use crate::budget::Reservation;
use crate::cluster::{ApiError, Memory};

/// The memory that a request has reserved for its list.
#[derive(Debug)]
pub(super) struct Lists(Mutex<Reservation>);

impl Lists {
    pub(super) fn new(shared: &Shared) -> Self {
        Self(Mutex::new(shared.budget.reserve()))
    }

    /// Takes the reservation.
    pub(super) fn take(&self) -> Reservation {
        self.lock().take()
    }

    fn lock(&self) -> MutexGuard<'_, Reservation> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Memory for Lists {
    fn reserve(&self, bytes: usize, waits: bool) -> Result<(), ApiError> {
        // A request has one list, so only one reserves here at a time.
        let mut held = self.lock();
        let grown = match waits {
            true => held.grow_in_turn(bytes),
            false => held.grow_at_once(bytes),
        };
        if grown.is_ok() {
            return Ok(());
        }
        let (needed, total) = (held.bytes().saturating_add(bytes), held.total());
        // Frees the memory for others, because this list will not be built.
        held.shrink_to(0);
        Err(match needed > total {
            // A client must not retry what can never succeed.
            true => too_large(needed, total).into(),
            false => Refusal::no_memory().status().into(),
        })
    }
}

/// Returns the error for a list that can never fit.
fn too_large(needed: usize, total: usize) -> Status {
    let mebibytes = |bytes: usize| bytes.div_ceil(1 << 20);
    let why = format!(
        "the list needs about {} MiB, more than the {} MiB that the server has for all clients: request it in pages \
         (limit), or start the server with a larger --memory-budget",
        mebibytes(needed),
        mebibytes(total)
    );
    Status {
        code: 413,
        reason: "RequestEntityTooLarge",
        ..Status::bad_request(why)
    }
}

#[cfg(test)]
mod tests {
    use super::super::shared::Limits;
    use super::super::tests::{codes, fresh, shared};
    use crate::api::json::json;
    use crate::cluster::{WriteOptions, testing};
    use crate::fuzz::converse;

    #[test]
    fn lists_are_reserved_before_they_are_built() {
        let cluster = fresh();
        let place = testing::place("configmaps");
        for n in 0..4 {
            let map = json!({"metadata": {"name": format!("m{n}"), "labels": {"a": "b"}},
                "data": {"a": "x".repeat(100_000)}});
            cluster
                .create(&place, &map, &WriteOptions::default())
                .unwrap();
        }
        let maps = "/api/v1/namespaces/default/configmaps";
        let table = "application/json;as=Table;v=v1;g=meta.k8s.io";
        // The objects have 400 KB: an encoded list needs three times as much, a list of trees six times.
        for (path, accept, needs) in [
            (maps.to_owned(), "application/json", 1_200_000),
            (
                maps.to_owned(),
                "application/vnd.kubernetes.protobuf",
                1_200_000,
            ),
            (maps.to_owned(), table, 2_400_000),
            (maps.to_owned(), "application/yaml", 2_400_000),
            (
                format!("{maps}?labelSelector=a%3Db"),
                "application/json",
                1_200_000,
            ),
            // A page copies the whole range from the files; its first object is small.
            (format!("{maps}?limit=2"), "application/json", 600_000),
            (
                format!("{maps}?resourceVersion=1&resourceVersionMatch=NotOlderThan"),
                "application/json",
                1_200_000,
            ),
        ] {
            let within = |memory| {
                let shared = shared(Limits {
                    memory,
                    ..Limits::default()
                });
                let sent =
                    format!("GET {path} HTTP/1.1\r\nHost: localhost\r\nAccept: {accept}\r\n\r\n");
                let got = converse(
                    &cluster,
                    crate::fuzz::Sends {
                        bytes: sent.as_bytes(),
                        piece: 1000,
                        stays: false,
                    },
                    &shared,
                );
                let got = String::from_utf8_lossy(&got).into_owned();
                (codes(&got).concat(), got, shared.budget.peak())
            };
            let (code, got, peak) = within(needs * 3 / 4);
            assert_eq!(
                (code.as_str(), peak < needs * 3 / 4),
                ("413", true),
                "{path} {accept} {peak} {got}"
            );
            assert!(got.contains("--memory-budget"), "{got}");
            let (code, _, peak) = within(needs * 5 / 4);
            assert_eq!(code, "200", "{path} {accept}");
            assert!(peak > needs * 3 / 4, "{path} {accept} {peak}");
        }
    }
}
