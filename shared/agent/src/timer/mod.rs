//! Timers: items in hour buckets of 16 shards, found by a sweep every minute
//! (every second on one machine). Waiting costs nothing meanwhile.

pub mod due;
pub mod serve;

use alfred_core::ports::{Key, Write};
use alfred_core::{ApprovalId, Failure, RunId, ScheduleId, SessionId, TeamId, UserId, keys};
use jiff::{SignedDuration, Timestamp};
use serde::{Deserialize, Serialize};

use crate::row::body;
use crate::run::Run;

/// A run that hasn't moved for this long is looked after.
pub const WATCH_AFTER: SignedDuration = SignedDuration::from_mins(5);

/// What is to happen when a timer is due.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Timer {
    /// The workspace.
    pub team: TeamId,
    /// The run; empty where a job is meant.
    pub run: RunId,
    /// Why.
    pub purpose: Purpose,
    /// What expires.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub approval: Option<ApprovalId>,
    /// The job that is due.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub job: Option<ScheduleId>,
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
    /// A job is due.
    Fire,
}

impl Timer {
    /// A look after a run.
    pub fn watch(team: &TeamId, run: &RunId) -> Self {
        Self {
            team: team.clone(),
            run: run.clone(),
            purpose: Purpose::Watch,
            approval: None,
            job: None,
            user: None,
            session: None,
            tries: 0,
        }
    }

    /// The same, with whose it is.
    pub fn for_run(self, run: &Run) -> Self {
        Self {
            user: Some(run.user.clone()),
            session: Some(run.session.clone()),
            ..self
        }
    }

    /// The end of an approval.
    pub fn expire(team: &TeamId, run: &RunId, approval: &ApprovalId) -> Self {
        Self {
            purpose: Purpose::Expire,
            approval: Some(approval.clone()),
            ..Self::watch(team, run)
        }
    }

    /// The end of a run's wait.
    pub fn wake(team: &TeamId, run: &RunId) -> Self {
        Self {
            purpose: Purpose::Wake,
            ..Self::watch(team, run)
        }
    }

    /// An occurrence of a job.
    pub fn fire(team: &TeamId, user: &UserId, job: &ScheduleId) -> Self {
        Self {
            purpose: Purpose::Fire,
            job: Some(job.clone()),
            user: Some(user.clone()),
            ..Self::watch(team, &RunId::default())
        }
    }

    /// Whether it mustn't be served before its time, also where the clock was set back: its owner was told
    /// a time.
    pub fn is_punctual(&self) -> bool {
        matches!(self.purpose, Purpose::Expire | Purpose::Fire)
    }

    fn id(&self) -> String {
        match self.purpose {
            Purpose::Watch => format!("watch-{}", self.run),
            Purpose::Wake => format!("wake-{}", self.run),
            Purpose::Fire => match &self.job {
                Some(job) => format!("fire-{job}"),
                None => "fire".into(),
            },
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
pub fn disarm(at: Timestamp, timer: &Timer) -> Write {
    Write::delete(key(at, timer), None)
}

/// Where a timer is.
pub(crate) fn key(at: Timestamp, timer: &Timer) -> Key {
    keys::due(at, &timer.id())
}
