//! Switches that make the stand-in fail as Slack or the network might, and
//! the record of what was called.

use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::{BTreeMap, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use tokio::sync::{mpsc, oneshot};

/// Calls that are kept whole; the counts go on.
const CALLS_KEPT: usize = 1000;
/// Stands for every method.
pub const ANY_METHOD: &str = "*";

/// What goes wrong with a call.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Fault {
    /// `ok: false` with this code; nothing happens.
    Error {
        /// Slack's error code.
        code: String,
    },
    /// A bare HTTP status; nothing happens.
    Status {
        /// 500, 503, …
        status: u16,
    },
    /// HTTP 429 with Retry-After; nothing happens.
    RateLimited {
        /// Retry-After.
        seconds: u64,
    },
    /// Waits by the injected clock, then goes on as usual.
    Delay {
        /// How long.
        milliseconds: u64,
    },
    /// The connection is closed without an answer; nothing happens.
    DropBefore,
    /// It takes effect, then the connection is closed without an answer.
    DropAfter,
    /// It takes effect, then a bare HTTP status.
    StatusAfter {
        /// 500, 502, …
        status: u16,
    },
    /// It takes effect, then half an answer.
    GarbledAfter,
}

/// Where a gate holds calls.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Hold {
    /// Arrived, nothing has happened yet.
    BeforeEffect,
    /// It has happened, the caller doesn't know.
    AfterEffect,
}

/// A call that was made.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Call {
    /// From 1, over all methods.
    pub number: u64,
    /// The method.
    pub method: String,
    /// Its arguments, without the token.
    pub arguments: Value,
    /// Milliseconds since 1970.
    pub at_ms: i64,
}

/// What becomes of a held call.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Release {
    /// It goes on as usual.
    Complete,
    /// The connection is closed: without effect before it, without an answer after it.
    Drop,
}

/// A call that waits behind a gate. Dropping it closes the caller's connection.
#[derive(Debug)]
pub struct HeldCall {
    /// The call.
    pub call: Call,
    decide: oneshot::Sender<Release>,
}

impl HeldCall {
    /// Lets it go on, or closes its connection. Nothing to do when the caller is gone.
    pub fn release(self, release: Release) {
        if self.decide.send(release).is_err() {
            tracing::debug!("the held call was given up");
        }
    }
}

/// Holds the calls of a method while it lives.
#[derive(Debug)]
pub struct Gate {
    arrivals: mpsc::UnboundedReceiver<HeldCall>,
    id: u64,
    faults: Arc<Faults>,
}

impl Gate {
    pub(crate) fn id(&self) -> u64 {
        self.id
    }

    /// Waits until the next call has arrived.
    pub async fn arrived(&mut self) -> HeldCall {
        loop {
            match self.arrivals.recv().await {
                Some(held) => return held,
                // The sender lives as long as the gate; a closed channel can only stay pending.
                None => std::future::pending().await,
            }
        }
    }
}

impl Drop for Gate {
    fn drop(&mut self) {
        self.faults.lock().gates.retain(|gate| gate.id != self.id);
    }
}

#[derive(Debug, Default)]
pub(crate) struct Faults(Mutex<State>);

#[derive(Debug, Default)]
struct State {
    rules: Vec<Rule>,
    gates: Vec<GateEntry>,
    next_gate: u64,
    counts: BTreeMap<String, u64>,
    calls: VecDeque<Call>,
    total: u64,
}

#[derive(Debug)]
struct Rule {
    method: String,
    left: u32,
    fault: Fault,
}

#[derive(Debug)]
struct GateEntry {
    id: u64,
    method: String,
    hold: Hold,
    arrivals: mpsc::UnboundedSender<HeldCall>,
}

fn applies(rule: &str, method: &str) -> bool {
    rule == ANY_METHOD || rule == method
}

impl Faults {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub fn add(&self, method: &str, times: u32, fault: Fault) {
        self.lock().rules.push(Rule {
            method: method.to_owned(),
            left: times,
            fault,
        });
    }

    pub fn clear(&self) {
        self.lock().rules.clear();
    }

    /// The fault of this call, used up by it.
    pub fn take(&self, method: &str) -> Option<Fault> {
        let mut state = self.lock();
        let index = state
            .rules
            .iter()
            .position(|rule| rule.left > 0 && applies(&rule.method, method))?;
        let rule = &mut state.rules[index];
        rule.left -= 1;
        let fault = rule.fault.clone();
        if rule.left == 0 {
            state.rules.remove(index);
        }
        Some(fault)
    }

    pub fn record(&self, method: &str, arguments: Value, at_ms: i64) -> Call {
        let mut state = self.lock();
        state.total += 1;
        *state.counts.entry(method.to_owned()).or_default() += 1;
        let call = Call {
            number: state.total,
            method: method.to_owned(),
            arguments,
            at_ms,
        };
        if state.calls.len() == CALLS_KEPT {
            state.calls.pop_front();
        }
        state.calls.push_back(call.clone());
        call
    }

    pub fn counts(&self) -> BTreeMap<String, u64> {
        self.lock().counts.clone()
    }

    pub fn calls(&self) -> Vec<Call> {
        self.lock().calls.iter().cloned().collect()
    }

    pub fn forget_calls(&self) {
        let mut state = self.lock();
        state.counts.clear();
        state.calls.clear();
    }

    pub fn gate(self: &Arc<Self>, method: &str, hold: Hold) -> Gate {
        let (arrivals, receiver) = mpsc::unbounded_channel();
        let mut state = self.lock();
        state.next_gate += 1;
        let id = state.next_gate;
        state.gates.push(GateEntry {
            id,
            method: method.to_owned(),
            hold,
            arrivals,
        });
        drop(state);
        Gate {
            arrivals: receiver,
            id,
            faults: Arc::clone(self),
        }
    }

    /// Waits behind the first gate that holds such calls; goes on when there is none.
    pub async fn pass(&self, call: &Call, hold: Hold) -> Release {
        let waiting = {
            let state = self.lock();
            let gate = state
                .gates
                .iter()
                .find(|gate| gate.hold == hold && applies(&gate.method, &call.method));
            gate.and_then(|gate| {
                let (decide, decision) = oneshot::channel();
                let call = call.clone();
                gate.arrivals.send(HeldCall { call, decide }).ok()?;
                Some(decision)
            })
        };
        match waiting {
            Some(decision) => decision.await.unwrap_or(Release::Drop),
            None => Release::Complete,
        }
    }
}
