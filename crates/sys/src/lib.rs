//! The interface to the operating system: clock, randomness, files, locks, notifications and signals.
//!
//! All of ctl's input from the machine passes through here, so that everything above can run on a simulated machine,
//! with a test's clock and from a single seed.
//!
//! Must not know: Kubernetes.

pub mod archive;
pub mod bounded;
pub mod clock;
pub mod entropy;
#[cfg(any(debug_assertions, feature = "failpoints"))]
pub mod fault;
pub mod fs;
pub mod host;
pub mod keys;
mod lease;
pub mod lines;
pub mod lock;
pub mod net;
pub mod notify;
mod pin;
pub mod real_fs;
pub mod scratch;
pub mod signal;
#[cfg(any(test, feature = "testing"))]
#[doc(hidden)]
pub mod sim_disk;
#[cfg(any(test, feature = "testing"))]
#[doc(hidden)]
pub mod sim_fs;
pub mod threads;

/// Compiles the example of the README.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
