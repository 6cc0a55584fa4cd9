//! Daily digests: where every chain stood at the end of a day (UTC), locked
//! where it can't be rewritten.

use alfred_core::digest::{canonical_json, sha256_hex};
use alfred_core::ports::{Commit, Store, StoreError, Vault, VaultError, Write};
use alfred_core::{Failure, TeamId, keys};
use jiff::civil::Date;
use jiff::tz::TimeZone;
use jiff::{SignedDuration, Timestamp, ToSpan};
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::read::{RunHead, heads};
use crate::ports::Ports;
use crate::row::{body, read};

/// The version of digests this release writes.
pub const DIGEST_VERSION: u8 = 1;
/// After midnight until a day is over: its last commits may still be under way.
const SETTLED: SignedDuration = SignedDuration::from_mins(15);
/// Days one sweep catches up with; the next one goes on.
const DAYS_AT_ONCE: usize = 31;

/// A day's digest. What is locked is its canonical JSON (RFC 8785), nothing before or behind it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Digest {
    /// Schema version.
    pub v: u8,
    /// The workspace.
    pub team: TeamId,
    /// The day (UTC).
    pub day: Date,
    /// The last head that day of every run that had one, by run. Empty for a quiet day.
    pub heads: Vec<RunHead>,
}

/// That a day's digest is locked, in the audit table.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Record {
    /// Schema version.
    pub v: u8,
    /// Of the bytes that are locked.
    pub sha256: String,
    /// Runs it names.
    pub runs: usize,
}

/// The name under which a day's digest is locked.
pub fn name(team: &TeamId, day: Date) -> String {
    format!("{team}/{day}.json")
}

/// The day (UTC) of a moment.
pub fn day_of(at: Timestamp) -> Date {
    at.to_zoned(TimeZone::UTC).date()
}

/// Locks the digests of all days that are over and have none. The bot's token says for
/// which workspace: a deployment serves one.
///
/// # Errors
/// When Slack, the store or the vault doesn't answer; what is locked stays.
pub async fn catch_up(ports: &Ports, vault: &dyn Vault) -> Result<(), Failure> {
    let settled = ports.clock.now().saturating_sub(SETTLED);
    let over = day_of(settled.map_err(Failure::bug)?).saturating_sub(1.day());
    let last = last(&*ports.store).await?;
    if last.is_some_and(|last| last >= over) {
        return Ok(());
    }
    let team = ports.chat.team().await?;
    let first = last.map_or(over, |last| last.saturating_add(1.day()));
    let days = first.series(1.day()).take_while(|day| *day <= over);
    for day in days.take(DAYS_AT_ONCE) {
        lock(ports, vault, &team, day).await?;
        let done = Write::put(keys::last_audit_digest(), None, json!({ "day": day }));
        commit(ports, done).await?;
    }
    Ok(())
}

pub(super) async fn last(store: &dyn Store) -> Result<Option<Date>, Failure> {
    let Some(item) = store.get(&keys::last_audit_digest()).await? else {
        return Ok(None);
    };
    let day = item.body.get("day").cloned().unwrap_or_default();
    serde_json::from_value(day).map(Some).map_err(Failure::bug)
}

/// Locks one day's digest, once. It is locked first and recorded then, and what was locked
/// first counts: a head that came late can't leave a record without its digest.
async fn lock(ports: &Ports, vault: &dyn Vault, team: &TeamId, day: Date) -> Result<(), Failure> {
    let key = keys::audit_digest(team, day);
    if ports.store.get(&key).await?.is_some() {
        return Ok(());
    }
    let digest = Digest {
        v: DIGEST_VERSION,
        team: team.clone(),
        day,
        heads: heads(&*ports.store, team, day).await?,
    };
    let (name, text) = (
        name(team, day),
        canonical_json(&digest).map_err(Failure::bug)?,
    );
    let (bytes, digest) = match vault.lock(&name, text.as_bytes()).await {
        Ok(()) => (text.into_bytes(), digest),
        Err(VaultError::Taken { .. }) => {
            let bytes = vault
                .read(&name)
                .await?
                .ok_or_else(|| Failure::retry(format!("{name} is locked and can't be read")))?;
            let digest = serde_json::from_slice(&bytes).map_err(Failure::bug)?;
            (bytes, digest)
        }
        Err(error @ VaultError::Unavailable { .. }) => return Err(error.into()),
    };
    let record = Record {
        v: DIGEST_VERSION,
        sha256: sha256_hex(&bytes),
        runs: digest.heads.len(),
    };
    let keep = SignedDuration::from_hours(24 * ports.config.audit_days);
    let until = ports.clock.now().saturating_add(keep);
    let write = Write::create(key, body(&record)?).expiring(until.map_err(Failure::bug)?);
    commit(ports, write).await?;
    tracing::info!(audit.day = %day, audit.runs = record.runs, "locked the digest of a day");
    Ok(())
}

/// One write. Somebody else who was first did the same.
async fn commit(ports: &Ports, write: Write) -> Result<(), Failure> {
    let commit = Commit::new(&*ports.ids, vec![write]);
    match ports.store.commit(&commit).await {
        Ok(()) | Err(StoreError::Conflict { .. }) => Ok(()),
        Err(error) => Err(error.into()),
    }
}

/// The records of all days, oldest first.
///
/// # Errors
/// When the store doesn't answer, or a record can't be read.
pub async fn records(store: &dyn Store, team: &TeamId) -> Result<Vec<(Date, Record)>, Failure> {
    let items = super::read::partition(store, keys::audit_digests(team)).await?;
    let parsed = items.into_iter().map(|(key, item)| {
        let day: Date = key.range.parse().map_err(Failure::bug)?;
        Ok((day, read(item)?))
    });
    parsed.collect()
}
