//! A yes or a no in words (annex 1): it counts where it answers a card, under the very same checks as a click.

use alfred_agent::approval::decide::{Decision, decide};
use alfred_agent::approval::{Approval, Question, Verdict, card, pending, show, words};
use alfred_agent::claim::{Claimed, claim};
use alfred_agent::rich_text;
use alfred_core::envelope::SlackMessage;
use alfred_core::ports::ChatError;
use alfred_core::{ApprovalId, Envelope, Failure, ReplyAddress, text};
use serde_json::Value;

use crate::{Classifier, answering, people};

/// Messages that are looked at before a yes or a no: cards asked at once stand one behind the other.
const LOOK_BACK: usize = 12;
/// Approvals a question names, and characters of each.
const MOST_LISTED: usize = 20;
const LINE_CHARS: usize = 200;

impl Classifier {
    /// Takes a message as a decision if it is one, and answers a card.
    pub(crate) async fn decided_in_words(
        &self,
        envelope: &Envelope,
        message: &SlackMessage,
        said: &str,
    ) -> Result<bool, Failure> {
        let Some((verdict, note)) = words::decision(said) else {
            return Ok(false);
        };
        let to = &message.reply_to;
        // Cards are in direct messages alone.
        if !to.channel.as_str().starts_with('D') {
            return Ok(false);
        }
        let mut waiting =
            pending::pending(&*self.ports.store, &envelope.team, &envelope.user).await?;
        if waiting.is_empty() || people::known(&self.ports, envelope).await?.is_none() {
            return Ok(false);
        }
        let answered = self.cards_before(message).await?;
        if !waiting.iter().any(|one| answered.contains(&one.id)) {
            return Ok(false);
        }
        waiting.retain(|one| answered.contains(&one.id) || stands_in(one, to));
        match waiting.as_slice() {
            // What nobody can tell the outcome of has three answers, and "yes" is none of them.
            [one] if one.question == Question::MayItRun => {
                self.decide_in_words(envelope, to, one, (verdict, note))
                    .await
            }
            _ => {
                let words = text::which_one();
                let blocks = which_one(&words, &waiting);
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

    /// The cards right before a message: what was said last in its conversation, or the root of a thread in which
    /// nothing else was said. Slack's order of the messages tells: a yes that was on its way before the card is
    /// older than it, and anything said in between stands between.
    async fn cards_before(&self, message: &SlackMessage) -> Result<Vec<ApprovalId>, Failure> {
        let to = &message.reply_to;
        let look =
            self.ports
                .chat
                .before(&to.channel, to.thread_ts.as_deref(), &message.ts, LOOK_BACK);
        let said = match look.await {
            Ok(said) => said,
            // Where nobody can tell, it is an ordinary message.
            Err(ChatError::Refused { code, .. }) => {
                tracing::warn!(
                    slack.error = code,
                    "what a yes or a no answers can't be read"
                );
                return Ok(Vec::new());
            }
            Err(error) => return Err(error.into()),
        };
        let cards = said
            .iter()
            .map_while(|one| card::asked_by(one.key.as_deref()?));
        Ok(cards.collect())
    }
}

/// What waits, by what it does: in `rich_text`, since titles and names are values.
fn which_one(words: &str, waiting: &[Approval]) -> Vec<Value> {
    let line = |one: &Approval| {
        let short = rich_text::cut(&one.preview.in_short(), LINE_CHARS);
        rich_text::section(vec![rich_text::line(&short)])
    };
    let listed = waiting.iter().take(MOST_LISTED).map(line).collect();
    vec![rich_text::block(vec![
        rich_text::section(vec![rich_text::line(words)]),
        rich_text::list(listed),
    ])]
}

/// Whether the card of an approval was posted into this conversation.
fn stands_in(approval: &Approval, to: &ReplyAddress) -> bool {
    let (channel, thread_ts) = approval.place();
    let direct = channel == to.channel || channel.as_str() == approval.owner.as_str();
    direct && thread_ts == to.thread_ts
}
