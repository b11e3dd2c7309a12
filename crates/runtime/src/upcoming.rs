//! The next steps of the controllers for users: planned, but not executed.

use jiff::Timestamp;

use super::manager::Manager;
use super::object::Key;

/// The most keys of one controller that are planned: users read the first few.
const MOST: usize = 200;

/// A reconcile that would write something now, or that waits for a time.
///
/// ```
/// use ctl_runtime::{Config, Manager, Upcoming};
///
/// # let cluster = ctl_cluster::testing::in_memory();
/// # let controllers = Vec::new();
/// let mut manager = Manager::new(&cluster, controllers, &|_| Config::default());
/// manager.load()?;
/// for Upcoming { controller, key, rules, .. } in manager.upcoming() {
///     println!("{controller} would write {key}: {}", rules.join(", "));
/// }
/// # Ok::<(), ctl_cluster::ApiError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Upcoming {
    /// The controller.
    pub controller: &'static str,
    /// The key of the object.
    pub key: Key,
    /// The time for which it waits; none if it is due now.
    pub at: Option<Timestamp>,
    /// The rules of its writes; empty if it waits.
    pub rules: Vec<String>,
}

impl Manager<'_> {
    /// Plans the due keys after [`Manager::load`]: those with something to write come first, then those that wait, by
    /// time. Writes nothing and empties the queues, so the manager must not run afterwards.
    pub fn upcoming(&mut self) -> Vec<Upcoming> {
        let mut all = Vec::new();
        for index in 0..self.controllers() {
            let controller = self.controller_name(index);
            for planned in self.plan_due(index, MOST) {
                let (key, plan) = (planned.due.key, planned.plan);
                let mut rules: Vec<String> = Vec::new();
                for write in plan.changes.into_iter().chain(plan.status) {
                    if rules.last() != Some(&write.rule) {
                        rules.push(write.rule);
                    }
                }
                let waits = [plan.requeue_after, plan.idle_requeue_after];
                let wait = waits.into_iter().flatten().min();
                let at = match rules.is_empty() {
                    true => match wait.and_then(|wait| self.time().checked_add(wait).ok()) {
                        Some(at) => Some(at),
                        // Neither a write nor a time: nothing to report.
                        None => continue,
                    },
                    false => None,
                };
                all.push(Upcoming {
                    controller,
                    key,
                    at,
                    rules,
                });
            }
        }
        all.sort_by_key(|step| step.at);
        all
    }
}
