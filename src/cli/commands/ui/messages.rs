//! Messages to the loop that draws.

use std::sync::mpsc::Sender;

use ctl_tui::{Input, Key};

use crate::cli::error::CliError;
use crate::cluster::Cluster;

/// A message for the loop that draws.
pub(super) enum Message {
    Key(Key),
    /// The cluster with this number was read, or a command on it ended.
    Input(u32, Input),
    /// The cluster with this number cannot be read.
    Failed(u32, CliError),
    /// A fork was made, or could not be made.
    Forked(Box<Result<Cluster, CliError>>),
    Resized,
    Stop,
}

/// The number of the cluster itself; forks have higher numbers.
pub(super) const CLUSTER: u32 = 0;

/// Sends messages about one cluster to the loop. A failure to send is ignored, because a closed screen needs no
/// messages.
#[derive(Clone)]
pub(super) struct MessageSender {
    pub(super) sender: Sender<Message>,
    /// The number of the cluster. Messages about a discarded fork must not be taken for those of the next one.
    pub(super) number: u32,
}

impl MessageSender {
    pub(super) fn send(&self, input: Input) {
        let _ = self.sender.send(Message::Input(self.number, input));
    }

    pub(super) fn fail(&self, error: CliError) {
        let _ = self.sender.send(Message::Failed(self.number, error));
    }
}
