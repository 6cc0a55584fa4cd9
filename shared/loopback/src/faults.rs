//! Switches that make a stand-in fail as the service it plays or the network might, and
//! the record of what was called.

use serde_json::Value;
use std::collections::{BTreeMap, VecDeque};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use tokio::sync::{mpsc, oneshot};
use tokio::time::timeout;

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
pub struct Gate {
    method: String,
    arrivals: mpsc::UnboundedReceiver<HeldCall>,
}

impl Gate {
    /// Waits until the next call has arrived. Only tests hold calls.
    ///
    /// # Panics
    /// When none arrives within 30 seconds, or when the stand-in is gone.
    pub async fn arrived(&mut self) -> HeldCall {
        self.arrived_within(ARRIVES_WITHIN).await
    }

    async fn arrived_within(&mut self, limit: Duration) -> HeldCall {
        let (seconds, method) = (limit.as_secs_f64(), &self.method);
        match timeout(limit, self.arrivals.recv()).await {
            Ok(Some(held)) => held,
            Ok(None) => panic!("the stand-in that holds calls of {method} is gone"),
            Err(_) => panic!("waited {seconds} s for a call of {method}"),
        }
    }
}

/// The switches of a stand-in whose calls fail in the ways of `F`, by the names of their methods.
#[derive(Debug)]
pub struct Faults<F>(Mutex<Switches<F>>);

#[derive(Debug)]
struct Switches<F> {
    rules: Vec<Rule<F>>,
    gates: Vec<GateEntry>,
    counts: BTreeMap<String, u64>,
    calls: VecDeque<Call>,
}

#[derive(Debug)]
struct Rule<F> {
    method: String,
    left: u32,
    fault: F,
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

impl<F> Default for Faults<F> {
    fn default() -> Self {
        Self(Mutex::new(Switches {
            rules: Vec::new(),
            gates: Vec::new(),
            counts: BTreeMap::new(),
            calls: VecDeque::new(),
        }))
    }
}

impl<F: Clone> Faults<F> {
    fn lock(&self) -> MutexGuard<'_, Switches<F>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Makes the next `times` calls of a method (`*`: of any) fail so.
    pub fn fail_next(&self, method: &str, times: u32, fault: F) {
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

    /// The fault of this call, used up by it.
    pub fn take(&self, method: &str) -> Option<F> {
        let rules = &mut self.lock().rules;
        rules.retain(|rule| rule.left > 0);
        let rule = rules
            .iter_mut()
            .find(|rule| applies(&rule.method, method))?;
        rule.left -= 1;
        Some(rule.fault.clone())
    }

    /// Counts and keeps a call.
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

    /// Waits behind the first gate that holds such calls; goes on when there is none.
    pub async fn pass(&self, call: &Call, hold: Hold) -> Release {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    #[should_panic(expected = "waited 0.05 s for a call of chat.update")]
    async fn call_that_never_arrives_fails_with_its_method() {
        let faults = Faults::<()>::default();
        let mut gate = faults.hold("chat.update", Hold::BeforeEffect);
        gate.arrived_within(Duration::from_millis(50)).await;
    }
}
