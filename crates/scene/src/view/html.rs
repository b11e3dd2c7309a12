//! A timeline as one HTML page that plays it, without a request to anywhere.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use sha2::{Digest as _, Sha256};

use super::markup;
use crate::api::json::{Value, json};
use crate::status::State;
use crate::timeline::{Shot, Timeline, Track};

const PAGE: &str = include_str!("page.html");
const STYLE: &str = include_str!("page.css");
const SCRIPT: &str = include_str!("page.js");

/// Returns the page. It embeds the recording as data, which its script shows as text only.
pub fn of(timeline: &Timeline, title: &str) -> String {
    let still = markup_lines(&still(timeline));
    let recording = embedded(&recording(timeline));
    let range = range(timeline);
    // One pass over the template: a title that looks like a placeholder is not replaced again.
    let mut out = String::new();
    for (place, part) in PAGE.split("{{").enumerate() {
        let Some((name, rest)) = part.split_once("}}").filter(|_| place > 0) else {
            out.push_str(part);
            continue;
        };
        match name {
            "title" => out += &markup(title),
            "range" => out += &markup(&range),
            "still" => out += &still,
            "style" => out.push_str(STYLE),
            "script" => out.push_str(SCRIPT),
            "recording" => out.push_str(&recording),
            "style-hash" => out += &hash(STYLE),
            _ => out += &hash(SCRIPT),
        }
        out.push_str(rest);
    }
    out
}

/// Returns the hash that the content security policy allows: no script that came with a name could run.
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

/// Returns the last frame as text, for readers without JavaScript.
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
                note(shot)
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

fn note(shot: &Shot) -> &str {
    match shot.status.reason.as_str() {
        "" => &shot.status.next,
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
    // The namespace is noise if all objects share it.
    let many = timeline
        .tracks
        .iter()
        .any(|track| Some(namespace(track)) != first);
    let mut symbols = json!({});
    for state in State::ALL {
        symbols[state.word()] = state.symbol().to_string().into();
    }
    json!({
        "frames": frames.collect::<Vec<_>>(),
        "tracks": timeline.tracks.iter().map(track).collect::<Vec<_>>(),
        "symbols": symbols,
        "namespaces": many,
    })
}

fn track(track: &Track) -> Value {
    let shots = track.shots.iter().map(|(frame, shot)| {
        let Some(shot) = shot else {
            return json!({"f": *frame});
        };
        // Short names: there is one record for each change of each object.
        let mut value =
            json!({"f": *frame, "s": shot.status.state.word(), "w": shot.status.word.as_str()});
        if let Some((ready, all)) = shot.status.ready {
            value["c"] = format!("{ready}/{all}").into();
        }
        for (name, text) in [("n", shot.node.as_str()), ("y", note(shot))] {
            if !text.is_empty() {
                value[name] = text.into();
            }
        }
        if let Some(r) = shot.rollout {
            value["r"] = json!([r.old, r.new, r.ready, r.desired]);
        }
        value
    });
    json!({
        "label": track.label.as_str(),
        "namespace": track.namespace.as_str(),
        "depth": track.depth,
        "shots": shots.collect::<Vec<_>>(),
    })
}

/// Returns JSON that can stand in a script element: nothing in it ends the element or begins a comment.
fn embedded(value: &Value) -> String {
    let text = value.to_string();
    // The escapes are JSON's own, so that readers of the data need no second decoder.
    text.replace('<', "\\u003c")
        .replace('>', "\\u003e")
        .replace('&', "\\u0026")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::a_timeline;

    #[test]
    fn a_page_asks_for_nothing_and_hostile_names_stay_text() {
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
            "fetch(",
            "<img",
            "innerHTML",
        ] {
            assert!(!page.contains(request), "{request}");
        }
        assert!(page.contains("sha256-"));
    }

    #[test]
    fn the_embedded_recording_is_data() {
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

    /// The relative luminance of WCAG 2.
    fn luminance(colour: &str) -> f64 {
        let digits: String = match colour.len() {
            4 => colour[1..].chars().flat_map(|c| [c, c]).collect(),
            _ => colour[1..].to_owned(),
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
    fn every_text_has_the_contrast_of_wcag_in_light_and_dark() {
        for (styles, what) in [(STYLE, "page"), (crate::view::svg::STYLE, "picture")] {
            let mut schemes = 0;
            for scheme in styles.split('{').filter(|part| part.contains("--paper:")) {
                schemes += 1;
                let rules = scheme.split(';').filter_map(|rule| rule.split_once(':'));
                let colours: Vec<(&str, &str)> = rules
                    .map(|(name, value)| (name, value.split('}').next().unwrap()))
                    .collect();
                let of = |wanted: &str| {
                    luminance(colours.iter().find(|(name, _)| *name == wanted).unwrap().1)
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
