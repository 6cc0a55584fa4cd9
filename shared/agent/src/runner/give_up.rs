//! Handles messages that finally failed: ends their run, frees the conversation and notifies the person.

use alfred_core::ports::StoreError;
use alfred_core::{Deadline, Envelope, Failure, Payload, ReplyAddress, Result, RunId, TeamId};

use crate::calls::context::RunContext;
use crate::model::{RunState, Session};
use crate::runner::{finish, resume};
use crate::slack::notice;
use crate::store::claim::{self, Served};
use crate::store::journal::LoadedRun;
use crate::store::ports::Ports;
use crate::store::{dispatch, users};

const PERSON_UNREADABLE: &str = "I can't read what I keep about you, so I can't work for you right now. An administrator can mend that by adding you again.";
const GAVE_UP: &str = "I couldn't finish what you asked for: something on my side kept failing, and it has been noted. Please ask again.";

/// Ends the run of a message that moves to the dead letter queue. If this fails with `Retry`, the message must stay.
pub async fn give_up(ports: &Ports, envelope: &Envelope, why: &str) -> Result<()> {
    let team = &envelope.team;
    let run = match &envelope.payload {
        // The next sweep comes in a minute, and an alarm watches the dead letter queue. A Home tab is published anew when
        // its owner opens it.
        Payload::Sweep {} | Payload::Home { .. } => return Ok(()),
        Payload::Run { run, .. } => Some(run.clone()),
        Payload::Message(_) | Payload::Command(_) => {
            match claim::served(&*ports.store, team, &envelope.trace_id).await {
                Ok(Served::Run(run)) => Some(run),
                Ok(Served::Notice | Served::No) | Err(Failure::Bug { .. }) => None,
                Err(other) => return Err(other),
            }
        }
        // The approval still waits and can be decided again.
        Payload::Click(_) | Payload::View(_) | Payload::Stop { .. } => None,
    };
    if let Some(run) = run {
        if let Some(loaded) = readable(ports, team, &run).await? {
            return Box::pin(end_loaded(ports, envelope, loaded, why)).await;
        }
        Box::pin(free(ports, envelope, &run, why)).await?;
    }
    tell(ports, envelope).await
}

/// Ends a run whose timer can't be served. Notifies the person if the conversation waits for it, or if it `asked`.
pub async fn abandon(
    ports: &Ports,
    envelope: &Envelope,
    run: &RunId,
    asked: bool,
    why: &str,
) -> Result<()> {
    match ports.journal().load(&envelope.team, run).await {
        Ok(Some(loaded)) if loaded.run.output().is_none() => {
            Box::pin(defect(ports, loaded, why)).await
        }
        Ok(_) => Ok(()),
        Err(Failure::Bug { .. }) => {
            if Box::pin(free(ports, envelope, run, why)).await? || asked {
                tell(ports, envelope).await?;
            }
            Ok(())
        }
        Err(other) => Err(other),
    }
}

/// `None` for a run that doesn't exist or can't be read.
async fn readable(ports: &Ports, team: &TeamId, run: &RunId) -> Result<Option<LoadedRun>> {
    match ports.journal().load(team, run).await {
        Err(Failure::Bug { .. }) => Ok(None),
        loaded => loaded,
    }
}

async fn defect(ports: &Ports, loaded: LoadedRun, why: &str) -> Result<()> {
    let ended = resume::defect(ports, loaded, why.to_owned(), Deadline::none());
    match Box::pin(ended).await {
        Failure::Bug { .. } | Failure::Reject { .. } => Ok(()),
        retry @ Failure::Retry { .. } => Err(retry),
    }
}

async fn end_loaded(
    ports: &Ports,
    envelope: &Envelope,
    mut loaded: LoadedRun,
    why: &str,
) -> Result<()> {
    match &loaded.run.state {
        RunState::Done { .. } => dispatch::follow_up(ports, &loaded.run).await,
        RunState::Asking { shown: true } => Ok(()),
        RunState::Replying { output, .. } => {
            let output = output.clone();
            let mut cx = RunContext::new(ports, &mut loaded, Deadline::none());
            cx.status.clear(ports, &cx.loaded.run, &[]).await;
            cx.live.suspect();
            finish::close(&mut cx, output, None).await?;
            tell(ports, envelope).await
        }
        RunState::Queued
        | RunState::Ready
        | RunState::Waiting
        | RunState::Asking { shown: false } => Box::pin(defect(ports, loaded, why)).await,
    }
}

/// Removes an unreadable run from its conversation, or ends its parent. Returns whether the conversation had it.
async fn free(ports: &Ports, envelope: &Envelope, run: &RunId, why: &str) -> Result<bool> {
    let (team, user, id) = (&envelope.team, &envelope.user, &envelope.session);
    let mut session = Session::load(&*ports.store, team, user, id).await?;
    if let Some(active) = session.active.as_ref().filter(|active| *active != run)
        && let Some(parent) = readable(ports, team, active).await?
        && parent.run.children().any(|child| child == run)
    {
        Box::pin(end_loaded(ports, envelope, parent, why)).await?;
        return Ok(false);
    }
    let known = session.clone();
    let waited = session.active.as_ref() == Some(run) || session.waiting.contains(run);
    let next = session.finish(run, None);
    if session != known {
        let writes = session.write(team, user, id)?;
        ports.commit(writes).await?;
    }
    if let Some(next) = next {
        let message = Envelope {
            trace_id: envelope.trace_id.clone(),
            ..Envelope::of_run(team, user, id, next.clone(), envelope.received_at)
        };
        dispatch::start(ports, message, next).await?;
    }
    Ok(waited)
}

async fn tell(ports: &Ports, envelope: &Envelope) -> Result<()> {
    let words = match users::get(&*ports.store, &envelope.team, &envelope.user).await {
        Ok(Some(known)) if known.user.is_active => GAVE_UP.to_owned(),
        // A person who was removed meanwhile gets no message.
        Ok(_) => return Ok(()),
        Err(StoreError::Corrupt { .. }) => {
            tracing::error!(user.id = %envelope.user, "a person's row can't be read; registering them again mends it");
            PERSON_UNREADABLE.to_owned()
        }
        Err(other) => return Err(other.into()),
    };
    let to = match &envelope.payload {
        Payload::Message(message) => message.reply_to.clone(),
        Payload::Command(command) => command.reply_to.clone(),
        Payload::Stop { reply_to } => reply_to.clone(),
        Payload::Click(_)
        | Payload::View(_)
        | Payload::Home { .. }
        | Payload::Run { .. }
        | Payload::Sweep {} => ReplyAddress::direct(&envelope.user),
    };
    let key = format!("gave-up:{}", envelope.trace_id);
    let here = notice::words(envelope, &to, words, key);
    notice::post(ports, envelope, here, false).await
}
