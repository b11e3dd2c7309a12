//! For tests: the tables of patches in `testdata/patches`, with their numbers of cases.

use super::shape::Untyped;
use super::testing::kind;
use super::{json as json_patch, merge, strategic};
use crate::json::Value;
use crate::yaml::{Mode, parse_one};

const STRATEGIC: &str = include_str!("../../../../testdata/patches/strategic.txt");
const JSON: &str = include_str!("../../../../testdata/patches/json.txt");
const MERGE: &str = include_str!("../../../../testdata/patches/merge.txt");

/// The number of cases in each table, so that a lost case is noticed.
const STRATEGIC_CASES: usize = 137;
const JSON_CASES: usize = 39;
const MERGE_CASES: usize = 18;

/// Parses a value of a table, written as one-line YAML.
pub(in crate::patch) fn read(text: &str) -> Value {
    let value = parse_one(text.as_bytes(), Mode::Strict);
    value.unwrap_or_else(|e| panic!("{e:?}: {text}")).unwrap()
}

/// Returns the lines of a table that are cases or headings.
pub(in crate::patch) fn lines(table: &str) -> impl Iterator<Item = &str> {
    table.lines().filter(|line| !line.starts_with('#'))
}

/// Parses a case: the object, the patch, and the result, or an error after `!`.
fn case(line: &str) -> (Value, Value, Result<Value, &str>) {
    let (given, expected) = line.split_once(" -> ").unwrap();
    let (live, patch) = given.split_once(" + ").unwrap();
    let expected = match expected.strip_prefix('!') {
        Some(error) => Err(error.trim()),
        None => Ok(read(expected)),
    };
    (read(live), read(patch), expected)
}

fn check(line: &str, got: Result<Value, String>, expected: Result<Value, &str>) -> Option<String> {
    let same = match (&got, &expected) {
        (Ok(got), Ok(expected)) => got == expected,
        (Err(got), Err(error)) => got.contains(error),
        _ => false,
    };
    let got = match got {
        Ok(got) => got.to_string(),
        Err(error) => format!("! {error}"),
    };
    (!same).then(|| format!("{line}\n    came to {got}"))
}

/// Wraps the value in a path of names; `-` stands for no path.
fn wrapped(path: &str, value: Value) -> Value {
    let names = path.split('.').filter(|name| *name != "-").rev();
    names.fold(value, |value, name| {
        Value::Object([(name.to_owned(), value)].into_iter().collect())
    })
}

#[test]
fn strategic_merge_patches_match_the_table() {
    let (mut at, mut count, mut wrong) = (("-", "-"), 0, Vec::new());
    for line in lines(STRATEGIC).filter(|line| !line.is_empty()) {
        if let Some(heading) = line.strip_prefix("@ ") {
            at = heading.split_once(' ').unwrap();
            continue;
        }
        let (live, patch, expected) = case(line);
        let (live, patch) = (wrapped(at.1, live), wrapped(at.1, patch));
        let got = match at.0 {
            "-" => strategic::apply(live, &patch, &Untyped),
            name => strategic::apply(live, &patch, &kind(name)),
        };
        let pointer: String =
            at.1.split('.')
                .filter(|n| *n != "-")
                .map(|n| format!("/{n}"))
                .collect();
        let got = got
            .map(|got| got.pointer(&pointer).cloned().unwrap_or_default())
            .map_err(|e| e.to_string());
        count += 1;
        wrong.extend(check(&format!("{} {}: {line}", at.0, at.1), got, expected));
    }
    assert!(
        wrong.is_empty(),
        "{} of {count}:\n{}",
        wrong.len(),
        wrong.join("\n")
    );
    assert_eq!(count, STRATEGIC_CASES);
}

#[test]
fn json_and_merge_patches_match_the_tables() {
    let (mut counts, mut wrong) = ([0, 0], Vec::new());
    for line in lines(JSON) {
        let (mut live, patch, expected) = case(line);
        let got = json_patch::apply(&mut live, &patch).map(|()| live);
        counts[0] += 1;
        wrong.extend(check(line, got.map_err(|e| e.to_string()), expected));
    }
    for line in lines(MERGE) {
        let (mut live, patch, expected) = case(line);
        merge::apply(&mut live, &patch);
        counts[1] += 1;
        wrong.extend(check(line, Ok(live), expected));
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert_eq!(counts, [JSON_CASES, MERGE_CASES]);
}

#[test]
fn patch_tables_contain_at_least_200_cases() {
    let tables = [STRATEGIC, JSON, MERGE];
    let all = STRATEGIC_CASES + JSON_CASES + MERGE_CASES + super::apply::CASES;
    assert!(all >= 200, "{all}");
    for (word, least) in [
        ("$patch: delete", 10),
        ("$patch: replace", 5),
        ("$setElementOrder/", 10),
        ("$retainKeys", 8),
        ("$deleteFromPrimitiveList/", 3),
        ("merge key", 5),
    ] {
        let found: usize = tables.iter().map(|table| table.matches(word).count()).sum();
        assert!(found >= least, "{word}: {found}");
    }
    for (word, least) in [
        ("\nfails ", 10),
        ("conflict with", 10),
        ("\nforce ", 5),
        ("atomic", 5),
    ] {
        let found = super::apply::TABLE.matches(word).count();
        assert!(found >= least, "{word}: {found}");
    }
}
