//! Scores the feasible nodes by the weights and formulas of the default profile.

use super::affinity::preferences;
use super::pod_info::{Needs, PodInfo, Spread};
use super::spread;
use super::state::Node;
use super::verdicts::Row;
use super::world::World;

/// Returns the number of the best node; among equals the first.
pub(super) fn best(
    pod_info: &PodInfo,
    usual: &[Spread],
    nodes: &[usize],
    row: &Row,
    world: &World<'_>,
) -> Option<usize> {
    if let [] | [_] = nodes {
        return nodes.first().copied();
    }
    let verdicts = || nodes.iter().map(|at| row.known(*at));
    let mut total: Vec<i64> = verdicts().map(|verdict| verdict.score).collect();
    let mut add = |weight: i64, scores: Vec<i64>| {
        total
            .iter_mut()
            .zip(scores)
            .for_each(|(sum, score)| *sum += weight * score);
    };
    // Without such taints all nodes would get 100 points, which changes nothing.
    if verdicts().any(|verdict| verdict.unwelcome > 0) {
        let unwelcome = verdicts().map(|verdict| verdict.unwelcome);
        // 3 is the default weight of TaintToleration; NodeAffinity, PodTopologySpread and InterPodAffinity have 2.
        add(3, upside_down(unwelcome.collect()));
    }
    let known = || nodes.iter().map(|at| world.state.at(*at));
    if !pod_info.needs.preferred.is_empty() {
        add(
            2,
            out_of_hundred(known().map(|n| preferred(pod_info, n)).collect()),
        );
    }
    // Without constraints, too, all nodes would get 100 points.
    let constraints = spread::soft(pod_info, usual);
    if !constraints.is_empty() {
        let scores = spread::scores(pod_info, &constraints, nodes, world);
        add(2, evenness(&scores));
    }
    if !(pod_info.needs.rather.is_empty() && world.state.particular.is_empty()) {
        let known: Vec<&Node> = known().collect();
        add(2, stretched(preferences(pod_info, &known, world)));
    }
    // kube-scheduler draws among equals; choosing the first keeps runs reproducible.
    let most = total.iter().max()?;
    let first = total.iter().position(|score| score == most)?;
    nodes.get(first).copied()
}

/// Returns the score of a node that does not depend on any other.
pub(super) fn alone(needs: &Needs, node: &Node) -> i64 {
    // kube-scheduler does not balance Pods without requests, which would all be placed on the most balanced node.
    let requests = needs.amounts.cpu > 0 || needs.amounts.memory > 0;
    let balance = if requests { balanced(needs, node) } else { 0 };
    least_allocated(needs, node) + balance
}

/// Scores a node by its free share of CPU and memory.
fn least_allocated(needs: &Needs, node: &Node) -> i64 {
    let left = |has: i64, used: i64| match has {
        0 => 0,
        has if used > has => 0,
        has => (has - used) * 100 / has,
    };
    // `counted` includes 100m and 200Mi for containers without requests; otherwise all of them would be placed on one
    // node.
    let cpu = left(node.has.cpu, node.counted.0 + needs.counted.0);
    let memory = node.counted.1 + needs.counted.1;
    let memory =
        i128::from(node.has.memory - memory).max(0) * 100 / i128::from(node.has.memory.max(1));
    i64::midpoint(cpu, i64::try_from(memory).unwrap_or(0))
}

/// Scores a node by how evenly CPU and memory would be used.
fn balanced(needs: &Needs, node: &Node) -> i64 {
    let share = |used: i64, has: i64| (used as f64 / has.max(1) as f64).min(1.0);
    // Unlike the score above, balance uses the real requests, as NodeResourcesBalancedAllocation.
    let cpu = share(node.used.cpu + needs.amounts.cpu, node.has.cpu);
    let memory = share(node.used.memory + needs.amounts.memory, node.has.memory);
    ((1.0 - (cpu - memory).abs() / 2.0) * 100.0) as i64
}

