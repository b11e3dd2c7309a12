//! Reads a state directory from the outside: its current files, and its files at an earlier time.

use std::collections::BTreeMap;
use std::fs;
use std::io::{Read as _, Seek as _, Write as _};
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

/// A file or directory.
#[derive(Clone, PartialEq, Eq)]
pub struct Node {
    pub is_dir: bool,
    pub mode: u32,
    pub inode: u64,
    /// The modification time of its content; `None` for directories.
    modified: Option<SystemTime>,
    pub bytes: Vec<u8>,
}

impl std::fmt::Debug for Node {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let (mode, inode, time) = (self.mode, self.inode, self.modified);
        write!(f, "{} bytes {mode:o} #{inode} {time:?}", self.bytes.len())
    }
}

/// Returns every file and directory below `root`, by its relative path.
pub fn nodes(root: &Path) -> BTreeMap<String, Node> {
    let mut found = BTreeMap::new();
    collect_nodes(root, "", &mut found);
    found
}

fn collect_nodes(root: &Path, below: &str, found: &mut BTreeMap<String, Node>) {
    let Ok(entries) = fs::read_dir(root.join(below)) else {
        return;
    };
    for entry in entries.flatten() {
        let name = entry.file_name().into_string().unwrap();
        let path = match below {
            "" => name,
            _ => format!("{below}/{name}"),
        };
        let Ok(meta) = entry.metadata() else { continue };
        let node = Node {
            is_dir: meta.is_dir(),
            mode: meta.permissions().mode() & 0o7777,
            inode: meta.ino(),
            modified: meta.is_file().then(|| meta.modified().unwrap()),
            bytes: match meta.is_file() {
                true => fs::read(root.join(&path)).unwrap_or_default(),
                false => Vec::new(),
            },
        };
        if node.is_dir {
            collect_nodes(root, &path, found);
        }
        found.insert(path, node);
    }
}

/// Returns the temporary files of an interrupted writer: staged files, and journals that were never begun.
pub fn leftovers(root: &Path) -> Vec<String> {
    let is_one = |path: &String| {
        path.starts_with(".ctl/tmp/")
            || path.starts_with(".ctl/journal/new-")
            || path.contains(".rejected")
    };
    nodes(root).into_keys().filter(is_one).collect()
}

/// Returns the path of the current generation and its published length, from `.ctl/head`.
pub fn journal_of(root: &Path) -> (PathBuf, u64) {
    let head = fs::read_to_string(root.join(".ctl/head")).unwrap();
    let words: Vec<&str> = head.split(' ').collect();
    let generation: u64 = words[2].parse().unwrap();
    let path = root.join(format!(".ctl/journal/{generation:010}"));
    (path, words[4].parse().unwrap())
}

/// Writes a file, in place if it exists.
pub fn write_file(path: &Path, bytes: &[u8]) {
    let mut options = fs::File::options();
    let options = options.write(true).create(true).truncate(true);
    options.open(path).unwrap().write_all(bytes).unwrap();
}

/// Truncates a file to `length`.
pub fn cut(path: &Path, length: u64) {
    let file = fs::File::options().write(true).open(path).unwrap();
    file.set_len(length).unwrap();
}

/// A copy of a directory at some time. Restoring it keeps every inode, because the store treats a directory whose
/// journal has another inode as a copy.
pub struct Snapshot {
    root: PathBuf,
    nodes: BTreeMap<String, Node>,
    /// A second link to every file, so that no inode is freed.
    keep: tempfile::TempDir,
}

impl Snapshot {
    pub fn of(root: &Path) -> Self {
        let keep = tempfile::tempdir_in(root.parent().unwrap()).unwrap();
        let nodes = nodes(root);
        for (path, node) in nodes.iter().filter(|(_, node)| !node.is_dir) {
            let kept = keep.path().join(node.inode.to_string());
            fs::hard_link(root.join(path), kept).unwrap();
        }
        Self {
            root: root.to_path_buf(),
            nodes,
            keep,
        }
    }

    /// Restores the directory.
    pub fn restore(&self) {
        for (path, node) in nodes(&self.root).into_iter().rev() {
            let place = self.root.join(&path);
            let same = |old: &Node| (old.is_dir, old.inode) == (node.is_dir, node.inode);
            match self.nodes.get(&path) {
                Some(old) if node.is_dir && old.is_dir || same(old) => {}
                _ if node.is_dir => fs::remove_dir(place).unwrap(),
                _ => fs::remove_file(place).unwrap(),
            }
        }
        for (path, node) in &self.nodes {
            let place = self.root.join(path);
            if node.is_dir && !place.exists() {
                fs::create_dir(&place).unwrap();
            } else if !node.is_dir {
                if !place.exists() {
                    let kept = self.keep.path().join(node.inode.to_string());
                    fs::hard_link(kept, &place).unwrap();
                }
                put_back(&place, node);
            }
            fs::set_permissions(&place, fs::Permissions::from_mode(node.mode)).unwrap();
        }
    }
}

fn put_back(place: &Path, node: &Node) {
    let mut file = fs::File::options()
        .read(true)
        .write(true)
        .open(place)
        .unwrap();
    let mut bytes = Vec::new();
    file.read_to_end(&mut bytes).unwrap();
    if bytes != node.bytes {
        file.set_len(0).unwrap();
        file.rewind().unwrap();
        file.write_all(&node.bytes).unwrap();
    }
    file.set_modified(node.modified.unwrap()).unwrap();
}
