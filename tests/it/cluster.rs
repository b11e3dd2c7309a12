//! Tests `ctl cluster`: clusters as directories, and the selection of the cluster that a command uses.

use crate::support::{World, finish, key};

#[test]
fn first_command_creates_a_cluster_and_init_reports_unchanged() {
    let world = World::new();
    assert_eq!(world.run(&["raw", "revision"]).ok(), "1\n");
    assert!(world.path("cluster.yaml").exists());
    assert!(
        world
            .run(&["cluster", "init"])
            .ok()
            .ends_with("unchanged\n")
    );
}

#[test]
fn a_named_cluster_is_deleted_whatever_the_variable_selects() {
    // The tests select the cluster with CTL_STATE.
    let world = World::cluster();
    for command in ["delete", "reset"] {
        let error = world.run(&["cluster", command, "other", "-y"]).fails();
        assert!(
            error.contains("no cluster in ") && error.contains("other"),
            "{error}"
        );
    }
    assert!(world.path("cluster.yaml").exists());
}

#[test]
fn init_writes_its_flags_to_the_settings() {
    let world = World::new();
    let flags = [
        "--nodes", "5", "--clock", "virtual", "--seed", "9", "--pods", "running",
    ];
    let made = world.run(&[&["cluster", "init"], &flags[..]].concat()).ok();
    assert!(
        made.starts_with("cluster \"state\" in ") && made.ends_with(" created\n"),
        "{made}"
    );
    let text = std::fs::read_to_string(world.path("cluster.yaml")).unwrap();
    for line in ["nodes: 5 ", "clock: virtual ", "seed: 9 ", "pods: running "] {
        assert!(text.contains(&format!("\n{line}")), "{line} in {text}");
    }
}

#[test]
fn only_init_accepts_a_directory_with_other_files() {
    let world = World::new();
    std::fs::create_dir(world.state()).unwrap();
    std::fs::File::create(world.path("notes.txt")).unwrap();
    let error = world.run(&["raw", "revision"]).fails();
    assert!(
        error.contains("is not empty and contains no cluster: name the cluster's directory")
            && error.contains("--state or CTL_STATE")
            && !error.contains("init"),
        "{error}"
    );
    assert_eq!(std::fs::read_dir(world.state()).unwrap().count(), 1);
    let said = world.run(&["cluster", "init"]).ok();
    assert!(
        said.contains("created\nthe directory also contains other files")
            && said.ends_with("\n  notes.txt\n"),
        "{said}"
    );
    assert!(!world.run(&["cluster", "init"]).ok().contains("notes.txt"));
    assert_eq!(world.run(&["raw", "revision"]).ok(), "1\n");
}

#[test]
fn missing_settings_file_is_an_error_with_a_remedy() {
    let world = World::cluster();
    std::fs::remove_file(world.path("cluster.yaml")).unwrap();
    let error = world.run(&["raw", "revision"]).fails();
    assert!(
        error.contains("cluster.yaml is missing: put it back"),
        "{error}"
    );
}

#[test]
fn fork_has_the_whole_history_and_diverges() {
    let world = World::cluster();
    let _ = world.put("a", "1").ok();
    let _ = world.put("a", "2").ok();
    let to = world.outside("fork").display().to_string();
    assert!(
        world
            .run(&["cluster", "fork", &to])
            .ok()
            .starts_with("forked at revision 3 ")
    );
    let _ = world.put("a", "3").ok();
    let in_fork = |args: &[&str]| {
        let mut command = world.command();
        command.arg("--state").arg(&to).args(args);
        finish(command, "")
    };
    let item = in_fork(&["raw", "get", &key("a")]).ok();
    assert!(
        item.starts_with("3\t") && item.contains(r#""v":"2""#),
        "{item}"
    );
    assert_eq!(in_fork(&["raw", "log"]).ok().lines().count(), 2);
    assert!(world.outside("fork/default/configmaps/a.yaml").exists());
    assert!(in_fork(&["fsck", "--history"]).ok().contains("no problem"));
    assert!(
        world
            .run(&["cluster", "fork", &to])
            .fails()
            .contains("is not empty")
    );
}

#[test]
fn reset_keeps_the_settings_and_delete_keeps_nothing() {
    let world = World::cluster();
    let _ = world.put("a", "1").ok();
    let before = std::fs::read(world.path("cluster.yaml")).unwrap();
    assert!(world.run(&["cluster", "reset"]).ok().ends_with("reset\n"));
    assert_eq!(world.value("a"), None);
    assert!(!world.path("default").exists());
    assert_eq!(std::fs::read(world.path("cluster.yaml")).unwrap(), before);
    assert!(
        world
            .run(&["cluster", "delete"])
            .ok()
            .ends_with("deleted\n")
    );
    assert!(!world.state().exists());
    assert!(
        world
            .run(&["cluster", "delete"])
            .fails()
            .contains("no cluster in ")
    );
}

#[test]
fn state_directory_precedence_is_flag_variable_context_default() {
    let world = World::new();
    let home = world.outside("home");
    let run = |state: Option<&str>, args: &[&str]| {
        let mut command = world.command();
        command
            .env_remove("CTL_STATE")
            .env("HOME", &home)
            .args(args);
        if let Some(state) = state {
            command.env("CTL_STATE", state);
        }
        finish(command, "").ok()
    };
    let (flag, variable) = (world.outside("flag"), world.outside("variable"));
    let context = world.outside("context");
    let variable = variable.to_str().unwrap();
    run(None, &["raw", "revision"]);
    assert!(
        home.join(".local/share/ctl/clusters/default/cluster.yaml")
            .exists()
    );
    std::fs::create_dir_all(home.join(".config/ctl")).unwrap();
    let config = format!(
        "current-context: c\ncontexts:\n- name: c\n  context: {{cluster: k}}\n\
         clusters:\n- name: k\n  cluster: {{server: 'file://{}'}}\n",
        context.display()
    );
    #[expect(
        clippy::disallowed_methods,
        reason = "the test writes a user's file, not the store's"
    )]
    std::fs::write(home.join(".config/ctl/config"), config).unwrap();
    run(None, &["raw", "revision"]);
    assert!(context.join("cluster.yaml").exists());
    run(Some(variable), &["raw", "revision"]);
    assert!(world.outside("variable/cluster.yaml").exists() && !flag.exists());
    run(
        Some(variable),
        &["--state", flag.to_str().unwrap(), "raw", "revision"],
    );
    assert!(flag.join("cluster.yaml").exists());
    let named = run(None, &["cluster", "init", "ci"]);
    assert!(named.contains(".local/share/ctl/clusters/ci"), "{named}");
    let list = run(None, &["cluster", "list"]);
    let is_marked = |line: &str| line.starts_with("* ");
    assert!(
        list.contains(" ci ") && list.lines().any(is_marked),
        "{list}"
    );
}

#[test]
fn the_same_commands_with_the_same_seed_leave_the_same_bytes() {
    let run = || {
        let world = World::cluster();
        let _ = world.put("a", "1").ok();
        let _ = world.put("b", "2").ok();
        let _ = world
            .run(&["raw", "merge", &key("a"), r#"{"data":{"w":"x"}}"#])
            .ok();
        let _ = world.run(&["raw", "delete", &key("b")]).ok();
        let yaml = std::fs::read(world.path("default/configmaps/a.yaml")).unwrap();
        (
            yaml,
            std::fs::read(world.path(".ctl/journal/0000000001")).unwrap(),
        )
    };
    assert_eq!(run(), run());
}
