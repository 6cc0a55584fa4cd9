//! The rows of jobs: one item each in a partition of their owner's.

use alfred_core::ports::{Query, Range, Store, Write};
use alfred_core::{
    Failure, RunId, ScheduleId, SessionId, SlackContext, Taint, TeamId, UserId, id::EventId, keys,
};
use jiff::tz::TimeZone;
use jiff::{SignedDuration, Timestamp};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

use super::{Meetings, Occurrence, When};
use crate::row::{body, read, stored};
use crate::run::DirectCall;
use crate::timer::{self, Timer};

/// Jobs of one person that run or are paused.
pub const MOST_JOBS: usize = 100;
/// How long one is kept that is over: its deletion can be taken back so long.
const KEPT: SignedDuration = SignedDuration::from_hours(24 * 30);

/// A reminder or scheduled job (annex 1, "Scheduled tasks").
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Job {
    /// Schema version.
    pub v: u8,
    /// Its id.
    pub id: ScheduleId,
    /// At most 100 characters.
    pub name: String,
    /// What is done each time.
    pub does: Does,
    /// What it is of those that say unasked what there is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub kind: Option<Kind>,
    /// When.
    pub when: When,
    /// The IANA name of the zone in which `when` is meant.
    pub zone: String,
    /// Where it was asked for, and where its output goes.
    pub place: SlackContext,
    /// The conversation it was asked for in.
    pub session: SessionId,
    /// What the run that made it, or changed it, had read.
    #[serde(default, skip_serializing_if = "Taint::is_empty")]
    pub taint: Taint,
    /// Whether it runs.
    pub state: JobState,
    /// The next time it is due, while it runs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub next: Option<Occurrence>,
    /// The run of its last occurrence.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub last_run: Option<RunId>,
    /// When that was made.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub last_run_at: Option<Timestamp>,
    /// Occurrences that were run.
    pub runs: u32,
    /// Runs that failed, in a row.
    pub failures: u32,
    /// What the last of them told its owner.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub last_error: Option<String>,
    /// Of one that looks at meetings: those its owner was told of, and when they began.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub told: BTreeMap<EventId, Timestamp>,
    /// When it was asked for.
    pub created_at: Timestamp,
}

/// What a job does.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "what", rename_all = "snake_case")]
pub enum Does {
    /// Says these words as they are; no model is asked.
    Say {
        /// Markdown.
        text: String,
    },
    /// Works on a request, as if its person asked it then.
    Ask {
        /// In words.
        request: String,
    },
    /// Calls a tool; no model is asked. Its calls have a conversation of their own: a look makes no question void
    /// that was asked where the job was.
    Call(DirectCall),
    /// Tells of each meeting before it begins; no model is asked.
    Meetings(Meetings),
}

/// Jobs that say unasked what there is: they rest while their owner wants no proactive notifications.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    /// In the morning: meetings, tasks that are due, mail that waits.
    Brief,
    /// In the evening: what was done, what is left, what tomorrow brings.
    Review,
    /// Looks for meetings on focus blocks, and asks whether these should move.
    #[serde(rename = "focusGuard")]
    FocusGuard,
    /// Before each meeting: who comes, and what is known of it.
    #[serde(rename = "meetingReminder")]
    MeetingReminder,
}

/// Whether a job runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "is", rename_all = "snake_case")]
pub enum JobState {
    /// It does.
    Active,
    /// It doesn't, until its owner says so.
    Paused {
        /// Why.
        why: Why,
    },
    /// It is over.
    Done,
    /// Its owner deleted it.
    Deleted,
}

/// Why a job doesn't run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Why {
    /// Its owner paused it.
    Asked,
    /// It failed too often in a row.
    Failing,
    /// Its zone is none that is known here.
    Zone,
    /// Its owner isn't served any more.
    Owner,
}

/// A job and the version of its row.
#[derive(Clone, Debug, PartialEq)]
pub struct StoredJob {
    /// The job.
    pub job: Job,
    /// Of its row.
    pub version: u64,
}

