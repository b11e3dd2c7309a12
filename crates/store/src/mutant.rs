//! Planted bugs (test builds only): each is caught by the crash tests, which proves the tests.

/// A bug that can be switched on for this thread.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Mutant {
    /// A commit is acknowledged without fdatasync.
    NoSync,
    /// The journal directory is not synced after a rename.
    NoDirSync,
    /// A new generation is renamed into place without fdatasync.
    NoSyncBeforeRename,
    /// The head is published before the record is durable.
    HeadFirst,
    /// The head is trusted after a reboot.
    TrustHeadAcrossBoot,
    /// Checksums are not computed.
    NoChecksum,
    /// A batch is written as one record per object.
    SplitBatch,
    /// A dead writer's tail is adopted without making it durable.
    NoResyncOfTail,
    /// A dead writer's tail is synced but not written again.
    NoRewriteOfTail,
    /// The whole file is written again at recovery, after a reboot too.
    RewriteFromZero,
    /// Temporary files of compactions share one name.
    ReuseTemporaryName,
    /// The old generation is removed before the new one exists.
    UnlinkOldFirst,
    /// A failed fsync is neither undone nor its bytes rewritten.
    NoUndoNoRewrite,
    /// The sync of a group covers its first commit only.
    SyncFirstOnly,
    /// A failed group is taken back from its last commit on.
    UndoLastOnly,
    /// A process that leaves its records reports them as durable at once.
    NoWaitForTheLeft,
    /// A process that leaves its records publishes them.
    PublishOnLeave,
    /// The records of other processes are synced but not written again.
    NoRewriteOfInherited,
    /// A process that fails takes back the records of others, too.
    UndoInherited,
    /// A failed fsync is not undone.
    NoUndo,
    /// A torn tail is left in the file.
    NoTruncate,
    /// The copy of a rejected edit is not synced.
    NoSyncOfRejected,
    /// The name of that copy is not synced.
    NoDirSyncOfRejected,
    /// The edit is removed before its copy has a name.
    UnlinkBeforeKept,
    /// Discards swapped-out files without reading them.
    TrustWhatCameOut,
}

#[cfg(test)]
thread_local! {
    static PLANTED: std::cell::Cell<Option<Mutant>> = const { std::cell::Cell::new(None) };
}

/// Returns true if `mutant` is planted in this thread.
#[cfg(test)]
pub(crate) fn is(mutant: Mutant) -> bool {
    PLANTED.get() == Some(mutant)
}

/// No bug is planted outside tests.
#[cfg(not(test))]
pub(crate) const fn is(_mutant: Mutant) -> bool {
    false
}

/// Plants a bug in this thread, or takes it out.
#[cfg(test)]
pub(crate) fn plant(mutant: Option<Mutant>) {
    PLANTED.set(mutant);
}
