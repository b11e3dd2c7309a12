//! The inside of a fake container: runs the commands of `exec` with the container's variables and files.
//!
//! An annotation may define the output of commands; a small shell runs all others. An annotation of the Pod stores the
//! files that they write.

mod find;
mod mounts;
mod resources;
mod session;
mod started;
#[cfg(test)]
mod tests;
pub(crate) mod variables;

use std::collections::BTreeMap;
use std::time::Duration;

use ctl_shell::{Files, Machine, NotFound, Program, Terminal, absolute, fits};
use jiff::Timestamp;

use crate::api::json::{Value, json};
use crate::kinds::fake::{self, EXEC, FILES};
use crate::kinds::moment;
use crate::kinds::tree::{at, has, text};

pub use find::Find;
pub use session::{Failure, Session, forwarded};

/// A fake container, with the environment of its commands.
///
/// ```
/// use ctl_api::json::json;
/// use ctl_kubelet::exec::FakeContainer;
///
/// let pod = json!({"metadata": {"name": "web", "namespace": "default"},
///     "spec": {"containers": [{"name": "c", "image": "nginx", "env": [{"name": "COLOR", "value": "blue"}]}]}});
/// // This container mounts no ConfigMaps or Secrets, now or at its start.
/// let nothing = |_: &str, _: &str, _: &str| None;
/// let mut fake_container = FakeContainer::new(&pod, "c", &nothing, &nothing, "2026-01-02T12:00:00Z".parse()?)?;
/// let mut terminal = ctl_shell::Captured::default();
/// let words = ["sh", "-c", "echo $COLOR"].map(str::to_owned);
/// assert_eq!(fake_container.run(&words, &mut terminal)?, 0);
/// assert_eq!(terminal.out, b"blue\n");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct FakeContainer {
    machine: Machine,
    /// The files of the image and the volumes.
    mounted: Files,
    /// The files before the commands ran.
    before: Files,
    container: String,
    annotation: String,
}

/// A command whose output an annotation defines.
#[derive(Debug, Default, serde::Deserialize)]
#[serde(
    default,
    rename_all = "camelCase",
    deny_unknown_fields,
    expecting = "a map"
)]
struct Answer {
    /// The command line that it matches; `*` matches any text.
    command: String,
    output: String,
    error: String,
    exit_code: i32,
    delay: String,
}

impl FakeContainer {
    /// Returns the fake container for a container of a Pod. `started` finds objects as they were at its start.
    ///
    /// # Errors
    /// Returns the reason if one of the annotations is invalid.
    pub fn new(
        pod: &Value,
        container: &str,
        find: &Find<'_>,
        started: &Find<'_>,
        now: Timestamp,
    ) -> Result<Self, String> {
        let spec = session::spec(pod, container);
        let mounted = mounts::files(pod, spec, find, started);
        let mut files = mounted.clone();
        let written = fake::for_container(pod, FILES, container).unwrap_or_default();
        for (path, content) in written_files(written)? {
            let put = files.write(&absolute("/", &path), content);
            put.map_err(|e| format!("annotation {FILES}: {path}: {e}"))?;
        }
        // The container's own user takes precedence over the Pod's.
        let own = at(spec, &["securityContext", "runAsUser"]).as_i64();
        let user = own.or_else(|| at(pod, &["spec", "securityContext", "runAsUser"]).as_i64());
        let directory = text(spec, "workingDir").to_owned();
        Ok(Self {
            machine: Machine {
                hostname: mounts::hostname(pod),
                variables: variables::of(pod, spec, find, started),
                has_unknown_variables: false,
                files: files.clone(),
                directory,
                user: user.unwrap_or(0),
                now,
                programs: programs(pod, container)?,
            },
            mounted,
            before: files,
            container: container.to_owned(),
            annotation: format!("{FILES}.{container}"),
        })
    }

    /// Writes the tokens of volumes to their files; `token` issues a token for its source in the Pod.
    #[must_use]
    pub fn with_tokens(mut self, pod: &Value, token: &dyn Fn(&Value) -> Option<String>) -> Self {
        let spec = session::spec(pod, &self.container);
        for (path, source) in mounts::tokens(pod, spec) {
            let Some(token) = token(source) else {
                continue;
            };
            // Written to all three, because the Pod does not store files that no command has written.
            for files in [&mut self.mounted, &mut self.before, &mut self.machine.files] {
                mounts::put(files, &path, token.as_str());
            }
        }
        self
    }

