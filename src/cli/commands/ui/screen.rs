//! Manages the terminal while the screen is shown, and restores it at the end, after errors and after panics.

use std::io::{self, Stdout};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use ctl_tui::{Key, SideBySide, draw};
use ratatui::Terminal;
use ratatui::backend::CrosstermBackend;
use ratatui::crossterm::cursor::Show;
use ratatui::crossterm::event::{self, KeyCode, KeyEvent, KeyEventKind, KeyModifiers};
use ratatui::crossterm::execute;
use ratatui::crossterm::terminal::{
    EnterAlternateScreen, LeaveAlternateScreen, disable_raw_mode, enable_raw_mode,
};

use super::messages::{Message, MessageSender};

/// The terminal. Dropping it restores the former state.
pub(super) struct Screen {
    terminal: Terminal<CrosstermBackend<Stdout>>,
    gate: Arc<Gate>,
}

/// Keeps frames and the message of a panic apart.
#[derive(Default)]
struct Gate {
    is_lost: AtomicBool,
    drawing: Mutex<()>,
}

impl Gate {
    /// Waits for the frame that is being drawn, and prevents further ones.
    fn close(&self) -> MutexGuard<'_, ()> {
        // The flag is set before the wait, so that a frame that waits for the lock, too, is not drawn.
        self.is_lost.store(true, Ordering::SeqCst);
        self.drawing.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Screen {
    /// Takes over the terminal. After a panic in any thread, the terminal is restored so that the message is visible,
    /// and `lost` is called.
    pub(super) fn open(lost: impl Fn() + Send + Sync + 'static) -> io::Result<Self> {
        let (gate, own) = (Arc::new(Gate::default()), std::thread::current().id());
        let (shared, before) = (Arc::clone(&gate), std::panic::take_hook());
        std::panic::set_hook(Box::new(move |info| {
            // A frame that another thread is drawing is finished first; otherwise half of it would appear after the
            // message. If the drawing thread itself panics, it already holds the lock.
            let _drawn = (std::thread::current().id() != own).then(|| shared.close());
            // The terminal must leave the alternate screen before the message is written, or nobody would see it.
            restore();
            before(info);
            lost();
        }));
        enable_raw_mode()?;
        let opened = execute!(io::stdout(), EnterAlternateScreen)
            .and_then(|()| Terminal::new(CrosstermBackend::new(io::stdout())));
        match opened {
            Ok(terminal) => Ok(Self { terminal, gate }),
            Err(e) => {
                restore();
                Err(e)
            }
        }
    }

    pub(super) fn draw(&mut self, sides: &SideBySide) -> io::Result<()> {
        let _drawing = self
            .gate
            .drawing
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        // A panic has restored the terminal, so nothing may be drawn; the loop ends and reports the reason later.
        if self.gate.is_lost.load(Ordering::SeqCst) {
            return Ok(());
        }
        self.terminal.draw(|frame| draw(frame, sides))?;
        panic_if_asked("draw");
        Ok(())
    }
}

impl Drop for Screen {
    fn drop(&mut self) {
        restore();
    }
}

/// Restores the terminal. Errors are ignored: a terminal that is gone needs no restoring.
fn restore() {
    let _ = disable_raw_mode();
    let _ = execute!(io::stdout(), LeaveAlternateScreen, Show);
}

/// Panics at a place that a test selects, because only a real panic of the program shows if the terminal is restored.
pub(super) fn panic_if_asked(place: &str) {
    let asked = std::env::var_os("CTL_TEST_PANIC");
    assert!(
        asked.is_none_or(|asked| asked != place),
        "a test asked for this panic"
    );
}

/// A key that the user pressed, or an event of the terminal.
enum Typed {
    Key(Key),
    /// Ctrl-C, which raises no signal in raw mode.
    Stop,
    Resize,
}

/// Sends keys to the loop that draws until the loop ends.
pub(super) fn watch(outbox: &MessageSender) {
    loop {
        let message = match next() {
            Ok(Typed::Key(key)) => Message::Key(key),
            Ok(Typed::Resize) => Message::Resized,
            Ok(Typed::Stop) => Message::Stop,
            Err(e) => return outbox.fail(e.into()),
        };
        if outbox.sender.send(message).is_err() {
            return;
        }
    }
}

/// Waits for the next key.
fn next() -> io::Result<Typed> {
    loop {
        match event::read()? {
            event::Event::Resize(..) => return Ok(Typed::Resize),
            // Some terminals also report the release of a key, which would make it act twice.
            event::Event::Key(key) if key.kind != KeyEventKind::Release => {
                if let Some(typed) = typed(key) {
                    return Ok(typed);
                }
            }
            _ => {}
        }
    }
}

fn typed(key: KeyEvent) -> Option<Typed> {
    let is_fast = key.modifiers.contains(KeyModifiers::SHIFT);
    let is_control = key.modifiers.contains(KeyModifiers::CONTROL);
    Some(Typed::Key(match key.code {
        // In raw mode the terminal sends no SIGINT for Ctrl-C.
        KeyCode::Char('c' | 'd') if is_control => return Some(Typed::Stop),
        KeyCode::Char(_) if is_control => return None,
        KeyCode::Char(c) => Key::Char(c),
        KeyCode::Enter => Key::Enter,
        KeyCode::Esc => Key::Escape,
        KeyCode::Backspace => Key::Backspace,
        KeyCode::Tab => Key::Tab,
        KeyCode::BackTab => Key::BackTab,
        KeyCode::Up => Key::Up,
        KeyCode::Down => Key::Down,
        KeyCode::Left if is_fast => Key::FastLeft,
        KeyCode::Left => Key::Left,
        KeyCode::Right if is_fast => Key::FastRight,
        KeyCode::Right => Key::Right,
        KeyCode::PageUp => Key::PageUp,
        KeyCode::PageDown => Key::PageDown,
        KeyCode::Home => Key::Home,
        KeyCode::End => Key::End,
        _ => return None,
    }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn control_c_stops_and_other_control_keys_are_ignored() {
        let key = |code, modifiers| typed(KeyEvent::new(code, modifiers));
        let none = KeyModifiers::NONE;
        let is =
            |found: Option<Typed>, wanted: Key| matches!(found, Some(Typed::Key(k)) if k == wanted);
        assert!(is(key(KeyCode::Char('q'), none), Key::Char('q')));
        assert!(is(key(KeyCode::Left, KeyModifiers::SHIFT), Key::FastLeft));
        assert!(is(key(KeyCode::Left, none), Key::Left));
        let control = KeyModifiers::CONTROL;
        assert!(matches!(
            key(KeyCode::Char('c'), control),
            Some(Typed::Stop)
        ));
        assert!(key(KeyCode::Char('x'), control).is_none());
        assert!(key(KeyCode::F(5), none).is_none());
    }
}
