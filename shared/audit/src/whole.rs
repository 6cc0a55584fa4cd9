//! Verifies a workspace's whole audit: all chains, against run rows, daily heads and locked digests.

use alfred_agent::Run;
use alfred_agent::store::{row, users};
use alfred_core::digest::sha256_hex;
use alfred_core::ports::{Query, Range, Store, Vault};
use alfred_core::{Failure, Long, Progress, RunId, TeamId, keys};
use jiff::civil::Date;
use jiff::tz::TimeZone;
use jiff::{SignedDuration, Timestamp, ToSpan};
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet};

use crate::digest::{self, Digest, Record, day_of};
use crate::read::{self, RunHead};
use crate::verify::{By, Chain, End, Finding, check};

#[derive(Clone, Debug, Default, Serialize)]
pub struct Verified {
    pub runs: usize,
    pub entries: usize,
    pub digests: usize,
    pub findings: Vec<Finding>,
}

/// What to verify, and at which time.
#[derive(Clone, Copy)]
pub struct Scope<'a> {
    /// Holds runs, heads and records.
    pub store: &'a dyn Store,
    /// Holds digests.
    pub vault: &'a dyn Vault,
    pub team: &'a TeamId,
    pub now: Timestamp,
    /// How long entries are kept. Older ones may be gone.
    pub keep: SignedDuration,
}

impl Scope<'_> {
    /// The first day (UTC) whose entries can't have expired.
    fn oldest(&self) -> Result<Date, Failure> {
        let oldest = self.now.saturating_sub(self.keep).map_err(Failure::bug)?;
        Ok(day_of(oldest).saturating_add(1.day()))
    }

    fn may_have_expired(&self, run: &RunId) -> bool {
        let gone = run.made_at().map(|made| made.saturating_add(self.keep));
        matches!(gone, Some(Ok(gone)) if gone <= self.now)
    }
}

type Ends = BTreeMap<RunId, Vec<End>>;

/// Verifies every chain and every digest. Costs 16 reads per day that entries are kept, and two or three per
/// run.
pub async fn verify(scope: &Scope<'_>, progress: &Progress) -> Result<Verified, Failure> {
    let mut verified = Verified::default();
    let mut ends = Ends::new();
    let today = day_of(scope.now);
    let days = scope.oldest()?.series(1.day());
    let days: Vec<Date> = days.take_while(|day| *day <= today).collect();
    let counting = progress.begin(Long::AuditDays, days.len() as u64);
    for day in days {
        let heads = read::heads(scope.store, scope.team, day).await;
        let row = || format!("the heads of {day}");
        let heads = readable(heads, row, &mut verified)?.unwrap_or_default();
        add_ends(&mut ends, By::Heads(day), heads);
        counting.add(1);
    }
    drop(counting);
    digests(scope, &mut ends, &mut verified).await?;
    for run in indexed(scope).await? {
        ends.entry(run).or_default();
    }
    let counting = progress.begin(Long::AuditRuns, ends.len() as u64);
    for (run, ends) in ends {
        one(scope, run, ends, &mut verified).await?;
        counting.add(1);
    }
    Ok(verified)
}

fn add_ends(ends: &mut Ends, by: By, heads: Vec<RunHead>) {
    for RunHead { run, count, hash } in heads {
        ends.entry(run).or_default().push(End { by, count, hash });
    }
}

async fn one(
    scope: &Scope<'_>,
    run: RunId,
    mut ends: Vec<End>,
    verified: &mut Verified,
) -> Result<(), Failure> {
    // The run's row is read first, since an active run may write another entry meanwhile.
    let end = end_in_row(scope, &run).await;
    let row = || format!("the row of {run}");
    ends.extend(readable(end, row, verified)?.flatten());
    let chain = Chain {
        entries: read::chain(scope.store, scope.team, &run).await?,
        may_have_expired: scope.may_have_expired(&run),
        run,
        ends,
    };
    verified.runs += 1;
    verified.entries += chain.entries.len();
    let mut findings = check(&chain)?;
    if findings.iter().any(is_added) {
        findings.retain(|found| !is_added(found));
        findings.extend(still_added(scope, &chain).await?);
    }
    verified.findings.extend(findings);
    Ok(())
}

/// The end of a chain that its run's row knows; `None` if the row has expired.
async fn end_in_row(scope: &Scope<'_>, run: &RunId) -> Result<Option<End>, Failure> {
    let Some(item) = scope.store.get(&keys::run(scope.team, run)).await? else {
        return Ok(None);
    };
    let row: Run = row::read(item.body)?;
    Ok(Some(End {
        by: By::Run,
        count: row.progress.audit.count,
        hash: row.progress.audit.hash,
    }))
}

