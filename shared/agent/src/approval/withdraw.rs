//! Withdraws the approvals of a run that ends, in the commit that ends it.

use alfred_core::ports::Write;
use alfred_core::{ApprovalId, Failure, keys};

use crate::approval::pending::{self, load};
use crate::model::approval::{Approval, Status};
use crate::model::step::{Step, StepKind};
use crate::store::journal::LoadedRun;
use crate::store::ports::Ports;

#[derive(Debug, Default)]
pub struct Withdrawn {
    /// The approvals in their state after the writes.
    pub approvals: Vec<Approval>,
    /// To commit together with the end of the run.
    pub writes: Vec<Write>,
}

/// Finds the run's undecided approvals. Reads nothing if the run asked nothing.
pub async fn withdraw(ports: &Ports, loaded: &LoadedRun) -> Result<Withdrawn, Failure> {
    let mut withdrawn = Withdrawn::default();
    for id in undecided(&loaded.steps) {
        let (mut approval, version) = match load(&*ports.store, &loaded.run.team, id).await {
            Ok(Some(found)) => found,
            Ok(None) => continue,
            Err(Failure::Bug { .. }) => {
                // A row that can't be parsed can't be decided either. Only its index entries are deleted.
                let index = keys::pending(&loaded.run.team, &loaded.run.user, id);
                let open = keys::open_approval(&loaded.run.team, &loaded.run.user, id);
                let gone = [index, open].map(|key| Write::delete(key, None));
                withdrawn.writes.extend(gone);
                continue;
            }
            Err(other) => return Err(other),
        };
        if approval.status != Status::Pending {
            continue;
        }
        let now = ports.clock.now();
        approval.status = Status::Error;
        approval.resolved_at = Some(now);
        let closed = pending::closed(ports, &approval, version, now)?;
        withdrawn.writes.extend(closed);
        withdrawn.approvals.push(approval);
    }
    Ok(withdrawn)
}

pub(crate) fn undecided(steps: &[Step]) -> Vec<&ApprovalId> {
    let mut open: Vec<&ApprovalId> = Vec::new();
    for step in steps {
        match &step.did {
            StepKind::Asked(asked) if !open.contains(&&asked.approval) => {
                open.push(&asked.approval)
            }
            StepKind::Decided(decided) => open.retain(|id| **id != decided.approval),
            _ => {}
        }
    }
    open
}
