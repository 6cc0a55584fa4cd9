//! Requests that a button makes. Each makes one run, and a second click on the same button makes none.

use alfred_agent::model::{Approval, Offered, Readers, Status, memory_key};
use alfred_agent::runner::admit::{Admitted, Request, admit};
use alfred_agent::slack::respond::{UNDO_BLOCK, in_plain_text, mrkdwn};
use alfred_agent::slack::undo::{left_of, undoable, without_buttons};
use alfred_agent::store::claim::Origin;
use alfred_agent::tool::{Effect, UndoCall};
use alfred_agent::{DirectCall, LoadedRun, RunInput, Work};
use alfred_core::ports::Posted;
use alfred_core::{
    ReplyAddress, Result, RunId, SessionId, SlackContext, Taint, TraceId, WorkerInput, invisible,
    text,
};
use serde_json::{Value, json};

use crate::people::Press;
use crate::{Classifier, direct};

const PUBLISH_TOO_LATE: &str =
    "I don't have that answer any more. Ask me again where it should stand.";
const UNDO_TOO_LATE: &str =
    "It's too late to undo that with a button. Tell me what to change instead.";

impl Classifier {
    pub(crate) async fn renew(
        &self,
        press: Press<'_>,
        approval: &Approval,
        revision: u32,
    ) -> Result<()> {
        if approval.status != Status::Expired || approval.revision != revision {
            return self.whisper(press, text::ALREADY_DECIDED).await;
        }
        let direct = DirectCall {
            tool: approval.action_type.clone(),
            arguments: direct::wished(&approval.action_type, &approval.payload),
            ..DirectCall::default()
        };
        let made = Made {
            work: Work::Call(direct),
            answers: None,
            taint: approval.taint.clone(),
            once: format!("renew:{}:{revision}", approval.id),
            words: approval.preview.title.clone(),
            place: approval.asked_in.clone(),
            session: approval.session.clone(),
        };
        Box::pin(self.make(press, made, text::ALREADY_DECIDED)).await
    }

    pub(crate) async fn undo(&self, press: Press<'_>) -> Result<()> {
        let value = press.click.value.as_str();
        let (run, call_id) = match value.split_once(':') {
            Some((run, call_id)) => (run, Some(call_id)),
            None => (value, None),
        };
        let (team, id) = (&press.envelope.team, RunId::from(run));
        let loaded = self.ports.journal().load(team, &id).await?;
        let Some(loaded) = loaded else {
            return self.whisper(press, UNDO_TOO_LATE).await;
        };
        if loaded.run.user != press.envelope.user {
            return self.whisper(press, text::NOT_YOUR_DECISION).await;
        }
        let mut effects = undoable(&loaded.steps);
        effects.retain(|one| call_id.is_none_or(|id| id == one.call_id));
        let (direct, what) = match effects.as_slice() {
            [] => {
                self.without_undo(press, None).await;
                return self.whisper(press, UNDO_TOO_LATE).await;
            }
            [one] if reaches_others(&one.receipt.undo[0]) => {
                let inverse = one.receipt.undo[0].clone();
                let mut call = consented(&inverse.tool, inverse.arguments)?;
                call.left = inverse.left;
                (call, &*one.receipt.what)
            }
            [first, rest @ ..] => {
                let what = match rest {
                    [] => &*first.receipt.what,
                    _ => "all that was done",
                };
                let all = consented(alfred_tools::UNDO, json!({"of": value}))?;
                (all, what)
            }
        };
        self.without_undo(press, Some(value)).await;
        let made = Made {
            work: Work::Call(direct),
            answers: None,
            taint: Taint::default(),
            once: format!("undo:{value}"),
            words: format!("Undo: {what}"),
            place: loaded.run.input.slack().clone(),
            session: loaded.run.session.clone(),
        };
        Box::pin(self.make(press, made, "You pressed that before; please see my reply.")).await
    }

