//! A cluster behind a side of the screen: the threads that read it, and the execution of commands on it.

use std::sync::mpsc::Sender;

use ctl_tui::Input;

use super::port::Port;
use super::reader::ReadRequest;
use super::run::{CommandEnd, Runner};
use crate::cli::error::CliError;

/// The cluster, or a fork of it.
pub(super) struct Source {
    pub(super) port: Port,
    pub(super) asks: Sender<ReadRequest>,
    pub(super) runner: Runner,
}

impl Source {
    /// Asks the reader.
    pub(super) fn ask(&self, ask: ReadRequest) {
        // The reader ends only with an error, which it has sent as a message.
        let _ = self.asks.send(ask);
    }

    /// Runs a command in its own thread.
    pub(super) fn start(&self, words: Vec<String>) -> Result<(), CliError> {
        let (runner, port) = (self.runner.clone(), self.port.clone());
        let run = move || {
            let CommandEnd { is_done, text } = runner.run(words);
            port.tell(Input::Said { is_done, text });
        };
        std::thread::Builder::new()
            .name("command".to_owned())
            .spawn(run)?;
        Ok(())
    }
}
