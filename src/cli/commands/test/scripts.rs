//! Runs the processes of a case, which use its cluster through a directory.

use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use super::case::Script;
use crate::cli::error::CliError;
use crate::cli::output::write_private_file;
use crate::sys::bounded;
use crate::sys::clock::Stopwatch;
use crate::sys::scratch::ScratchDir;

/// The interval between checks for the end of a process, because the standard library cannot wait with a timeout.
const POLL: Duration = Duration::from_millis(2);

/// The directory of a case with scripts.
pub(super) struct Scripts {
    scratch: ScratchDir,
    namespace: String,
    /// The limit on the real time of each process, unless its step has a lower one.
    limit: Duration,
    /// True once the command is asked to stop.
    stop: Arc<AtomicBool>,
}

/// The result of a process.
#[derive(Debug)]
pub(super) struct Ended {
    /// The exit code; none if a signal or the timeout ended the process.
    pub(super) code: Option<i32>,
    /// The limit on its real time.
    pub(super) limit: Duration,
    pub(super) out: String,
    pub(super) err: String,
}

impl Scripts {
    /// Creates a directory for a cluster, and links to this program under the names that scripts use.
    pub(super) fn new(
        namespace: &str,
        limit: Duration,
        stop: &Arc<AtomicBool>,
    ) -> Result<Self, CliError> {
        let scratch = ScratchDir::new("ctl-test-")?;
        let program = std::env::current_exe()?;
        let bin = scratch.path().join("bin");
        std::fs::create_dir(&bin)?;
        for name in ["ctl", "kubectl"] {
            std::os::unix::fs::symlink(&program, bin.join(name))?;
        }
        let scripts = Self {
            scratch,
            namespace: namespace.to_owned(),
            limit,
            stop: Arc::clone(stop),
        };
        let cluster = scripts.cluster();
        let config = format!(
            "apiVersion: v1\nkind: Config\ncurrent-context: test\nclusters:\n- name: test\n  cluster: {{server: 'file://{}'}}\n\
             contexts:\n- name: test\n  context: {{cluster: test, namespace: {namespace}}}\n",
            cluster.display(),
        );
        write_private_file(&scripts.scratch.path().join("config"), &config)?;
        Ok(scripts)
    }

    /// Returns the directory of the cluster.
    pub(super) fn cluster(&self) -> PathBuf {
        self.scratch.path().join("cluster")
    }

    /// Runs a process to its end.
    pub(super) fn run(&self, script: &Script) -> Result<Ended, CliError> {
        let [program, arguments @ ..] = &script.words[..] else {
            return Err(CliError::text("expected a command"));
        };
        let here = self.scratch.path();
        let path = std::env::var_os("PATH").unwrap_or_default();
        let parts = std::iter::once(here.join("bin")).chain(std::env::split_paths(&path));
        let path = std::env::join_paths(parts).map_err(|e| CliError::text(e.to_string()))?;
        let [out, err] = ["out", "err"].map(|name| here.join(name));
        let mut command = Command::new(program);
        command
            .args(arguments)
            .current_dir(directory(&script.directory))
            .stdin(Stdio::null())
            // The output goes to files, because pipes would need a thread that reads them while the process runs.
            .stdout(File::create(&out)?)
            .stderr(File::create(&err)?)
            .env("PATH", path)
            .env("KUBECONFIG", here.join("config"))
            .env("NAMESPACE", &self.namespace)
            .env("CTL_WAIT", "settle")
            // A script must not reach the user's current cluster.
            .env_remove("CTL_STATE")
            .envs(script.environment.iter().map(|(name, value)| (name, value)));
        let limit = self.limit.min(script.timeout.unsigned_abs());
        let code = ended(&mut command, limit, &self.stop)
            .map_err(|e| CliError::text(format!("{program}: {e}")))?;
        let read = |path: &Path| bounded::read(path, bounded::SETTINGS);
        let text = |path: &Path| read(path).map(|text| String::from_utf8_lossy(&text).into_owned());
        Ok(Ended {
            code,
            limit,
            out: text(&out)?,
            err: text(&err)?,
        })
    }
}

/// Returns a directory in the form that the system accepts: an empty path means the current directory.
fn directory(path: &Path) -> &Path {
    match path.as_os_str().is_empty() {
        true => Path::new("."),
        false => path,
    }
}

/// Runs a process. Returns its exit code if it ended by itself within the time limit.
fn ended(command: &mut Command, timeout: Duration, stop: &AtomicBool) -> io::Result<Option<i32>> {
    use std::os::unix::process::CommandExt as _;
    // The process gets a group of its own, so that processes started by a script end with it.
    let mut child = command.process_group(0).spawn()?;
    let spent = Stopwatch::start();
    loop {
        if let Some(status) = child.try_wait()? {
            return Ok(status.code());
        }
        // A signal from the terminal does not reach the group, which would then outlive this process.
        if spent.elapsed() >= timeout || stop.load(Ordering::Relaxed) {
            if let Some(group) = i32::try_from(child.id())
                .ok()
                .and_then(rustix::process::Pid::from_raw)
            {
                let _ = rustix::process::kill_process_group(group, rustix::process::Signal::KILL);
            }
            child.wait()?;
            return Ok(None);
        }
        std::thread::sleep(POLL);
    }
}
