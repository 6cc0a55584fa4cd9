//! How often a call is repeated, and how long between: full jitter, doubling.

use alfred_core::ports::{Clock, StoreError};
use std::time::Duration;

use super::fault::Fault;

/// Tries while others are in the way: about two seconds in all.
const BUSY_TRIES: u32 = 10;
/// Tries without an answer; each may take the whole time limit of a call.
const UNKNOWN_TRIES: u32 = 3;
const FIRST_MS: u64 = 25;
const LONGEST_MS: u64 = 800;

pub(super) struct Backoff<'a> {
    clock: &'a dyn Clock,
    busy: u32,
    unknown: u32,
}

impl<'a> Backoff<'a> {
    pub(super) fn new(clock: &'a dyn Clock) -> Self {
        Self {
            clock,
            busy: 0,
            unknown: 0,
        }
    }

    /// Waits if the operation may be tried again, else gives the error. An
    /// operation that may once have been done is `Unavailable`, never `Contended`.
    pub(super) async fn again(&mut self, fault: Fault) -> Result<(), StoreError> {
        match fault {
            Fault::Busy(_) => self.busy += 1,
            Fault::Unknown(_) => self.unknown += 1,
            Fault::Broken(_) | Fault::Refused(_) => return Err(fault.into()),
        }
        if self.busy >= BUSY_TRIES || self.unknown >= UNKNOWN_TRIES {
            return Err(match fault {
                Fault::Busy(detail) if self.unknown > 0 => StoreError::Unavailable { detail },
                other => other.into(),
            });
        }
        self.pause().await;
        Ok(())
    }

    async fn pause(&self) {
        let doublings = (self.busy + self.unknown).saturating_sub(1).min(6);
        let most = (FIRST_MS << doublings).min(LONGEST_MS);
        let wait = Duration::from_millis(fastrand::u64(1..=most));
        self.clock.sleep(wait).await;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use alfred_testkit::ManualClock;

    fn busy() -> Fault {
        Fault::Busy("b".into())
    }

    fn unknown() -> Fault {
        Fault::Unknown("u".into())
    }

    #[tokio::test]
    async fn it_waits_with_the_clock_and_gives_up() {
        let clock = ManualClock::default();
        let begin = clock.now();
        let mut backoff = Backoff::new(&clock);
        for _ in 1..BUSY_TRIES {
            backoff.again(busy()).await.unwrap();
        }
        let waited = clock.now().duration_since(begin).as_millis();
        assert!((9..=4_775).contains(&waited), "{waited} ms");
        let last = backoff.again(busy()).await.unwrap_err();
        assert!(matches!(last, StoreError::Contended { .. }), "{last}");
    }

    #[tokio::test]
    async fn what_may_have_been_done_is_never_only_contended() {
        let clock = ManualClock::default();
        let mut backoff = Backoff::new(&clock);
        backoff.again(unknown()).await.unwrap();
        let error = loop {
            if let Err(error) = backoff.again(busy()).await {
                break error;
            }
        };
        assert!(matches!(error, StoreError::Unavailable { .. }), "{error}");
    }

    #[tokio::test]
    async fn what_an_administrator_must_mend_is_not_repeated() {
        let clock = ManualClock::default();
        let begin = clock.now();
        let fault = Fault::from_code("AccessDeniedException", "no dynamodb:PutItem");
        let error = Backoff::new(&clock).again(fault).await.unwrap_err();
        assert!(error.to_string().contains("dynamodb:PutItem"), "{error}");
        assert_eq!(clock.now(), begin);
    }
}
