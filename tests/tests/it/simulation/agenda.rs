//! A clock that only advances when all handlers wait for it, with all of them on one thread.

use alfred_core::ports::Clock;
use alfred_testkit::ManualClock;
use async_trait::async_trait;
use futures_util::future::LocalBoxFuture;
use jiff::Timestamp;
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard};
use std::task::{Context, Poll, Wake, Waker};
use std::time::{Duration, Instant};

/// Yields after which pending runtime tasks have ended or sleep.
const TURNS: usize = 32;
/// The most real time until all work sleeps or has ended.
const LIMIT: Duration = Duration::from_secs(60);

#[derive(Default)]
struct Sleepers {
    last: u64,
    current: usize,
    /// Wake-up times, with the index of the waiting work.
    until: BTreeMap<u64, (Timestamp, usize)>,
}

#[derive(Clone)]
pub struct Agenda {
    pub clock: ManualClock,
    sleepers: Arc<Mutex<Sleepers>>,
}

#[derive(Default)]
struct Woken(AtomicBool);

impl Wake for Woken {
    fn wake(self: Arc<Self>) {
        self.0.store(true, Ordering::SeqCst);
    }
}

/// Removes its entry when the sleep ends or is dropped.
struct Sleeper<'a>(&'a Agenda, u64);

impl Drop for Sleeper<'_> {
    fn drop(&mut self) {
        self.0.sleepers().until.remove(&self.1);
    }
}

#[async_trait]
impl Clock for Agenda {
    fn now(&self) -> Timestamp {
        self.clock.now()
    }

    async fn sleep(&self, duration: Duration) {
        let until = self.now().checked_add(duration).unwrap();
        let id = {
            let mut sleepers = self.sleepers();
            sleepers.last += 1;
            let (id, current) = (sleepers.last, sleepers.current);
            sleepers.until.insert(id, (until, current));
            id
        };
        let _sleeper = Sleeper(self, id);
        std::future::poll_fn(|_| match self.now() >= until {
            true => Poll::Ready(()),
            false => Poll::Pending,
        })
        .await;
    }
}

impl Agenda {
    pub fn new(clock: ManualClock) -> Self {
        Self {
            clock,
            sleepers: Arc::default(),
        }
    }

    fn sleepers(&self) -> MutexGuard<'_, Sleepers> {
        self.sleepers.lock().unwrap()
    }

    /// Polls all work until each piece is done or sleeps, and returns the results with their indices. `answered`
    /// blocks until other threads have answered all calls. Panics if that takes longer than [`LIMIT`].
    pub async fn run<T>(
        &self,
        work: &mut [Option<LocalBoxFuture<'_, T>>],
        answered: impl Fn(),
    ) -> Vec<(usize, T)> {
        let woken = Arc::new(Woken::default());
        let waker = Waker::from(woken.clone());
        let mut done = Vec::new();
        let deadline = Instant::now() + LIMIT;
        loop {
            assert!(Instant::now() < deadline, "work doesn't come to rest");
            let mut awake = false;
            woken.0.store(false, Ordering::SeqCst);
            for (at, slot) in work.iter_mut().enumerate() {
                let Some(piece) = slot else { continue };
                self.sleepers().current = at;
                match piece.as_mut().poll(&mut Context::from_waker(&waker)) {
                    Poll::Ready(value) => {
                        *slot = None;
                        done.push((at, value));
                    }
                    // Work without a sleeper waits for a thread, such as the database's.
                    Poll::Pending => {
                        awake |= !self.sleepers().until.values().any(|(_, of)| *of == at);
                    }
                }
            }
            if !awake {
                // Sleeping work may also wait for a thread or a runtime task.
                answered();
                for _ in 0..TURNS {
                    tokio::task::yield_now().await;
                }
                if !woken.0.load(Ordering::SeqCst) {
                    return done;
                }
            }
            tokio::task::yield_now().await;
        }
    }

    pub fn next(&self) -> Option<Timestamp> {
        let sleepers = self.sleepers();
        sleepers.until.values().map(|(until, _)| *until).min()
    }
}
