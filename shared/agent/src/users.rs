//! The people of a workspace: one item each, a `User` as JSON.

use alfred_core::ports::{Commit, Ids, Item, Query, Range, Store, StoreError, Write};
use alfred_core::{Failure, TeamId, User, UserId, keys};

use crate::approval::OpenApproval;
use crate::row::stored;
use crate::usage::{self, UsageSnapshot};

/// A person, and the version of their row.
#[derive(Clone, Debug, PartialEq)]
pub struct StoredUser {
    /// The person.
    pub user: User,
    /// Of the row; a write under it fails when somebody else was there first.
    pub version: u64,
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
    let item = store.get(&keys::user(team, user)).await?;
    item.as_ref().map(decode).transpose()
}

/// A person, and the version of their row; no person, but a version, where it can't be read.
///
/// # Errors
/// What the store says.
pub async fn registered(
    store: &dyn Store,
    team: &TeamId,
    user: &UserId,
) -> Result<(Option<User>, Option<u64>), StoreError> {
    let item = stored(store, &keys::user(team, user)).await?;
    let known = item.as_ref().and_then(|item| decode(item).ok());
    Ok((known.map(|known| known.user), item.map(|item| item.version)))
}

/// What is stored of a person beside their row.
#[derive(Debug, Default)]
pub struct State {
    /// The person.
    pub user: Option<StoredUser>,
    /// What they used today.
    pub spent: UsageSnapshot,
    /// What their scheduled runs used today.
    pub scheduled: UsageSnapshot,
    /// What waits for their decision.
    pub waiting: Vec<OpenApproval>,
}

/// A person, what they used today and what waits for them, in one read.
///
/// # Errors
/// As `get`.
pub async fn get_with_state(
    store: &dyn Store,
    team: &TeamId,
    user: &UserId,
) -> Result<State, Failure> {
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
            // Without one that can't be read: its card has all that counts.
            state
                .waiting
                .extend(serde_json::from_value::<OpenApproval>(item.body).ok());
        }
    }
    Ok(state)
}

/// Everybody, active or not, by id. Reads all pages. Who can't be read is left out.
///
/// # Errors
/// What the store says.
pub async fn list(store: &dyn Store, team: &TeamId) -> Result<Vec<StoredUser>, StoreError> {
    let mut people = Vec::new();
    let items = Query::state(keys::users(team), Range::All).all(store);
    // What people used today and what waits for them stands beside them.
    let own = |item: &&Item| !item.key.range.contains('#');
    for item in items.await?.iter().filter(own) {
        match decode(item) {
            Ok(found) => people.push(found),
            Err(error) => tracing::error!(%error, "a person's row can't be read"),
        }
    }
    Ok(people)
}

/// The write that stores a person: new without a version, else over that version.
///
/// # Errors
/// `Refused` when the person can't be written as JSON.
pub fn write(team: &TeamId, user: &User, version: Option<u64>) -> Result<Write, StoreError> {
    let body = serde_json::to_value(user).map_err(|error| StoreError::Refused {
        reason: format!("user {} as JSON: {error}", user.slack_user_id),
    })?;
    let key = keys::user(team, &user.slack_user_id);
    Ok(Write::over(key, version.unwrap_or(0), body))
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
    let writes = vec![write(team, user, version)?];
    store.commit(&Commit::new(ids, writes)).await
}

fn decode(item: &Item) -> Result<StoredUser, StoreError> {
    let user = item.clone().readable()?.decode("user")?;
    let version = item.version;
    Ok(StoredUser { user, version })
}

#[cfg(test)]
mod tests {
    use super::*;
    use alfred_core::{Preferences, Role};
    use alfred_testkit::{ManualClock, MemoryStore, SequentialIds};
    use serde_json::json;
    use std::sync::Arc;

    fn person(id: &str) -> User {
        User {
            slack_user_id: id.into(),
            slack_username: id.to_lowercase(),
            email: String::new(),
            name: "Ana".into(),
            role: Role::Guest,
            timezone: "Europe/Berlin".into(),
            is_active: true,
            preferences: Preferences::default(),
            created_at: "2026-11-21T09:00:00Z".parse().unwrap(),
            updated_at: "2026-11-21T09:00:00Z".parse().unwrap(),
        }
    }

    fn ports() -> (MemoryStore, SequentialIds) {
        let clock = ManualClock::default();
        (MemoryStore::new(Arc::new(clock)), SequentialIds::default())
    }

    #[tokio::test]
    async fn a_person_is_found_in_their_workspace_only() {
        let (store, ids) = ports();
        let (team, ana) = (TeamId::from("T1"), person("U1"));
        put(&store, &ids, &team, &ana, None).await.unwrap();
        let found = get(&store, &team, &"U1".into()).await.unwrap().unwrap();
        assert_eq!((found.user, found.version), (ana, 1));
        assert_eq!(get(&store, &team, &"U2".into()).await.unwrap(), None);
        assert_eq!(get(&store, &"T2".into(), &"U1".into()).await.unwrap(), None);
        assert!(list(&store, &"T2".into()).await.unwrap().is_empty());
    }

    #[tokio::test]
    async fn a_list_follows_every_page() {
        let (store, ids) = ports();
        let team = TeamId::from("T1");
        for n in 0..1_001 {
            put(&store, &ids, &team, &person(&format!("U{n:04}")), None)
                .await
                .unwrap();
        }
        let people = list(&store, &team).await.unwrap();
        assert_eq!(people.len(), 1_001);
        assert!(people.is_sorted_by_key(|stored| stored.user.slack_user_id.clone()));
    }

    #[tokio::test]
    async fn the_second_writer_is_told() {
        let (store, ids) = ports();
        let (team, mut ana) = (TeamId::from("T1"), person("U1"));
        put(&store, &ids, &team, &ana, None).await.unwrap();
        let again = put(&store, &ids, &team, &ana, None).await;
        assert!(
            matches!(again, Err(StoreError::Conflict { .. })),
            "{again:?}"
        );
        ana.is_active = false;
        put(&store, &ids, &team, &ana, Some(1)).await.unwrap();
        let late = put(&store, &ids, &team, &person("U1"), Some(1)).await;
        assert!(matches!(late, Err(StoreError::Conflict { .. })), "{late:?}");
        let kept = get(&store, &team, &"U1".into()).await.unwrap().unwrap();
        assert!(!kept.user.is_active && kept.version == 2);
    }

    #[tokio::test]
    async fn a_row_that_is_no_user_is_corrupt_not_absent() {
        let (store, ids) = ports();
        let team = TeamId::from("T1");
        let writes = vec![Write::create(
            keys::user(&team, &"U1".into()),
            json!({"name": 7}),
        )];
        store.commit(&Commit::new(&ids, writes)).await.unwrap();
        let outcome = get(&store, &team, &"U1".into()).await;
        assert!(
            matches!(outcome, Err(StoreError::Corrupt { .. })),
            "{outcome:?}"
        );
        put(&store, &ids, &team, &person("U2"), None).await.unwrap();
        let others = list(&store, &team).await.unwrap();
        assert_eq!(others.len(), 1, "it hides nobody else");
    }
}