    /// Removes the pressed undo button from its message. `None` removes all of them.
    async fn without_undo(&self, press: Press<'_>, pressed: Option<&str>) {
        let to = &press.click.reply_to;
        let Some(ts) = press.click.message_ts.clone() else {
            return;
        };
        let channel = to.channel.clone();
        let posted = Posted { channel, ts };
        let left = |block: &Value| left_of(block, pressed?);
        let thread = to.thread_ts.as_deref();
        without_buttons(&self.ports, &posted, thread, UNDO_BLOCK, left).await;
    }

    /// Posts a private answer to the place of the request. With links it needs approval: the owner saw them
    /// as plain text.
    pub(crate) async fn publish(&self, press: Press<'_>) -> Result<()> {
        let id = RunId::from(press.click.value.as_str());
        let loaded = self.ports.journal().load(&press.envelope.team, &id).await?;
        let Some(LoadedRun { run, .. }) = loaded else {
            return self.whisper(press, PUBLISH_TOO_LATE).await;
        };
        if run.user != press.envelope.user {
            return self.whisper(press, text::NOT_YOUR_DECISION).await;
        }
        let answer = run.output().and_then(in_plain_text);
        let Some(answer) = answer.filter(|_| run.readers() == Readers::OwnerFirst) else {
            return self.whisper(press, PUBLISH_TOO_LATE).await;
        };
        let place = run.input.slack();
        let mut arguments = json!({"to": place.channel_id, "text": answer});
        if let Some(thread) = &place.thread_ts {
            arguments["threadTs"] = thread.as_str().into();
        }
        let mut direct = consented("slack_sendMessage", arguments)?;
        if mrkdwn::with_links(&answer, &|_| false) != mrkdwn::from_markdown(&answer) {
            direct.consent = None;
        }
        let made = Made {
            work: Work::Call(direct),
            answers: None,
            taint: run.taint.clone(),
            once: format!("publish:{id}"),
            words: "Post the answer where I asked".to_owned(),
            place: ReplyAddress::direct(&run.user).into(),
            session: run.session.clone(),
        };
        Box::pin(self.make(press, made, "You pressed that before; please see my reply.")).await
    }

    pub(crate) async fn make(&self, press: Press<'_>, made: Made, made_before: &str) -> Result<()> {
        let Press { envelope, by, .. } = press;
        let origin = Origin {
            session: made.session.clone(),
            trace_id: TraceId::derive(&envelope.team, &made.once),
            ..Origin::from(envelope)
        };
        let input = WorkerInput {
            files: Vec::new(),
            quotes: false,
            task_prompt: made.words,
            user_context: by.into(),
            slack_context: made.place,
            session_id: made.session,
        };
        let unapproved = matches!(&made.work, Work::Call(call) if call.consent.is_none());
        let request = Request {
            asked_ts: press.click.message_ts.clone().filter(|_| !unapproved),
            answers: made.answers,
            taint: made.taint,
            ..Request::new(RunInput::Worker(input), made.work, by.preferences.clone())
        };
        let session = origin.session(&self.ports).await?;
        match admit(&self.ports, &origin, request, session, None).await? {
            Admitted::New(loaded) => Box::pin(self.route(*loaded, press.deadline)).await,
            Admitted::Again(loaded) => Box::pin(self.go_on(*loaded, press.deadline)).await,
            Admitted::Queued => Ok(()),
            Admitted::Duplicate => self.whisper(press, made_before).await,
        }
    }
}

pub(crate) struct Made {
    pub work: Work,
    pub answers: Option<Offered>,
    pub taint: Taint,
    pub once: String,
    pub words: String,
    pub place: SlackContext,
    pub session: SessionId,
}

/// Whether other people see the inverse call. Such a call can't be part of a bundle.
fn reaches_others(inverse: &UndoCall) -> bool {
    let tool = alfred_tools::tool(&inverse.tool);
    tool.is_none_or(|tool| tool.def_of(&inverse.arguments).effect == Effect::Outward)
}

/// The button named exactly this call, so the click is its owner's consent.
pub(crate) fn consented(tool: &str, mut arguments: Value) -> Result<DirectCall> {
    // As the call will run: restored text may have been written by others.
    invisible::remove_from(&mut arguments);
    Ok(DirectCall {
        tool: tool.to_owned(),
        consent: Some(memory_key(tool, &arguments)?),
        arguments,
        ..DirectCall::default()
    })
}
