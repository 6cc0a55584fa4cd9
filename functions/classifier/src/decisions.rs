//! Decisions in words: "yes" or "no" that answers a card. The checks are the same as for a click.

use alfred_agent::approval::decide::{Decision, decide};
use alfred_agent::approval::{pending, words};
use alfred_agent::model::{Approval, Question, Verdict};
use alfred_agent::slack::{card, rich_text, show};
use alfred_agent::store::claim::{Claimed, claim};
use alfred_core::envelope::SlackMessage;
use alfred_core::ports::{ChatError, ChatMessage};
use alfred_core::{ApprovalId, Envelope, ReplyAddress, Result, text};
use serde_json::Value;

use crate::{Classifier, answering, people};

/// Messages read before a yes or no, to find the cards that it answers.
const LOOK_BACK: usize = 12;
const MOST_NAMED: usize = 20;
const NAME_CHARS: usize = 200;

impl Classifier {
    /// Decides an approval, or asks which one is meant. Returns whether the message was a decision.
    pub(crate) async fn decided_in_words(
        &self,
        envelope: &Envelope,
        message: &SlackMessage,
        said: &str,
    ) -> Result<bool> {
        let (bare, named) = (words::decision(said), words::naming(said));
        let to = &message.reply_to;
        // Cards are posted only in direct messages.
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
            let answer = (verdict, None);
            return self.decide_in_words(envelope, to, one, answer).await;
        }
        let Some(answer) = bare else {
            return Ok(false);
        };
        let answered = cards(&self.said_before(message).await?, &waiting);
        if !waiting.iter().any(|one| answered.contains(&one.id)) {
            return Ok(false);
        }
        waiting.retain(|one| answered.contains(&one.id) || stands_in(one, to));
        match waiting.as_slice() {
            // A call with an unknown outcome has three possible answers, so "yes" can't decide it.
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
    ) -> Result<bool> {
        match claim(&self.ports, &envelope.into(), Some(&approval.run)).await? {
            Claimed::First => {}
            Claimed::Again(run) if run.as_ref() == Some(&approval.run) => {}
            // The first delivery handled this message differently, when more approvals were pending.
            Claimed::Again(_) | Claimed::Duplicate => return Ok(true),
        }
        let decision = Decision {
            note,
            ..Decision::by_sender(envelope, approval.id.clone(), approval.revision, verdict)
        };
        let outcome = decide(&self.ports, &decision).await?;
        if let Some(words) = show::settle(&self.ports, outcome, None).await? {
            answering::notice(&self.ports, envelope, to, words).await?;
        }
        Ok(true)
    }

    /// The messages before this one, newest first. Slack's order decides: a "yes" sent before a card is older than it.
    async fn said_before(&self, message: &SlackMessage) -> Result<Vec<ChatMessage>> {
        let to = &message.reply_to;
        let (chat, thread) = (&self.ports.chat, to.thread_ts.as_deref());
        let look = chat.before(&to.channel, thread, &message.ts, LOOK_BACK);
        match look.await {
            Ok(said) => Ok(said),
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

/// The cards at the end of a conversation. Only the answer of a run that changed a card's proposal may stand below it,
/// if it asks nothing.
fn cards(before: &[ChatMessage], waiting: &[Approval]) -> Vec<ApprovalId> {
    let run = |key: &str| key.split(':').next().map(str::to_owned);
    let tells_of_change = |one: &&ChatMessage| {
        let changed = |key: &str| {
            let mut edits = waiting.iter().filter_map(|card| card.edited_by.as_deref());
            edits.any(|edit| run(edit) == run(key))
        };
        one.key.as_deref().is_some_and(changed) && !one.text.contains('?')
    };
    let cards = before.iter().skip_while(tells_of_change);
    let cards = cards.map_while(|one| card::asked_by(one.key.as_deref()?));
    cards.collect()
}

/// `rich_text` renders titles and names without links or mentions.
fn which_one(words: &str, waiting: &[Approval]) -> Vec<Value> {
    let line = |words: &str| rich_text::line_block(vec![rich_text::line(words)]);
    let named = waiting
        .iter()
        .take(MOST_NAMED)
        .map(|one| line(&rich_text::cut(&one.in_short(), NAME_CHARS)));
    std::iter::once(line(words)).chain(named).collect()
}

fn called<'a>(waiting: &'a [Approval], name: &str) -> Vec<&'a Approval> {
    let named = waiting.iter().filter(|one| {
        one.question == Question::MayItRun && words::names(name, &one.preview.in_short())
    });
    named.collect()
}

fn stands_in(approval: &Approval, to: &ReplyAddress) -> bool {
    let (channel, thread_ts) = approval.place();
    let direct = channel == to.channel || channel.as_str() == approval.owner.as_str();
    direct && thread_ts == to.thread_ts
}
