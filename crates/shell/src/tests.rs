use crate::{Captured, Machine, NotFound};

fn machine() -> Machine {
    let mut machine = Machine {
        hostname: "web-0".to_owned(),
        now: "2026-01-02T03:04:05Z".parse().unwrap(),
        ..Machine::default()
    };
    machine
        .variables
        .insert("HOME".to_owned(), "/root".to_owned());
    machine
        .files
        .write("/etc/motd", b"one\ntwo\nthree\n".to_vec())
        .unwrap();
    machine
}

fn run_on(machine: &mut Machine, words: &[&str], input: &str) -> (i32, String, String) {
    let mut terminal = Captured {
        input: input.as_bytes().to_vec(),
        ..Captured::default()
    };
    let words: Vec<String> = words.iter().map(|word| (*word).to_owned()).collect();
    let code = machine.run(&words, &mut terminal).unwrap();
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    (code, text(&terminal.out), text(&terminal.err))
}

#[track_caller]
fn says(script: &str, out: &str) {
    let ran = run_on(&mut machine(), &["sh", "-c", script], "");
    assert_eq!(
        (ran.0, ran.1.as_str(), ran.2.as_str()),
        (0, out, ""),
        "{script}"
    );
}

#[test]
fn every_command_is_found_by_its_name() {
    for name in crate::commands::names() {
        assert!(crate::commands::find(name).is_some(), "{name}");
    }
}

#[test]
fn words_are_quoted_expanded_and_split_as_in_posix() {
    says("echo a  b 'c  d' \"e  f\"", "a b c  d e  f\n");
    says(
        "x='a  b'; echo $x \"$x\" ${x:-no} ${y:-no} ${x:+yes} \"[$y]\"",
        "a b a  b a b no yes []\n",
    );
    says(
        "echo $(echo a; echo b) `echo c` \"$(printf 'd\\ne')\"",
        "a b c d\ne\n",
    );
    says(
        "echo \\$HOME '$HOME' \"\\$HOME\" $HOME ${HOME}",
        "$HOME $HOME $HOME /root /root\n",
    );
    says("echo one # two\necho three;echo four", "one\nthree\nfour\n");
    says("echo a#b \"\" ''", "a#b  \n");
    says("X=1 env | grep ^X; echo \"[$X]\"", "X=1\n[]\n");
    says(
        "echo $? $# ; sh -c 'echo $0 $1 $#' name first",
        "0 0\nname first 1\n",
    );
}

#[test]
fn control_flow_pipes_and_redirections_work() {
    says(
        "if false; then echo a; elif [ 1 -lt 2 ]; then echo b; else echo c; fi",
        "b\n",
    );
    says(
        "for n in 1 2 3; do echo $n; done | tail -n 2 | sort -r",
        "3\n2\n",
    );
    says("n=x; while [ $n != xxx ]; do n=x$n; done; echo $n", "xxx\n");
    says(
        "i=0; while [ $i -lt 3 ]; do i=$((i+1)); echo \"$i $(( ($i * 2) ))\"; done",
        "1 2\n2 4\n3 6\n",
    );
    says("until true; do echo never; done; echo end", "end\n");
    says(
        "false || echo or && echo and; ! false && echo not",
        "or\nand\nnot\n",
    );
    says(
        "{ echo a; echo b; } > /tmp/x; cat < /tmp/x; echo c >> /tmp/x; wc -l /tmp/x",
        "a\nb\n3 /tmp/x\n",
    );
    says(
        "(echo out; nothing) 2>&1 | cat",
        "out\nsh: nothing: not found\n",
    );
    says(
        "echo gone > /dev/null; nothing 2> /dev/null; echo $?",
        "127\n",
    );
    says(
        "cat /etc/motd | while read line; do echo \"<$line>\"; done",
        "<one>\n<two>\n<three>\n",
    );
}

#[test]
fn exit_codes_are_those_of_a_shell() {
    let code = |script: &str| run_on(&mut machine(), &["sh", "-c", script], "").0;
    assert_eq!(code("exit 3; echo no"), 3);
    assert_eq!(code("false; exit"), 1);
    assert_eq!(code("set -e; false; exit 9"), 1);
    assert_eq!(
        code("set -e; if false; then :; fi; false || true; exit 9"),
        9
    );
    assert_eq!(
        code("sh -c 'exit 5'; echo $? > /tmp/x; grep -q 5 /tmp/x"),
        0
    );
    assert_eq!(code("exit 300"), 44);
    assert_eq!(code("nothing"), 127);
    assert_eq!(code("echo $((1/0)); exit 9"), 2);
    assert_eq!(code("echo $((1+2)"), 2);
    assert_eq!(code("if true; then"), 2);
    assert_eq!(code("while true; do :; done"), 137);
    let unknown = machine().run(&["nginx".to_owned()], &mut Captured::default());
    assert_eq!(unknown, Err(NotFound("nginx".to_owned())));
}

