//! What a person still has to decide.

use alfred_core::ports::{Query, Range, Store, Write};
use alfred_core::{ApprovalId, Failure, TeamId, UserId, keys};

use jiff::Timestamp;

use super::park::load;
use super::{Approval, Status};
use crate::ports::Ports;
use crate::row::body;
use crate::timer::{self, Timer};

/// The writes behind which an approval, as it is given, waits no more: its row over this
/// version, its place among its owner's, its end.
///
/// # Errors
/// `Bug` when it can't be written as JSON.
pub(super) fn closed(
    ports: &Ports,
    approval: &Approval,
    version: u64,
    now: Timestamp,
) -> Result<Vec<Write>, Failure> {
    let row = keys::approval(&approval.team, &approval.id);
    let index = keys::pending(&approval.team, &approval.owner, &approval.id);
    let timer = Timer::expire(&approval.team, &approval.run, &approval.id);
    Ok(vec![
        Write::replace(row, version, body(approval)?).expiring(ports.kept_until(now)?),
        Write::delete(index, None),
        timer::disarm(approval.expires_at, &timer),
    ])
}

/// A person's approvals that wait, oldest first. One that can't be read is left out: its end will tell.
///
/// # Errors
/// When the store doesn't answer.
pub async fn of(store: &dyn Store, team: &TeamId, user: &UserId) -> Result<Vec<Approval>, Failure> {
    let mut query = Query::state(keys::approvals(team, user), Range::All);
    let mut found = Vec::new();
    loop {
        let page = store.query(&query).await?;
        for item in page.items {
            let id = ApprovalId(item.key.range);
            let stored = match load(store, team, &id).await {
                Err(Failure::Bug { detail }) => {
                    tracing::error!(approval.id = %id, error = detail, "an approval can't be read");
                    continue;
                }
                stored => stored?,
            };
            found.extend(
                stored
                    .map(|(approval, _)| approval)
                    .filter(|approval| approval.status == Status::Pending),
            );
        }
        match page.cursor {
            Some(cursor) => query.cursor = Some(cursor),
            None => return Ok(found),
        }
    }
}
