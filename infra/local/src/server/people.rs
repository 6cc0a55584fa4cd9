use alfred_agent::store::users;
use alfred_core::ports::{Account, ChatUser};
use alfred_core::{Role, TeamId, User};
use alfred_operations::forget::{Forget, Forgotten};
use alfred_operations::one_machine::OneMachineErasure;
use anyhow::{anyhow, bail};

use super::person;
use crate::api::{Order, People, Request};
use crate::app::slack::chat_user;
use crate::app::{Absent, LocalApp};
use crate::terminal::{made, one_line};

impl Request for People {
    const PATH: &'static str = "/local/people";
    type Answer = String;

    fn absent(&self) -> Absent {
        match self.order {
            Order::Add { .. } => Absent::Begun,
            Order::List | Order::Forget { .. } => Absent::Refused,
        }
    }

    async fn answer(&self, app: &LocalApp) -> anyhow::Result<String> {
        let team = app.team().await?;
        match &self.order {
            Order::List => list(app, &team, self.json).await,
            Order::Add { id, role } => add(app, &team, id, *role, self.json).await,
            Order::Forget { id } => {
                let id = person::id_of(app, id).unwrap_or_else(|_| id.as_str().into());
                let forgotten = forget(app, &Account::of(&team, &id)).await?;
                Ok(made(self.json, &forgotten, || forgotten.to_string())?)
            }
        }
    }
}

async fn list(app: &LocalApp, team: &TeamId, json: bool) -> anyhow::Result<String> {
    let people = users::list(&*app.ports.store, team).await?;
    let people: Vec<User> = people.into_iter().map(|stored| stored.user).collect();
    let line = |user: &User| {
        let state = if user.is_active { "" } else { ", inactive" };
        let [name, email] = [&user.name, &user.email].map(|text| one_line(text));
        format!(
            "{}  {name}  {email}  {}  {:?}{state}",
            user.slack_user_id, user.timezone, user.role
        )
    };
    let text = || people.iter().map(line).collect::<Vec<_>>().join("\n");
    Ok(made(json, &people, text)?)
}

async fn forget(app: &LocalApp, account: &Account) -> anyhow::Result<Forgotten> {
    let ports = &app.ports;
    let forget = Forget {
        store: &ports.store,
        clock: &ports.clock,
        ids: &ports.ids,
        config: &ports.config,
        connect: &*ports.accounts.connect,
        erasure: &OneMachineErasure {
            sqlite: app.sqlite.clone(),
            queue: app.queue.clone(),
            secrets: app.folder.secrets(),
        },
    };
    let forgotten = forget.forget(account).await?;
    app.sqlite.compact().await?;
    Ok(forgotten)
}

/// Registers a person known to Slack, or changes their role.
async fn add(
    app: &LocalApp,
    team: &TeamId,
    id: &str,
    role: Role,
    json: bool,
) -> anyhow::Result<String> {
    let person = known_to_slack(app, id).await?;
    let ports = &app.ports;
    let now = ports.clock.now();
    let (known, version) = users::registered(&*ports.store, team, &person.id).await?;
    let user = match known {
        Some(known) => known.registered_again(role, now),
        None => User::register(person, role, &ports.config.default_timezone, now),
    };
    users::put(&*ports.store, &*ports.ids, team, &user, version).await?;
    let text = || format!("{} is registered as {role:?}.", user.name);
    Ok(made(json, &user, text)?)
}

async fn known_to_slack(app: &LocalApp, id: &str) -> anyhow::Result<ChatUser> {
    let nobody = || anyhow!("Slack knows nobody with the id {id}");
    if let Some(slack) = &app.slack {
        let mut people = slack.people()?.into_iter();
        let found = people.find(|person| person.id == id && !person.is_bot);
        return found.map(chat_user).ok_or_else(nobody);
    }
    match app.ports.chat.user(&id.into()).await? {
        Some(person) if person.is_person => Ok(person),
        Some(_) => bail!("{id} is an app, and no person"),
        None => Err(nobody()),
    }
}
