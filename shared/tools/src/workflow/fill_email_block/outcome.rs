//! What a triage came to, what of its proposal the person took, and the call that would archive the rest.

use alfred_agent::tool::PartDone;
use alfred_core::text;
use serde_json::{Value, json};

use super::{Arguments, Changes, FillEmailBlock, Mail, Triage};
use crate::system::history::{Again, Offer};
use crate::workflow::composed::Workflow;
use crate::workflow::proposal::{Ended, offered, trouble};

/// What it came to.
pub(super) fn ended(triage: &Triage, done: &[PartDone<'_>]) -> Ended {
    let part = done.first();
    let (wish, wanted, proposal) = (&triage.wish, &triage.confirmation, &triage.proposal);
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
            "blockId": wish.block_id,
            "processed": urgent,
            "archived": archived,
            "summary": text::triaged(archived, left.len(), urgent),
            "failed": failed,
            "problem": problem,
        }),
        again: again(wish, left).into_iter().collect(),
        offers,
    }
}

/// The call that proposes to archive these and nothing else; `None` without any.
fn again(wish: &Arguments, left: Vec<String>) -> Option<Again> {
    if left.is_empty() {
        return None;
    }
    let call = Arguments {
        changes: Changes {
            archive: left,
            nothing_else: true,
            ..Changes::default()
        },
        ..wish.clone()
    };
    offered(FillEmailBlock::NAME, &call, None)
}
