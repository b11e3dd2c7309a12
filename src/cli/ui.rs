//! Standard output and standard error. Nothing else in the library prints.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::fmt::{Display, Write as _};
use std::io::{self, IsTerminal as _, Write};
use std::process::ExitCode;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use jiff::tz::TimeZone;

use super::error::CliError;
use super::{paint, redact, status_colors};
use crate::api::json::json;
use crate::cluster::{Imported, Response};
use crate::sys::clock::Clock;

/// The program's standard output and error.
#[derive(Clone, Debug)]
pub(crate) struct Ui {
    color: bool,
    /// True if colors are disabled for all outputs.
    plain: bool,
    /// True if displayed sessions on standard output have colors.
    color_out: bool,
    /// True if the text for standard output is a displayed session.
    painted: bool,
    level: i32,
    distinct_codes: bool,
    warnings: Arc<Mutex<BTreeSet<String>>>,
    shows_progress: Arc<AtomicBool>,
    /// True if each line on standard error is a JSON object.
    as_json: Arc<AtomicBool>,
    /// True if standard error is a log, so that lines begin with the time.
    is_log: Arc<AtomicBool>,
    /// The captured messages, if any: for tests, and for commands that another command runs.
    captured: Option<Arc<Mutex<CapturedMessages>>>,
}

/// The messages of a command without output of its own.
#[derive(Clone, Debug, Default)]
pub(crate) struct CapturedMessages {
    pub(crate) out: String,
    pub(crate) err: String,
}

impl Ui {
    /// Returns an output without colors that is captured for the caller.
    pub(crate) fn capture(&self) -> (Self, Arc<Mutex<CapturedMessages>>) {
        let captured = Arc::<Mutex<CapturedMessages>>::default();
        let ui = Self {
            color: false,
            plain: true,
            color_out: false,
            painted: false,
            warnings: Arc::default(),
            shows_progress: Arc::default(),
            captured: Some(Arc::clone(&captured)),
            ..self.clone()
        };
        (ui, captured)
    }

    /// Returns an output that is captured.
    pub(crate) fn captured() -> (Self, Arc<Mutex<CapturedMessages>>) {
        Self::new().with(0, Some(false), false).capture()
    }

    pub(crate) fn new() -> Self {
        // According to no-color.org, every value but an empty one disables colors.
        let wanted = std::env::var_os("NO_COLOR").is_none_or(|v| v.is_empty());
        let color = wanted && io::stderr().is_terminal();
        colored::control::set_override(color);
        Self {
            color,
            plain: !wanted || std::env::var_os("TERM").is_some_and(|t| t == "dumb"),
            color_out: wanted && io::stdout().is_terminal(),
            painted: false,
            level: 0,
            distinct_codes: false,
            warnings: Arc::default(),
            shows_progress: Arc::default(),
            as_json: Arc::default(),
            is_log: Arc::default(),
            captured: None,
        }
    }

    /// Applies the global flags: verbosity, color, and exit codes.
    pub(crate) fn with(mut self, level: i32, color: Option<bool>, distinct_codes: bool) -> Self {
        self.level = level;
        self.distinct_codes = distinct_codes;
        if let Some(color) = color {
            self.color = color;
            self.plain = !color;
            self.color_out = color;
            colored::control::set_override(color);
        }
        self
    }

    /// Returns a copy for displaying a session. It has colors if standard output supports them.
    pub(crate) fn painting(&self) -> Self {
        Self {
            painted: self.color_out,
            ..self.clone()
        }
    }

    /// Writes text to standard output. A closed pipe is not an error of the command.
    pub(crate) fn out(&self, text: &str) -> Result<(), CliError> {
        let text = match self.shows_out() {
            true => Cow::Owned(escape_control_characters(text)),
            false => Cow::Borrowed(text),
        };
        match self.painted {
            true => self.out_painted(&paint::session(&text)),
            false => self.out_painted(&text),
        }
    }

