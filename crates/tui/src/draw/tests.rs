//! Compares every screen at three sizes with `testdata/screens`. `CTL_UPDATE=1 cargo test -p ctl-tui` rewrites the
//! files.

use std::path::Path;
use std::time::Duration;

use ctl_sys::clock::Stopwatch;

use super::*;
use crate::app::{Effect, Input, Key};
use crate::scene::{Entry, Present};
use crate::side_by_side::Side;
use crate::testing::{app, both, forked, present, screen, type_into};

/// The screens by name, with the keys that lead to them.
const SCREENS: &[(&str, &str)] = &[
    ("tree", ""),
    ("failing", "vvvvv"),
    ("rollouts", "2"),
    ("nodes", "3"),
    ("events", "4"),
    ("queue", "5"),
    ("why", "6"),
    ("past", "[<"),
    ("scale", "s"),
    ("filter", "/crash"),
    ("folded", "!"),
    ("help", "?"),
    ("fork", "f"),
    ("fork-nodes", "f3"),
    ("fork-scale", "fs"),
    ("fork-cluster", "ff"),
];

/// Returns the screen to which keys lead. After `f`, the fork has one more ready Pod and lacks another one.
fn at(keys: &str) -> SideBySide {
    let mut sides = SideBySide::new(app());
    for key in keys.chars() {
        let effects = type_into(&mut sides, &key.to_string());
        for (side, effect) in effects {
            match effect {
                // The requested past state arrives.
                Effect::Show(Some(revision)) => {
                    let mut past = present(revision);
                    past.is_live = false;
                    sides.update(side, Input::State(Box::new(past)));
                }
                Effect::Fork(_) => {
                    sides.forked();
                    sides.update(side, Input::Time(present(9).time));
                    sides.update(Side::Fork, Input::State(Box::new(forked())));
                }
                _ => {}
            }
        }
    }
    sides
}

#[test]
fn screens_match_their_snapshots_at_three_sizes() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("testdata/screens");
    let update = std::env::var_os("CTL_UPDATE").is_some_and(|v| v == "1");
    let mut wrong = Vec::new();
    for (name, keys) in SCREENS {
        let mut text = String::new();
        for (width, height) in [(80, 24), (120, 40), (200, 60)] {
            let shown = both(&at(keys), width, height);
            text += &format!("{width}x{height}\n{shown}");
        }
        let file = folder.join(format!("{name}.txt"));
        if update {
            std::fs::create_dir_all(&folder).unwrap();
            let mut made = std::fs::File::create(&file).unwrap();
            std::io::Write::write_all(&mut made, text.as_bytes()).unwrap();
        }
        let committed = std::fs::read_to_string(&file).unwrap_or_default();
        if committed != text {
            wrong.push(format!("{name}:\n{text}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn cluster_data_cannot_send_control_characters() {
    for (_, keys) in SCREENS {
        let text = both(&at(keys), 200, 60);
        let bad = |c: char| c != '\n' && (c.is_control() || c == '\u{202e}');
        assert!(!text.contains(bad), "{keys}: {text}");
    }
}

#[test]
fn colors_can_be_disabled_without_changing_the_text() {
    let (plain, mut colored) = (app(), app());
    colored.has_color = true;
    assert_eq!(screen(&plain, 120, 40), screen(&colored, 120, 40));
    let styles = |app: &App| {
        let backend = ratatui::backend::TestBackend::new(120, 40);
        let mut terminal = ratatui::Terminal::new(backend).unwrap();
        terminal
            .draw(|frame| draw(frame, &SideBySide::new(app.clone())))
            .unwrap();
        let cells = terminal.backend().buffer().content().to_vec();
        cells.iter().filter(|cell| cell.fg != Color::Reset).count()
    };
    assert_eq!(styles(&plain), 0);
    assert!(styles(&colored) > 20);
}

#[test]
fn too_small_screen_shows_a_message() {
    for width in (1..210).step_by(11) {
        for height in 1..62 {
            let is_small = width < SMALLEST.0 || height < SMALLEST.1;
            for keys in ["", "f"] {
                let text = both(&at(keys), width, height);
                assert_eq!(is_small, !text.contains("LIVE"), "{width}x{height}: {text}");
            }
        }
    }
}

#[test]
fn long_reasons_of_events_are_shortened_and_leave_the_columns_aligned() {
    let mut state = present(9);
    let mut long = state.events[1].clone();
    long.reason = "FailedComputeMetricsReplicas".to_owned();
    state.events.push(long);
    let mut app = app();
    app.update(Input::State(Box::new(state)));
    app.update(Input::Key(Key::Char('4')));
    for (width, height) in [(80, 24), (200, 60)] {
        let text = screen(&app, width, height);
        // The cells of the reason, and those before it. The search text ends in a space, because a status in the tree
        // may end in a reason.
        let cells = |begin: &str| {
            let mut lines = text.lines().filter_map(|line| line.split_once(begin));
            let (before, after) = lines.next().unwrap_or_else(|| panic!("{begin}: {text}"));
            let rest = after.split("pod/").next().unwrap_or_default();
            (before.chars().count(), format!("{begin}{rest}"))
        };
        let (column, long) = cells(" FailedComp");
        assert!(long.contains('…'), "{text}");
        for reason in [" Scheduled", " BackOff"] {
            let (other, short) = cells(reason);
            let alike = (other, short.chars().count());
            assert_eq!(alike, (column, long.chars().count()), "{text}");
        }
    }
}

#[test]
fn ten_thousand_pods_are_shown_with_the_full_count() {
    let mut many = present(9);
    many.entries[0].status.ready = Some((10_000, 10_000));
    let mut app = app();
    app.update(Input::State(Box::new(many)));
    for (width, height) in [(80, 24), (200, 60)] {
        let text = screen(&app, width, height);
        assert!(text.contains(" 10000/10000 "), "{text}");
    }
}

#[test]
fn drawing_ten_thousand_pods_takes_less_than_16_ms() {
    let pod = |number: usize| Entry {
        resource: "pod".to_owned(),
        name: format!("web-7b7c86549f-{number:05}"),
        uid: number.to_string(),
        lead: "   ├─ ".to_owned(),
        depth: 2,
        node: format!("node-{}", number % 100),
        ..Entry::default()
    };
    let mut app = app();
    app.update(Input::State(Box::new(Present {
        is_live: true,
        entries: (0..10_000).map(pod).collect(),
        ..Present::default()
    })));
    let backend = ratatui::backend::TestBackend::new(200, 60);
    let mut terminal = ratatui::Terminal::new(backend).unwrap();
    let mut sides = SideBySide::new(app);
    let mut frames: Vec<Duration> = (0..20)
        .map(|_| {
            let since = Stopwatch::start();
            type_into(&mut sides, "v");
            terminal.draw(|frame| draw(frame, &sides)).unwrap();
            since.elapsed()
        })
        .collect();
    frames.sort();
    println!(
        "a frame of 10,000 Pods at 200 x 60: median {:?}, slowest {:?}",
        frames[10], frames[19]
    );
    // Takes the fastest frames, because other processes may slow down any of them.
    assert!(frames[2] < Duration::from_millis(16), "{frames:?}");
}
