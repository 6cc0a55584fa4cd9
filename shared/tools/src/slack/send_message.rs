use alfred_agent::model::Addressee;
use alfred_agent::slack::respond::head;
use alfred_core::invisible::shown_on_one_line;
use alfred_core::ports::{ChatError, Post, Posted};

use super::message::{MAX_TEXT, Message};
use super::target::{MAX_TO, Target, resolve};
use super::{TOOLSET, not_posted, not_read};
use crate::prelude::*;

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Arguments {
    /// "@handle", full name, e-mail address, "#channel" or Slack id.
    to: Text<MAX_TO>,
    /// What is said, in Markdown.
    text: Text<MAX_TEXT>,
    /// Timestamp of the thread's first message.
    thread_ts: Option<String>,
}

pub fn tool() -> SharedTool {
    let description =
        "Sends a Slack message to a person or a channel on the person's behalf. A card asks first.";
    let def = ToolDef::new(TOOLSET, "slack_sendMessage", description);
    // The result names other people, so the flow is foreign.
    outward::tool::<Prepared>(def.flow(Flow::FOREIGN))
}

struct Prepared {
    target: Target,
    post: Post,
    body: String,
}

impl Prepared {
    fn done(&self, context: &ToolContext, posted: &Posted) -> Result<ToolOutput> {
        let link = permalink(posted);
        let data = json!({
            "sentTo": self.target.shown,
            "channel": posted.channel,
            "ts": posted.ts,
            "link": link,
        });
        let short = head(&shown_on_one_line(&self.body), 80);
        let receipt = Receipt {
            what: format!("Sent to {}: “{short}”", self.target.name),
            place: self.target.place.to_owned(),
            provider_id: Some(posted.ts.clone()),
            link: Some(link),
            at: Some(moment(&posted.ts).unwrap_or(context.now)),
            undo: Vec::new(),
        };
        Ok(ToolOutput::data(&data)?.with_receipt(receipt))
    }
}

impl Arguments {
    fn thread(&self) -> Result<Option<String>> {
        let Some(ts) = self.thread_ts.as_deref().map(str::trim) else {
            return Ok(None);
        };
        let digits = |part: &str| !part.is_empty() && part.bytes().all(|b| b.is_ascii_digit());
        let parts = ts.split_once('.');
        if ts.len() <= 30 && parts.is_some_and(|(a, b)| digits(a) && digits(b)) {
            return Ok(Some(ts.to_owned()));
        }
        let problem = "is no timestamp of a message, such as 1732190400.000100.";
        Err(refused("threadTs", ts, problem))
    }
}

fn permalink(posted: &Posted) -> String {
    let digits = posted.ts.replace('.', "");
    format!("https://slack.com/archives/{}/p{digits}", posted.channel)
}

fn moment(ts: &str) -> Option<Timestamp> {
    Timestamp::from_second(ts.split('.').next()?.parse().ok()?).ok()
}

#[async_trait]
impl Outward for Prepared {
    type Arguments = Arguments;

    async fn recipients(_: &ToolContext, args: &Arguments) -> Result<Vec<String>> {
        Ok(vec![args.to.value.clone()])
    }

    async fn prepare(context: &ToolContext, args: &Arguments) -> Result<Self> {
        let message = Message::from_markdown(context, &args.text)?;
        let thread_ts = args.thread()?;
        let target = resolve(context, &args.to).await?;
        Ok(Self {
            post: Post {
                channel: target.address.clone(),
                thread_ts,
                text: message.notification,
                blocks: message.blocks,
                idempotency_key: context.call.key.clone(),
            },
            target,
            body: message.shown,
        })
    }

    fn preview(&self, context: &ToolContext) -> Preview {
        // The start of the thread in the person's time zone.
        let started = |at| short_moment(at, &context.zone());
        let thread = self.post.thread_ts.as_ref();
        let thread = thread.map(|ts| moment(ts).map_or_else(|| ts.clone(), started));
        // With the hidden id, the approval is void once the name means another recipient.
        let addressee = Addressee {
            shown: self.target.shown.clone(),
            id: Some(self.target.address.to_string()),
        };
        Preview::new("Send a Slack message")
            .reaching(text::RECIPIENTS_LABEL, vec![addressee])
            .any("In the thread of", thread.unwrap_or_default())
            .body(&self.body)
    }

    async fn act(self, context: &ToolContext) -> Result<ToolOutput> {
        let posted = context.chat.post(&self.post).await;
        self.done(context, &posted.map_err(not_posted)?)
    }

    async fn settle(context: &ToolContext, args: Arguments) -> Result<Settled> {
        let prepared = Self::prepare(context, &args).await?;
        let (since, read) = (context.call.since, prepared.target.read_from);
        match context.chat.find(&prepared.post.look_since(since)).await {
            Ok(Some(posted)) => {
                let output = prepared.done(context, &posted)?;
                Ok(Settled::Done(Box::new(output)))
            }
            // The name may have meant another person when the message was sent.
            Ok(None) if read.is_some_and(|at| at >= since) => Ok(Settled::Unknown),
            Ok(None) => Ok(Settled::NotDone),
            Err(ChatError::Refused { code, .. }) => {
                tracing::warn!(slack.error = code, "a message can't be looked for");
                Ok(Settled::Unknown)
            }
            Err(passing) => Err(not_read(passing)),
        }
    }
}