    /// Writes text to standard output. Only our own color codes may be in it, because the terminal obeys all of them.
    pub(crate) fn out_painted(&self, text: &str) -> Result<(), CliError> {
        if let Some(captured) = &self.captured {
            // A panic of another thread leaves a valid text behind, so a poisoned lock is used anyway.
            captured.lock().unwrap_or_else(PoisonError::into_inner).out += text;
            return Ok(());
        }
        let mut out = io::stdout().lock();
        // The output is flushed immediately, because a watch or a followed log is read while the command runs.
        match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
            // Like any filter, `ctl get pods | head` must end quietly.
            Err(e) if e.kind() == io::ErrorKind::BrokenPipe => Err(CliError::ReaderGone),
            answer => Ok(answer?),
        }
    }

    /// Writes a line to standard output.
    pub(crate) fn line(&self, text: impl Display) -> Result<(), CliError> {
        self.out(&format!("{text}\n"))
    }

    /// Writes a table to standard output. On a terminal, its states have colors.
    pub(crate) fn out_table(&self, text: &str) -> Result<(), CliError> {
        match self.color_out && !self.painted {
            true => self.out_painted(&status_colors::table(&escape_control_characters(text))),
            false => self.out(text),
        }
    }

    /// Writes a line to standard error.
    pub(crate) fn note(&self, text: &str) {
        // The progress line is removed first, or the message would be appended to it.
        if self.shows_progress.load(Ordering::Relaxed) {
            self.show_progress(None);
        }
        match self.as_json.load(Ordering::Relaxed) {
            true => self.err(&json!({"message": text}).to_string()),
            false => self.err(&replace_control_characters(text)),
        }
    }

    /// Writes messages to standard error as JSON from now on, one object per line, for programs.
    pub(crate) fn tell_as_json(&self) {
        self.as_json.store(true, Ordering::Relaxed);
    }

    /// Writes messages to standard error with their times from now on.
    pub(crate) fn tell_as_log(&self) {
        self.is_log.store(true, Ordering::Relaxed);
    }

    /// Reports a hand edit that was imported.
    pub(crate) fn imported(&self, edit: &Imported) {
        let line = match (
            self.as_json.load(Ordering::Relaxed),
            self.is_log.load(Ordering::Relaxed),
        ) {
            (true, _) => {
                let line = json!({
                    "time": edit.time.to_string(),
                    "file": edit.path.as_str(),
                    "action": edit.action.as_str(),
                    "changes": edit.changes.as_str(),
                    "revision": edit.revision,
                });
                return self.record(&line.to_string());
            }
            (false, true) => format!("{} hand-edit {edit}", edit.time),
            (false, false) => format!("ctl: {edit}"),
        };
        self.note(&line);
    }

    /// Writes a line to standard error that is already a JSON object.
    pub(crate) fn record(&self, line: &str) {
        self.err(line);
    }

    /// Writes a line to standard error. Credentials of URLs are masked, because a message may repeat one from the
    /// command line.
    fn err(&self, text: &str) {
        let text = &*redact::without_credentials(text);
        if let Some(captured) = &self.captured {
            let mut captured = captured.lock().unwrap_or_else(PoisonError::into_inner);
            captured.err += &format!("{text}\n");
            return;
        }
        // A failure of standard error cannot be reported anywhere.
        let _ = writeln!(io::stderr(), "{text}");
    }

    /// Writes a line to standard error at this verbosity or a higher one.
    pub(crate) fn verbose(&self, level: i32, text: impl FnOnce() -> String) {
        if self.level >= level {
            self.note(&text());
        }
    }

    /// Writes a warning to standard error. Each text is written once.
    pub(crate) fn warn(&self, text: &str) {
        let mut captured = self.warnings.lock().unwrap_or_else(PoisonError::into_inner);
        if captured.insert(text.to_owned()) {
            self.note(&format!("Warning: {text}"));
        }
    }

    /// Writes the warnings of a response to standard error. Every command must pass on the responses to its writes,
    /// because admission can warn about each of them.
    pub(crate) fn warn_of(&self, answer: &Response) {
        answer.warnings.iter().for_each(|text| self.warn(text));
    }

    /// Writes a warning in the format of kubectl's log, with the system time, the process, and a line of kubectl's
    /// source.
    pub(crate) fn log(&self, source: &str, text: &str) {
        self.note(&log_line('W', source, text));
    }

    /// Returns the number of warnings.
    pub(crate) fn warnings(&self) -> usize {
        let captured = self.warnings.lock().unwrap_or_else(PoisonError::into_inner);
        captured.len()
    }

    /// Replaces the progress line on a terminal; `None` removes it.
    ///
    /// A single line of text needs no crate for progress bars, such as indicatif, which would bring a second way to the
    /// terminal that bypasses [`escape_control_characters`], and a thread that draws while the command prints.
    pub(crate) fn show_progress(&self, text: Option<&str>) {
        let mut err = io::stderr().lock();
        let was_shown = self.shows_progress.swap(text.is_some(), Ordering::Relaxed);
        // Carriage returns would garble a log file, so only terminals show progress.
        if self.is_terminal() && (was_shown || text.is_some()) {
            let text = escape_control_characters(text.unwrap_or_default());
            let size = rustix::termios::tcgetwinsize(io::stderr());
            // The next update could not erase a line that has wrapped.
            let text = in_a_row(&text, size.map_or(0, |size| size.ws_col));
            let _ = write!(err, "\r\x1b[K{text}").and_then(|()| err.flush());
        }
    }

    /// Returns true if standard output is a terminal.
    pub(crate) fn shows_out(&self) -> bool {
        if self.captured.is_some() {
            return false;
        }
        io::stdout().is_terminal()
    }

    /// Returns the width and height of the terminal on standard output; none if it is no terminal.
    pub(crate) fn size(&self) -> Option<(usize, usize)> {
        let size = self
            .shows_out()
            .then(|| rustix::termios::tcgetwinsize(io::stdout()).ok())?;
        // Some terminals, such as a serial line, report no size; the smallest usual size is assumed.
        let known = |cells: u16, usual: usize| if cells == 0 { usual } else { cells.into() };
        size.map(|size| (known(size.ws_col, 80), known(size.ws_row, 24)))
            .or(Some((80, 24)))
    }

    /// Replaces a table on a terminal. Lines that do not fit are only counted.
    pub(crate) fn redraw(&self, text: &str, first: bool) -> Result<(), CliError> {
        let (_, height) = self.size().unwrap_or((80, 24));
        // Two lines stay free: one for the number of remaining lines and one for the cursor.
        let (lines, room) = (text.lines().count(), height.saturating_sub(2).max(1));
        let mut shown: String = text.split_inclusive('\n').take(room).collect();
        if lines > room {
            let _ = writeln!(shown, "... {} more lines", lines - room);
        }
        let shown = escape_control_characters(&shown);
        let shown = match self.color_out {
            true => status_colors::table(&shown),
            false => shown,
        };
        // Each line is cleared after its text, and so is the rest of the screen, because clearing the whole screen at
        // once flickers.
        let begin = if first { "\x1b[2J\x1b[H" } else { "\x1b[H" };
        self.out_painted(&format!("{begin}{}\x1b[J", shown.replace('\n', "\x1b[K\n")))
    }

    /// Shows texts one after the other in the same rows of a terminal. The last one remains.
    pub(crate) fn animate(
        &self,
        texts: &[String],
        rows: usize,
        pause: &dyn Fn(),
    ) -> Result<(), CliError> {
        for (place, text) in texts.iter().enumerate() {
            let is_last = place + 1 == texts.len();
            let mut shown: String = text.split_inclusive('\n').take(rows).collect();
            let lines = shown.lines().count();
            // Every frame but the last fills all rows, because the next one is drawn over it from the top.
            if !is_last {
                shown += &"\n".repeat(rows - lines);
            }
            let shown = match self.color_out {
                true => status_colors::table(&escape_control_characters(&shown)),
                false => escape_control_characters(&shown),
            };
            self.out_painted(&format!("{}\x1b[J", shown.replace('\n', "\x1b[K\n")))?;
            if !is_last {
                pause();
                self.out_painted(&format!("\x1b[{rows}A"))?;
            }
        }
        Ok(())
    }

    /// Returns the width of the terminal on standard output; none if it is no terminal.
    pub(crate) fn columns(&self) -> Option<usize> {
        self.size().map(|(columns, _)| columns.max(2))
    }

    /// Returns true if the user can see a question on standard output and reply to it.
    pub(crate) fn can_ask(&self) -> bool {
        self.shows_out() && io::stdin().is_terminal()
    }

    /// Asks for confirmation, with kubectl's text.
    pub(crate) fn confirm(&self) -> Result<bool, CliError> {
        self.out("Do you want to continue? (y/N): ")?;
        let answer = crate::sys::bounded::stdin_line()?;
        Ok(answer.trim().eq_ignore_ascii_case("y"))
    }

    /// Returns true if a screen on standard output may have colors.
    pub(crate) fn has_color(&self) -> bool {
        self.color_out && !self.plain
    }

    /// Returns true if standard error is a terminal.
    pub(crate) fn is_terminal(&self) -> bool {
        if self.captured.is_some() {
            return false;
        }
        io::stderr().is_terminal()
    }

    /// Reports the error that ends the program. Returns its exit code.
    pub(crate) fn fail(&self, error: &CliError) -> ExitCode {
        if matches!(error, CliError::ReaderGone) {
            // The reader needs no more output, as with `head`.
            return ExitCode::SUCCESS;
        }
        self.print_error(error);
        error.exit_code(self.distinct_codes)
    }

    /// Reports an error after which the command continues.
    pub(crate) fn print_error(&self, error: &CliError) {
        error
            .warnings()
            .into_iter()
            .for_each(|text| self.warn(text));
        let (text, labeled) = error.message();
        let text = replace_control_characters(text.strip_suffix('\n').unwrap_or(&text));
        if text.is_empty() {
            return;
        }
        let label = match (labeled, self.color) {
            (false, _) => String::new(),
            (true, true) => format!("{} ", colored::Colorize::red("error:")),
            (true, false) => "error: ".to_owned(),
        };
        self.err(&format!("{label}{text}"));
        error.hints().into_iter().for_each(|hint| self.hint(hint));
    }

    /// Writes a line if standard error is a terminal. Elsewhere it may be compared with kubectl's.
    pub(crate) fn hint(&self, text: &str) {
        if self.is_terminal() {
            self.note(text);
        }
    }
}

