//! Tests a real power cut: ext4 or XFS in an image, whose bytes are copied while a writer is stopped at a file-system
//! call. The copy lacks data that the file system had not sent to the device.

use std::io::Write as _;
use std::path::Path;
use std::process::{Child, Stdio};
use std::time::Duration;

use crate::support::mount::Mount;
use crate::support::state::nodes;
use crate::support::{World, can_run, collect, config_map, count, finish, key, note};

/// The environment after the cut, in which the machine has another boot ID.
const REBOOT: &[(&str, &str)] = &[("CTL_TEST_BOOT_ID", "another-boot")];

/// The file systems that lose power.
#[derive(Clone, Copy)]
enum Format {
    Ext4,
    Xfs,
}

impl Format {
    fn name(self) -> &'static str {
        match self {
            Self::Ext4 => "ext4",
            Self::Xfs => "XFS",
        }
    }

    /// Makes an empty file system in an image of the smallest size that its tools support.
    fn make(self, image: &Path) -> bool {
        let path = image.to_str().unwrap();
        let (size, mkfs): (_, &[&str]) = match self {
            Self::Ext4 => ("16M", &["mkfs.ext4", "-qF", path]),
            Self::Xfs => ("300M", &["mkfs.xfs", "-qf", path]),
        };
        // The zeros of a new log become holes, so that a copy of the image costs only its content.
        can_run(&["truncate", "-s", size, path])
            && can_run(mkfs)
            && can_run(&["fallocate", "--dig-holes", path])
    }

    fn mount(self, at: &Path, image: &Path) -> Option<Mount> {
        let options = match self {
            Self::Ext4 => "loop",
            // A copy of a mounted file system has the same ID.
            Self::Xfs => "loop,nouuid",
        };
        Mount::image(at, image, options)
    }
}

/// A cluster on its own file system. The mount is the first field, because it must be dropped first.
struct Disk {
    /// The mount; `None` if no image can be mounted, in which case the writer is killed instead.
    mount: Option<Mount>,
    world: World,
    format: Format,
}

impl Disk {
    /// Returns `None` and prints a note if XFS is unavailable. Without ext4, returns a disk that does not lose power;
    /// its writers are killed instead.
    fn new(format: Format) -> Option<Self> {
        let mut world = World::new();
        let (image, at) = (world.outside("disk.img"), world.outside("disk"));
        let mount = format
            .make(&image)
            .then(|| format.mount(&at, &image))
            .flatten();
        if mount.is_some() {
            world.set("CTL_STATE", at.join("state").to_str().unwrap());
        } else if matches!(format, Format::Xfs) {
            note("XFS was not tried: it needs mkfs.xfs, and root for a loop mount");
            return None;
        } else {
            note("no image can be mounted here: the writers are killed instead");
        }
        let init = ["cluster", "init", "--clock", "virtual", "--seed", "7"];
        let _ = world.run(&init).ok();
        Some(Self {
            mount,
            world,
            format,
        })
    }

    /// Returns the state directory.
    fn state(&self) -> std::path::PathBuf {
        match self.mount {
            Some(_) => self.world.outside("disk/state"),
            None => self.world.state(),
        }
    }

    /// Returns the name under which the counts are reported.
    fn name(&self) -> &'static str {
        match self.mount {
            Some(_) => self.format.name(),
            None => "no device",
        }
    }

    /// Mounts a copy of the device's current content elsewhere, in a new world.
    fn after_a_cut(&self) -> (World, Option<Mount>) {
        let mut world = World::new();
        if self.mount.is_none() {
            let from = format!("{}/.", self.world.state().display());
            std::fs::create_dir(world.state()).unwrap();
            assert!(can_run(&[
                "cp",
                "-a",
                &from,
                world.state().to_str().unwrap()
            ]));
            return (world, None);
        }
        let (image, copy) = (self.world.outside("disk.img"), world.outside("copy.img"));
        let (image, copy) = (image.to_str().unwrap(), copy.to_str().unwrap());
        assert!(can_run(&["cp", "--sparse=always", image, copy]));
        let at = world.outside("disk");
        let mount = self.format.mount(&at, Path::new(copy));
        assert!(mount.is_some());
        world.set("CTL_STATE", at.join("state").to_str().unwrap());
        (world, mount)
    }
}

