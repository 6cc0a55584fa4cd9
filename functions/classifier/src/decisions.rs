//! A yes or a no in words (annex 1): it counts under the very same checks as a click.

use alfred_agent::approval::decide::{Decision, decide};
use alfred_agent::approval::{Approval, Question, pending, show, words};
use alfred_agent::claim::{Claimed, claim};
use alfred_core::{Envelope, Failure, ReplyAddress, ResponseType, Taint, text};

use crate::{Classifier, answering, people};

impl Classifier {
    /// Takes a message as a decision if it is one, and something waits for it here.
    pub(crate) async fn decided_in_words(
        &self,
        envelope: &Envelope,
        to: &ReplyAddress,
        said: &str,
    ) -> Result<bool, Failure> {
        let Some((verdict, note)) = words::decision(said) else {
            return Ok(false);
        };
        let mut waiting = pending::of(&*self.ports.store, &envelope.team, &envelope.user).await?;
        waiting.retain(|approval| is_here(approval, to));
        if waiting.is_empty() || people::known(&self.ports, envelope).await?.is_none() {
            return Ok(false);
        }
        if let [approval] = waiting.as_slice() {
            // What nobody can tell the outcome of has three answers, and "yes" is none of them.
            if approval.question == Question::MayItRun {
                let claimed = claim(&self.ports, &envelope.into(), Some(&approval.run)).await?;
                if claimed == Claimed::Duplicate {
                    return Ok(true);
                }
                let decision = Decision {
                    team: envelope.team.clone(),
                    by: Some(envelope.user.clone()),
                    approval: approval.id.clone(),
                    revision: approval.revision,
                    verdict,
                    arguments: None,
                    note,
                    trigger: envelope.trace_id.0.clone(),
                    taint: Taint::default(),
                };
                let outcome = decide(&self.ports, &decision).await?;
                if let Some(words) = show::settle(&self.ports, outcome, None).await? {
                    answering::notice(&self.ports, envelope, to, words).await?;
                }
                return Ok(true);
            }
        }
        let titles: Vec<String> = waiting
            .iter()
            .map(|approval| approval.preview.title.clone())
            .collect();
        answering::notice(&self.ports, envelope, to, text::which_one(&titles)).await?;
        Ok(true)
    }
}

/// Whether something was asked where this was said: in the direct message, where
/// the cards are, or in the thread that made the request.
fn is_here(approval: &Approval, to: &ReplyAddress) -> bool {
    if to.response_type == ResponseType::Dm || to.channel.as_str().starts_with('D') {
        return true;
    }
    approval.asked_in.channel_id == to.channel && approval.asked_in.thread_ts == to.thread_ts
}
