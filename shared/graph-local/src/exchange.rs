//! A call: whose it is, what may go wrong with it, and where it goes.

use alfred_loopback::{Call, Gate, Hold, Release};
use axum::Json;
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use serde_json::{Value, json};
use std::collections::BTreeMap;

use crate::asked::Asked;
use crate::calendar;
use crate::error::ApiError;
use crate::mail;
use crate::state::GraphLocal;

/// Requests of a mailbox at once.
pub(crate) const AT_ONCE: usize = 4;
/// The time in which requests are counted, in seconds.
const COUNTED: i64 = 600;

/// What goes wrong with a call. Calls are named `messages.list`, `messages.send`, `batch`, `oauth2.token`, …; those
/// within a batch have their own names, and meet errors alone.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Fault {
    /// Graph's error; nothing happens.
    Error {
        /// 403, 429, 503, …
        status: u16,
        /// The `error.code`.
        code: &'static str,
        /// Retry-After, in seconds.
        retry_after: Option<u64>,
    },
    /// The connection is closed without an answer; nothing happens.
    DropBefore,
    /// It takes effect, then the connection is closed without an answer.
    DropAfter,
    /// It takes effect, then Graph's error.
    ErrorAfter {
        /// 500, 503, …
        status: u16,
    },
    /// It takes effect, then half an answer.
    GarbledAfter,
}

/// What a method gives.
pub(crate) enum Given {
    Json(u16, Value),
    Nothing(u16),
    Bytes(Vec<u8>),
}

impl IntoResponse for Given {
    fn into_response(self) -> Response {
        let status = |code| StatusCode::from_u16(code).unwrap_or(StatusCode::OK);
        match self {
            Self::Json(code, value) => (status(code), Json(value)).into_response(),
            Self::Nothing(code) => status(code).into_response(),
            Self::Bytes(bytes) => bytes.into_response(),
        }
    }
}

impl GraphLocal {
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

    /// A request of a batch.
    pub(crate) fn within(&self, asked: &Asked) -> Result<Given, ApiError> {
        let name = asked.name();
        let about = json!({"path": asked.path, "query": asked.query});
        let faults = &self.0.faults;
        faults.record(name, about, self.now().as_millisecond());
        match faults.take(name) {
            Some(Fault::Error {
                status,
                code,
                retry_after,
            }) => Err(ApiError::new(status, code, "As was wished.").retrying(retry_after)),
            _ => {
                self.count(asked)?;
                self.served(asked)
            }
        }
    }

    pub(crate) fn served(&self, asked: &Asked) -> Result<Given, ApiError> {
        let email = match asked.path[0].as_str() {
            // Its address is the proof; a token that goes along is taken for a mistake.
            "upload" => return mail::upload(&mut self.lock(), asked),
            _ => self.authorised(asked)?,
        };
        let now = self.now();
        let mut state = self.lock();
        if calendar::name(asked).is_some() {
            return calendar::served(&mut state.mailboxes, &email, asked);
        }
        let mailbox = state.mailboxes.get_mut(&email);
        mail::served(mailbox.ok_or_else(ApiError::no_mailbox)?, asked, now)
    }

    fn authorised(&self, asked: &Asked) -> Result<String, ApiError> {
        let denied = || ApiError::new(401, "InvalidAuthenticationToken", "The token isn't taken.");
        let token = asked.bearer().ok_or_else(denied)?;
        let found = self.lock().oauth.access(token, self.now());
        let (email, scopes) = found.ok_or_else(denied)?;
        let needed = calendar::name(asked).map_or_else(|| mail::scope(asked), calendar::scope);
        match scopes.contains(needed) {
            true => Ok(email),
            false => Err(ApiError::new(403, "ErrorAccessDenied", "Access is denied.")),
        }
    }

    fn whose(&self, asked: &Asked) -> Option<String> {
        let found = self.lock().oauth.access(asked.bearer()?, self.now());
        found.map(|(email, _)| email)
    }

    /// Whether the mailbox takes one more request now.
    pub(crate) fn enter(&self, asked: &Asked) -> Result<(), ApiError> {
        let Some(email) = self.whose(asked) else {
            return Ok(());
        };
        let at_work = {
            let mut state = self.lock();
            let at_work = state.at_work.entry(email).or_default();
            *at_work += 1;
            *at_work
        };
        if at_work > AT_ONCE {
            return Err(ApiError::throttled("MailboxConcurrency", 1));
        }
        self.count(asked)
    }

    pub(crate) fn leave(&self, asked: &Asked) {
        if let Some(email) = self.whose(asked)
            && let Some(at_work) = self.lock().at_work.get_mut(&email)
        {
            *at_work = at_work.saturating_sub(1);
        }
    }

    fn count(&self, asked: &Asked) -> Result<(), ApiError> {
        let Some(email) = self.whose(asked) else {
            return Ok(());
        };
        let second = self.now().as_second();
        let mut state = self.lock();
        let used = state.used.entry(email).or_insert((0, 0));
        if used.0 != second.div_euclid(COUNTED) {
            *used = (second.div_euclid(COUNTED), 0);
        }
        used.1 += 1;
        match used.1 > self.0.options.requests {
            true => {
                let left = COUNTED - second.rem_euclid(COUNTED);
                let left = u64::try_from(left).unwrap_or_default();
                Err(ApiError::throttled(
                    "Too many requests in ten minutes",
                    left,
                ))
            }
            false => Ok(()),
        }
    }

    /// Records a call, and takes it through the gates and faults around its effect; without an answer its
    /// connection is cut.
    pub(crate) async fn through(
        &self,
        name: &str,
        about: Value,
        effect: impl FnOnce() -> Result<Given, ApiError>,
    ) -> Option<Response> {
        let faults = &self.0.faults;
        let call = faults.record(name, about, self.now().as_millisecond());
        if faults.pass(&call, Hold::BeforeEffect).await == Release::Drop {
            return None;
        }
        let fault = faults.take(name);
        match &fault {
            Some(Fault::DropBefore) => return None,
            Some(Fault::Error {
                status,
                code,
                retry_after,
            }) => {
                let error = ApiError::new(*status, code, "As was wished.");
                return Some(error.retrying(*retry_after).into_response());
            }
            _ => {}
        }
        let response = effect().into_response();
        if faults.pass(&call, Hold::AfterEffect).await == Release::Drop {
            return None;
        }
        match fault {
            Some(Fault::DropAfter) => None,
            Some(Fault::ErrorAfter { status }) => {
                Some(ApiError::new(status, "UnknownError", "As was wished.").into_response())
            }
            Some(Fault::GarbledAfter) => Some((StatusCode::OK, "{\"id\": ").into_response()),
            Some(Fault::Error { .. } | Fault::DropBefore) | None => Some(response),
        }
    }
}
