//! Checks that `docs/fidelity.md` states the number of differences that it lists.

use std::fs;

use super::root;

/// The sections that list differences.
const SECTIONS: [&str; 4] = [
    "Differences that the facts do not cover",
    "Flags that differ",
    "Known differences",
    "Over HTTP",
];

#[test]
fn fidelity_page_counts_its_differences_correctly() {
    let text = fs::read_to_string(root().join("docs/fidelity.md")).unwrap();
    let mut counts = Vec::new();
    for section in text.split("\n#").skip(1) {
        let title = section.lines().next().unwrap_or_default();
        let title = title.trim_start_matches('#').trim();
        if SECTIONS.contains(&title) {
            let listed = section.lines().filter(|line| line.starts_with("- "));
            counts.push((title, listed.count()));
        }
    }
    assert_eq!(counts.len(), SECTIONS.len(), "{counts:?}");
    let all: usize = counts.iter().map(|(_, count)| count).sum();
    let parts: Vec<String> = counts
        .iter()
        .map(|(title, count)| format!("{count} under \"{title}\""))
        .collect();
    let sentence = format!("{all} differences: {}", parts.join(", "));
    println!("{sentence}");
    // A sentence may span several lines of the source.
    let flat = text.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(
        flat.contains(&sentence),
        "docs/fidelity.md does not say: {sentence}"
    );
}
