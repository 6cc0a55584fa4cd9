//! The ways in which the stand-in fails, as Google or the network might.

use alfred_loopback::{Call, Gate, Hold};
use std::collections::BTreeMap;

use crate::state::GoogleLocal;

/// What goes wrong with a call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Fault {
    /// Google's error; nothing happens.
    Error {
        /// 403, 429, 500, …
        status: u16,
        /// The `errors[].reason`: `rateLimitExceeded`, `backendError`, …
        reason: &'static str,
        /// Retry-After, in seconds.
        retry_after: Option<u64>,
    },
    /// The connection is closed without an answer; nothing happens.
    DropBefore,
    /// It takes effect, then the connection is closed without an answer.
    DropAfter,
    /// It takes effect, then Google's error.
    ErrorAfter {
        /// 500, 503, …
        status: u16,
    },
    /// It takes effect, then half an answer.
    GarbledAfter,
}

/// Calls are named by the ids of the discovery documents, such as `gmail.users.messages.list`; those of consent
/// are `oauth2.token` and `oauth2.revoke`.
impl GoogleLocal {
    /// Makes the next `times` calls of a method (`*`: of any) fail so.
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
}
