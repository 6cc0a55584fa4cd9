use alfred_agent::store::users;
use alfred_core::ports::{Commit, Ids, Store};
use alfred_core::{Preferences, Role, User};
use jiff::Timestamp;

use crate::team;

/// A person in Berlin with the address `NAME@example.com`.
pub fn person(id: &str, name: &str, role: Role, now: Timestamp) -> User {
    let handle = name.to_lowercase().replace(' ', ".");
    User {
        slack_user_id: id.into(),
        email: format!("{handle}@example.com"),
        slack_username: handle,
        name: name.into(),
        role,
        timezone: "Europe/Berlin".into(),
        is_active: true,
        preferences: Preferences::default(),
        opened_home: false,
        created_at: now,
        updated_at: now,
    }
}

pub async fn register(store: &dyn Store, ids: &dyn Ids, user: &User) {
    let write = users::write(&team(), user, None).unwrap();
    store.commit(&Commit::new(ids, vec![write])).await.unwrap();
}
