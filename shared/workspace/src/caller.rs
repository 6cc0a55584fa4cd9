//! Tells a blocking thread whether its caller still waits. A thread can't be stopped, so it continues after
//! its caller gave up. Before any change it checks for the caller. Otherwise it would make a change after a
//! look-up that found nothing.

use alfred_core::ports::AccountError;
use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use crate::person::not_reached;

#[derive(Clone)]
pub(crate) struct Caller {
    left: Arc<AtomicBool>,
    queues_until: Option<Instant>,
}

/// While this exists, the caller waits.
pub(crate) struct Presence(Arc<AtomicBool>);

impl Caller {
    /// A caller that queues for at most this long, and the guard that marks it as waiting.
    pub fn new(queues: Duration) -> (Self, Presence) {
        let left = Arc::new(AtomicBool::new(false));
        let presence = Presence(left.clone());
        let queues_until = Instant::now().checked_add(queues);
        (Self { left, queues_until }, presence)
    }

    /// The remaining time to wait for others.
    pub fn queues(&self) -> Duration {
        let now = Instant::now();
        self.queues_until
            .map_or(Duration::MAX, |until| until.saturating_duration_since(now))
    }

    /// Called before any change. Fails if the caller is gone.
    pub fn is_there(&self) -> io::Result<()> {
        if self.left.load(Ordering::SeqCst) {
            return Err(io::Error::other("nobody waits for it any more"));
        }
        Ok(())
    }

    /// As [`Self::is_there`]; the error is `NotReached`.
    pub fn check(&self) -> Result<(), AccountError> {
        self.is_there().map_err(not_reached)
    }
}

pub(crate) async fn blocking<T: Send + 'static>(
    act: impl FnOnce() -> Result<T, AccountError> + Send + 'static,
) -> Result<T, AccountError> {
    let done = tokio::task::spawn_blocking(act).await;
    done.unwrap_or_else(|ended| {
        // It panicked or the process is ending, so its progress is unknown.
        Err(AccountError::Unknown {
            detail: ended.to_string(),
        })
    })
}

impl Drop for Presence {
    fn drop(&mut self) {
        self.0.store(true, Ordering::SeqCst);
    }
}
