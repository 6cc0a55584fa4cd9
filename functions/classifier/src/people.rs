//! Unknown and inactive people are refused. The deployment's administrators are registered on their first message.

use alfred_agent::store::users::{self, State};
use alfred_agent::{Deadline, Ports};
use alfred_core::envelope::Click;
use alfred_core::ports::StoreError;
use alfred_core::{Envelope, Result, Role, User};

/// An administrator's first message also reads Slack.
pub async fn known(ports: &Ports, envelope: &Envelope) -> Result<Option<User>> {
    if let Some(stored) = users::get(&*ports.store, &envelope.team, &envelope.user).await? {
        return Ok(Some(stored.user).filter(|user| user.is_active));
    }
    if !ports.config.admins.contains(&envelope.user) {
        return Ok(None);
    }
    let found = ports.chat.user(&envelope.user).await?;
    let Some(person) = found.filter(|person| person.is_person) else {
        return Ok(None);
    };
    let (zone, now) = (&ports.config.default_timezone, ports.clock.now());
    let user = User::register(person, Role::Admin, zone, now);
    let (store, ids) = (&*ports.store, &*ports.ids);
    match users::put(store, ids, &envelope.team, &user, None).await {
        Ok(()) => {}
        // A concurrent first message registered them.
        Err(StoreError::Conflict { .. }) => {
            let stored = users::get(store, &envelope.team, &envelope.user).await?;
            let user = stored.map(|stored| stored.user);
            return Ok(user.filter(|user| user.is_active));
        }
        Err(error) => return Err(error.into()),
    }
    tracing::info!(user.id = %user.slack_user_id, "registered an administrator");
    Ok(Some(user))
}

#[derive(Clone, Copy)]
pub(crate) struct Press<'a> {
    pub envelope: &'a Envelope,
    pub click: &'a Click,
    pub by: &'a User,
    pub deadline: Deadline,
}

/// As [`known`], in the same read.
pub async fn asking(ports: &Ports, envelope: &Envelope) -> Result<Option<(User, State)>> {
    let mut found = users::get_with_state(&*ports.store, &envelope.team, &envelope.user).await?;
    let user = match found.user.take() {
        Some(stored) => Some(stored.user).filter(|user| user.is_active),
        None => known(ports, envelope).await?,
    };
    Ok(user.map(|user| (user, found)))
}
