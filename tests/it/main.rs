//! Every integration test of `ctl`, in one binary.
#![expect(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]
#![expect(unreachable_pub, reason = "nothing of a test binary is reachable")]
#![expect(
    clippy::print_stderr,
    reason = "seeds and counts belong to a test's output"
)]

mod batches;
mod clocks;
mod golden;
mod hand_edits;
mod hostile_files;
mod increments;
mod layers;
mod linear;
mod links;
mod locking;
mod mass_loss;
mod names;
mod noticing;
mod raw;
mod rebuild;
mod stopped;
mod support;
mod watching;
