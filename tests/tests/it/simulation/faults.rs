//! What can go wrong at a call of a port, and the gate that every call passes.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::future::Future;
use std::sync::{Arc, Mutex, MutexGuard};
use std::task::{Context, Poll, Wake, Waker};
use std::time::{Duration, Instant};

/// How long the thread of a port may take to answer.
const LIMIT: Duration = Duration::from_secs(30);

/// What goes wrong at one call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    /// The process dies before the call.
    CrashBefore,
    /// The process dies once the call took effect.
    CrashAfter,
    /// No answer, and nothing happened.
    LostBefore,
    /// No answer, though it took effect.
    LostAfter,
    /// A conflict with another transaction; of Slack and the model: out of reach.
    Contended,
    Throttled,
    /// The message is delivered once more and handled whole while this call hangs.
    SecondWorker,
    /// The message is delivered once more, and both go on side by side, a call each.
    SideBySide,
    /// The message is delivered once more when it was handled.
    Redelivered,
    /// The same, behind everything else.
    RedeliveredLate,
    /// Others click on everything that waits.
    ForeignClicks,
    /// The owner presses stop.
    Stop,
}

/// Whether a call changes nothing: a fault at it can only delay or repeat what the next write does.
pub fn is_read(call: &str) -> bool {
    matches!(
        call,
        "store.get"
            | "store.query"
            | "store.query (timers)"
            | "chat.find"
            | "chat.thread"
            | "chat.before"
            | "chat.user"
            | "chat.channels"
            | "model.turn"
    )
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

    /// Whether it can differ at this call from the others: what only reads has no effect
    /// behind which to fail, the 32 buckets of a sweep are read at once, and a message that
    /// comes again behind a call that wrote nothing comes again behind the one before.
    pub fn strikes(self, call: &str) -> bool {
        match self {
            Self::CrashBefore | Self::LostBefore => true,
            Self::SecondWorker | Self::SideBySide | Self::ForeignClicks | Self::Stop => {
                call != "store.query (timers)"
            }
            Self::Contended => !call.starts_with("queue.") && call != "store.query (timers)",
            // The store reports both by one error.
            Self::Throttled => call.starts_with("chat.") || call.starts_with("model."),
            Self::CrashAfter | Self::LostAfter | Self::Redelivered | Self::RedeliveredLate => {
                !is_read(call)
            }
        }
    }

    /// Whether it differs from the same at a later call of the delivery: a message comes again once it was handled.
    pub fn differs(self, later: &[&str]) -> bool {
        let again = matches!(self, Self::Redelivered | Self::RedeliveredLate);
        !again || later.iter().all(|call| is_read(call))
    }
}

/// What comes in while a call hangs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Intrusion {
    SecondWorker,
    SideBySide,
    ForeignClicks,
    Stop,
    /// The call takes this long.
    Time(Duration),
}

/// How a call may go on.
pub enum Pass {
    Go,
    /// It fails, and nothing happens.
    Fail(Fault),
    /// It takes effect and fails.
    Lose,
    /// It takes effect, and the process dies.
    Die,
}

#[derive(Default)]
struct State {
    /// Each with the number of deliveries that had ended.
    calls: Vec<(usize, &'static str)>,
    delivered: usize,
    plan: BTreeMap<usize, Fault>,
    crashed: bool,
    asked: VecDeque<(usize, Intrusion)>,
    released: BTreeSet<usize>,
    side_by_side: bool,
    again: Option<Fault>,
    struck: Vec<(usize, &'static str, Fault)>,
    /// What came in while calls hung.
    intrusions: usize,
}

/// Counts every call and fails some.
#[derive(Default)]
pub struct Gate(Mutex<State>);

impl Gate {
    fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap()
    }

    /// Forgets everything; these calls, counted from 1, fail.
    pub fn plan(&self, plan: BTreeMap<usize, Fault>) {
        *self.state() = State {
            plan,
            ..State::default()
        };
    }

    /// The calls so far.
    pub fn calls(&self) -> Vec<&'static str> {
        self.deliveries().concat()
    }

    /// A delivery ended.
    pub fn delivered(&self) {
        self.state().delivered += 1;
    }

    /// The calls so far, by delivery.
    pub fn deliveries(&self) -> Vec<Vec<&'static str>> {
        let state = self.state();
        let deliveries = state.calls.chunk_by(|one, next| one.0 == next.0);
        let names = deliveries.map(|calls| calls.iter().map(|(_, name)| *name).collect());
        names.collect()
    }

    /// The faults that struck.
    pub fn struck(&self) -> Vec<(usize, &'static str, Fault)> {
        self.state().struck.clone()
    }

    /// How many faults struck, or came in from elsewhere.
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

    /// Whether the message at hand is to be delivered once more.
    pub fn take_again(&self) -> Option<Fault> {
        self.state().again.take()
    }

    /// Lets a call pass, hang or fail.
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
            // Set in the background: the process that is polled next dies, whosever this is.
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

    /// Lets time pass in a call. Not while two workers go side by side: their driver waits for both.
    pub async fn take(&self, time: Duration) {
        let number = {
            let state = self.state();
            if state.side_by_side {
                return;
            }
            // Apart from the numbers of calls, which faults are planned by.
            usize::MAX - state.released.len()
        };
        self.hang(number, Intrusion::Time(time)).await;
    }

    /// The process dies: whoever drives it drops what waits here.
    pub async fn die(&self) {
        self.state().crashed = true;
        std::future::pending::<()>().await;
    }

    async fn hang(&self, number: usize, intrusion: Intrusion) {
        self.state().asked.push_back((number, intrusion));
        std::future::poll_fn(|context| {
            if self.state().released.contains(&number) {
                return Poll::Ready(());
            }
            context.waker().wake_by_ref();
            Poll::Pending
        })
        .await;
    }
}

/// Lets whatever else there is go on once.
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

/// Waits for a future on this thread: the order of calls stays the same in every run,
/// however long another thread takes.
///
/// # Panics
/// When the other thread doesn't answer within [`LIMIT`].
pub fn block_on<T>(future: impl Future<Output = T>) -> T {
    let waker = Waker::from(Arc::new(Unpark(std::thread::current())));
    let mut context = Context::from_waker(&waker);
    // tokio's budget would defer a wake-up to a scheduler that is blocked here.
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
