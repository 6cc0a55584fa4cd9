use alfred_agent::model::approval::Verdict;
use alfred_agent::slack::choose;
use alfred_agent::tool::Choice;

use super::{TOOLSET, proposal};
use crate::prelude::*;

const MOST: usize = 1_000;

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Arguments {
    /// The one that waits when left out.
    proposal_id: Option<String>,
    /// What they want otherwise, in their own words.
    feedback: String,
}

pub fn tool() -> SharedTool {
    let def = ToolDef::new(TOOLSET, "system_modifyProposal",
        "Works an open proposal out anew, with what the person wants otherwise.",
    )
    // The feedback steers the proposal, and habits are learned from the proposal.
    .flow(Flow::PRIVATE.steering())
    .rules(&[
        "When the person wants a waiting proposal otherwise, call system_modifyProposal; don't propose it anew.",
    ])
    .effect(Effect::ReversibleWrite);
    tool::shown(def, preview, modify)
}

async fn preview(context: ToolContext, args: Arguments) -> Result<Preview, ToolError> {
    let approval = proposal::open(&context, args.proposal_id.as_deref()).await?;
    let preview = Preview::new("Change a proposal");
    let preview = preview.field("Proposal", &approval.preview.title);
    Ok(preview.body(args.feedback))
}

async fn modify(context: ToolContext, args: Arguments) -> Result<ToolOutput, ToolError> {
    let words = text_up_to("feedback", &args.feedback, MOST).map_err(invalid)?;
    if words.is_empty() {
        let problem = "is empty; say what should be otherwise.";
        return Err(refused("feedback", &args.feedback, problem));
    }
    let approval = proposal::open(&context, args.proposal_id.as_deref()).await?;
    if approval.preview.items.is_empty() {
        let problem =
            "is no proposal of a workflow. The person changes it with the Edit button of its card.";
        return Err(refused("proposalId", approval.id.as_str(), problem));
    }
    let arguments = choose::anew(&approval.payload, std::iter::empty());
    let data = json!({"proposalId": approval.id, "revision": approval.revision + 1});
    let choice = Choice {
        approval: approval.id,
        revision: approval.revision,
        verdict: Verdict::Edit,
        arguments: Some(arguments),
        note: Some(words),
    };
    Ok(ToolOutput::data(&data)?.deciding(choice))
}

#[cfg(test)]
#[path = "modify_proposal_tests.rs"]
mod tests;
