//! Faults of port calls, and the gate that every call passes.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::future::Future;
use std::sync::{Arc, Mutex, MutexGuard};
use std::task::{Context, Poll, Wake, Waker};
use std::time::{Duration, Instant};

/// How long a port's thread may take to answer.
const LIMIT: Duration = Duration::from_secs(30);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    /// The process dies before the call.
    CrashBefore,
    /// The process dies after the call took effect.
    CrashAfter,
    /// No answer and no effect.
    LostBefore,
    /// No answer, but the effect.
    LostAfter,
    /// A transaction conflict; for Slack and the model: unreachable.
    Contended,
    Throttled,
    /// The message is redelivered and handled completely while this call hangs.
    SecondWorker,
    /// The message is redelivered, and both workers alternate call by call.
    SideBySide,
    Redelivered,
    /// Like `Redelivered`, after everything else.
    RedeliveredLate,
    /// Others click on everything that waits.
    ForeignClicks,
    Stop,
}

const READS: &str = "store.get|store.query|store.query (timers)|chat.find|chat.thread|chat.before\
    |chat.user|chat.channels|model.turn";

/// Whether a call changes nothing. A fault at it can only delay or repeat the next write.
pub fn is_read(call: &str) -> bool {
    READS.split('|').any(|read| read == call)
}

impl Fault {
    pub const ALL: [Self; 12] = [
        Self::CrashBefore,
        Self::CrashAfter,
        Self::LostBefore,
        Self::LostAfter,
        Self::Contended,
        Self::Throttled,
        Self::SecondWorker,
        Self::SideBySide,
        Self::Redelivered,
        Self::RedeliveredLate,
        Self::ForeignClicks,
        Self::Stop,
    ];

    /// Whether the fault differs from others at this call. A read has no effect to fail after, a sweep reads its 32
    /// buckets concurrently, and redelivery only differs after a write.
    pub fn strikes(self, call: &str) -> bool {
        match self {
            Self::CrashBefore | Self::LostBefore => true,
            Self::SecondWorker | Self::SideBySide | Self::ForeignClicks | Self::Stop => {
                call != "store.query (timers)"
            }
            Self::Contended => !call.starts_with("queue.") && call != "store.query (timers)",
            // The store has one error for both.
            Self::Throttled => call.starts_with("chat.") || call.starts_with("model."),
            Self::CrashAfter | Self::LostAfter | Self::Redelivered | Self::RedeliveredLate => {
                !is_read(call)
            }
        }
    }