/// Returns a line in the format of kubectl's log, with a level such as `W`.
pub(crate) fn log_line(level: char, source: &str, text: &str) -> String {
    let now = Clock::System.now().to_zoned(TimeZone::system());
    let (time, id) = (now.strftime("%m%d %H:%M:%S.%6f"), std::process::id());
    format!("{level}{time} {id:>7} {source}] {text}")
}

/// Cuts a text to one row of a terminal with this many columns. 0 means that the terminal reports no size.
fn in_a_row(text: &str, columns: u16) -> Cow<'_, str> {
    let columns = if columns == 0 { 80 } else { columns };
    // The last column is for the cursor, because some terminals begin the next row once it is filled.
    let room = usize::from(columns).saturating_sub(1);
    if text.chars().count() <= room {
        return Cow::Borrowed(text);
    }
    let begin: String = text.chars().take(room.saturating_sub(1)).collect();
    Cow::Owned(format!("{begin}…"))
}

/// Makes control characters in a text visible, so that a terminal does not obey them. Those that JSON leaves unescaped
/// become JSON escapes.
fn escape_control_characters(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '\n' | '\t' => shown.push(c),
            '\u{80}'..='\u{9f}' | '\u{7f}' => {
                let _ = write!(shown, "\\u{:04x}", u32::from(c));
            }
            // This is the caret notation of `cat -v`: an escape sequence in an object must not reach the terminal.
            '\0'..='\u{1f}' => {
                shown.push('^');
                shown.extend(char::from_u32(u32::from(c) + 0x40));
            }
            c => shown.push(c),
        }
    }
    shown
}

