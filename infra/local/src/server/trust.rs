//! Consent to programs. A folder's program may instruct a run only if its owner consented to exactly these
//! files.

use alfred_agent::model::Snapshot;
use alfred_core::ports::{StoreError, Write};
use alfred_core::{TeamId, UserId, keys};
use serde_json::json;

use super::person;
use crate::api::{Request, Trust};
use crate::app::{Absent, LocalApp};

impl Request for Trust {
    const PATH: &'static str = "/local/trust";
    type Answer = bool;
    const ABSENT: Absent = Absent::Begun;

    async fn answer(&self, app: &LocalApp) -> anyhow::Result<bool> {
        let (team, user) = person::registered(app, &self.user).await?;
        let user = user.slack_user_id;
        if is_trusted(app, &team, &user, &self.program).await? {
            return Ok(true);
        }
        if self.given {
            let key = keys::trusted(&team, &user, &self.program.digest()?);
            let at = app.ports.clock.now();
            let row = json!({ "v": 1, "program": self.program.name, "at": at });
            match app.ports.commit(vec![Write::create(key, row)]).await {
                // A concurrent consent.
                Ok(()) | Err(StoreError::Conflict { .. }) => {}
                Err(error) => return Err(error.into()),
            }
        }
        Ok(self.given)
    }
}

/// Whether a program is Alfred's or the person's own, or was consented to.
pub async fn is_trusted(
    app: &LocalApp,
    team: &TeamId,
    user: &UserId,
    program: &Snapshot,
) -> anyhow::Result<bool> {
    if alfred_workers::is_own(program, app.folder.path()) {
        return Ok(true);
    }
    let key = keys::trusted(team, user, &program.digest()?);
    Ok(app.ports.store.get(&key).await?.is_some())
}
