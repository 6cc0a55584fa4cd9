//! Handles messages that finally failed: ends their run, frees the conversation and notifies the person.

use alfred_core::ports::StoreError;
use alfred_core::{Deadline, Envelope, Failure, Payload, ReplyAddress, RunId};

use crate::calls::context::RunContext;
use crate::model::run::RunState;
use crate::model::session::Session;
use crate::runner::{finish, resume};
use crate::slack::notice;
use crate::store::claim::{self, Served};
use crate::store::journal::LoadedRun;
use crate::store::ports::Ports;
use crate::store::{dispatch, users};

const PERSON_UNREADABLE: &str = "I can't read what I keep about you, so I can't work for you right now. An administrator can mend that by adding you again.";
const GAVE_UP: &str = "I couldn't finish what you asked for: something on my side kept failing, and it has been noted. Please ask again.";

/// Ends the run of a message that moves to the dead letter queue. Fails with `Retry` if the store, the queue
/// or Slack fails; then the message must stay. `Bug` if nobody could be notified.
pub async fn give_up(ports: &Ports, envelope: &Envelope, why: &str) -> Result<(), Failure> {
    let run = match &envelope.payload {
        // The next sweep comes in a minute, and an alarm watches the dead letter queue.
        Payload::Sweep {} => return Ok(()),
        Payload::Run { run, .. } => Some(run.clone()),
        Payload::Message(_) | Payload::Command(_) => admitted(ports, envelope).await?,
        // The approval still waits and can be decided again.
        Payload::Click(_) | Payload::View(_) | Payload::Stop { .. } => None,
    };
    match run {
        Some(run) => Box::pin(end(ports, envelope, &run, why)).await,
        None => tell(ports, envelope).await,
    }
}

/// The run that serves a message, if there is one.
async fn admitted(ports: &Ports, envelope: &Envelope) -> Result<Option<RunId>, Failure> {
    match claim::served(&*ports.store, &envelope.team, &envelope.trace_id).await {
        Ok(Served::Run(run)) => Ok(Some(run)),
        Ok(Served::Notice | Served::No) | Err(Failure::Bug { .. }) => Ok(None),
        Err(other) => Err(other),
    }
}

/// Ends a run whose timer can't be served, because the run or its approval can't be read. Notifies the person
/// if the conversation waits for the run, or if an approval was `asked`.
pub async fn abandon(
    ports: &Ports,
    envelope: &Envelope,
    run: &RunId,
    asked: bool,
    why: &str,
) -> Result<(), Failure> {
    match ports.journal().load(&envelope.team, run).await {
        Ok(Some(loaded)) if loaded.run.output().is_none() => {
            Box::pin(defect(ports, loaded, why)).await
        }
        Ok(_) => Ok(()),
        Err(Failure::Bug { .. }) => {
            let waited = Box::pin(free(ports, envelope, run, why)).await?;
            match waited || asked {
                true => tell(ports, envelope).await,
                false => Ok(()),
            }
        }
        Err(other) => Err(other),
    }
}

async fn defect(ports: &Ports, loaded: LoadedRun, why: &str) -> Result<(), Failure> {
    let ended = resume::defect(ports, loaded, why.to_owned(), Deadline::none());
    match Box::pin(ended).await {
        Failure::Bug { .. } | Failure::Reject { .. } => Ok(()),
        retry @ Failure::Retry { .. } => Err(retry),
    }
}

async fn end(ports: &Ports, envelope: &Envelope, run: &RunId, why: &str) -> Result<(), Failure> {
    match ports.journal().load(&envelope.team, run).await {
        Ok(Some(loaded)) => Box::pin(end_loaded(ports, envelope, loaded, why)).await,
        Ok(None) | Err(Failure::Bug { .. }) => {
            Box::pin(free(ports, envelope, run, why)).await?;
            tell(ports, envelope).await
        }
        Err(other) => Err(other),
    }
}

async fn end_loaded(
    ports: &Ports,
    envelope: &Envelope,
    mut loaded: LoadedRun,
    why: &str,
) -> Result<(), Failure> {
    match &loaded.run.state {
        RunState::Done { .. } => dispatch::follow_up(ports, &loaded.run).await,
        RunState::Asking { shown: true } => Ok(()),
        RunState::Replying { output, .. } => {
            let output = output.clone();
            let mut cx = RunContext::new(ports, &mut loaded, Deadline::none());
            finish::close(&mut cx, output, None).await?;
            tell(ports, envelope).await
        }
        RunState::Queued
        | RunState::Ready
        | RunState::Waiting
        | RunState::Asking { shown: false } => Box::pin(defect(ports, loaded, why)).await,
    }
}

/// Removes an unreadable run from its conversation. Returns whether it had a place there. If it was
/// a team's run, its parent ends.
async fn free(ports: &Ports, envelope: &Envelope, run: &RunId, why: &str) -> Result<bool, Failure> {
    let (team, user, id) = (&envelope.team, &envelope.user, &envelope.session);
    let mut session = Session::load(&*ports.store, team, user, id).await?;
    if let Some(active) = session.active.clone().filter(|active| active != run) {
        let parent = match ports.journal().load(team, &active).await {
            Err(Failure::Bug { .. }) => None,
            parent => parent?,
        };
        let parts = |found: &LoadedRun| found.run.children().any(|child| child == run);
        if let Some(parent) = parent.filter(parts) {
            Box::pin(end_loaded(ports, envelope, parent, why)).await?;
            return Ok(false);
        }
    }
    let known = session.clone();
    let waited = session.active.as_ref() == Some(run) || session.waiting.contains(run);
    let next = session.finish(run, None);
    if session != known {
        let writes = session.write(team, user, id)?;
        ports.commit(writes).await?;
    }
    let Some(next) = next else { return Ok(waited) };
    let message = Envelope {
        trace_id: envelope.trace_id.clone(),
        ..Envelope::of_run(team, user, id, next.clone(), envelope.received_at)
    };
    dispatch::start(ports, message, next).await?;
    Ok(waited)
}

async fn tell(ports: &Ports, envelope: &Envelope) -> Result<(), Failure> {
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
        Payload::Click(_) | Payload::View(_) | Payload::Run { .. } | Payload::Sweep {} => {
            ReplyAddress::direct(&envelope.user)
        }
    };
    let key = format!("gave-up:{}", envelope.trace_id);
    let here = notice::words(envelope, &to, words, key);
    notice::post(ports, envelope, here, false).await
}
