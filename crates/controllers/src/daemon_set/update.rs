//! The rolling update of a DaemonSet, within its bounds.

use super::plan::{Reconcile, Site};
use crate::api::int_or_percent::IntOrPercent;
use crate::kinds::tree::field;
use crate::runtime::Object;
use crate::views;

/// The Pods of a node by template.
struct Pair<'a> {
    new: Option<&'a Object>,
    old: Option<&'a Object>,
}

impl<'a> Reconcile<'a> {
    /// Returns the number of nodes that may have a second Pod, and the number that may have none.
    pub(super) fn bounds(&self) -> (usize, usize) {
        let rolling = views::workload(self.set).rolling_update();
        let wanted = i64::try_from(self.wanted()).unwrap_or(i64::MAX);
        let number = |name: &str, default: i64| {
            let value = IntOrPercent::from_value(field(rolling, name));
            // Both bounds of a DaemonSet round up, unlike the maxUnavailable of a Deployment.
            let scaled = value.and_then(|v| v.scaled(wanted, true));
            usize::try_from(scaled.unwrap_or(default)).unwrap_or(0)
        };
        match (number("maxSurge", 0), number("maxUnavailable", 1)) {
            // Both may round to zero, and the update could never proceed.
            (0, 0) => (0, 1),
            bounds => bounds,
        }
    }

    /// Returns the non-terminating Pods of a node, or `None` if there are two of one template.
    fn pair(&self, site: &Site<'a>) -> Option<Pair<'a>> {
        let mut pair = Pair {
            new: None,
            old: None,
        };
        for pod in site.pods.iter().filter(|p| !p.is_terminating()) {
            let place = if self.is_updated(pod) {
                &mut pair.new
            } else {
                &mut pair.old
            };
            // More than one old or new Pod on a node is cleaned up before it is updated.
            if place.replace(pod).is_some() {
                return None;
            }
        }
        Some(pair)
    }

    /// Performs one step of the update.
    pub(super) fn update(&mut self) {
        let (surge, away) = self.bounds();
        if surge > 0 {
            self.surge(surge);
        } else {
            self.replace_old(away);
        }
    }

    fn replace_old(&mut self, most: usize) {
        let (mut away, mut broken, mut sound) = (0, Vec::new(), Vec::new());
        for site in self.concerned() {
            match self.pair(site) {
                Some(Pair {
                    new: None,
                    old: Some(old),
                }) => {
                    if self.is_available(old) {
                        sound.push(old);
                    } else {
                        broken.push(old);
                        away += 1;
                    }
                }
                Some(Pair {
                    new: Some(new),
                    old: None,
                }) => away += usize::from(!self.is_available(new)),
                _ => away += 1,
            }
        }
        // An unavailable Pod already counts as unavailable, so replacing it costs nothing.
        for old in broken {
            self.delete(old, "update: the old Pod is not available");
        }
        for old in sound.into_iter().take(most.saturating_sub(away)) {
            self.delete(
                old,
                format!("update: {away} unavailable, maxUnavailable is {most}"),
            );
        }
    }

    fn surge(&mut self, most: usize) {
        let (mut surged, mut broken, mut sound) = (0, Vec::new(), Vec::new());
        let (mut over, mut misplaced, mut available) = (Vec::new(), Vec::new(), 0);
        for site in self.concerned() {
            let Some(pair) = self.pair(site) else {
                surged += 1;
                continue;
            };
            let serves = pair.old.or(pair.new).is_some_and(|p| self.is_available(p));
            available += usize::from(serves);
            match (pair.new, pair.old) {
                (_, None) => {}
                // No new Pod may run on the node, so it would stay pending and hold the surge.
                (None, Some(old)) if !site.comes && serves => misplaced.push(old),
                (None, Some(old)) if !site.comes => {
                    over.push((old, "misplaced: it is not available"))
                }
                (None, Some(_)) if serves => sound.push(site.name),
                (None, Some(_)) => broken.push(site.name),
                // With a surge the old Pod goes only once its successor is available.
                (Some(new), Some(old)) if self.is_available(new) => {
                    over.push((old, "surged: the new Pod is available"));
                }
                (Some(_), Some(_)) => surged += 1,
            }
        }
        // As many as are available beyond the desired number: the users of a surge expect no gap.
        let spare = available.saturating_sub(self.wanted());
        let spare = misplaced.into_iter().take(spare);
        over.extend(spare.map(|old| (old, "misplaced: enough other Pods are available")));
        for (old, rule) in over {
            self.delete(old, rule);
        }
        for node in broken {
            self.create(node, "surge: the old Pod is not available".to_owned());
        }
        for node in sound.into_iter().take(most.saturating_sub(surged)) {
            self.create(
                node,
                format!("surge: {surged} of maxSurge {most} are in use"),
            );
        }
    }

    /// Returns the nodes that have Pods or should have one.
    fn concerned(&self) -> impl Iterator<Item = &Site<'a>> {
        self.sites.iter().filter(|s| s.comes || !s.pods.is_empty())
    }
}
