use alfred_agent::model::Head;
use alfred_agent::store::row::read;
use alfred_core::ports::{Key, Query, Range, Store, Table};
use alfred_core::{Failure, RunId, TeamId, keys};
use futures_util::{StreamExt, TryStreamExt, stream};
use jiff::civil::Date;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::BTreeMap;

/// The last audit entry of a run, as named by a day's heads and digest.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RunHead {
    pub run: RunId,
    pub count: u32,
    pub hash: String,
}

/// A run's stored entries with their range keys, in order.
pub async fn chain(
    store: &dyn Store,
    team: &TeamId,
    run: &RunId,
) -> Result<Vec<(String, Value)>, Failure> {
    let items = partition(store, keys::audit_partition(team, run)).await?;
    let pairs = items.into_iter().map(|(key, body)| (key.range, body));
    Ok(pairs.collect())
}

/// The last head of every run that wrote one on this day (UTC), sorted by run.
pub async fn heads(store: &dyn Store, team: &TeamId, day: Date) -> Result<Vec<RunHead>, Failure> {
    let shards = (0..keys::AUDIT_SHARDS).map(|shard| keys::audit_heads(team, day, shard));
    let reads = shards.map(|shard| partition(store, shard));
    let found: Vec<Vec<(Key, Value)>> = stream::iter(reads)
        .buffered(usize::from(keys::AUDIT_SHARDS))
        .try_collect()
        .await?;
    let mut last = BTreeMap::new();
    // Within a shard, a run's heads are in the order of their entries.
    for (key, body) in found.into_iter().flatten() {
        let run = key.range.rsplit_once('#').map_or("", |(run, _)| run);
        let head: Head = read(body)?;
        last.insert(RunId::from(run), head);
    }
    let last = last.into_iter();
    let heads = last.map(|(run, Head { count, hash })| RunHead { run, count, hash });
    Ok(heads.collect())
}

/// All items of a partition of the audit table.
pub async fn partition(store: &dyn Store, partition: String) -> Result<Vec<(Key, Value)>, Failure> {
    let mut query = Query::state(partition, Range::All);
    query.table = Table::Audit;
    let items = query.all(store).await?.into_iter();
    Ok(items.map(|item| (item.key, item.body)).collect())
}
