//! Taking a request in: its claim, its run and its place in the conversation
//! in one commit.

use alfred_core::ports::{Commit, StoreError, Usage, Write};
use alfred_core::{Failure, Preferences, RunId, Taint, keys};

use crate::approval::OpenApproval;
pub use crate::claim::Origin;
use crate::claim::{self, Claimed};
use crate::frame::Frame;
use crate::journal::LoadedRun;
use crate::options::Offered;
use crate::ports::Ports;
use crate::race::Race;
use crate::row::ROW_VERSION;
use crate::run::{Head, JobOccurrence, Run, RunInput, RunState, Work};
use crate::session::Session;
use crate::timer::WATCH_AFTER;
use crate::usage::UsageSnapshot;

/// A request to take in.
#[derive(Clone, Debug)]
pub struct Request {
    /// What it is to do.
    pub input: RunInput,
    /// Who works on it.
    pub work: Work,
    /// How the person likes to be served.
    pub preferences: Preferences,
    /// The message that asked.
    pub asked_ts: Option<String>,
    /// What it was made from has read.
    pub taint: Taint,
    /// What the person had used today, if it was looked at.
    pub spent: UsageSnapshot,
    /// What waits for their decision, if that was looked at.
    pub waiting: Vec<OpenApproval>,
    /// What it answers by a button, where it does.
    pub answers: Option<Offered>,
    /// The job whose occurrence it is, where nobody asked just now.
    pub job: Option<JobOccurrence>,
}

impl Request {
    /// One that nothing else is known of.
    pub fn new(input: RunInput, work: Work, preferences: Preferences) -> Self {
        Self {
            input,
            work,
            preferences,
            asked_ts: None,
            taint: Taint::default(),
            spent: UsageSnapshot::default(),
            waiting: Vec::new(),
            answers: None,
            job: None,
        }
    }
}

/// What became of it.
#[derive(Debug)]
pub enum Admitted {
    /// A new run that may start.
    New(Box<LoadedRun>),
    /// A new run behind another one of the same conversation.
    Queued,
    /// The same trigger again: its run, wherever it stands.
    Again(Box<LoadedRun>),
    /// Another trigger for an event that is already served.
    Duplicate,
}

/// Takes a request in.
///
/// # Errors
/// When the store doesn't answer.
pub async fn admit(
    ports: &Ports,
    origin: &Origin,
    request: Request,
    session: (Session, u64),
) -> Result<Admitted, Failure> {
    admit_with(ports, origin, request, session, &|_| Ok(Vec::new())).await
}

/// The writes that go into a run's commit, made of its id.
pub type Beside<'a> = &'a (dyn Fn(&RunId) -> Result<Vec<Write>, Failure> + Send + Sync);

/// The same with these writes in its commit.
///
/// # Errors
/// When the store doesn't answer; `Retry` when one of these writes lost a race.
pub async fn admit_with(
    ports: &Ports,
    origin: &Origin,
    request: Request,
    session: (Session, u64),
    beside: Beside<'_>,
) -> Result<Admitted, Failure> {
    let mut session = session;
    let id = RunId::new(&*ports.ids);
    let beside = beside(&id)?;
    let claim_key = keys::claim(&origin.team, &origin.trace_id);
    let mut race = Race::over("the conversation's row");
    loop {
        let starts = session.0.admit(&id);
        if request.work.is_chat() {
            session.0.chat.get_or_insert_default();
        }
        let run = new_run(ports, origin, &request, id.clone(), &session)?;
        let mut writes = vec![claim::write(ports, origin, Some(&id))?];
        writes.extend(ports.journal().create(&run)?);
        let (row, version) = &session;
        writes.extend(row.write(&origin.team, &origin.user, &origin.session, *version)?);
        writes.extend(beside.iter().cloned());
        let commit = Commit::new(&*ports.ids, writes);
        match ports.store.commit(&commit).await {
            Ok(()) if starts => return Ok(Admitted::New(Box::new(loaded(run, origin.hops)))),
            Ok(()) => return Ok(Admitted::Queued),
            Err(StoreError::Conflict { key }) if key == claim_key => {
                return again(ports, origin).await;
            }
            Err(StoreError::Conflict { key }) if beside.iter().any(|write| write.key == key) => {
                return Err(Failure::retry(
                    "what was to be written with a run changed meanwhile",
                ));
            }
            Err(StoreError::Conflict { .. }) => race.lost()?,
            Err(error) => return Err(error.into()),
        }
        session = origin.session(ports).await?;
    }
}

async fn again(ports: &Ports, origin: &Origin) -> Result<Admitted, Failure> {
    let Claimed::Again(Some(run)) = claim::stored(ports, origin).await? else {
        return Ok(Admitted::Duplicate);
    };
    match ports.journal().load(&origin.team, &run).await? {
        Some(mut found) => {
            found.hops = origin.hops;
            Ok(Admitted::Again(Box::new(found)))
        }
        None => Err(Failure::bug(format!("run {run} of a claim is missing"))),
    }
}

fn loaded(run: Run, hops: u16) -> LoadedRun {
    LoadedRun {
        run,
        version: 1,
        steps: Vec::new(),
        join: None,
        hops,
        program: None,
        to_keep: None,
        frame: Frame::default(),
    }
}

fn new_run(
    ports: &Ports,
    origin: &Origin,
    request: &Request,
    id: RunId,
    (session, version): &(Session, u64),
) -> Result<Run, Failure> {
    let starts = session.active.as_ref() == Some(&id);
    let now = ports.clock.now();
    let mut run = Run {
        v: ROW_VERSION,
        id,
        team: origin.team.clone(),
        user: origin.user.clone(),
        session: origin.session.clone(),
        trace_id: origin.trace_id.clone(),
        parent: None,
        asked_ts: request.asked_ts.clone(),
        input: request.input.clone(),
        work: request.work.clone(),
        preferences: request.preferences.clone(),
        history: Vec::new(),
        chat: None,
        taint: request.taint.clone(),
        audit: Head::default(),
        state: if starts {
            RunState::Ready
        } else {
            RunState::Queued
        },
        plan: None,
        granted: None,
        steps: 0,
        iterations: 0,
        pauses: 0,
        usage: Usage::default(),
        defect: None,
        refused_reply: None,
        session_version: version + 1,
        spent_before: request.spent,
        waiting: Vec::new(),
        answers: request.answers.clone(),
        job: request.job.clone(),
        watch_at: now.saturating_add(WATCH_AFTER).map_err(Failure::bug)?,
        wake_at: None,
        created_at: now,
        began_at: None,
        updated_at: now,
    };
    let carried = run.input.carried().into_iter().map(str::to_owned);
    run.taint.untrusted.extend(carried);
    run.remember(session);
    if run.work.is_by_hand() {
        return Ok(run);
    }
    if run.preferences.others_guide() {
        run.taint.untrusted.insert("personality".into());
    }
    // Where others read along nothing is told of what its owner was asked alone.
    if !run.is_public() {
        let open = request.waiting.iter().filter(|one| one.expires_at > now);
        run.waiting = open.cloned().collect();
    }
    if request.preferences.personality_tainted {
        // Words somebody else may have written stand in every prompt of this person.
        run.taint.untrusted.insert("preferences".into());
    }
    Ok(run)
}
