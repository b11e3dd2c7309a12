//! The cases of `testdata/patches/apply.txt`: writes of several managers to one object.

use super::*;
use crate::patch::cases::{lines, read};

pub(in crate::patch) const TABLE: &str =
    include_str!("../../../../../../testdata/patches/apply.txt");

/// The number of cases.
pub(in crate::patch) const CASES: usize = 106;

/// Runs one case and returns the deviations from its expected results.
fn play<S: Shape>(mut server: Server<S>, steps: &[&str]) -> Vec<String> {
    let mut wrong = Vec::new();
    let mut steps = steps.iter();
    while let Some(step) = steps.next() {
        let (verb, rest) = step.split_once(' ').unwrap();
        let (first, object) = rest.split_once(' ').unwrap_or((rest, ""));
        let value = || read(object);
        let failed = match verb {
            "apply" => server.try_apply(first, value(), false).err(),
            "force" => server.try_apply(first, value(), true).err(),
            "fails" => {
                let before = server.live.clone();
                let end = steps
                    .next()
                    .and_then(|line| line.strip_prefix("! "))
                    .unwrap();
                match server.try_apply(first, value(), false) {
                    Err(error) if error.ends_with(end) && server.live == before => None,
                    other => Some(format!("{other:?}")),
                }
            }
            "patch" => {
                server.patch(first, value());
                None
            }
            "put" => {
                server.put(first, value());
                None
            }
            "object" => (server.at(first) != value()).then(|| server.at(first).to_string()),
            "owners" => {
                let owners = server.owners().into_iter();
                let names: Vec<String> = owners.map(|(name, _)| name.replace(' ', ":")).collect();
                (names.join(" ") != rest).then(|| names.join(" "))
            }
            "owns" => {
                let mut owners = server.owners().into_iter();
                let own = owners.find(|(name, _)| name.replace(' ', ":") == first);
                let own = own.map_or(Value::Null, |(_, fields)| fields);
                (own != value()).then(|| own.to_string())
            }
            other => panic!("{other}"),
        };
        wrong.extend(failed.map(|got| format!("    {step}\n    came to {got}")));
    }
    wrong
}

#[test]
fn multi_manager_writes_match_the_table() {
    let (mut kind, mut count, mut wrong) = ("", 0, Vec::new());
    let all: Vec<&str> = lines(TABLE).collect();
    for block in all.split(|line| line.is_empty()) {
        let mut steps = block;
        if let Some(heading) = steps.first().and_then(|line| line.strip_prefix("@ ")) {
            (kind, steps) = (heading, &steps[1..]);
        }
        let Some((name, steps)) = steps.split_first() else {
            continue;
        };
        let failed = match kind {
            "cm" => play(Server::configmaps(), steps),
            "deployment" => play(Server::deployments(), steps),
            _ => play(Server::custom(), steps),
        };
        count += 1;
        if !failed.is_empty() {
            wrong.push(format!("{name}:\n{}", failed.join("\n")));
        }
    }
    assert!(
        wrong.is_empty(),
        "{} of {count}:\n{}",
        wrong.len(),
        wrong.join("\n")
    );
    assert_eq!(count, CASES);
}
