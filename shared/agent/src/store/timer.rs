//! Timers: items in hourly partitions of 16 shards, found by a sweep every minute (every second on
//! a single machine). Waiting timers cost nothing.

use alfred_core::ports::{Key, Write};
use alfred_core::{ApprovalId, Failure, RunId, ScheduleId, SessionId, TeamId, UserId, keys};
use jiff::{SignedDuration, Timestamp};
use serde::{Deserialize, Serialize};

use crate::model::run::Run;
use crate::store::row::body;

/// A run without progress for this long is checked by its watchdog timer.
pub const WATCH_AFTER: SignedDuration = SignedDuration::from_mins(5);

/// An action to take at a time.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Timer {
    pub team: TeamId,
    /// The run. Empty for a job's timer.
    pub run: RunId,
    pub purpose: Purpose,
    pub approval: Option<ApprovalId>,
    pub job: Option<ScheduleId>,
    /// Owner of the run. With `session`, it lets the conversation continue if the run can't be read.
    pub user: Option<UserId>,
    pub session: Option<SessionId>,
    /// Number of failed attempts to serve it.
    pub tries: u32,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Purpose {
    /// Checks whether the run was abandoned.
    Watch,
    Wake,
    Expire,
    Fire,
}

impl Timer {
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

    pub fn for_run(self, run: &Run) -> Self {
        Self {
            user: Some(run.user.clone()),
            session: Some(run.session.clone()),
            ..self
        }
    }

    pub fn expire(team: &TeamId, run: &RunId, approval: &ApprovalId) -> Self {
        Self {
            purpose: Purpose::Expire,
            approval: Some(approval.clone()),
            ..Self::watch(team, run)
        }
    }

    pub fn wake(team: &TeamId, run: &RunId) -> Self {
        Self {
            purpose: Purpose::Wake,
            ..Self::watch(team, run)
        }
    }

    pub fn fire(team: &TeamId, user: &UserId, job: &ScheduleId) -> Self {
        Self {
            purpose: Purpose::Fire,
            job: Some(job.clone()),
            user: Some(user.clone()),
            ..Self::watch(team, &RunId::default())
        }
    }

    /// Whether it must not be served early, even if the clock was set back, because its owner knows the time.
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

/// The time of the run's next watchdog check, and the write that schedules it.
pub fn watch_again(run: &Run, now: Timestamp) -> Result<(Timestamp, Write), Failure> {
    let at = now.saturating_add(WATCH_AFTER).map_err(Failure::bug)?;
    Ok((at, arm(at, &Timer::watch(&run.team, &run.id).for_run(run))?))
}

pub fn arm(at: Timestamp, timer: &Timer) -> Result<Write, Failure> {
    Ok(Write::put(keys::due(at, &timer.id()), None, body(timer)?))
}

/// The write that sets a new run's first timer. Creating it costs no read in DynamoDB, unlike an
/// unconditional write.
pub fn arm_new(at: Timestamp, timer: &Timer) -> Result<Write, Failure> {
    Ok(Write::create(keys::due(at, &timer.id()), body(timer)?))
}

pub fn disarm(at: Timestamp, timer: &Timer) -> Write {
    Write::delete(key(at, timer), None)
}

pub fn key(at: Timestamp, timer: &Timer) -> Key {
    keys::due(at, &timer.id())
}

/// After a decision, a team gets this much more time to carry it out.
pub const AFTER_DECISION: SignedDuration = SignedDuration::from_mins(2);

/// The write that schedules the parent's check for when this team had time to carry out a decision.
pub(crate) fn look_at_parent(run: &Run, now: Timestamp) -> Result<Option<Write>, Failure> {
    let Some(parent) = &run.parent else {
        return Ok(None);
    };
    // The decision itself is committed slightly later.
    let after = AFTER_DECISION + SignedDuration::from_secs(1);
    let at = now.saturating_add(after).map_err(Failure::bug)?;
    let wake = Timer::wake(&run.team, parent).for_run(run);
    Ok(Some(arm(at, &wake)?))
}
