//! Runs random sequences of commands, and checks invariants of an object and its field managers after each command
//! (`docs/design/0009-managed-fields.md`).

use crate::api::json::{Value, json};
use crate::cli::testing::Shell;

/// The number of sequences, and the number of commands in each.
const SEQUENCES: u64 = 24;
const COMMANDS: usize = 7;

/// A small random generator with a fixed seed, so that a failing sequence fails again.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: u64) -> u64 {
        self.0 = self
            .0
            // Knuth's constant for a linear congruential generator. Its low bits are weak, so `roll` uses the high
            // ones.
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1);
        (self.0 >> 33) % sides
    }
}

const MAP: &str = "configmap c";
const WEB: &str = "deployment web";

/// Returns a manifest of the ConfigMap or the Deployment with some of its fields. It has no empty maps, because these
/// are owned although the object lacks them.
fn manifest(dice: &mut Dice, object: &str) -> Value {
    let mut manifest = filled(dice, object);
    for pointer in ["", "/metadata"] {
        let map = manifest.pointer_mut(pointer).and_then(Value::as_object_mut);
        if let Some(map) = map {
            map.retain(|_, v| v.as_object().is_none_or(|inner| !inner.is_empty()));
        }
    }
    manifest
}

fn filled(dice: &mut Dice, object: &str) -> Value {
    let number = |dice: &mut Dice| dice.roll(3).to_string();
    let mut labels = json!({});
    for name in ["l", "m"] {
        if dice.roll(2) == 0 {
            labels[name] = json!(number(dice));
        }
    }
    if object == MAP {
        let mut data = json!({});
        for name in ["a", "b", "d"] {
            if dice.roll(2) == 0 {
                data[name] = json!(number(dice));
            }
        }
        return json!({"apiVersion": "v1", "kind": "ConfigMap",
            "metadata": {"name": "c", "labels": labels}, "data": data});
    }
    let mut container = json!({"name": "c", "image": format!("nginx:{}", number(dice))});
    if dice.roll(2) == 0 {
        container["env"] = json!([{"name": "E", "value": number(dice)}]);
    }
    let mut web = json!({"apiVersion": "apps/v1", "kind": "Deployment",
        "metadata": {"name": "web", "labels": labels},
        "spec": {"selector": {"matchLabels": {"app": "web"}}, "template": {
            "metadata": {"labels": {"app": "web"}}, "spec": {"containers": [container]}}}});
    if dice.roll(2) == 0 {
        web["spec"]["replicas"] = json!(dice.roll(3) + 1);
    }
    web
}

/// Runs a random command on the object, and returns its command line.
fn act(shell: &Shell, dice: &mut Dice, object: &str) -> String {
    let value = dice.roll(3);
    let name = ["l", "m"][dice.roll(2) as usize];
    let file = |dice: &mut Dice| {
        shell.write("m.yaml", manifest(dice, object).to_string());
    };
    let line = match dice.roll(9) {
        0 => {
            file(dice);
            "apply -f @/m.yaml".to_owned()
        }
        1 => {
            file(dice);
            // Without force, most random sequences would end in a conflict instead of a change of owners.
            "apply -f @/m.yaml --server-side --force-conflicts".to_owned()
        }
        2 => {
            file(dice);
            "apply -f @/m.yaml --server-side --force-conflicts --field-manager=ci".to_owned()
        }
        3 => {
            file(dice);
            "replace -f @/m.yaml".to_owned()
        }
        4 => format!("label {object} {name}={value} --overwrite"),
        5 => format!("annotate {object} {name}={value} --overwrite"),
        6 if object == MAP => {
            format!("patch {object} -p '{{\"data\":{{\"{name}\":\"{value}\"}}}}'")
        }
        6 => format!("set image {} c=nginx:{value}", object.replace(' ', "/")),
        7 if object == WEB => format!("scale {object} --replicas={}", value + 1),
        // Removing a whole map must also remove its entries from every manager's field set.
        7 => format!("patch {object} --type=merge -p '{{\"data\":null}}'"),
        _ => format!("label {object} {name}-"),
    };
    let said = shell.run(&line);
    assert_eq!(said.code, 0, "{line}: {said:?}");
    line
}

/// Returns true if a field set names only fields that exist.
fn exists(fields: &Value, value: &Value) -> bool {
    let mut inner = fields.as_object().into_iter().flatten();
    inner.all(|(name, below)| {
        let found = match name.as_str().split_once(':') {
            Some(("f", field)) => value.get(field),
            Some(("v", item)) => {
                let item: Value = serde_json::from_str(item).unwrap();
                value
                    .as_array()
                    .and_then(|all| all.iter().find(|v| **v == item))
            }
            Some(("k", keys)) => {
                let keys: Value = serde_json::from_str(keys).unwrap();
                let mut all = value.as_array().into_iter().flatten();
                all.find(|item| {
                    let mut keys = keys.as_object().into_iter().flatten();
                    keys.all(|(key, value)| item.get(key) == Some(value))
                })
            }
            _ => Some(value),
        };
        found.is_some_and(|found| exists(below, found))
    })
}

/// Returns true if a manager owns a leaf below a map of the object.
fn is_owned(object: &Value, path: [&str; 2], name: &str) -> bool {
    let owners = object["metadata"]["managedFields"].as_array();
    owners.into_iter().flatten().any(|entry| {
        let mut fields = &entry["fieldsV1"];
        for field in path.into_iter().filter(|field| !field.is_empty()) {
            fields = &fields[format!("f:{field}")];
        }
        !fields[format!("f:{name}")].is_null()
    })
}

