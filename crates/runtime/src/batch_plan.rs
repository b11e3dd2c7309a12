//! From plans to requests: the order of a tick's writes, and their dependencies.

use std::collections::BTreeSet;
use std::ops::Range;

use super::cache::Cache;
use super::plan::{Plan, PlannedWrite};
use super::queue::Due;
use crate::cluster::{
    ApiError, CausingChange, Cluster, Request, Response, StoreError, Verb, WriteOptions,
};

/// The result of each request of a tick: `None` if it was skipped.
pub(super) type Responses = Vec<Option<Result<Response, ApiError>>>;

/// The plan of a key that was due.
#[derive(Debug)]
pub(crate) struct Planned {
    pub(crate) due: Due,
    pub(crate) plan: Plan,
    /// The field manager of the writes.
    pub(crate) field_manager: &'static str,
}

/// The planned write of a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Origin {
    /// The index of the plan within the tick.
    pub(crate) plan: usize,
    /// The index of the change, or `None` for a status write.
    pub(crate) change: Option<usize>,
    /// The index within the changes or within the status writes.
    pub(crate) place: usize,
}

/// Cuts plans to a number of writes together; returns the keys to plan again for the rest.
///
/// The writes that stay are the first in the order in which they would be made. The status and the events of a plan
/// that is cut wait, because they describe the whole of it.
pub(crate) fn restrict(planned: &mut [Planned], most: usize) -> Vec<Due> {
    let mut left = most;
    let mut again = Vec::new();
    for planned in planned {
        let plan = &mut planned.plan;
        let wanted = plan.changes.len() + plan.status.len();
        if wanted <= left {
            left -= wanted;
            continue;
        }
        let order = order(&plan.changes);
        let kept: BTreeSet<usize> = order.into_iter().take(left).collect();
        left -= kept.len();
        let changes = std::mem::take(&mut plan.changes);
        let numbered = changes.into_iter().enumerate();
        let kept = numbered.filter(|(at, _)| kept.contains(at));
        plan.changes = kept.map(|(_, write)| write).collect();
        plan.status.clear();
        plan.events.clear();
        again.push(planned.due.clone());
    }
    again
}

/// Returns the order in which changes are made: by waves, the deletions of a wave first.
fn order(changes: &[PlannedWrite]) -> Vec<usize> {
    let mut order: Vec<usize> = (0..changes.len()).collect();
    // The sort is stable: within a wave, writes keep the order of the plan.
    order.sort_by_key(|i| (changes[*i].wave, !changes[*i].is_delete()));
    order
}

/// The requests of a tick.
#[derive(Debug, Default)]
pub(crate) struct BatchPlan {
    pub(crate) requests: Vec<Request>,
    /// The earlier requests that must succeed before each request.
    pub(crate) needs: Vec<Range<usize>>,
    pub(crate) origins: Vec<Origin>,
}

impl BatchPlan {
    /// Collects the writes of plans: of each plan the deletions, the other changes, then the status. The
    /// trees move into the requests instead of being copied.
    pub(crate) fn new(planned: &mut [Planned]) -> Self {
        let mut batch_plan = Self::default();
        for (number, planned) in planned.iter_mut().enumerate() {
            batch_plan.add_changes(number, planned);
            let first = batch_plan.requests.len() - planned.plan.changes.len();
            let all = first..batch_plan.requests.len();
            batch_plan.add_status(number, planned, &all);
        }
        batch_plan
    }

    /// Collects only the status writes, of plans that were computed again after a rejection.
    pub(crate) fn status_only(planned: &mut [Planned]) -> Self {
        let mut batch_plan = Self::default();
        for (number, planned) in planned.iter_mut().enumerate() {
            batch_plan.add_status(number, planned, &(0..0));
        }
        batch_plan
    }

    /// Attaches the cached object to each request. The commit compares revisions and saves a read and a parse if no
    /// other writer has changed the object since.
    pub(crate) fn attach_cached(&mut self, cache: &Cache) {
        for request in &mut self.requests {
            let place = &request.place;
            let object = request
                .target()
                .and_then(|name| cache.get(place.kind, &place.namespace, name))
                // The version matters: a tree in one version is not a base for a request in another.
                .filter(|object| std::ptr::eq(object.kind(), place.kind))
                // The commit would take a projection for the stored object.
                .filter(|object| cache.keeps_whole_objects(object.kind()));
            request.options.seen = object.map(|object| (object.revision(), object.to_value()));
        }
    }

    /// Commits the requests.
    pub(crate) fn send(
        &self,
        cluster: &Cluster,
        writer: &str,
        epoch: Option<u64>,
    ) -> Result<Responses, StoreError> {
        if self.requests.is_empty() {
            return Ok(Vec::new());
        }
        cluster.batch_in_order(writer, epoch, &self.requests, &self.needs)
    }

