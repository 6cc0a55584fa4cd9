//! Effects that go on when their caller gives up. An effect in the middle of a delivery records its outcome.
//! One that hasn't begun checks for its caller: a look-up may have found nothing by then.

use crate::Result;
use alfred_core::ports::AccountError;
use std::sync::{Arc, Weak};
use std::time::Duration;
use tokio::task::JoinError;
use tokio::time::Instant;

#[derive(Clone)]
pub(crate) struct Caller {
    waits: Weak<()>,
    /// Until when it waits for others.
    pub queues_until: Instant,
}

impl Caller {
    /// Called before any change. `NotReached` if the caller is gone.
    pub fn check(&self) -> Result<()> {
        if self.waits.strong_count() == 0 {
            return Err(AccountError::not_reached("nobody waits any more"));
        }
        Ok(())
    }
}

/// Runs an effect that waits for others at most this long.
pub(crate) async fn to_the_end<T: Send + 'static, F>(
    queues: Duration,
    effect: impl FnOnce(Caller) -> F,
) -> Result<T>
where
    F: Future<Output = Result<T>> + Send + 'static,
{
    let waits = Arc::new(());
    let caller = Caller {
        waits: Arc::downgrade(&waits),
        queues_until: Instant::now() + queues,
    };
    let done = tokio::spawn(effect(caller)).await;
    drop(waits);
    done.unwrap_or_else(ended)
}

pub(crate) async fn blocking<T: Send + 'static>(
    act: impl FnOnce() -> Result<T> + Send + 'static,
) -> Result<T> {
    let done = tokio::task::spawn_blocking(act).await;
    done.unwrap_or_else(ended)
}

/// The task panicked or the process is ending, so its progress is unknown.
fn ended<T>(error: JoinError) -> Result<T> {
    Err(AccountError::unknown(error))
}
