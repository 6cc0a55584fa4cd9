use alfred_agent::Deadline;
use alfred_agent::approval::decide::{Decision, decide};
use alfred_agent::approval::pending;
use alfred_agent::model::{Approval, Status, Verdict};
use alfred_agent::slack::card::{self, action};
use alfred_agent::slack::connect::{CONNECT, OPEN_LINK};
use alfred_agent::slack::options::CHOOSE;
use alfred_agent::slack::respond::{PUBLISH, UNDO};
use alfred_agent::slack::{edit, show};
use alfred_core::envelope::{Click, ViewSubmission};
use alfred_core::ports::{ChatError, Posted};
use alfred_core::{Envelope, Failure, ReplyAddress, Result, text};
use serde_json::Value;

use crate::people::Press;
use crate::stop::STOP;
use crate::{Classifier, answering, people};

pub(crate) const UNKNOWN_COMMAND: &str =
    "I don't know that command. Write to me in plain words instead.";

impl Classifier {
    pub(crate) async fn click(
        &self,
        envelope: &Envelope,
        click: &Click,
        deadline: Deadline,
    ) -> Result<()> {
        let Some(by) = people::known(&self.ports, envelope).await? else {
            let words = text::NOT_RECOGNISED;
            return answering::privately(&self.ports, envelope, &click.reply_to, words).await;
        };
        let press = Press {
            envelope,
            click,
            by: &by,
            deadline,
        };
        if click.action_id == OPEN_LINK {
            // A link button: the browser has already opened the link.
            return Ok(());
        }
        if click.action_id == CONNECT {
            return self.connect_account(press).await;
        }
        if click.action_id == STOP {
            return Box::pin(self.stop_run(press)).await;
        }
        if click.action_id.starts_with(UNDO) {
            return Box::pin(self.undo(press)).await;
        }
        if click.action_id.starts_with(CHOOSE) {
            return Box::pin(self.choose(press)).await;
        }
        if click.action_id == PUBLISH {
            return Box::pin(self.publish(press)).await;
        }
        let Some((id, revision)) = card::parse_value(&click.value) else {
            tracing::info!(
                slack.action_id = click.action_id,
                "nothing waits for this click"
            );
            return self.whisper(press, UNKNOWN_COMMAND).await;
        };
        let verdict = match click.action_id.as_str() {
            action::APPROVE => Verdict::Approve,
            action::REMEMBER => Verdict::Remember,
            action::REJECT => Verdict::Reject,
            action::LOOK => Verdict::Look,
            action::REPEAT => Verdict::Repeat,
            action::LEAVE => Verdict::Leave,
            _ => {
                let stored = pending::load(&*self.ports.store, &envelope.team, &id).await?;
                let stored = stored.map(|(approval, _)| approval);
                return Box::pin(self.around(press, revision, stored)).await;
            }
        };
        let decision = Decision::by_sender(envelope, id, revision, verdict);
        let outcome = decide(&self.ports, &decision).await?;
        let at = click.message_ts.clone().map(|ts| Posted {
            channel: click.reply_to.channel.clone(),
            ts,
        });
        match show::settle(&self.ports, outcome, at).await? {
            Some(words) => self.whisper(press, words).await,
            None => Ok(()),
        }
    }

    async fn around(
        &self,
        press: Press<'_>,
        revision: u32,
        stored: Option<Approval>,
    ) -> Result<()> {
        let Press {
            envelope, click, ..
        } = press;
        let action_id = click.action_id.as_str();
        let opens = matches!(
            action_id,
            action::EDIT | action::MODIFY | action::REJECT_WITH_REASON
        );
        let trouble = match &stored {
            None => Some(text::NO_SUCH_APPROVAL.to_owned()),
            Some(approval) if approval.owner != envelope.user => {
                Some(text::NOT_YOUR_DECISION.to_owned())
            }
            Some(approval) if opens => self.not_open(approval, revision),
            Some(_) => None,
        };
        let (Some(approval), None) = (&stored, &trouble) else {
            let words = trouble.unwrap_or_else(|| text::NO_SUCH_APPROVAL.to_owned());
            return match (&click.view_id, &stored) {
                (Some(view), Some(approval)) if approval.owner == envelope.user => {
                    let notice = edit::notice_view(approval, &words);
                    self.fill(view, &notice).await
                }
                _ => self.whisper(press, words).await,
            };
        };
        match action_id {
            action::FULL => self.show_whole(envelope, click, approval).await,
            action::RENEW => Box::pin(self.renew(press, approval, revision)).await,
            action::EDIT | action::MODIFY | action::REJECT_WITH_REASON => {
                let Some(view_id) = &click.view_id else {
                    return Err(Failure::retry("the receiver opened no view for this click"));
                };
                let view = if action_id == action::REJECT_WITH_REASON {
                    edit::reason_view(approval)
                } else {
                    let words = "This can't be edited here. Reject it and tell me what to change.";
                    edit::view(approval).unwrap_or_else(|| edit::notice_view(approval, words))
                };
                self.fill(view_id, &view).await
            }
            _ => {
                tracing::info!(slack.action_id = action_id, "no such button");
                self.whisper(press, UNKNOWN_COMMAND).await
            }
        }
    }

