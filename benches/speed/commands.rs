//! Measures commands as users run them: one process each, on a directory that no other process has in memory.

use std::fmt::Write as _;
use std::fs::File;
use std::io::Write as _;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

use ctl::sys::clock::Stopwatch;

use crate::Size;
use crate::processes::{self, peak_memory};
use crate::sample::{fill, store};
use crate::scratch::Scratch;
use crate::table::{Table, median, ms};

/// Returns the program on a state directory, without the user's configuration.
pub(crate) fn ctl(state: &Path, args: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_ctl"));
    command
        .args(args)
        .env("CTL_STATE", state)
        .env("HOME", state.parent().unwrap())
        .stdout(Stdio::null());
    command
}

pub(crate) fn run(mut command: Command) {
    assert!(command.status().unwrap().success(), "{command:?}");
}

/// Returns the median time of a command.
pub(crate) fn time(rounds: usize, command: impl Fn(usize) -> Command) -> Duration {
    let times = (0..rounds).map(|round| {
        let command = command(round);
        let stopwatch = Stopwatch::start();
        run(command);
        stopwatch.elapsed()
    });
    median(times.collect())
}

pub(crate) fn row(table: &mut Table, what: &str, time: Duration, limit: u64) {
    let met = time <= Duration::from_millis(limit);
    table.row(what, &ms(time), "", &format!("{limit} ms"), met);
}

/// Returns a manifest of Deployments and ConfigMaps in equal parts.
fn manifest(round: usize) -> String {
    let mut text = String::new();
    for n in 0..50 {
        let name = format!("r{round}-{n}");
        write!(
            text,
            "apiVersion: apps/v1\nkind: Deployment\nmetadata:\n  name: {name}\n  labels: {{app: {name}}}\n\
             spec:\n  replicas: 3\n  selector:\n    matchLabels: {{app: {name}}}\n  template:\n    \
             metadata:\n      labels: {{app: {name}}}\n    spec:\n      containers:\n      - name: web\n        \
             image: nginx:1.25\n        ports:\n        - containerPort: 80\n        resources:\n          \
             limits: {{cpu: 500m, memory: 128Mi}}\n---\napiVersion: v1\nkind: ConfigMap\nmetadata:\n  \
             name: {name}\ndata:\n  key: value\n  other: |\n    some text\n    of two lines\n---\n"
        )
        .unwrap();
    }
    text
}

/// Measures commands in a new cluster with few objects.
pub(crate) fn small(table: &mut Table, size: Size) {
    let dir = Scratch::new();
    let state = dir.path().join("state");
    run(ctl(&state, &["cluster", "init", "--nodes", "5"]));
    let files: Vec<_> = (0..9)
        .map(|round| {
            let file = dir.path().join(format!("{round}.yaml"));
            let text = manifest(round);
            File::create(&file)
                .unwrap()
                .write_all(text.as_bytes())
                .unwrap();
            file.to_str().unwrap().to_owned()
        })
        .collect();
    for name in ["one", "two", "three"] {
        let image = "--image=nginx:1.25";
        run(ctl(&state, &["create", "deployment", name, image]));
    }
    run(ctl(&state, &["run", "web", "--image=nginx:1.25"]));
    let rounds = size.rounds.min(60);
    let get = time(rounds, |_| ctl(&state, &["get", "deploy"]));
    row(table, "ctl get deploy in a small cluster", get, 8);
    let describe = time(rounds, |_| ctl(&state, &["describe", "pod", "web"]));
    row(table, "ctl describe pod in a small cluster", describe, 10);
    let apply = time(files.len(), |round| {
        ctl(&state, &["apply", "-f", &files[round]])
    });
    row(table, "ctl apply -f of 100 new objects", apply, 60);
    let again = time(files.len(), |round| {
        ctl(&state, &["apply", "-f", &files[round]])
    });
    row(table, "ctl apply -f of the same 100 objects", again, 60);
}

/// Measures a plan of a rollout: the fork, the change, all controllers, and the report.
pub(crate) fn plan(table: &mut Table, size: Size) {
    let dir = Scratch::new();
    let state = dir.path().join("state");
    run(ctl(
        &state,
        &["cluster", "init", "--nodes", "5", "--clock", "virtual"],
    ));
    let image = "--image=nginx:1";
    run(ctl(
        &state,
        &["create", "deployment", "web", image, "--replicas=100"],
    ));
    run(ctl(&state, &["settle"]));
    let set = [
        "plan",
        "--",
        "set",
        "image",
        "deployment/web",
        "nginx=nginx:2",
    ];
    let times = (0..size.rounds.min(20)).map(|_| {
        let mut command = ctl(&state, &set);
        let stopwatch = Stopwatch::start();
        // The exit code 1 means that there are changes.
        assert_eq!(command.status().unwrap().code(), Some(1), "{command:?}");
        stopwatch.elapsed()
    });
    let time = median(times.collect());
    row(table, "ctl plan of a rollout of 100 Pods", time, 150);
}

