//! Reads, closes and withdraws a person's pending approvals.

use alfred_core::ports::{Body, Key, Query, Range, Store, Write};
use alfred_core::{ApprovalId, Failure, Result, TeamId, UserId, keys};
use jiff::Timestamp;

use crate::model::{Approval, OpenApproval, Status, Step, StepKind};
use crate::store::journal::LoadedRun;
use crate::store::ports::Ports;
use crate::store::row::{body, read};
use crate::store::timer::{self, Timer};
use crate::tool::SharedTool;

/// Approvals of one run that may wait at once. The commit that ends the run withdraws them all.
pub const MOST_WAITING: usize = 20;

pub struct Ask {
    pub approval: Approval,
    /// The version of the row to replace, for a new revision of an earlier approval.
    pub version: Option<u64>,
    pub tool: Option<SharedTool>,
    /// Whether the tool reads data only the owner may see, so the preview may reveal it.
    pub private: bool,
    /// SHA-256 of the preview, to notice when the preview changes later.
    pub shown: Option<String>,
    /// Writes of the tool itself, committed with the approval.
    pub beside: Vec<Write>,
}

/// Writes that close an approval: its row at `version`, its index entries, its expiry timer.
pub(crate) fn closed(
    ports: &Ports,
    approval: &Approval,
    version: u64,
    now: Timestamp,
) -> Result<Vec<Write>> {
    let row = keys::approval(&approval.team, &approval.id);
    let timer = Timer::expire(&approval.team, &approval.run, &approval.id);
    let mut writes = vec![
        Write::replace(row, version, body(approval)?).expiring(ports.kept_until(now)?),
        timer::disarm(approval.expires_at, &timer),
    ];
    writes.extend(unlisted(&approval.team, &approval.owner, &approval.id));
    Ok(writes)
}

/// Deletes an approval's index entries.
pub(crate) fn unlisted(team: &TeamId, user: &UserId, id: &ApprovalId) -> [Write; 2] {
    let index = keys::pending(team, user, id);
    [index, keys::open_approval(team, user, id)].map(|key| Write::delete(key, None))
}

/// Adds the approval to those that the owner's next request may refer to.
pub(crate) fn open(approval: &Approval, tool: Option<&SharedTool>) -> Result<Write> {
    let key = keys::open_approval(&approval.team, &approval.owner, &approval.id);
    let open = body(&listed(approval, tool))?;
    Ok(beside(approval, key, open))
}

/// Writes an index row. A first revision has none yet, and creating avoids a read in DynamoDB.
pub(crate) fn beside(approval: &Approval, key: Key, body: impl Into<Body>) -> Write {
    match approval.revision {
        1 => Write::create(key, body),
        _ => Write::put(key, None, body),
    }
}

pub async fn load(
    store: &dyn Store,
    team: &TeamId,
    id: &ApprovalId,
) -> Result<Option<(Approval, u64)>> {
    let stored = store.get(&keys::approval(team, id)).await?;
    let found = stored.map(|item| Ok((read(item.body)?, item.version)));
    found.transpose()
}

/// A person's pending approvals, oldest first. Rows that can't be parsed are logged and skipped.
pub async fn pending(store: &dyn Store, team: &TeamId, user: &UserId) -> Result<Vec<Approval>> {
    let mut found = Vec::new();
    let listed = Query::state(keys::approvals(team, user), Range::All);
    for item in listed.all(store).await? {
        let id = ApprovalId(item.key.range);
        match undecided(store, team, &id).await {
            Err(Failure::Bug { detail }) => {
                tracing::error!(approval.id = %id, error = detail, "an approval can't be read");
            }
            waiting => found.extend(waiting?),
        }
    }
    Ok(found)
}

/// Loads an approval; `None` if it is already decided.
pub(crate) async fn undecided(
    store: &dyn Store,
    team: &TeamId,
    id: &ApprovalId,
) -> Result<Option<Approval>> {
    let stored = load(store, team, id).await?.map(|(approval, _)| approval);
    Ok(stored.filter(|approval| approval.status == Status::Pending))
}

const ABOUT_CHARS: usize = 1_000;

/// The entry for an open approval. Arguments that may hold other people's text aren't shown.
pub fn listed(approval: &Approval, tool: Option<&SharedTool>) -> OpenApproval {
    let payload = &approval.payload;
    let about = |tool: &SharedTool| match tool.check_resolved(payload) {
        None => Some(payload.to_string()),
        Some(_) => tool.outline(payload),
    };
    let own = approval.taint.untrusted.is_empty();
    let about = tool.filter(|_| own).and_then(about);
    OpenApproval {
        id: approval.id.clone(),
        tool: approval.action_type.clone(),
        proposal: approval.is_proposal(),
        about: about.map(|about| about.chars().take(ABOUT_CHARS).collect()),
        form: false,
        expires_at: approval.expires_at,
    }
}

#[derive(Debug, Default)]
pub struct Withdrawn {
    pub approvals: Vec<Approval>,
    pub writes: Vec<Write>,
}

/// Withdraws the undecided approvals of a run, with the commit that ends it. Reads nothing if the run asked nothing.
pub async fn withdraw(ports: &Ports, loaded: &LoadedRun) -> Result<Withdrawn> {
    let mut withdrawn = Withdrawn::default();
    let (run, now) = (&loaded.run, ports.clock.now());
    for id in undecided_of(&loaded.steps) {
        match load(&*ports.store, &run.team, id).await {
            Ok(Some((mut approval, version))) if approval.status == Status::Pending => {
                approval.status = Status::Error;
                approval.resolved_at = Some(now);
                let closed = closed(ports, &approval, version, now)?;
                withdrawn.writes.extend(closed);
                withdrawn.approvals.push(approval);
            }
            Ok(_) => {}
            // A row that can't be parsed can't be decided either. Only its index entries are deleted.
            Err(Failure::Bug { .. }) => {
                withdrawn.writes.extend(unlisted(&run.team, &run.user, id));
            }
            Err(other) => return Err(other),
        }
    }
    Ok(withdrawn)
}

pub(crate) fn undecided_of(steps: &[Step]) -> Vec<&ApprovalId> {
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
