//! Time that moves only when everybody waits for it: many handlers side by side, on one thread.

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

/// Turns of the runtime after which what it was given has ended, or sleeps.
const TURNS: usize = 32;
/// How long, in real time, work may go on without that everybody sleeps or has ended.
const LIMIT: Duration = Duration::from_secs(60);

#[derive(Default)]
struct Sleepers {
    last: u64,
    /// Who is polled now.
    current: usize,
    /// Until when, and which piece of work waits.
    until: BTreeMap<u64, (Timestamp, usize)>,
}

/// A clock whose sleepers are known.
#[derive(Clone)]
pub struct Agenda {
    pub clock: ManualClock,
    sleepers: Arc<Mutex<Sleepers>>,
}

/// Whether some work can go on.
#[derive(Default)]
struct Woken(AtomicBool);

impl Wake for Woken {
    fn wake(self: Arc<Self>) {
        self.0.store(true, Ordering::SeqCst);
    }
}

/// Leaves the list when its sleep is over or was given up.
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

    /// Polls all work until each piece is done or sleeps; gives the places of what is done. `answered` returns once
    /// the threads that work may wait for have answered everything.
    ///
    /// # Panics
    /// When some work neither ends nor sleeps within [`LIMIT`].
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
                    // Without a sleeper of its own it waits for a thread, such as the database's.
                    Poll::Pending => {
                        awake |= !self.sleepers().until.values().any(|(_, of)| *of == at);
                    }
                }
            }
            if !awake {
                // Who sleeps may wait beside it: for a thread, or for a task of the runtime.
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

    /// The next moment for which somebody waits.
    pub fn next(&self) -> Option<Timestamp> {
        self.sleepers()
            .until
            .values()
            .map(|(until, _)| *until)
            .min()
    }
}
