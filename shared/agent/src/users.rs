//! The people of a workspace: one item each, a `User` as JSON.

use alfred_core::ports::{Commit, Ids, Item, Key, Query, Range, Store, StoreError, Write};
use alfred_core::{TeamId, User, UserId, keys};

/// A person, and the version of their row.
#[derive(Clone, Debug, PartialEq)]
pub struct StoredUser {
    /// The person.
    pub user: User,
    /// Of the row; a write under it fails when somebody else was there first.
    pub version: u64,
}

/// Where a person's row is.
#[must_use]
pub fn row_key(team: &TeamId, user: &UserId) -> Key {
    keys::user(team, user)
}

/// A person, active or not; `None` for a stranger.
///
/// # Errors
/// `Corrupt` for a row that is no user, else what the store says.
pub async fn get(
    store: &dyn Store,
    team: &TeamId,
    user: &UserId,
) -> Result<Option<StoredUser>, StoreError> {
    let item = store.get(&row_key(team, user)).await?;
    item.as_ref().map(decode).transpose()
}

/// Everybody, active or not, by id. Reads all pages.
///
/// # Errors
/// As `get`.
pub async fn list(store: &dyn Store, team: &TeamId) -> Result<Vec<StoredUser>, StoreError> {
    let mut query = Query::state(keys::users(team), Range::All);
    let mut people = Vec::new();
    loop {
        let page = store.query(&query).await?;
        for item in &page.items {
            people.push(decode(item)?);
        }
        match page.cursor {
            Some(cursor) => query.cursor = Some(cursor),
            None => return Ok(people),
        }
    }
}

/// The write that stores a person: new without a version, else over that version.
///
/// # Errors
/// `Refused` when the person can't be written as JSON.
pub fn write(team: &TeamId, user: &User, version: Option<u64>) -> Result<Write, StoreError> {
    let body = serde_json::to_value(user).map_err(|error| StoreError::Refused {
        reason: format!("user {} as JSON: {error}", user.slack_user_id),
    })?;
    let key = row_key(team, &user.slack_user_id);
    Ok(match version {
        None => Write::create(key, body),
        Some(version) => Write::replace(key, version, body),
    })
}

/// Stores a person in a commit of its own.
///
/// # Errors
/// `Conflict` when the row has changed since `version`, or is there already without one.
pub async fn put(
    store: &dyn Store,
    ids: &dyn Ids,
    team: &TeamId,
    user: &User,
    version: Option<u64>,
) -> Result<(), StoreError> {
    let commit = Commit {
        id: ids.uuid(),
        writes: vec![write(team, user, version)?],
    };
    store.commit(&commit).await
}

fn decode(item: &Item) -> Result<StoredUser, StoreError> {
    let user = serde_json::from_value(item.body.clone()).map_err(|error| StoreError::Corrupt {
        detail: format!("{:?} is no user: {error}", item.key),
    })?;
    Ok(StoredUser {
        user,
        version: item.version,
    })
}
