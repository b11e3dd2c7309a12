//! The outcome of a container's command, if its text determines it: exit code, duration and output.
//!
//! The shell of `ctl exec` predicts it with the variables of the container. The outcome of anything that depends on
//! other files or on the network is unknown, except that one-shot commands such as `wget` succeed.

use std::collections::BTreeMap;

use ctl_shell::{FileChange, Files, Machine};

/// The outcome of a command.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Run {
    /// The exit code; `None` if the command runs until it is stopped.
    pub(super) code: Option<i64>,
    /// How long the command runs, in seconds.
    pub(super) seconds: f64,
    /// The lines that the command prints.
    pub(super) lines: Vec<String>,
    /// True if the last line has no end.
    pub(super) is_partial: bool,
    /// The files that the command creates and removes, in order.
    pub(super) files: Vec<FileChange>,
    /// The files that the command leaves.
    pub(super) written: Files,
}

/// The variables of a container.
#[derive(Debug, Default)]
pub(super) struct Variables {
    /// Those whose values are in the spec.
    pub(super) known: BTreeMap<String, String>,
    /// True if there are others.
    pub(super) is_partial: bool,
}

/// Determines the outcome of a command line; returns `None` if it is unknown.
pub(super) fn run(words: &[String], variables: Variables) -> Option<Run> {
    let mut machine = Machine {
        variables: variables.known,
        has_unknown_variables: variables.is_partial,
        ..Machine::default()
    };
    let outcome = machine.predict(words)?;
    let output = String::from_utf8_lossy(&outcome.output);
    Some(Run {
        code: outcome.code.map(i64::from),
        seconds: outcome.seconds,
        lines: output.lines().map(str::to_owned).collect(),
        is_partial: !output.is_empty() && !output.ends_with('\n'),
        files: outcome.files,
        written: machine.files,
    })
}

