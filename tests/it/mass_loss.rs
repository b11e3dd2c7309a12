//! Tests the removal of very many files, which does not count as an intended deletion.

use crate::support::{World, config_map, key};

/// Returns a cluster with this many ConfigMaps.
fn world_with(objects: usize) -> World {
    let world = World::cluster();
    let put = |n: usize| format!("put {} {}\n", key(&format!("m{n}")), config_map("x"));
    let lines: String = (0..objects).map(put).collect();
    let _ = world.run_with(&["raw", "batch"], &lines).ok();
    world
}

fn remove(world: &World, files: std::ops::Range<usize>) {
    for n in files {
        std::fs::remove_file(world.path(&format!("default/configmaps/m{n}.yaml"))).unwrap();
    }
}

/// Returns the number of objects in a list and the messages that came with it.
fn list(world: &World) -> (usize, Vec<String>) {
    let ran = world.run(&["raw", "list"]);
    let said = ran.err.lines().map(str::to_owned).collect();
    (ran.ok().lines().count() - 1, said)
}

/// Returns the number of commits that removed an object by hand.
fn removals(world: &World) -> usize {
    let log = world.run(&["raw", "log"]).ok();
    log.lines()
        .filter(|l| l.contains("\thand-edit\tremove\t"))
        .count()
}

#[test]
fn moved_tree_deletes_no_objects() {
    let world = world_with(40);
    let (tree, away) = (world.path("default"), world.outside("away"));
    std::fs::rename(&tree, &away).unwrap();
    let (objects, said) = list(&world);
    assert_eq!((objects, said.len()), (40, 1), "{said:?}");
    assert!(
        said[0].contains("40 of 40 objects have lost their files"),
        "{said:?}"
    );
    assert!(said[0].contains("`ctl fsck --accept-deletes`"), "{said:?}");
    let _ = world.fsck();
    assert_eq!(removals(&world), 0);
    std::fs::rename(&away, &tree).unwrap();
    assert_eq!(list(&world), (40, Vec::new()));
    assert_eq!(world.fsck().lines().count(), 1);
}

#[test]
fn cluster_without_its_tree_works_and_repair_restores_files() {
    let world = world_with(40);
    std::fs::rename(world.path("default"), world.outside("away")).unwrap();
    let _ = world.put("m7", "y").ok();
    let _ = world.put("new", "z").ok();
    let _ = world.run(&["raw", "delete", &key("m8")]).ok();
    assert_eq!(world.value("m7").as_deref(), Some("y"));
    let ran = world.run(&["fsck", "--repair"]);
    assert!(
        ran.out.contains("default/configmaps/m39.yaml: rewritten"),
        "{ran:?}"
    );
    let _ = ran.ok();
    assert_eq!(list(&world), (40, Vec::new()));
    assert_eq!(removals(&world), 0);
    assert_eq!(world.fsck().lines().count(), 1);
}

#[test]
fn mass_removal_is_applied_only_with_accept_deletes() {
    let world = world_with(40);
    remove(&world, 0..20);
    let (objects, said) = list(&world);
    assert_eq!((objects, said.len()), (40, 1), "{said:?}");
    assert!(said[0].contains("20 of 40 objects"), "{said:?}");
    assert_eq!(removals(&world), 0);
    let _ = world.run(&["fsck", "--accept-deletes"]).ok();
    assert_eq!(list(&world), (20, Vec::new()));
    let _ = world.fsck();
}

#[test]
fn removals_up_to_the_mass_loss_limit_delete_objects() {
    for (objects, most) in [(1, 1), (40, 4), (300, 20)] {
        let world = world_with(objects);
        remove(&world, 0..most);
        let (left, said) = list(&world);
        assert_eq!(left, objects - most, "{most} of {objects}");
        let removed = said.iter().filter(|l| l.ends_with(".yaml: removed"));
        assert_eq!((removed.count(), said.len()), (most, most), "{said:?}");
        assert_eq!(removals(&world), 1);
        let _ = world.fsck();
    }
    for (objects, more) in [(2, 2), (40, 5), (300, 21)] {
        let world = world_with(objects);
        remove(&world, 0..more);
        let (left, said) = list(&world);
        assert_eq!(
            (left, said.len()),
            (objects, 1),
            "{more} of {objects}: {said:?}"
        );
        assert_eq!(removals(&world), 0);
        let _ = world.fsck();
    }
}
