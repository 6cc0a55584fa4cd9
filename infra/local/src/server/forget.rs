//! `alfred users forget`: everything stored of a person is deleted, whatever
//! it is: whole partitions that start with team and user, and what their runs
//! left outside of those. The audit table keeps its entries, which hold no bodies.

use alfred_agent::race::Race;
use alfred_agent::run::{Run, RunState};
use alfred_agent::schedule::row;
use alfred_agent::timer::{self, Timer};
use alfred_agent::{CommitError, users};
use alfred_core::ports::{Account, Commit, Query, Range, Store, StoreError, Write};
use alfred_core::{Failure, RunId, TeamId, TraceId, User, UserId, WorkerOutput, keys, text};
use anyhow::{Context, bail};
use serde::Serialize;
use std::collections::BTreeMap;
use std::fmt;

use crate::app::LocalApp;

/// Times everything is looked through again: a request that was being taken in
/// while it began may have left something behind the first look.
const ROUNDS: u32 = 5;

#[derive(Debug, Serialize)]
pub struct Forgotten {
    user: UserId,
    /// Runs that were at work.
    stopped: usize,
    /// Items by what they were.
    deleted: BTreeMap<String, usize>,
    /// They are registered again when they next write.
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
        let parts: Vec<String> = self
            .deleted
            .iter()
            .map(|(what, n)| format!("{what} {n}"))
            .collect();
        write!(f, "{} is forgotten. ", self.user)?;
        if self.stopped > 0 {
            write!(f, "Runs stopped: {}. ", self.stopped)?;
        }
        write!(f, "Deleted: {}.", parts.join(", "))?;
        if self.administrator {
            write!(
                f,
                " They are in ALFRED_ADMINS, so they are registered again when they next write."
            )?;
        }
        Ok(())
    }
}

/// Forgets a person: nobody new gets in, what works is stopped, then everything goes, the person last.
pub async fn forget(app: &LocalApp, team: &TeamId, user: &UserId) -> anyhow::Result<Forgotten> {
    let known = deactivate(app, team, user).await?;
    let mut forgotten = Forgotten {
        user: user.clone(),
        stopped: 0,
        deleted: BTreeMap::new(),
        administrator: app.ports.config.admins.contains(user),
    };
    forgotten.count("account", disconnect(app, team, user).await?);
    for _ in 0..ROUNDS {
        let before = forgotten.total();
        round(app, team, user, &mut forgotten).await?;
        if forgotten.total() == before {
            break;
        }
    }
    if known {
        // What stands beside the person, then they themselves.
        let beside = Range::Prefix(format!("{user}#"));
        let beside = Query::state(keys::users(team), beside);
        let beside = app.ports.store.query(&beside).await?.items.into_iter();
        let mut writes: Vec<Write> = beside.map(|item| Write::delete(item.key, None)).collect();
        writes.push(Write::delete(keys::user(team, user), None));
        let commit = Commit::new(&*app.ports.ids, writes);
        app.ports.store.commit(&commit).await?;
        forgotten.count("registration", 1);
    }
    if forgotten.total() == 0 {
        bail!("nothing is stored of {user}");
    }
    app.sqlite.compact().await?;
    tracing::info!(user.id = %user, forget.items = forgotten.total(), "forgot somebody");
    Ok(forgotten)
}

/// Ends Alfred's access at the providers, before what is known of it goes.
async fn disconnect(app: &LocalApp, team: &TeamId, user: &UserId) -> anyhow::Result<usize> {
    let account = Account::of(team, user);
    let connect = &app.ports.accounts.connect;
    let connections = connect.connections(&account).await?;
    for connection in &connections {
        let ended = connect.disconnect(&account, connection.provider).await;
        ended.with_context(|| {
            let provider = connection.provider.shown();
            format!("the access to their {provider} account couldn't be ended; please try again")
        })?;
    }
    Ok(connections.len())
}

/// From here on requests are refused. False for somebody who isn't registered.
async fn deactivate(app: &LocalApp, team: &TeamId, user: &UserId) -> anyhow::Result<bool> {
    let ports = &app.ports;
    let mut race = Race::over("their row");
    loop {
        let Some(stored) = users::get(&*ports.store, team, user).await? else {
            return Ok(false);
        };
        let inactive = User {
            is_active: false,
            ..stored.user
        };
        let version = Some(stored.version);
        match users::put(&*ports.store, &*ports.ids, team, &inactive, version).await {
            Ok(()) => return Ok(true),
            // They changed a setting meanwhile.
            Err(StoreError::Conflict { .. }) => race.lost()?,
            Err(error) => return Err(error.into()),
        }
    }
}

