//! Accepts a request: one commit stores its claim, its run and its place in the conversation.

use alfred_core::ports::{Commit, StoreError, Write};
use alfred_core::{Failure, Preferences, Result, RunId, Taint, keys};

use crate::model::{
    Before, JobOccurrence, Offered, OpenApproval, Progress, ROW_VERSION, Run, RunInput, RunState,
    Session, UsageSnapshot, Work,
};
use crate::runner::resume;
use crate::store::claim::{self, Claimed, Origin};
use crate::store::journal::LoadedRun;
use crate::store::ports::Ports;
use crate::store::race::Race;
use crate::store::timer::WATCH_AFTER;

#[derive(Clone, Debug)]
pub struct Request {
    pub input: RunInput,
    /// Who works on it: an agent, or a fixed tool call or text.
    pub work: Work,
    pub preferences: Preferences,
    pub asked_ts: Option<String>,
    pub taint: Taint,
    /// The person's usage today, if it was read.
    pub spent: UsageSnapshot,
    /// Approvals waiting for the person, if they were read.
    pub waiting: Vec<OpenApproval>,
    pub answers: Option<Offered>,
    pub job: Option<JobOccurrence>,
}

impl Request {
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

#[derive(Debug)]
pub enum Admitted {
    New(Box<LoadedRun>),
    Queued,
    /// A redelivery of the same trigger, with its existing run.
    Again(Box<LoadedRun>),
    /// A different trigger for an event that is already served.
    Duplicate,
}

/// Makes further writes for the run's first commit, given the run's id.
pub type Beside<'a> = &'a (dyn Fn(&RunId) -> Result<Vec<Write>> + Send + Sync);

/// Accepts a request. Fails if the store fails; `Retry` if a write of `beside` conflicts.
pub async fn admit(
    ports: &Ports,
    origin: &Origin,
    request: Request,
    mut session: Session,
    beside: Option<Beside<'_>>,
) -> Result<Admitted> {
    let id = RunId::new(&*ports.ids);
    let beside = beside.map_or(Ok(Vec::new()), |beside| beside(&id))?;
    let claim_key = keys::claim(&origin.team, &origin.trace_id);
    let mut race = Race::over("the conversation's row");
    loop {
        let starts = session.admit(&id);
        if request.work.is_chat() {
            session.chat.get_or_insert_default();
        }
        let run = new_run(ports, origin, &request, id.clone(), &session)?;
        let mut writes = vec![claim::write(ports, origin, Some(&id))?];
        writes.extend(ports.journal().create(&run)?);
        writes.extend(session.write(&origin.team, &origin.user, &origin.session)?);
        writes.extend(beside.iter().cloned());
        let mut commit = Commit::new(&*ports.ids, writes);
        // If a power cut loses it, the message comes again: it stays queued until the run has ended or waits.
        commit.defers_sync = true;
        match ports.store.commit(&commit).await {
            Ok(()) if starts => {
                let mut loaded = LoadedRun::new(run, 1);
                loaded.hops = origin.hops;
                return Ok(Admitted::New(Box::new(loaded)));
            }
            Ok(()) => return Ok(Admitted::Queued),
            Err(StoreError::Conflict { key }) if key == claim_key => {
                return again(ports, origin).await;
            }
            Err(StoreError::Conflict { key }) if beside.iter().any(|write| write.key == key) => {
                let reason = "what was to be written with a run changed meanwhile";
                return Err(Failure::retry(reason));
            }
            Err(StoreError::Conflict { .. }) => race.lost()?,
            Err(error) => return Err(error.into()),
        }
        session = origin.session(ports).await?;
    }
}

async fn again(ports: &Ports, origin: &Origin) -> Result<Admitted> {
    let Claimed::Again(Some(run)) = claim::stored(ports, origin).await? else {
        return Ok(Admitted::Duplicate);
    };
    let found = resume::load(ports, &origin.team, &run, origin.hops).await?;
    Ok(Admitted::Again(Box::new(found)))
}

fn new_run(
    ports: &Ports,
    origin: &Origin,
    request: &Request,
    id: RunId,
    session: &Session,
) -> Result<Run> {
    let starts = session.active.as_ref() == Some(&id);
    let queued = RunState::Queued;
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
        taint: request.taint.clone(),
        before: Before {
            preferences: request.preferences.clone(),
            session_version: session.version + 1,
            spent: request.spent,
            answers: request.answers.clone(),
            ..Before::default()
        },
        progress: Progress::default(),
        state: if starts { RunState::Ready } else { queued },
        plan: None,
        granted: None,
        job: request.job.clone(),
        watch_at: now.saturating_add(WATCH_AFTER).map_err(Failure::bug)?,
        created_at: now,
        updated_at: now,
    };
    let carried = run.input.carried().into_iter().map(str::to_owned);
    run.taint.untrusted.extend(carried);
    run.remember(session);
    if run.work.is_by_hand() {
        return Ok(run);
    }
    if run.before.preferences.others_guide() {
        run.taint.untrusted.insert("personality".into());
    }
    // Others see the reply in a channel or thread, so it doesn't see the owner's open approvals.
    if !run.is_public() {
        let open = request.waiting.iter().filter(|one| one.expires_at > now);
        run.before.waiting = open.cloned().collect();
    }
    if request.preferences.personality_tainted {
        // The personality text is in every prompt of this person, and other people may have written it.
        run.taint.untrusted.insert("preferences".into());
    }
    Ok(run)
}
