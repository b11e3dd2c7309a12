//! The controllers: one file or folder each, a pure plan of what is observed.
//!
//! Must not know: the store, each other.

pub mod cronjob;
pub mod deployment;
pub mod job;
pub mod kinds;
pub mod replica_set;
pub mod ttl_after_finished;
pub mod workload;

#[cfg(test)]
pub(crate) mod testing;

use crate::runtime::Controller;

/// How a controller is made.
pub type Make = fn() -> Box<dyn Controller>;

/// Every controller, in the order in which they work.
pub const CONTROLLERS: &[Make] = &[
    || Box::new(deployment::Deployments),
    || Box::new(replica_set::ReplicaSets::of_apps()),
    || Box::new(replica_set::ReplicaSets::of_core()),
    || Box::new(job::Jobs),
    || Box::new(cronjob::CronJobs),
    || Box::new(ttl_after_finished::TtlAfterFinished),
];

/// The controllers that are wanted, by name.
pub fn wanted(is_wanted: &dyn Fn(&str) -> bool) -> Vec<Box<dyn Controller>> {
    let all = CONTROLLERS.iter().map(|make| make());
    all.filter(|c| is_wanted(c.name())).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn controllers_have_names_of_their_own_and_watch_something() {
        let mut names = Vec::new();
        for make in CONTROLLERS {
            let controller = make();
            assert!(!controller.watches().is_empty(), "{}", controller.name());
            assert!(!names.contains(&controller.name()), "{}", controller.name());
            names.push(controller.name());
        }
    }
}
