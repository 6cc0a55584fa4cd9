//! A yes or a no in words (annex 1): it counts where it answers a card, under the very same checks as a click.

use alfred_agent::approval::decide::{Decision, decide};
use alfred_agent::approval::{Approval, Question, Verdict, card, pending, show, words};
use alfred_agent::claim::{Claimed, claim};
use alfred_agent::rich_text;
use alfred_core::envelope::SlackMessage;
use alfred_core::ports::{ChatError, ChatMessage};
use alfred_core::{ApprovalId, Envelope, Failure, ReplyAddress, text};
use serde_json::Value;

use crate::{Classifier, answering, people};

/// Messages read before a yes or a no, to find the cards that it answers.
const LOOK_BACK: usize = 12;
/// Cards named where a yes or a no could mean several.
const MOST_NAMED: usize = 20;
/// Characters of each.
const NAME_CHARS: usize = 200;

impl Classifier {
    /// Takes a message as a decision if it is one, and answers or names a card.
    pub(crate) async fn decided_in_words(
        &self,
        envelope: &Envelope,
        message: &SlackMessage,
        said: &str,
    ) -> Result<bool, Failure> {
        let (bare, named) = (words::decision(said), words::naming(said));
        let to = &message.reply_to;
        // Cards are in direct messages alone.
        let possible = bare.is_some() || named.is_some();
        if !possible || !to.channel.as_str().starts_with('D') {
            return Ok(false);
        }
        let mut waiting =
            pending::pending(&*self.ports.store, &envelope.team, &envelope.user).await?;
        if waiting.is_empty() || people::known(&self.ports, envelope).await?.is_none() {
            return Ok(false);
        }
        if let Some((verdict, name)) = named
            && let [one] = called(&waiting, &name).as_slice()
        {
            return self
                .decide_in_words(envelope, to, one, (verdict, None))
                .await;
        }
        let Some(answer) = bare else {
            return Ok(false);
        };
        let answered = cards(&self.said_before(message).await?);
        if !waiting.iter().any(|one| answered.contains(&one.id)) {
            return Ok(false);
        }
        waiting.retain(|one| answered.contains(&one.id) || stands_in(one, to));
        match waiting.as_slice() {
            // What nobody can tell the outcome of has three answers, and "yes" is none of them.
            [one] if one.question == Question::MayItRun => {
                self.decide_in_words(envelope, to, one, answer).await
            }
            _ => {
                let words = text::WHICH_ONE;
                let blocks = which_one(words, &waiting);
                answering::notice_with(&self.ports, envelope, to, words, blocks).await?;
                Ok(true)
            }
        }
    }

    async fn decide_in_words(
        &self,
        envelope: &Envelope,
        to: &ReplyAddress,
        approval: &Approval,
        (verdict, note): (Verdict, Option<String>),
    ) -> Result<bool, Failure> {
        match claim(&self.ports, &envelope.into(), Some(&approval.run)).await? {
            Claimed::First => {}
            Claimed::Again(run) if run.as_ref() == Some(&approval.run) => {}
            // It was served otherwise, when more waited than now.
            Claimed::Again(_) | Claimed::Duplicate => return Ok(true),
        }
        let about = (approval.id.clone(), approval.revision);
        let decision = Decision {
            note,
            ..Decision::by_sender(envelope, about, verdict)
        };
        let outcome = decide(&self.ports, &decision).await?;
        if let Some(words) = show::settle(&self.ports, outcome, None).await? {
            answering::notice(&self.ports, envelope, to, words).await?;
        }
        Ok(true)
    }

    /// What was said right before a message, the last first. Slack's order of the messages tells: a yes that was on
    /// its way before a card is older than it.
    async fn said_before(&self, message: &SlackMessage) -> Result<Vec<ChatMessage>, Failure> {
        let to = &message.reply_to;
        let look =
            self.ports
                .chat
                .before(&to.channel, to.thread_ts.as_deref(), &message.ts, LOOK_BACK);
        match look.await {
            Ok(said) => Ok(said),
            // Where nobody can tell, it is an ordinary message.
            Err(ChatError::Refused { code, .. }) => {
                tracing::warn!(
                    slack.error = code,
                    "what a yes or a no answers can't be read"
                );
                Ok(Vec::new())
            }
            Err(error) => Err(error.into()),
        }
    }
}

/// The cards that were said last in a conversation, or the root of a thread in which nothing else was said:
/// anything said in between stands between.
fn cards(before: &[ChatMessage]) -> Vec<ApprovalId> {
    let cards = before.iter();
    let cards = cards.map_while(|one| card::asked_by(one.key.as_deref()?));
    cards.collect()
}

/// The question which card is meant, with a line about each. Titles and names are values: `rich_text` renders them
/// without links or mentions.
fn which_one(words: &str, waiting: &[Approval]) -> Vec<Value> {
    let line =
        |words: &str| rich_text::block(vec![rich_text::section(vec![rich_text::line(words)])]);
    let named = waiting.iter().take(MOST_NAMED).map(|one| {
        let body = one.preview.body.as_ref().map(|body| format!(": “{body}”"));
        line(&rich_text::cut(
            &(one.preview.in_short() + &body.unwrap_or_default()),
            NAME_CHARS,
        ))
    });
    std::iter::once(line(words)).chain(named).collect()
}

/// Those that may run, and that these words name.
fn called<'a>(waiting: &'a [Approval], name: &str) -> Vec<&'a Approval> {
    let named = waiting.iter().filter(|one| {
        one.question == Question::MayItRun && words::names(name, &one.preview.in_short())
    });
    named.collect()
}

/// Whether the card of an approval was posted into this conversation.
fn stands_in(approval: &Approval, to: &ReplyAddress) -> bool {
    let (channel, thread_ts) = approval.place();
    let direct = channel == to.channel || channel.as_str() == approval.owner.as_str();
    direct && thread_ts == to.thread_ts
}
