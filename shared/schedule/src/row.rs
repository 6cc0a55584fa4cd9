use alfred_agent::DirectCall;
use alfred_agent::store::row::{body, read, stored};
use alfred_agent::store::timer::{self, Timer};
use alfred_core::id::EventId;
use alfred_core::ports::{Item, Query, Range, Store, Write};
use alfred_core::{
    Result, RunId, ScheduleId, SessionId, SlackContext, Taint, TeamId, UserId, keys,
};
use jiff::tz::TimeZone;
use jiff::{SignedDuration, Timestamp, ToSpan};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

use crate::{Meetings, Occurrence, When};

pub const MOST_JOBS: usize = 100;
/// A deletion can be undone during this time.
const KEPT: SignedDuration = SignedDuration::from_hours(24 * 30);

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Job {
    pub v: u8,
    pub id: ScheduleId,
    pub team: TeamId,
    pub user: UserId,
    /// At most 100 characters.
    pub name: String,
    pub does: Does,
    pub kind: Option<Kind>,
    pub when: When,
    pub zone: String,
    pub place: SlackContext,
    pub session: SessionId,
    /// Of the runs that created or changed it.
    pub taint: Taint,
    pub state: JobState,
    pub next: Option<Occurrence>,
    pub last_run: Option<RunId>,
    pub last_run_at: Option<Timestamp>,
    pub runs: u32,
    pub failures: u32,
    pub last_error: Option<String>,
    /// The meetings already reminded of, with their start.
    pub told: BTreeMap<EventId, Timestamp>,
    pub created_at: Timestamp,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "what", rename_all = "snake_case")]
pub enum Does {
    /// Says these words (Markdown), without a model.
    Say { text: String },
    /// Works on a request, as if the owner made it then.
    Ask { request: String },
    /// Calls a tool, in a session of its own, so that open questions in the conversation stay.
    Call(DirectCall),
    /// Reminds of meetings before they begin.
    Meetings(Meetings),
}

/// Proactive notifications, skipped while their owner has these switched off.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Kind {
    Brief,
    Review,
    FocusGuard,
    MeetingReminder,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "is", rename_all = "snake_case")]
pub enum JobState {
    Active,
    Paused { why: Why },
    Done,
    Deleted,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Why {
    Asked,
    Failing,
    Zone,
    Owner,
}

#[derive(Clone, Debug, PartialEq)]
pub struct StoredJob {
    pub job: Job,
    pub version: u64,
}

impl Job {
    pub fn is_kept(&self) -> bool {
        matches!(self.state, JobState::Active | JobState::Paused { .. })
    }

    /// Whether its owner may run it at any time. Reminders of meetings come with the meetings only.
    pub fn runs_by_hand(&self) -> bool {
        !matches!(self.does, Does::Meetings(_))
    }

    /// `None` if the time zone database has no such name.
    pub fn time_zone(&self) -> Option<TimeZone> {
        TimeZone::get(&self.zone).ok()
    }

    /// With its first occurrence after `moment`; done if there is none.
    pub fn due_after(mut self, moment: Timestamp, zone: &TimeZone) -> Self {
        self.next = self.when.next_after(moment, zone);
        self.state = match self.next {
            Some(_) => JobState::Active,
            None => JobState::Done,
        };
        self
    }

    /// With today's budget used up, a one-time job moves to the same time of the next day.
    pub fn without_budget(self, now: Timestamp, zone: &TimeZone) -> Self {
        let next = self.clone().due_after(now, zone);
        let (None, Some(missed)) = (next.next, self.next) else {
            return next;
        };
        let tomorrow = now.to_zoned(zone.clone()).date().saturating_add(1.day());
        let at = tomorrow.to_datetime(missed.local.time());
        Self {
            next: When::Once { at }.next_after(now, zone),
            ..self
        }
    }

    pub fn resting(mut self, state: JobState) -> Self {
        self.state = state;
        self.next = None;
        self
    }

    pub fn timer(&self) -> Option<(Timestamp, Timer)> {
        let at = self.next.filter(|_| self.state == JobState::Active)?.at;
        Some((at, Timer::fire(&self.team, &self.user, &self.id)))
    }

    /// Writes the row only, replacing this version; 0 creates it.
    pub fn write(&self, version: u64, now: Timestamp) -> Result<Write> {
        let key = keys::job(&self.team, &self.user, &self.id);
        let write = Write::over(key, version, body(self)?);
        Ok(if self.is_kept() {
            write
        } else {
            write.kept(now, KEPT)
        })
    }

    pub fn instead_of(&self, before: Option<&StoredJob>, now: Timestamp) -> Result<Vec<Write>> {
        let version = before.map_or(0, |stored| stored.version);
        let mut writes = vec![self.write(version, now)?];
        let set = self.timer().map(|(at, timer)| timer::arm(at, &timer));
        writes.extend(set.transpose()?);
        if let Some((at, timer)) = before.and_then(|stored| stored.job.timer()) {
            let gone = timer::disarm(at, &timer);
            // Times within the same second have the same key.
            if writes.iter().all(|write| write.key != gone.key) {
                writes.push(gone);
            }
        }
        Ok(writes)
    }
}

/// `Bug` if the row can't be parsed.
pub async fn load(
    store: &dyn Store,
    team: &TeamId,
    user: &UserId,
    id: &ScheduleId,
) -> Result<Option<StoredJob>> {
    let item = stored(store, &keys::job(team, user, id)).await?;
    item.map(stored_job).transpose()
}

fn stored_job(item: Item) -> Result<StoredJob> {
    let (job, version) = (read(item.body)?, item.version);
    Ok(StoredJob { job, version })
}

/// Active and paused jobs, oldest first. Rows that can't be parsed are skipped.
pub async fn list(store: &dyn Store, team: &TeamId, user: &UserId) -> Result<Vec<StoredJob>> {
    let items = Query::state(keys::jobs(team, user), Range::All);
    let mut jobs = Vec::new();
    for item in items.all(store).await? {
        let key = item.key.clone();
        match stored_job(item) {
            Ok(stored) => jobs.extend(Some(stored).filter(|stored| stored.job.is_kept())),
            Err(error) => tracing::error!(store.key = ?key, %error, "a job's row can't be read"),
        }
    }
    Ok(jobs)
}