/// Returns the number of untolerated `PreferNoSchedule` taints of a node.
pub(super) fn unwelcome(needs: &Needs, node: &Node) -> i64 {
    let soft = node
        .taints
        .iter()
        .filter(|t| t.effect == "PreferNoSchedule");
    i64::try_from(soft.filter(|t| !needs.nodes.tolerates(t)).count()).unwrap_or(0)
}

fn preferred(pod_info: &PodInfo, node: &Node) -> i64 {
    let met = pod_info
        .needs
        .preferred
        .iter()
        .filter(|(_, term)| term.matches(&node.name, &node.labels));
    met.map(|(weight, _)| weight).sum()
}

/// Scales scores so that the highest is 100.
fn out_of_hundred(scores: Vec<i64>) -> Vec<i64> {
    let most = scores.iter().copied().max().unwrap_or(0);
    let scale = |s: i64| if most == 0 { 0 } else { s * 100 / most };
    scores.into_iter().map(scale).collect()
}

/// Inverts scores: the lowest is best.
fn upside_down(scores: Vec<i64>) -> Vec<i64> {
    let most = scores.iter().copied().max().unwrap_or(0);
    let scale = |s: i64| if most == 0 { 100 } else { 100 - s * 100 / most };
    scores.into_iter().map(scale).collect()
}

/// Stretches scores so that the lowest is 0 and the highest 100.
fn stretched(scores: Vec<i64>) -> Vec<i64> {
    let (least, most) = (scores.iter().copied().min(), scores.iter().copied().max());
    let (least, most) = (least.unwrap_or(0), most.unwrap_or(0));
    let scale = |s: i64| {
        if most == least {
            0
        } else {
            (s - least) * 100 / (most - least)
        }
    };
    scores.into_iter().map(scale).collect()
}

/// Scores nodes by their number of matching Pods: the fewest are best, and a node without the label scores 0.
fn evenness(scores: &[Option<f64>]) -> Vec<i64> {
    let whole: Vec<Option<i64>> = scores.iter().map(|s| s.map(rounded)).collect();
    let known = || whole.iter().flatten().copied();
    let (least, most) = (known().min().unwrap_or(0), known().max().unwrap_or(0));
    let scale = |score: &Option<i64>| match score {
        None => 0,
        Some(_) if most == 0 => 100,
        Some(score) => 100 * (most + least - score) / most,
    };
    whole.iter().map(scale).collect()
}

/// Rounds a number, as `f64::round`.
// That is a call of a function on most processors, for each of hundreds of nodes.
fn rounded(number: f64) -> i64 {
    let whole = number as i64;
    let rest = number - whole as f64;
    whole.saturating_add(i64::from(rest >= 0.5) - i64::from(rest <= -0.5))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn halves_are_rounded_away_from_zero() {
        let some = [
            0.0,
            0.2,
            0.5,
            0.7,
            1.5,
            2.5,
            0.499_999_999_999_999_94,
            4.499,
            1e15,
        ];
        let large = [1e300, f64::INFINITY, f64::NAN];
        for number in some.into_iter().chain(large) {
            for number in [number, -number] {
                assert_eq!(rounded(number), number.round() as i64, "{number}");
            }
        }
    }

    #[test]
    fn scores_are_normalized_to_100() {
        assert_eq!(out_of_hundred(vec![1, 4, 0]), [25, 100, 0]);
        assert_eq!(out_of_hundred(vec![0, 0]), [0, 0]);
        assert_eq!(upside_down(vec![0, 1, 2]), [100, 50, 0]);
        assert_eq!(upside_down(vec![0, 0]), [100, 100]);
        assert_eq!(stretched(vec![-10, 0, 10]), [0, 50, 100]);
        assert_eq!(evenness(&[Some(0.0), Some(2.0), None]), [100, 0, 0]);
        assert_eq!(evenness(&[Some(0.0), Some(0.0)]), [100, 100]);
    }
}