    /// Runs a command and returns the exit code.
    ///
    /// # Errors
    /// Returns an error if the program does not exist in the container.
    pub fn run(&mut self, words: &[String], terminal: &mut dyn Terminal) -> Result<i32, NotFound> {
        let line = words.join(" ");
        let script = match words {
            [_, flags, script, ..] if flags.starts_with('-') && flags.ends_with('c') => script,
            _ => return self.machine.run(words, terminal),
        };
        let programs = self.machine.programs.iter();
        // The first of several matches is used, so that a general pattern can come last.
        let mut fitting =
            programs.filter(|own| fits(&own.command, &line) || fits(&own.command, script));
        match fitting.next() {
            // The annotation matches the command itself rather than the shell that users wrap around it.
            Some(own) if !fits(&own.command, &line) => {
                self.machine.run(std::slice::from_ref(script), terminal)
            }
            _ => self.machine.run(words, terminal),
        }
    }

    /// If commands have changed any files, returns the annotation for the container's files and its new value in the
    /// current Pod. Keeps files that other commands have written in the meantime.
    ///
    /// # Errors
    /// Returns the reason if the Pod's annotation is invalid.
    pub fn changed(&self, pod: &Value) -> Result<Option<(&str, String)>, String> {
        // Most commands only read, and must not cause a write to the Pod.
        if self.machine.files == self.before {
            return Ok(None);
        }
        let written = fake::for_container(pod, FILES, &self.container).unwrap_or_default();
        let mut kept = Files::default();
        for (path, content) in written_files(written)? {
            let put = kept.write(&absolute("/", &path), content);
            put.map_err(|e| format!("annotation {FILES}: {path}: {e}"))?;
        }
        let gone = self.before.iter().map(|(path, _)| path);
        for path in gone.filter(|path| !self.machine.files.is_file(path)) {
            kept.remove(path);
        }
        for (path, content) in self.machine.files.iter() {
            if self.before.read(path) != Ok(content) {
                let put = kept.write(path, content.to_vec());
                put.map_err(|e| format!("{path}: {e}"))?;
            }
        }
        // Volumes provide their files again for every command.
        let own = kept.iter();
        let own = own.filter(|(path, content)| self.mounted.read(path) != Ok(*content));
        let kept: BTreeMap<&str, Value> =
            own.map(|(path, content)| (path, shown(content))).collect();
        Ok(Some((&self.annotation, json!(kept).to_string())))
    }
}

/// Returns the programs defined by a container's annotation.
fn programs(pod: &Value, container: &str) -> Result<Vec<Program>, String> {
    let text = fake::for_container(pod, EXEC, container).unwrap_or_default();
    if text.trim().is_empty() {
        return Ok(Vec::new());
    }
    let own = format!("{EXEC}.{container}");
    let name = match has(at(pod, &["metadata", "annotations"]), &own) {
        true => &own,
        false => EXEC,
    };
    // An error, because otherwise commands would behave differently from the annotation.
    let answers: Vec<Answer> =
        serde_yaml::from_str(text).map_err(|e| format!("annotation {name}: {e}"))?;
    let program = |answer: Answer| {
        let delay = moment::duration(&answer.delay).unwrap_or(0.0);
        Program {
            command: answer.command,
            output: answer.output,
            error: answer.error,
            exit_code: answer.exit_code,
            delay: Duration::try_from_secs_f64(delay).unwrap_or_default(),
        }
    };
    Ok(answers.into_iter().map(program).collect())
}

/// Returns the content of a file in the annotation's format: as text if possible.
fn shown(content: &[u8]) -> Value {
    match std::str::from_utf8(content) {
        Ok(text) => json!(text),
        Err(_) => json!({"base64": mounts::encoded(content)}),
    }
}

/// Parses the annotation with a container's files.
fn written_files(annotation: &str) -> Result<Vec<(String, Vec<u8>)>, String> {
    if annotation.trim().is_empty() {
        return Ok(Vec::new());
    }
    let wrong = |why: &str| format!("annotation {FILES}: {why}");
    let files: BTreeMap<String, Value> =
        serde_yaml::from_str(annotation).map_err(|e| wrong(&e.to_string()))?;
    let content = |value: &Value| match value.as_str() {
        Some(text) => Some(text.as_bytes().to_vec()),
        None => mounts::decoded(text(value, "base64")),
    };
    let files = files.into_iter();
    let read = files.map(|(path, value)| {
        let content = content(&value);
        let content = content.ok_or_else(|| wrong(&format!("{path} is no text and no base64")))?;
        Ok((path, content))
    });
    read.collect()
}
