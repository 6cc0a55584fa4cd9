//! What a triage came to, what of its proposal the person took, and the call that would archive the rest.

use alfred_agent::tool::PartDone;
use alfred_core::text;
use alfred_tools::system::history::{Again, Offer};
use serde_json::{Value, json};

use super::{Arguments, Confirmation, FillEmailBlock, Mail};
use crate::composed::Workflow;
use crate::proposal::{Ended, offered};
use crate::toolset::trouble;

/// What it came to.
pub(super) fn ended(args: &Arguments, done: &[PartDone<'_>]) -> Ended {
    let part = done.first();
    let wanted = args.confirmation.clone().unwrap_or_default();
    let proposal = args.proposal.clone().unwrap_or_default();
    let field = |name: &str| part.map_or(Value::Null, |part| part.output[name].clone());
    let archived = field("archived").as_u64().unwrap_or_default();
    let failed = field("failed").as_array().cloned().unwrap_or_default();
    let (urgent, problem) = (wanted.approved_urgent_ids.len(), part.and_then(trouble));
    let is_left = |id: &String| problem.is_some() || failed.iter().any(|failed| failed == id);
    let left: Vec<String> = wanted
        .approved_archive_ids
        .iter()
        .filter(|id| is_left(id))
        .cloned()
        .collect();
    let offer = |mail: &Mail| Offer::Archiving {
        sender: mail.sender(),
        taken: wanted.approved_archive_ids.contains(&mail.id),
    };
    let offers = proposal.to_archive.iter().map(offer).collect();
    Ended {
        whole: failed.is_empty() && problem.is_none(),
        data: json!({
            "phase": "completed",
            "blockId": args.block_id,
            "processed": urgent,
            "archived": archived,
            "summary": text::triaged(archived, left.len(), urgent),
            "failed": failed,
            "problem": problem,
        }),
        again: again(args, left).into_iter().collect(),
        offers,
    }
}

/// The call that archives these; `None` without any.
fn again(args: &Arguments, left: Vec<String>) -> Option<Again> {
    if left.is_empty() {
        return None;
    }
    let call = Arguments {
        block_id: args.block_id.clone(),
        confirmation: Some(Confirmation {
            approved: true,
            approved_archive_ids: left,
            ..Confirmation::default()
        }),
        ..Arguments::default()
    };
    offered(FillEmailBlock::NAME, &call, None)
}
