//! The end of a message that can't be handled: what it is about ends too, its
//! conversation goes on, and its person is told.

use alfred_core::ports::{Commit, StoreError};
use alfred_core::{Deadline, Envelope, Failure, Payload, ReplyAddress, RunId};

use crate::claim::{self, Served};
use crate::context::RunContext;
use crate::dispatch;
use crate::journal::LoadedRun;
use crate::notice;
use crate::ports::Ports;
use crate::resume;
use crate::run::RunState;
use crate::session::Session;
use crate::users;

const PERSON_UNREADABLE: &str = "I can't read what I keep about you, so I can't work for you right now. An administrator can mend that by adding you again.";
const GAVE_UP: &str = "I couldn't finish what you asked for: something on my side kept failing, and it has been noted. Please ask again.";

/// Ends what a message is about before it goes to the dead letters.
///
/// # Errors
/// `Retry` when the store, the queue or Slack doesn't answer: the message must not go yet. `Bug`
/// when nobody can be told.
pub async fn give_up(ports: &Ports, envelope: &Envelope, why: &str) -> Result<(), Failure> {
    let run = match &envelope.payload {
        // The next one is a minute away, and an alarm watches the dead letters.
        Payload::Sweep {} => return Ok(()),
        Payload::Run { run, .. } => Some(run.clone()),
        Payload::Message(_) | Payload::Command(_) => admitted(ports, envelope).await?,
        // What they decide about waits on, and can be decided again.
        Payload::Click(_) | Payload::View(_) | Payload::Stop { .. } => None,
    };
    match run {
        Some(run) => Box::pin(end(ports, envelope, &run, why)).await,
        None => tell(ports, envelope).await,
    }
}

/// The run that a message has become.
async fn admitted(ports: &Ports, envelope: &Envelope) -> Result<Option<RunId>, Failure> {
    match claim::served(&*ports.store, &envelope.team, &envelope.trace_id).await {
        Ok(Served::Run(run)) => Ok(Some(run)),
        Ok(Served::Notice | Served::No) | Err(Failure::Bug { .. }) => Ok(None),
        Err(other) => Err(other),
    }
}

/// Ends a run that no timer of its can be served for, because it or an approval of it can't be read.
/// Its person is told where they wait for it: in its conversation, or where `asked` for an approval.
///
/// # Errors
/// As [`give_up`].
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
    match Box::pin(resume::defect(
        ports,
        loaded,
        why.to_owned(),
        Deadline::none(),
    ))
    .await
    {
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
            cx.close(output, None).await?;
            tell(ports, envelope).await
        }
        RunState::Queued
        | RunState::Ready
        | RunState::Waiting
        | RunState::Asking { shown: false } => Box::pin(defect(ports, loaded, why)).await,
    }
}

/// Takes a run that can't be read out of its conversation, and says whether it had a place there. If
/// it did a part for another one, that one ends.
async fn free(ports: &Ports, envelope: &Envelope, run: &RunId, why: &str) -> Result<bool, Failure> {
    let (team, user, id) = (&envelope.team, &envelope.user, &envelope.session);
    let (mut session, version) = Session::load(&*ports.store, team, user, id).await?;
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
        let writes = session.write(team, user, id, version)?;
        ports
            .store
            .commit(&Commit::new(&*ports.ids, writes))
            .await?;
    }
    let Some(next) = next else { return Ok(waited) };
    let (trace, at) = (envelope.trace_id.clone(), envelope.received_at);
    let message = Envelope::of_run(team, user, id, trace, next.clone(), at);
    dispatch::start(ports, message, next).await?;
    Ok(waited)
}

async fn tell(ports: &Ports, envelope: &Envelope) -> Result<(), Failure> {
    let words = match users::get(&*ports.store, &envelope.team, &envelope.user).await {
        Ok(Some(known)) if known.user.is_active => GAVE_UP.to_owned(),
        // Whoever was forgotten meanwhile isn't written to.
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
