//! Timers: items in hour buckets of 16 shards, found by a sweep every minute
//! (every second on one machine). Waiting costs nothing meanwhile.

use alfred_core::ports::{Commit, Ids, Item, Query, Range, Store, StoreError, Write};
use alfred_core::{ApprovalId, Failure, RunId, TeamId, keys};
use jiff::{SignedDuration, Timestamp};
use serde::{Deserialize, Serialize};
use serde_json::json;

use crate::row::{body, read};

const SWEEP_PARTITION: &str = "*#sweep";

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

/// The timers that are due, with the items to delete once they were served.
///
/// Looks from the hour in which the last sweep ended, so that none is lost in an outage.
///
/// # Errors
/// When the store doesn't answer.
pub async fn due(store: &dyn Store, now: Timestamp) -> Result<Vec<(Timer, Item)>, Failure> {
    let back = SignedDuration::from_hours(1);
    let mut hour = last_swept(store).await?.unwrap_or(now).min(now);
    // One bucket further back: a timer may have been committed late into the hour that just ended.
    hour = hour.saturating_sub(back).map_err(Failure::bug)?;
    let until = format!("{}~", keys::due(now, "").range.trim_end_matches('#'));
    let mut found = Vec::new();
    loop {
        for shard in 0..keys::DUE_SHARDS {
            read_bucket(store, keys::due_partition(hour, shard), &until, &mut found).await?;
        }
        if keys::due_partition(hour, 0) == keys::due_partition(now, 0) {
            return Ok(found);
        }
        hour = hour.saturating_add(back).map_err(Failure::bug)?.min(now);
    }
}

async fn read_bucket(
    store: &dyn Store,
    partition: String,
    until: &str,
    found: &mut Vec<(Timer, Item)>,
) -> Result<(), Failure> {
    let mut query = Query::state(partition, Range::Between("2".into(), until.into()));
    loop {
        let page = store.query(&query).await?;
        for item in page.items {
            match read::<Timer>(item.body.clone()) {
                Ok(timer) => found.push((timer, item)),
                // One that can't be read must not hold up the others.
                Err(error) => {
                    tracing::error!(store.key = ?item.key, error = %error, "an unreadable timer")
                }
            }
        }
        query.cursor = page.cursor;
        if query.cursor.is_none() {
            return Ok(());
        }
    }
}

async fn last_swept(store: &dyn Store) -> Result<Option<Timestamp>, Failure> {
    let item = store
        .get(&alfred_core::ports::Key::state(SWEEP_PARTITION, "last"))
        .await?;
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
    let key = alfred_core::ports::Key::state(SWEEP_PARTITION, "last");
    let write = Write::put(key, None, json!({ "hour": now }));
    let commit = Commit {
        id: ids.uuid(),
        writes: vec![write],
    };
    store.commit(&commit).await.map_err(Failure::from)
}

/// Deletes a timer that was served, unless it was set anew meanwhile.
///
/// # Errors
/// When the store doesn't answer.
pub async fn served(store: &dyn Store, ids: &dyn Ids, item: &Item) -> Result<(), Failure> {
    let commit = Commit {
        id: ids.uuid(),
        writes: vec![Write::delete(
            item.key.clone(),
            Some(alfred_core::ports::Condition::Version(item.version)),
        )],
    };
    match store.commit(&commit).await {
        Ok(()) | Err(StoreError::Conflict { .. }) => Ok(()),
        Err(error) => Err(error.into()),
    }
}
