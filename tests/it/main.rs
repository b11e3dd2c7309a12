//! Every integration test of `ctl`, in one binary.
#![expect(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]
#![expect(unreachable_pub, reason = "nothing of a test binary is reachable")]
#![expect(
    clippy::print_stderr,
    reason = "seeds and counts belong to a test's output"
)]

mod batches;
mod increments;
mod layers;
mod raw;
mod stopped;
mod support;
