//! The result of a triage, the offers that the person took, and the call that redoes what failed.

use alfred_agent::tool::PartDone;

use super::{ARCHIVE, Arguments, Changes, FillEmailBlock, MARK, Mail, Triage};
use crate::prelude::*;
use crate::system::history::{Again, Offer};
use crate::workflow::composed::Workflow;
use crate::workflow::proposal::{Ended, offered, trouble};

/// The result of one part.
struct Done {
    count: u64,
    /// Ids of unchanged mails.
    left: Vec<String>,
    problem: Option<String>,
}

impl Done {
    /// Of the part with this tool; `field` holds its count and `wanted` the requested ids.
    fn of(done: &[PartDone<'_>], tool: &str, field: &str, wanted: &[String]) -> Self {
        let part = done.iter().find(|part| part.tool == tool);
        let output = part.map_or(&Value::Null, |part| part.output);
        let problem = part.and_then(trouble);
        let failed: Vec<&Value> = output["failed"].as_array().into_iter().flatten().collect();
        let is_left = |id: &&String| problem.is_some() || failed.iter().any(|one| *one == *id);
        Self {
            count: output[field].as_u64().unwrap_or_default(),
            left: wanted.iter().filter(is_left).cloned().collect(),
            problem,
        }
    }
}

pub(super) fn ended(triage: &Triage, done: &[PartDone<'_>]) -> Ended {
    let (wish, wanted, proposal) = (&triage.wish, &triage.confirmation, &triage.proposal);
    let archived = Done::of(done, ARCHIVE, "archived", &wanted.approved_archive_ids);
    let marked = Done::of(done, MARK, "marked", &wanted.approved_urgent_ids);
    let failed = [&archived.left[..], &marked.left[..]].concat();
    let offer = |mail: &Mail| Offer::Archiving {
        sender: mail.sender(),
        taken: wanted.approved_archive_ids.contains(&mail.id),
    };
    let problems = [archived.problem, marked.problem].into_iter().flatten();
    let problems: Vec<String> = problems.collect();
    Ended {
        whole: failed.is_empty(),
        data: json!({
            "phase": "completed",
            "blockId": wish.block_id,
            "processed": marked.count,
            "archived": archived.count,
            "summary": triaged(archived.count, marked.count, failed.len()),
            "failed": failed,
            "problem": (!problems.is_empty()).then(|| problems.join(" ")),
        }),
        again: again(wish, archived.left, marked.left)
            .into_iter()
            .collect(),
        offers: proposal.to_archive.iter().map(offer).collect(),
    }
}

fn triaged(archived: u64, marked: u64, failed: usize) -> String {
    let count = |count: u64| crate::email::mails(usize::try_from(count).unwrap_or(usize::MAX));
    let mut parts = Vec::new();
    if archived > 0 {
        parts.push(format!("archived {}", count(archived)));
    }
    if marked > 0 {
        parts.push(format!("marked {} for processing", count(marked)));
    }
    if failed > 0 {
        parts.push(format!("{failed} could not be changed"));
    }
    let said = parts.join("; ");
    match said.split_at_checked(1) {
        Some((first, rest)) => format!("{}{rest}.", first.to_uppercase()),
        None => "Nothing was changed.".into(),
    }
}

/// The call that archives and marks only these mails; `None` without any.
fn again(wish: &Arguments, archive: Vec<String>, urgent: Vec<String>) -> Option<Again> {
    if archive.is_empty() && urgent.is_empty() {
        return None;
    }
    let call = Arguments {
        changes: Changes {
            archive,
            urgent,
            nothing_else: true,
            ..Changes::default()
        },
        ..wish.clone()
    };
    offered(FillEmailBlock::NAME, &call, None)
}
