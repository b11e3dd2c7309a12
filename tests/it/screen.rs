//! Tests `ctl ui` on pseudo-terminals: after any exit, the terminal is in its previous state.

use std::fs::File;
use std::io::{Read as _, Write as _};
use std::os::fd::OwnedFd;
use std::process::{Child, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

use rustix::process::Signal;
use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
use rustix::termios::{LocalModes, Termios, Winsize, tcgetattr, tcsetwinsize};

use crate::support::race::signal;
use crate::support::{Deadline, World};

/// The sequences that enter and leave the alternate screen, and that hide the cursor.
const ENTER: &str = "\u{1b}[?1049h";
const LEAVE: &str = "\u{1b}[?1049l";
const HIDE: &str = "\u{1b}[?25l";
const SHOW: &str = "\u{1b}[?25h";

/// A program on a terminal of its own.
pub struct Shown {
    child: Child,
    keyboard: File,
    /// The program's end of the terminal, which keeps its modes until they are compared.
    own: File,
    before: Termios,
    pieces: Receiver<Vec<u8>>,
    text: String,
}

impl Shown {
    pub fn start(world: &World, args: &[&str]) -> Self {
        let master = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).unwrap();
        grantpt(&master).unwrap();
        unlockpt(&master).unwrap();
        let size = Winsize {
            ws_row: 24,
            ws_col: 80,
            ws_xpixel: 0,
            ws_ypixel: 0,
        };
        tcsetwinsize(&master, size).unwrap();
        let name = ptsname(&master, Vec::new()).unwrap();
        let mut options = File::options();
        let own = options.read(true).write(true);
        let own = own.open(name.to_str().unwrap()).unwrap();
        let open = || Stdio::from(OwnedFd::from(own.try_clone().unwrap()));
        let before = tcgetattr(&own).unwrap();
        let mut command = world.command();
        command.args(args).env("TERM", "xterm-256color");
        let child = command.stdin(open()).stdout(open()).stderr(open());
        let child = child.spawn().unwrap();
        drop(command);
        let keyboard = File::from(master);
        let mut screen = keyboard.try_clone().unwrap();
        let (sender, pieces) = channel();
        // The thread reads until the test has dropped its end of the terminal.
        std::thread::spawn(move || {
            let mut piece = [0; 4096];
            while let Ok(count @ 1..) = screen.read(&mut piece) {
                if sender.send(piece[..count].to_vec()).is_err() {
                    return;
                }
            }
        });
        Self {
            child,
            keyboard,
            own,
            before,
            pieces,
            text: String::new(),
        }
    }

    /// Waits until a text has been written.
    #[track_caller]
    pub fn until(&mut self, wanted: &str) {
        while !self.text.contains(wanted) {
            let piece = self.pieces.recv_timeout(Duration::from_secs(60));
            let piece = piece.unwrap_or_else(|e| panic!("{wanted:?}: {e}: {:?}", self.text));
            self.text += &String::from_utf8_lossy(&piece);
        }
    }

    pub fn press(&mut self, keys: &str) {
        self.keyboard.write_all(keys.as_bytes()).unwrap();
    }

    /// Waits until the program has ended.
    fn wait(&mut self) -> ExitStatus {
        let _limit = Deadline::of(&self.child);
        self.child.wait().unwrap()
    }

    pub fn process(&self) -> &Child {
        &self.child
    }

    /// Returns true if the terminal is in raw mode.
    pub fn is_raw(&self) -> bool {
        let modes = tcgetattr(&self.own).unwrap().local_modes;
        !modes.contains(LocalModes::ICANON)
    }

    /// Waits for the end, and checks that the terminal is restored. Returns everything that the program wrote.
    #[track_caller]
    pub fn left(mut self) -> (String, ExitStatus) {
        let status = self.wait();
        let after = tcgetattr(&self.own).unwrap();
        // The thread reads to the end as soon as no process has the program's end of the terminal.
        drop(self.own);
        while let Ok(piece) = self.pieces.recv_timeout(Duration::from_secs(60)) {
            self.text += &String::from_utf8_lossy(&piece);
        }
        assert_eq!(after.local_modes, self.before.local_modes, "{}", self.text);
        assert_eq!(after.input_modes, self.before.input_modes);
        assert_eq!(after.output_modes, self.before.output_modes);
        (self.text, status)
    }

    /// Waits for the end, and checks that the program has left the alternate screen, too.
    #[track_caller]
    fn ended(self) -> (String, ExitStatus) {
        let (text, status) = self.left();
        let last = |sequence: &str| text.rfind(sequence);
        assert!(last(ENTER) < last(LEAVE), "{text:?}");
        assert!(last(HIDE) < last(SHOW), "{text:?}");
        (text, status)
    }
}

fn world() -> World {
    let world = World::fresh();
    for words in [
        &["create", "deployment", "web", "--image=i", "--replicas=2"][..],
        &["settle"],
    ] {
        let _ = world.run(words).ok();
    }
    world
}

fn screen(world: &World) -> Shown {
    let mut shown = Shown::start(world, &["ui"]);
    shown.until("deployment/web");
    assert!(shown.text.contains(ENTER));
    let modes = tcgetattr(&shown.own).unwrap().local_modes;
    assert!(!modes.contains(LocalModes::ECHO), "keys are not echoed");
    shown
}

