//! Stores runs and their journals. Every commit requires the run row's current version, so of two
//! workers on the same run only one can continue.

use alfred_core::ports::{Clock, Commit, Ids, Key, Query, Range, Store, StoreError, Table, Write};
use alfred_core::{Config, Failure, Result, RunId, TeamId, WorkerOutput, keys};
use jiff::{SignedDuration, Timestamp};
use std::sync::Arc;

use crate::history::ledger::{Entry, Ledger, State};
use crate::history::{self, actions};
use crate::model::{Frame, JOIN_RANGE, Join, NewStep, ROW_VERSION, Run, RunState, Snapshot, Step};
use crate::store::audit;
use crate::store::row::{body, read};
use crate::store::timer::{self, Timer};

#[derive(Clone, Debug)]
pub struct LoadedRun {
    pub run: Run,
    /// The row's version, required by the next commit.
    pub version: u64,
    pub steps: Vec<Step>,
    /// How many of the last steps aren't stored yet. See [`Journal::hold`].
    pub unsaved: usize,
    /// The row that counts which of the run's teams have finished, with its version. `None` for a run without teams.
    pub join: Option<(Join, u64)>,
    /// Number of queues crossed by the current message.
    pub hops: u16,
    /// The worker files stored with the run, if it works by such files.
    pub program: Option<Snapshot>,
    /// Worker files to store with the next commit.
    pub to_keep: Option<Snapshot>,
    pub frame: Frame,
}

impl LoadedRun {
    pub(crate) fn new(run: Run, version: u64) -> Self {
        Self {
            run,
            version,
            steps: Vec::new(),
            unsaved: 0,
            join: None,
            hops: 0,
            program: None,
            to_keep: None,
            frame: Frame::default(),
        }
    }

    /// The run's result for its caller: the outcome, or that it waits for approval.
    pub fn outcome(&self) -> Option<WorkerOutput> {
        if !matches!(self.run.state, RunState::Asking { .. }) {
            return self.run.output().cloned();
        }
        let ledger = Ledger::from_steps(&self.run.id, &self.steps);
        let waits = |entry: &&Entry| entry.state == State::Waiting;
        let waiting: Vec<&Entry> = ledger.entries.iter().filter(waits).collect();
        let lines: Vec<String> = waiting.iter().map(|entry| entry.line()).collect();
        let first = waiting.first();
        let first = first.and_then(|entry| history::asked(&self.steps, &entry.call_id));
        let mut output = WorkerOutput::done(lines.join("\n"), actions(&self.steps));
        output.effects = ledger.effects();
        output.requires_approval = true;
        output.pending_action_id = first.map(|asked| asked.approval.0.clone());
        Some(output)
    }
}

#[derive(Debug, thiserror::Error)]
pub enum CommitError {
    /// Another worker continued the run, or it was stopped. This worker must stop.
    #[error("another worker moved the run")]
    Superseded,
    /// Another item of the commit changed. Read it again and repeat.
    #[error("an item beside the run changed: {0:?}")]
    Conflict(Key),
    #[error(transparent)]
    Store(StoreError),
    /// A value can't be serialized.
    #[error(transparent)]
    Defect(#[from] Failure),
}

impl From<StoreError> for CommitError {
    fn from(error: StoreError) -> Self {
        match error {
            StoreError::Conflict { key } => Self::Conflict(key),
            other => Self::Store(other),
        }
    }
}

impl From<CommitError> for Failure {
    fn from(error: CommitError) -> Self {
        match error {
            CommitError::Superseded | CommitError::Conflict(_) => Self::retry(error),
            CommitError::Store(store) => store.into(),
            CommitError::Defect(failure) => failure,
        }
    }
}

#[derive(Clone)]
pub struct Journal {
    store: Arc<dyn Store>,
    clock: Arc<dyn Clock>,
    ids: Arc<dyn Ids>,
    retention: SignedDuration,
    audit_retention: SignedDuration,
    /// Passed on as [`Commit::defers_sync`].
    pub defers_sync: bool,
}

impl Journal {
    pub fn new(
        store: Arc<dyn Store>,
        clock: Arc<dyn Clock>,
        ids: Arc<dyn Ids>,
        config: &Config,
    ) -> Self {
        Self {
            store,
            clock,
            ids,
            retention: SignedDuration::from_hours(24 * config.retention_days),
            audit_retention: SignedDuration::from_hours(24 * config.audit_days),
            defers_sync: false,
        }
    }

    /// Loads a run with its journal. `Bug` for a row that can't be parsed, `Retry` for one of a newer release.
    pub async fn load(&self, team: &TeamId, id: &RunId) -> Result<Option<LoadedRun>> {
        let query = Query::state(keys::run_partition(team, id), Range::All);
        let (mut row, mut join, mut program) = (None, None, None);
        let mut steps = Vec::new();
        for item in query.all(&*self.store).await? {
            match item.key.range.as_str() {
                keys::RUN_RANGE => row = Some((read::<Run>(item.body)?, item.version)),
                keys::PROGRAM_RANGE => program = Some(read::<Snapshot>(item.body)?),
                JOIN_RANGE => join = Some((read::<Join>(item.body)?, item.version)),
                _ => steps.push(read::<Step>(item.body)?),
            }
        }
        Ok(row.map(|(run, version)| LoadedRun {
            steps,
            join,
            program,
            ..LoadedRun::new(run, version)
        }))
    }

