//! Daily audit digests: the last audit entry of every run on a day (UTC), locked in write-once storage.

use alfred_agent::Ports;
use alfred_agent::store::row::{body, read};
use alfred_core::digest::{canonical_json, sha256_hex};
use alfred_core::ports::{Store, Vault, VaultError, Write};
use alfred_core::{Failure, TeamId, keys};
use jiff::civil::Date;
use jiff::tz::TimeZone;
use jiff::{SignedDuration, Timestamp, ToSpan};
use serde::{Deserialize, Serialize};
use serde_json::json;

use crate::read::{RunHead, heads};

/// Version of the digests that this release writes.
pub const DIGEST_VERSION: u8 = 1;
/// Wait after midnight before a day is closed, for commits still in progress.
const SETTLED: SignedDuration = SignedDuration::from_mins(15);
/// Maximum days per sweep. The next sweep continues.
const DAYS_AT_ONCE: usize = 31;

/// A day's digest. Its canonical JSON (RFC 8785) is locked, without anything else.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Digest {
    pub v: u8,
    pub team: TeamId,
    pub day: Date,
    /// The last head of every run with one that day, sorted by run. Empty for a quiet day.
    pub heads: Vec<RunHead>,
}

/// The record in the audit table that a day's digest is locked.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Record {
    pub v: u8,
    /// SHA-256 of the locked bytes.
    pub sha256: String,
    pub runs: usize,
}

/// The digest's file name in the vault.
pub fn name(team: &TeamId, day: Date) -> String {
    format!("{team}/{day}.json")
}

pub fn day_of(at: Timestamp) -> Date {
    at.to_zoned(TimeZone::UTC).date()
}

/// Locks the digests of all closed days without one. Slack's token identifies the workspace, since a deployment
/// serves only one.
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
        ports.commit_once(vec![done]).await?;
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

/// Locks a day's digest once, then records it. An existing locked digest wins over a newly computed
/// one, so that record and digest always match.
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
    let name = name(team, day);
    let text = canonical_json(&digest).map_err(Failure::bug)?;
    let (bytes, digest) = match vault.lock(&name, text.as_bytes()).await {
        Ok(()) => (text.into_bytes(), digest),
        Err(VaultError::Taken { .. }) => {
            let unread = || Failure::retry(format!("{name} is locked and can't be read"));
            let bytes = vault.read(&name).await?.ok_or_else(unread)?;
            let digest = serde_json::from_slice(&bytes).map_err(Failure::bug)?;
            (bytes, digest)
        }
        Err(error) => return Err(error.into()),
    };
    let record = Record {
        v: DIGEST_VERSION,
        sha256: sha256_hex(&bytes),
        runs: digest.heads.len(),
    };
    let keep = SignedDuration::from_hours(24 * ports.config.audit_days);
    let until = ports.clock.now().saturating_add(keep);
    let write = Write::create(key, body(&record)?).expiring(until.map_err(Failure::bug)?);
    ports.commit_once(vec![write]).await?;
    tracing::info!(audit.day = %day, audit.runs = record.runs, "locked the digest of a day");
    Ok(())
}

/// The records of all days, oldest first.
pub async fn records(store: &dyn Store, team: &TeamId) -> Result<Vec<(Date, Record)>, Failure> {
    let items = super::read::partition(store, keys::audit_digests(team)).await?;
    let parsed = items.into_iter().map(|(key, item)| {
        let day: Date = key.range.parse().map_err(Failure::bug)?;
        Ok((day, read(item)?))
    });
    parsed.collect()
}
