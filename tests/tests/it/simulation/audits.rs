use alfred_agent::store::audit::Entry;
use alfred_agent::{LoadedRun, StepKind};
use alfred_core::keys;
use alfred_core::ports::Store;

use alfred_tests::team;

/// All errors in a run's audit chain. `by` names the users of tools other than the run's own worker.
pub async fn broken(store: &dyn Store, found: &LoadedRun, by: &[(&str, &str)]) -> Vec<String> {
    let (id, head) = (&found.run.id, &found.run.progress.audit);
    let mut wrong = Vec::new();
    let mut before = String::new();
    let mut did = Vec::new();
    for seq in 1..=head.count {
        let Some(item) = store.get(&keys::audit(&team(), id, seq)).await.unwrap() else {
            wrong.push(format!("{id}: audit entry {seq} is missing"));
            continue;
        };
        let entry: Entry = serde_json::from_value(item.body).unwrap();
        if entry.seq != seq
            || entry.before != before
            || entry.computed_hash().unwrap() != entry.hash
        {
            wrong.push(format!("{id}: audit entry {seq} breaks the chain"));
        }
        before.clone_from(&entry.hash);
        let named = [&entry.what, &entry.resource];
        let used = |tool: &&str| named.iter().any(|named| named == tool);
        if let Some((_, who)) = by.iter().find(|(tool, _)| used(tool))
            && entry.who != *who
        {
            wrong.push(format!(
                "{id}: {} of {} is said to be {}'s",
                entry.what, who, entry.who
            ));
        }
        did.push(entry.what);
    }
    if before != head.hash {
        wrong.push(format!(
            "{id}: the chain ends elsewhere than the run's row says"
        ));
    }
    let beyond = keys::audit(&team(), id, head.count + 1);
    if store.get(&beyond).await.unwrap().is_some() {
        wrong.push(format!("{id}: an audit entry behind the head"));
    }
    let replies = did.iter().filter(|what| *what == "reply").count();
    if replies != usize::from(found.run.output().is_some()) {
        wrong.push(format!("{id}: {replies} audit entries of its outcome"));
    }
    did.retain(|what| what != "reply");
    let due = found.steps.iter().filter_map(|step| due(&step.did));
    let due: Vec<String> = due.collect();
    if did != due {
        wrong.push(format!("{id}: audited {did:?} instead of {due:?}"));
    }
    wrong
}

/// The action that the step's audit entry must have.
fn due(did: &StepKind) -> Option<String> {
    match did {
        StepKind::Asked { .. } => Some("approval.asked".into()),
        StepKind::Decided { .. } => Some("approval.decided".into()),
        StepKind::Intent { .. } => Some("effect.begun".into()),
        StepKind::NotReached { .. } => Some("effect.not_reached".into()),
        StepKind::ToolResult(result) => Some(result.name.clone()),
        StepKind::Classified(_)
        | StepKind::Context { .. }
        | StepKind::Attached { .. }
        | StepKind::Compacted { .. }
        | StepKind::Turn(_)
        | StepKind::Planned(_) => None,
    }
}
