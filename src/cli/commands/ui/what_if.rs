//! The fork next to the cluster. It is made in a thread of its own, and is read and changed like the cluster.

use std::sync::Arc;

use ctl_scene::Scope;
use ctl_tui::{Side, SideBySide};
use jiff::Timestamp;

use super::messages::{CLUSTER, Message, MessageSender};
use super::reader::{ReadRequest, Reader};
use super::run::Runner;
use super::source::Source;
use super::view::View;
use crate::cli::context::Context;
use crate::cli::error::CliError;
use crate::cluster::{Cluster, Revision};

/// The slot for the fork.
pub(super) struct WhatIf<'c> {
    cluster: Arc<Cluster>,
    scope: Scope,
    context: &'c Context,
    /// The number of the last fork.
    last: u32,
    source: Option<Source>,
}

impl<'c> WhatIf<'c> {
    pub(super) fn new(cluster: Arc<Cluster>, scope: Scope, context: &'c Context) -> Self {
        Self {
            cluster,
            scope,
            context,
            last: CLUSTER,
            source: None,
        }
    }

    /// Returns the side that shows the cluster with a number; none for a discarded fork.
    pub(super) fn side(&self, number: u32) -> Option<Side> {
        match (number, &self.source) {
            (CLUSTER, _) => Some(Side::Cluster),
            (own, Some(source)) if own == source.outbox.number => Some(Side::Fork),
            _ => None,
        }
    }

    pub(super) fn source(&self) -> Option<&Source> {
        self.source.as_ref()
    }

    /// Begins to fork the cluster, at a revision or in its current state. Copying a large cluster takes a while, during
    /// which keys still work.
    pub(super) fn begin(
        &self,
        at: Option<Revision>,
        outbox: &MessageSender,
    ) -> Result<(), CliError> {
        let (cluster, sender) = (Arc::clone(&self.cluster), outbox.sender.clone());
        let fork = move || {
            let made = forked(&cluster, at);
            // A closed screen needs no fork.
            let _ = sender.send(Message::Forked(Box::new(made)));
        };
        let thread = std::thread::Builder::new().name("fork".to_owned());
        thread.spawn(fork)?;
        Ok(())
    }

    /// Shows the new fork, or the error if there is none.
    pub(super) fn open(
        &mut self,
        made: Result<Cluster, CliError>,
        outbox: &MessageSender,
        sides: &mut SideBySide,
    ) -> Result<(), CliError> {
        let fork = match made {
            Ok(fork) => fork,
            Err(error) => {
                sides.not_forked(error.in_one_line());
                return Ok(());
            }
        };
        self.last += 1;
        let outbox = MessageSender {
            number: self.last,
            ..outbox.clone()
        };
        let runner = Runner::in_memory(&fork, self.context)?;
        let view = View::new(Arc::new(fork), self.scope.clone())?;
        let asks = Reader::start(view, outbox.clone())?;
        self.source = Some(Source {
            outbox,
            asks,
            runner,
        });
        sides.forked();
        Ok(())
    }

    /// Ends the threads of the fork, which frees the fork.
    pub(super) fn discard(&mut self) {
        if let Some(source) = self.source.take() {
            source.ask(ReadRequest::End);
        }
    }
}

/// Copies a cluster into memory, with a virtual clock on which time passes only when a key says so.
pub(super) fn forked(cluster: &Cluster, at: Option<Revision>) -> Result<Cluster, CliError> {
    let stored = cluster.stored();
    let (revision, now) = match at {
        // A fork never begins before the time of its revision, so the epoch means exactly that time.
        Some(revision) => (revision, Timestamp::UNIX_EPOCH),
        None => stored.moment()?,
    };
    Ok(stored.as_of(revision, now)?)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::testing::Shell;

    #[test]
    fn fork_changes_independently_from_the_given_revision() {
        let shell = Shell::in_memory();
        shell.all(&["create deployment web --image=i --replicas=2", "settle"]);
        let cluster = shell.cluster();
        let revision = cluster.stored().revision().unwrap();
        let fork = forked(cluster, None).unwrap();
        assert_eq!(fork.now().unwrap(), cluster.now().unwrap());
        fork.stored().mark("x").unwrap();
        assert_eq!(cluster.stored().revision().unwrap(), revision);
        let early = forked(cluster, Some(revision - 1)).unwrap();
        assert_eq!(early.stored().revision().unwrap(), revision - 1);
        assert!(forked(cluster, Some(revision + 1)).is_err());
    }
}
