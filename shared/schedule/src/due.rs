use alfred_agent::Ports;
use alfred_agent::store::row::{body, read, stored};
use alfred_agent::store::timer::Timer;
use alfred_core::ports::{Item, Key, Query, Range, Store, Write};
use alfred_core::{Failure, Result, keys};
use futures_util::{StreamExt, stream};
use jiff::{SignedDuration, Timestamp};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};

const SWEEP_PARTITION: &str = "*#sweep";
/// A sweep reads 16 partitions, or 32 early in an hour.
const QUERIES_AT_ONCE: usize = 16;
/// Per sweep; the next sweep continues.
const HOURS_AT_ONCE: SignedDuration = SignedDuration::from_hours(48);
/// A larger step back means the clock was set back.
pub const DIFFERENCE: SignedDuration = SignedDuration::from_mins(1);
/// A timer may be committed this long after its due time.
const COMMITTED_LATE: SignedDuration = SignedDuration::from_mins(10);
/// After a clock was set back, timers due until this long after the last mark are served. Covers
/// the longest wait, except for approvals.
const SET_AHEAD: SignedDuration = SignedDuration::from_hours(8);
const LOST_MARK: SignedDuration = SignedDuration::from_hours(24 * 30);

#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
struct Mark {
    hour: Timestamp,
    at: Timestamp,
}

#[derive(Debug)]
pub struct Due {
    /// Oldest first, with their items. After a clock was set back, they include timers due later;
    /// serving these early is harmless.
    pub timers: Vec<(Timer, Item)>,
    pub unreadable: Vec<(Item, String)>,
    pub until: Timestamp,
}

/// Starts at the hour in which the last sweep ended, so that an outage loses none.
pub async fn due(store: &dyn Store, now: Timestamp) -> Result<Due> {
    let second = Timestamp::from_second(now.as_second()).map_err(Failure::bug)?;
    let until = format!("{}~", keys::due(second, "").range.trim_end_matches('#'));
    let mark = mark(store, now).await?;
    let swept = mark.map_or(now, |mark| mark.hour).min(now);
    let reached = swept.saturating_add(HOURS_AT_ONCE);
    let reached = reached.map_err(Failure::bug)?.min(now);
    let mut buckets = BTreeSet::new();
    add(&mut buckets, swept, reached)?;
    add(&mut buckets, now, now)?;
    let mut found = BTreeMap::new();
    read_buckets(store, buckets, &until, &mut found).await?;
    if let Some(mark) = mark
        && mark.at.duration_since(now) > DIFFERENCE
    {
        let by = mark.at.duration_since(now);
        tracing::warn!(clock.set_back_by = %by, "the clock was set back since the last sweep; looking after what was to be done by then");
        let mut ahead = BTreeSet::new();
        let end = mark.at.saturating_add(SET_AHEAD).map_err(Failure::bug)?;
        add(&mut ahead, mark.at, end)?;
        read_buckets(store, ahead, "~", &mut found).await?;
    }
    let mut due = Due {
        timers: Vec::new(),
        unreadable: Vec::new(),
        until: reached,
    };
    for (range, item) in found {
        let is_due = range <= until;
        match read::<Timer>(item.body.clone()) {
            Ok(timer) if timer.is_punctual() && !is_due => {}
            Ok(timer) => due.timers.push((timer, item)),
            Err(error) => due.unreadable.push((item, error.to_string())),
        }
    }
    Ok(due)
}

fn add(found: &mut BTreeSet<String>, from: Timestamp, to: Timestamp) -> Result<()> {
    let step = SignedDuration::from_hours(1);
    // Includes the previous hour shortly after its end, since a timer may be committed late.
    let mut hour = before(from.min(to))?;
    loop {
        found.extend((0..keys::DUE_SHARDS).map(|shard| keys::due_partition(hour, shard)));
        if keys::due_partition(hour, 0) == keys::due_partition(to, 0) {
            return Ok(());
        }
        hour = hour.saturating_add(step).map_err(Failure::bug)?.min(to);
    }
}

async fn read_buckets(
    store: &dyn Store,
    buckets: BTreeSet<String>,
    until: &str,
    found: &mut BTreeMap<String, Item>,
) -> Result<()> {
    let reads = buckets.into_iter().map(|bucket| {
        let range = Range::Between("2".into(), until.into());
        Query::state(bucket, range).all(store)
    });
    let mut reading = stream::iter(reads).buffer_unordered(QUERIES_AT_ONCE);
    while let Some(items) = reading.next().await {
        let items = items?.into_iter();
        found.extend(items.map(|item| (item.key.range.clone(), item)));
    }
    Ok(())
}

async fn mark(store: &dyn Store, now: Timestamp) -> Result<Option<Mark>> {
    let Some(item) = stored(store, &Key::state(SWEEP_PARTITION, "last")).await? else {
        return Ok(None);
    };
    match read(item.body) {
        Ok(mark) => Ok(Some(mark)),
        Err(Failure::Bug { detail }) => {
            tracing::error!(
                error = detail,
                "the mark of the last sweep can't be read; looking through a month"
            );
            let hour = now.saturating_sub(LOST_MARK).map_err(Failure::bug)?;
            Ok(Some(Mark { hour, at: hour }))
        }
        Err(other) => Err(other),
    }
}

fn before(at: Timestamp) -> Result<Timestamp> {
    at.saturating_sub(COMMITTED_LATE).map_err(Failure::bug)
}

/// Stores that all timers due until then were served. Written at most twice an hour.
pub async fn swept(ports: &Ports, until: Timestamp) -> Result<()> {
    let now = ports.clock.now();
    let hour = |at: Timestamp| keys::due_partition(at, 0);
    let looked_at_first = |at: Timestamp| before(at).map(hour);
    let first = looked_at_first(until)?;
    let says_so = mark(&*ports.store, now).await?.is_some_and(|mark| {
        hour(mark.hour) == hour(until)
            && looked_at_first(mark.hour).is_ok_and(|known| known == first)
            && mark.at.duration_since(now) <= DIFFERENCE
    });
    if says_so {
        return Ok(());
    }
    let key = Key::state(SWEEP_PARTITION, "last");
    let (hour, at) = (until, now);
    let mark = Write::put(key, None, body(&Mark { hour, at })?);
    Ok(ports.commit(vec![mark]).await?)
}
