//! Parses the lessons of `docs/learn` into text and commands.
//!
//! Must not know: terminals, how a command runs.

use std::sync::LazyLock;

use regex::Regex;

/// The index of the lessons.
const INDEX: &str = include_str!("../../../../docs/learn/README.md");

/// The lessons in order.
const LESSONS: &[&str] = &[
    include_str!("../../../../docs/learn/1-desired-and-actual-state.md"),
    include_str!("../../../../docs/learn/2-watch.md"),
    include_str!("../../../../docs/learn/3-queue.md"),
    include_str!("../../../../docs/learn/4-reconcile.md"),
    include_str!("../../../../docs/learn/5-idempotency.md"),
    include_str!("../../../../docs/learn/6-retries-and-limits.md"),
    include_str!("../../../../docs/learn/7-your-own-controller.md"),
];

/// The manifests that the lessons use, with their paths.
pub(super) const FILES: &[(&str, &str)] = &[
    (
        "docs/learn/moody.yaml",
        include_str!("../../../../docs/learn/moody.yaml"),
    ),
    (
        "testdata/custom/applications-crd.yaml",
        include_str!("../../../../testdata/custom/applications-crd.yaml"),
    ),
    (
        "testdata/custom/application.yaml",
        include_str!("../../../../testdata/custom/application.yaml"),
    ),
];

/// The number of lessons.
pub(super) const COUNT: usize = LESSONS.len();

/// A part of a lesson.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Part {
    /// A paragraph or a list item, in one line.
    Text(String),
    /// A command that the learner types.
    Task(String),
    /// A shell command around the tasks. It runs by itself, because typing a loop teaches nothing about Kubernetes.
    Given(String),
    /// A script. It runs by itself.
    Script(String),
    /// The position of the animated picture, with its description.
    Film(String),
}

/// An entry of the index.
pub(super) struct Listed {
    pub(super) title: String,
    pub(super) about: String,
}

/// Returns the lessons in the index.
pub(super) fn list() -> Vec<Listed> {
    let listed = |line: &str| {
        let (_, rest) = line.split_once(". [")?;
        let (title, rest) = rest.split_once(']')?;
        let (_, about) = rest.split_once("): ")?;
        Some(Listed {
            title: title.to_owned(),
            about: about.to_owned(),
        })
    };
    let lines = INDEX
        .lines()
        .filter(|line| line.starts_with(|c: char| c.is_ascii_digit()));
    lines.filter_map(listed).collect()
}

/// Returns the parts of a lesson; none if it does not exist.
pub(super) fn parts(number: usize) -> Option<Vec<Part>> {
    let text = LESSONS.get(number.checked_sub(1)?)?;
    let mut parts = Vec::new();
    let mut paragraph: Vec<&str> = Vec::new();
    let mut lines = text.lines();
    while let Some(line) = lines.next() {
        if let Some(language) = line.strip_prefix("```") {
            finish(&mut paragraph, &mut parts);
            let block: Vec<&str> = lines.by_ref().take_while(|line| *line != "```").collect();
            match language {
                "console" => parts.extend(commands(&block)),
                _ => parts.push(Part::Script(block.join("\n"))),
            }
            continue;
        }
        // A list item begins a paragraph.
        if line.is_empty() || line.starts_with("- ") {
            finish(&mut paragraph, &mut parts);
        }
        if !line.is_empty() {
            paragraph.push(line);
        }
    }
    // The last paragraph links to the next page, which is another command here.
    paragraph.clear();
    Some(parts)
}

/// Returns the commands of a session without their output, which comes from the learner's cluster.
fn commands<'t>(block: &'t [&'t str]) -> impl Iterator<Item = Part> + 't {
    let typed = block.iter().filter_map(|line| line.strip_prefix("$ "));
    typed.map(|line| match is_given(line) {
        true => Part::Given(line.to_owned()),
        false => Part::Task(line.to_owned()),
    })
}

fn is_given(line: &str) -> bool {
    let begins = ["export ", "while ", "kill "];
    begins.iter().any(|begin| line.starts_with(begin)) || line.contains(" & ")
}

/// Ends a paragraph.
fn finish(paragraph: &mut Vec<&str>, parts: &mut Vec<Part>) {
    let text = std::mem::take(paragraph).join(" ");
    match text
        .strip_prefix("![")
        .and_then(|rest| rest.split_once(']'))
    {
        Some((description, _)) => parts.push(Part::Film(description.to_owned())),
        // The index already contains the title.
        None if text.starts_with("# ") || text.is_empty() => {}
        None => parts.push(Part::Text(plain(&text))),
    }
}

/// Returns a paragraph without the Markdown that a terminal does not show.
fn plain(text: &str) -> String {
    static MARKS: LazyLock<Vec<(Regex, &str)>> = LazyLock::new(|| {
        let marks = [
            (r"\[([^\]]*)\]\([^)]*\)", "$1"),
            (r"\*\*([^*]+)\*\*", "$1"),
            // An asterisk in code, as in `*=image`, is no emphasis.
            (r"(^|[ (])\*([^*`]+)\*", "$1$2"),
        ];
        let compiled = marks.iter().filter_map(|(mark, stands)| {
            let pattern = Regex::new(mark).ok()?;
            Some((pattern, *stands))
        });
        compiled.collect()
    });
    let mut text = text.to_owned();
    for (pattern, stands) in MARKS.iter() {
        text = pattern.replace_all(&text, *stands).into_owned();
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_lesson_has_a_title_tasks_and_one_animation() {
        let listed = list();
        assert_eq!(listed.len(), COUNT);
        for (place, (lesson, listed)) in LESSONS.iter().zip(&listed).enumerate() {
            let title = lesson.lines().next().unwrap();
            assert!(title.starts_with(&format!("# {}. ", place + 1)), "{title}");
            assert!(!listed.title.is_empty() && !listed.about.is_empty());
            let parts = parts(place + 1).unwrap();
            let count = |is: fn(&Part) -> bool| parts.iter().filter(|part| is(part)).count();
            assert!(count(|part| matches!(part, Part::Task(_))) > 4, "{title}");
            assert_eq!(count(|part| matches!(part, Part::Film(_))), 1, "{title}");
            assert!(
                matches!(&parts[parts.len() - 1], Part::Text(last) if last.starts_with("Remember: "))
            );
            for part in &parts {
                let Part::Text(text) = part else { continue };
                assert!(!text.contains("](") && !text.contains("**"), "{text}");
            }
        }
        assert!(parts(0).is_none() && parts(COUNT + 1).is_none());
    }

    #[test]
    fn every_file_of_a_lesson_is_embedded() {
        for lesson in LESSONS {
            for word in lesson.split([' ', '\n']) {
                let is_file = word.ends_with(".yaml") && word.contains('/');
                assert!(
                    !is_file || FILES.iter().any(|(path, _)| *path == word),
                    "{word}"
                );
            }
        }
    }

    #[test]
    fn only_setup_commands_run_automatically() {
        assert!(is_given("export CTL_STATE=/tmp/learn"));
        assert!(is_given("ctl get pods --watch > /tmp/x & watcher=$!"));
        assert!(!is_given("ctl controllers --once -v 2 2>&1 | grep plan"));
        assert_eq!(
            plain("*Names:* a **b** [c](d) `*=$image` *e*"),
            "Names: a b c `*=$image` e"
        );
    }
}
