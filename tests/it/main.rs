//! Every integration test of `ctl`, in one binary.
#![expect(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

mod cluster;
mod completion;
mod first_run;
mod full_disk;
mod io_errors;
mod kill;
mod layers;
mod modes;
mod network_fs;
mod power_cut;
mod raw;
mod read_only;
mod sample;
mod support;
mod torn;
