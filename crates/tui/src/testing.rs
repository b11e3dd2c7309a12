//! A cluster for the tests of this crate.

use ratatui::Terminal;
use ratatui::backend::TestBackend;

use crate::app::{App, Effect, Input, Key};
use crate::scene::{Event, Node, NodeRow, Present, Rollout, Scene, State, Status, Step, Stop};
use crate::side_by_side::{Side, SideBySide};

fn node(resource: &str, name: &str, state: State, word: &str, children: Vec<Node>) -> Node {
    Node {
        kind: resource.to_owned(),
        resource: resource.to_owned(),
        namespace: "default".to_owned(),
        name: name.to_owned(),
        uid: format!("uid-{name}"),
        status: Status {
            state,
            word: word.to_owned(),
            ready: Some((1, 2)),
            ..Status::default()
        },
        age: "12s".to_owned(),
        children,
        ..Node::default()
    }
}

fn pod(name: &str, state: State, word: &str, on: &str) -> Node {
    Node {
        node: on.to_owned(),
        ..node("pod", name, state, word, Vec::new())
    }
}

/// Returns a Deployment in the middle of a rollout, with a Pod that fails for a reason full of special characters, a
/// Pod without an owner, and two nodes.
pub(crate) fn present(revision: u64) -> Present {
    let mut failing = pod("web-2b-x9k2p", State::Failing, "CrashLoopBackOff", "node-1");
    failing.status.reason =
        "container app exited with code 1\u{1b}[31m; 3 restarts \u{202e}<b>".to_owned();
    let old = vec![pod("web-1a-kn67d", State::Ready, "Running", "node-0")];
    let new = vec![
        pod("web-2b-p5mrm", State::Progressing, "ContainerCreating", ""),
        failing,
    ];
    let sets = vec![
        node(
            "replicaset",
            "web-1a",
            State::Progressing,
            "ScalingDown",
            old,
        ),
        node("replicaset", "web-2b", State::Progressing, "ScalingUp", new),
    ];
    let mut web = node("deployment", "web", State::Progressing, "Progressing", sets);
    web.rollout = Some(Rollout {
        old: 1,
        new: 2,
        ready: 1,
        desired: 4,
    });
    web.status.next = "1 out of 4 new replicas have been updated".to_owned();
    let alone = pod("alone", State::Ready, "Running", "node-0");
    let nodes = [
        ("node-0", State::Ready, "Ready"),
        ("node-1", State::Failing, "NotReady"),
    ];
    let nodes = nodes.map(|(name, state, word)| NodeRow {
        name: name.to_owned(),
        status: node("node", name, state, word, Vec::new()).status,
        pods: Vec::new(),
    });
    let event = |is_warning, reason: &str, message: &str| Event {
        age: "3s".to_owned(),
        time: None,
        is_warning,
        reason: reason.to_owned(),
        object: "pod/web-2b-x9k2p".to_owned(),
        message: message.to_owned(),
    };
    Present {
        is_live: true,
        is_virtual: true,
        events: vec![
            event(
                true,
                "BackOff",
                "Back-off restarting failed container app\u{7} (x3)",
            ),
            event(
                false,
                "Scheduled",
                "Successfully assigned default/web-2b-x9k2p to node-1",
            ),
        ],
        ..Present::default()
    }
    .with_scene(
        Scene {
            revision,
            time: "2026-01-02T12:00:05Z".parse().unwrap(),
            roots: vec![web, alone],
        },
        nodes.to_vec(),
    )
}

/// Returns a fork of that cluster: the Deployment was scaled up, one Pod became ready and one is gone.
pub(crate) fn forked() -> Present {
    let mut fork = present(12);
    let mut more = fork.entries[4].clone();
    more.name = "web-2b-zz9q8".to_owned();
    fork.entries[0].status.ready = Some((3, 6));
    if let Some(rollout) = &mut fork.entries[0].rollout {
        (rollout.new, rollout.ready, rollout.desired) = (4, 3, 6);
    }
    (fork.entries[4].status.state, fork.entries[4].status.word) =
        (State::Ready, "Running".to_owned());
    fork.entries.insert(5, more);
    fork.entries.remove(7);
    fork
}

/// Returns the screen of that cluster at revision 9, with eight earlier commits and a mark at the fourth.
pub(crate) fn app() -> App {
    let mut app = App::new("default", false);
    let stops = (2..=9).map(|revision| Stop {
        revision,
        time: "2026-01-02T12:00:01Z".parse().unwrap(),
        writer: "replicaset".to_owned(),
        rule: "scale-up".to_owned(),
        mark: (revision == 5).then(|| "before".to_owned()),
    });
    let step = |at: Option<&str>, what: &str| Step {
        controller: "deployment".to_owned(),
        key: "default/web".to_owned(),
        at: at.map(|at| at.parse().unwrap()),
        what: what.to_owned(),
    };
    app.update(Input::State(Box::new(present(9))));
    app.update(Input::Stops(stops.collect()));
    app.update(Input::Queue(vec![
        step(None, "scale-up: 1 more Pod fits into maxSurge"),
        step(Some("2026-01-02T12:00:35Z"), "waits"),
    ]));
    app.update(Input::Why {
        uid: "uid-web".to_owned(),
        lines: vec![
            "9  12:00:05  deployment updated deployment.apps/web".to_owned(),
            "             scale-up".to_owned(),
            "4  12:00:00  you updated deployment.apps/web".to_owned(),
            "             kubectl set image deployment/web app=shop:2".to_owned(),
        ],
    });
    app
}

/// Presses keys: characters stand for themselves, `<` and `>` for the left and right arrows, `v` for down, `!` for
/// Enter.
pub(crate) fn press(app: &mut App, keys: &str) -> Vec<Effect> {
    keys.chars()
        .flat_map(|c| app.update(Input::Key(key(c))))
        .collect()
}

/// Presses keys in the same notation on the active side.
pub(crate) fn type_into(sides: &mut SideBySide, keys: &str) -> Vec<(Side, Effect)> {
    keys.chars().flat_map(|c| sides.press(key(c))).collect()
}

fn key(c: char) -> Key {
    match c {
        '<' => Key::Left,
        '>' => Key::Right,
        'v' => Key::Down,
        '!' => Key::Enter,
        '~' => Key::Escape,
        '\t' => Key::Tab,
        c => Key::Char(c),
    }
}

/// Returns the screen of the cluster as text.
pub(crate) fn screen(app: &App, width: u16, height: u16) -> String {
    both(&SideBySide::new(app.clone()), width, height)
}

/// Returns the screen of both sides as text.
pub(crate) fn both(sides: &SideBySide, width: u16, height: u16) -> String {
    let mut terminal = Terminal::new(TestBackend::new(width, height)).unwrap();
    terminal.draw(|frame| crate::draw(frame, sides)).unwrap();
    let buffer = terminal.backend().buffer().clone();
    let rows = buffer.content().chunks(usize::from(width));
    rows.map(|row| {
        let text: String = row.iter().map(|cell| cell.symbol()).collect();
        format!("{}\n", text.trim_end())
    })
    .collect()
}
