//! Whoever asked for something, as a thread sees them that works for them.
//!
//! Threads can't be stopped: whose caller gave up goes on. So before it changes anything it looks whether
//! somebody still waits for it; what nobody waits for isn't done any more, or it would be done behind a
//! look that found nothing.

use alfred_core::ports::AccountError;
use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use crate::person::not_reached;

/// Who waits for an answer.
#[derive(Clone)]
pub(crate) struct Caller {
    left: Arc<AtomicBool>,
    queues_until: Option<Instant>,
}

/// As long as this is kept, somebody waits.
pub(crate) struct Presence(Arc<AtomicBool>);

impl Caller {
    /// Somebody who is ready to queue for so long, and the proof that they are there.
    pub fn new(queues: Duration) -> (Self, Presence) {
        let left = Arc::new(AtomicBool::new(false));
        let presence = Presence(left.clone());
        let queues_until = Instant::now().checked_add(queues);
        (Self { left, queues_until }, presence)
    }

    /// How much longer others may be waited for.
    pub fn queues(&self) -> Duration {
        let now = Instant::now();
        self.queues_until
            .map_or(Duration::MAX, |until| until.saturating_duration_since(now))
    }

    /// Before anything is done for them.
    ///
    /// # Errors
    /// When they are gone.
    pub fn is_there(&self) -> io::Result<()> {
        if self.left.load(Ordering::SeqCst) {
            return Err(io::Error::other("nobody waits for it any more"));
        }
        Ok(())
    }

    /// The same, of a call.
    ///
    /// # Errors
    /// `NotReached` when they are gone.
    pub fn check(&self) -> Result<(), AccountError> {
        self.is_there().map_err(not_reached)
    }
}

/// Does what blocks on a thread that may.
pub(crate) async fn blocking<T: Send + 'static>(
    act: impl FnOnce() -> Result<T, AccountError> + Send + 'static,
) -> Result<T, AccountError> {
    let done = tokio::task::spawn_blocking(act).await;
    done.unwrap_or_else(|ended| {
        // It panicked, or the process ends: nobody knows how far it came.
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
