//! Timers: items in hour buckets of 16 shards, found by a sweep every minute
//! (every second on one machine). Waiting costs nothing meanwhile.

mod due;

pub use due::{DIFFERENCE, Due, due, swept};

use alfred_core::ports::{Commit, Condition, Item, Key, StoreError, Write};
use alfred_core::{ApprovalId, Failure, RunId, SessionId, TeamId, UserId, keys};
use jiff::{SignedDuration, Timestamp};
use serde::{Deserialize, Serialize};
use serde_json::json;
use std::time::Duration;

use crate::ports::Ports;
use crate::row::body;
use crate::run::Run;

/// A run that hasn't moved for this long is looked after.
pub const WATCH_AFTER: SignedDuration = SignedDuration::from_mins(5);
/// Before a timer that couldn't be served is tried again; doubled each time.
const FIRST_POSTPONED: Duration = Duration::from_secs(5);
const LONGEST_POSTPONED: Duration = Duration::from_secs(3_600);

/// What is to happen when a timer is due.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Timer {
    /// The workspace.
    pub team: TeamId,
    /// The run.
    pub run: RunId,
    /// Why.
    pub purpose: Purpose,
    /// What expires.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub approval: Option<ApprovalId>,
    /// Whose run, and its conversation, so that both can go on without a run that can't be read.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub user: Option<UserId>,
    /// See `user`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session: Option<SessionId>,
    /// Times it couldn't be served.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub tries: u32,
}

#[allow(clippy::trivially_copy_pass_by_ref, reason = "what serde passes")]
fn is_zero(tries: &u32) -> bool {
    *tries == 0
}

/// Why a timer was set.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Purpose {
    /// See whether the run was left behind.
    Watch,
    /// The run waits for this moment.
    Wake,
    /// An approval can't be given any more.
    Expire,
}

impl Timer {
    /// A look after a run.
    #[must_use]
    pub fn watch(team: &TeamId, run: &RunId) -> Self {
        Self {
            team: team.clone(),
            run: run.clone(),
            purpose: Purpose::Watch,
            approval: None,
            user: None,
            session: None,
            tries: 0,
        }
    }

    /// The same, with whose it is.
    #[must_use]
    pub fn for_run(self, run: &Run) -> Self {
        Self {
            user: Some(run.user.clone()),
            session: Some(run.session.clone()),
            ..self
        }
    }

    /// The end of an approval.
    #[must_use]
    pub fn expire(team: &TeamId, run: &RunId, approval: &ApprovalId) -> Self {
        Self {
            purpose: Purpose::Expire,
            approval: Some(approval.clone()),
            ..Self::watch(team, run)
        }
    }

    /// The end of a run's wait.
    #[must_use]
    pub fn wake(team: &TeamId, run: &RunId) -> Self {
        Self {
            purpose: Purpose::Wake,
            ..Self::watch(team, run)
        }
    }

    fn id(&self) -> String {
        match self.purpose {
            Purpose::Watch => format!("watch-{}", self.run),
            Purpose::Wake => format!("wake-{}", self.run),
            Purpose::Expire => match &self.approval {
                Some(approval) => format!("expire-{approval}"),
                None => format!("expire-{}", self.run),
            },
        }
    }
}

/// When a run is looked after if it doesn't move until then, and the write that sees to it.
///
/// # Errors
/// `Bug` when it can't be written as JSON.
pub fn watch_again(run: &Run, now: Timestamp) -> Result<(Timestamp, Write), Failure> {
    let at = now.saturating_add(WATCH_AFTER).map_err(Failure::bug)?;
    Ok((at, arm(at, &Timer::watch(&run.team, &run.id).for_run(run))?))
}

/// Lets a watchdog look again at another time. The run isn't written, so who works on it isn't
/// disturbed, and its `watch_at` stays behind: a look that comes too late finds the run over.
///
/// # Errors
/// When the store doesn't answer.
pub async fn look_again(
    ports: &Ports,
    at: Timestamp,
    timer: &Timer,
    item: &Item,
) -> Result<(), Failure> {
    let timer = Timer {
        tries: 0,
        ..timer.clone()
    };
    replace(ports, item, Some(arm(at, &timer)?)).await
}

/// The write that sets a timer.
///
/// # Errors
/// `Bug` when it can't be written as JSON.
pub fn arm(at: Timestamp, timer: &Timer) -> Result<Write, Failure> {
    Ok(Write::put(keys::due(at, &timer.id()), None, body(timer)?))
}

/// The write that sets the first timer of a new run, which nobody can have set before:
/// unlike an unconditional one it costs no read.
///
/// # Errors
/// `Bug` when it can't be written as JSON.
pub fn arm_new(at: Timestamp, timer: &Timer) -> Result<Write, Failure> {
    Ok(Write::create(keys::due(at, &timer.id()), body(timer)?))
}

/// The write that removes a timer.
#[must_use]
pub fn disarm(at: Timestamp, timer: &Timer) -> Write {
    Write::delete(keys::due(at, &timer.id()), None)
}

/// Moves a timer that couldn't be served, the later the more often that was so.
///
/// # Errors
/// When the store doesn't answer.
pub async fn postpone(ports: &Ports, timer: &Timer, item: &Item) -> Result<(), Failure> {
    let wait = FIRST_POSTPONED
        .saturating_mul(1 << timer.tries.min(20))
        .min(LONGEST_POSTPONED);
    let wait = SignedDuration::try_from(wait).unwrap_or(SignedDuration::MAX);
    let at = ports
        .clock
        .now()
        .saturating_add(wait)
        .map_err(Failure::bug)?;
    let later = Timer {
        tries: timer.tries + 1,
        ..timer.clone()
    };
    replace(ports, item, Some(arm(at, &later)?)).await
}

/// Takes an item that can't be served out of its bucket, and keeps it where it holds up nothing.
///
/// # Errors
/// When the store doesn't answer.
pub async fn set_aside(ports: &Ports, item: &Item, why: &str) -> Result<(), Failure> {
    let key = Key::state(keys::timers_set_aside(), &item.key.range);
    let kept = json!({ "timer": item.body, "why": why });
    replace(ports, item, Some(Write::put(key, None, kept))).await
}

/// Deletes a timer that was served, unless it was set anew meanwhile.
///
/// # Errors
/// When the store doesn't answer.
pub async fn served(ports: &Ports, item: &Item) -> Result<(), Failure> {
    replace(ports, item, None).await
}

/// Deletes an item and writes another in its stead; neither if it changed meanwhile.
async fn replace(ports: &Ports, item: &Item, with: Option<Write>) -> Result<(), Failure> {
    let condition = Some(Condition::Version(item.version));
    let writes = match with {
        // Served before its time, it goes back to where it was.
        Some(same) if same.key == item.key => vec![Write { condition, ..same }],
        with => {
            let gone = Write::delete(item.key.clone(), condition);
            with.into_iter().chain([gone]).collect()
        }
    };
    let commit = Commit::new(&*ports.ids, writes);
    match ports.store.commit(&commit).await {
        Ok(()) | Err(StoreError::Conflict { .. }) => Ok(()),
        Err(error) => Err(error.into()),
    }
}
