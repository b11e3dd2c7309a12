//! Crash tests of the whole store with its YAML tree: after any crash the next command, and the
//! tree, show the acknowledged state.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::count;
use crate::api::json::json;
use crate::contract::Store as _;
use crate::files::FileStore;
use crate::interface::{Batch, Cause, Expect, Op, Result};
use crate::key::{Key, Range};
use crate::options::Options;
use crate::settings::{ClockMode, Settings};
use crate::sys::entropy::Seed;
use crate::sys::fs::Fs as _;
use crate::sys::sim_fs::{Dice, Disk, SimFs};

pub(super) type Contents = BTreeMap<String, String>;

pub(crate) fn store(fs: &SimFs) -> Result<FileStore> {
    let mut settings = Settings::new(Seed(1));
    settings.clock = ClockMode::Virtual;
    FileStore::open_or_create(Arc::new(fs.clone()), Options::default(), settings)
}

pub(crate) fn key(name: &str) -> Key {
    Key::new("configmaps", Some("default"), name).unwrap()
}

pub(crate) fn object(name: &str, value: &str) -> Vec<u8> {
    let uid = format!("uid-{name}");
    let metadata = json!({"name": name, "namespace": "default", "uid": uid});
    let object = json!({
        "apiVersion": "v1", "data": {"v": value}, "kind": "ConfigMap", "metadata": metadata,
    });
    serde_json::to_vec(&object).unwrap()
}

/// Returns commits of one or two objects: created, changed, removed.
fn batches() -> Vec<Batch> {
    let put = |name: &str, value: &str| Op::put(key(name), object(name, value), Expect::Any);
    let delete = |name: &str| Op::delete(key(name), Expect::Any);
    vec![
        Batch::new(vec![put("a", "1"), put("b", "1")]),
        Batch::new(vec![put("a", "2")]),
        Batch::new(vec![delete("b"), put("c", "1")]),
        Batch::new(vec![put("c", "2"), put("a", "3")]),
        Batch::new(vec![delete("a"), delete("c")]),
    ]
}

pub(super) fn contents(fs: &SimFs) -> Result<Contents> {
    let list = store(fs)?.list(&Range::all())?;
    Ok(list
        .items
        .into_iter()
        .map(|item| {
            (
                item.key.to_string(),
                String::from_utf8_lossy(&item.json).into_owned(),
            )
        })
        .collect())
}

fn model(after: usize) -> Contents {
    let mut state = Contents::new();
    for op in batches().into_iter().take(after).flat_map(|b| b.ops) {
        match op.json {
            Some(json) => drop(state.insert(
                op.key.to_string(),
                String::from_utf8(json.to_vec()).unwrap(),
            )),
            None => drop(state.remove(op.key.as_str())),
        }
    }
    state
}

/// Opens an image; the store and the tree must equal one of the models.
fn check(image: &Disk, models: &[Contents]) -> std::result::Result<(), String> {
    let fs = SimFs::on(image.clone());
    let promised = |found: &Contents| {
        let known = models.iter().position(|model| model == found);
        known.ok_or_else(|| format!("lost or partial: {found:?}, not one of {models:?}"))
    };
    let read = || contents(&fs).map_err(|e| format!("refused: {e}"));
    let first = promised(&read()?)?;
    // After one more write a dead writer's commit is in, the tree is whole and no leftovers exist.
    store(&fs)
        .and_then(|s| s.exclusive(None).map(drop))
        .map_err(|e| e.to_string())?;
    let found = read()?;
    if promised(&found)? < first {
        return Err(format!("{found:?} is older than what was read before"));
    }
    let disk = fs.disk();
    let files = disk.names("default/configmaps");
    let wanted: Vec<String> = found
        .keys()
        .map(|k| format!("{}.yaml", k.rsplit('/').next().unwrap_or_default()))
        .collect();
    if files != wanted {
        return Err(format!("the tree shows {files:?}, not {wanted:?}"));
    }
    let staged = disk.names(".ctl/tmp");
    if staged.is_empty() {
        Ok(())
    } else {
        Err(format!("left over: {staged:?}"))
    }
}

