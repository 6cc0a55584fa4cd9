//! The result of a plan, and the calls that propose again what failed.

use alfred_agent::tool::PartDone;

use super::{ANALYZE, ASSIGN, CREATE, DELETE, MOVE, Plan, Schedule, steps};
use crate::fields::counted;
use crate::prelude::*;
use crate::workflow::composed::Workflow;
use crate::workflow::fill_work_block;
use crate::workflow::proposal::{Ended, left, list, offered, summary, trouble};

pub(super) fn ended(plan: &Plan, done: &[PartDone<'_>]) -> Ended {
    let (date, wanted) = (&plan.proposal.date.to_string(), &plan.confirmation);
    let part = |tool: &str| done.iter().find(|part| part.tool == tool);
    let worked = |tool: &str| {
        let parts = done.iter().filter(|part| part.tool == tool);
        parts.filter(|part| trouble(part).is_none()).count()
    };
    let (moved, removed) = (worked(MOVE), worked(DELETE));
    let created = part(CREATE);
    let (blocks, conflicts) = (list(created, "created"), list(created, "conflicts"));
    let mut failed: Vec<String> = done.iter().filter_map(trouble).collect();
    let (mut planned, mut again) = (0, Vec::new());
    let steps = steps(plan, created);
    let assigning = steps
        .iter()
        .zip(done)
        .filter(|(_, part)| part.tool == ASSIGN);
    for ((_, arguments), part) in assigning {
        planned += list(Some(part), "assigned").len();
        let refused = list(Some(part), "failed").into_iter();
        failed.extend(refused.filter_map(|one| Some(one["reason"].as_str()?.to_owned())));
        let ids: Vec<String> =
            serde_json::from_value(arguments["taskIds"].clone()).unwrap_or_default();
        let ids = left(Some(part), &ids);
        again.extend(fill_work_block::again(&arguments["blockId"], ids, date));
    }
    let all_changed = moved == wanted.moves.len() && removed == wanted.removals.len();
    if !all_changed || !conflicts.is_empty() || created.and_then(trouble).is_some() {
        // Existing blocks stay, so planning the day again proposes only what is missing.
        let wish = Schedule::leaving_out(plan.wish.clone(), plan.without.clone());
        again.extend(offered(Schedule::NAME, &wish, Some(date)));
    }
    let problems = conflicts.len() + failed.len();
    let phrase = |count, verb: &str, noun| (count, format!("{verb} {}", counted(count, noun)));
    let phrases = [
        phrase(blocks.len(), "created", "time block"),
        phrase(moved, "moved", "time block"),
        phrase(removed, "removed", "time block"),
        phrase(planned, "planned", "task"),
    ];
    Ended {
        whole: problems == 0,
        data: json!({
            "date": date,
            "summary": summary(phrases, problems),
            "blocks": blocks,
            "moved": moved,
            "removed": removed,
            "planned": planned,
            "conflicts": conflicts,
            "failed": failed,
            "utilization": part(ANALYZE).map(|part| &part.output["utilization"]),
        }),
        again,
        offers: Vec::new(),
    }
}
