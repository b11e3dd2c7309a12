//! The horizontal autoscaler: as many replicas as the measured use of their Pods asks for.
//!
//! What Pods use is what their annotations say ([`fake::CPU_USAGE`] and its like); without any there is no
//! metrics API, as in a cluster without a metrics server.
//!
//! Rules:
//! - `rescale`: the target gets another number of replicas.
//! - `recommend`: the status says what is wanted and why.
//!
//! Must not know: the controllers of what it scales.

mod behavior;
mod controller;
mod measure;
#[cfg(test)]
mod tests;

#[cfg(doc)]
use crate::kinds::fake;
pub use controller::Autoscaler;