/// Returns the name of a program without its directory.
pub(super) fn base(program: &str) -> &str {
    program.rsplit('/').next().unwrap_or(program)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(words: &[&str]) -> Option<(Option<i64>, f64)> {
        run_of(words).map(|r| (r.code, r.seconds))
    }

    fn run_of(words: &[&str]) -> Option<Run> {
        let variables = [("JOB_COMPLETION_INDEX".to_owned(), "1".to_owned())];
        let words: Vec<String> = words.iter().map(|word| (*word).to_owned()).collect();
        let variables = Variables {
            known: BTreeMap::from(variables),
            is_partial: false,
        };
        run(&words, variables)
    }

    #[test]
    fn scripts_that_need_unknown_values_have_no_outcome() {
        let outcome = |script: &str, is_partial: bool| {
            let words = ["sh", "-c", script].map(str::to_owned);
            let variables = Variables {
                is_partial,
                ..Variables::default()
            };
            run(&words, variables).map(|run| run.code)
        };
        let script = "[ \"$MODE\" = prod ] || exit 1";
        assert_eq!(outcome(script, false), Some(Some(1)));
        assert_eq!(outcome(script, true), None);
        for script in [
            "[ -n \"$KUBERNETES_SERVICE_HOST\" ] || exit 2",
            "curl -s web > /tmp/o; grep -q ok < /tmp/o || exit 9",
            "(sleep 2; exit 3) & wait $!; exit $?",
            "timeout 1m sleep infinity; exit 3",
        ] {
            assert_eq!(outcome(script, false), None, "{script}");
        }
    }

    #[test]
    fn script_conditions_use_variables_of_the_container() {
        let sh = |script| of(&["sh", "-c", script]);
        let by_index = "if [ $JOB_COMPLETION_INDEX -eq 1 ]; then exit 3; fi; exit 0";
        assert_eq!(sh(by_index), Some((Some(3), 0.0)));
        let other = "if [ \"$JOB_COMPLETION_INDEX\" = 0 ]; then\n exit 3\nelse\n sleep 2\nfi";
        assert_eq!(sh(other), Some((Some(0), 2.0)));
        let chain = "if [ $JOB_COMPLETION_INDEX -lt 1 ]; then exit 1; elif test ${JOB_COMPLETION_INDEX} -ge 1; then exit 2; fi";
        assert_eq!(sh(chain), Some((Some(2), 0.0)));
        assert_eq!(sh("if false; then exit 1; fi"), Some((Some(0), 0.0)));
        let nested = "if false; then if true; then exit 1; fi; else exit 4; fi";
        assert_eq!(sh(nested), Some((Some(4), 0.0)));
        assert_eq!(
            sh("set -e; if false; then exit 1; fi; exit 5"),
            Some((Some(5), 0.0))
        );
        assert_eq!(
            sh("[ $JOB_COMPLETION_INDEX = 1 ] && exit 6"),
            Some((Some(6), 0.0))
        );
        // `[ = 1 ]` is an error.
        assert_eq!(sh("[ $OTHER = 1 ] && exit 6"), Some((Some(2), 0.0)));
        assert_eq!(
            sh("[ \"${OTHER:-1}\" = 1 ] && exit 7"),
            Some((Some(7), 0.0))
        );
        assert_eq!(sh("tail -f /dev/null"), Some((None, f64::INFINITY)));
        assert_eq!(
            of(&["tail", "-f", "/dev/null"]),
            Some((None, f64::INFINITY))
        );
        assert_eq!(sh("exit $JOB_COMPLETION_INDEX"), Some((Some(1), 0.0)));
    }

    #[test]
    fn exit_code_and_duration_follow_the_command() {
        let sh = |script| of(&["sh", "-c", script]);
        assert_eq!(of(&["true"]), Some((Some(0), 0.0)));
        assert_eq!(of(&["/bin/false"]), Some((Some(1), 0.0)));
        assert_eq!(of(&["sleep", "30"]), Some((Some(0), 30.0)));
        assert_eq!(of(&["sleep", "infinity"]), Some((None, f64::INFINITY)));
        assert_eq!(of(&["nginx", "-g", "daemon off;"]), None);
        // The Pod of the test that `helm create` generates.
        assert_eq!(of(&["wget", "web:80"]), Some((Some(0), 0.0)));
        assert_eq!(sh("curl -sf http://web || exit 1"), Some((Some(0), 0.0)));
        assert_eq!(of(&["nc", "-zv", "web", "80"]), Some((Some(0), 0.0)));
        assert_eq!(of(&["nc", "-l", "80"]), None);
        assert_eq!(of(&["ping", "web"]), None);
        assert_eq!(sh("exit 3"), Some((Some(3), 0.0)));
        assert_eq!(sh("sleep 5; exit 42"), Some((Some(42), 5.0)));
        assert_eq!(sh("echo a && sleep 1m && false"), Some((Some(1), 60.0)));
        assert_eq!(sh("false && exit 3"), Some((Some(1), 0.0)));
        assert_eq!(sh("false || exit 7"), Some((Some(7), 0.0)));
        assert_eq!(sh("set -e; false; exit 0"), Some((Some(1), 0.0)));
        assert_eq!(sh("false; true"), Some((Some(0), 0.0)));
        assert_eq!(sh("exit 300"), Some((Some(44), 0.0)));
        assert_eq!(sh("echo 'a; exit 9'"), Some((Some(0), 0.0)));
        assert_eq!(of(&["sh"]), None);
        assert_eq!(of(&[]), None);
    }

    #[test]
    fn loops_run_to_their_end_or_for_ever() {
        let sh = |script| of(&["sh", "-c", script]);
        let ends = |code, seconds| Some((Some(code), seconds));
        let runs = Some((None, f64::INFINITY));
        assert_eq!(sh("while true; do date; sleep 5; done"), runs);
        assert_eq!(sh("while :\ndo\n  echo a\n  sleep 5\ndone"), runs);
        assert_eq!(sh("until false; do sleep 1; done; exit 3"), runs);
        assert_eq!(sh("if true; then while true; do sleep 1; done; fi"), runs);
        assert_eq!(
            sh("for i in $(seq 3); do echo $i; sleep 1; done; exit 5"),
            ends(5, 3.0)
        );
        let counts = "i=0; while [ $i -lt 3 ]; do i=$((i+1)); sleep 2; done; exit $i";
        assert_eq!(sh(counts), ends(3, 6.0));
        assert_eq!(
            sh("i=0; until [ $i = 2 ]; do i=$(( $i + 1 )); done"),
            ends(0, 0.0)
        );
        assert_eq!(
            sh("for a in 1 2; do for b in 1 2 3; do sleep 1; done; done"),
            ends(0, 6.0)
        );
        assert_eq!(
            sh("while true; do sleep 1; break; done; exit 4"),
            ends(4, 1.0)
        );
        let some = "for i in 1 2 3; do if [ $i = 2 ]; then continue; fi; sleep $i; done; false";
        assert_eq!(sh(some), ends(1, 4.0));
        assert_eq!(sh("while false; do exit 9; done"), ends(0, 0.0));
        assert_eq!(sh("for i in $NONE; do exit 9; done"), ends(0, 0.0));
        assert_eq!(sh("for i in 1 2; do false; done"), ends(1, 0.0));
        assert_eq!(sh("for i in $(ls); do exit 9; done"), None);
        assert_eq!(sh("i=$(cat x); exit 0"), None);
        assert_eq!(sh("i=0; while [ $i -lt 9999 ]; do i=$((i+1)); done"), None);
        assert_eq!(sh("while [ ! -f /x ]; do sleep 1; done"), None);
        let lines = "for i in 1 2 3; do echo line $i; done";
        let printed = run_of(&["sh", "-c", lines]).unwrap();
        assert_eq!(printed.lines, ["line 1", "line 2", "line 3"]);
    }

    #[test]
    fn case_takes_the_first_branch_that_fits() {
        let sh = |script| of(&["sh", "-c", script]).and_then(|of| of.0);
        let index =
            "case $JOB_COMPLETION_INDEX in 0) exit 4;; 1|2) exit 5;; *) exit 6;; esac; exit 0";
        assert_eq!(sh(index), Some(5));
        assert_eq!(
            sh("case $JOB_COMPLETION_INDEX in 0) exit 1;; esac; exit 0"),
            Some(0)
        );
        let lines = "case \"abc\" in\n  (\"x\")\n    exit 1\n    ;;\n  a*)\n    false\n    ;;\n  *) exit 2\nesac";
        assert_eq!(sh(lines), Some(1));
        assert_eq!(sh("case $NONE in '') exit 3;; esac"), Some(3));
        assert_eq!(sh("false; case a in b) exit 3;; esac"), Some(0));
        assert_eq!(
            sh("case b in [a-c]?) exit 2;; [a-c]) exit 3;; esac"),
            Some(3)
        );
        assert_eq!(sh("exit 1;; exit 2"), None);
        assert_eq!(sh("true;; exit 2"), None);
    }

    #[test]
    fn scripts_of_common_jobs_have_an_outcome() {
        let sh = |script| of(&["sh", "-c", script]);
        let ends = |code, seconds| Some((Some(code), seconds));
        let runs = Some((None, f64::INFINITY));
        let migrate = r#"
            set -euo pipefail
            log() { echo "[job] $*"; }
            retry() {
              local n=0
              until [ "$n" -ge 3 ]; do
                "$@" && return 0
                n=$((n + 1))
                log "attempt $n failed"
                sleep 5
              done
              return 7
            }
            trap 'log done' EXIT
            retry false
            log unreachable"#;
        let failed = run_of(&["bash", "-c", migrate]).unwrap();
        assert_eq!((failed.code, failed.seconds), (Some(7), 15.0));
        assert_eq!(failed.lines[0], "[job] attempt 1 failed");
        assert_eq!(failed.lines[3..], ["[job] done"]);
        let flags = [
            "bash",
            "-eu",
            "-o",
            "pipefail",
            "-c",
            "false | true; exit 3",
        ];
        assert_eq!(of(&flags), ends(1, 0.0));
        let waits = "until nc -z db 5432; do echo waiting; sleep 2; done; until nslookup db.default.svc; do sleep 2; done";
        assert_eq!(sh(waits), ends(0, 0.0));
        assert_eq!(sh("trap 'exit 0' TERM; while true; do sleep 1; done"), runs);
        assert_eq!(sh("trap : TERM INT; sleep infinity & wait"), runs);
        assert_eq!(sh("sleep 60 & sleep 5; wait; exit 2"), ends(2, 60.0));
        assert_eq!(sh("sleep infinity & exit 3"), ends(3, 0.0));
        let document =
            "cat <<EOF | grep -c b\na $JOB_COMPLETION_INDEX\nb\nEOF\n[ $? = 0 ] && exit 4";
        assert_eq!(sh(document), ends(4, 0.0));
        let file = "cat > /tmp/x <<'EOF'\n$A\nEOF\n[ \"$(cat /tmp/x)\" = '$A' ] && exit 5";
        assert_eq!(sh(file), ends(5, 0.0));
        assert_eq!(sh("(exit 3) || exit 6"), ends(6, 0.0));
        assert_eq!(sh("echo a b | wc -w | grep -q 2 && exit 8"), ends(8, 0.0));
        assert_eq!(
            sh("n=0; for i in 1 2 3; do n=$((n + i)); done; exit $n"),
            ends(6, 0.0)
        );
        assert_eq!(
            sh("a=x/y.tar; [ ${a##*/} = y.tar ] && [ ${a%.tar} = x/y ] && exit ${#a}"),
            ends(7, 0.0)
        );
        assert_eq!(sh("seq 3 | while read i; do sleep $i; done"), ends(0, 6.0));
        assert_eq!(sh("timeout 10 sleep 60; exit $?"), ends(124, 10.0));
        assert_eq!(
            sh("f() { [ $1 -gt 0 ] && { sleep 1; f $(($1 - 1)); }; }; f 3; exit 9"),
            ends(9, 3.0)
        );
        // The outcome depends on the output of a program.
        assert_eq!(sh("[ \"$(curl -s web)\" = ok ] || exit 1"), None);
        assert_eq!(sh("curl -s web | grep ok"), None);
        assert_eq!(sh("psql -c 'select 1'"), None);
        assert_eq!(sh("for ((i = 0; i < 3; i++)); do exit 1; done"), None);
    }

    #[test]
    fn echo_prints_its_arguments() {
        let printed = run_of(&["/bin/sh", "-ec", "echo hello world; echo \"two\"\nexit 0"]);
        assert_eq!(printed.unwrap().lines, ["hello world", "two"]);
    }
}
