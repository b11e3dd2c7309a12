//! The scheduler: finds a node for each Pod that has none.
//!
//! One look takes all waiting Pods in the order of priority and age, and places each on what the ones
//! before it leave. The sums of each node are kept as changes are seen (`state`), so that a look costs
//! by the Pods that wait and the nodes, not by the Pods that run.
//!
//! Rules:
//! - `schedule`: a Pod is bound.
//! - `unschedulable`: its condition says why it is not.
//! - `preempt`: a Pod of lower priority makes room.
//! - `nominate`: the node that a Pod waits for.
//! - `select-node`: where a claim's volume is to be made.
//! - `reserve`: a claim gets devices, and the Pod that uses them.
//!
//! Must not know: other controllers.

mod affinity;
mod ask;
mod controller;
mod counts;
mod devices;
mod filter;
mod message;
mod preempt;
mod refusal;
mod score;
mod spread;
mod state;
mod verdicts;
mod volume;
mod world;

#[cfg(test)]
mod tests;

pub use controller::Scheduler;
