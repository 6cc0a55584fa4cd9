use super::TOOLSET;
use super::proposal::{self, WhichProposal};
use crate::approval::status_at;
use crate::prelude::*;

pub fn tool() -> SharedTool {
    let description =
        "Gives a workflow's proposal as text, with its parts. The person has it on a card.";
    let def = ToolDef::new(TOOLSET, "system_presentProposal", description)
        // Proposals also hold titles and mail of other people.
        .flow(Flow::UNKNOWN);
    tool::full(def, present)
}

async fn present(context: ToolContext, args: WhichProposal) -> Result<ToolOutput> {
    let approval = proposal::find(&context, args.proposal_id.as_deref()).await?;
    let items = approval.preview.items.iter();
    let items: Vec<&str> = items.map(|item| item.label.as_str()).collect();
    let tool = crate::tool(&approval.action_type);
    let workflow = tool.as_ref().and_then(|tool| tool.proposal());
    // The card of a proposal that another release stored is still shown.
    let proposal = workflow.and_then(|workflow| workflow.first_phase(&approval.payload).ok());
    let presented = json!({
        "proposalId": approval.id,
        "revision": approval.revision,
        "status": status_at(&approval, context.now),
        "title": approval.preview.title,
        "text": approval.preview.as_text(),
        "items": items,
        "proposal": proposal,
    });
    // A proposal may hold anything that was read for it.
    Ok(ToolOutput::data(&presented)?.bringing(Flow::of_stored(true)))
}