#[test]
fn files_are_listed_changed_and_kept_by_the_machine() {
    let mut machine = machine();
    let mut sh = |script: &str| run_on(&mut machine, &["sh", "-c", script], "");
    assert_eq!(
        sh("mkdir -p /data/a && cd /data && echo hi > a/f && cp -r a b && mv b/f c && rm -r a").0,
        0
    );
    assert_eq!(
        sh("ls /data; ls /data/*; cat /data/c").1,
        "b\nc\n/data/b:\n/data/c\nhi\n"
    );
    let (code, _, err) = sh("cat /none; ls /none");
    let said = "cat: can't open '/none': No such file or directory\nls: /none: No such file or directory\n";
    assert_eq!((code, err.as_str()), (1, said));
    assert_eq!(
        sh("test -d /data && test -f /data/c && [ ! -e /data/a ] && echo yes").1,
        "yes\n"
    );
    let (_, long, _) = run_on(&mut machine, &["ls", "-l", "/data"], "");
    assert_eq!(
        long,
        "drwxr-xr-x    1 root     root          4096 b\n-rw-r--r--    1 root     root             3 c\n"
    );
}

#[test]
fn tar_copies_a_file_between_machines_like_kubectl_cp() {
    let mut from = machine();
    let mut terminal = Captured::default();
    let words = ["tar", "cf", "-", "/etc/motd"].map(str::to_owned);
    assert_eq!(from.run(&words, &mut terminal), Ok(0));
    let mut to = Machine::default();
    let mut back = Captured {
        input: terminal.out,
        ..Captured::default()
    };
    let words = ["tar", "-xmf", "-", "-C", "/copy"].map(str::to_owned);
    assert_eq!(to.run(&words, &mut back), Ok(0));
    assert_eq!(
        to.files.read("/copy/etc/motd"),
        Ok(b"one\ntwo\nthree\n".as_slice())
    );
}

#[test]
fn facts_of_the_machine_are_printed() {
    says(
        "hostname; whoami; pwd; id -u; date -u; date +%Y",
        "web-0\nroot\n/\n0\nFri Jan  2 03:04:05 UTC 2026\n2026\n",
    );
    says(
        "printf '%s-%03d\\n' a 7 b 8; seq 2 4 | head -1; basename /a/b.c .c; dirname /a/b",
        "a-007\nb-008\n2\nb\n/a\n",
    );
    let mut machine = machine();
    let (code, out, _) = run_on(&mut machine, &["sh"], "echo one\nexit 4\necho two\n");
    assert_eq!((code, out.as_str()), (4, "one\n"));
    assert_eq!(run_on(&mut machine, &["cat"], "typed").1, "typed");
}

#[test]
fn incomplete_scripts_are_syntax_errors_without_a_panic() {
    for script in [
        "'", "\"", "$(", "${", "`", "|", "&&", ";;", ")", "if", "for", "do", "a &&", "<", "2>&",
        "{ a", "\\",
    ] {
        let (code, ..) = run_on(&mut machine(), &["sh", "-c", script], "");
        assert!(code < 128, "{script}");
    }
    let deep = "(".repeat(5_000);
    assert_eq!(run_on(&mut machine(), &["sh", "-c", &deep], "").0, 2);
}

#[test]
fn tar_packs_lists_and_unpacks_like_kubectl_cp() {
    let mut machine = machine();
    let words = |line: &str| line.split(' ').map(str::to_owned).collect::<Vec<_>>();
    run_on(
        &mut machine,
        &["sh", "-c", "mkdir -p /data/empty; echo x > /data/in/x"],
        "",
    );
    let mut out = Captured::default();
    machine
        .run(&words("tar cf - /data /etc/motd"), &mut out)
        .unwrap();
    assert_eq!(String::from_utf8_lossy(&out.err), "");
    let archive = out.out;
    // The input continues beyond the archive, which must be read only up to its own end.
    let mut input = Captured {
        input: [archive.clone(), b"further".to_vec()].concat(),
        ..Captured::default()
    };
    machine
        .run(&words("tar -xmf - -C /copy"), &mut input)
        .unwrap();
    assert_eq!(machine.files.read("/copy/data/in/x"), Ok(b"x\n".as_slice()));
    assert!(machine.files.is_directory("/copy/data/empty"));
    assert!(machine.files.is_file("/copy/etc/motd"));
    let mut listed = Captured {
        input: archive,
        ..Captured::default()
    };
    machine.run(&words("tar tf -"), &mut listed).unwrap();
    let names = "data/\ndata/empty/\ndata/in/\ndata/in/x\netc/motd\n";
    assert_eq!(String::from_utf8_lossy(&listed.out), names);
    let missing = run_on(&mut machine, &["tar", "cf", "-", "/none"], "");
    assert_eq!(
        (missing.0, missing.2.as_str()),
        (1, "tar: /none: No such file or directory\n")
    );
}

