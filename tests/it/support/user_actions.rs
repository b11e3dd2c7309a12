//! User actions on a cluster, which tests repeat with one failing call after another.

use std::path::Path;

use super::{CommandOutput, World, config_map, finish, key};

/// An action of a user on a world that [`small`] creates.
pub struct UserAction {
    pub name: &'static str,
    args: Vec<String>,
    input: String,
    /// A hand edit of the YAML files before the command.
    by_hand: Option<ByHand>,
}

#[derive(Clone, Copy)]
enum ByHand {
    Edits,
    Adds,
    Removes,
}

impl UserAction {
    fn new(name: &'static str, args: &[&str], input: String) -> Self {
        Self {
            name,
            args: args.iter().map(|a| (*a).to_owned()).collect(),
            input,
            by_hand: None,
        }
    }

    fn by_hand(name: &'static str, by_hand: ByHand) -> Self {
        Self {
            by_hand: Some(by_hand),
            ..Self::new(name, &["raw", "list"], String::new())
        }
    }

    /// Returns true if the next read applies the action, whatever the result of the command.
    pub fn is_by_hand(&self) -> bool {
        self.by_hand.is_some()
    }

    /// Returns true if the program reported the write as done.
    pub fn is_acknowledged(&self, ran: &CommandOutput) -> bool {
        !self.is_by_hand() && !ran.out.is_empty()
    }

    /// Changes the files before the command.
    pub fn prepare(&self, world: &World) {
        let text = |name: &str, value: &str| {
            format!(
                "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: {name}\ndata:\n  v: {value}\n"
            )
        };
        match self.by_hand {
            None => {}
            Some(ByHand::Edits) => {
                let path = world.path("default/configmaps/a.yaml");
                let old = std::fs::read_to_string(&path).unwrap();
                write_by_hand(world, &path, &old.replace("v: old", "v: by hand"));
            }
            Some(ByHand::Adds) => {
                let path = world.path("default/configmaps/added.yaml");
                write_by_hand(world, &path, &text("added", "by hand"));
            }
            Some(ByHand::Removes) => {
                std::fs::remove_file(world.path("default/configmaps/b.yaml")).unwrap();
            }
        }
    }

    /// Runs the command, with a fault unless `order` is empty.
    pub fn run(&self, world: &World, order: &str) -> CommandOutput {
        self.run_env(world, &[("CTL_FAULT", order)])
    }

    /// Runs the command with additional environment variables.
    pub fn run_env(&self, world: &World, env: &[(&str, &str)]) -> CommandOutput {
        let args: Vec<&str> = self.args.iter().map(String::as_str).collect();
        world.run_env(env, &args, &self.input)
    }

    /// Returns its file-system calls, under the names of the fault injection.
    pub fn calls(&self, world: &World) -> Vec<String> {
        self.prepare(world);
        let (ran, calls) = self.run_logged(world, "");
        let _ = ran.ok();
        calls
    }

    /// Runs the command with a fault. Also returns its calls.
    pub fn run_logged(&self, world: &World, order: &str) -> (CommandOutput, Vec<String>) {
        let log = world.outside("calls");
        drop(std::fs::remove_file(&log));
        let log_name = log.to_str().unwrap();
        let env = [("CTL_FAULT", order), ("CTL_FAULT_COUNT", log_name)];
        let ran = self.run_env(world, &env);
        let text = std::fs::read_to_string(&log).unwrap();
        (ran, text.lines().map(str::to_owned).collect())
    }

    /// Runs the command under another program, such as strace.
    pub fn run_below(&self, world: &World, wrapper: &[&str]) -> CommandOutput {
        let mut command = world.command_for(Path::new(wrapper[0]));
        command.args(&wrapper[1..]);
        command.arg(env!("CARGO_BIN_EXE_ctl")).args(&self.args);
        finish(command, &self.input)
    }
}

/// Writes a file through a separate process: the child of another test might briefly hold a descriptor of this one, and
/// a file that is open for writing is not imported.
pub fn write_by_hand(world: &World, path: &Path, text: &str) {
    let mut command = world.command_for(Path::new("sh"));
    command.args(["-c", r#"cat > "$1""#, "sh"]).arg(path);
    let _ = finish(command, text).ok();
}

/// Returns a world with eleven objects, a history and two generations of its journal.
pub fn small() -> World {
    let world = World::cluster();
    let mut lines = String::new();
    for name in ["a", "b", "c", "d", "e", "f", "g", "h", "i", "j"] {
        lines.push_str(&format!("put {} {}\n", key(name), config_map("first")));
    }
    let _ = world.run_with(&["raw", "batch"], &lines).ok();
    let _ = world.run(&["raw", "compact"]).ok();
    let _ = world.put("a", "old").ok();
    let other = "configmaps/other/only";
    let _ = world
        .run_with(&["raw", "put", other], &config_map("1"))
        .ok();
    world
}

/// Returns every action that changes a cluster.
pub fn user_actions() -> Vec<UserAction> {
    let mut batch = String::new();
    for number in 0..15 {
        batch.push_str(&format!(
            "put {} {}\n",
            key(&format!("new-{number}")),
            config_map("batch")
        ));
    }
    for name in ["c", "d", "e"] {
        batch.push_str(&format!("put {} {}\n", key(name), config_map("batch")));
    }
    batch.push_str(&format!(
        "delete {}\ndelete configmaps/other/only\n",
        key("f")
    ));
    let a = key("a");
    vec![
        UserAction::new("create", &["raw", "put", &key("new")], config_map("new")),
        UserAction::new("replace", &["raw", "put", &a], config_map("new")),
        UserAction::new("batch of 20", &["raw", "batch"], batch),
        UserAction::new(
            "merge",
            &["raw", "merge", &a, r#"{"data":{"w":"merged"}}"#],
            String::new(),
        ),
        UserAction::new(
            "delete",
            &["raw", "delete", "configmaps/other/only"],
            String::new(),
        ),
        UserAction::new("compact", &["raw", "compact"], String::new()),
        UserAction::by_hand("edit by hand", ByHand::Edits),
        UserAction::by_hand("add by hand", ByHand::Adds),
        UserAction::by_hand("remove by hand", ByHand::Removes),
    ]
}

/// Returns the action with this name.
pub fn user_action(name: &str) -> UserAction {
    user_actions().into_iter().find(|d| d.name == name).unwrap()
}