#[test]
fn quit_keys_and_signals_restore_the_terminal() {
    let world = world();
    for key in ["q", "\u{3}"] {
        let mut shown = screen(&world);
        shown.press(key);
        let (_, status) = shown.ended();
        assert!(status.success(), "{key:?}: {status}");
    }
    for asked in [Signal::TERM, Signal::HUP, Signal::INT, Signal::QUIT] {
        let shown = screen(&world);
        signal(&shown.child, asked);
        let (_, status) = shown.ended();
        assert!(status.success(), "{asked:?}: {status}");
    }
}

#[test]
fn panic_of_any_thread_ends_the_screen() {
    let mut world = world();
    for place in ["draw", "read"] {
        world.set("CTL_TEST_PANIC", place);
        let shown = Shown::start(&world, &["ui"]);
        let (text, status) = shown.ended();
        assert!(!status.success(), "{place}: {status}");
        // The message must be on the main screen, because the alternate screen disappears at the end.
        let left = text.find(LEAVE).unwrap();
        let told = text.find("a test asked for this panic").unwrap();
        assert!(left < told, "{place}: {text:?}");
        assert!(
            !text[told..].contains("deployment/web"),
            "nothing is drawn over it: {text:?}"
        );
    }
}

#[test]
fn key_runs_its_command_inside_the_screen() {
    let world = world();
    let mut shown = screen(&world);
    shown.press("s");
    shown.until("scale deployment/web");
    shown.press("\u{7f}4\r");
    shown.until("scaled");
    shown.press("q");
    let (_, status) = shown.ended();
    assert!(status.success(), "{status}");
    assert_eq!(world.replicas("web"), "4");
}

#[test]
fn a_fork_is_changed_next_to_the_cluster_and_discarded() {
    let world = world();
    let mut shown = screen(&world);
    shown.press("f");
    shown.until("FORK");
    shown.press("s");
    shown.until("on the fork: ctl scale deployment/web");
    shown.press("\u{7f}5\r");
    // The Deployment has three more replicas than on the other side, none of them ready before the controllers run.
    shown.until("+0/+3");
    // The change may be visible before its command has ended, and keys have no effect until then.
    shown.until("web scaled");
    shown.press("x\r");
    shown.until("✓ done");
    shown.press("F");
    shown.until("discarded");
    shown.press("q");
    let (_, status) = shown.ended();
    assert!(status.success(), "{status}");
    assert_eq!(world.replicas("web"), "2");
}

#[test]
fn the_demo_plays_its_history_and_ends_with_a_hint() {
    let mut world = World::new();
    let scratch = world.outside("tmp");
    std::fs::create_dir(&scratch).unwrap();
    world.set("TMPDIR", scratch.to_str().unwrap());
    world.set("CTL_TEST_BARE", "");
    let mut shown = Shown::start(&world, &["demo"]);
    // The recording plays without a key, and the Deployment is created after its beginning. Other texts arrive only as
    // the characters that differ from the previous frame.
    shown.until("PLAYING");
    shown.until("deployment/nginx");
    // The last line of a frame has the first of the two words, and one piece of text may have several frames.
    let place = |text: &str| shown.text.find(text);
    assert!(
        place("PLAYING") < place("deployment/nginx"),
        "{:?}",
        shown.text
    );
    shown.press("q");
    let (text, status) = shown.ended();
    assert!(status.success(), "{status}");
    let (_, after) = text.rsplit_once(LEAVE).unwrap();
    assert!(after.contains("ctl-demo-1. To explore it:"), "{after}");
    assert!(after.contains("$ ctl learn"), "{after}");
    let mut plain = Shown::start(&world, &["demo", "--plain"]);
    plain.until("To explore it:");
    assert!(plain.wait().success());
    assert!(!plain.text.contains(ENTER) && plain.text.contains("$ ctl settle"));
}

#[test]
fn lesson_plays_changes_and_removes_its_temporary_files() {
    let mut world = World::new();
    let scratch = world.outside("tmp");
    std::fs::create_dir(&scratch).unwrap();
    world.set("TMPDIR", scratch.to_str().unwrap());
    world.set("CTL_TEST_BARE", "");
    let mut shown = Shown::start(&world, &["learn", "3"]);
    for place in 1..=3 {
        shown.until(&format!("[{place}/12]"));
        shown.press("skip\n");
    }
    // Only a frame in the middle of the recording shows this text.
    shown.until("0 out of 2 new replicas have been updated");
    shown.until("[4/12]");
    shown.press("quit\n");
    shown.until("You ran 3 of 12 commands");
    assert!(shown.wait().success());
    assert_eq!(scratch.read_dir().unwrap().count(), 0);
}

#[test]
fn serve_prints_the_link_of_its_view_on_a_terminal() {
    let world = World::fresh();
    let mut shown = Shown::start(&world, &["serve", "--listen", "127.0.0.1:0"]);
    shown.until("memory limit");
    assert!(
        shown.text.contains("web view: https://127.0.0.1:"),
        "{}",
        shown.text
    );
    assert!(shown.text.contains("/ui?token="), "{}", shown.text);
    signal(&shown.child, Signal::TERM);
    assert!(shown.wait().success());
}
