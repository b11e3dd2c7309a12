//! The scheduler: finds a node for each Pod that has none.
//!
//! One cycle takes all waiting Pods in the order of priority and age, and places each on the state that
//! the Pods before it leave. The sums of each node are updated with each change (`state`), so that the cost
//! of a cycle depends on the waiting Pods and the nodes, not on the running Pods.
//!
//! Rules:
//! - `schedule`: a Pod is bound.
//! - `unschedulable`: the Pod's condition PodScheduled contains the reason why it is not bound.
//! - `preempt`: a Pod of lower priority is deleted.
//! - `nominate`: the status names the node that a Pod waits for.
//! - `select-node`: a claim gets the annotation of the node for which its volume is provisioned.
//! - `reserve`: devices are allocated to a claim, and the claim is reserved for the Pod.
//!
//! Must not know: other controllers.

mod affinity;
mod controller;
mod counts;
mod devices;
mod failure;
mod filter;
mod message;
mod openings;
mod pod_info;
mod preempt;
mod refusal;
mod score;
mod spread;
mod state;
mod templates;
mod verdicts;
mod volume;
mod volume_limits;
mod world;

#[cfg(test)]
mod tests;

pub use controller::Scheduler;