impl Job {
    /// Whether its owner still has it.
    pub fn is_kept(&self) -> bool {
        matches!(self.state, JobState::Active | JobState::Paused { .. })
    }

    /// Its zone; `None` when the database has no such name, an old one of a renamed zone included.
    pub fn time_zone(&self) -> Option<TimeZone> {
        TimeZone::get(&self.zone).ok()
    }

    /// The same, due next after a moment; over when it never is.
    pub fn due_after(mut self, moment: Timestamp, zone: &TimeZone) -> Self {
        self.next = self.when.next_after(moment, zone);
        self.state = match self.next {
            Some(_) => JobState::Active,
            None => JobState::Done,
        };
        self
    }

    /// The same, which doesn't run.
    pub fn resting(self, state: JobState) -> Self {
        Self {
            state,
            next: None,
            ..self
        }
    }

    /// The timer of its next occurrence.
    pub fn timer(&self, team: &TeamId, user: &UserId) -> Option<(Timestamp, Timer)> {
        let at = self.next.filter(|_| self.state == JobState::Active)?.at;
        Some((at, Timer::fire(team, user, &self.id)))
    }

    /// The write of its row alone, over this version: 0 for a new one.
    ///
    /// # Errors
    /// `Bug` when it can't be written as JSON.
    pub fn write(
        &self,
        (team, user): (&TeamId, &UserId),
        version: u64,
        now: Timestamp,
    ) -> Result<Write, Failure> {
        let write = Write::over(keys::job(team, user, &self.id), version, body(self)?);
        Ok(match self.is_kept() {
            true => write,
            false => write.kept(now, KEPT),
        })
    }

    /// The writes that make it so in the stead of what was stored: its row and its timer.
    ///
    /// # Errors
    /// `Bug` when it can't be written as JSON.
    pub fn instead_of(
        &self,
        owner: (&TeamId, &UserId),
        before: Option<&StoredJob>,
        now: Timestamp,
    ) -> Result<Vec<Write>, Failure> {
        let version = before.map_or(0, |stored| stored.version);
        let mut writes = vec![self.write(owner, version, now)?];
        let set = self.timer(owner.0, owner.1);
        let was = before.and_then(|stored| stored.job.timer(owner.0, owner.1));
        if let Some((at, timer)) = was.filter(|was| set.as_ref() != Some(was)) {
            let gone = timer::disarm(at, &timer);
            // Two times of one second are one item.
            let same = |(at, timer): &(Timestamp, Timer)| timer::key(*at, timer) == gone.key;
            if !set.as_ref().is_some_and(same) {
                writes.push(gone);
            }
        }
        if let Some((at, timer)) = &set {
            writes.push(timer::arm(*at, timer)?);
        }
        Ok(writes)
    }
}

/// A job of this person.
///
/// # Errors
/// When the store doesn't answer; `Bug` for a row that is no job.
pub async fn load(
    store: &dyn Store,
    team: &TeamId,
    user: &UserId,
    id: &ScheduleId,
) -> Result<Option<StoredJob>, Failure> {
    let Some(item) = stored(store, &keys::job(team, user, id)).await? else {
        return Ok(None);
    };
    let version = item.version;
    let job = read(item.body)?;
    Ok(Some(StoredJob { job, version }))
}

/// A person's jobs that aren't over, the oldest first. What can't be read is left out.
///
/// # Errors
/// When the store doesn't answer.
pub async fn list(
    store: &dyn Store,
    team: &TeamId,
    user: &UserId,
) -> Result<Vec<StoredJob>, Failure> {
    let items = Query::state(keys::jobs(team, user), Range::All);
    let mut jobs = Vec::new();
    for item in items.all(store).await? {
        let version = item.version;
        match read::<Job>(item.body) {
            Ok(job) if job.is_kept() => jobs.push(StoredJob { job, version }),
            Ok(_) => {}
            Err(error) => {
                tracing::error!(store.key = ?item.key, %error, "a job's row can't be read");
            }
        }
    }
    Ok(jobs)
}