async fn round(
    app: &LocalApp,
    team: &TeamId,
    user: &UserId,
    forgotten: &mut Forgotten,
) -> anyhow::Result<()> {
    let own = app.sqlite.partitions(&format!("{team}#{user}#")).await?;
    let mut partitions = Vec::new();
    for index in own.iter().filter(|partition| kind(partition) == "runs") {
        for (run, trace) in runs(app, index).await? {
            if stop(app, team, &run).await? {
                forgotten.stopped += 1;
            }
            partitions.push(keys::run_partition(team, &run));
            partitions.extend(trace.map(|trace| keys::claim(team, &trace).partition));
        }
    }
    disarm(app, team, user).await?;
    partitions.extend(own);
    let erasure = app.sqlite.erase(partitions).await?;
    for item in &erasure.items {
        let what = match (kind(&item.partition), item.range.as_str()) {
            ("run", keys::RUN_RANGE) => "runs",
            ("run", _) => "steps",
            // The index beside the runs; counted with them.
            ("runs", _) => "index entries",
            ("day", _) => "days",
            // What `ask` remembers, so that a question asked again isn't posted twice.
            ("asked", _) => "questions",
            (other, _) => other,
        };
        forgotten.count(what, 1);
    }
    let blobs = app.folder.blobs();
    for (scope, digest) in &erasure.bodies {
        blobs.remove(scope, digest).await?;
        forgotten.count("large bodies", 1);
    }
    blobs.forget(&format!("{team}/{user}")).await?;
    let secrets = app.folder.secrets();
    let removed = secrets.forget(&format!("{team}/{user}/")).await?;
    forgotten.count("secrets", removed);
    let messages = app.queue.forget(team, user).await?;
    forgotten.count("queued messages", messages);
    Ok(())
}

/// Removes the timers of their jobs, which stand among everybody's and name them.
async fn disarm(app: &LocalApp, team: &TeamId, user: &UserId) -> anyhow::Result<()> {
    let jobs = row::list(&*app.ports.store, team, user).await?;
    let timers = jobs
        .iter()
        .filter_map(|stored| stored.job.timer(team, user));
    for (at, timer) in timers {
        let commit = Commit::new(&*app.ports.ids, vec![timer::disarm(at, &timer)]);
        app.ports.store.commit(&commit).await?;
    }
    Ok(())
}

/// What a partition holds: `TEAM#run#…`, `TEAM#claim#…`, else `TEAM#USER#KIND…`.
fn kind(partition: &str) -> &str {
    let mut parts = partition.split('#').skip(1);
    match parts.next().unwrap_or_default() {
        "claim" => "claims",
        "run" => "run",
        _ => parts.next().unwrap_or_default(),
    }
}

/// The runs of an index partition, with what the claims of their events are found by.
async fn runs(app: &LocalApp, index: &str) -> anyhow::Result<Vec<(RunId, Option<TraceId>)>> {
    let items = Query::state(index, Range::All).all(&app.sqlite).await?;
    let runs = items.into_iter().map(|item| {
        let trace = item.body["trace_id"].as_str().map(TraceId::from);
        (RunId(item.key.range), trace)
    });
    Ok(runs.collect())
}

/// Ends a run without a reply. Whoever works on it fails at its next commit. False when it had ended.
async fn stop(app: &LocalApp, team: &TeamId, id: &RunId) -> anyhow::Result<bool> {
    let journal = app.ports.journal();
    let mut race = Race::over("a run of theirs");
    loop {
        let mut loaded = match journal.load(team, id).await {
            Ok(Some(loaded)) => loaded,
            // Nobody can go on with what can't be read.
            Ok(None) | Err(Failure::Bug { .. }) => return Ok(false),
            Err(failure) => return Err(failure.into()),
        };
        if let RunState::Done { .. } = loaded.run.state {
            return Ok(false);
        }
        let watch = timer::disarm(loaded.run.watch_at, &Timer::watch(team, id));
        let done = |run: &mut Run| {
            run.state = RunState::Done {
                output: WorkerOutput::failed(text::STOPPED, Vec::new()),
            };
        };
        match journal.commit(&mut loaded, vec![], vec![watch], done).await {
            Ok(()) => return Ok(true),
            // Its worker was faster.
            Err(CommitError::Superseded | CommitError::Conflict(_)) => race.lost()?,
            Err(error) => return Err(Failure::from(error).into()),
        }
    }
}
