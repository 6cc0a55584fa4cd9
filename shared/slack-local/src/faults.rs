//! Failures on demand, as of Slack or the network.

use alfred_loopback::{Call, Gate, Hold};
use serde_json::Value;
use std::collections::BTreeMap;

use crate::state::SlackLocal;

/// What goes wrong with a call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Fault {
    /// `ok: false` with this code; nothing happens.
    Error { code: String },
    /// A bare HTTP status; nothing happens.
    Status { status: u16 },
    /// HTTP 429 with Retry-After; nothing happens.
    RateLimited { seconds: u64 },
    /// The connection is closed without an answer; nothing happens.
    DropBefore,
    /// It takes effect, then the connection is closed without an answer.
    DropAfter,
    /// It takes effect, then a bare HTTP status.
    StatusAfter { status: u16 },
    /// It takes effect, then half an answer.
    GarbledAfter,
}

impl SlackLocal {
    /// Makes the next `times` calls of a method (`*`: of any) fail.
    pub fn fail_next(&self, method: &str, times: u32, fault: Fault) {
        self.0.faults.fail_next(method, times, fault);
    }

    /// Holds the calls of a method (`*`: of any) while the gate lives.
    pub fn hold(&self, method: &str, hold: Hold) -> Gate {
        self.0.faults.hold(method, hold)
    }

    /// How often each method was called, refused calls included.
    pub fn call_counts(&self) -> BTreeMap<String, u64> {
        self.0.faults.call_counts()
    }

    /// The newest 1,000 calls, oldest first.
    pub fn calls(&self) -> Vec<Call> {
        self.0.faults.calls()
    }

    pub(crate) fn record(&self, method: &str, arguments: Value) -> Call {
        self.0.faults.record(method, arguments, self.now_ms())
    }
}
