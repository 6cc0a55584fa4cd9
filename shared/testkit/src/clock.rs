//! Time and ids that a test decides.

use alfred_core::ports::{Clock, Ids};
use async_trait::async_trait;
use jiff::Timestamp;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;
use uuid::Uuid;

/// A clock that stands still until it is told to move. Clones show the same time.
#[derive(Clone, Debug)]
pub struct ManualClock(Arc<Mutex<Timestamp>>);

impl ManualClock {
    pub fn at(now: Timestamp) -> Self {
        Self(Arc::new(Mutex::new(now)))
    }

    pub fn advance(&self, by: Duration) {
        let mut now = self.0.lock().unwrap();
        *now = now.checked_add(by).expect("within jiff's range of time");
    }

    pub fn set(&self, now: Timestamp) {
        *self.0.lock().unwrap() = now;
    }
}

impl Default for ManualClock {
    /// Saturday 21 November 2026, 09:00:00 UTC.
    fn default() -> Self {
        Self::at("2026-11-21T09:00:00Z".parse().unwrap())
    }
}

#[async_trait]
impl Clock for ManualClock {
    fn now(&self) -> Timestamp {
        *self.0.lock().unwrap()
    }

    /// Moves the clock on and returns at once.
    async fn sleep(&self, duration: Duration) {
        self.advance(duration);
        tokio::task::yield_now().await;
    }
}

/// Ids that count from 1, in the shape of a UUIDv7 and in its order.
#[derive(Debug, Default)]
pub struct SequentialIds(AtomicU64);

impl SequentialIds {
    pub fn restart(&self) {
        self.0.store(0, Ordering::Relaxed);
    }
}

impl Ids for SequentialIds {
    fn uuid(&self) -> Uuid {
        let n = self.0.fetch_add(1, Ordering::Relaxed) + 1;
        Uuid::from_u128((0x7000 << 64) | (0x8 << 60) | u128::from(n))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn sleeping_moves_every_clone() {
        let clock = ManualClock::default();
        clock.clone().sleep(Duration::from_secs(90)).await;
        assert_eq!(clock.now().to_string(), "2026-11-21T09:01:30Z");
    }

    #[test]
    fn ids_are_version_7_and_in_order() {
        let ids = SequentialIds::default();
        let (first, second) = (ids.uuid(), ids.uuid());
        assert!(first < second);
        assert_eq!(second.get_version_num(), 7);
        assert_eq!(second.get_variant(), uuid::Variant::RFC4122);
    }
}
