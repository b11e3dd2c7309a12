//! Tests that network and user-space file systems are recognized by their magic numbers and rejected unless a flag
//! allows them.

use crate::support::World;

const NETWORK: &[(&str, &str)] = &[
    ("0x6969", "NFS"),
    ("0x517b", "SMB"),
    ("0xff534d42", "CIFS"),
    ("0xfe534d42", "SMB2"),
    ("0x01021997", "9p"),
    ("0x65735546", "FUSE"),
    ("0x00c36400", "CephFS"),
    ("0x5346414f", "AFS"),
    ("0x6b414653", "AFS"),
    ("0x73757245", "Coda"),
    ("0x0bd00bd0", "Lustre"),
    ("0x47504653", "GPFS"),
    ("0x01161970", "GFS2"),
    ("0x7461636f", "OCFS2"),
];

/// Local file systems: ext4, XFS, btrfs, tmpfs, overlayfs, ZFS, F2FS, bcachefs, ramfs.
const LOCAL: &[&str] = &[
    "0xef53",
    "0x58465342",
    "0x9123683e",
    "0x01021994",
    "0x794c7630",
    "0x2fc12fc1",
    "0xf2f52010",
    "0xca451a4e",
    "0x858458f6",
];

#[test]
fn network_file_system_is_rejected_without_its_flag() {
    for (magic, name) in NETWORK {
        let mut world = World::new();
        world.set("CTL_TEST_FS_MAGIC", magic);
        let put = ["raw", "put", "configmaps/default/a"];
        for args in [&["cluster", "init"][..], &put, &["raw", "list"], &["fsck"]] {
            let said = world
                .run_with(args, &crate::support::config_map("1"))
                .fails();
            assert!(
                said.contains(&format!("is on {name}")),
                "{magic} {args:?}: {said}"
            );
            assert!(
                said.contains("locks and renames cannot be trusted"),
                "{said}"
            );
            assert!(said.contains("--allow-network-fs"), "{said}");
            assert!(
                !world.path(".ctl").exists(),
                "{magic} {args:?} wrote something"
            );
        }
        let insisting = [&["--allow-network-fs"], &put[..]].concat();
        let _ = world
            .run_with(&insisting, &crate::support::config_map("1"))
            .ok();
        let said = world.put("a", "2").fails();
        assert!(said.contains(name), "{said}");
        let read = world
            .run(&["--allow-network-fs", "raw", "get", put[2]])
            .ok();
        assert!(read.contains(r#""v":"1""#), "{read}");
    }
}

#[test]
fn local_file_system_prints_no_warning() {
    for magic in LOCAL {
        let mut world = World::new();
        world.set("CTL_TEST_FS_MAGIC", magic);
        let ran = world.put("a", "1");
        assert!(ran.code == 0 && ran.err.is_empty(), "{magic}: {ran:?}");
    }
}
