//! Every integration test of `ctl`, in one binary.
// An exit code that nobody looks at is a failure that nobody sees.
#![deny(clippy::let_underscore_must_use)]
#![expect(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]
#![expect(unreachable_pub, reason = "nothing of a test binary is reachable")]
#![expect(
    clippy::print_stderr,
    reason = "seeds and counts belong to a test's output"
)]

mod answers;
mod api_faults;
mod applysets;
mod batches;
mod bounds;
mod causes;
mod clocks;
mod cluster;
mod commands;
mod comments;
mod completion;
mod config;
mod containers;
mod controller_pages;
mod custom;
mod custom_controller;
mod cycles;
mod demo;
mod describe;
mod doc_examples;
mod documents;
mod envtest;
mod etcd;
mod examples;
mod explain;
mod explore;
mod fault_runs;
mod first_run;
mod full_disk;
mod golden;
mod hand_edits;
mod hints;
mod host_kills;
mod hostile_files;
mod increments;
mod interrupts;
mod io_errors;
mod keys;
mod kill;
mod kustomize;
mod language;
mod layers;
mod leaders;
mod licences;
mod linear;
mod linear_api;
mod links;
mod live;
mod locking;
mod long_running;
mod man;
mod mass_loss;
mod members;
mod memory;
mod migrate;
mod modes;
mod modules;
mod names;
mod network_fs;
mod noticing;
mod objects;
mod packaging;
mod parts;
mod pictures;
mod plans;
mod pods;
mod power_cut;
mod raw;
mod read_only;
mod rebuild;
mod removal;
mod requests;
mod restores;
mod revisions;
mod running;
mod sample;
mod saves;
mod scenarios;
mod screen;
mod secrets;
mod self_running;
mod serve;
mod serve_tls;
mod sessions;
mod set;
mod settle;
mod snapshots;
mod stopped;
mod strategies;
mod support;
mod surface;
mod terminal;
mod torn;
mod tuning;
mod turns;
mod watching;
mod web;
mod webhooks;
