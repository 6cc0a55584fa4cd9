//! Decides what happens to a message that wasn't handled: the same policy for SQS with Lambda and for the queue of a
//! single machine.
//!
//! Temporary failures are retried in the process first, then by redelivery. The nine deliveries before the last one
//! outlast an outage of half an hour, and keep the conversation's order. Bugs are never retried. The tenth delivery
//! never runs the handler, since the message may have crashed the process each time; it ends the run and notifies the
//! user.

use jiff::Timestamp;
use std::time::Duration;

use crate::failure::Failure;
use crate::ports::Clock;

/// Maximum deliveries of a message. After that, SQS moves it to the dead letter queue itself (`maxReceiveCount`).
pub const MAX_RECEIVES: u32 = 10;
/// Maximum process crashes while handling a message; far more than happen by chance.
const MAX_DEATHS: u32 = 100;
const FIRST_PAUSE: Duration = Duration::from_secs(2);
/// The most time for retries of one delivery in the process. On Lambda waiting is paid for.
pub const WAITED_OUT: Duration = Duration::from_secs(20);
/// Longest pause in the process, and the growth factor of pauses.
const IN_PROCESS: Backoff = Backoff {
    longest: WAITED_OUT,
    growth: 2,
};
/// Longest pause between deliveries, and the growth factor.
const BETWEEN: Backoff = Backoff {
    longest: Duration::from_secs(360),
    growth: 8,
};

/// A received message, as far as redelivery needs it.
#[derive(Clone, Copy, Debug)]
pub struct Received<'a> {
    /// The same at every delivery. It spreads the retries of messages that failed together.
    pub id: &'a str,
    /// Number of deliveries, including this one.
    pub receives: u32,
    /// Number of process crashes during deliveries; 0 if these count as deliveries.
    pub deaths: u32,
    /// Until when temporary failures are retried in the process.
    pub until: Timestamp,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Fate {
    /// Handled: delete it.
    Done,
    /// Answered with a refusal: delete it.
    Rejected,
    /// Back to the queue; later messages of the conversation wait.
    Back {
        /// Delay of the next delivery.
        after: Duration,
        reason: String,
    },
    /// Its deliveries are used up and ending the run failed: send the same body as a new message.
    Anew { reason: String },
    /// To the dead letter queue. The person was notified, and the conversation continues.
    Aside {
        /// Stored with the dead letter.
        reason: String,
    },
}

/// Handles a message, with retries in the process, and decides what to do with it. `work` gets whether the message was
/// worked on before. `give_up` ends the message's run and notifies the person.
pub async fn handle<W, WF, G, GF>(
    clock: &dyn Clock,
    received: Received<'_>,
    mut work: W,
    give_up: G,
) -> Fate
where
    W: FnMut(bool) -> WF,
    WF: Future<Output = Result<(), Failure>>,
    G: FnOnce(String) -> GF,
    GF: Future<Output = Result<(), Failure>>,
{
    if let Some(reason) = used_up(received) {
        return match give_up(reason.clone()).await {
            Err(Failure::Retry { reason, .. }) => Fate::Anew { reason },
            Ok(()) | Err(Failure::Reject { .. } | Failure::Bug { .. }) => Fate::Aside { reason },
        };
    }
    match persist(clock, received, &mut work).await {
        Ok(()) => Fate::Done,
        Err(Failure::Reject { .. }) => Fate::Rejected,
        Err(Failure::Retry { reason, after }) => back(received, reason, after),
        Err(Failure::Bug { detail }) => match give_up(detail.clone()).await {
            Err(Failure::Retry { reason, after }) => back(received, reason, after),
            Ok(()) | Err(Failure::Reject { .. } | Failure::Bug { .. }) => {
                Fate::Aside { reason: detail }
            }
        },
    }
}

/// Decides about a message that can't be parsed. Nobody can be notified.
pub fn unread(received: Received<'_>, why: Failure) -> Fate {
    if let Some(reason) = used_up(received) {
        return Fate::Aside { reason };
    }
    match why {
        Failure::Retry { reason, after } => back(received, reason, after),
        Failure::Reject { .. } => Fate::Rejected,
        Failure::Bug { detail } => Fate::Aside { reason: detail },
    }
}

/// Why a message is no longer handled, if so.
fn used_up(received: Received<'_>) -> Option<String> {
    if received.receives >= MAX_RECEIVES {
        return Some(format!("received {MAX_RECEIVES} times"));
    }
    let deadly = received.deaths >= MAX_DEATHS;
    deadly.then(|| format!("{} processes ended while they had it", received.deaths))
}

fn back(received: Received<'_>, reason: String, after: Option<Duration>) -> Fate {
    let after = after.unwrap_or_else(|| pause(BETWEEN, received.receives, received.id));
    Fate::Back { after, reason }
}

/// Runs the handler, retrying temporary failures as long as there is time.
async fn persist<W, WF>(
    clock: &dyn Clock,
    received: Received<'_>,
    work: &mut W,
) -> Result<(), Failure>
where
    W: FnMut(bool) -> WF,
    WF: Future<Output = Result<(), Failure>>,
{
    let mut attempt = 1;
    loop {
        let is_first = received.receives <= 1 && received.deaths == 0 && attempt == 1;
        let ended = work(!is_first).await;
        let Err(Failure::Retry { after, .. }) = &ended else {
            return ended;
        };
        let left = received.until.duration_since(clock.now());
        let left = Duration::try_from(left).unwrap_or(Duration::ZERO);
        // The last attempt happens at the end of the available time.
        let wait = after.unwrap_or_else(|| pause(IN_PROCESS, attempt, received.id).min(left));
        if left.is_zero() || wait > left || wait > IN_PROCESS.longest {
            return ended;
        }
        clock.sleep(wait).await;
        attempt += 1;
    }
}

/// Each pause is `growth` times the one before, up to `longest`.
#[derive(Clone, Copy)]
struct Backoff {
    longest: Duration,
    growth: u32,
}

/// The pause after an attempt (from 1), shortened by up to 10% to spread retries.
fn pause(backoff: Backoff, attempt: u32, id: &str) -> Duration {
    let factor = backoff.growth.saturating_pow(attempt.saturating_sub(1));
    let step = FIRST_PAUSE.saturating_mul(factor).min(backoff.longest);
    let spread = id.bytes().fold(attempt, |sum, byte| {
        sum.wrapping_mul(31).wrapping_add(u32::from(byte))
    });
    step - step / 1_000 * (spread % 100)
}
