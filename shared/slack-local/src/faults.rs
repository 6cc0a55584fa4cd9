//! Switches that make the stand-in fail as Slack or the network might, and
//! the record of what was called.

use serde_json::Value;
use std::collections::{BTreeMap, VecDeque};
use tokio::sync::{mpsc, oneshot};

use crate::state::{SlackLocal, lock};

/// Calls that are kept whole; the counts go on.
const CALLS_KEPT: usize = 1000;
/// Stands for every method.
const ANY_METHOD: &str = "*";

/// What goes wrong with a call.
#[derive(Clone, Debug, PartialEq, Eq)]
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
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Hold {
    /// Arrived, nothing has happened yet.
    BeforeEffect,
    /// It has happened, the caller doesn't know.
    AfterEffect,
}

/// A call that was made.
#[derive(Clone, Debug, PartialEq)]
pub struct Call {
    /// The method.
    pub method: String,
    /// Its arguments, without the token.
    pub arguments: Value,
    /// Milliseconds since 1970.
    pub at_ms: i64,
}

/// What becomes of a held call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
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
pub struct Gate(mpsc::UnboundedReceiver<HeldCall>);

impl Gate {
    /// Waits until the next call has arrived.
    pub async fn arrived(&mut self) -> HeldCall {
        match self.0.recv().await {
            Some(held) => held,
            // The stand-in is gone: no call comes any more.
            None => std::future::pending().await,
        }
    }
}

/// The switches as they stand.
#[derive(Debug, Default)]
pub(crate) struct Faults {
    rules: Vec<Rule>,
    gates: Vec<GateEntry>,
    counts: BTreeMap<String, u64>,
    calls: VecDeque<Call>,
}

#[derive(Debug)]
struct Rule {
    method: String,
    left: u32,
    fault: Fault,
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

impl SlackLocal {
    /// Makes the next `times` calls of a method (`*`: of any) fail so.
    pub fn fail_next(&self, method: &str, times: u32, fault: Fault) {
        lock(&self.0.faults).rules.push(Rule {
            method: method.to_owned(),
            left: times,
            fault,
        });
    }

    /// Holds the calls of a method (`*`: of any) while the gate lives.
    #[must_use]
    pub fn hold(&self, method: &str, hold: Hold) -> Gate {
        let (arrivals, receiver) = mpsc::unbounded_channel();
        lock(&self.0.faults).gates.push(GateEntry {
            method: method.to_owned(),
            hold,
            arrivals,
        });
        Gate(receiver)
    }

    /// How often each method was called, refused calls included.
    #[must_use]
    pub fn call_counts(&self) -> BTreeMap<String, u64> {
        lock(&self.0.faults).counts.clone()
    }

    /// The newest 1,000 calls, oldest first.
    #[must_use]
    pub fn calls(&self) -> Vec<Call> {
        lock(&self.0.faults).calls.iter().cloned().collect()
    }

    /// The fault of this call, used up by it.
    pub(crate) fn take_fault(&self, method: &str) -> Option<Fault> {
        let rules = &mut lock(&self.0.faults).rules;
        rules.retain(|rule| rule.left > 0);
        let rule = rules
            .iter_mut()
            .find(|rule| applies(&rule.method, method))?;
        rule.left -= 1;
        Some(rule.fault.clone())
    }

    pub(crate) fn record(&self, method: &str, arguments: Value) -> Call {
        let call = Call {
            method: method.to_owned(),
            arguments,
            at_ms: self.now_ms(),
        };
        let mut faults = lock(&self.0.faults);
        *faults.counts.entry(method.to_owned()).or_default() += 1;
        if faults.calls.len() == CALLS_KEPT {
            faults.calls.pop_front();
        }
        faults.calls.push_back(call.clone());
        call
    }

    /// Waits behind the first gate that holds such calls; goes on when there is none.
    pub(crate) async fn pass(&self, call: &Call, hold: Hold) -> Release {
        let waiting = {
            let gates = &mut lock(&self.0.faults).gates;
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
