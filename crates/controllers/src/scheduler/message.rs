//! The messages about unschedulable Pods, in kube-scheduler's words.

use std::collections::BTreeMap;

/// The number of nodes, and the number that each reason excludes.
#[derive(Debug, Default)]
pub(super) struct Diagnosis {
    nodes: usize,
    reasons: BTreeMap<String, usize>,
}

impl Diagnosis {
    /// Returns an empty diagnosis of a number of nodes.
    pub(super) fn for_nodes(nodes: usize) -> Self {
        Self {
            nodes,
            reasons: BTreeMap::new(),
        }
    }

    /// Counts a reason for one more node.
    pub(super) fn add(&mut self, reason: &str) {
        *self.reasons.entry(reason.to_owned()).or_default() += 1;
    }

    /// `0/3 nodes are available: 1 Insufficient cpu, 2 node(s) were unschedulable.`
    pub(super) fn text(&self) -> String {
        let mut counted: Vec<String> = self
            .reasons
            .iter()
            .map(|(reason, count)| format!("{count} {reason}"))
            .collect();
        // Sorted as text after the count is prepended, as kube-scheduler does: `10 ...` precedes `2 ...`.
        counted.sort();
        format!(
            "0/{} nodes are available: {}.",
            self.nodes,
            counted.join(", ")
        )
    }
}

/// Returns the message of an unschedulable Pod. `preemption` gives the reason why no Pods are evicted.
pub(super) fn unschedulable(filter: &Diagnosis, preemption: Option<Preemption<'_>>) -> String {
    // kube-scheduler's ErrNoNodesAvailable contains no diagnosis and does not mention preemption.
    if filter.nodes == 0 {
        return "no nodes available to schedule pods".to_owned();
    }
    let mut text = filter.text();
    if let Some(preemption) = preemption {
        text += &preemption.text();
    }
    text
}

/// The reasons why no claims are deallocated and no Pods evicted.
#[derive(Clone, Copy, Debug)]
pub(super) struct Preemption<'a> {
    /// True if the Pod has claims for devices.
    pub(super) claims: bool,
    /// The reason why no Pod is evicted.
    pub(super) why: &'a str,
}

impl Preemption<'_> {
    fn text(&self) -> String {
        let claims = match self.claims {
            true => "still not schedulable",
            false => "no new claims to deallocate",
        };
        format!(" {claims}, preemption: {}", self.why)
    }
}

/// Returns the message about a Pod that cannot run anywhere yet.
pub(super) fn before_all_nodes(nodes: usize, why: &str) -> String {
    match nodes {
        0 => "no nodes available to schedule pods".to_owned(),
        nodes => format!("0/{nodes} nodes are available: {why}. not found"),
    }
}

/// Returns the message about a Pod with a claim that no node can meet yet.
pub(super) fn before_all_devices(nodes: usize, why: &str) -> String {
    let mut helpless = Diagnosis::for_nodes(nodes);
    helpless
        .reasons
        .insert("Preemption is not helpful for scheduling".to_owned(), nodes);
    let preemption = Preemption {
        claims: true,
        why: &helpless.text(),
    };
    match nodes {
        0 => "no nodes available to schedule pods".to_owned(),
        nodes => format!("0/{nodes} nodes are available: {why}.{}", preemption.text()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unschedulable_reasons_are_counted_and_sorted() {
        let mut diagnosis = Diagnosis::for_nodes(3);
        diagnosis.add("node(s) had untolerated taint(s)");
        diagnosis.add("node(s) were unschedulable");
        diagnosis.add("node(s) had untolerated taint(s)");
        assert_eq!(
            unschedulable(&diagnosis, None),
            "0/3 nodes are available: 1 node(s) were unschedulable, 2 node(s) had untolerated taint(s)."
        );
        assert_eq!(
            unschedulable(
                &Diagnosis::for_nodes(0),
                Some(Preemption {
                    claims: false,
                    why: "x"
                })
            ),
            "no nodes available to schedule pods"
        );
        assert_eq!(
            before_all_nodes(3, "persistentvolumeclaim \"x\" not found"),
            "0/3 nodes are available: persistentvolumeclaim \"x\" not found. not found"
        );
    }
}
