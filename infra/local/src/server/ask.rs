//! A request in words, sent as a direct message through the local Slack.

use alfred_core::ports::{Key, Write};
use alfred_core::{TeamId, TraceId, WorkerOutput, text};
use alfred_slack_local::{Message, Person, PersonError, SlackLocal};
use anyhow::bail;
use jiff::SignedDuration;

use super::{answer, person};
use crate::api::{Answer, Ask, Request};
use crate::app::{Absent, LocalApp};

const TOO_LONG: &str =
    "That is too long for one message: Slack takes 40000 characters. Could you split it?";

impl Request for Ask {
    const PATH: &'static str = "/local/ask";
    type Answer = Answer;
    const ABSENT: Absent = Absent::Begun;

    async fn answer(&self, app: &LocalApp) -> anyhow::Result<Answer> {
        let Some(slack) = &app.slack else {
            bail!("a real Slack is configured; write to Alfred there, or unset SLACK_BOT_TOKEN");
        };
        let person = person::in_slack(slack, &self.user)?;
        let unserved = |words| Answer {
            output: WorkerOutput::failed(words, Vec::new()),
            reply: None,
            model: app.model.clone(),
            run: None,
            data: None,
            waiting: Vec::new(),
            days: Vec::new(),
        };
        let team = TeamId::from(slack.seed().team_id.as_str());
        let message = match self.message(app, slack, &team, &person).await {
            Ok(message) => message,
            Err(error) => return refusal(&error).map(unserved).ok_or(error),
        };
        let identity = format!("msg:{}:{}", message.channel, message.ts);
        let trace = TraceId::derive(&team, &identity);
        match answer::in_time(answer::end_of(app, &team, &trace)).await? {
            Some(loaded) => answer::answer(app, &loaded).await,
            // The event is claimed before the notice is posted, so wait for the notice.
            None => {
                let notice = notice_after(app, slack, &message);
                answer::in_time(notice).await.map(unserved)
            }
        }
    }
}

impl Ask {
    /// The request's message: posted now, or found if this id posted it before.
    async fn message(
        &self,
        app: &LocalApp,
        slack: &SlackLocal,
        team: &TeamId,
        person: &Person,
    ) -> anyhow::Result<Message> {
        let key = Key::state(format!("{team}#{}#asked", person.id), &*self.id);
        if let Some(item) = app.ports.store.get(&key).await? {
            return Ok(serde_json::from_value(item.body)?);
        }
        let message = slack.dm_as(&person.id, &self.request)?;
        let now = app.ports.clock.now();
        let tomorrow = now.saturating_add(SignedDuration::from_hours(24))?;
        let write = Write::create(key, serde_json::to_value(&message)?).expiring(tomorrow);
        app.ports.commit(vec![write]).await?;
        Ok(message)
    }
}

/// The text of the notice that follows a message.
async fn notice_after(app: &LocalApp, slack: &SlackLocal, dm: &Message) -> anyhow::Result<String> {
    let bot = &slack.seed().bot_user;
    loop {
        let mut messages = slack.messages(&dm.channel, 20)?.into_iter();
        match messages.find(|message| message.ts > dm.ts && message.user == *bot) {
            Some(notice) => return Ok(notice.text),
            None => app.ports.clock.sleep(answer::LOOK_EVERY).await,
        }
    }
}

/// What the person reads if Slack refuses their text.
fn refusal(error: &anyhow::Error) -> Option<String> {
    match error.downcast_ref() {
        Some(PersonError::Empty) => Some(text::SAY_SOMETHING.to_owned()),
        Some(PersonError::TooLong) => Some(TOO_LONG.to_owned()),
        _ => None,
    }
}
