//! What a person still has to decide.

use alfred_core::ports::{Query, Range};
use alfred_core::{ApprovalId, Failure, TeamId, UserId, keys};

use super::park::load;
use super::{Approval, Status};
use crate::ports::Ports;

/// A person's approvals that wait, oldest first.
///
/// # Errors
/// When the store doesn't answer.
pub async fn of(ports: &Ports, team: &TeamId, user: &UserId) -> Result<Vec<Approval>, Failure> {
    let mut query = Query::state(keys::approvals(team, user), Range::All);
    let mut found = Vec::new();
    loop {
        let page = ports.store.query(&query).await?;
        for item in page.items {
            let id = ApprovalId(item.key.range);
            let stored = load(ports, team, &id).await?;
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
