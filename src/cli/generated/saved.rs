//! Saves objects as YAML: applying them changes nothing, and creating them again restores them.

use super::Sequence;
use super::manifests::KINDS;

#[track_caller]
pub(super) fn restores(sequence: &mut Sequence<'_>) {
    for kind in KINDS {
        let get = format!("get {kind} {kind}");
        let saved = sequence.shell.run(&format!("{get} -o yaml"));
        if saved.code != 0 {
            continue;
        }
        let spec = |sequence: &mut Sequence<'_>| {
            let object = sequence.json(&get);
            let meta = &object["metadata"];
            let mut notes = meta["annotations"].clone();
            if let Some(notes) = notes.as_object_mut() {
                notes.remove("kubectl.kubernetes.io/last-applied-configuration");
            }
            let notes = if notes.as_object().is_none_or(|n| n.is_empty()) {
                Default::default()
            } else {
                notes
            };
            [
                object["spec"].clone(),
                object["data"].clone(),
                meta["labels"].clone(),
                notes,
            ]
        };
        let before = spec(sequence);
        sequence.write(&saved.out);
        sequence.succeeds("apply -f @/m.yaml");
        assert_eq!(spec(sequence), before, "applied as it was printed: {kind}");
        let diff = sequence.run("diff -f @/m.yaml");
        assert_eq!(diff.code, 0, "diff after apply of {kind}: {diff:?}");
        sequence.succeeds(&format!(
            "delete {kind} {kind} --wait=false --cascade=foreground"
        ));
        sequence.settle();
        if *kind == "job" {
            // The Pods of a Job have a label with its uid, so the saved Job is useless after the Job is deleted.
            let said = sequence.run("create -f @/m.yaml");
            let expected = said.code == 1 && said.err.contains("controller-uid");
            assert!(expected, "a Job with another's uid: {said:?}");
            continue;
        }
        sequence.succeeds("create -f @/m.yaml");
        assert_eq!(spec(sequence), before, "restored: {kind}");
    }
}
