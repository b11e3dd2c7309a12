//! The inside of a fake container: the commands that `exec` runs, with the container's variables and files.
//!
//! Commands with an annotation have the output in it; a small shell runs all others. An annotation of the Pod stores
//! the files that they write.

mod mounts;
mod resources;
mod session;
#[cfg(test)]
mod tests;
mod variables;

use std::collections::BTreeMap;
use std::time::Duration;

use ctl_shell::{Files, Machine, NotFound, Program, Terminal, absolute, fits};
use jiff::Timestamp;

use crate::api::json::{Value, json};
use crate::kinds::fake::{self, EXEC, FILES};
use crate::kinds::moment;
use crate::kinds::tree::{at, has, text};

/// Finds an object by its resource, namespace and name; without a name, the list of the namespace.
pub type Find<'a> = dyn Fn(&str, &str, &str) -> Option<Value> + 'a;

pub use session::{Failure, Session, forwarded};

/// A fake container with the environment of its commands.
///
/// ```
/// use ctl_api::json::json;
/// use ctl_kubelet::inside::Inside;
///
/// let pod = json!({"metadata": {"name": "web", "namespace": "default"},
///     "spec": {"containers": [{"name": "c", "image": "nginx", "env": [{"name": "COLOR", "value": "blue"}]}]}});
/// // ConfigMaps and Secrets that the container mounts: none.
/// let mut inside = Inside::new(&pod, "c", &|_, _, _| None, "2026-01-02T12:00:00Z".parse()?)?;
/// let mut terminal = ctl_shell::Captured::default();
/// let words = ["sh", "-c", "echo $COLOR"].map(str::to_owned);
/// assert_eq!(inside.run(&words, &mut terminal)?, 0);
/// assert_eq!(terminal.out, b"blue\n");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct Inside {
    machine: Machine,
    /// The files as the image and the volumes have them.
    mounted: Files,
    /// The files when the commands began.
    before: Files,
    container: String,
    annotation: String,
}

/// A command with its output from an annotation.
#[derive(Debug, Default, serde::Deserialize)]
#[serde(
    default,
    rename_all = "camelCase",
    deny_unknown_fields,
    expecting = "a map"
)]
struct Answer {
    /// The words of the command; `*` matches any text.
    command: String,
    output: String,
    error: String,
    exit_code: i32,
    delay: String,
}

impl Inside {
    /// Returns the inside of a container of a Pod.
    ///
    /// # Errors
    /// Returns the reason if one of its annotations cannot be read.
    pub fn new(
        pod: &Value,
        container: &str,
        find: &Find<'_>,
        now: Timestamp,
    ) -> Result<Self, String> {
        let spec = session::spec(pod, container);
        let mounted = mounts::files(pod, spec, find);
        let mut files = mounted.clone();
        let written = fake::for_container(pod, FILES, container).unwrap_or_default();
        for (path, content) in written_files(written)? {
            let put = files.write(&absolute("/", &path), content);
            put.map_err(|e| format!("annotation {FILES}: {path}: {e}"))?;
        }
        // The container's own user precedes that of the Pod.
        let own = at(spec, &["securityContext", "runAsUser"]).as_i64();
        let user = own.or_else(|| at(pod, &["spec", "securityContext", "runAsUser"]).as_i64());
        let directory = text(spec, "workingDir").to_owned();
        Ok(Self {
            machine: Machine {
                hostname: mounts::hostname(pod),
                variables: variables::of(pod, spec, find),
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

    /// Puts the tokens of the volumes into their files; `token` issues one for its source in the Pod.
    #[must_use]
    pub fn with_tokens(mut self, pod: &Value, token: &dyn Fn(&Value) -> Option<String>) -> Self {
        let spec = session::spec(pod, &self.container);
        for (path, source) in mounts::tokens(pod, spec) {
            let Some(token) = token(source) else {
                continue;
            };
            // In all three, because what a command has not written is not kept in the Pod.
            for files in [&mut self.mounted, &mut self.before, &mut self.machine.files] {
                mounts::put(files, &path, token.as_str());
            }
        }
        self
    }

    /// Runs a command; returns its exit code.
    ///
    /// # Errors
    /// The program does not exist in the container.
    pub fn run(&mut self, words: &[String], terminal: &mut dyn Terminal) -> Result<i32, NotFound> {
        let line = words.join(" ");
        let script = match words {
            [_, flags, script, ..] if flags.starts_with('-') && flags.ends_with('c') => script,
            _ => return self.machine.run(words, terminal),
        };
        let programs = self.machine.programs.iter();
        // The first of several matches, so that a general pattern can come last.
        let mut fitting =
            programs.filter(|own| fits(&own.command, &line) || fits(&own.command, script));
        match fitting.next() {
            // An annotation names the command itself, and not the shell that users wrap around it.
            Some(own) if !fits(&own.command, &line) => {
                self.machine.run(std::slice::from_ref(script), terminal)
            }
            _ => self.machine.run(words, terminal),
        }
    }

    /// Returns the annotation with the files of the container, and its new value for the current Pod, if commands
    /// changed any file. Files of other commands in the meantime are kept.
    ///
    /// # Errors
    /// Returns the reason if the annotation of the Pod cannot be read.
    pub fn changed(&self, pod: &Value) -> Result<Option<(&str, String)>, String> {
        // Most commands read, and must not write to the Pod.
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
        // Volumes fill their files again for every command.
        let own = kept.iter();
        let own = own.filter(|(path, content)| self.mounted.read(path) != Ok(*content));
        let kept: BTreeMap<&str, Value> =
            own.map(|(path, content)| (path, shown(content))).collect();
        Ok(Some((&self.annotation, json!(kept).to_string())))
    }
}

/// Returns the programs in the annotation of a container.
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
    // An error, because otherwise the command would differ from its annotation.
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

/// Returns the content of a file in the form of the annotation: as text if possible.
fn shown(content: &[u8]) -> Value {
    match std::str::from_utf8(content) {
        Ok(text) => json!(text),
        Err(_) => json!({"base64": mounts::encoded(content)}),
    }
}

/// Reads the annotation with the files of a container.
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