/// Starts a put that stops itself before the `n`th file-system call.
fn stopped_put(world: &World, name: &str, value: &str, n: usize) -> Child {
    let mut command = world.command();
    command.env("CTL_FAULT", format!("stop:any:{n}"));
    command.args(["raw", "put", &key(name)]);
    command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    let mut input = child.stdin.take().unwrap();
    input.write_all(config_map(value).as_bytes()).unwrap();
    child
}

/// Waits until a process has stopped itself, or ended.
fn wait_until_stopped(pid: u32) {
    let stat = format!("/proc/{pid}/stat");
    let state = || {
        let text = std::fs::read_to_string(&stat).unwrap();
        text.rsplit_once(") ").unwrap().1.chars().next().unwrap()
    };
    while !"TZX".contains(state()) {
        std::thread::sleep(Duration::from_millis(1));
    }
}

#[test]
fn power_cut_on_ext4_loses_no_acknowledged_write() {
    acknowledged_writes_outlive_cuts(Format::Ext4);
}

#[test]
fn power_cut_on_xfs_loses_no_acknowledged_write() {
    acknowledged_writes_outlive_cuts(Format::Xfs);
}

fn acknowledged_writes_outlive_cuts(format: Format) {
    let Some(disk) = Disk::new(format) else {
        return;
    };
    let (mut acked, mut in_flight, cuts) = (0, 0, count(8, 100));
    for cut in 0..cuts {
        for _ in 0..=cut % 3 {
            let _ = disk.world.put(&format!("o{acked:04}"), "acknowledged").ok();
            acked += 1;
        }
        // Every fourth change is a large batch, which must be complete or absent.
        if cut % 4 == 0 {
            let lines: String = (0..8)
                .map(|n| {
                    format!(
                        "put {} {}\n",
                        key(&format!("b{n}")),
                        config_map(&cut.to_string())
                    )
                })
                .collect();
            let _ = disk.world.run_with(&["raw", "batch"], &lines).ok();
        }
        let n = 20 + cut * 7 % 30;
        let mut child = stopped_put(&disk.world, "flying", &cut.to_string(), n);
        wait_until_stopped(child.id());
        let (copy, _mount) = disk.after_a_cut();
        child.kill().unwrap();
        assert_eq!(collect(child).code, 137);
        let place = format!("cut {cut} before call {n}");
        let list = copy.run_env(REBOOT, &["raw", "list"], "").ok();
        let found = list.matches("configmaps/default/o").count();
        assert_eq!(found, acked, "{place}: {list}");
        let batch = list.matches(&format!(r#""v":"{}""#, cut / 4 * 4)).count();
        assert!(
            [8, 9].contains(&batch),
            "{place}: {batch} of the batch\n{list}"
        );
        let value = format!(r#""v":"{cut}""#);
        let mut lines = list.lines();
        in_flight += usize::from(lines.any(|l| l.contains("/flying	") && l.contains(&value)));
        let _ = copy
            .run_env(REBOOT, &["raw", "put", &key("after")], &config_map("1"))
            .ok();
        let checked = copy.run_env(REBOOT, &["fsck", "--history"], "").ok();
        assert!(checked.contains("no problem"), "{place}: {checked}");
        assert_eq!(checked.lines().count(), 1, "{place}: {checked}");
    }
    note(&format!(
        "T11, {}: {cuts} cuts, {acked} objects acknowledged, 0 lost, {in_flight} in flight arrived",
        disk.name()
    ));
}

#[test]
fn power_cut_on_ext4_keeps_synced_hand_edits() {
    synced_edits_outlive_cuts(Format::Ext4);
}

#[test]
fn power_cut_on_xfs_keeps_synced_hand_edits() {
    synced_edits_outlive_cuts(Format::Xfs);
}

/// Makes accepted, rejected and invalid edits, which their editor syncs, while a command stops before some call or
/// completes.
fn synced_edits_outlive_cuts(format: Format) {
    let Some(disk) = Disk::new(format) else {
        return;
    };
    let (cuts, mut kept) = (count(9, 120), 0);
    for cut in 0..cuts {
        let world = &disk.world;
        let name = format!("e{cut}");
        let _ = world.put(&name, "before").ok();
        let token = format!("typed-{cut}");
        let script = match cut % 3 {
            0 => r#"printf ': %s\n\tbad\n' "$2" >> "$1""#,
            1 => r#"sed -i "s/v: before/v: $2/" "$1""#,
            _ => r#"touch -r "$1" "$1.t"; printf '%s: x\n: y\n' "$2" > "$1"; touch -r "$1.t" "$1""#,
        };
        let path = disk.state().join(format!("default/configmaps/{name}.yaml"));
        let mut editor = world.command_for(Path::new("sh"));
        let script = format!(r#"{script}; sync "$1" "$(dirname "$1")""#);
        editor
            .args(["-e", "-c", &script, "sh"])
            .arg(&path)
            .arg(&token);
        let _ = finish(editor, "").ok();
        // The last calls and the end are the most important ones.
        let n = if cut % 4 == 3 {
            10_000
        } else {
            10 + cut * 11 % 70
        };
        let mut command = world.command();
        command.env("CTL_FAULT", format!("stop:any:{n}"));
        command.args(["raw", "list"]);
        command
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null());
        let mut child = command.spawn().unwrap();
        wait_until_stopped(child.id());
        let (copy, _mount) = disk.after_a_cut();
        child.kill().unwrap();
        let _ = child.wait().unwrap();
        let list = copy.run_env(REBOOT, &["raw", "list"], "").ok();
        let state = match disk.mount {
            Some(_) => copy.outside("disk/state"),
            None => copy.state(),
        };
        let files = nodes(&state).into_iter();
        let aside: Vec<_> = files
            .filter(|(path, _)| path.contains(".yaml.rejected"))
            .map(|(path, node)| (path, String::from_utf8_lossy(&node.bytes).into_owned()))
            .collect();
        let found = list.contains(&token) || aside.iter().any(|(_, text)| text.contains(&token));
        assert!(found, "cut {cut} before call {n}: {aside:?}\n{list}");
        kept += usize::from(!list.contains(&token));
        let _ = world.list();
    }
    note(&format!(
        "T11, {}: {cuts} cuts while an edit was met, 0 edits lost, {kept} kept aside",
        disk.name()
    ));
}

#[test]
fn power_cut_on_ext4_loses_unsynced_data() {
    what_is_not_synced_is_lost(Format::Ext4);
}

#[test]
fn power_cut_on_xfs_loses_unsynced_data() {
    what_is_not_synced_is_lost(Format::Xfs);
}

/// The control experiment: a writer on the same device with the same cut does not sync, and must lose acknowledged
/// writes. Without a device, the caches outlive the writer, and the control checks that.
fn what_is_not_synced_is_lost(format: Format) {
    let Some(disk) = Disk::new(format) else {
        return;
    };
    let place = match &disk.mount {
        Some(_) => disk.world.outside("disk/plain"),
        None => disk.world.state().join("plain"),
    };
    let (mut acked, mut lost, cuts) = (0, 0, count(3, 20));
    for cut in 0..cuts {
        let mut plain = std::fs::File::options();
        let mut plain = plain.append(true).create(true).open(&place).unwrap();
        plain
            .write_all(format!("record {cut}\n").as_bytes())
            .unwrap();
        acked += 1;
        let (copy, mount) = disk.after_a_cut();
        let found = match mount {
            Some(_) => copy.outside("disk/plain"),
            None => copy.state().join("plain"),
        };
        let text = std::fs::read_to_string(found).unwrap_or_default();
        lost += usize::from(text.lines().count() < acked);
        // The cluster next to it is still complete.
        let _ = copy.run_env(REBOOT, &["raw", "list"], "").ok();
        assert!(nodes(&copy.outside(".")).len() > 1);
    }
    note(&format!(
        "T11, {}: without a sync {lost} of {cuts} cuts lost something",
        disk.name()
    ));
    if disk.mount.is_some() {
        assert!(lost > 0, "the cut is none: nothing was lost without a sync");
    } else {
        assert_eq!(lost, 0, "a kill is no power cut");
    }
}
