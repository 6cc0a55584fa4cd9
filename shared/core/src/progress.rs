//! How far long work is: counted by who does it, looked at by who waits for it.

use std::sync::{Mutex, MutexGuard, PoisonError};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Long {
    /// Reading a mailbox.
    Mail,
    /// Reading the audit by day.
    AuditDays,
    /// Verifying the audit chains of runs.
    AuditRuns,
}

/// The progress of the operation started last.
#[derive(Debug, Default)]
pub struct Progress(Mutex<Option<Stage>>);

#[derive(Debug)]
struct Stage {
    what: Long,
    done: u64,
    of: u64,
}

/// Counts the units of an operation. Dropping it ends the operation.
#[derive(Debug)]
pub struct Counting<'a>(&'a Progress);

impl Progress {
    /// Starts an operation of `of` units.
    pub fn begin(&self, what: Long, of: u64) -> Counting<'_> {
        *self.stage() = Some(Stage { what, done: 0, of });
        Counting(self)
    }

    /// The progress as text; `None` if no operation is running.
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