/// The value, or a finding in its place if a row can't be read: verification goes on.
fn readable<T>(
    read: Result<T, Failure>,
    row: impl Fn() -> String,
    verified: &mut Verified,
) -> Result<Option<T>, Failure> {
    match read {
        Ok(value) => Ok(Some(value)),
        Err(Failure::Bug { detail }) => {
            let row = row();
            tracing::error!(audit.row = row, error = detail, "a row can't be read");
            verified.findings.push(Finding::Unreadable { row });
            Ok(None)
        }
        Err(other) => Err(other),
    }
}

/// Checks extra entries again with the current run row, since an active run may have written them meanwhile.
async fn still_added(scope: &Scope<'_>, chain: &Chain) -> Result<Vec<Finding>, Failure> {
    let mut again = chain.clone();
    again.ends.retain(|end| end.by == By::Run);
    if let Some(known) = again.ends.first_mut() {
        let end = end_in_row(scope, &chain.run).await?;
        *known = end.unwrap_or(known.clone());
    }
    let mut found = check(&again)?;
    found.retain(is_added);
    Ok(found)
}

fn is_added(found: &Finding) -> bool {
    matches!(found, Finding::Added { .. })
}

/// Reads the digests from yesterday back to the first. The heads in them go to `ends`.
async fn digests(
    scope: &Scope<'_>,
    ends: &mut Ends,
    verified: &mut Verified,
) -> Result<(), Failure> {
    let records = digest::records(scope.store, scope.team).await;
    let row = || "the records of the daily digests".to_owned();
    let records = readable(records, row, verified)?.unwrap_or_default();
    let records: BTreeMap<Date, Record> = records.into_iter().collect();
    let first = records.keys().next().copied();
    let last = digest::last(scope.store).await?;
    let last = last.max(records.keys().next_back().copied());
    let (mut day, oldest) = (day_of(scope.now), scope.oldest()?);
    while day > oldest {
        day = day.saturating_sub(1.day());
        let locked = scope.vault.read(&digest::name(scope.team, day)).await?;
        let record = records.get(&day);
        let Some(bytes) = locked else {
            if record.is_some() || (first..=last).contains(&Some(day)) && first.is_some() {
                verified.findings.push(Finding::DigestMissing { day });
            } else if first.is_some_and(|first| day < first) {
                break;
            }
            continue;
        };
        verified.digests += 1;
        let read: Option<Digest> = serde_json::from_slice(&bytes).ok();
        let read = read.filter(|read| read.team == *scope.team && read.day == day);
        let recorded = record.is_some_and(|record| record.sha256 == sha256_hex(&bytes));
        // The record of the latest digest is written after the digest itself.
        let under_way = record.is_none() && last.is_none_or(|last| day > last);
        if read.is_none() || !(recorded || under_way) {
            verified.findings.push(Finding::DigestChanged { day });
        }
        if let Some(digest) = read {
            add_ends(ends, By::Digest(day), digest.heads);
        }
    }
    Ok(())
}

/// The runs of all registered people whose rows still exist.
async fn indexed(scope: &Scope<'_>) -> Result<BTreeSet<RunId>, Failure> {
    let mut found = BTreeSet::new();
    for person in users::list(scope.store, scope.team).await? {
        let user = &person.user.slack_user_id;
        let mut month = scope.now.to_zoned(TimeZone::UTC).date().first_of_month();
        // Rows are kept for 30 days, which span three months at most.
        for _ in 0..3 {
            let at = month.to_zoned(TimeZone::UTC).map_err(Failure::bug)?;
            let nobody = RunId::default();
            let key = keys::user_run(scope.team, user, at.timestamp(), &nobody);
            let query = Query::state(key.partition, Range::All);
            let items = query.all(scope.store).await?.into_iter();
            found.extend(items.map(|item| RunId(item.key.range)));
            month = month.saturating_sub(1.month());
        }
    }
    Ok(found)
}

/// The runs with activity since a day (UTC): those with an audit head, and running or ended runs of
/// registered people.
pub async fn runs_since(scope: &Scope<'_>, first: Date) -> Result<BTreeSet<RunId>, Failure> {
    let mut found = indexed(scope).await?;
    // Older entries don't exist, so an early date costs nothing.
    let first = first.max(scope.oldest()?.saturating_sub(1.day()));
    // A run's head may be on a later day than its activity.
    let last = day_of(scope.now);
    for day in first.series(1.day()).take_while(|day| *day <= last) {
        let heads = read::heads(scope.store, scope.team, day).await?;
        found.extend(heads.into_iter().map(|head| head.run));
    }
    Ok(found)
}