#[test]
fn an_interrupt_ends_the_command_and_not_the_shell() {
    struct Person(Vec<&'static str>, String, bool);
    impl crate::Terminal for Person {
        fn write(&mut self, _: crate::Stream, bytes: &[u8]) {
            self.1.push_str(&String::from_utf8_lossy(bytes));
        }
        fn read(&mut self) -> Option<Vec<u8>> {
            (!self.0.is_empty()).then(|| self.0.remove(0).as_bytes().to_vec())
        }
        fn sleep(&mut self, _: std::time::Duration) -> bool {
            self.2 = true;
            false
        }
        fn is_interactive(&self) -> bool {
            true
        }
        fn was_interrupted(&mut self) -> bool {
            std::mem::take(&mut self.2)
        }
        fn size(&self) -> Option<(u16, u16)> {
            Some((80, 24))
        }
    }
    let mut person = Person(
        vec!["sleep 100; echo no\n", "echo $?\n", "stty size\n"],
        String::new(),
        false,
    );
    let code = machine().run(&["sh".to_owned()], &mut person).unwrap();
    assert_eq!(
        (code, person.1.as_str()),
        (0, "/ # / # 130\n/ # 24 80\n/ # ")
    );
    // Without a shell around it, the command itself has this exit code.
    let sleeps = ["sleep", "100"].map(str::to_owned);
    assert_eq!(machine().run(&sleeps, &mut person).unwrap(), 130);
}

#[test]
fn lines_are_selected_by_expressions_and_bytes_by_number() {
    says(
        "printf 'CM=1\\nIP=2\\nX=3\\n' | grep -E '^(CM|IP)='",
        "CM=1\nIP=2\n",
    );
    says("grep 't[a-z]*e' /etc/motd", "three\n");
    says("printf 'a.b\\naxb\\n' | grep -F a.b", "a.b\n");
    says("head -c 3 /etc/motd", "one");
    says("tail -c 4 /etc/motd; tail -c +9 /etc/motd", "ree\nthree\n");
    says("head -n 1 /etc/motd; tail -1 /etc/motd", "one\nthree\n");
    let (code, out, err) = run_on(&mut machine(), &["grep", "-E", "(", "/etc/motd"], "");
    assert_eq!(
        (code, out.as_str(), err.as_str()),
        (2, "", "grep: bad regular expression\n")
    );
}

#[test]
fn branches_functions_and_documents_run_as_in_posix() {
    says(
        "f() { local x=1; echo $# $1; x=2; return 3; }; x=0; f 'a b' c; echo $? $x $#",
        "2 a b\n3 0 0\n",
    );
    says(
        "function g { for i in \"$@\"; do echo \"<$i>\"; done; }; g 'a b' c",
        "<a b>\n<c>\n",
    );
    says(
        "for i in a.c b.h c; do case $i in *.c | *.h) echo ${i%.*};; [!x]) echo one;; esac; done",
        "a\nb\none\n",
    );
    says(
        "x=1\ncat <<EOF\n$x \"$((x + 1))\" \\$x\nEOF\ncat <<-'END' | wc -l\n\t$x\n\tEND\ncat <<< \"$x\"",
        "1 \"2\" $x\n1\n1\n",
    );
    says(
        "for i in 1 2 3; do for j in 1 2; do [ $j = 2 ] && continue 2; [ $i = 3 ] && break 2; echo $i$j; done; done",
        "11\n21\n",
    );
    says(
        "(x=1; cd /etc; exit 4); echo $? [$x]; echo a | (read y; echo $y); echo [$y]",
        "4 []\na\n[]\n",
    );
    says("trap 'echo bye' EXIT; trap : TERM; echo hi", "hi\nbye\n");
    says("set -- a b c; shift; echo $1 $#", "b 2\n");
    says(
        "set -o pipefail; false | true; echo $?; eval 'x=1; echo $x'",
        "1\n1\n",
    );
    says(
        "p=/a/b.tar.gz; echo ${p##*/} ${p#*/} ${p%.*} ${p%%.*} ${#p} ${q:=r} $q",
        "b.tar.gz a/b.tar.gz /a/b.tar /a/b 11 r r\n",
    );
}
