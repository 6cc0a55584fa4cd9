//! Decides which sockets are open when. Holds no socket: it learns what happened, and answers what to do.

use alfred_core::ports::{ChatError, refuses_token};
use fastrand::Rng;
use jiff::{SignedDuration, Timestamp};
use std::time::Duration;
use thiserror::Error;

use super::OpenError;
use super::connection::News;
use super::frames::Reason;

/// Connections that lasted this long were good: after them, the first attempt comes at once. Some proxies cut every
/// connection after a minute.
const GOOD: SignedDuration = SignedDuration::from_secs(10);
/// The least time between two connections that Slack asks to leave. It allows about 50 calls a minute.
const REFRESH: SignedDuration = SignedDuration::from_secs(1);
const LONGEST_PAUSE: Duration = Duration::from_secs(60);

/// Why no connection can be opened any more.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum SocketError {
    #[error("Socket Mode is off in the app's settings: switch it on, then start Alfred again")]
    Disabled,
    #[error("Slack refuses SLACK_APP_TOKEN ({code}): create an app-level token (docs/slack.md)")]
    Refused { code: String },
    #[error(
        "Slack refuses SLACK_BOT_TOKEN ({code}): take it from *OAuth & Permissions* (docs/slack.md)"
    )]
    BotRefused { code: String },
}

/// What is said about the connection, a line each.
#[derive(Clone, Debug, PartialEq, Error)]
pub(super) enum Change {
    #[error("Slack: connected.")]
    Connected,
    #[error("Slack: reconnecting (Slack asked for it)…")]
    Reconnecting,
    #[error("Slack: no connection; trying again now ({0})")]
    Again(String),
    #[error("Slack: no connection; trying again in {0} s ({1})")]
    Waiting(f64, String),
    #[error(
        "Another process uses this app token too; Slack gives each message to only one of them."
    )]
    Shared,
}

pub(super) type Id = u64;

/// What to do next.
#[derive(Debug, Default, PartialEq)]
pub(super) struct Step {
    /// Open a connection after this time.
    pub open: Option<Duration>,
    pub close: Option<Id>,
    pub say: Vec<Change>,
}

/// At most two connections are open: the current one, and the last one while Slack still sends on it.
#[derive(Default)]
pub(super) struct Plan {
    current: Option<Id>,
    leaving: Option<Id>,
    last: Id,
    /// When Slack greeted on the current connection.
    greeted: Option<Timestamp>,
    /// Since when no connection was lost.
    since: Option<Timestamp>,
    /// Attempts since the last good connection.
    failures: u32,
    warned: bool,
    random: Rng,
}

impl Plan {
    pub fn new(random: Rng) -> Self {
        Self {
            random,
            ..Self::default()
        }
    }

    /// A connection was opened.
    pub fn opened(&mut self) -> Id {
        self.last += 1;
        self.current = Some(self.last);
        self.greeted = None;
        self.last
    }

    /// No connection could be opened.
    pub fn failed(&mut self, error: &OpenError) -> Result<Step, SocketError> {
        let mut after = Duration::ZERO;
        if let OpenError::Call(error) = error {
            match error {
                ChatError::RateLimited { retry_after } => after = *retry_after,
                ChatError::Refused { code, .. } if refuses_token(code) => {
                    return Err(SocketError::Refused { code: code.clone() });
                }
                _ => {}
            }
        }
        // Only a connection that is lost is replaced at once.
        self.failures = self.failures.max(1);
        Ok(self.again(after, error.to_string()))
    }

    pub fn hear(&mut self, id: Id, news: News, now: Timestamp) -> Result<Step, SocketError> {
        let is_current = self.current == Some(id);
        match news {
            News::Disconnect(Reason::LinkDisabled) => Err(SocketError::Disabled),
            _ if !is_current => {
                if matches!(news, News::Ended(_)) {
                    self.leaving = self.leaving.filter(|leaving| *leaving != id);
                }
                Ok(Step::default())
            }
            News::Hello { num_connections } => {
                self.greeted = Some(now);
                self.since.get_or_insert(now);
                Ok(self.greet(num_connections))
            }
            News::Disconnect(Reason::RefreshRequested) => {
                let is_young = |at| now.duration_since(at) < REFRESH;
                let pause = self.greeted.is_none_or(is_young).then_some(REFRESH);
                self.current = None;
                Ok(Step {
                    open: Some(pause.unwrap_or_default().unsigned_abs()),
                    close: self.leaving.replace(id),
                    say: vec![Change::Reconnecting],
                })
            }
            News::Disconnect(Reason::TooManyWebsockets) => {
                self.current = None;
                self.failures = self.failures.max(1);
                let why = "the app has all of its ten connections open; end other processes with its token";
                Ok(Step {
                    close: Some(id),
                    ..self.again(Duration::ZERO, why.into())
                })
            }
            News::Ended(lost) => {
                self.rest(now);
                self.current = None;
                Ok(self.again(Duration::ZERO, lost.to_string()))
            }
        }
    }

    fn greet(&mut self, connections: usize) -> Step {
        // Slack may still count connections that were lost a moment ago.
        let lost = usize::try_from(self.failures).unwrap_or(usize::MAX);
        let own = 1 + usize::from(self.leaving.is_some());
        let is_shared = connections > own.saturating_add(lost) && !self.warned;
        self.warned |= is_shared;
        let mut say = vec![Change::Connected];
        say.extend(is_shared.then_some(Change::Shared));
        Step {
            say,
            ..Step::default()
        }
    }

    /// Forgets earlier failures after a good connection.
    fn rest(&mut self, now: Timestamp) {
        let lasted = self.since.take().map(|since| now.duration_since(since));
        if lasted.is_some_and(|lasted| lasted >= GOOD) {
            self.failures = 0;
        }
    }

    fn again(&mut self, after: Duration, why: String) -> Step {
        let pause = self.pause().max(after);
        self.failures = self.failures.saturating_add(1);
        let change = if pause.is_zero() {
            Change::Again(why)
        } else {
            Change::Waiting(pause.as_secs_f64().ceil(), why)
        };
        Step {
            open: Some(pause),
            close: None,
            say: vec![change],
        }
    }

    /// None at first, then from 1 s to 60 s: between half and all of a time that doubles.
    fn pause(&mut self) -> Duration {
        if self.failures == 0 {
            return Duration::ZERO;
        }
        let most = Duration::from_secs(1 << self.failures.min(6)).min(LONGEST_PAUSE);
        most / 100 * self.random.u32(50..=100)
    }
}