    pub fn create(&self, run: &Run) -> Result<Vec<Write>> {
        let index = serde_json::json!({ "created_at": run.created_at, "trace_id": run.trace_id });
        let index_key = keys::user_run(&run.team, &run.user, run.created_at, &run.id);
        let index = Write::create(index_key, index);
        let watch = Timer::watch(&run.team, &run.id).for_run(run);
        let watch = timer::arm_new(run.watch_at, &watch)?;
        let row = Write::create(keys::run(&run.team, &run.id), body(run)?);
        Ok(vec![self.kept(run, row), self.kept(run, index), watch])
    }

    /// The writes that make the next sweep send an idle run. They change the run's row, so that the new
    /// message isn't deduplicated and a worker still holding the run stops.
    pub fn set_going(&self, loaded: &LoadedRun) -> Result<Vec<Write>> {
        let now = self.clock.now();
        let mut run = loaded.run.clone();
        run.updated_at = now;
        let row = Write::replace(keys::run(&run.team, &run.id), loaded.version, body(&run)?);
        let wake = timer::arm(now, &Timer::wake(&run.team, &run.id).for_run(&run))?;
        Ok(vec![self.kept(&run, row), wake])
    }

    /// Gives an item the same expiry as its run.
    fn kept(&self, run: &Run, write: Write) -> Write {
        write.kept(run.created_at, self.retention)
    }

    /// Adds steps for the next commit to store. A crash may lose them, so their calls must be repeatable.
    pub fn hold(&self, loaded: &mut LoadedRun, did: Vec<NewStep>) {
        let steps = numbered(&mut loaded.run, &loaded.frame, did, self.clock.now());
        loaded.unsaved += steps.len();
        loaded.steps.extend(steps);
    }

    /// Commits held and new steps, the row as changed by `change`, and further writes. Adds the steps' usage and
    /// taint to the row. Updates `loaded` to the stored state. On error `loaded` is unchanged.
    pub async fn commit(
        &self,
        loaded: &mut LoadedRun,
        did: Vec<NewStep>,
        beside: Vec<Write>,
        change: impl FnOnce(&mut Run) + Send,
    ) -> Result<(), CommitError> {
        let now = self.clock.now();
        let mut run = loaded.run.clone();
        change(&mut run);
        // What is noted on a run later doesn't change when it ended.
        if !matches!(loaded.run.state, RunState::Done { .. }) {
            run.updated_at = now;
        }
        let steps = numbered(&mut run, &loaded.frame, did, now);
        let saved = loaded.steps.len() - loaded.unsaved;
        let all = loaded.steps.iter().chain(&steps);
        let was = &loaded.run.state;
        let audited = audit::record(&mut run, all.clone(), saved, was, self.audit_retention)?;
        let row_key = keys::run(&run.team, &run.id);
        let row = Write::replace(row_key.clone(), loaded.version, body(&run)?);
        let mut writes = vec![self.kept(&run, row)];
        for step in all.skip(saved) {
            let key = keys::step(&run.team, &run.id, step.seq);
            writes.push(self.kept(&run, Write::create(key, body(step)?)));
        }
        if let Some(program) = &loaded.to_keep {
            writes.push(self.kept(&run, program.write(&run.team, &run.id)?));
        }
        writes.extend(audited);
        writes.extend(beside);
        let mut commit = Commit::new(&*self.ids, writes);
        commit.defers_sync = self.defers_sync;
        match self.store.commit(&commit).await {
            Ok(()) => {
                loaded.run = run;
                loaded.version += 1;
                loaded.steps.extend(steps);
                loaded.unsaved = 0;
                loaded.program = loaded.to_keep.take().or(loaded.program.take());
                Ok(())
            }
            Err(StoreError::Conflict { key })
                if key.partition == row_key.partition || key.table == Table::Audit =>
            {
                Err(CommitError::Superseded)
            }
            Err(other) => Err(other.into()),
        }
    }
}

/// Numbers the steps, and adds their usage and taint to the run.
fn numbered(run: &mut Run, current: &Frame, did: Vec<NewStep>, at: Timestamp) -> Vec<Step> {
    let step = |NewStep { ms, frame, did }| {
        run.progress.steps += 1;
        run.account(&did);
        run.absorb(&did);
        Step {
            v: ROW_VERSION,
            seq: run.progress.steps,
            at,
            ms,
            frame: frame.unwrap_or_else(|| current.clone()),
            did,
        }
    };
    did.into_iter().map(step).collect()
}

impl Snapshot {
    pub fn write(&self, team: &TeamId, run: &RunId) -> Result<Write> {
        let mut row = serde_json::to_value(self).map_err(Failure::bug)?;
        row["v"] = ROW_VERSION.into();
        Ok(Write::create(keys::program(team, run), row))
    }
}
