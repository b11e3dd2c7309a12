//! What a container has written to its log: what its annotation says, or what its command prints.

use serde_json::Value;

use super::outcome;
use crate::kinds::fake;
use crate::kinds::tree::{field, list, text};

/// The lines of a container's log; none where the Pod has no such container.
pub fn lines(pod: &Value, container: &str) -> Option<Vec<String>> {
    let spec = field(pod, "spec");
    let all = ["containers", "initContainers", "ephemeralContainers"];
    let mut all = all.iter().flat_map(|name| list(spec, name));
    let container = all.find(|c| text(c, "name") == container)?;
    let told = fake::for_container(pod, fake::LOGS, text(container, "name"));
    Some(match told {
        Some(told) => told.lines().map(str::to_owned).collect(),
        None => outcome::command(container).map_or_else(Vec::new, |run| run.lines),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn logs_are_what_is_annotated_or_echoed() {
        let mut pod = json!({"spec": {"containers": [
            {"name": "c", "command": ["sh", "-c", "echo one; echo two; exit 1"]},
        ]}});
        assert_eq!(lines(&pod, "c").unwrap(), ["one", "two"]);
        assert_eq!(lines(&pod, "d"), None);
        pod["metadata"]["annotations"] = json!({"ctl.dev/logs.c": "told\nso"});
        assert_eq!(lines(&pod, "c").unwrap(), ["told", "so"]);
    }
}
