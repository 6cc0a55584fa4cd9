//! Timers: items in hour buckets of 16 shards, found by a sweep every minute
//! (every second on one machine). Waiting costs nothing meanwhile.

use alfred_core::ports::{
    Commit, Condition, Ids, Item, Key, Query, Range, Store, StoreError, Write,
};
use alfred_core::{ApprovalId, Failure, RunId, TeamId, keys};
use futures_util::{StreamExt, stream};
use jiff::{SignedDuration, Timestamp};
use serde::{Deserialize, Serialize};
use serde_json::json;
use std::time::Duration;

use crate::admit::WATCH_AFTER;
use crate::row::{body, read};
use crate::run::Run;

const SWEEP_PARTITION: &str = "*#sweep";
/// A sweep reads 32 buckets; so many at once keep it under a few round trips.
const QUERIES_AT_ONCE: usize = 16;
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
            tries: 0,
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
    Ok((at, arm(at, &Timer::watch(&run.team, &run.id))?))
}

/// Lets a watchdog look again at another time. The run isn't written, so who works on it isn't
/// disturbed, and its `watch_at` stays behind: a look that comes too late finds the run over.
///
/// # Errors
/// When the store doesn't answer.
pub async fn look_again(
    store: &dyn Store,
    ids: &dyn Ids,
    at: Timestamp,
    timer: &Timer,
    item: &Item,
) -> Result<(), Failure> {
    let timer = Timer {
        tries: 0,
        ..timer.clone()
    };
    replace(store, ids, item, Some(arm(at, &timer)?)).await
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

/// What a sweep found.
#[derive(Debug, Default)]
pub struct Due {
    /// The timers that are due, the oldest first, with the items to delete once they were served.
    pub timers: Vec<(Timer, Item)>,
    /// Items that are no timers, and why.
    pub unreadable: Vec<(Item, String)>,
}

/// The timers that are due.
///
/// Looks from the hour in which the last sweep ended, so that none is lost in an outage.
///
/// # Errors
/// When the store doesn't answer.
pub async fn due(store: &dyn Store, now: Timestamp) -> Result<Due, Failure> {
    let second = Timestamp::from_second(now.as_second()).map_err(Failure::bug)?;
    let until = format!("{}~", keys::due(second, "").range.trim_end_matches('#'));
    let buckets = buckets(last_swept(store).await?.unwrap_or(now), now)?;
    let reads = buckets
        .into_iter()
        .map(|bucket| read_bucket(store, bucket, &until));
    let mut reading = stream::iter(reads).buffer_unordered(QUERIES_AT_ONCE);
    let mut due = Due::default();
    while let Some(items) = reading.next().await {
        for item in items? {
            match read::<Timer>(item.body.clone()) {
                Ok(timer) => due.timers.push((timer, item)),
                Err(error) => due.unreadable.push((item, error.to_string())),
            }
        }
    }
    due.timers
        .sort_by(|(_, a), (_, b)| a.key.range.cmp(&b.key.range));
    Ok(due)
}

/// The partitions from one hour before `swept` to now.
fn buckets(swept: Timestamp, now: Timestamp) -> Result<Vec<String>, Failure> {
    let step = SignedDuration::from_hours(1);
    // One bucket further back: a timer may have been committed late into the hour that just ended.
    let mut hour = swept.min(now).saturating_sub(step).map_err(Failure::bug)?;
    let mut found = Vec::new();
    loop {
        found.extend((0..keys::DUE_SHARDS).map(|shard| keys::due_partition(hour, shard)));
        if keys::due_partition(hour, 0) == keys::due_partition(now, 0) {
            return Ok(found);
        }
        hour = hour.saturating_add(step).map_err(Failure::bug)?.min(now);
    }
}

async fn read_bucket(
    store: &dyn Store,
    partition: String,
    until: &str,
) -> Result<Vec<Item>, Failure> {
    let mut query = Query::state(partition, Range::Between("2".into(), until.into()));
    let mut found = Vec::new();
    loop {
        let page = store.query(&query).await?;
        found.extend(page.items);
        query.cursor = page.cursor;
        if query.cursor.is_none() {
            return Ok(found);
        }
    }
}

async fn last_swept(store: &dyn Store) -> Result<Option<Timestamp>, Failure> {
    let item = store.get(&Key::state(SWEEP_PARTITION, "last")).await?;
    Ok(item.and_then(|item| item.body.get("hour")?.as_str()?.parse().ok()))
}

/// Remembers that everything due until now was served. Written once an hour at most.
///
/// # Errors
/// When the store doesn't answer.
pub async fn swept(store: &dyn Store, ids: &dyn Ids, now: Timestamp) -> Result<(), Failure> {
    let same_hour = last_swept(store)
        .await?
        .is_some_and(|last| keys::due_partition(last, 0) == keys::due_partition(now, 0));
    if same_hour {
        return Ok(());
    }
    let key = Key::state(SWEEP_PARTITION, "last");
    let write = Write::put(key, None, json!({ "hour": now }));
    let commit = Commit {
        id: ids.uuid(),
        writes: vec![write],
    };
    store.commit(&commit).await.map_err(Failure::from)
}

/// Moves a timer that couldn't be served, the later the more often that was so.
///
/// # Errors
/// When the store doesn't answer.
pub async fn postpone(
    store: &dyn Store,
    ids: &dyn Ids,
    now: Timestamp,
    timer: &Timer,
    item: &Item,
) -> Result<(), Failure> {
    let wait = FIRST_POSTPONED
        .saturating_mul(1 << timer.tries.min(20))
        .min(LONGEST_POSTPONED);
    let wait = SignedDuration::try_from(wait).unwrap_or(SignedDuration::MAX);
    let at = now.saturating_add(wait).map_err(Failure::bug)?;
    let later = Timer {
        tries: timer.tries + 1,
        ..timer.clone()
    };
    replace(store, ids, item, Some(arm(at, &later)?)).await
}

/// Takes an item that can't be served out of its bucket, and keeps it where it holds up nothing.
///
/// # Errors
/// When the store doesn't answer.
pub async fn set_aside(
    store: &dyn Store,
    ids: &dyn Ids,
    item: &Item,
    why: &str,
) -> Result<(), Failure> {
    let key = Key::state(keys::timers_set_aside(), &item.key.range);
    let kept = json!({ "timer": item.body, "why": why });
    replace(store, ids, item, Some(Write::put(key, None, kept))).await
}

/// Deletes a timer that was served, unless it was set anew meanwhile.
///
/// # Errors
/// When the store doesn't answer.
pub async fn served(store: &dyn Store, ids: &dyn Ids, item: &Item) -> Result<(), Failure> {
    replace(store, ids, item, None).await
}

/// Deletes an item and writes another in its stead; neither if it changed meanwhile.
async fn replace(
    store: &dyn Store,
    ids: &dyn Ids,
    item: &Item,
    with: Option<Write>,
) -> Result<(), Failure> {
    let condition = Condition::Version(item.version);
    let mut writes = vec![Write::delete(item.key.clone(), Some(condition))];
    writes.extend(with);
    let commit = Commit {
        id: ids.uuid(),
        writes,
    };
    match store.commit(&commit).await {
        Ok(()) | Err(StoreError::Conflict { .. }) => Ok(()),
        Err(error) => Err(error.into()),
    }
}
