//! Posts approval cards and keeps them up to date.

use alfred_core::ports::{ChatError, Posted};
use alfred_core::{ApprovalId, Failure, Result, text};
use std::time::Duration;

use crate::approval::decide::Outcome;
use crate::approval::pending::{Withdrawn, load};
use crate::history;
use crate::history::ledger::{Entry, Ledger, State};
use crate::model::{Approval, Status, Step};
use crate::slack::respond::NOT_HERE;
use crate::slack::{card, home, notice};
use crate::store::journal::LoadedRun;
use crate::store::ports::Ports;
use crate::tool::whole_of;

/// Posts a card. False if neither its place nor the direct message takes it. `look` searches for an earlier copy.
pub(crate) async fn show_card(ports: &Ports, approval: &Approval, look: bool) -> Result<bool> {
    let (id, since) = (&approval.id, look.then_some(approval.created_at));
    for post in card::posts(approval) {
        match notice::once_or_directly(ports, post, &approval.owner, since).await? {
            None => {}
            Some(code) if NOT_HERE.contains(&code.as_str()) => return Ok(false),
            Some(code) => return Err(Failure::bug(format!("Slack refuses {id}'s card: {code}"))),
        }
    }
    Ok(true)
}

/// Finds the card of a revision, the last message if it takes several.
pub async fn posted(ports: &Ports, approval: &Approval) -> Result<Option<Posted>> {
    let (since, Some(last)) = (approval.created_at, card::posts(approval).pop()) else {
        return Ok(None);
    };
    match notice::find(ports, &last, since).await? {
        Some(here) => Ok(Some(here)),
        None => notice::find(ports, &last.direct(&approval.owner), since).await,
    }
}

/// Updates the card of a revision, unless it is gone or Slack refuses: the reply says it too.
pub async fn refresh(
    ports: &Ports,
    approval: &Approval,
    at: Option<Posted>,
    happened: Option<&str>,
) -> Result<()> {
    let posted = match at {
        Some(at) => Some(at),
        None => posted(ports, approval).await?,
    };
    let Some(posted) = posted else {
        tracing::info!(approval.id = %approval.id, "there is no card to bring up to date");
        return Ok(());
    };
    let (words, blocks) = card::resolved(approval, happened);
    match ports.chat.update(&posted, &words, &blocks).await {
        Err(ChatError::Refused { code, .. }) => {
            tracing::warn!(slack.channel = %posted.channel, slack.error = code, "Slack won't update a card");
            Ok(())
        }
        updated => Ok(updated?),
    }
}

/// Writes the outcomes of approved calls on their cards. Failures are only logged: the reply tells the same.
pub async fn tell_outcomes(ports: &Ports, loaded: &LoadedRun) {
    let decided = loaded.steps.iter().filter_map(Step::decided);
    for decided in decided.filter(|decided| decided.verdict.approves()) {
        if let Some(outcome) = receipt(loaded, &decided.call_id) {
            courtesy(ports, loaded, &decided.approval, &outcome).await;
        }
    }
}

/// The lines of a call and its parts in the ledger. `None` while there are none.
fn receipt(loaded: &LoadedRun, call: &str) -> Option<String> {
    let mut entries = Ledger::from_steps(&loaded.run.id, &loaded.steps).entries;
    entries.retain(|entry| whole_of(&entry.call_id) == call && entry.state != State::Waiting);
    let lines: Vec<String> = entries.iter().map(Entry::line).collect();
    (!lines.is_empty()).then(|| lines.join("\n"))
}

/// Writes on the card that the provider delays the effect by `pause`. Failures are only logged.
pub async fn waits(ports: &Ports, loaded: &LoadedRun, call: &str, pause: Duration) {
    let when = match pause.as_secs().div_ceil(60) {
        0 | 1 => "a minute".to_owned(),
        minutes => format!("about {minutes} minutes"),
    };
    let words = format!("The service takes no more just now; I'll try again in {when}.");
    if let Some(decided) = history::decided(loaded.steps.iter(), call) {
        courtesy(ports, loaded, &decided.approval, &words).await;
    }
}

pub async fn progress(ports: &Ports, loaded: &LoadedRun, call: &str) {
    let decided = history::decided(loaded.steps.iter(), call);
    if let Some((decided, done)) = decided.zip(receipt(loaded, call)) {
        courtesy(ports, loaded, &decided.approval, &done).await;
    }
}

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

/// Updates the card after a decision. Returns a message for the person if the decision didn't count.
pub async fn settle(ports: &Ports, outcome: Outcome, at: Option<Posted>) -> Result<Option<String>> {
    let words = match &outcome {
        Outcome::Decided(approval) => {
            // The worker may have been faster, and a click may come twice: the outcome stays.
            let run = ports.journal().load(&approval.team, &approval.run).await?;
            let approved = run.as_ref().filter(|_| approval.status == Status::Approved);
            let outcome = approved.and_then(|run| receipt(run, &approval.call_id));
            refresh(ports, approval, at, outcome.as_deref()).await?;
            if let Some(loaded) = &run {
                home::changed(ports, &loaded.run, &home_change(approval)).await;
            }
            // The run ended before the decision.
            (approval.status == Status::Error).then_some(text::NO_SUCH_APPROVAL)
        }
        Outcome::Expired(approval) => {
            refresh(ports, approval, at, None).await?;
            Some(text::TOO_LATE)
        }
        Outcome::Already(approval) if approval.status == Status::Expired => Some(text::TOO_LATE),
        Outcome::Already(_) => Some(text::ALREADY_DECIDED),
        Outcome::NotFound => Some(text::NO_SUCH_APPROVAL),
        Outcome::NotOwner => Some(text::NOT_YOUR_DECISION),
    };
    Ok(words.map(str::to_owned))
}

/// Names a change of an approval, for the Home tab's messages.
pub fn home_change(approval: &Approval) -> String {
    format!("{}:{:?}", approval.button_value(), approval.status)
}

/// Updates the withdrawn cards. Failures are only logged: a click on an old button decides nothing.
pub async fn tell_withdrawn(ports: &Ports, withdrawn: &Withdrawn) {
    for approval in &withdrawn.approvals {
        if let Err(error) = refresh(ports, approval, None, None).await {
            tracing::warn!(approval.id = %approval.id, error = %error, "couldn't bring a withdrawn card up to date");
        }
    }
}
