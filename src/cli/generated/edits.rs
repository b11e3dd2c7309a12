//! Edits with a sed script as the editor. Each script can run on its own result without changing it.

use super::Sequence;
use super::manifests::KINDS;

/// Scripts that replace or add values, with the format they apply to.
const CHANGES: &[(&str, &str)] = &[
    ("yaml", "sed -i 's/nginx:1.25/nginx:1.26/' \"$1\""),
    ("yaml", "sed -i 's/ replicas: [0-9]*$/ replicas: 2/' \"$1\""),
    (
        "yaml",
        "sed -i 's/ rows: [0-9]*$/ rows: 3/; s/season: spring/season: autumn/' \"$1\"",
    ),
    (
        "yaml",
        "sed -i 's/tier: front/tier: edited/; s/note: .*/note: edited/' \"$1\"",
    ),
    (
        "yaml",
        "sed -i 's/containerPort: 80$/containerPort: 81/; s/ port: 80$/ port: 81/' \"$1\"",
    ),
    (
        "yaml",
        "sed -i 's/ minAvailable: 1$/ minAvailable: 2/; s/ a: \"1\"/ a: \"9\"/' \"$1\"",
    ),
    (
        "yaml",
        "grep -q edited: \"$1\" || sed -i 's/^metadata:$/&\\n  labels: {edited: \"1\"}/' \"$1\"",
    ),
    (
        "json",
        "sed -i 's/\"replicas\": [0-9]*/\"replicas\": 1/; s/\"rows\": [0-9]*/\"rows\": 2/' \"$1\"",
    ),
    (
        "json",
        "sed -i 's/nginx:1.26/nginx:1.27/; s/\"front\"/\"edited\"/' \"$1\"",
    ),
];

/// Scripts that remove or break lines, whatever becomes of the object.
const REMOVALS: &[&str] = &[
    "sed -i '/tier:/d' \"$1\"",
    // Not `resources: {}`, from which the range would extend to the end of the file.
    "sed -i '/ resources:$/,/memory:/d' \"$1\"",
    "sed -i '/  annotations:/,/^  creationTimestamp/{/creationTimestamp/!d}' \"$1\"",
    "sed -i 's/^spec:$/spec/' \"$1\"",
    "sed -i 's/^kind: .*/kind: Other/' \"$1\"",
    "sed -i 's/^  name: .*/  name: renamed/' \"$1\"",
    ": > \"$1\"",
    "exit 1",
    ":",
];

/// Edits an object, often without effect. A change belongs to the manager of `edit`, and repeating the edit writes
/// nothing.
#[track_caller]
pub(super) fn edit(sequence: &mut Sequence<'_>) {
    let kind = sequence.random.pick(KINDS);
    let get = format!("get {kind} {kind}");
    if sequence.shell.run(&get).code != 0 {
        return;
    }
    let removes = sequence.random.below(3) == 0;
    let (format, script) = match removes {
        true => ("yaml", sequence.random.pick(REMOVALS)),
        false => CHANGES[sequence.random.below(CHANGES.len())],
    };
    write(sequence, script);
    let line = format!("edit {kind} {kind} -o {format}");
    let before = sequence.json(&get);
    if sequence.run(&line).code != 0 {
        assert_eq!(sequence.json(&get), before, "a rejected edit: {script}");
        return;
    }
    let after = sequence.json(&get);
    let _ = sequence.run(&line);
    let again = sequence.json(&get);
    let version = |object: &crate::api::json::Value| object["metadata"]["resourceVersion"].clone();
    assert_eq!(version(&after), version(&again), "edited twice: {script}");
    if !removes && version(&before) != version(&after) {
        let stored = sequence.json(&format!("{get} --show-managed-fields"));
        let entries = stored["metadata"]["managedFields"].as_array().unwrap();
        let is_own = entries
            .iter()
            .any(|entry| entry["manager"] == "kubectl-edit");
        assert!(is_own, "edited by nobody: {script}: {stored}");
    }
}

/// Edits the status of an object. Its spec must not change.
#[track_caller]
pub(super) fn edit_status(sequence: &mut Sequence<'_>) {
    let kind = sequence
        .random
        .pick(&["deployment", "crop", "job", "field"]);
    let get = format!("get {kind} {kind}");
    if sequence.shell.run(&get).code != 0 {
        return;
    }
    let script = sequence.random.pick(&[
        "sed -i 's/ rows: [0-9]*$/ rows: 4/' \"$1\"",
        "sed -i 's/eadyReplicas: [0-9]*$/eadyReplicas: 0/' \"$1\"",
        "sed -i 's/eplicas: [0-9]*$/eplicas: 1/; s/phase: .*/phase: edited/' \"$1\"",
    ]);
    write(sequence, script);
    let before = sequence.json(&get);
    let said = sequence.run(&format!("edit {kind} {kind} --subresource=status"));
    let after = sequence.json(&get);
    assert_eq!(
        before["spec"], after["spec"],
        "an edit of the status: {script}"
    );
    if kind == "field" {
        assert_ne!(said.code, 0, "fields have no status: {said:?}");
    }
}

fn write(sequence: &mut Sequence<'_>, script: &str) {
    sequence.done.push(format!("# KUBE_EDITOR: {script}"));
    sequence.shell.write("edit.sh", script);
}
