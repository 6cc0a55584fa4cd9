//! `alfred users forget`: deletes everything stored of a person: all partitions of the team and user, and
//! what their runs left elsewhere. Audit entries stay, since they hold no bodies.

use alfred_agent::store::race::Race;
use alfred_agent::store::timer::{self, Timer};
use alfred_agent::store::users;
use alfred_agent::{CommitError, Run, RunState};
use alfred_core::ports::{Account, Commit, Query, Range, Store, Write};
use alfred_core::{Failure, RunId, TeamId, User, UserId, WorkerOutput, keys, text};
use alfred_schedule::row;
use anyhow::{Context, bail};
use serde::Serialize;
use std::collections::BTreeMap;
use std::fmt;

use crate::app::LocalApp;

/// Repeated searches: a request that was being admitted at the start may have written something after the first search.
const ROUNDS: u32 = 5;

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

/// Forgets a person: refuses new requests, stops runs, deletes everything, the person's row last.
pub async fn forget(app: &LocalApp, team: &TeamId, user: &UserId) -> anyhow::Result<Forgotten> {
    let known = deactivate(app, team, user).await?;
    let mut forgotten = Forgotten {
        user: user.clone(),
        stopped: 0,
        deleted: BTreeMap::new(),
        not_revoked: Vec::new(),
        administrator: app.ports.config.admins.contains(user),
    };
    disconnect(app, &Account::of(team, user), &mut forgotten).await?;
    for _ in 0..ROUNDS {
        let before = forgotten.total();
        round(app, team, user, &mut forgotten).await?;
        if forgotten.total() == before {
            break;
        }
    }
    if known {
        // Rows next to the person's row, then that row.
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
    tracing::info!(user.id = %user, forget.items = forgotten.total(), "forgot a person");
    Ok(forgotten)
}

/// Ends the access at the providers, which needs the stored credentials.
async fn disconnect(
    app: &LocalApp,
    account: &Account,
    forgotten: &mut Forgotten,
) -> anyhow::Result<()> {
    let connect = &app.ports.accounts.connect;
    for connection in connect.connections(account).await? {
        let provider = connection.provider;
        let gone = connect.disconnect(account, provider).await;
        let gone = gone.with_context(|| {
            let provider = provider.shown();
            format!("their {provider} account couldn't be disconnected; please try again")
        })?;
        forgotten.count("account", 1);
        if gone.is_some_and(|gone| !gone.revoked) {
            forgotten.not_revoked.push(provider.shown());
        }
    }
    Ok(())
}

/// Makes further requests fail. False if the person isn't registered.
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
        let put = users::put(&*ports.store, &*ports.ids, team, &inactive, version);
        if race.won(put.await)? {
            return Ok(true);
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
        for item in Query::state(index, Range::All).all(&app.sqlite).await? {
            let run = RunId(item.key.range);
            if stop(app, team, &run).await? {
                forgotten.stopped += 1;
            }
            partitions.push(keys::run_partition(team, &run));
            if let Some(trace) = item.body["trace_id"].as_str() {
                partitions.push(keys::claim(team, &trace.into()).partition);
            }
        }
    }
    disarm(app, team, user).await?;
    partitions.extend(own);
    let erasure = app
        .sqlite
        .erase(partitions, &format!("{team}/{user}"))
        .await?;
    for item in &erasure.items {
        let what = match (kind(&item.partition), item.range.as_str()) {
            ("run", keys::RUN_RANGE) => "runs",
            ("run", _) => "steps",
            // The index of the runs, counted with them.
            ("runs", _) => "index entries",
            ("day", _) => "days",
            // Written by `ask`, so a repeated request isn't posted twice.
            ("asked", _) => "questions",
            (other, _) => other,
        };
        forgotten.count(what, 1);
    }
    forgotten.count("large bodies", erasure.bodies);
    let secrets = app.folder.secrets();
    let removed = secrets.forget(&format!("{team}/{user}/")).await?;
    forgotten.count("secrets", removed);
    let messages = app.queue.forget(team, user).await?;
    forgotten.count("queued messages", messages);
    Ok(())
}

/// Deletes the timers of their jobs, which are in a shared partition.
async fn disarm(app: &LocalApp, team: &TeamId, user: &UserId) -> anyhow::Result<()> {
    let jobs = row::list(&*app.ports.store, team, user).await?;
    for (at, timer) in jobs.iter().filter_map(|stored| stored.job.timer()) {
        let commit = Commit::new(&*app.ports.ids, vec![timer::disarm(at, &timer)]);
        app.ports.store.commit(&commit).await?;
    }
    Ok(())
}

/// The kind of a partition: `TEAM#run#…`, `TEAM#claim#…`, otherwise `TEAM#USER#KIND…`.
fn kind(partition: &str) -> &str {
    let mut parts = partition.split('#').skip(1);
    match parts.next().unwrap_or_default() {
        "claim" => "claims",
        "run" => "run",
        _ => parts.next().unwrap_or_default(),
    }
}

/// Ends a run without a reply. Its worker fails at the next commit. False if it had ended.
async fn stop(app: &LocalApp, team: &TeamId, id: &RunId) -> anyhow::Result<bool> {
    let journal = app.ports.journal();
    let mut race = Race::over("a run of theirs");
    loop {
        let mut loaded = match journal.load(team, id).await {
            Ok(Some(loaded)) => loaded,
            // An unreadable run can't continue.
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
