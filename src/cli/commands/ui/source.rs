//! A cluster on one side of the screen: the threads that read it and the runner of its commands.

use std::sync::mpsc::Sender;

use ctl_tui::Input;

use super::messages::MessageSender;
use super::reader::ReadRequest;
use super::run::{CommandEnd, Runner};
use crate::cli::error::CliError;

/// The cluster, or a fork of it.
pub(super) struct Source {
    pub(super) outbox: MessageSender,
    pub(super) asks: Sender<ReadRequest>,
    pub(super) runner: Runner,
}

impl Source {
    /// Sends a request to the reader.
    pub(super) fn ask(&self, ask: ReadRequest) {
        // The reader ends only after an error, and has then sent the error as a message.
        let _ = self.asks.send(ask);
    }

    /// Runs a command in a thread of its own.
    pub(super) fn start(&self, words: Vec<String>) -> Result<(), CliError> {
        let (runner, outbox) = (self.runner.clone(), self.outbox.clone());
        let run = move || {
            let CommandEnd { is_done, text } = runner.run(words);
            outbox.send(Input::Said { is_done, text });
        };
        std::thread::Builder::new()
            .name("command".to_owned())
            .spawn(run)?;
        Ok(())
    }
}
