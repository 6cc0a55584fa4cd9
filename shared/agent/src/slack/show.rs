//! Posts approval cards and keeps them up to date.

use alfred_core::ports::{ChatError, Post, Posted};
use alfred_core::{ApprovalId, Failure, text};
use jiff::Timestamp;
use serde_json::Value;
use std::time::Duration;

use crate::approval::decide::Outcome;
use crate::approval::pending::load;
use crate::approval::withdraw::Withdrawn;
use crate::history;
use crate::history::ledger::{Entry, Ledger};
use crate::model::approval::{Approval, Status};
use crate::model::step::{Decided, Step};
use crate::slack::card;
use crate::slack::respond::NOT_HERE;
use crate::store::journal::LoadedRun;
use crate::store::ports::Ports;
use crate::tool::{is_part, whole_of};

/// Posts a card, in its owner's direct message if its place doesn't take it. False if neither does.
pub(crate) async fn show_card(
    ports: &Ports,
    approval: &Approval,
    look: bool,
) -> Result<bool, Failure> {
    for post in card::posts(approval) {
        let here = once(ports, &post, approval, look).await?;
        let direct = post.direct(&approval.owner);
        if !here && !once(ports, &direct, approval, look).await? {
            return Ok(false);
        }
    }
    Ok(true)
}

/// Posts a message unless it is there. False if Alfred may not write in that place.
pub(crate) async fn once(
    ports: &Ports,
    post: &Post,
    approval: &Approval,
    look: bool,
) -> Result<bool, Failure> {
    if look && find(ports, post, approval.created_at).await?.is_some() {
        return Ok(true);
    }
    match ports.chat.post(post).await {
        Ok(_) => Ok(true),
        Err(ChatError::Refused { code, .. }) if NOT_HERE.contains(&code.as_str()) => {
            tracing::info!(approval.id = %approval.id, slack.error = code, "Alfred may not write here");
            Ok(false)
        }
        Err(ChatError::Refused { code, .. }) => Err(Failure::bug(format!(
            "Slack refuses the card of {}: {code}",
            approval.id
        ))),
        Err(error) => Err(error.into()),
    }
}

/// Finds a message by its idempotency key, if it was posted at `since` or later.
pub(crate) async fn find(
    ports: &Ports,
    post: &Post,
    since: Timestamp,
) -> Result<Option<Posted>, Failure> {
    match ports.chat.find(&post.look_since(since)).await {
        Ok(found) => Ok(found),
        Err(ChatError::Refused { .. }) => Ok(None),
        Err(error) => Err(Failure::retry(error)),
    }
}

/// Finds the card of a revision, the last message if it takes several.
pub async fn posted(ports: &Ports, approval: &Approval) -> Result<Option<Posted>, Failure> {
    let (since, Some(last)) = (approval.created_at, card::posts(approval).pop()) else {
        return Ok(None);
    };
    match find(ports, &last, since).await? {
        Some(here) => Ok(Some(here)),
        None => find(ports, &last.direct(&approval.owner), since).await,
    }
}

/// Updates the card of a revision. A card that is gone, or that Slack won't change, is left: the
/// reply says it too. Fails with `Retry` if Slack doesn't answer.
pub async fn refresh(
    ports: &Ports,
    approval: &Approval,
    at: Option<Posted>,
    happened: Option<&str>,
) -> Result<(), Failure> {
    let posted = match at {
        Some(at) => Some(at),
        None => posted(ports, approval).await?,
    };
    let Some(posted) = posted else {
        tracing::info!(approval.id = %approval.id, "there is no card to bring up to date");
        return Ok(());
    };
    let (words, blocks) = card::resolved(approval, happened);
    put(ports, &posted, &words, &blocks).await
}

/// Replaces a message's content. A refusal by Slack is logged and ignored.
pub(crate) async fn put(
    ports: &Ports,
    at: &Posted,
    words: &str,
    blocks: &[Value],
) -> Result<(), Failure> {
    match ports.chat.update(at, words, blocks).await {
        Ok(()) => Ok(()),
        Err(ChatError::Refused { code, .. }) => {
            tracing::warn!(slack.channel = %at.channel, slack.error = code, "Slack won't update a card");
            Ok(())
        }
        Err(error) => Err(error.into()),
    }
}

