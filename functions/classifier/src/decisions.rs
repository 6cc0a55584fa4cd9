//! A yes or a no in words (annex 1): it counts where it answers a card, under the very same checks as a click.

use alfred_agent::approval::decide::{Decision, decide};
use alfred_agent::approval::{Approval, Question, Verdict, card, listed, pending, show, words};
use alfred_agent::claim::{Claimed, claim};
use alfred_core::envelope::SlackMessage;
use alfred_core::ports::{ChatError, ChatMessage};
use alfred_core::{ApprovalId, Envelope, Failure, ReplyAddress};

use crate::{Classifier, answering, people};

/// Messages that are looked at before a yes or a no: cards asked at once stand one behind the other.
const LOOK_BACK: usize = 12;

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
        let before = self.said_before(message).await?;
        if let Some(named) = named
            && let [one] = called(&waiting, &named.name).as_slice()
            && !(named.answers && asks(&before))
        {
            let answer = (named.verdict, None);
            return self.decide_in_words(envelope, to, one, answer).await;
        }
        let Some(answer) = bare else {
            return Ok(false);
        };
        let answered = cards(&before);
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
                let (words, blocks) = listed::shown(&waiting);
                let list = answering::post(envelope, to, words, blocks);
                let whose = (&envelope.team, &envelope.user);
                listed::remember(&self.ports, whose, &list, &waiting).await?;
                answering::noticed(&self.ports, envelope, list).await?;
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

/// Whether Alfred asked something last, which is what a "yes, …" then answers; or nobody can tell.
fn asks(before: &[ChatMessage]) -> bool {
    let asks = |last: &ChatMessage| last.from_app && last.text.contains('?');
    before.first().is_none_or(asks)
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
