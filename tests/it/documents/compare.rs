//! Compares the output of a command with a document, except for text that varies between runs.

use std::sync::LazyLock;

use regex::Regex;

/// Text that varies between runs, and its replacement.
static VARYING: LazyLock<Vec<(Regex, &str)>> = LazyLock::new(|| {
    [
        // Uids, times, ages.
        (
            r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}",
            "UID",
        ),
        (r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z", "TIME"),
        (r"\w{3}, \d\d \w{3} \d{4} \d\d:\d\d:\d\d [+-]\d{4}", "TIME"),
        (r"\b(\d+(\.\d+)?(ms|µs|us|s|m|h|d|y))+\b", "AGE"),
        // The letters at the end of generated names.
        (
            r"\b([a-z0-9]+(-[a-z0-9]+)*)-[bcdfghjklmnpqrstvwxz2456789]{5}\b",
            "${1}-RANDOM",
        ),
        // Revisions.
        (r#"(resourceVersion:) "?\d+"?"#, "$1 N"),
        (r"\b(revision|trigger=|cause|rv) ?\d+\b", "$1 N"),
        (r"\b\d+ (commits|entries|records|bytes|revisions)\b", "N $1"),
        // The commit that a program was built from.
        (r"\b(commit) [0-9a-f]{7,40}", "$1 HEX"),
        (r"[ \t]+", " "),
    ]
    .map(|(pattern, stands)| (Regex::new(pattern).unwrap(), stands))
    .into()
});

/// Returns a line with the varying text replaced.
pub fn plain(line: &str) -> String {
    let mut text = line.trim_end().to_owned();
    for (pattern, stands) in VARYING.iter() {
        text = pattern.replace_all(&text, *stands).into_owned();
    }
    text
}

/// Returns true if the lines match the document. `...` alone matches any lines; at the end of a line it matches the
/// rest of that line.
pub fn is_as_shown(shown: &[String], said: &[String]) -> bool {
    match shown.split_first() {
        None => said.is_empty(),
        Some((first, rest)) if first.trim() == "..." => {
            (0..=said.len()).any(|skip| is_as_shown(rest, &said[skip..]))
        }
        Some((first, rest)) => said
            .split_first()
            .is_some_and(|(said, after)| is_line(first, said) && is_as_shown(rest, after)),
    }
}

fn is_line(shown: &str, said: &str) -> bool {
    match shown.strip_suffix("...") {
        Some(begin) => plain(said).starts_with(plain(begin).trim_end()),
        None => plain(shown) == plain(said),
    }
}

#[test]
fn comparison_ignores_only_ages_name_suffixes_and_revisions() {
    let shown = |text: &str| text.lines().map(str::to_owned).collect::<Vec<_>>();
    for (one, two, same) in [
        (
            "web-5f4b-x2x4z 1/1 12s",
            "web-5f4b-zzzzz   1/1   3m4s",
            true,
        ),
        ("web 1/1", "web 0/1", false),
        ("web 3", "web 4", false),
        ("at revision 12", "at revision 144", true),
        ("a\n...\nd", "a\nb\nc\nd", true),
        ("a\n...", "a", true),
        ("a\n...", "b\nc", false),
        (
            "replicaset.apps/web-5b64d85c6d",
            "replicaset.apps/web-8bd8f4c65f",
            false,
        ),
        (
            "stuck: Pod x: no ...",
            "stuck: Pod x: no node will do",
            true,
        ),
        ("a", "a\nb", false),
    ] {
        assert_eq!(
            is_as_shown(&shown(one), &shown(two)),
            same,
            "{one:?} {two:?}"
        );
    }
}
