//! Words in the Modify form of a proposal. They become their owner's next request.

use alfred_agent::Deadline;
use alfred_agent::approval::decide::{Decision, decide};
use alfred_agent::approval::pending;
use alfred_agent::model::{Approval, OpenApproval, Verdict};
use alfred_agent::slack::{card, edit, show};
use alfred_agent::store::claim::{Origin, Served, served};
use alfred_core::envelope::{ViewSubmission, quotes};
use alfred_core::{Envelope, ReplyAddress, ResponseType, Result, SessionId, text};
use serde_json::Value;

use crate::asked::Asked;
use crate::{Classifier, answering};

/// A submitted Modify form with words in it.
pub(crate) struct Form {
    /// The proposal as its owner left it.
    pub about: OpenApproval,
    /// Drops the unticked parts.
    pub edit: Option<Decision>,
}

impl Classifier {
    /// Takes the words of a form as their owner's request.
    pub(crate) async fn take_form(
        &self,
        envelope: &Envelope,
        view: &ViewSubmission,
        approval: Approval,
        deadline: Deadline,
    ) -> Result<()> {
        let (ports, team, user) = (&self.ports, &envelope.team, &envelope.user);
        let Some((id, revision)) = card::parse_value(&view.private_metadata) else {
            return Ok(());
        };
        // A redelivery continues the request, although the proposal may have changed since.
        let before = served(&*ports.store, team, &envelope.trace_id).await?;
        if !matches!(before, Served::Run(_)) {
            let trouble = if approval.owner == *user {
                self.not_open(&approval, revision)
            } else {
                Some(text::NOT_YOUR_DECISION.to_owned())
            };
            if let Some(words) = trouble {
                let to = ReplyAddress::direct(user);
                return answering::notice(ports, envelope, &to, words).await;
            }
        }
        let task = edit::words(&approval, &view.values).unwrap_or_default();
        let card = show::posted(ports, &approval).await?;
        let (channel, thread_ts) = approval.place();
        // What was read for other requests must not taint these words, so they share no memory with those.
        let envelope = Envelope {
            session: SessionId::new(team, user, &channel, Some(id.as_str())),
            ..envelope.clone()
        };
        let asked = Asked {
            quotes: quotes(&task, &Value::Null),
            task,
            ts: card.as_ref().map(|card| card.ts.clone()),
            reply_to: ReplyAddress {
                channel: card.map_or(channel, |card| card.channel),
                thread_ts,
                response_type: ResponseType::Dm,
            },
            form: Some(Form::new(&envelope, revision, approval, &view.values)),
            ..Asked::default()
        };
        let session = Origin::from(&envelope).session(ports).await?;
        Box::pin(self.take_in(&envelope, asked, session, deadline)).await
    }

    /// Drops the parts of a proposal that its form left out, without a model. A repeated call drops them once.
    pub(crate) async fn drop_parts(&self, form: Option<&Form>) -> Result<()> {
        if let Some(edit) = form.and_then(|form| form.edit.as_ref()) {
            let outcome = decide(&self.ports, edit).await?;
            show::settle(&self.ports, outcome, None).await?;
        }
        Ok(())
    }
}

impl Form {
    fn new(envelope: &Envelope, revision: u32, mut approval: Approval, values: &Value) -> Self {
        let left = edit::arguments(&approval, values);
        let id = approval.id.clone();
        let edit = (left != approval.payload).then(|| Decision {
            arguments: Some(left.clone()),
            ..Decision::by_sender(envelope, id, revision, Verdict::Edit)
        });
        approval.payload = left;
        let tool = alfred_tools::tool(&approval.action_type);
        let about = OpenApproval {
            form: true,
            ..pending::listed(&approval, tool.as_ref())
        };
        Self { about, edit }
    }
}
