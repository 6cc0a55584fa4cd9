use alfred_agent::model::{Session, Snapshot};
use alfred_agent::runner::admit::{Admitted, Request, admit};
use alfred_agent::slack::respond::{mrkdwn, unescaped};
use alfred_agent::slack::{notice, rich_text};
use alfred_agent::store::claim::Origin;
use alfred_agent::{Deadline, Work};
use alfred_core::envelope::{Command, SlackMessage, quotes};
use alfred_core::{Envelope, ReplyAddress, ResponseType, Result, RunId, SessionId, text};

use crate::administration::{self, Order};
use crate::asked::{Asked, request};
use crate::{Classifier, accounts, answering, chats, direct, people};

const USED_UP_TODAY: &str =
    "You've used up today's budget. It starts anew tomorrow; an administrator can raise it.";
const MEMORY_LOST: &str = "I've lost what was said in this conversation before, so I start afresh here. If an answer is still missing, please ask again.";

impl Classifier {
    pub(crate) async fn message(
        &self,
        envelope: &Envelope,
        message: &SlackMessage,
        deadline: Deadline,
    ) -> Result<()> {
        let addressed = message.mentioned || message.reply_to.response_type == ResponseType::Dm;
        if !addressed && speaks_to_another(&message.text) {
            return Ok(());
        }
        let session = Origin::from(envelope).session(&self.ports).await?;
        if !addressed && !session.answered {
            return Ok(());
        }
        let chat = session.chat.as_ref();
        let worker = chat.and_then(|chat| chat.worker.clone());
        let task = unescaped(message.text.trim());
        if self.decided_in_words(envelope, message, &task).await? {
            return Ok(());
        }
        let asked = Asked {
            task,
            files: message.files.clone(),
            quotes: message.quotes,
            ts: Some(message.ts.clone()),
            reply_to: message.reply_to.clone(),
            ..Asked::default()
        };
        if let Some(worker) = worker {
            return self.said(envelope, &worker, asked, session, deadline).await;
        }
        Box::pin(self.take_in(envelope, asked, session, deadline)).await
    }

    pub(crate) async fn command(
        &self,
        envelope: &Envelope,
        command: &Command,
        deadline: Deadline,
    ) -> Result<()> {
        let to = &command.reply_to;
        if command.text.trim() == "stop" {
            return match people::known(&self.ports, envelope).await? {
                Some(_) => self.list_running(envelope, to).await,
                None => answering::notice(&self.ports, envelope, to, text::NOT_RECOGNISED).await,
            };
        }
        if let Some(order) = Order::parse(&command.text) {
            let words = match people::known(&self.ports, envelope).await? {
                Some(by) => administration::carry_out(&self.ports, envelope, &by, order).await?,
                None => text::NOT_RECOGNISED.to_owned(),
            };
            // Names can hold markup, so a rich text block shows them verbatim.
            let blocks = vec![rich_text::line_block(vec![rich_text::text(&words)])];
            let words = mrkdwn::escape(&words);
            return answering::notice_with(&self.ports, envelope, to, words, blocks).await;
        }
        if let Some(order) = accounts::Order::parse(&command.text, self.provider()) {
            return self.accounts(envelope, to, order).await;
        }
        if let Some(worker) = chats::named(&command.text) {
            return self.open(envelope, to, worker).await;
        }
        let task = unescaped(command.text.trim());
        let work = match direct::read(&task) {
            Some(Ok(call)) => Work::Call(call),
            Some(Err(mistake)) => {
                let known = people::known(&self.ports, envelope).await?;
                let words = known.map_or(text::NOT_RECOGNISED.into(), |_| mistake.to_string());
                return answering::notice(&self.ports, envelope, to, words).await;
            }
            None => Work::Agent,
        };
        let (mut envelope, mut channel) = (envelope.clone(), to.channel.clone());
        if channel.as_str() == envelope.user.as_str() {
            // What is said in the direct message next continues this.
            match self.ports.chat.direct_message(&envelope.user).await {
                Ok(direct) => channel = direct,
                Err(error) => tracing::warn!(error = %error, "couldn't open a direct message"),
            }
            envelope.session = SessionId::new(&envelope.team, &envelope.user, &channel, None);
        }
        let session = Origin::from(&envelope).session(&self.ports).await?;
        let asked = Asked {
            task,
            files: command.files.clone(),
            quotes: quotes(&command.text, &serde_json::Value::Null),
            work,
            reply_to: ReplyAddress {
                response_type: ResponseType::Dm,
                thread_ts: None,
                channel,
            },
            ..Asked::default()
        };
        Box::pin(self.take_in(&envelope, asked, session, deadline)).await
    }

