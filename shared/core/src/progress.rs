//! How far long work is: counted by who does it, looked at by who waits for it.

use std::sync::{Mutex, MutexGuard, PoisonError};

/// What long work is under way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Long {
    /// A mailbox is looked through.
    Mail,
    /// The audit's days are read.
    AuditDays,
    /// The audit's runs are checked.
    AuditRuns,
}

/// One piece of work at a time; of several that share it, the latest is told.
#[derive(Debug, Default)]
pub struct Progress(Mutex<Option<Stage>>);

#[derive(Debug)]
struct Stage {
    what: Long,
    done: u64,
    of: u64,
}

/// Work that is counted. It is over when this is dropped.
#[derive(Debug)]
pub struct Counting<'a>(&'a Progress);

impl Progress {
    /// Begins work of so many units, whichever they are.
    pub fn begin(&self, what: Long, of: u64) -> Counting<'_> {
        *self.stage() = Some(Stage { what, done: 0, of });
        Counting(self)
    }

    /// How far it is, in words; nothing when nothing is under way.
    pub fn words(&self) -> Option<String> {
        let stage = self.stage();
        let Stage { what, done, of } = stage.as_ref()?;
        let percent = done.saturating_mul(100) / (*of).max(1);
        Some(how_far(*what, percent.min(100)))
    }

    fn stage(&self) -> MutexGuard<'_, Option<Stage>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn how_far(what: Long, percent: u64) -> String {
    let what = match what {
        Long::Mail => "Looking through the mail",
        Long::AuditDays => "Reading the days of the audit",
        Long::AuditRuns => "Checking the entries of the audit",
    };
    format!("{what}: {percent} %")
}

impl Counting<'_> {
    /// So many units more are done.
    pub fn add(&self, units: u64) {
        if let Some(stage) = self.0.stage().as_mut() {
            stage.done = stage.done.saturating_add(units);
        }
    }
}

impl Drop for Counting<'_> {
    fn drop(&mut self) {
        *self.0.stage() = None;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_is_told_while_it_is_counted() {
        let progress = Progress::default();
        assert_eq!(progress.words(), None);
        let counting = progress.begin(Long::Mail, 8);
        counting.add(3);
        let words = progress.words().unwrap();
        assert_eq!(words, "Looking through the mail: 37 %");
        counting.add(u64::MAX);
        assert!(progress.words().unwrap().contains("100 %"));
        drop(counting);
        assert_eq!(progress.words(), None);
        let nothing = progress.begin(Long::AuditRuns, 0);
        assert!(progress.words().unwrap().contains("0 %"));
        drop(nothing);
    }
}
