//! Runs each program in `examples/` in its own directory.

#[expect(dead_code, reason = "its main is for `cargo run --example`")]
#[path = "../../examples/api_server.rs"]
mod api_server;
#[expect(dead_code, reason = "its main is for `cargo run --example`")]
#[path = "../../examples/server_side_apply.rs"]
mod server_side_apply;
#[expect(dead_code, reason = "its main is for `cargo run --example`")]
#[path = "../../examples/stage.rs"]
mod stage;
#[expect(dead_code, reason = "its main is for `cargo run --example`")]
#[path = "../../examples/virtual_clock.rs"]
mod virtual_clock;
#[expect(dead_code, reason = "its main is for `cargo run --example`")]
#[path = "../../examples/watch.rs"]
mod watch;

use ctl::api::json::json;

fn directory() -> (tempfile::TempDir, std::path::PathBuf) {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("state");
    (directory, path)
}

#[test]
fn a_rollout_and_a_day_of_a_cron_job_need_no_sleep() {
    let (_guard, path) = directory();
    assert_eq!(virtual_clock::scenario(&path).unwrap(), (3, 3));
}

#[test]
fn two_managers_conflict_and_one_takes_over() {
    let (_guard, path) = directory();
    let (conflict, data) = server_side_apply::scenario(&path).unwrap();
    assert!(conflict.contains("conflict with \"ops\""), "{conflict}");
    assert_eq!(data, json!({"color": "blue", "level": "debug"}));
}

#[test]
fn a_watch_reports_each_change_once() {
    let (_guard, path) = directory();
    assert_eq!(watch::scenario(&path).unwrap().len(), 5);
}

#[test]
fn an_embedded_server_serves_the_api() {
    let (_guard, path) = directory();
    let response = api_server::scenario(&path).unwrap();
    assert!(response.starts_with("HTTP/1.1 200"), "{response}");
}

#[test]
fn a_stage_makes_a_container_fail() {
    let (_guard, path) = directory();
    assert!(stage::scenario(&path).unwrap() >= 2);
}
