use alfred_core::ports::{Commit, Ids, Item, Query, Range, Store, StoreError, Write};
use alfred_core::{Result, TeamId, User, UserId, keys};

use crate::model::{OpenApproval, UsageSnapshot};
use crate::store::row::stored;
use crate::store::usage;

#[derive(Clone, Debug, PartialEq)]
pub struct StoredUser {
    pub user: User,
    pub version: u64,
}

/// Active or not. `Corrupt` if the row can't be parsed.
pub async fn get(
    store: &dyn Store,
    team: &TeamId,
    user: &UserId,
) -> Result<Option<StoredUser>, StoreError> {
    let item = store.get(&keys::user(team, user)).await?;
    item.as_ref().map(decode).transpose()
}

/// A corrupt row gives a version without person.
pub async fn registered(
    store: &dyn Store,
    team: &TeamId,
    user: &UserId,
) -> Result<(Option<User>, Option<u64>), StoreError> {
    let item = stored(store, &keys::user(team, user)).await?;
    let known = item.as_ref().and_then(|item| decode(item).ok());
    Ok((known.map(|known| known.user), item.map(|item| item.version)))
}

#[derive(Debug, Default)]
pub struct State {
    pub user: Option<StoredUser>,
    pub spent: UsageSnapshot,
    pub scheduled: UsageSnapshot,
    pub waiting: Vec<OpenApproval>,
}

pub async fn get_with_state(store: &dyn Store, team: &TeamId, user: &UserId) -> Result<State> {
    let (own, spent) = (keys::user(team, user), keys::spend(team, user));
    let scheduled = keys::scheduled_spend(team, user);
    let range = Range::Between(own.range.clone(), spent.range.clone());
    let page = store.query(&Query::state(own.partition, range)).await?;
    let mut state = State::default();
    for item in page.items {
        if item.key.range == own.range {
            state.user = Some(decode(&item)?);
        } else if item.key.range == spent.range {
            state.spent = usage::parse(item)?;
        } else if item.key.range == scheduled.range {
            state.scheduled = usage::parse(item)?;
        } else {
            // A corrupt entry is skipped; its card still works.
            let open = serde_json::from_value::<OpenApproval>(item.body);
            state.waiting.extend(open.ok());
        }
    }
    Ok(state)
}

/// Active or not, by id. Corrupt rows are logged and skipped.
pub async fn list(store: &dyn Store, team: &TeamId) -> Result<Vec<StoredUser>, StoreError> {
    Ok(people(&rows(store, team).await?))
}

/// The rows of all people: their own, their usage and their open approvals.
pub async fn rows(store: &dyn Store, team: &TeamId) -> Result<Vec<Item>, StoreError> {
    Query::state(keys::users(team), Range::All).all(store).await
}

/// The people of [`rows`], as [`list`] gives them.
pub fn people(rows: &[Item]) -> Vec<StoredUser> {
    let mut people = Vec::new();
    // Usage and open approvals have keys with `#` in the same partition.
    let own = |item: &&Item| !item.key.range.contains('#');
    for item in rows.iter().filter(own) {
        match decode(item) {
            Ok(found) => people.push(found),
            Err(error) => tracing::error!(%error, "a person's row can't be read"),
        }
    }
    people
}

/// Whether an administrator has paused everything that sends or changes something.
pub async fn effects_paused(store: &dyn Store, team: &TeamId) -> Result<bool, StoreError> {
    let item = store.get(&keys::effects_switch(team)).await?;
    Ok(item.is_some_and(|item| item.body["paused"] == true))
}

/// Creates the row without a version, otherwise replaces that version.
pub fn write(team: &TeamId, user: &User, version: Option<u64>) -> Result<Write, StoreError> {
    let body = serde_json::to_value(user).map_err(|error| StoreError::Refused {
        reason: error.to_string(),
    })?;
    let key = keys::user(team, &user.slack_user_id);
    Ok(Write::over(key, version.unwrap_or(0), body))
}

/// `Conflict` if the row changed since `version`, or exists although no version was given.
pub async fn put(
    store: &dyn Store,
    ids: &dyn Ids,
    team: &TeamId,
    user: &User,
    version: Option<u64>,
) -> Result<(), StoreError> {
    let writes = vec![write(team, user, version)?];
    store.commit(&Commit::new(ids, writes)).await
}

fn decode(item: &Item) -> Result<StoredUser, StoreError> {
    let user = item.clone().readable()?.decode("user")?;
    let version = item.version;
    Ok(StoredUser { user, version })
}
