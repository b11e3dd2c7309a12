//! An HTML page that plays an embedded timeline, or that follows a cluster through its own server.

use std::io::Read as _;
use std::sync::LazyLock;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use flate2::read::DeflateDecoder;
use sha2::{Digest as _, Sha256};

use super::markup;
use crate::api::json::{Value, json};
use crate::rollout::Rollout;
use crate::status::State;
use crate::status::Status;
use crate::timeline::{Timeline, Track};

const PAGE: &str = include_str!("page.html");
const STYLE: &str = include_str!("page.css");

/// The script in `page.js`, which the build script compresses.
static SCRIPT: LazyLock<String> = LazyLock::new(|| {
    let compressed = include_bytes!(concat!(env!("OUT_DIR"), "/script.deflate"));
    let mut bytes = vec![0; env!("CTL_SCRIPT_LENGTH").parse().unwrap_or(0)];
    let read = DeflateDecoder::new(compressed.as_slice()).read_exact(&mut bytes);
    debug_assert!(read.is_ok(), "the build script compressed it: {read:?}");
    String::from_utf8(bytes).unwrap_or_default()
});

/// The page's policy for requests: a recorded page makes none, a live page only to its own server.
const RECORDED: &str = "";
const LIVE: &str = "; connect-src 'self'";

/// Returns a page that embeds a recording as data, which its script displays only as text.
pub fn of(timeline: &Timeline, title: &str) -> String {
    let still = markup_lines(&still(timeline));
    let recording = embedded(&recording(timeline));
    filled(title, &range(timeline), &still, &recording, RECORDED)
}

/// Returns a page that follows a cluster by reading [`super::live`] data from its own server.
pub fn live(title: &str) -> String {
    let mut data = json!({"live": true});
    data["symbols"] = symbols();
    filled(
        title,
        "",
        "ctl tree shows the same as text.",
        &embedded(&data),
        LIVE,
    )
}

/// Returns the content security policy of the page that [`live`] returns, for a header. A header applies before the
/// page is parsed, and only a header can forbid other pages to frame it.
pub fn policy() -> String {
    format!(
        "default-src 'none'; style-src 'sha256-{}'; script-src 'sha256-{}'{LIVE}; base-uri 'none'; form-action 'none'; \
         frame-ancestors 'none'",
        hash(STYLE),
        hash(&SCRIPT)
    )
}

fn filled(title: &str, range: &str, still: &str, recording: &str, connect: &str) -> String {
    // A single pass over the template, so that a placeholder in the title is not replaced in turn.
    let mut out = String::new();
    for (place, part) in PAGE.split("{{").enumerate() {
        let Some((name, rest)) = part.split_once("}}").filter(|_| place > 0) else {
            out.push_str(part);
            continue;
        };
        match name {
            "title" => out += &markup(title),
            "range" => out += &markup(range),
            "still" => out.push_str(still),
            "connect" => out.push_str(connect),
            "style" => out.push_str(STYLE),
            "script" => out.push_str(&SCRIPT),
            "recording" => out.push_str(recording),
            "style-hash" => out += &hash(STYLE),
            _ => out += &hash(&SCRIPT),
        }
        out.push_str(rest);
    }
    out
}

/// Returns the hash that the content security policy allows, which keeps scripts inside names from running.
fn hash(text: &str) -> String {
    STANDARD.encode(Sha256::digest(text))
}

fn range(timeline: &Timeline) -> String {
    let moments = (timeline.frames.first(), timeline.frames.last());
    let (Some(first), Some(last)) = moments else {
        return String::new();
    };
    format!(
        "{} frames, revisions {} to {}, {} to {}",
        timeline.frames.len(),
        first.revision,
        last.revision,
        first.time,
        last.time
    )
}

/// Returns the last frame as text, for browsers without JavaScript.
fn still(timeline: &Timeline) -> String {
    let last = timeline.frames.len().saturating_sub(1);
    let mut out = String::new();
    for track in &timeline.tracks {
        if let Some(shot) = track.at(last) {
            let (indent, status) = ("  ".repeat(track.depth), &shot.status);
            let line = format!(
                "{indent}{} {}  {}  {}  {}",
                status.state.symbol(),
                track.label,
                status.word,
                shot.node,
                note(status)
            );
            out += &format!("{}\n", line.trim_end());
        }
    }
    out
}

fn markup_lines(text: &str) -> String {
    let lines: Vec<String> = text.lines().map(markup).collect();
    lines.join("\n")
}

fn note(status: &Status) -> &str {
    match status.reason.as_str() {
        "" => &status.next,
        reason => reason,
    }
}

fn recording(timeline: &Timeline) -> Value {
    let frames = timeline.frames.iter().map(|frame| {
        json!({
            "time": frame.time.strftime("%Y-%m-%dT%H:%M:%SZ").to_string(),
            "revision": frame.revision,
            "by": frame.writer.as_str(),
            "rule": frame.rule.as_str(),
        })
    });
    let namespace = |track: &Track| track.namespace.clone();
    let first = timeline.tracks.first().map(namespace);
    // The namespace is redundant if all objects share one.
    let many = timeline
        .tracks
        .iter()
        .any(|track| Some(namespace(track)) != first);
    json!({
        "frames": frames.collect::<Vec<_>>(),
        "tracks": timeline.tracks.iter().map(track).collect::<Vec<_>>(),
        "symbols": symbols(),
        "namespaces": many,
    })
}

/// Returns the symbols of the states.
fn symbols() -> Value {
    let mut symbols = json!({});
    for state in State::ALL {
        symbols[state.word()] = state.symbol().to_string().into();
    }
    symbols
}

