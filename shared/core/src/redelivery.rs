//! What becomes of a message that wasn't handled to its end. One policy for SQS behind
//! Lambda and for the queue of one machine.
//!
//! A passing fault is waited out in process first, then between deliveries, so that the nine
//! deliveries before the last outlive an outage of half an hour with the order of the
//! conversation kept. A defect is never tried again. The last delivery is kept for the end of
//! the message, since what it was received for so often may have ended the process each time.

use jiff::Timestamp;
use std::time::Duration;

use crate::failure::Failure;
use crate::ports::Clock;

/// Receives of one message; behind them SQS itself puts it aside (`maxReceiveCount`), without a word.
pub const MAX_RECEIVES: u32 = 10;
/// Deaths of the process that one message may have seen. Far more than chance brings together.
const MAX_DEATHS: u32 = 100;
/// The shortest pause, before the first repetition.
const FIRST_PAUSE: Duration = Duration::from_secs(2);
/// The longest pause in process, and how fast pauses grow to it.
const IN_PROCESS: (Duration, u32) = (Duration::from_secs(20), 2);
/// The same between two deliveries.
const BETWEEN: (Duration, u32) = (Duration::from_secs(180), 8);

/// A message as its receiver knows it.
#[derive(Clone, Copy, Debug)]
pub struct Received<'a> {
    /// The same at every delivery; spreads the pauses of messages that failed together.
    pub id: &'a str,
    /// How often it has been received, this time included.
    pub receives: u32,
    /// How many deaths of the process it has seen; 0 where those count as receives.
    pub deaths: u32,
    /// Until when a passing fault is waited out in process.
    pub until: Timestamp,
}

/// What is to become of a message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Fate {
    /// Handled: it goes.
    Done,
    /// Answered with a refusal: it goes.
    Rejected,
    /// Back to the queue, its conversation behind it.
    Back {
        /// Not before this long from now.
        after: Duration,
        /// For the log.
        reason: String,
    },
    /// Its receives are used up and it couldn't be ended either: the same body is sent anew.
    Anew {
        /// For the log.
        reason: String,
    },
    /// To the dead letters, its person told, its conversation free.
    Aside {
        /// For whoever looks at the dead letters.
        reason: String,
    },
}

/// Handles a message, again and again in process where a fault may pass, and says what is to become
/// of it. `give_up` ends what the message is about with words for its person.
pub async fn handle<W, WF, G, GF>(
    clock: &dyn Clock,
    received: Received<'_>,
    mut work: W,
    give_up: G,
) -> Fate
where
    W: FnMut() -> WF,
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

/// What becomes of a message that can't be read: there is nobody to tell.
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

/// Why a message isn't handled any more.
fn used_up(received: Received<'_>) -> Option<String> {
    if received.receives >= MAX_RECEIVES {
        return Some(format!("received {MAX_RECEIVES} times"));
    }
    let deadly = received.deaths >= MAX_DEATHS;
    deadly.then(|| format!("{} processes ended while they had it", received.deaths))
}

fn back(received: Received<'_>, reason: String, after: Option<Duration>) -> Fate {
    Fate::Back {
        after: after.unwrap_or_else(|| pause(BETWEEN, received.receives, received.id)),
        reason,
    }
}

/// Repeats the work as long as its faults may pass and there is time.
async fn persist<W, WF>(
    clock: &dyn Clock,
    received: Received<'_>,
    work: &mut W,
) -> Result<(), Failure>
where
    W: FnMut() -> WF,
    WF: Future<Output = Result<(), Failure>>,
{
    let mut attempt = 1;
    loop {
        let ended = work().await;
        let Err(Failure::Retry { after, .. }) = &ended else {
            return ended;
        };
        let left = received.until.duration_since(clock.now());
        let left = Duration::try_from(left).unwrap_or(Duration::ZERO);
        // The last attempt is the latest there is time for.
        let wait = after.unwrap_or_else(|| pause(IN_PROCESS, attempt, received.id).min(left));
        if left.is_zero() || wait > left || wait > IN_PROCESS.0 {
            return ended;
        }
        clock.sleep(wait).await;
        attempt += 1;
    }
}

/// The pause behind the attempt of this number, from 1: up to a tenth shorter than its step.
fn pause((longest, growth): (Duration, u32), attempt: u32, id: &str) -> Duration {
    let factor = growth.saturating_pow(attempt.saturating_sub(1));
    let step = FIRST_PAUSE.saturating_mul(factor).min(longest);
    let spread = id.bytes().fold(attempt, |sum, byte| {
        sum.wrapping_mul(31).wrapping_add(u32::from(byte))
    });
    step - step / 1_000 * (spread % 100)
}