    pub(crate) async fn take_in(
        &self,
        envelope: &Envelope,
        mut asked: Asked,
        mut session: Session,
        deadline: Deadline,
    ) -> Result<()> {
        let Some((user, known)) = people::asking(&self.ports, envelope).await? else {
            let text = text::NOT_RECOGNISED;
            return answering::notice(&self.ports, envelope, &asked.reply_to, text).await;
        };
        match (asked.task.is_empty(), asked.files.is_empty()) {
            (false, _) => {}
            (true, false) => asked.task = "(no words beside the files)".to_owned(),
            (true, true) => {
                let (place, text) = (&asked.reply_to, text::SAY_SOMETHING);
                return answering::notice(&self.ports, envelope, place, text).await;
            }
        }
        let (program, form) = (asked.program.take(), asked.form.take());
        let mut request = request(envelope, user, asked);
        let now = self.ports.clock.now();
        let used = known.spent.today(request.input.user(), now);
        if !request.work.is_by_hand() && used.exhausts(&self.ports.config.daily_budget) {
            self.drop_parts(form.as_ref()).await?;
            let to = to_answer(&request);
            return answering::notice(&self.ports, envelope, &to, USED_UP_TODAY).await;
        }
        request.spent = known.spent;
        request.waiting = match &form {
            Some(form) => vec![form.about.clone()],
            None => known.waiting,
        };
        if session.lost {
            let to = to_answer(&request);
            let key = format!("lost:{}", envelope.trace_id);
            let here = notice::words(envelope, &to, MEMORY_LOST, key);
            notice::post(&self.ports, envelope, here, false).await?;
            session.lost = false;
        }
        let question = session.question.clone();
        let keep = |run: &RunId| {
            let write = |kept: &Snapshot| kept.write(&envelope.team, run);
            program.iter().map(write).collect()
        };
        let admitted = admit(&self.ports, &envelope.into(), request, session, Some(&keep)).await?;
        self.drop_parts(form.as_ref()).await?;
        let is_new = matches!(admitted, Admitted::New(_) | Admitted::Queued);
        if let Some(question) = question.filter(|_| is_new) {
            self.without_choice(&question, None).await;
        }
        match admitted {
            Admitted::New(loaded) => Box::pin(self.route(*loaded, deadline)).await,
            Admitted::Again(loaded) => Box::pin(self.go_on(*loaded, deadline)).await,
            Admitted::Queued => Ok(()),
            Admitted::Duplicate => {
                tracing::info!("another delivery of an event that is served already");
                Ok(())
            }
        }
    }
}

fn to_answer(request: &Request) -> ReplyAddress {
    let place = request.input.slack();
    ReplyAddress {
        channel: place.channel_id.clone(),
        thread_ts: place.thread_ts.clone(),
        response_type: place.response_type,
    }
}

fn speaks_to_another(text: &str) -> bool {
    let text = text.trim_start();
    text.starts_with("<@") || text.starts_with("<!subteam^")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn replies_to_others_are_left_alone() {
        assert!(speaks_to_another("<@U2> what do you think?"));
        assert!(!speaks_to_another("and tomorrow?"));
        assert!(!speaks_to_another("what about <@U2>?"));
    }
}
