//! The terminal while the screen is shown, and its restoration: at the end, on errors, on panics.

use std::io::{self, Stdout};

use ctl_tui::{App, Key, draw};
use ratatui::Terminal;
use ratatui::backend::CrosstermBackend;
use ratatui::crossterm::cursor::Show;
use ratatui::crossterm::event::{self, KeyCode, KeyEvent, KeyEventKind, KeyModifiers};
use ratatui::crossterm::execute;
use ratatui::crossterm::terminal::{
    EnterAlternateScreen, LeaveAlternateScreen, disable_raw_mode, enable_raw_mode,
};

/// The terminal, which returns to its former state when this is dropped.
pub(super) struct Screen {
    terminal: Terminal<CrosstermBackend<Stdout>>,
}

impl Screen {
    pub(super) fn open() -> io::Result<Self> {
        // A message about a panic has to be written to a terminal that shows it.
        let before = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |info| {
            restore();
            before(info);
        }));
        enable_raw_mode()?;
        let opened = execute!(io::stdout(), EnterAlternateScreen)
            .and_then(|()| Terminal::new(CrosstermBackend::new(io::stdout())));
        match opened {
            Ok(terminal) => Ok(Self { terminal }),
            Err(e) => {
                restore();
                Err(e)
            }
        }
    }

    pub(super) fn draw(&mut self, app: &App) -> io::Result<()> {
        self.terminal.draw(|frame| draw(frame, app))?;
        Ok(())
    }
}

impl Drop for Screen {
    fn drop(&mut self) {
        restore();
    }
}

/// Gives the terminal back. A terminal that is gone needs nothing.
fn restore() {
    let _ = disable_raw_mode();
    let _ = execute!(io::stdout(), LeaveAlternateScreen, Show);
}

/// A key of a person, or a reason to draw again.
pub(super) enum Typed {
    Key(Key),
    /// Ctrl-C, which is no signal in this mode of the terminal.
    Stop,
    Resize,
}

/// Waits for the next key.
pub(super) fn next() -> io::Result<Typed> {
    loop {
        match event::read()? {
            event::Event::Resize(..) => return Ok(Typed::Resize),
            // Some terminals report the release of a key as well, which would act twice.
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
        // In raw mode the terminal sends no SIGINT.
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
    fn keys_with_control_stop_or_mean_nothing() {
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