fn track(track: &Track) -> Value {
    let shots = track.shots.iter().map(|(frame, shot)| {
        let Some(shot) = shot else {
            return json!({"f": *frame});
        };
        let mut value = state(&shot.status, &shot.node, shot.rollout);
        value["f"] = json!(*frame);
        value
    });
    json!({
        "label": track.label.as_str(),
        "namespace": track.namespace.as_str(),
        "depth": track.depth,
        "shots": shots.collect::<Vec<_>>(),
    })
}

/// Returns the state of an object. Member names are short, because there is a record for each change of each object.
pub(super) fn state(status: &Status, node: &str, rollout: Option<Rollout>) -> Value {
    let mut value = json!({"s": status.state.word(), "w": status.word.as_str()});
    if let Some((ready, all)) = status.ready {
        value["c"] = format!("{ready}/{all}").into();
    }
    for (name, text) in [("n", node), ("y", note(status))] {
        if !text.is_empty() {
            value[name] = text.into();
        }
    }
    if let Some(r) = rollout {
        value["r"] = json!([r.old, r.new, r.ready, r.desired]);
    }
    value
}

/// Returns JSON that is safe within a script element: it cannot end the element or start a comment.
fn embedded(value: &Value) -> String {
    let text = value.to_string();
    // Uses JSON's own escapes, so that readers of the data need no second decoder.
    text.replace('<', "\\u003c")
        .replace('>', "\\u003e")
        .replace('&', "\\u0026")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::a_timeline;

    #[test]
    fn recorded_page_makes_no_requests_and_escapes_hostile_names() {
        let page = of(&a_timeline(), "</title><script>alert(1)</script>{{style}}");
        assert!(page.contains(
            "<title>&lt;/title&gt;&lt;script&gt;alert(1)&lt;/script&gt;{{style}}</title>"
        ));
        assert_eq!(
            page.matches("<script").count(),
            2,
            "the data and the program"
        );
        assert_eq!(page.matches("</script>").count(), 2);
        for request in [
            "http://",
            "https://",
            "src=",
            "href=",
            "url(",
            "@import",
            "<img",
            "innerHTML",
        ] {
            assert!(!page.contains(request), "{request}");
        }
        assert!(page.contains("sha256-"));
        // Both pages have the same script, but a recorded page's policy forbids every request.
        assert!(!page.contains("connect-src"));
    }

    #[test]
    fn live_page_connects_only_to_its_own_server() {
        let page = live("</title>{{style}}");
        assert!(page.contains("<title>&lt;/title&gt;{{style}}</title>"));
        assert!(page.contains("\"live\":true"));
        for policy in [page.as_str(), &policy()] {
            let (_, rest) = policy.split_once("default-src 'none'").unwrap();
            assert!(rest.contains("; connect-src 'self'"), "{rest}");
            assert!(rest.contains(&hash(STYLE)) && rest.contains(&hash(&SCRIPT)));
            for open in ["unsafe-inline", "unsafe-eval", "*;", "http:"] {
                assert!(!rest.contains(open), "{open}");
            }
        }
        assert!(policy().contains("frame-ancestors 'none'"));
    }

    #[test]
    fn embedded_recording_parses_as_json() {
        let page = of(&a_timeline(), "web");
        let (_, rest) = page.split_once("id=\"recording\">").unwrap();
        let (data, _) = rest.split_once("</script>").unwrap();
        let data: Value = crate::api::json::from_bytes(data.as_bytes(), &[]).unwrap();
        assert_eq!(data["frames"].as_array().unwrap().len(), 3);
        let pod = &data["tracks"][1];
        assert_eq!(pod["label"], "pod/web-</script><b>");
        assert_eq!(pod["shots"][1]["s"], "ready");
        assert_eq!(data["tracks"][0]["shots"][0]["r"], json!([1, 2, 2, 3]));
    }

    /// Returns the relative luminance of WCAG 2.
    fn luminance(color: &str) -> f64 {
        let digits: String = match color.len() {
            4 => color[1..].chars().flat_map(|c| [c, c]).collect(),
            _ => color[1..].to_owned(),
        };
        let part = |at: usize| {
            let value = f64::from(u8::from_str_radix(&digits[at..at + 2], 16).unwrap()) / 255.0;
            if value <= 0.03928 {
                value / 12.92
            } else {
                ((value + 0.055) / 1.055).powf(2.4)
            }
        };
        0.2126 * part(0) + 0.7152 * part(2) + 0.0722 * part(4)
    }

    #[test]
    fn text_colors_meet_wcag_contrast_in_both_schemes() {
        for (styles, what) in [(STYLE, "page"), (crate::view::svg::STYLE, "picture")] {
            let mut schemes = 0;
            for scheme in styles.split('{').filter(|part| part.contains("--paper:")) {
                schemes += 1;
                let rules = scheme.split(';').filter_map(|rule| rule.split_once(':'));
                let colors: Vec<(&str, &str)> = rules
                    .map(|(name, value)| (name, value.split('}').next().unwrap()))
                    .collect();
                let of = |wanted: &str| {
                    luminance(colors.iter().find(|(name, _)| *name == wanted).unwrap().1)
                };
                let paper = of("--paper");
                for text in [
                    "--ink",
                    "--dim",
                    "--ended",
                    "--ready",
                    "--progressing",
                    "--terminating",
                    "--failing",
                ] {
                    let (high, low) = (of(text).max(paper), of(text).min(paper));
                    let contrast = (high + 0.05) / (low + 0.05);
                    assert!(
                        contrast >= 4.5,
                        "{what}, scheme {schemes}, {text}: {contrast:.2}"
                    );
                }
            }
            assert_eq!(schemes, 2, "{what}");
        }
    }
}
