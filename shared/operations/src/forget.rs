//! `alfred users forget`: deletes everything stored of a person, and what their runs left elsewhere. Audit entries
//! stay, since they hold no bodies.

use alfred_agent::store::race::Race;
use alfred_agent::store::timer::{self, Timer};
use alfred_agent::store::users;
use alfred_agent::{CommitError, Journal, Run, RunState, Step};
use alfred_core::ports::{
    Account, BlobError, Clock, Commit, Connect, ConnectError, Ids, Item, Key, Provider, Query,
    QueueError, Range, SecretError, Store, StoreError, Write,
};
use alfred_core::{ApprovalId, Config, Failure, RunId, TeamId, UserId, WorkerOutput};
use alfred_core::{keys, text};
use alfred_schedule::row;
use async_trait::async_trait;
use futures_util::{StreamExt, TryStreamExt, stream};
use jiff::civil::Date;
use jiff::tz::TimeZone;
use jiff::{Timestamp, ToSpan};
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::sync::Arc;
use thiserror::Error;

/// Repeated searches: a request that was being admitted at the start may have written something after the first search.
const ROUNDS: u32 = 5;
/// Runs that are looked at concurrently.
const AT_ONCE: usize = 16;
/// How far from today days without an index entry are looked for. Their last block was deleted, so they hold no text.
const DAYS: i32 = 400;