/// Measures lists in clusters of many Pods.
pub(crate) fn many(table: &mut Table, size: Size) {
    for (count, limit) in [(size.objects / 10, 25), (size.objects, 150)] {
        let dir = Scratch::new();
        let state = dir.path().join("state");
        run(ctl(&state, &["cluster", "init"]));
        fill(&store(&state), count);
        let get = time(9, |_| ctl(&state, &["get", "pods"]));
        row(table, &format!("ctl get pods, {count} of them"), get, limit);
        if count < size.objects {
            continue;
        }
        let state = state.to_str().unwrap();
        let memory = peak_memory(&["ctl", state, "get", "pods"]);
        let what = format!("the memory of ctl get pods, {count} of them");
        let measured = format!("{memory:.1} MB");
        table.row(&what, &measured, "", "120 MB", memory <= 120.0);
    }
}

/// Measures objects of the maximum size.
pub(crate) fn large(table: &mut Table) {
    let dir = Scratch::new();
    let state = dir.path().join("state");
    run(ctl(&state, &["cluster", "init"]));
    let object = |name: &str, keys: &mut dyn Iterator<Item = String>| {
        let data: Vec<String> = keys.map(|key| format!("\"{key}\":\"\"")).collect();
        format!(
            "{{\"apiVersion\":\"v1\",\"kind\":\"ConfigMap\",\"metadata\":{{\"name\":\"{name}\"}},\"data\":{{{}}}}}",
            data.join(",")
        )
    };
    let file = |name: &str, text: String| {
        let path = dir.path().join(name);
        let mut file = File::create(&path).unwrap();
        file.write_all(text.as_bytes()).unwrap();
        path.to_str().unwrap().to_owned()
    };
    let lines = |word: &str| object("lines", &mut (0..20_000).map(|n| format!("{word}{n:05}")));
    let (one, two) = (file("1.json", lines("a")), file("2.json", lines("b")));
    run(ctl(&state, &["create", "-f", &one]));
    let timed = |args: &[&str], code: i32| {
        let mut command = ctl(&state, args);
        command.stderr(Stdio::null());
        let stopwatch = Stopwatch::start();
        assert_eq!(command.status().unwrap().code(), Some(code), "{command:?}");
        stopwatch.elapsed()
    };
    let middle = |times: &mut dyn FnMut(usize) -> Duration| median((0..5).map(times).collect());
    let time = middle(&mut |_| timed(&["diff", "-f", &two], 1));
    let what = "ctl diff of two unrelated objects of 20,000 lines";
    row(table, what, time, 1000);
    let memory = peak_memory(&["ctl", state.to_str().unwrap(), "diff", "-f", &two]);
    let measured = format!("{memory:.1} MB");
    let what = format!("the memory of {what}");
    table.row(&what, &measured, "", "100 MB", memory <= 100.0);
    // The keys are in reverse order, which takes longest to sort.
    let keys = |name: &str, count: usize| {
        let keys = (0..count).rev().map(|n| format!("{n:06}"));
        file(&format!("{name}.json"), object(name, &mut { keys }))
    };
    let files: Vec<String> = (0..5).map(|n| keys(&format!("n{n}"), 60_000)).collect();
    let time = middle(&mut |n| timed(&["create", "-f", &files[n]], 0));
    let what = "ctl create -f of an object of 60,000 keys in reverse";
    row(table, what, time, 1000);
    let large = keys("large", 200_000);
    let time = middle(&mut |_| timed(&["create", "-f", &large], 1));
    let what = "ctl create -f of an object of 200,000 keys, which is too large";
    row(table, what, time, 1000);
}

/// Runs the program in this process, and prints its memory in the last line.
pub(crate) fn in_process(args: &[&str]) {
    let words = ["ctl"].iter().chain(args).map(Into::into);
    let code = ctl::cli::main(words);
    // `diff` exits with 1 if there are differences.
    let done = [
        std::process::ExitCode::SUCCESS,
        std::process::ExitCode::from(1),
    ];
    assert!(done.contains(&code), "{code:?}");
    println!("{}", processes::own_peak_kilobytes());
}