/// Writes the outcomes of approved calls on their cards. Failures are only logged: the reply and
/// the journal have the same information.
pub async fn tell_outcomes(ports: &Ports, loaded: &LoadedRun) {
    let mut approved: Vec<&Decided> = loaded.steps.iter().filter_map(Step::decided).collect();
    approved.retain(|decided| decided.verdict.approves());
    if approved.is_empty() {
        return;
    }
    let ledger = Ledger::from_steps(&loaded.run.id, &loaded.steps);
    for decided in approved {
        let mut entries = ledger.entries.iter();
        if let Some(entry) = entries.find(|entry| entry.call_id == decided.call_id) {
            courtesy(ports, loaded, &decided.approval, &entry.line()).await;
        }
    }
}

/// Writes on the card that the provider delays the effect by `pause`. Failures are only logged.
pub async fn waits(ports: &Ports, loaded: &LoadedRun, call: &str, pause: Duration) {
    let Some(decided) = history::decided(loaded.steps.iter(), call) else {
        return;
    };
    let words = waits_for_provider(pause.as_secs().div_ceil(60));
    courtesy(ports, loaded, &decided.approval, &words).await;
}

fn waits_for_provider(minutes: u64) -> String {
    match minutes {
        0 | 1 => "The service takes no more just now; I'll try again in a minute.".into(),
        minutes => format!(
            "The service takes no more just now; I'll try again in about {minutes} minutes."
        ),
    }
}

/// Writes on the card which parts of a call are done. Failures are only logged.
pub async fn progress(ports: &Ports, loaded: &LoadedRun, call: &str) {
    let Some(decided) = history::decided(loaded.steps.iter(), call) else {
        return;
    };
    let mut parts = Ledger::from_steps(&loaded.run.id, &loaded.steps).entries;
    parts.retain(|entry| is_part(&entry.call_id) && whole_of(&entry.call_id) == call);
    let lines: Vec<String> = parts.iter().map(Entry::line).collect();
    courtesy(ports, loaded, &decided.approval, &lines.join("\n")).await;
}

/// Writes an outcome on a card. Failures are only logged.
async fn courtesy(ports: &Ports, loaded: &LoadedRun, id: &ApprovalId, words: &str) {
    let shown = match load(&*ports.store, &loaded.run.team, id).await {
        Ok(Some((approval, _))) => refresh(ports, &approval, None, Some(words)).await,
        Ok(None) => Ok(()),
        Err(failure) => Err(failure),
    };
    if let Err(failure) = shown {
        tracing::warn!(run.id = %loaded.run.id, error = %failure, "couldn't bring a card up to date");
    }
}

/// Updates the card after a decision. Returns a message for the person who decided, if the decision didn't
/// count.
pub async fn settle(
    ports: &Ports,
    outcome: Outcome,
    at: Option<Posted>,
) -> Result<Option<String>, Failure> {
    Ok(match outcome {
        Outcome::Decided(approval) | Outcome::Again(approval) => {
            refresh(ports, &approval, at, None).await?;
            // The run ended before the decision.
            (approval.status == Status::Error).then(|| text::NO_SUCH_APPROVAL.to_owned())
        }
        Outcome::Expired(approval) => {
            refresh(ports, &approval, at, None).await?;
            Some(text::TOO_LATE.to_owned())
        }
        Outcome::Already(approval) if approval.status == Status::Expired => {
            Some(text::TOO_LATE.to_owned())
        }
        Outcome::Already(_) => Some(text::ALREADY_DECIDED.to_owned()),
        Outcome::NotFound => Some(text::NO_SUCH_APPROVAL.to_owned()),
        Outcome::NotOwner => Some(text::NOT_YOUR_DECISION.to_owned()),
    })
}

/// Updates the withdrawn cards. Failures are only logged: a click on an old button decides nothing.
pub async fn tell_withdrawn(ports: &Ports, withdrawn: &Withdrawn) {
    for approval in &withdrawn.approvals {
        if let Err(error) = refresh(ports, approval, None, None).await {
            tracing::warn!(approval.id = %approval.id, error = %error, "couldn't bring a withdrawn card up to date");
        }
    }
}
