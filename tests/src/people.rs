//! Who is registered.

use alfred_agent::users;
use alfred_core::ports::{Commit, Store};
use alfred_core::{Preferences, Role, User};
use jiff::Timestamp;
use uuid::Uuid;

use crate::team;

/// Somebody in Berlin, at `NAME@example.com`.
pub fn person(id: &str, name: &str, role: Role, now: Timestamp) -> User {
    let handle = name.to_lowercase();
    User {
        slack_user_id: id.into(),
        email: format!("{handle}@example.com"),
        slack_username: handle,
        name: name.into(),
        role,
        timezone: "Europe/Berlin".into(),
        is_active: true,
        preferences: Preferences::default(),
        created_at: now,
        updated_at: now,
    }
}

/// Registers somebody under a commit of this id.
///
/// # Panics
/// When the store refuses.
pub async fn register(store: &dyn Store, id: Uuid, user: &User) {
    let writes = vec![users::write(&team(), user, None).unwrap()];
    store.commit(&Commit { id, writes }).await.unwrap();
}
