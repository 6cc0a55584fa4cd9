//! Withdraws the approvals of a run that ends, in the commit that ends it.

use alfred_core::ports::Write;
use alfred_core::{ApprovalId, Failure};

use crate::approval::pending::{self, load};
use crate::model::approval::{Approval, Status};
use crate::model::step::{Step, StepKind};
use crate::store::journal::LoadedRun;
use crate::store::ports::Ports;

#[derive(Debug, Default)]
pub struct Withdrawn {
    pub approvals: Vec<Approval>,
    pub writes: Vec<Write>,
}

/// Finds the run's undecided approvals. Reads nothing if the run asked nothing.
pub async fn withdraw(ports: &Ports, loaded: &LoadedRun) -> Result<Withdrawn, Failure> {
    let mut withdrawn = Withdrawn::default();
    let (run, now) = (&loaded.run, ports.clock.now());
    for id in undecided(&loaded.steps) {
        match load(&*ports.store, &run.team, id).await {
            Ok(Some((mut approval, version))) if approval.status == Status::Pending => {
                approval.status = Status::Error;
                approval.resolved_at = Some(now);
                let closed = pending::closed(ports, &approval, version, now)?;
                withdrawn.writes.extend(closed);
                withdrawn.approvals.push(approval);
            }
            Ok(_) => {}
            // A row that can't be parsed can't be decided either. Only its index entries are deleted.
            Err(Failure::Bug { .. }) => {
                withdrawn
                    .writes
                    .extend(pending::unlisted(&run.team, &run.user, id));
            }
            Err(other) => return Err(other),
        }
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
