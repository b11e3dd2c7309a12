//! The message with which a container ends: the file at its `terminationMessagePath`, or the end of its log.

use super::{logs, outcome};
use crate::api::json::Value;
use crate::cluster::PodMode;
use crate::kinds::tree::text;

/// The path of the file if the container names none.
const DEFAULT_PATH: &str = "/dev/termination-log";

/// The most bytes of the file.
const MOST_WRITTEN: usize = 4096;

/// The most bytes and lines of the log.
const MOST_LOGGED: (usize, usize) = (2048, 80);

/// Returns the message of a container that ends with this exit code; it is empty for most containers.
pub(super) fn message(pod: &Value, container: &Value, code: i64) -> String {
    let path = match text(container, "terminationMessagePath") {
        "" => DEFAULT_PATH,
        path => path,
    };
    // If the container is killed, or ends as an annotation says, its script did not run to the predicted end.
    let run = outcome::command(container, pod).filter(|run| run.code == Some(code));
    let written = run.as_ref().and_then(|run| run.written.read(path).ok());
    let written = written.map(|bytes| String::from_utf8_lossy(bytes).into_owned());
    let message = end(written.unwrap_or_default(), MOST_WRITTEN);
    let falls_back = text(container, "terminationMessagePolicy") == "FallbackToLogsOnError";
    if !message.is_empty() || code == 0 || !falls_back {
        return message;
    }
    let (bytes, most) = MOST_LOGGED;
    let log = logs::whole(pod, text(container, "name"), PodMode::Default);
    let lines: Vec<&str> = log.split_inclusive('\n').collect();
    end(lines[lines.len().saturating_sub(most)..].concat(), bytes)
}

/// Returns the end of a text with at most this many bytes.
fn end(text: String, most: usize) -> String {
    let mut start = text.len().saturating_sub(most);
    while !text.is_char_boundary(start) {
        start += 1;
    }
    text[start..].to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::api::json::json;

    fn of(script: &str, policy: &str, code: i64) -> String {
        let container = json!({"name": "c", "command": ["sh", "-c", script],
            "terminationMessagePolicy": policy});
        let pod = json!({"metadata": {"name": "p"}, "spec": {"containers": [container]}});
        message(&pod, &container, code)
    }

    #[test]
    fn the_message_is_the_file_or_the_log_of_a_failure() {
        let writes = "sleep 10 && echo Sleep expired > /dev/termination-log";
        assert_eq!(of(writes, "File", 0), "Sleep expired\n");
        let fails = "echo one; echo two; exit 1";
        assert_eq!(of(fails, "File", 1), "");
        assert_eq!(of(fails, "FallbackToLogsOnError", 1), "one\ntwo\n");
        let both = "echo log; echo file > /dev/termination-log; exit 1";
        assert_eq!(of(both, "FallbackToLogsOnError", 1), "file\n");
        let succeeds = "echo one";
        assert_eq!(of(succeeds, "FallbackToLogsOnError", 0), "");
        // A container that is killed did not write what its script would have written.
        assert_eq!(of(writes, "File", 137), "");
    }

    #[test]
    fn only_the_end_of_a_long_text_is_kept() {
        assert_eq!(end("äb".to_owned(), 2), "b");
        assert_eq!(end("ab".to_owned(), 2), "ab");
        let script = "for i in $(seq 100); do echo $i; done; exit 1";
        let message = of(script, "FallbackToLogsOnError", 1);
        assert!(message.starts_with("21\n") && message.ends_with("100\n"));
    }
}
