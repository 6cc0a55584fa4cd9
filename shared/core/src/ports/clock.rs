//! Time and ids, injected so that tests decide both.

use async_trait::async_trait;
use jiff::Timestamp;
use std::time::Duration;
use uuid::Uuid;

/// The time, and waiting.
#[async_trait]
pub trait Clock: Send + Sync {
    /// Now.
    fn now(&self) -> Timestamp;
    /// Waits in process. Callers keep it under 20 s; longer waits park the run.
    async fn sleep(&self, duration: Duration);

    /// Somebody outside, who can't be mistaken, says that it is about this time. A clock that
    /// doubts itself may take it over.
    fn witness(&self, _time: Timestamp) {}
}

/// New ids.
pub trait Ids: Send + Sync {
    /// A UUIDv7.
    fn uuid(&self) -> Uuid;
}

/// The machine's clock.
#[derive(Clone, Copy, Debug, Default)]
pub struct SystemClock;

#[async_trait]
impl Clock for SystemClock {
    fn now(&self) -> Timestamp {
        Timestamp::now()
    }

    async fn sleep(&self, duration: Duration) {
        tokio::time::sleep(duration).await;
    }
}

/// Ids from the machine's clock and its random source.
#[derive(Clone, Copy, Debug, Default)]
pub struct SystemIds;

impl Ids for SystemIds {
    fn uuid(&self) -> Uuid {
        Uuid::now_v7()
    }
}

/// A secret that nobody guesses, 64 hex digits: 244 bits of the machine's random source.
pub fn random_secret() -> String {
    let [half, other] = [Uuid::new_v4(), Uuid::new_v4()];
    format!("{}{}", half.simple(), other.simple())
}
