//! Runs a script on its own thread, for a limited time.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{RecvTimeoutError, sync_channel};
use std::thread;
use std::time::Duration;

use super::{Limits, ScriptError};

/// Extra wait, since the engine checks the time only between steps of the script.
const GRACE: Duration = Duration::from_millis(500);
/// Bytes of stack beyond the script's own.
const RESERVE: usize = 1 << 20;
/// Most threads that run on after their time.
const MOST_LEFT: usize = 4;

/// Number of threads that run on after their time.
static LEFT: AtomicUsize = AtomicUsize::new(0);

/// Does the work on its own thread. Some functions of the engine can't be interrupted, such as a search in a long
/// text. Their thread runs on, and the caller gets an error.
pub fn run<T: Send + 'static>(
    limits: &Limits,
    work: impl FnOnce() -> Result<T, ScriptError> + Send + 'static,
) -> Result<T, ScriptError> {
    counted(&LEFT, limits, work)
}

fn counted<T: Send + 'static>(
    left: &'static AtomicUsize,
    limits: &Limits,
    work: impl FnOnce() -> Result<T, ScriptError> + Send + 'static,
) -> Result<T, ScriptError> {
    if left.load(Ordering::Relaxed) >= MOST_LEFT {
        return Err(ScriptError::Busy);
    }
    // Without a buffer, sending fails if the caller has stopped waiting.
    let (done, result) = sync_channel(0);
    let thread = thread::Builder::new().stack_size(limits.stack + RESERVE);
    let started = thread.spawn(move || {
        if done.send(work()).is_err() {
            left.fetch_sub(1, Ordering::Relaxed);
        }
    });
    started.map_err(|error| ScriptError::Engine(error.to_string()))?;
    match result.recv_timeout(limits.time + GRACE) {
        Ok(result) => result,
        Err(RecvTimeoutError::Timeout) => {
            left.fetch_add(1, Ordering::Relaxed);
            Err(ScriptError::Time(limits.time))
        }
        Err(RecvTimeoutError::Disconnected) => {
            Err(ScriptError::Engine("its thread is gone".into()))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Barrier;

    #[test]
    fn what_is_left_behind_is_counted_until_it_ends() {
        static HERE: AtomicUsize = AtomicUsize::new(0);
        static LET_GO: Barrier = Barrier::new(MOST_LEFT + 1);
        let limits = Limits {
            time: Duration::ZERO,
            ..Limits::default()
        };
        thread::scope(|scope| {
            for _ in 0..MOST_LEFT {
                scope.spawn(|| {
                    let stuck = counted(&HERE, &limits, || Ok(LET_GO.wait().is_leader()));
                    assert_eq!(stuck, Err(ScriptError::Time(Duration::ZERO)));
                });
            }
        });
        assert_eq!(counted(&HERE, &limits, || Ok(())), Err(ScriptError::Busy));
        LET_GO.wait();
        while HERE.load(Ordering::Relaxed) > 0 {
            thread::yield_now();
        }
        assert_eq!(counted(&HERE, &limits, || Ok(1)), Ok(1));
    }

    #[test]
    fn a_thread_that_is_gone_is_an_error() {
        let gone = run(&Limits::default(), || -> Result<(), _> {
            panic!("on purpose")
        });
        assert_eq!(gone, Err(ScriptError::Engine("its thread is gone".into())));
    }
}
