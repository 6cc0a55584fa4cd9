//! Lost races: somebody else wrote an item first, so what was to be written is made anew.

use alfred_core::Failure;

/// Times a lost race is run again. Calls of one turn that write the same item take turns, so this is
/// also how many may.
const MAX_CONFLICT_RETRIES: u32 = 100;

/// Counts the races lost over one thing.
#[derive(Debug)]
pub struct Race {
    over: &'static str,
    lost: u32,
}

impl Race {
    /// None lost yet over this, as an error names it.
    pub fn over(over: &'static str) -> Self {
        Self { over, lost: 0 }
    }

    /// Notes that it was lost once more.
    ///
    /// # Errors
    /// `Retry` when it was lost too often to go on now.
    pub fn lost(&mut self) -> Result<(), Failure> {
        self.lost += 1;
        match self.lost < MAX_CONFLICT_RETRIES {
            true => Ok(()),
            false => Err(Failure::retry(format!("{} is contended", self.over))),
        }
    }
}
