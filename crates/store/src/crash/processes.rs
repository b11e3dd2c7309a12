//! Processes that leave their commits to each other, in random order: each of them writes, leaves, settles, looks at the
//! head, gives up or dies at any time.

use std::sync::Arc;

use super::{Plan, Workload, open, write};
use crate::error::StoreError;
use crate::handed_over::{AwaitedRecords, Fate};
use crate::interface::Result;
use crate::journal::Journal;
use crate::sys::sim_fs::{Dice, SimFs};

/// A process, and the commit that it waits for, by its number from 1.
struct Process {
    journal: Journal,
    waits: Option<(AwaitedRecords, usize)>,
}

/// The processes of a machine.
struct Machine<'f> {
    fs: &'f SimFs,
    dice: Dice,
    processes: Vec<Process>,
    /// The number of recorded states at each acknowledgment.
    acknowledged_at: Vec<usize>,
}

/// Runs a workload; returns the number of recorded states at each acknowledgment.
pub(super) fn run(fs: &SimFs, workload: &Workload) -> Result<Vec<usize>> {
    let mut machine = Machine {
        fs,
        dice: Dice(workload.steps.len() as u64 + 17),
        processes: Vec::new(),
        acknowledged_at: vec![0],
    };
    for _ in 0..workload.processes {
        let process = machine.start();
        machine.processes.push(process);
    }
    for (step, number) in workload.steps.iter().zip(1..) {
        machine.look_around()?;
        let who = machine.free()?;
        // More would be in flight than the explorer allows for.
        let is_full = number >= machine.acknowledged() + workload.together;
        let settles = is_full || machine.dice.roll(3) == 0;
        machine.commit(who, step, number, settles)?;
        if workload.compactions.contains(&number) {
            let _ = machine.recover().and_then(|mut j| j.compact(workload.keep));
        }
    }
    drop(machine.recover()?);
    machine.tell(|_| true)?;
    Ok(machine.acknowledged_at)
}

impl Machine<'_> {
    fn start(&self) -> Process {
        Process {
            journal: Journal::new(Arc::new(self.fs.clone())),
            waits: None,
        }
    }

    fn acknowledged(&self) -> usize {
        self.acknowledged_at.len() - 1
    }

    /// Acknowledges a commit, and with it everything before.
    fn acknowledge(&mut self, number: usize) {
        let now = self.fs.recorded();
        let length = self.acknowledged_at.len().max(number + 1);
        self.acknowledged_at.resize(length, now);
    }

    /// Some of the waiting processes look at the head.
    fn look_around(&mut self) -> Result<()> {
        let mut dice = std::mem::replace(&mut self.dice, Dice(0));
        let told = self.tell(|_| dice.roll(2) == 0);
        self.dice = dice;
        told
    }

    fn tell(&mut self, mut looks: impl FnMut(usize) -> bool) -> Result<()> {
        for who in 0..self.processes.len() {
            let process = &mut self.processes[who];
            let Some((left, number)) = process.waits.as_ref().filter(|_| looks(who)) else {
                continue;
            };
            match process.journal.fate_of(left)? {
                Fate::Open => {}
                Fate::Durable { .. } => {
                    let number = *number;
                    process.waits = None;
                    self.acknowledge(number);
                }
                Fate::Lost => {
                    let text = format!("process {who} lost commit {number}");
                    return Err(StoreError::Refused(text));
                }
            }
        }
        Ok(())
    }

    /// Takes the lock as a process that is not part of a group, or has waited for too long. A sync fails once.
    fn recover(&self) -> Result<Journal> {
        open(self.fs).or_else(|_| open(self.fs))
    }

    /// Returns a process that does not wait. If all of them wait, one gives up, and the others hear of it.
    fn free(&mut self) -> Result<usize> {
        if self.processes.iter().all(|p| p.waits.is_some()) {
            drop(self.recover()?);
            self.tell(|_| true)?;
        }
        loop {
            let who = self.dice.roll(self.processes.len());
            if self.processes[who].waits.is_none() {
                return Ok(who);
            }
        }
    }

    fn commit(&mut self, mut who: usize, step: &Plan, number: usize, settles: bool) -> Result<()> {
        let (mut is_alone, mut attempts) = (false, 0);
        loop {
            attempts += 1;
            let journal = &mut self.processes[who].journal;
            let written = journal
                .recover(false, !is_alone, &mut |_| Ok(()))
                .and_then(|_| write(journal, step));
            if written.is_ok() && !settles {
                break;
            }
            let settled = written.and_then(|()| journal.settle());
            match settled.and_then(|()| journal.publish_projected()) {
                Ok(()) => {
                    self.acknowledge(number);
                    return Ok(());
                }
                // One sync fails, and a recovery or a commit may need it.
                Err(e) if attempts == 3 => return Err(e),
                // It tries again alone, unless another process is faster, which shares what the others have left.
                Err(_) => {
                    who = self.free()?;
                    is_alone = self.dice.roll(2) == 0;
                }
            }
        }
        if self.dice.roll(8) == 0 {
            // It dies: nobody waits for the commit, which the others make durable nevertheless.
            self.processes[who] = self.start();
            return Ok(());
        }
        let left = self.processes[who].journal.leave();
        self.processes[who].waits = left.map(|left| (left, number));
        Ok(())
    }
}