/// Returns a text without control characters that a terminal would obey.
pub(crate) fn replace_control_characters(text: &str) -> String {
    let safe = |c: char| {
        if c.is_control() && c != '\n' && c != '\t' {
            '\u{fffd}'
        } else {
            c
        }
    };
    text.chars().map(safe).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn progress_stays_in_one_row() {
        assert_eq!(in_a_row("6 of 10 Pods ready", 80), "6 of 10 Pods ready");
        assert_eq!(in_a_row("6 of 10 Pods ready", 10), "6 of 10 …");
        let long = "x".repeat(200);
        assert_eq!(in_a_row(&long, 0).chars().count(), 79);
    }

    #[test]
    fn control_characters_are_printed_visibly() {
        let text = "a\u{1b}[31mb\rc\0d\n\te\u{9b}f\u{7f}\u{e9}";
        assert_eq!(
            escape_control_characters(text),
            "a^[[31mb^Mc^@d\n\te\\u009bf\\u007f\u{e9}"
        );
    }

    #[test]
    fn control_characters_are_replaced() {
        assert_eq!(
            replace_control_characters("a\u{1b}[31mb\rc\u{9b}d\n\te"),
            "a\u{fffd}[31mb\u{fffd}c\u{fffd}d\n\te"
        );
    }

    #[test]
    fn new_ui_counts_no_warnings() {
        let ui = Ui::new();
        assert_eq!(ui.warnings(), 0);
        ui.warn("deprecated");
        ui.warn("deprecated");
        assert_eq!(ui.warnings(), 1);
        ui.warn("another one");
        assert_eq!(ui.warnings(), 2);
    }

    #[test]
    fn warnings_of_admission_are_printed_by_every_command_that_writes() {
        let shell = crate::cli::testing::Shell::new();
        let workload = "metadata: {name: web}, spec: {selector: {matchLabels: {a: b}}, template: {metadata: \
            {labels: {a: b}}, spec: {containers: [{name: c, image: i}]}}}";
        let request = "LS0tLS1CRUdJTiBDRVJUSUZJQ0FURSBSRVFVRVNULS0tLS0KTUlIYU1JR0JBZ0VBTUI4eERUQUxCZ05WQkFvTUJHTnlaWGN4RGpBTUJnTlZCQU1NQlhCcGJHOTBNRmt3RXdZSApLb1pJemowQ0FRWUlLb1pJemowREFRY0RRZ0FFMFZnZTFBaHVBS2EwWSt3NExwSVgzVVl4ZTlnVTRrS2x2UmwwCjNTdENRQ0V1RExvQWJuZHMyaHYvNENySWJvTUg0L212WURocUhpckYwYUxrNlJWQlY2QUFNQW9HQ0NxR1NNNDkKQkFNQ0EwZ0FNRVVDSVFEUGRvc1lMU1JFNzh2Rkk1aTNOVGpWRnhhNXY2KzJPZTc5aFdvbGhlSDI0QUlnRnpmWAprTWpzWDQ4NHc4WENBdU1ITmRicVVNTExJZkMrNldDd0pZRTNjMk09Ci0tLS0tRU5EIENFUlRJRklDQVRFIFJFUVVFU1QtLS0tLQo=";
        let pod = |name: &str| {
            format!(
                "{{apiVersion: v1, kind: Pod, metadata: {{name: {name}}}, spec: {{nodeName: node-a, containers: \
                 [{{name: c, image: i}}]}}}}"
            )
        };
        let objects = [
            format!("{{apiVersion: apps/v1, kind: Deployment, {workload}}}"),
            pod("kept"),
            pod("gone"),
            "{apiVersion: v1, kind: Node, metadata: {name: node-a}}".to_owned(),
            "{apiVersion: v1, kind: ConfigMap, metadata: {name: c}}".to_owned(),
            format!(
                "{{apiVersion: certificates.k8s.io/v1, kind: CertificateSigningRequest, metadata: {{name: ann}}, \
                 spec: {{request: {request}, signerName: example.com/a, usages: [client auth]}}}}"
            ),
        ];
        shell.write("all.yaml", objects.join("\n---\n"));
        shell.write(
            "role.yaml",
            "{apiVersion: rbac.authorization.k8s.io/v1, kind: ClusterRole, metadata: {name: r}, rules: []}",
        );
        shell.write(
            "map.yaml",
            "{apiVersion: v1, kind: ConfigMap, metadata: {name: c}}",
        );
        shell.write(
            "policy.yaml",
            "apiVersion: admissionregistration.k8s.io/v1\nkind: ValidatingAdmissionPolicy\nmetadata: {name: p}\nspec:\n  \
             matchConstraints: {resourceRules: [{apiGroups: ['*'], apiVersions: ['*'], operations: ['*'], resources: \
             ['*/*']}]}\n  validations: [{expression: 'false', message: careful}]\n---\napiVersion: \
             admissionregistration.k8s.io/v1\nkind: ValidatingAdmissionPolicyBinding\nmetadata: {name: b}\nspec: \
             {policyName: p, validationActions: [Warn]}\n",
        );
        shell.all(&["create -f @/all.yaml", "create -f @/policy.yaml"]);
        for line in [
            "scale deployment web --replicas=3",
            "cordon node-a",
            "uncordon node-a",
            "drain node-a --force --dry-run=server",
            "drain node-a --force --disable-eviction --dry-run=server",
            "debug kept --image=i",
            "debug kept --image=i --copy-to=copy",
            "debug node/node-a --image=i",
            "certificate approve ann",
            "auth reconcile -f @/role.yaml",
            "replace --force -f @/map.yaml",
            "delete pod gone --wait=false --dry-run=server",
            "delete pod gone --wait=false",
            "delete -f @/map.yaml",
        ] {
            let said = shell.run(line);
            let warning = "Warning: Validation failed for ValidatingAdmissionPolicy 'p' with binding 'b': careful\n";
            assert_eq!(said.code, 0, "{line}: {said:?}");
            assert_eq!(said.err.matches(warning).count(), 1, "{line}: {said:?}");
        }
    }
}
