//! Tests the tables in `testdata/plans`, which have inputs and the resulting plans for each controller.
//!
//! `CTL_UPDATE=1 cargo test --test it plans` writes the current plans. Read each line of the difference before you keep
//! it.

mod case;
mod shown;

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use ctl::api::yaml::{self, Mode};
use ctl::runtime::{Controller, Plan};

use crate::controller_pages::{PAGES, about};
use crate::support::state::write_file;
use case::{Case, File};

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("testdata/plans")
}

type Make = Box<dyn Fn() -> Box<dyn Controller>>;

/// Returns the constructor of every controller, by its name.
fn makers() -> BTreeMap<&'static str, Make> {
    let mut makers: BTreeMap<&'static str, Make> = BTreeMap::new();
    for make in ctl::controllers::CONTROLLERS {
        makers.insert(make().name(), Box::new(make));
    }
    for (place, controller) in ctl::kubelet::controllers().iter().enumerate() {
        let make = move || ctl::kubelet::controllers().remove(place);
        makers.insert(controller.name(), Box::new(make));
    }
    makers
}

/// Returns the text with the current plan at the end of each case.
fn updated(text: &str, plans: &[String]) -> String {
    let mut out = String::new();
    let mut plans = plans.iter();
    let (mut in_cases, mut in_plan) = (false, false);
    let mut pending: Option<&String> = None;
    for line in text.lines() {
        let of_case = line.starts_with("  ") || line.is_empty();
        if in_cases && !of_case {
            out.truncate(out.trim_end().len() + 1);
            out += pending.take().map_or("", String::as_str);
            in_plan = false;
        }
        in_cases |= line == "cases:";
        if in_cases && line.starts_with("- name:") {
            pending = plans.next();
        }
        in_plan |= in_cases && line.starts_with("  plan:");
        if !in_plan {
            out += &format!("{line}\n");
        }
    }
    out + pending.map_or("", String::as_str)
}

/// Returns a plan in the form of the file.
fn block(lines: &[String]) -> String {
    let lines: Vec<String> = lines.iter().map(|l| format!("    {l}\n")).collect();
    format!("  plan: |\n{}", lines.concat())
}

/// Returns the difference between the actual lines and those of the case.
fn difference(is: &[String], said: &[String]) -> String {
    let edges = similar(is, said);
    edges
        .into_iter()
        .map(|(sign, line)| format!("    {sign} {line}\n"))
        .collect()
}

/// Returns the lines of both texts in order: those only in the first with `+`, those only in the second with `-`.
fn similar<'a>(is: &'a [String], said: &'a [String]) -> Vec<(char, &'a str)> {
    let mut longest = vec![vec![0_usize; said.len() + 1]; is.len() + 1];
    for i in (0..is.len()).rev() {
        for j in (0..said.len()).rev() {
            longest[i][j] = match is[i] == said[j] {
                true => longest[i + 1][j + 1] + 1,
                false => longest[i + 1][j].max(longest[i][j + 1]),
            };
        }
    }
    let (mut i, mut j, mut out) = (0, 0, Vec::new());
    while i < is.len() || j < said.len() {
        if i < is.len() && j < said.len() && is[i] == said[j] {
            out.push((' ', is[i].as_str()));
            (i, j) = (i + 1, j + 1);
        } else if j < said.len() && (i == is.len() || longest[i][j + 1] >= longest[i + 1][j]) {
            out.push(('-', said[j].as_str()));
            j += 1;
        } else {
            out.push(('+', is[i].as_str()));
            i += 1;
        }
    }
    out
}

/// Collects the rules in a plan: that of each write and, for a kubelet, the stages before the last.
fn rules(plan: &Plan, into: &mut BTreeSet<String>) {
    for write in plan.changes.iter().chain(&plan.status) {
        let (rule, detail) = write.rule.split_once(": ").unwrap_or((&write.rule, ""));
        into.insert(rule.to_owned());
        let before = detail.strip_prefix("after ").unwrap_or_default();
        into.extend(before.split(", ").map(str::to_owned));
    }
}

/// Returns the rules that a page lists; for the kubelet these are the names of the stages.
fn listed(page: &str, source: &str) -> Vec<String> {
    let rules = about(source).rules.into_iter().flat_map(|(names, _)| names);
    let mut rules: Vec<String> = rules.collect();
    if page == "kubelet" {
        let stages = Path::new(env!("CARGO_MANIFEST_DIR")).join("stages");
        for file in fs::read_dir(stages).unwrap().map(|f| f.unwrap().path()) {
            if file.extension().is_some_and(|e| e == "yaml") {
                let text = fs::read_to_string(file).unwrap();
                rules.extend(
                    text.lines()
                        .filter_map(|l| l.strip_prefix("name: ").map(str::to_owned)),
                );
            }
        }
        assert!(rules.len() > 20, "{rules:?}");
        rules.extend(
            [
                "pod-accepted",
                "volume-not-filled",
                "heartbeat",
                "node-gone",
            ]
            .map(str::to_owned),
        );
    }
    rules
}

