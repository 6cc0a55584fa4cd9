//! Claims: which delivery serves an event, and with which run. A claim stores
//! its trigger: the same trigger redelivered finds what it did and goes on;
//! another trigger for the same event is a duplicate.

use alfred_core::ports::{Commit, Store, StoreError, Write};
use alfred_core::{Envelope, Failure, RunId, SessionId, TeamId, TraceId, UserId, keys};
use jiff::SignedDuration;
use serde::{Deserialize, Serialize};

use crate::ports::Ports;
use crate::row::{ROW_VERSION, body, read};
use crate::session::Session;

#[derive(Serialize, Deserialize)]
struct Claim {
    v: u8,
    trigger: String,
    run: Option<RunId>,
}

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

/// What became of an attempt to claim an event.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Claimed {
    /// Nobody had claimed it before.
    First,
    /// The same trigger had, for this run or for none: what follows may have been done.
    Again(Option<RunId>),
    /// Another trigger serves it.
    Duplicate,
}

/// Claims an event that starts no run: a notice, or a stop with the run it is for.
///
/// # Errors
/// When the store doesn't answer.
pub async fn claim(
    ports: &Ports,
    origin: &Origin,
    run: Option<&RunId>,
) -> Result<Claimed, Failure> {
    let commit = Commit::new(&*ports.ids, vec![write(ports, origin, run)?]);
    match ports.store.commit(&commit).await {
        Ok(()) => Ok(Claimed::First),
        Err(StoreError::Conflict { .. }) => stored(ports, origin).await,
        Err(error) => Err(error.into()),
    }
}

/// What the claim of this event says; there must be one.
pub(crate) async fn stored(ports: &Ports, origin: &Origin) -> Result<Claimed, Failure> {
    let key = keys::claim(&origin.team, &origin.trace_id);
    let Some(item) = ports.store.get(&key).await? else {
        return Err(Failure::retry("a claim vanished between two reads"));
    };
    let claim: Claim = read(item.body)?;
    Ok(if claim.trigger == origin.trigger {
        Claimed::Again(claim.run)
    } else {
        Claimed::Duplicate
    })
}

/// The write that claims an event, and fails when somebody has.
pub(crate) fn write(ports: &Ports, origin: &Origin, run: Option<&RunId>) -> Result<Write, Failure> {
    let claim = Claim {
        v: ROW_VERSION,
        trigger: origin.trigger.clone(),
        run: run.cloned(),
    };
    let key = keys::claim(&origin.team, &origin.trace_id);
    let keep = SignedDuration::from_hours(24 * ports.config.retention_days);
    Ok(Write::create(key, body(&claim)?).kept(ports.clock.now(), keep))
}

/// How an event was served.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Served {
    /// Not yet.
    No,
    /// With a notice: there is no run.
    Notice,
    /// By this run.
    Run(RunId),
}

/// How the event of a trace was served.
///
/// # Errors
/// When the store doesn't answer.
pub async fn served(store: &dyn Store, team: &TeamId, trace: &TraceId) -> Result<Served, Failure> {
    match store.get(&keys::claim(team, trace)).await? {
        Some(item) => Ok(read::<Claim>(item.body)?
            .run
            .map_or(Served::Notice, Served::Run)),
        None => Ok(Served::No),
    }
}
