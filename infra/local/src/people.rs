//! `alfred users`: who is registered. Works beside a process that serves, and
//! with a real Slack, where people are named by their ids.

use alfred_agent::users;
use alfred_core::ports::ChatUser;
use alfred_core::{Role, TeamId, User, UserId};
use anyhow::{anyhow, bail};

use crate::cli::{Cli, UsersCommand};
use crate::exit::{Exit, Usage};
use crate::forget;
use crate::local_api::{Order, PEOPLE_PATH, People};
use crate::local_app::{self, LocalApp};
use crate::owner::{self, Owner};
use crate::terminal::{one_line, say_made};

/// Sees to people here, or has the process that owns the folder do it.
pub async fn people(cli: &Cli, command: &UsersCommand) -> anyhow::Result<Exit> {
    let order = match command {
        UsersCommand::List => Order::List,
        UsersCommand::Add { id, role } => Order::Add {
            id: id.clone(),
            role: *role,
        },
        UsersCommand::Forget { id, yes: true } => Order::Forget { id: id.clone() },
        UsersCommand::Forget { id, yes: false } => {
            return Err(Usage::error(format!(
                "this deletes everything stored of {id} and can't be undone; repeat it with --yes"
            )));
        }
    };
    let asked = People {
        order,
        json: cli.json,
    };
    let text = match owner::owner(cli).await? {
        Owner::Us(app) => here(&app, &asked).await?,
        Owner::Other(process) => process.post(PEOPLE_PATH, &asked).await?,
    };
    say_made(cli.json, &text);
    Ok(Exit::Done)
}

/// Carries an order out in this process, and gives the words or the JSON to print.
pub async fn here(app: &LocalApp, asked: &People) -> anyhow::Result<String> {
    let team = app.team().await?;
    match &asked.order {
        Order::List => list(app, &team, asked.json).await,
        Order::Add { id, role } => add(app, &team, id, *role, asked.json).await,
        Order::Forget { id } => {
            let id = id_of(app, id).unwrap_or_else(|_| id.as_str().into());
            let forgotten = forget::forget(app, &team, &id).await?;
            if asked.json {
                return Ok(serde_json::to_string_pretty(&forgotten)?);
            }
            Ok(forgotten.to_string())
        }
    }
}

/// The id of a person: by any of their names in the local Slack, by the id itself in a real one.
pub fn id_of(app: &LocalApp, wanted: &str) -> anyhow::Result<UserId> {
    let Some(slack) = &app.slack else {
        return Ok(wanted.into());
    };
    Ok(crate::ask::person(slack, wanted)?.id.into())
}

async fn list(app: &LocalApp, team: &TeamId, json: bool) -> anyhow::Result<String> {
    let people = users::list(&*app.ports.store, team).await?;
    if json {
        let all: Vec<&User> = people.iter().map(|stored| &stored.user).collect();
        return Ok(serde_json::to_string_pretty(&all)?);
    }
    let lines = people.into_iter().map(|stored| {
        let user = stored.user;
        let state = if user.is_active { "" } else { ", inactive" };
        let [name, email] = [&user.name, &user.email].map(|text| one_line(text));
        format!(
            "{}  {name}  {email}  {}  {:?}{state}",
            user.slack_user_id, user.timezone, user.role
        )
    });
    Ok(lines.collect::<Vec<_>>().join("\n"))
}

/// Registers somebody whom Slack knows, or changes their role.
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
        Some(known) => User {
            role,
            is_active: true,
            updated_at: now,
            ..known
        },
        None => User::register(person, role, &ports.config.default_timezone, now),
    };
    users::put(&*ports.store, &*ports.ids, team, &user, version).await?;
    if json {
        return Ok(serde_json::to_string_pretty(&user)?);
    }
    Ok(format!("{} is registered as {role:?}.", user.name))
}

async fn known_to_slack(app: &LocalApp, id: &str) -> anyhow::Result<ChatUser> {
    let nobody = || anyhow!("Slack knows nobody with the id {id}");
    if let Some(slack) = &app.slack {
        let mut people = slack.people()?.into_iter();
        let found = people.find(|person| person.id == id && !person.is_bot);
        return found.map(local_app::chat_user).ok_or_else(nobody);
    }
    match app.ports.chat.user(&id.into()).await? {
        Some(person) if person.is_person => Ok(person),
        Some(_) => bail!("{id} is an app, and no person"),
        None => Err(nobody()),
    }
}
