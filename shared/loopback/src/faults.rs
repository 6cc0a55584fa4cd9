//! Makes the calls of a stand-in fail as the service it plays or the network might, and records them.

use axum::response::{IntoResponse, Response};
use serde_json::Value;
use std::collections::{BTreeMap, VecDeque};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use tokio::sync::{mpsc, oneshot};
use tokio::time::timeout;

use crate::serve::cut;

/// How long a gate waits for a call.
const ARRIVES_WITHIN: Duration = Duration::from_secs(30);
/// Calls that are kept whole; the counts go on.
const CALLS_KEPT: usize = 1000;
/// Stands for every method.
const ANY_METHOD: &str = "*";

/// Where a gate holds calls.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Hold {
    /// Arrived, nothing has happened yet.
    BeforeEffect,
    /// It has happened, the caller doesn't know.
    AfterEffect,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Call {
    pub method: String,
    /// Without the token.
    pub arguments: Value,
    /// Milliseconds since 1970.
    pub at_ms: i64,
}

/// What to do with a held call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Release {
    Complete,
    /// Cuts the connection.
    Drop,
}

/// How a call fails. `E` are the errors of the service.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Fault<E> {
    /// An error is answered; nothing happens.
    Error(E),
    /// The connection is closed without an answer; nothing happens.
    DropBefore,
    /// It takes effect, then an error is answered.
    ErrorAfter(E),
    /// It takes effect, then the connection is closed without an answer.
    DropAfter,
    /// It takes effect, then half an answer.
    GarbledAfter,
}

/// A call that a [`Gate`] has stopped. Dropping this value closes the caller's connection without an answer.
#[derive(Debug)]
pub struct HeldCall {
    pub call: Call,
    decide: oneshot::Sender<Release>,
}

impl HeldCall {
    /// Without effect if the caller is gone.
    pub fn release(self, release: Release) {
        if self.decide.send(release).is_err() {
            tracing::debug!("the held call was given up");
        }
    }
}

/// Holds the calls of a method while it lives.
#[derive(Debug)]
pub struct Gate {
    method: String,
    arrivals: mpsc::UnboundedReceiver<HeldCall>,
}

impl Gate {
    /// The next call. Panics if none arrives within 30 seconds.
    pub async fn arrived(&mut self) -> HeldCall {
        let method = &self.method;
        match timeout(ARRIVES_WITHIN, self.arrivals.recv()).await {
            Ok(Some(held)) => held,
            Ok(None) => panic!("the stand-in that holds calls of {method} is gone"),
            Err(_) => panic!("no call of {method} within {ARRIVES_WITHIN:?}"),
        }
    }
}

/// The faults, gates and calls of a stand-in whose errors are `E`.
#[derive(Debug)]
pub struct Faults<E>(Mutex<Switches<E>>);

#[derive(Debug)]
struct Switches<E> {
    rules: Vec<Rule<E>>,
    gates: Vec<GateEntry>,
    counts: BTreeMap<String, u64>,
    calls: VecDeque<Call>,
}

#[derive(Debug)]
struct Rule<E> {
    method: String,
    left: u32,
    fault: Fault<E>,
}

#[derive(Debug)]
struct GateEntry {
    method: String,
    hold: Hold,
    arrivals: mpsc::UnboundedSender<HeldCall>,
}

fn applies(rule: &str, method: &str) -> bool {
    rule == ANY_METHOD || rule == method
}

impl<E> Default for Faults<E> {
    fn default() -> Self {
        Self(Mutex::new(Switches {
            rules: Vec::new(),
            gates: Vec::new(),
            counts: BTreeMap::new(),
            calls: VecDeque::new(),
        }))
    }
}

impl<E: Clone + IntoResponse> Faults<E> {
    fn lock(&self) -> MutexGuard<'_, Switches<E>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Makes the next `times` calls of a method (`*`: of any) fail.
    pub fn fail_next(&self, method: &str, times: u32, fault: Fault<E>) {
        self.lock().rules.push(Rule {
            method: method.to_owned(),
            left: times,
            fault,
        });
    }

    /// Holds the calls of a method (`*`: of any) while the gate lives.
    pub fn hold(&self, method: &str, hold: Hold) -> Gate {
        let (arrivals, receiver) = mpsc::unbounded_channel();
        self.lock().gates.push(GateEntry {
            method: method.to_owned(),
            hold,
            arrivals,
        });
        Gate {
            method: method.to_owned(),
            arrivals: receiver,
        }
    }

    /// How often each method was called, refused calls included.
    pub fn call_counts(&self) -> BTreeMap<String, u64> {
        self.lock().counts.clone()
    }

    /// The newest 1,000 calls, oldest first.
    pub fn calls(&self) -> Vec<Call> {
        self.lock().calls.iter().cloned().collect()
    }

    /// The fault of this call. Each counts down by one.
    fn take(&self, method: &str) -> Option<Fault<E>> {
        let rules = &mut self.lock().rules;
        rules.retain(|rule| rule.left > 0);
        let rule = rules
            .iter_mut()
            .find(|rule| applies(&rule.method, method))?;
        rule.left -= 1;
        Some(rule.fault.clone())
    }

    /// Counts a call and keeps it.
    pub fn record(&self, method: &str, arguments: Value, at_ms: i64) -> Call {
        let call = Call {
            method: method.to_owned(),
            arguments,
            at_ms,
        };
        let mut switches = self.lock();
        *switches.counts.entry(method.to_owned()).or_default() += 1;
        if switches.calls.len() == CALLS_KEPT {
            switches.calls.pop_front();
        }
        switches.calls.push_back(call.clone());
        call
    }

    /// Runs a recorded call's effect between its gates and faults.
    pub async fn through(&self, call: Call, effect: impl FnOnce() -> Response) -> Response {
        if self.pass(&call, Hold::BeforeEffect).await == Release::Drop {
            return cut();
        }
        let broken = match self.take(&call.method) {
            Some(Fault::Error(error)) => return error.into_response(),
            Some(Fault::DropBefore) => return cut(),
            Some(Fault::ErrorAfter(error)) => Some(error.into_response()),
            Some(Fault::DropAfter) => Some(cut()),
            Some(Fault::GarbledAfter) => Some("{\"id\": ".into_response()),
            None => None,
        };
        let answer = effect();
        if self.pass(&call, Hold::AfterEffect).await == Release::Drop {
            return cut();
        }
        broken.unwrap_or(answer)
    }

    /// Waits behind the first gate that holds such calls.
    async fn pass(&self, call: &Call, hold: Hold) -> Release {
        let waiting = {
            let gates = &mut self.lock().gates;
            gates.retain(|gate| !gate.arrivals.is_closed());
            let gate = gates
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
