//! Kubernetes' conformance tests against `ctl serve --controllers`, in this project's own words: the steps and the
//! expectations of each test that needs no real container and no network.
//!
//! `testdata/conformance/tests.tsv` lists every conformance test with the function that covers it, or the reason why it
//! needs more. `cargo test --test conformance -- --nocapture` prints their numbers.
#![expect(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]
#![expect(unreachable_pub, reason = "nothing of a test binary is reachable")]

mod apps_deployments;
mod apps_jobs;
mod apps_sets;
mod auth;
mod client;
mod cluster;
mod exec;
mod instrumentation;
mod kubectl;
mod machinery_admission;
mod machinery_custom;
mod machinery_fields;
mod machinery_lists;
mod machinery_objects;
mod machinery_quota;
mod network;
mod node_api;
mod node_containers;
mod node_pods;
mod objects;
mod operations;
mod resource;
mod scheduling;
mod storage;
mod table;
#[path = "../it/support/webhook.rs"]
#[expect(dead_code, reason = "other tests use the rest")]
mod webhook;