    /// Returns the requests that do not depend on the given one, which is excluded.
    pub(crate) fn without(&self, request: usize) -> Vec<bool> {
        let mut kept = vec![true; self.requests.len()];
        kept[request] = false;
        // In order: the requirements of a request precede it.
        for at in 0..kept.len() {
            let needs = self.needs[at].clone();
            kept[at] &= kept[needs].iter().all(|kept| *kept);
        }
        kept
    }

    /// Returns some of the requests, which must not depend on the others.
    pub(crate) fn only(&self, kept: &[bool]) -> Self {
        let mut part = Self::default();
        // Ranges stay ranges: the new position of a request is the number of kept requests before it.
        let place = |at: usize| kept[..at].iter().filter(|kept| **kept).count();
        for at in (0..kept.len()).filter(|at| kept[*at]) {
            let needs = &self.needs[at];
            part.requests.push(self.requests[at].clone());
            part.needs.push(place(needs.start)..place(needs.end));
            part.origins.push(self.origins[at]);
        }
        part
    }

    fn add_changes(&mut self, number: usize, planned: &mut Planned) {
        let (trigger, manager) = (planned.due.cause(), planned.field_manager);
        let changes = &mut planned.plan.changes;
        let order = order(changes);
        let mut waves: Option<Range<usize>> = None;
        let mut current = (0, 0..0);
        for place in order {
            let write = &mut changes[place];
            let at = self.requests.len();
            // Each wave needs all earlier ones, whose requests are adjacent, so a range is enough.
            if write.wave != current.0 {
                current = (write.wave, waves.clone().unwrap_or(0..0));
            }
            if write.wave > 0 {
                waves = Some(waves.map_or(at..at + 1, |w| w.start..at + 1));
            }
            self.requests.push(request(write, trigger.clone(), manager));
            self.needs.push(current.1.clone());
            self.origins.push(Origin {
                plan: number,
                change: Some(place),
                place,
            });
        }
    }

    fn add_status(&mut self, number: usize, planned: &mut Planned, needs: &Range<usize>) {
        let (trigger, manager) = (planned.due.cause(), planned.field_manager);
        for (place, write) in planned.plan.status.iter_mut().enumerate() {
            self.requests.push(request(write, trigger.clone(), manager));
            self.needs.push(needs.clone());
            self.origins.push(Origin {
                plan: number,
                change: None,
                place,
            });
        }
    }
}

fn request(write: &mut PlannedWrite, trigger: Option<CausingChange>, manager: &str) -> Request {
    let manager = match write.field_manager {
        "" => manager,
        own => own,
    };
    let options = WriteOptions {
        rule: write.rule.clone(),
        trigger,
        field_manager: manager.to_owned(),
        ..WriteOptions::default()
    };
    let name = write.name.clone();
    // Bodies are moved into the request, because afterwards only the rules of the plan are used.
    let verb = match &mut write.verb {
        Verb::Create(object) => {
            return Request::create(write.place.clone(), object.take()).with(options);
        }
        Verb::Update(part, object) => Verb::Update(*part, object.take()),
        Verb::Patch { part, how, patch } => Verb::Patch {
            part: *part,
            how: *how,
            patch: patch.take(),
        },
        verb => verb.clone(),
    };
    Request::new(write.place.clone(), name, verb).with(options)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::api::json::json;
    use crate::cluster::Place;
    use crate::cluster::find_kind;
    use crate::object::Key;

    fn planned(name: &str, changes: usize, status: usize) -> Planned {
        let pods = Place::new(find_kind("v1", "Pod").unwrap(), "default");
        let create = || PlannedWrite::create(pods.clone(), json!({}), "scale-up");
        Planned {
            due: Due {
                key: Key::new("default", name),
                trigger: None,
                since: jiff::Timestamp::UNIX_EPOCH,
            },
            plan: Plan {
                changes: (0..changes).map(|_| create()).collect(),
                status: (0..status).map(|_| create()).collect(),
                ..Plan::default()
            },
            field_manager: "m",
        }
    }

    #[test]
    fn plans_are_truncated_to_the_allowed_writes() {
        let mut all = [planned("a", 1, 1), planned("b", 3, 1), planned("c", 0, 0)];
        let again = restrict(&mut all, 4);
        let sizes = all
            .each_ref()
            .map(|p| (p.plan.changes.len(), p.plan.status.len()));
        assert_eq!(sizes, [(1, 1), (2, 0), (0, 0)]);
        let again: Vec<&Key> = again.iter().map(|due| &due.key).collect();
        assert_eq!(again, [&Key::new("default", "b")]);
    }
}
