//! The people of a workspace: one item each, a `User` as JSON.

use alfred_core::ports::{Commit, Ids, Item, Query, Range, Store, StoreError, Write};
use alfred_core::{Failure, TeamId, User, UserId, keys};

use crate::model::approval::OpenApproval;
use crate::model::usage::UsageSnapshot;
use crate::store::row::stored;
use crate::store::usage;

/// A person with the version of their row.
#[derive(Clone, Debug, PartialEq)]
pub struct StoredUser {
    pub user: User,
    /// Version of the row; writes that require it fail if somebody else wrote first.
    pub version: u64,
}

/// Reads a person, active or not. `None` if not registered. Fails with `Corrupt` if the row can't be parsed;
/// otherwise the store's error.
pub async fn get(
    store: &dyn Store,
    team: &TeamId,
    user: &UserId,
) -> Result<Option<StoredUser>, StoreError> {
    let item = store.get(&keys::user(team, user)).await?;
    item.as_ref().map(decode).transpose()
}

/// Reads a person and the row's version. A corrupt row gives a version without person.
pub async fn registered(
    store: &dyn Store,
    team: &TeamId,
    user: &UserId,
) -> Result<(Option<User>, Option<u64>), StoreError> {
    let item = stored(store, &keys::user(team, user)).await?;
    let known = item.as_ref().and_then(|item| decode(item).ok());
    Ok((known.map(|known| known.user), item.map(|item| item.version)))
}

/// A person with the state stored in the same partition.
#[derive(Debug, Default)]
pub struct State {
    pub user: Option<StoredUser>,
    pub spent: UsageSnapshot,
    pub scheduled: UsageSnapshot,
    pub waiting: Vec<OpenApproval>,
}

/// Reads a person, their usage and open approvals in one query.
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
            // A corrupt entry is skipped; its card still works.
            let open = serde_json::from_value::<OpenApproval>(item.body);
            state.waiting.extend(open.ok());
        }
    }
    Ok(state)
}

/// All people, active or not, by id. Reads all pages; corrupt rows are logged and skipped.
pub async fn list(store: &dyn Store, team: &TeamId) -> Result<Vec<StoredUser>, StoreError> {
    let mut people = Vec::new();
    let items = Query::state(keys::users(team), Range::All).all(store);
    // Usage and open approvals have keys with `#` in the same partition.
    let own = |item: &&Item| !item.key.range.contains('#');
    for item in items.await?.iter().filter(own) {
        match decode(item) {
            Ok(found) => people.push(found),
            Err(error) => tracing::error!(%error, "a person's row can't be read"),
        }
    }
    Ok(people)
}

/// The write that stores a person: creates the row without a version, otherwise replaces that version.
pub fn write(team: &TeamId, user: &User, version: Option<u64>) -> Result<Write, StoreError> {
    let body = serde_json::to_value(user).map_err(|error| StoreError::Refused {
        reason: format!("user {} as JSON: {error}", user.slack_user_id),
    })?;
    let key = keys::user(team, &user.slack_user_id);
    Ok(Write::over(key, version.unwrap_or(0), body))
}

/// Stores a person in its own commit. Fails with `Conflict` if the row changed since `version`, or exists
/// although no version was given.
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
