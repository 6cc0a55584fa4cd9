use alfred_agent::Deadline;
use alfred_agent::approval::decide::{Decision, decide};
use alfred_agent::approval::pending;
use alfred_agent::model::{Approval, Status, Verdict};
use alfred_agent::slack::card::{self, action};
use alfred_agent::slack::connect::{CONNECT, OPEN_LINK};
use alfred_agent::slack::options::CHOOSE;
use alfred_agent::slack::respond::{PUBLISH, RATE, UNDO};
use alfred_agent::slack::{edit, show};
use alfred_core::envelope::{Click, ViewSubmission};
use alfred_core::ports::{ChatError, Posted};
use alfred_core::{Envelope, Failure, ReplyAddress, Result, text};
use serde_json::Value;

use crate::home::HomeButton;
use crate::people::Press;
use crate::stop::STOP;
use crate::{Classifier, answering, people};

pub(crate) const UNKNOWN_COMMAND: &str =
    "I don't know that command. Write to me in plain words instead.";
/// Slack opens a form only within three seconds of the click.
const FORM_NOT_OPENED: &str = "Slack didn't open that form in time. Please press the button again. \
    If that doesn't help, tell an administrator.";

/// What a button does, by its action id.
enum Button {
    /// The browser has already opened the link.
    Link,
    Connect,
    Stop,
    Undo,
    Choose,
    Publish,
    Rate,
    Decide(Verdict),
    Edit,
    Reason,
    Full,
    Renew,
    Home(HomeButton),
    Unknown,
}

impl Button {
    fn of(action_id: &str) -> Self {
        match action_id {
            OPEN_LINK => Self::Link,
            CONNECT => Self::Connect,
            STOP => Self::Stop,
            PUBLISH => Self::Publish,
            RATE => Self::Rate,
            action::APPROVE => Self::Decide(Verdict::Approve),
            action::REMEMBER => Self::Decide(Verdict::Remember),
            action::REJECT => Self::Decide(Verdict::Reject),
            action::LOOK => Self::Decide(Verdict::Look),
            action::REPEAT => Self::Decide(Verdict::Repeat),
            action::LEAVE => Self::Decide(Verdict::Leave),
            action::EDIT | action::MODIFY => Self::Edit,
            action::REJECT_WITH_REASON => Self::Reason,
            action::FULL => Self::Full,
            action::RENEW => Self::Renew,
            numbered if numbered.starts_with(UNDO) => Self::Undo,
            numbered if numbered.starts_with(CHOOSE) => Self::Choose,
            other => HomeButton::of(other).map_or(Self::Unknown, Self::Home),
        }
    }
}

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
        let button = Button::of(&click.action_id);
        // A decision is announced by itself.
        let from_home = click.message_ts.is_none() && by.opened_home;
        let shows_home = from_home && !matches!(button, Button::Decide(_));
        match button {
            Button::Link => Ok(()),
            Button::Connect => self.connect_account(press).await,
            Button::Stop => Box::pin(self.stop_run(press)).await,
            Button::Undo => Box::pin(self.undo(press)).await,
            Button::Choose => Box::pin(self.choose(press)).await,
            Button::Publish => Box::pin(self.publish(press)).await,
            Button::Rate => self.rate(press).await,
            Button::Home(button) => Box::pin(self.press_home(press, button)).await,
            of_card => Box::pin(self.on_card(press, of_card)).await,
        }?;
        if shows_home {
            self.refresh_home(envelope).await;
        }
        Ok(())
    }

    async fn on_card(&self, press: Press<'_>, button: Button) -> Result<()> {
        let (envelope, click) = (press.envelope, press.click);
        let Some((id, revision)) = card::parse_value(&click.value) else {
            tracing::info!(
                slack.action_id = click.action_id,
                "nothing waits for this click"
            );
            return self.whisper(press, UNKNOWN_COMMAND).await;
        };
        if let Button::Decide(verdict) = button {
            let decision = Decision {
                opened_home: press.by.opened_home,
                ..Decision::by_sender(envelope, id, revision, verdict)
            };
            let outcome = decide(&self.ports, &decision).await?;
            let channel = click.reply_to.channel.clone();
            let at = click.message_ts.clone().map(|ts| Posted { channel, ts });
            let Some(words) = show::settle(&self.ports, outcome, at).await? else {
                return Ok(());
            };
            self.whisper(press, words).await?;
            if press.by.opened_home {
                self.refresh_home(envelope).await;
            }
            return Ok(());
        }
        let stored = pending::load(&*self.ports.store, &envelope.team, &id).await?;
        let Some((approval, _)) = stored else {
            return self.whisper(press, text::NO_SUCH_APPROVAL).await;
        };
        if approval.owner != envelope.user {
            return self.whisper(press, text::NOT_YOUR_DECISION).await;
        }
        match button {
            Button::Full => {
                let words = "All of it, as it would be done.";
                let whole = card::full(&approval);
                answering::all_privately(&self.ports, envelope, &click.reply_to, words, whole).await
            }
            Button::Renew => Box::pin(self.renew(press, &approval, revision)).await,
            Button::Edit | Button::Reason => {
                let trouble = self.not_open(&approval, revision);
                let Some(form) = &click.view_id else {
                    let words = trouble.unwrap_or_else(|| FORM_NOT_OPENED.to_owned());
                    return self.whisper(press, words).await;
                };
                self.fill(form, &form_view(&approval, &button, trouble))
                    .await
            }
            _ => {
                tracing::info!(slack.action_id = click.action_id, "no such button");
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

    pub(crate) async fn view(
        &self,
        envelope: &Envelope,
        view: &ViewSubmission,
        deadline: Deadline,
    ) -> Result<()> {
        let to = ReplyAddress::direct(&envelope.user);
        let Some(by) = people::known(&self.ports, envelope).await? else {
            return answering::notice(&self.ports, envelope, &to, text::NOT_RECOGNISED).await;
        };
        let Some((id, revision)) = card::parse_value(&view.private_metadata) else {
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
            opened_home: by.opened_home,
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

/// A notice, if the approval can't be changed any more.
fn form_view(approval: &Approval, button: &Button, trouble: Option<String>) -> Value {
    let notice = |words: &str| edit::notice_view(approval, words);
    match (trouble, button) {
        (Some(words), _) => notice(&words),
        (None, Button::Reason) => edit::reason_view(approval),
        (None, _) => edit::view(approval).unwrap_or_else(|| {
            notice("This can't be edited here. Reject it and tell me what to change.")
        }),
    }
}
