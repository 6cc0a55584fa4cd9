//! The clock and id sources, replaceable in tests.

use async_trait::async_trait;
use jiff::Timestamp;
use std::time::Duration;
use uuid::Uuid;

#[async_trait]
pub trait Clock: Send + Sync {
    fn now(&self) -> Timestamp;
    /// Waits in the process. Callers wait less than 20 s; longer waits park the run.
    async fn sleep(&self, duration: Duration);

    /// Reports the time from a reliable outside source, such as a server. A clock that may be wrong can adopt it.
    fn witness(&self, _time: Timestamp) {}
}

pub trait Ids: Send + Sync {
    fn uuid(&self) -> Uuid;
}

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

/// UUIDs from the machine's clock and random source.
#[derive(Clone, Copy, Debug, Default)]
pub struct SystemIds;

impl Ids for SystemIds {
    fn uuid(&self) -> Uuid {
        Uuid::now_v7()
    }
}

/// A random secret of 64 hex digits, with 244 bits of entropy.
pub fn random_secret() -> String {
    let [half, other] = [Uuid::new_v4(), Uuid::new_v4()];
    format!("{}{}", half.simple(), other.simple())
}
