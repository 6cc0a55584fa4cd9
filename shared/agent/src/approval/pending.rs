//! What a person still has to decide.

use alfred_core::ports::{Query, Range, Store};
use alfred_core::{ApprovalId, Failure, TeamId, UserId, keys};

use super::park::load;
use super::{Approval, Status};

/// A person's approvals that wait, oldest first.
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
            let stored = load(store, team, &id).await?;
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