/// What an erasure deleted.
#[derive(Debug, Default)]
pub struct Erased {
    pub items: Vec<Key>,
    /// Counts of other things, by name.
    pub others: Vec<(&'static str, usize)>,
}

/// Deletes in bulk, as each side can.
#[async_trait]
pub trait Erasure: Send + Sync {
    /// The tables as they are: large bodies aren't read, and expired rows are shown if they are still there.
    fn rows(&self) -> &dyn Store;
    /// Deletes these partitions of the state table with their large bodies, and the person's large bodies, secrets and
    /// queued messages. Repeating it is harmless.
    async fn erase(
        &self,
        partitions: BTreeSet<String>,
        account: &Account,
    ) -> Result<Erased, ForgetError>;
}

/// Why a person isn't forgotten, or not wholly. Repeating it is safe.
#[derive(Debug, Error)]
pub enum ForgetError {
    #[error("nothing is stored of {user} in the workspace {team}")]
    Nothing { team: TeamId, user: UserId },
    #[error("their {provider} account couldn't be disconnected; please try again: {source}")]
    Connected {
        provider: &'static str,
        source: ConnectError,
    },
    #[error(transparent)]
    Connections(#[from] ConnectError),
    #[error(transparent)]
    Store(#[from] StoreError),
    #[error(transparent)]
    Bodies(#[from] BlobError),
    #[error(transparent)]
    Secrets(#[from] SecretError),
    #[error(transparent)]
    Queue(#[from] QueueError),
    #[error(transparent)]
    Run(#[from] Failure),
}

type Result<T, E = ForgetError> = std::result::Result<T, E>;

#[derive(Debug, Serialize)]
pub struct Forgotten {
    user: UserId,
    /// Runs that were active.
    stopped: usize,
    deleted: BTreeMap<String, usize>,
    /// Providers at which the person has to end the access themselves.
    not_revoked: Vec<&'static str>,
    /// An administrator is registered again by their next message.
    administrator: bool,
}

impl Forgotten {
    fn count(&mut self, what: &str, n: usize) {
        if n > 0 {
            *self.deleted.entry(what.to_owned()).or_default() += n;
        }
    }

    fn total(&self) -> usize {
        self.deleted.values().sum()
    }
}

impl fmt::Display for Forgotten {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let parts = self.deleted.iter().map(|(what, n)| format!("{what} {n}"));
        let parts: Vec<String> = parts.collect();
        write!(f, "{} is forgotten. ", self.user)?;
        if self.stopped > 0 {
            write!(f, "Runs stopped: {}. ", self.stopped)?;
        }
        write!(f, "Deleted: {}.", parts.join(", "))?;
        if !self.not_revoked.is_empty() {
            let providers = self.not_revoked.join(", ");
            write!(f, " Alfred couldn't end its access at: {providers}. ")?;
            f.write_str("Please end it there.")?;
        }
        if self.administrator {
            f.write_str(" They are in ALFRED_ADMINS, so their next message registers them again.")?;
        }
        Ok(())
    }
}

/// What is needed to forget people.
pub struct Forget<'a> {
    pub store: &'a Arc<dyn Store>,
    pub clock: &'a Arc<dyn Clock>,
    pub ids: &'a Arc<dyn Ids>,
    pub config: &'a Config,
    pub connect: &'a dyn Connect,
    pub erasure: &'a dyn Erasure,
}

impl Forget<'_> {
    /// Refuses new requests, stops runs, deletes everything, the person's row last. Fails with `Nothing` if nothing is
    /// stored.
    pub async fn forget(&self, account: &Account) -> Result<Forgotten> {
        let (team, user) = (&account.team, &account.user);
        let known = self.deactivate(account).await?;
        let days = self.days(account, known).await?;
        let mut forgotten = Forgotten {
            user: user.clone(),
            stopped: 0,
            deleted: BTreeMap::new(),
            not_revoked: Vec::new(),
            administrator: self.config.admins.contains(user),
        };
        self.disconnect(account, &mut forgotten).await?;
        for _ in 0..ROUNDS {
            let before = forgotten.total();
            self.round(account, &days, &mut forgotten).await?;
            if forgotten.total() == before {
                break;
            }
        }
        if known.is_some() {
            // Rows next to the person's row, then that row.
            let beside = Range::Prefix(format!("{user}#"));
            let beside = self.items(keys::users(team), beside).await?.into_iter();
            let mut writes: Vec<Write> = beside.map(|item| Write::delete(item.key, None)).collect();
            writes.push(Write::delete(keys::user(team, user), None));
            self.commit(writes).await?;
            forgotten.count("registration", 1);
        }
        if forgotten.total() == 0 {
            let (team, user) = (team.clone(), user.clone());
            return Err(ForgetError::Nothing { team, user });
        }
        tracing::info!(user.id = %user, forget.items = forgotten.total(), "forgot a person");
        Ok(forgotten)
    }

    async fn items(&self, partition: String, range: Range) -> Result<Vec<Item>> {
        let query = Query::state(partition, range);
        Ok(query.all(self.erasure.rows()).await?)
    }

    async fn commit(&self, writes: Vec<Write>) -> Result<()> {
        let commit = Commit::new(&**self.ids, writes);
        Ok(self.store.commit(&commit).await?)
    }

    /// Makes further requests fail. Returns when the person was registered.
    async fn deactivate(&self, Account { team, user }: &Account) -> Result<Option<Timestamp>> {
        let mut race = Race::over("their row");
        loop {
            let Some(stored) = users::get(&**self.store, team, user).await? else {
                return Ok(None);
            };
            let mut inactive = stored.user;
            inactive.is_active = false;
            let version = Some(stored.version);
            let put = users::put(&**self.store, &**self.ids, team, &inactive, version);
            if race.won(put.await)? {
                return Ok(Some(inactive.created_at));
            }
        }
    }

    /// The days on which something of the person may be stored: all from their registration on, and those of their
    /// blocks.
    async fn days(&self, account: &Account, since: Option<Timestamp>) -> Result<BTreeSet<Date>> {
        let in_utc = |at: Timestamp| at.to_zoned(TimeZone::UTC).date();
        let today = in_utc(self.clock.now());
        let first = today.saturating_sub(DAYS.days());
        let first = since.map_or(first, |since| in_utc(since).min(first));
        let last = today.saturating_add(DAYS.days());
        let days = first.series(1.day()).take_while(|day| *day <= last);
        let mut days: BTreeSet<Date> = days.collect();
        let index = keys::block_dates(&account.team, &account.user);
        for item in self.items(index, Range::All).await? {
            let day = item.body["date"].as_str().and_then(|day| day.parse().ok());
            days.extend::<Option<Date>>(day);
        }
        Ok(days)
    }

    /// Ends the access at the providers, which needs the stored credentials.
    async fn disconnect(&self, account: &Account, forgotten: &mut Forgotten) -> Result<()> {
        for connection in self.connect.connections(account).await? {
            let provider = connection.provider;
            let gone = self.connect.disconnect(account, provider).await;
            let gone = gone.map_err(|source| ForgetError::Connected {
                provider: provider.shown(),
                source,
            })?;
            forgotten.count("account", 1);
            if gone.is_some_and(|gone| !gone.revoked) {
                forgotten.not_revoked.push(provider.shown());
            }
        }
        // Accounts at providers for which there is no client here.
        for provider in Provider::ALL {
            let row = keys::connected(account, provider);
            if self.store.get(&row).await?.is_some() {
                forgotten.not_revoked.push(provider.shown());
            }
        }
        Ok(())
    }

    async fn round(
        &self,
        account: &Account,
        days: &BTreeSet<Date>,
        forgotten: &mut Forgotten,
    ) -> Result<()> {
        let mut partitions = keys::of_person(account, days);
        let mut runs = Vec::new();
        for index in partitions.iter().filter(|one| kind(one) == "runs") {
            runs.extend(self.items(index.clone(), Range::All).await?);
        }
        let runs = stream::iter(runs).map(|index| self.run(&account.team, index));
        let mut runs = runs.buffer_unordered(AT_ONCE);
        while let Some((stopped, found)) = runs.try_next().await? {
            forgotten.stopped += usize::from(stopped);
            partitions.extend(found);
        }
        drop(runs);
        partitions.extend(self.withdraw(account).await?);
        self.disarm(account).await?;
        let erased = self.erasure.erase(partitions, account).await?;
        for item in &erased.items {
            let what = match (kind(&item.partition), item.range.as_str()) {
                ("run", keys::RUN_RANGE) => "runs",
                ("run", _) => "steps",
                ("approval", _) => "approvals",
                ("claim", _) => "claims",
                // The indexes of runs and approvals, counted with them.
                ("runs" | "approvals", _) => "index entries",
                ("day", _) => "days",
                // Written by `ask`, so a repeated request isn't posted twice.
                ("asked", _) => "questions",
                (other, _) => other,
            };
            forgotten.count(what, 1);
        }
        for (what, n) in erased.others {
            forgotten.count(what, n);
        }
        Ok(())
    }

    /// Stops a run, and finds its partitions by its entry in the index. Returns whether it was active.
    async fn run(&self, team: &TeamId, index: Item) -> Result<(bool, Vec<String>)> {
        let run = RunId(index.key.range);
        let (stopped, steps) = self.stop(team, &run).await?;
        let asked = steps.iter().filter_map(Step::asked);
        let asked = asked.map(|asked| keys::approval_partition(team, &asked.approval));
        let mut partitions: Vec<String> = asked.collect();
        partitions.push(keys::run_partition(team, &run));
        if let Some(trace) = index.body["trace_id"].as_str() {
            let claim = keys::claim(team, &trace.into());
            partitions.push(claim.partition);
        }
        Ok((stopped, partitions))
    }

    /// Ends a run without a reply. Its worker fails at the next commit. Returns whether it was active, and its steps, as
    /// far as they can be read.
    async fn stop(&self, team: &TeamId, id: &RunId) -> Result<(bool, Vec<Step>)> {
        let (store, clock) = (self.store.clone(), self.clock.clone());
        let journal = Journal::new(store, clock, self.ids.clone(), self.config);
        let mut race = Race::over("a run of theirs");
        loop {
            let mut loaded = match journal.load(team, id).await {
                Ok(Some(loaded)) => loaded,
                // An unreadable run can't continue. What it asked and was decided expires after 30 days.
                Ok(None) | Err(Failure::Bug { .. }) => return Ok((false, Vec::new())),
                Err(failure) => return Err(failure.into()),
            };
            if let RunState::Done { .. } = loaded.run.state {
                return Ok((false, loaded.steps));
            }
            let mut timers = vec![timer::disarm(loaded.run.watch_at, &Timer::watch(team, id))];
            let wake_at = loaded.run.progress.wake_at;
            timers.extend(wake_at.map(|at| timer::disarm(at, &Timer::wake(team, id))));
            let done = |run: &mut Run| {
                run.state = RunState::Done {
                    output: WorkerOutput::failed(text::STOPPED, Vec::new()),
                };
            };
            match journal.commit(&mut loaded, vec![], timers, done).await {
                Ok(()) => return Ok((true, loaded.steps)),
                // Its worker was faster.
                Err(CommitError::Superseded | CommitError::Conflict(_)) => race.lost()?,
                Err(error) => return Err(Failure::from(error).into()),
            }
        }
    }

    /// Deletes the timers of open approvals. Returns the approvals' partitions.
    async fn withdraw(&self, Account { team, user }: &Account) -> Result<Vec<String>> {
        let mut partitions = Vec::new();
        for item in self.items(keys::approvals(team, user), Range::All).await? {
            let id = ApprovalId(item.key.range);
            let text = |name: &str| item.body[name].as_str().unwrap_or_default();
            if let Ok(at) = text("expires_at").parse() {
                let timer = Timer::expire(team, &text("run").into(), &id);
                self.commit(vec![timer::disarm(at, &timer)]).await?;
            }
            partitions.push(keys::approval_partition(team, &id));
        }
        Ok(partitions)
    }

    /// Deletes the timers of their jobs, which are in a shared partition. Those that wait for an account end by themselves
    /// within eleven minutes.
    async fn disarm(&self, Account { team, user }: &Account) -> Result<()> {
        let jobs = row::list(&**self.store, team, user).await?;
        for (at, timer) in jobs.iter().filter_map(|stored| stored.job.timer()) {
            self.commit(vec![timer::disarm(at, &timer)]).await?;
        }
        Ok(())
    }
}

/// The kind of a partition: `TEAM#run#…`, `TEAM#claim#…`, `TEAM#approval#…`, otherwise `TEAM#USER#KIND…`.
fn kind(partition: &str) -> &str {
    let mut parts = partition.split('#').skip(1);
    match parts.next().unwrap_or_default() {
        shared @ ("claim" | "run" | "approval") => shared,
        _ => parts.next().unwrap_or_default(),
    }
}
