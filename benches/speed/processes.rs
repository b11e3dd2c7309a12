//! Measures processes: start of the program, many writers, and memory.

use std::process::{Command, Stdio};
use std::time::Duration;

use ctl::store::{Batch, Expect, Op, Store as _};
use ctl::sys::clock::Stopwatch;

use crate::commands;
use crate::sample::{cause, key, pod, store};
use crate::scratch::Scratch;
use crate::table::{Table, median, ms};
use crate::{Size, controllers};

/// Returns the command for this benchmark as a worker process.
pub(crate) fn worker(args: &[&str]) -> Command {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.arg("--worker").args(args).stdout(Stdio::piped());
    command
}

/// Runs the task of a worker process.
pub(crate) fn work(args: &[String]) {
    let args: Vec<&str> = args.iter().map(String::as_str).collect();
    match args[..] {
        ["get", state, name] => {
            assert!(store(state.as_ref()).get(&key(name)).unwrap().is_some());
            println!("{}", own_peak_kilobytes());
        }
        ["settle", state] => controllers::work(state.as_ref()),
        ["commit", state, name, count] => {
            let store = store(state.as_ref());
            for n in 0..count.parse().unwrap() {
                let op = Op::put(key(name), pod(name, n), Expect::Any);
                store.commit(&cause(), Batch::new(vec![op])).unwrap();
            }
        }
        ["ctl", state, ref args @ ..] => {
            commands::in_process(&[&["--state", state], args].concat());
        }
        _ => panic!("unknown work {args:?}"),
    }
}

pub(crate) fn own_peak_kilobytes() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find(|l| l.starts_with("VmHWM:")).unwrap();
    line.split_whitespace().nth(1).unwrap().parse().unwrap()
}

/// Returns the peak memory of a worker process in MB.
#[expect(clippy::cast_precision_loss, reason = "a memory size for people")]
pub(crate) fn peak_memory(args: &[&str]) -> f64 {
    let output = worker(args).output().unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    let last = text.lines().last().unwrap();
    last.parse::<u64>().unwrap() as f64 / 1024.0
}

/// Measures the start of the program.
pub(crate) fn versions(table: &mut Table, size: Size) {
    let mut times = Vec::new();
    for _ in 0..size.rounds.min(100) {
        let mut command = Command::new(env!("CARGO_BIN_EXE_ctl"));
        command.arg("version").stdout(Stdio::null());
        let stopwatch = Stopwatch::start();
        assert!(command.status().unwrap().success());
        times.push(stopwatch.elapsed());
    }
    let time = median(times);
    table.row(
        "ctl version",
        &ms(time),
        "",
        "3 ms",
        time <= Duration::from_millis(3),
    );
}

/// Measures many processes that commit their own objects.
pub(crate) fn many(table: &mut Table, size: Size) {
    let dir = Scratch::new();
    let state = dir.path().join("state");
    drop(store(&state));
    let stopwatch = Stopwatch::start();
    let names: Vec<String> = (0..size.processes).map(|n| format!("p-{n}")).collect();
    let workers: Vec<_> = names
        .iter()
        .map(|name| {
            worker(&["commit", state.to_str().unwrap(), name, "50"])
                .spawn()
                .unwrap()
        })
        .collect();
    for mut worker in workers {
        assert!(worker.wait().unwrap().success());
    }
    let time = stopwatch.elapsed();
    let what = format!(
        "{} processes x 50 commits of their own objects",
        size.processes
    );
    table.row(
        &what,
        &ms(time),
        "",
        "5,000 ms",
        time <= Duration::from_secs(5),
    );
}

/// Measures three commands that create a cluster and start a Deployment in it.
pub(crate) fn first_pods(table: &mut Table, size: Size) {
    let manifest = concat!(env!("CARGO_MANIFEST_DIR"), "/src/cli/commands/demo.yaml");
    let mut times = Vec::new();
    for _ in 0..(size.rounds / 10) {
        let dir = Scratch::new();
        let stopwatch = Stopwatch::start();
        for command in [
            "cluster init --clock virtual",
            &format!("apply -f {manifest}"),
            "settle",
        ] {
            let mut ctl = Command::new(env!("CARGO_BIN_EXE_ctl"));
            ctl.args(command.split(' ')).stdout(Stdio::null());
            ctl.env("CTL_STATE", dir.path().join("cluster"));
            assert!(ctl.status().unwrap().success());
        }
        times.push(stopwatch.elapsed());
    }
    let time = median(times);
    table.row(
        "an empty directory to three ready Pods, 3 commands",
        &ms(time),
        "",
        "300 ms",
        time <= Duration::from_millis(300),
    );
}
