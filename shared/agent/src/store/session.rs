use alfred_core::ports::{Store, Write};
use alfred_core::{Failure, Result, SessionId, TeamId, UserId, keys};
use serde_json::json;

use crate::model::{ROW_VERSION, Session};
use crate::store::row::{body, read, stored};

impl Session {
    /// A corrupt row is replaced by an empty one, so that the conversation can continue.
    pub async fn load(
        store: &dyn Store,
        team: &TeamId,
        user: &UserId,
        id: &SessionId,
    ) -> Result<Self> {
        let new = Session {
            v: ROW_VERSION,
            ..Session::default()
        };
        let Some(item) = stored(store, &keys::session(team, user, id)).await? else {
            return Ok(new);
        };
        let mut session: Self = match read(item.body.clone()) {
            Ok(session) => session,
            Err(Failure::Bug { detail }) => {
                tracing::error!(session.id = %id, error = detail, "a conversation's row can't be read; it starts anew");
                Self {
                    // An unneeded reply to a message without a mention is better than a missing one.
                    answered: true,
                    lost: true,
                    unreadable: Some(item.body),
                    ..new
                }
            }
            Err(other) => return Err(other),
        };
        session.version = item.version;
        Ok(session)
    }

    pub fn write(&self, team: &TeamId, user: &UserId, id: &SessionId) -> Result<Vec<Write>> {
        let key = keys::session(team, user, id);
        let mut writes = vec![Write::over(key, self.version, body(self)?)];
        if let Some(unreadable) = &self.unreadable {
            let aside = keys::session_set_aside(team, user, id);
            writes.push(Write::put(aside, None, json!({ "unreadable": unreadable })));
        }
        Ok(writes)
    }
}
