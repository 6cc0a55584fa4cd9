use alfred_agent::model::{Approval, Item, Verdict};
use alfred_agent::slack::edit;

use super::{TOOLSET, proposal};
use crate::prelude::*;

const ONLY_BY_PERSON: &str = "approved: only the person confirms a proposal, with the buttons of its card or by answering yes. Tell them that it waits for them.";

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Arguments {
    /// The one that waits when left out.
    proposal_id: Option<String>,
    /// false cancels it; true with the chosen parts.
    approved: bool,
    /// Of a plan: when its blocks start, "09:00".
    approved_blocks: Option<Vec<String>>,
    /// Of a work block: ids of tasks.
    approved_task_ids: Option<Vec<String>>,
    /// Of a triage: ids of mails.
    approved_archive_ids: Option<Vec<String>>,
    /// Of a triage: ids of mails.
    approved_urgent_ids: Option<Vec<String>>,
}

pub fn tool() -> SharedTool {
    let description = "Cancels a waiting proposal or other card, or asks again about a part of a proposal. Only the person can approve, on the card.";
    let def = ToolDef::new(TOOLSET, "system_confirmProposal", description)
        // Choosing a part steers what is learned about the person; a plain yes or no doesn't.
        .flow(Flow::PRIVATE.steering())
        .effect(Effect::ReversibleWrite);
    let mut verdict = def.clone();
    verdict.flow.steers = false;
    let is_bare =
        |args: &Arguments| !args.approved || args.lists().iter().all(|(_, list)| list.is_none());
    varying(tool::shown(def, preview, confirm), verdict, is_bare)
}

async fn preview(context: ToolContext, args: Arguments) -> Result<Preview> {
    let approval = proposal::open(&context, args.proposal_id.as_deref()).await?;
    let title = if args.approved {
        "Show a part of a proposal again"
    } else {
        "Call a proposal off"
    };
    let preview = Preview::new(title).field("Proposal", &approval.preview.title);
    let Some(left_out) = args.left_out(&approval)?.filter(|_| args.approved) else {
        return Ok(preview);
    };
    let items = approval.preview.items.iter();
    let kept = items.filter(|item| !left_out.contains(item));
    let kept: Vec<&str> = kept.map(|item| item.label.as_str()).collect();
    Ok(preview.body(kept.join("\n")))
}

async fn confirm(context: ToolContext, args: Arguments) -> Result<ToolOutput> {
    let approval = proposal::open(&context, args.proposal_id.as_deref()).await?;
    let left_out = args.left_out(&approval)?;
    let chosen = left_out.map(|items| edit::without(&approval.payload, &items));
    let (verdict, arguments) = match chosen {
        _ if !args.approved => (proposal::refusal(&context), None),
        Some(part) => (Verdict::Edit, Some(part)),
        None if context.call.by_hand => (Verdict::Approve, None),
        None => return Err(ToolError::failed(ONLY_BY_PERSON).say(text::WAITS_FOR_YOU)),
    };
    let data = json!({
        "proposalId": approval.id,
        "decision": match verdict {
            Verdict::Reject | Verdict::CallOff => "cancelled",
            Verdict::Edit => "shown again with what was chosen",
            _ => "approved",
        },
    });
    Ok(ToolOutput::data(&data)?.deciding(proposal::choice(&approval, verdict, arguments)))
}

impl Arguments {
    /// The arguments that choose parts.
    fn lists(&self) -> [(&'static str, &Option<Vec<String>>); 4] {
        [
            ("approvedBlocks", &self.approved_blocks),
            ("approvedTaskIds", &self.approved_task_ids),
            ("approvedArchiveIds", &self.approved_archive_ids),
            ("approvedUrgentIds", &self.approved_urgent_ids),
        ]
    }

    /// The parts that were not chosen; `None` if all were.
    fn left_out<'a>(&self, approval: &'a Approval) -> Result<Option<Vec<&'a Item>>> {
        let (mut places, mut partly) = (Vec::new(), false);
        for (field, list) in self.lists() {
            let Some(chosen) = list else { continue };
            let there = approval.payload["confirmation"][field].as_array();
            let names: Vec<&str> = there.into_iter().flatten().filter_map(name).collect();
            if let Some(stranger) = chosen.iter().find(|one| !names.contains(&one.as_str())) {
                let parts = match names.as_slice() {
                    [] => String::new(),
                    names => format!(" Its parts are {}.", names.join(", ")),
                };
                let problem = format!("is no part of this proposal.{parts}");
                return Err(refused(field, stranger, problem));
            }
            let is_left = |name: &str| !chosen.iter().any(|one| one == name);
            partly |= names.iter().any(|name| is_left(name));
            let left = names.iter().enumerate().filter(|(_, name)| is_left(name));
            places.extend(left.map(|(at, _)| format!("/confirmation/{field}/{at}")));
        }
        let items = approval.preview.items.iter();
        let left_out = items.filter(|item| places.contains(&item.at));
        Ok(partly.then(|| left_out.collect()))
    }
}

/// The id of a part, or when it starts.
fn name(part: &Value) -> Option<&str> {
    part.as_str().or_else(|| part["startTime"].as_str())
}
