//! Tests `ctl raw`: the store through the real binary.

use crate::support::{World, config_map, key};

#[test]
fn an_object_is_written_read_changed_and_removed() {
    let world = World::cluster();
    assert_eq!(world.put("a", "1").ok(), "2\n");
    assert_eq!(world.value("a").as_deref(), Some("1"));
    assert_eq!(world.put("a", "1").ok(), "unchanged\n");
    assert_eq!(
        world
            .run(&["raw", "merge", &key("a"), r#"{"data":{"w":"2"}}"#])
            .ok(),
        "3\n"
    );
    assert_eq!(world.run(&["raw", "delete", &key("a")]).ok(), "4\n");
    assert_eq!(world.value("a"), None);
    assert!(!world.path("default").exists());
    let _ = world.fsck();
}

#[test]
fn failed_precondition_writes_nothing() {
    let world = World::cluster();
    let put = |flag: &[&str]| {
        let key = key("a");
        let args = [&["raw", "put", &key], flag].concat();
        world.run_with(&args, &config_map(&flag.join(" ")))
    };
    assert_eq!(put(&["--absent"]).ok(), "2\n");
    assert!(
        put(&["--absent"])
            .fails()
            .contains("configmaps/default/a already exists")
    );
    assert_eq!(put(&["--revision", "2"]).ok(), "3\n");
    assert!(
        put(&["--revision", "2"])
            .fails()
            .contains("is at revision 3, not 2")
    );
    let epoch = world.run(&["raw", "lead"]).ok();
    assert_eq!(put(&["--epoch", epoch.trim()]).ok(), "4\n");
    let _ = world.run(&["raw", "lead"]).ok();
    assert!(
        put(&["--epoch", epoch.trim()])
            .fails()
            .contains("another leader has taken over")
    );
    let _ = world.fsck();
}

#[test]
fn batch_is_atomic() {
    let world = World::cluster();
    let lines: String = (0..5)
        .map(|n| format!("put {} {}\n", key(&n.to_string()), config_map("x")))
        .collect();
    assert_eq!(
        world.run_with(&["raw", "batch"], &lines).ok(),
        "2\n3\n4\n5\n6\n"
    );
    let bad = format!("delete {}\nput {} {{}}\n", key("0"), key("9"));
    assert!(
        world
            .run_with(&["raw", "batch"], &bad)
            .fails()
            .contains("apiVersion")
    );
    assert_eq!(world.value("0").as_deref(), Some("x"));
    let twice = format!("delete {}\ndelete {}\n", key("0"), key("0"));
    assert!(
        world
            .run_with(&["raw", "batch"], &twice)
            .fails()
            .contains("twice")
    );
}

#[test]
fn history_is_read_by_revision_with_writer_and_rule() {
    let world = World::cluster();
    for value in ["1", "2", "3"] {
        let _ = world.put("a", value).ok();
    }
    let at = world.run(&["raw", "list", "--at", "3"]).ok();
    assert!(
        at.starts_with("# 3\n3\tconfigmaps/default/a\t") && at.contains(r#""v":"2""#),
        "{at}"
    );
    let log = world.run(&["raw", "log"]).ok();
    assert_eq!(log.lines().count(), 3);
    assert!(
        log.contains("ctl raw put configmaps/default/a\tput"),
        "{log}"
    );
    let future = world.run(&["raw", "list", "--at", "9"]).fails();
    assert!(future.contains("revision 9 is in the future"), "{future}");
    let watched = world
        .run(&["raw", "watch", "--from", "1", "--until", "4"])
        .ok();
    assert_eq!(watched.lines().count(), 3);
}
