//! Timers: items in hourly partitions of 16 shards, found by a sweep.

use alfred_core::ports::{Account, Key, Provider, Write};
use alfred_core::{
    ApprovalId, Failure, Result, RunId, ScheduleId, SessionId, TeamId, UserId, keys,
};
use jiff::{SignedDuration, Timestamp};
use serde::{Deserialize, Serialize};

use crate::model::Run;
use crate::store::row::body;

/// A run without progress for this long is checked by its watchdog timer.
pub const WATCH_AFTER: SignedDuration = SignedDuration::from_mins(5);

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Timer {
    pub team: TeamId,
    pub run: RunId,
    pub purpose: Purpose,
    /// With `session`, lets the conversation continue if the run can't be read.
    pub user: Option<UserId>,
    pub session: Option<SessionId>,
    pub tries: u32,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Purpose {
    Watch,
    Wake,
    Expire(ApprovalId),
    Fire(ScheduleId),
    /// Looks for an account of this provider that was connected since this time.
    Connect(Provider, Timestamp),
}

impl Timer {
    fn new(team: &TeamId, run: &RunId, purpose: Purpose) -> Self {
        Self {
            team: team.clone(),
            run: run.clone(),
            purpose,
            user: None,
            session: None,
            tries: 0,
        }
    }

    pub fn watch(team: &TeamId, run: &RunId) -> Self {
        Self::new(team, run, Purpose::Watch)
    }

    pub fn wake(team: &TeamId, run: &RunId) -> Self {
        Self::new(team, run, Purpose::Wake)
    }

    pub fn expire(team: &TeamId, run: &RunId, approval: &ApprovalId) -> Self {
        Self::new(team, run, Purpose::Expire(approval.clone()))
    }

    pub fn fire(team: &TeamId, user: &UserId, job: &ScheduleId) -> Self {
        Self::of_person(team, user, Purpose::Fire(job.clone()))
    }

    pub fn connect(owner: &Account, provider: Provider, since: Timestamp) -> Self {
        let purpose = Purpose::Connect(provider, since);
        Self::of_person(&owner.team, &owner.user, purpose)
    }

    fn of_person(team: &TeamId, user: &UserId, purpose: Purpose) -> Self {
        let mut timer = Self::new(team, &RunId::default(), purpose);
        timer.user = Some(user.clone());
        timer
    }

    pub fn for_run(mut self, run: &Run) -> Self {
        self.user = Some(run.user.clone());
        self.session = Some(run.session.clone());
        self
    }

    /// Never served early, even if the clock was set back.
    pub fn is_punctual(&self) -> bool {
        matches!(self.purpose, Purpose::Expire(_) | Purpose::Fire(_))
    }

    fn id(&self) -> String {
        match &self.purpose {
            Purpose::Watch => format!("watch-{}", self.run),
            Purpose::Wake => format!("wake-{}", self.run),
            Purpose::Fire(job) => format!("fire-{job}"),
            Purpose::Expire(approval) => format!("expire-{approval}"),
            Purpose::Connect(provider, since) => {
                let user = self.user.as_ref().map_or("", UserId::as_str);
                format!("connect-{}-{user}-{since}", provider.as_str())
            }
        }
    }
}

pub fn watch_again(run: &Run, now: Timestamp) -> Result<(Timestamp, Write)> {
    let at = now.saturating_add(WATCH_AFTER).map_err(Failure::bug)?;
    Ok((at, arm(at, &Timer::watch(&run.team, &run.id).for_run(run))?))
}

pub fn arm(at: Timestamp, timer: &Timer) -> Result<Write> {
    Ok(Write::put(key(at, timer), None, body(timer)?))
}

/// Creating an item costs no read in DynamoDB, unlike an unconditional write.
pub fn arm_new(at: Timestamp, timer: &Timer) -> Result<Write> {
    Ok(Write::create(key(at, timer), body(timer)?))
}

pub fn disarm(at: Timestamp, timer: &Timer) -> Write {
    Write::delete(key(at, timer), None)
}

pub fn key(at: Timestamp, timer: &Timer) -> Key {
    keys::due(at, &timer.id())
}

/// After a decision, a team gets this much more time to carry it out.
pub const AFTER_DECISION: SignedDuration = SignedDuration::from_mins(2);

/// The parent's check, when this team had time to carry out a decision.
pub(crate) fn look_at_parent(run: &Run, now: Timestamp) -> Result<Option<Write>> {
    // The decision itself is committed slightly later.
    let after = AFTER_DECISION + SignedDuration::from_secs(1);
    let at = now.saturating_add(after).map_err(Failure::bug)?;
    let parent = run.parent.as_ref();
    let wake = parent.map(|parent| arm(at, &Timer::wake(&run.team, parent).for_run(run)));
    wake.transpose()
}
