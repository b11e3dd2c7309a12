//! The shortest list of decisions that still fails: delta debugging.

use super::schedule::Decision;

/// The most runs of one search.
const RUNS: usize = 300;

/// Returns some of `decisions`, with which a run still fails, and all of which are necessary.
pub(super) fn shortest(
    decisions: Vec<Decision>,
    fails: &mut dyn FnMut(&[Decision]) -> bool,
) -> Vec<Decision> {
    let mut left = RUNS;
    let mut fails = |part: &[Decision]| {
        left = left.saturating_sub(1);
        left > 0 && fails(part)
    };
    // Most bugs need a single crash or fault, and leaving out many decisions at once moves the others.
    let alone = decisions.iter().filter(|one| !one.act.is_order());
    for one in alone {
        if fails(std::slice::from_ref(one)) {
            return vec![one.clone()];
        }
    }
    let (mut decisions, mut parts) = (decisions, 2);
    while decisions.len() > 1 {
        let size = decisions.len().div_ceil(parts);
        let starts = (0..decisions.len()).step_by(size);
        let without = |start: usize| {
            let end = (start + size).min(decisions.len());
            [&decisions[..start], &decisions[end..]].concat()
        };
        // From the end, because later decisions do not affect earlier ones.
        let found = starts.rev().map(without).find(|rest| fails(rest));
        match found {
            Some(rest) => {
                decisions = rest;
                parts = (parts - 1).max(2);
            }
            None if size == 1 => break,
            None => parts = (parts * 2).min(decisions.len()),
        }
    }
    decisions
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::explore::schedule::Act;

    fn all(count: u64) -> Vec<Decision> {
        (0..count)
            .map(|nth| Decision {
                controller: "c".to_owned(),
                nth,
                act: match nth % 10 {
                    9 => Act::Crash { after: 1 },
                    _ => Act::Wait,
                },
            })
            .collect()
    }

    fn left(needed: &[u64]) -> (Vec<u64>, usize) {
        let mut runs = 0;
        let mut fails = |part: &[Decision]| {
            runs += 1;
            needed.iter().all(|nth| part.iter().any(|d| d.nth == *nth))
        };
        let shortest = shortest(all(60), &mut fails);
        (shortest.iter().map(|d| d.nth).collect(), runs)
    }

    #[test]
    fn minimization_keeps_only_necessary_decisions() {
        for needed in [&[9][..], &[0], &[59], &[3, 40], &[0, 19, 33, 58]] {
            let (found, runs) = left(needed);
            assert_eq!(found, needed);
            assert!(runs < 150, "{runs} runs for {needed:?}");
        }
    }
}