/// Returns the parts of an object that users set.
fn desired(object: &Value) -> Value {
    let mut annotations = object["metadata"]["annotations"].clone();
    if let Some(map) = annotations.as_object_mut() {
        // Every apply rewrites this annotation, so it differs even if no user has changed anything.
        map.remove(crate::kinds::last_applied::LAST_APPLIED);
    }
    if annotations.as_object().is_some_and(|map| map.is_empty()) {
        annotations = Value::Null;
    }
    json!({"labels": object["metadata"]["labels"], "annotations": annotations,
        "data": object["data"], "spec": object["spec"]})
}

fn check(shell: &Shell, object: &str, lines: &[String]) {
    let get = format!("get {object} --show-managed-fields");
    let now = shell.json(&get);
    for entry in now["metadata"]["managedFields"]
        .as_array()
        .into_iter()
        .flatten()
    {
        assert!(
            exists(&entry["fieldsV1"], &now),
            "{lines:#?}\n{entry}\n{now}"
        );
    }
    for (path, map) in [
        (["metadata", "labels"], &now["metadata"]["labels"]),
        (["metadata", "annotations"], &now["metadata"]["annotations"]),
        (["data", ""], &now["data"]),
    ] {
        for (name, _) in map.as_object().into_iter().flatten() {
            assert!(is_owned(&now, path, name), "{lines:#?}\n{name}\n{now}");
        }
    }
    if lines
        .last()
        .is_some_and(|line| line.contains("--server-side"))
    {
        // Server-side apply is idempotent: a second run changes neither the object nor the managers, not even their
        // times.
        shell.all(&[lines.last().unwrap()]);
        assert_eq!(shell.json(&get), now, "{lines:#?}");
    }
    if lines.last().is_some_and(|line| line == "apply -f @/m.yaml") {
        // After client-side apply, the live object contains the whole manifest, so `diff` finds nothing.
        assert_eq!(shell.out("diff -f @/m.yaml"), "", "{lines:#?}");
    }
    if object == WEB {
        // A scale to the current number changes nothing, so it must not make `scale` an owner of the field.
        let replicas = &now["spec"]["replicas"];
        shell.all(&[&format!("scale {object} --replicas={replicas}")]);
        assert_eq!(shell.json(&get), now, "{lines:#?}");
    }
}

/// Checks at the end that the printed object can be applied, and that this restores the object.
fn check_saved(shell: &Shell, object: &str, lines: &[String]) {
    let get = format!("get {object}");
    let before = desired(&shell.json(&get));
    let saved = shell.out(&format!("{get} -o yaml"));
    shell.write("saved.yaml", &saved);
    shell.all(&["apply -f @/saved.yaml"]);
    assert_eq!(desired(&shell.json(&get)), before, "{lines:#?}");
    shell.all(&[&format!("delete {object}"), "create -f @/saved.yaml"]);
    assert_eq!(desired(&shell.json(&get)), before, "{lines:#?}");
    shell.all(&["replace --force -f @/saved.yaml"]);
    assert_eq!(desired(&shell.json(&get)), before, "{lines:#?}");
}

#[test]
fn managed_fields_match_the_object_after_random_commands() {
    for sequence in 0..SEQUENCES {
        let shell = Shell::new();
        let mut dice = Dice(sequence);
        let object = [MAP, WEB][(sequence % 2) as usize];
        shell.write("new.yaml", manifest(&mut dice, object).to_string());
        let first = [
            "create -f @/new.yaml",
            "create -f @/new.yaml --save-config",
            "apply -f @/new.yaml",
            "apply -f @/new.yaml --server-side",
        ][dice.roll(4) as usize];
        shell.all(&[first]);
        let mut lines = vec![first.to_owned()];
        check(&shell, object, &[]);
        for _ in 0..COMMANDS {
            lines.push(act(&shell, &mut dice, object));
            check(&shell, object, &lines);
        }
        check_saved(&shell, object, &lines);
    }
}

#[test]
fn migrated_managed_fields_entry_has_no_time() {
    let shell = Shell::new();
    shell.write(
        "c.yaml",
        "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: c}\ndata: {a: '1'}\n",
    );
    // In a real cluster, too, an entry that the migration of ownership writes has no time.
    let owners = |object: &str| -> Vec<(String, bool)> {
        let object = shell.json(&format!("get {object} --show-managed-fields"));
        let entries = object["metadata"]["managedFields"].as_array().unwrap();
        let entry = |entry: &Value| {
            let name = entry["manager"].as_str().unwrap().to_owned();
            (name, entry["time"].is_string())
        };
        entries.iter().map(entry).collect()
    };
    let owner = |name: &str, timed: bool| (name.to_owned(), timed);
    shell.write(
        "n.yaml",
        "apiVersion: v1\nkind: Namespace\nmetadata: {name: blue, labels: {a: x}}\n",
    );
    let both = [
        owner("kubectl", false),
        owner("kubectl-last-applied", false),
    ];
    for (file, object) in [("c", "cm c"), ("n", "ns blue")] {
        shell.all(&[
            &format!("apply -f @/{file}.yaml"),
            &format!("apply --server-side -f @/{file}.yaml"),
        ]);
        let found = owners(object);
        assert!(found.contains(&both[1]), "{object}: {found:?}");
    }
    assert_eq!(owners("cm c"), both);
    let refused = shell.fails("apply --server-side -f @/c.yaml --field-manager=''");
    assert_eq!(
        refused,
        "The PatchOptions \"\" is invalid: fieldManager: Required value: is required for apply patch"
    );
    // A manifest with nothing but a name gives up all fields.
    shell.write(
        "c.yaml",
        "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: c}\n",
    );
    shell.all(&["apply --server-side -f @/c.yaml"]);
    let left = shell.json("get cm c");
    assert!(left["data"].is_null(), "{left}");
}