/// Returns the minimum number of cases of a controller.
fn least(name: &str) -> usize {
    match name {
        "deployment"
        | "replicaset"
        | "statefulset"
        | "daemonset"
        | "job"
        | "cronjob"
        | "horizontalpodautoscaler"
        | "scheduler"
        | "kubelet"
        | "node-lifecycle"
        | "disruption" => 10,
        _ => 4,
    }
}

/// Runs the file of a controller. Adds errors to `wrong`, and the rules that occur to `seen`.
fn walk(
    name: &str,
    make: &dyn Fn() -> Box<dyn Controller>,
    seen: &mut BTreeSet<String>,
    wrong: &mut Vec<String>,
) -> usize {
    let path = folder().join(format!("{name}.yaml"));
    let Ok(text) = fs::read_to_string(&path) else {
        wrong.push(format!("{name}: there is no testdata/plans/{name}.yaml"));
        return 0;
    };
    let parsed = yaml::parse_one(text.as_bytes(), Mode::Strict);
    let file = File::read(
        name,
        parsed.unwrap_or_else(|e| panic!("{name}: {e}")).unwrap(),
    );
    let (mut plans, mut names) = (Vec::new(), BTreeSet::new());
    for case in &file.cases {
        let Case {
            name: sentence,
            said,
            ..
        } = case;
        if !names.insert(sentence.clone()) {
            wrong.push(format!("{name}: two cases are called {sentence:?}"));
        }
        let (plan, stand) = case.plan(make());
        rules(&plan, seen);
        // The name of a kubelet's stage is its own reason.
        let mut writes = plan.changes.iter().chain(&plan.status);
        let bare = writes.find(|write| !write.rule.contains(": "));
        if let Some(write) = bare.filter(|_| !name.starts_with("kubelet")) {
            wrong.push(format!(
                "{name}: {sentence}: {:?} has no reason",
                write.rule
            ));
        }
        let is = shown::lines(&plan, &stand, &file.show);
        if is != *said {
            let difference = difference(&is, said);
            wrong.push(format!("{name}: {sentence} (+ is, - said):\n{difference}"));
        }
        plans.push(block(&is));
    }
    if std::env::var_os("CTL_UPDATE").is_some() {
        write_file(&path, updated(&text, &plans).as_bytes());
    }
    if names.len() < least(name) {
        wrong.push(format!("{name}: {} cases are too few", names.len()));
    }
    names.len()
}

#[test]
fn controller_plans_match_their_tables() {
    let makers = makers();
    let mut wrong = Vec::new();
    let mut count = 0;
    for (page, source, names) in PAGES {
        let mut seen = BTreeSet::new();
        for name in *names {
            count += walk(name, &*makers[name], &mut seen, &mut wrong);
        }
        let listed = listed(page, source).into_iter();
        let missing: Vec<String> = listed.filter(|rule| !seen.contains(rule)).collect();
        if !missing.is_empty() {
            wrong.push(format!("{page}: no case follows {}", missing.join(", ")));
        }
    }
    for file in fs::read_dir(folder()).unwrap() {
        let file = file.unwrap().file_name().into_string().unwrap();
        let known = file.strip_suffix(".yaml");
        if !known.is_some_and(|name| makers.contains_key(name)) {
            wrong.push(format!("{file} belongs to no controller"));
        }
    }
    crate::support::note(&format!("{count} cases of {} controllers", makers.len()));
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn updated_plans_are_written_into_their_cases() {
    let text = "# about\nbase:\n  a: 1\ncases:\n- name: one\n  key: a\n  plan: |\n    old\n\n# next\n- name: two\n  key: b\n";
    let plans = [
        block(&["x".to_owned()]),
        block(&["y".to_owned(), "  z".to_owned()]),
    ];
    let new = "# about\nbase:\n  a: 1\ncases:\n- name: one\n  key: a\n  plan: |\n    x\n# next\n- name: two\n  key: b\n  plan: |\n    y\n      z\n";
    assert_eq!(updated(text, &plans), new);
    assert_eq!(updated(new, &plans), new);
}

#[test]
fn difference_marks_removed_and_added_lines() {
    let lines = |text: &str| text.split(' ').map(str::to_owned).collect::<Vec<_>>();
    let shown = difference(&lines("a c d"), &lines("a b d"));
    assert_eq!(shown, "      a\n    - b\n    + c\n      d\n");
}