#[test]
fn t01_the_whole_store_survives_every_crash_with_its_tree() {
    let fs = SimFs::new();
    drop(store(&fs).unwrap());
    fs.record();
    let mut acknowledged_at = vec![0];
    for batch in batches() {
        store(&fs)
            .unwrap()
            .commit(&Cause::new("w", "r"), batch)
            .unwrap();
        acknowledged_at.push(fs.recorded());
    }
    let last = fs.disk();
    let mut disks = fs.take_recording();
    disks.push(last);
    let models: Vec<Contents> = (0..=batches().len()).map(model).collect();
    let mut dice = Dice(99);
    let (mut kills, mut cuts) = (0, 0);
    for (at, disk) in disks.iter().enumerate() {
        let acknowledged = acknowledged_at.iter().filter(|a| **a <= at).count() - 1;
        let models = &models[acknowledged..=(acknowledged + 1).min(batches().len())];
        kills += 1;
        check(disk, models)
            .map_err(|e| format!("call {at}, killed: {e}"))
            .unwrap();
        for image in disk.power_images(count(25, 400), &mut dice) {
            cuts += 1;
            check(&image, models)
                .map_err(|e| format!("call {at}, power cut: {e}"))
                .unwrap();
        }
    }
    eprintln!("T01 (whole store): {kills} kills, {cuts} power cuts");
    assert!(cuts > 500);
}

/// Saves a file as an editor does: a new one in its place, synced.
fn save(fs: &SimFs, path: &str, text: &str) {
    let temporary = "default/configmaps/.edited";
    let file = fs.create(temporary).unwrap();
    file.write_at(text.as_bytes(), 0).unwrap();
    file.sync_data().unwrap();
    fs.rename(temporary, path).unwrap();
    fs.sync_dir("default/configmaps").unwrap();
}

#[test]
fn t01_comments_of_an_imported_edit_survive_every_crash() {
    let fs = SimFs::new();
    drop(store(&fs).unwrap());
    let put = |name: &str, value: &str| {
        let op = Op::put(key(name), object(name, value), Expect::Any);
        store(&fs)
            .unwrap()
            .commit(&Cause::new("w", "r"), Batch::new(vec![op]))
            .unwrap();
    };
    put("a", "1");
    let path = key("a").path();
    let text = String::from_utf8(fs.disk().bytes(&path).unwrap()).unwrap();
    let edited = format!(
        "# head\n{}# end\n",
        text.replace("v: \"1\"\n", "v: \"2\" # two\n")
    );
    save(&fs, &path, &edited);
    let _ = store(&fs).unwrap().list(&Range::all()).unwrap();
    fs.record();
    // Every rewrite has them.
    put("a", "3");
    put("b", "1");
    put("a", "4");
    let last = fs.disk();
    let mut disks = fs.take_recording();
    disks.push(last);
    check_comments(&disks);
    // And so has the import itself, wherever it ends.
    let fs = SimFs::on(disks[0].clone());
    let text = String::from_utf8(fs.disk().bytes(&path).unwrap()).unwrap();
    save(
        &fs,
        &path,
        &text.replace("v: \"2\" # two\n", "v: \"5\" # two\n# below\n"),
    );
    fs.record();
    let _ = store(&fs).unwrap().list(&Range::all()).unwrap();
    let last = fs.disk();
    let mut disks = fs.take_recording();
    disks.push(last);
    check_comments(&disks);
}

/// Opens every state that a kill or a power cut may leave: the file of `a` has its comments.
fn check_comments(disks: &[Disk]) {
    let mut dice = Dice(5);
    let mut seen = 0;
    for (at, disk) in disks.iter().enumerate() {
        let images = disk.power_images(count(12, 200), &mut dice);
        for (number, image) in std::iter::once(disk.clone()).chain(images).enumerate() {
            let fs = SimFs::on(image);
            drop(store(&fs).unwrap().exclusive(None).unwrap());
            let _ = store(&fs).unwrap().list(&Range::all()).unwrap();
            let text = fs.disk().bytes(&key("a").path()).unwrap();
            let text = String::from_utf8(text).unwrap();
            let whole = text.starts_with("# head\n") && text.ends_with("# end\n");
            assert!(whole && text.contains("\" # two\n"), "call {at}: {text}");
            // A power cut may restore a file that was imported and discarded before: it is kept as rejected, because it
            // could be a user's restore.
            let kept = fs.disk().names("default/configmaps");
            let rejected = kept.iter().any(|name| name.contains("rejected"));
            assert!(!rejected || number > 0, "call {at}: {kept:?}");
            seen += 1;
        }
    }
    assert!(seen > 100, "{seen}");
}