    /// A redelivery follows the whole delivery, so it only differs at the delivery's last write.
    pub fn differs(self, later: &[&str]) -> bool {
        let again = matches!(self, Self::Redelivered | Self::RedeliveredLate);
        !again || later.iter().all(|call| is_read(call))
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Intrusion {
    SecondWorker,
    SideBySide,
    ForeignClicks,
    Stop,
    Time(Duration),
}

/// How a call continues.
pub enum Pass {
    Go,
    Fail(Fault),
    Lose,
    Die,
}

#[derive(Default)]
struct State {
    /// Each with the number of completed deliveries.
    calls: Vec<(usize, &'static str)>,
    delivered: usize,
    plan: BTreeMap<usize, Fault>,
    crashed: bool,
    asked: VecDeque<(usize, Intrusion)>,
    released: BTreeSet<usize>,
    side_by_side: bool,
    again: Option<Fault>,
    struck: Vec<(usize, &'static str, Fault)>,
    /// Interruptions of hanging calls.
    intrusions: usize,
}

#[derive(Default)]
pub struct Gate(Mutex<State>);

impl Gate {
    fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap()
    }

    /// Resets the state; these calls, counted from 1, fail.
    pub fn plan(&self, plan: BTreeMap<usize, Fault>) {
        *self.state() = State {
            plan,
            ..State::default()
        };
    }

    pub fn calls(&self) -> Vec<&'static str> {
        self.deliveries().concat()
    }

    pub fn delivered(&self) {
        self.state().delivered += 1;
    }

    pub fn deliveries(&self) -> Vec<Vec<&'static str>> {
        let state = self.state();
        let deliveries = state.calls.chunk_by(|one, next| one.0 == next.0);
        let names = deliveries.map(|calls| calls.iter().map(|(_, name)| *name).collect());
        names.collect()
    }

    pub fn struck(&self) -> Vec<(usize, &'static str, Fault)> {
        self.state().struck.clone()
    }

    /// The number of faults and interruptions.
    pub fn strikes(&self) -> usize {
        let state = self.state();
        state.struck.len() + state.intrusions
    }

    pub fn take_crash(&self) -> bool {
        std::mem::take(&mut self.state().crashed)
    }

    pub fn take_intrusion(&self) -> Option<(usize, Intrusion)> {
        let mut state = self.state();
        let taken = state.asked.pop_front();
        if taken.is_some_and(|(_, intrusion)| !matches!(intrusion, Intrusion::Time(_))) {
            state.intrusions += 1;
        }
        taken
    }

    pub fn release(&self, call: usize) {
        self.state().released.insert(call);
    }

    pub fn side_by_side(&self, on: bool) {
        self.state().side_by_side = on;
    }

    /// Takes the redelivery planned for the current message.
    pub fn take_again(&self) -> Option<Fault> {
        self.state().again.take()
    }

    pub async fn pass(&self, name: &'static str) -> Pass {
        let (number, fault, alternate) = {
            let mut state = self.state();
            let delivered = state.delivered;
            state.calls.push((delivered, name));
            let number = state.calls.len();
            let fault = state.plan.remove(&number);
            if let Some(fault) = fault {
                state.struck.push((number, name, fault));
            }
            (number, fault, state.side_by_side)
        };
        if alternate {
            once().await;
        }
        let Some(fault) = fault else { return Pass::Go };
        match fault {
            // It runs in the background, so the process being polled dies.
            Fault::CrashBefore | Fault::CrashAfter if name == "chat.set_status" => {
                self.state().crashed = true;
                return Pass::Fail(fault);
            }
            Fault::CrashBefore => self.die().await,
            Fault::CrashAfter => return Pass::Die,
            Fault::LostAfter => return Pass::Lose,
            Fault::LostBefore | Fault::Contended | Fault::Throttled => return Pass::Fail(fault),
            Fault::SecondWorker => self.hang(number, Intrusion::SecondWorker).await,
            Fault::SideBySide => self.hang(number, Intrusion::SideBySide).await,
            Fault::ForeignClicks => self.hang(number, Intrusion::ForeignClicks).await,
            Fault::Stop => self.hang(number, Intrusion::Stop).await,
            Fault::Redelivered | Fault::RedeliveredLate => self.state().again = Some(fault),
        }
        Pass::Go
    }

    /// Lets time pass in a call, unless two workers alternate: their driver waits for both.
    pub async fn take(&self, time: Duration) {
        let number = {
            let state = self.state();
            if state.side_by_side {
                return;
            }
            // Distinct from call numbers, which plan the faults.
            usize::MAX - state.released.len()
        };
        self.hang(number, Intrusion::Time(time)).await;
    }

    /// Hangs until the driver drops the process.
    pub async fn die(&self) {
        self.state().crashed = true;
        std::future::pending::<()>().await;
    }

    async fn hang(&self, number: usize, intrusion: Intrusion) {
        self.state().asked.push_back((number, intrusion));
        while !self.state().released.contains(&number) {
            once().await;
        }
    }
}

async fn once() {
    let mut waited = false;
    std::future::poll_fn(|context| {
        if std::mem::replace(&mut waited, true) {
            return Poll::Ready(());
        }
        context.waker().wake_by_ref();
        Poll::Pending
    })
    .await;
}

struct Unpark(std::thread::Thread);

impl Wake for Unpark {
    fn wake(self: Arc<Self>) {
        self.0.unpark();
    }
}

/// Blocks this thread on a future, which keeps the order of calls deterministic however long another thread
/// takes. Panics if that thread doesn't answer within [`LIMIT`].
pub fn block_on<T>(future: impl Future<Output = T>) -> T {
    let waker = Waker::from(Arc::new(Unpark(std::thread::current())));
    let mut context = Context::from_waker(&waker);
    // Tokio's budget would defer a wake-up to the blocked scheduler.
    let mut future = std::pin::pin!(tokio::task::unconstrained(future));
    let deadline = Instant::now() + LIMIT;
    loop {
        if let Poll::Ready(value) = future.as_mut().poll(&mut context) {
            return value;
        }
        let left = deadline.saturating_duration_since(Instant::now());
        assert!(!left.is_zero(), "a port didn't answer within {LIMIT:?}");
        std::thread::park_timeout(left);
    }
}
