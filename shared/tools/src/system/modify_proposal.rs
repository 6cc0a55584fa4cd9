use alfred_agent::model::Verdict;
use serde_json::Map;

use super::{TOOLSET, proposal};
use crate::prelude::*;

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Arguments {
    /// The one that waits when left out.
    proposal_id: Option<String>,
    /// The person's new wishes, in the fields of its workflow's changes; wishes that fit no field go into unmet.
    changes: Map<String, Value>,
}

pub fn tool() -> SharedTool {
    let description =
        "Changes an open proposal as the person wants, and asks them about the new one on a card.";
    let def = ToolDef::new(TOOLSET, "system_modifyProposal", description)
    // The changes steer the proposal, and habits are learned from the proposal.
    .flow(Flow::PRIVATE.steering())
    .with(|def| def.narrowing = &["nothingElse"])
    .rules(&[
        "When the person wants a waiting proposal changed, call system_modifyProposal at once, with all their wishes as changes; don't look it up first or propose it again. If one of several changes fails, call again without it and tell the person.",
    ])
    .effect(Effect::ReversibleWrite);
    tool::shown(def, preview, modify)
}

async fn preview(context: ToolContext, args: Arguments) -> Result<Preview> {
    let approval = proposal::open(&context, args.proposal_id.as_deref()).await?;
    let mut preview = Preview::new("Change a proposal").field("Proposal", &approval.preview.title);
    let changes = Preview::of_arguments("", &Value::Object(args.changes));
    preview.fields.extend(changes.fields);
    Ok(preview)
}

async fn modify(context: ToolContext, args: Arguments) -> Result<ToolOutput> {
    let named = args.proposal_id.as_deref();
    let mut approval = proposal::find(&context, named).await?;
    let mut arguments = None;
    // An earlier attempt of this call may have decided without recording its result.
    if approval.resolved_trigger.as_ref() != Some(&context.call.key) {
        approval = proposal::open(&context, named).await?;
        let changes = Value::Object(args.changes);
        let tool = crate::tool(&approval.action_type);
        let tool = tool.ok_or_else(|| ToolError::failed(text::NO_SUCH_APPROVAL))?;
        let other = "This is no proposal of a workflow. The person changes it on its card.";
        let proposal = tool.proposal().ok_or(ToolError::failed(other))?;
        arguments = Some(proposal.changed(&context, &approval, changes).await?);
    }
    let data = json!({"proposalId": approval.id, "revision": approval.revision + 1});
    Ok(ToolOutput::data(&data)?.deciding(proposal::choice(&approval, Verdict::Edit, arguments)))
}
