//! Claims: which delivery serves an event, and with which run. A redelivery of the same trigger
//! continues its work; a different trigger for the same event is a duplicate.

use alfred_core::ports::{Store, StoreError, Write};
use alfred_core::{Envelope, Failure, Result, RunId, SessionId, TeamId, TraceId, UserId, keys};
use jiff::SignedDuration;
use serde::{Deserialize, Serialize};

use crate::model::{ROW_VERSION, Session};
use crate::store::ports::Ports;
use crate::store::row::{body, read};

#[derive(Serialize, Deserialize)]
struct Claim {
    v: u8,
    trigger: String,
    run: Option<RunId>,
}

#[derive(Clone, Debug)]
pub struct Origin {
    pub team: TeamId,
    pub user: UserId,
    pub session: SessionId,
    /// Derived from the event's identity; follows the request through all functions.
    pub trace_id: TraceId,
    pub trigger: String,
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
    /// The origin of a request without an envelope.
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

    pub async fn session(&self, ports: &Ports) -> Result<Session> {
        Session::load(&*ports.store, &self.team, &self.user, &self.session).await
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Claimed {
    First,
    /// By the same trigger, with its run if there is one. Follow-up work may be done already.
    Again(Option<RunId>),
    Duplicate,
}

/// Claims an event that starts no run: a notice, or a stop with the run to stop.
pub async fn claim(ports: &Ports, origin: &Origin, run: Option<&RunId>) -> Result<Claimed> {
    match ports.commit(vec![write(ports, origin, run)?]).await {
        Ok(()) => Ok(Claimed::First),
        Err(StoreError::Conflict { .. }) => stored(ports, origin).await,
        Err(error) => Err(error.into()),
    }
}

pub(crate) async fn stored(ports: &Ports, origin: &Origin) -> Result<Claimed> {
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

/// Conflicts if the event is claimed.
pub(crate) fn write(ports: &Ports, origin: &Origin, run: Option<&RunId>) -> Result<Write> {
    let claim = Claim {
        v: ROW_VERSION,
        trigger: origin.trigger.clone(),
        run: run.cloned(),
    };
    let key = keys::claim(&origin.team, &origin.trace_id);
    let keep = SignedDuration::from_hours(24 * ports.config.retention_days);
    Ok(Write::create(key, body(&claim)?).kept(ports.clock.now(), keep))
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Served {
    No,
    Notice,
    Run(RunId),
}

pub async fn served(store: &dyn Store, team: &TeamId, trace: &TraceId) -> Result<Served> {
    let Some(item) = store.get(&keys::claim(team, trace)).await? else {
        return Ok(Served::No);
    };
    let claim: Claim = read(item.body)?;
    Ok(claim.run.map_or(Served::Notice, Served::Run))
}
