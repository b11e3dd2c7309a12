//! The HorizontalPodAutoscaler: scales a target by the measured usage of its Pods.
//!
//! Pods report their usage in annotations ([`fake::CPU_USAGE`] and the like); without any there is no
//! metrics API, as in a cluster without metrics-server.
//!
//! Rules:
//! - `rescale`: the target gets another number of replicas.
//! - `recommend`: the status contains the desired number of replicas and the reason.
//!
//! Must not know: the controllers of its targets.

mod behavior;
mod controller;
mod measure;
#[cfg(test)]
mod tests;

#[cfg(doc)]
use crate::kinds::fake;
pub(crate) use controller::Autoscaler;