    pub(crate) fn not_open(&self, approval: &Approval, revision: u32) -> Option<String> {
        if approval.status == Status::Expired
            || (approval.status == Status::Pending && self.ports.clock.now() >= approval.expires_at)
        {
            return Some(text::TOO_LATE.to_owned());
        }
        let open = approval.status == Status::Pending && approval.revision == revision;
        (!open).then(|| text::ALREADY_DECIDED.to_owned())
    }

    async fn show_whole(
        &self,
        envelope: &Envelope,
        click: &Click,
        approval: &Approval,
    ) -> Result<()> {
        let words = "All of it, as it would be done.";
        let whole = card::full(approval);
        answering::all_privately(&self.ports, envelope, &click.reply_to, words, whole).await
    }

    pub(crate) async fn view(
        &self,
        envelope: &Envelope,
        view: &ViewSubmission,
        deadline: Deadline,
    ) -> Result<()> {
        let to = ReplyAddress::direct(&envelope.user);
        if people::known(&self.ports, envelope).await?.is_none() {
            return answering::notice(&self.ports, envelope, &to, text::NOT_RECOGNISED).await;
        }
        let named = card::parse_value(&view.private_metadata);
        let Some((id, revision)) = named else {
            tracing::info!(
                slack.callback_id = view.callback_id,
                "nothing waits for this view"
            );
            return Ok(());
        };
        let stored = pending::load(&*self.ports.store, &envelope.team, &id).await?;
        let Some((approval, _)) = stored else {
            return answering::notice(&self.ports, envelope, &to, text::NO_SUCH_APPROVAL).await;
        };
        let (verdict, arguments, note) = match view.callback_id.as_str() {
            edit::CALLBACK => {
                if edit::words(&approval, &view.values).is_some() {
                    return Box::pin(self.take_form(envelope, view, approval, deadline)).await;
                }
                let edited = edit::arguments(&approval, &view.values);
                (Verdict::Edit, Some(edited), None)
            }
            edit::REASON_CALLBACK => (Verdict::Reject, None, edit::reason(&view.values)),
            other => {
                tracing::info!(slack.callback_id = other, "nothing waits for this view");
                return Ok(());
            }
        };
        let decision = Decision {
            arguments,
            note,
            ..Decision::by_sender(envelope, id, revision, verdict)
        };
        let outcome = decide(&self.ports, &decision).await?;
        match show::settle(&self.ports, outcome, None).await? {
            Some(words) => answering::notice(&self.ports, envelope, &to, words).await,
            None => Ok(()),
        }
    }

    /// Fills the receiver's placeholder modal. A modal that was closed meanwhile is not an error.
    async fn fill(&self, view_id: &str, view: &Value) -> Result<()> {
        match self.ports.chat.update_view(view_id, view).await {
            Ok(()) => Ok(()),
            Err(ChatError::Refused { code, .. }) => {
                tracing::info!(slack.error = code, "the modal is gone");
                Ok(())
            }
            Err(error) => Err(Failure::retry(error)),
        }
    }

    pub(crate) async fn whisper(&self, press: Press<'_>, words: impl Into<String>) -> Result<()> {
        let to = &press.click.reply_to;
        answering::privately(&self.ports, press.envelope, to, words).await
    }
}
