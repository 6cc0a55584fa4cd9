//! Taking a request in: its claim, its run and its place in the conversation
//! in one commit.

use alfred_core::ports::{Commit, StoreError, Write};
use alfred_core::{
    Envelope, Failure, Preferences, RunId, SessionId, Taint, TeamId, TraceId, UserId, keys,
};
use jiff::SignedDuration;

use crate::approval::pending::OpenProposal;
use crate::claim::{self, Claimed};
use crate::journal::LoadedRun;
use crate::ports::Ports;
use crate::run::{RUN_VERSION, Run, RunInput, RunState, Work};
use crate::session::Session;
use crate::usage::UsageSnapshot;

/// A run that hasn't moved for this long is looked after.
pub const WATCH_AFTER: SignedDuration = SignedDuration::from_mins(5);
/// Times a lost race over the conversation's row is tried again.
const MAX_CONFLICT_RETRIES: u32 = 20;

/// Where a request comes from.
#[derive(Clone, Debug)]
pub struct Origin {
    /// The workspace.
    pub team: TeamId,
    /// Who asks.
    pub user: UserId,
    /// The conversation.
    pub session: SessionId,
    /// Follows the request, and is derived from what identifies its event.
    pub trace_id: TraceId,
    /// What delivered it.
    pub trigger: String,
    /// Queues it has crossed.
    pub hops: u16,
}

impl From<&Envelope> for Origin {
    fn from(envelope: &Envelope) -> Self {
        Self {
            team: envelope.team.clone(),
            user: envelope.user.clone(),
            session: envelope.session.clone(),
            trace_id: envelope.trace_id.clone(),
            trigger: envelope.trigger.clone(),
            hops: envelope.hops,
        }
    }
}

impl Origin {
    /// Of a request that a queue message carries inline: the same message id is the same request.
    #[must_use]
    pub fn inline(team: TeamId, user: UserId, session: SessionId, message_id: &str) -> Self {
        let trigger = format!("inline:{message_id}");
        Self {
            trace_id: TraceId::derive(&team, &trigger),
            team,
            user,
            session,
            trigger,
            hops: 0,
        }
    }

    /// The conversation's row.
    ///
    /// # Errors
    /// When the store doesn't answer.
    pub async fn session(&self, ports: &Ports) -> Result<(Session, u64), Failure> {
        Session::load(&*ports.store, &self.team, &self.user, &self.session).await
    }
}

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
    /// Their open proposals, if these were looked at.
    pub proposals: Vec<OpenProposal>,
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
    let (mut session, mut version) = session;
    let id = RunId::new(&*ports.ids);
    let claim_key = keys::claim(&origin.team, &origin.trace_id);
    for _ in 0..MAX_CONFLICT_RETRIES {
        let starts = session.admit(&id);
        let run = new_run(
            ports,
            origin,
            &request,
            id.clone(),
            &session,
            version,
            starts,
        )?;
        let mut writes = vec![claim::write(ports, origin, Some(&id))?];
        writes.extend(ports.journal().create(&run)?);
        let stored = session.write(&origin.team, &origin.user, &origin.session, version)?;
        writes.extend(stored);
        let commit = Commit {
            id: ports.ids.uuid(),
            writes,
        };
        match ports.store.commit(&commit).await {
            Ok(()) if starts => return Ok(Admitted::New(Box::new(loaded(run, origin.hops)))),
            Ok(()) => return Ok(Admitted::Queued),
            Err(StoreError::Conflict { key }) if key == claim_key => {
                return again(ports, origin).await;
            }
            Err(StoreError::Conflict { .. }) => {
                (session, version) = origin.session(ports).await?;
            }
            Err(error) => return Err(error.into()),
        }
    }
    Err(Failure::retry("the conversation's row is contended"))
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
    }
}

fn new_run(
    ports: &Ports,
    origin: &Origin,
    request: &Request,
    id: RunId,
    session: &Session,
    version: u64,
    starts: bool,
) -> Result<Run, Failure> {
    let now = ports.clock.now();
    let mut run = Run {
        v: RUN_VERSION,
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
        taint: request.taint.clone(),
        audit: crate::audit::Head::default(),
        state: if starts {
            RunState::Ready
        } else {
            RunState::Queued
        },
        plan: None,
        steps: 0,
        iterations: 0,
        pauses: 0,
        usage: alfred_core::ports::Usage::default(),
        defect: None,
        refused_reply: None,
        session_version: version + 1,
        spent_before: request.spent,
        proposals: Vec::new(),
        watch_at: now.saturating_add(WATCH_AFTER).map_err(Failure::bug)?,
        wake_at: None,
        created_at: now,
        began_at: None,
        updated_at: now,
    };
    let carried = run.input.carried().into_iter().map(str::to_owned);
    run.taint.untrusted.extend(carried);
    let by_hand = matches!(run.work, Work::Call(_));
    if by_hand {
        // No model reads what was said before: the arguments are the person's own.
        run.history.clone_from(&session.memory);
        return Ok(run);
    }
    if run.preferences.others_guide() {
        run.taint.untrusted.insert("personality".into());
    }
    // Where others read along nothing is told of what its owner was asked alone.
    if !run.is_public() {
        let open = request.proposals.iter().filter(|one| one.expires_at > now);
        run.proposals = open.cloned().collect();
    }
    run.remember(session.memory.clone());
    if request.preferences.personality_tainted {
        // Words somebody else may have written stand in every prompt of this person.
        run.taint.untrusted.insert("preferences".into());
    }
    Ok(run)
}

/// A run for a team's part of a request, and the writes that store it.
///
/// # Errors
/// `Bug` when it can't be written as JSON.
pub fn child(
    ports: &Ports,
    parent: &Run,
    id: RunId,
    input: RunInput,
) -> Result<(Run, Vec<Write>), Failure> {
    let now = ports.clock.now();
    let mut taint = parent.taint.clone();
    if let RunInput::Team(team) = &input {
        taint.absorb(&team.taint);
    }
    let run = Run {
        taint,
        id,
        parent: Some(parent.id.clone()),
        asked_ts: None,
        input,
        work: Work::Agent,
        history: Vec::new(),
        audit: crate::audit::Head::default(),
        state: RunState::Ready,
        plan: None,
        steps: 0,
        iterations: 0,
        pauses: 0,
        usage: alfred_core::ports::Usage::default(),
        proposals: Vec::new(),
        session_version: 0,
        watch_at: now.saturating_add(WATCH_AFTER).map_err(Failure::bug)?,
        wake_at: None,
        created_at: now,
        began_at: None,
        updated_at: now,
        ..parent.clone()
    };
    let writes = ports.journal().create(&run)?;
    Ok((run, writes))
}

/// The empty row in which a run's teams report back.
#[must_use]
pub fn join_key(run: &Run) -> alfred_core::ports::Key {
    let mut key = keys::run(&run.team, &run.id);
    key.range = crate::journal::JOIN_RANGE.into();
    key
}
