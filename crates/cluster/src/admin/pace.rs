//! When the YAML tree follows: with each commit, or once after many.

use crate::cluster::{Cluster, Result};

impl Cluster {
    /// Lets the YAML files wait: commits are durable and seen by everybody, but the files are
    /// written at [`Cluster::show_held`], once for each object, however often it changed. Where
    /// that never comes (this process was killed), the next writer writes them.
    pub fn hold_tree(&self) {
        // Without a tree there is nothing to hold back.
        if let Some(directory) = self.context.store.directory() {
            directory.hold_tree();
        }
    }

    /// Writes the files that wait, and lets no more of them wait.
    ///
    /// # Errors
    /// Fails if the directory cannot be locked or read.
    pub fn show_held(&self) -> Result<()> {
        let directory = self.context.store.directory();
        directory.map_or(Ok(()), |directory| directory.show_held())
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write as _;
    use std::path::PathBuf;

    use crate::api::json::json;
    use crate::testing::{Scratch, fresh, open, place};
    use crate::{Cluster, DeleteOptions, PatchType, WriteOptions};

    fn file(scratch: &Scratch, name: &str) -> PathBuf {
        let path = format!("default/configmaps/{name}.yaml");
        scratch.directory.path().join(path)
    }

    fn create(cluster: &Cluster, name: &str) {
        let object = json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name}});
        let place = place("configmaps");
        cluster
            .create(&place, &object, &WriteOptions::default())
            .unwrap();
    }

    fn set(cluster: &Cluster, name: &str, value: &str) {
        let patch = (PatchType::Merge, &json!({"data": {"k": value}}));
        let place = place("configmaps");
        cluster
            .patch(&place, name, patch, false, &WriteOptions::default())
            .unwrap();
    }

    fn value(cluster: &Cluster, name: &str) -> String {
        let object = cluster.get(&place("configmaps"), name).unwrap();
        object["data"]["k"].as_str().unwrap_or_default().to_owned()
    }

    #[test]
    fn files_wait_until_they_are_asked_for_and_show_the_last_version() {
        let scratch = fresh();
        create(&scratch, "old");
        scratch.hold_tree();
        create(&scratch, "a");
        set(&scratch, "a", "1");
        set(&scratch, "a", "2");
        create(&scratch, "short");
        let delete = DeleteOptions::default();
        scratch
            .delete(&place("configmaps"), "short", &delete)
            .unwrap();
        scratch
            .delete(&place("configmaps"), "old", &delete)
            .unwrap();
        assert!(!file(&scratch, "a").exists() && file(&scratch, "old").exists());
        // Nobody who reads takes a file that waits for an edit.
        let other = Cluster::open(scratch.directory.path(), open()).unwrap();
        assert_eq!(value(&other, "a"), "2");
        assert!(other.get(&place("configmaps"), "old").is_err());
        scratch.show_held().unwrap();
        let text = std::fs::read_to_string(file(&scratch, "a")).unwrap();
        assert!(text.contains("k: \"2\""), "{text}");
        assert!(!file(&scratch, "old").exists() && !file(&scratch, "short").exists());
        create(&scratch, "b");
        assert!(file(&scratch, "b").exists());
    }

    #[test]
    fn the_next_writer_shows_what_a_killed_one_left() {
        let scratch = fresh();
        scratch.hold_tree();
        create(&scratch, "a");
        set(&scratch, "a", "1");
        let other = Cluster::open(scratch.directory.path(), open()).unwrap();
        create(&other, "b");
        assert!(file(&scratch, "a").exists() && file(&scratch, "b").exists());
        // The one who holds goes on, and takes no file for an edit.
        set(&scratch, "b", "3");
        set(&scratch, "a", "2");
        scratch.show_held().unwrap();
        assert_eq!(
            (value(&other, "a").as_str(), value(&other, "b").as_str()),
            ("2", "3")
        );
        assert!(
            std::fs::read_to_string(file(&scratch, "b"))
                .unwrap()
                .contains("\"3\"")
        );
    }

    #[test]
    fn an_edit_of_an_object_whose_file_waits_is_not_lost() {
        let scratch = fresh();
        create(&scratch, "a");
        scratch.hold_tree();
        set(&scratch, "a", "1");
        let options = std::fs::File::options()
            .append(true)
            .open(file(&scratch, "a"));
        options
            .unwrap()
            .write_all(b"data:\n  hand: made\n")
            .unwrap();
        set(&scratch, "a", "2");
        scratch.show_held().unwrap();
        let object = scratch.get(&place("configmaps"), "a").unwrap();
        assert_eq!(object["data"], json!({"hand": "made", "k": "2"}));
    }

    #[test]
    fn a_journal_that_is_compacted_meanwhile_hides_nothing() {
        let scratch = fresh();
        scratch.hold_tree();
        for i in 0..40 {
            create(&scratch, &format!("c{i}"));
            set(&scratch, &format!("c{i}"), &"x".repeat(60_000));
        }
        let other = Cluster::open(scratch.directory.path(), open()).unwrap();
        create(&other, "b");
        for i in 0..40 {
            assert!(file(&scratch, &format!("c{i}")).exists(), "c{i}");
        }
    }
}
