//! `alfred users`: who is registered. Works beside a process that serves, and
//! with a real Slack, where people are named by their ids.

use alfred_agent::users;
use alfred_core::ports::ChatUser;
use alfred_core::{Role, TeamId, User, UserId};
use anyhow::{anyhow, bail};

use crate::cli::{Cli, UsersCommand};
use crate::exit::{Exit, Usage};
use crate::forget;
use crate::house::{self, House};
use crate::local_api::{Order, PEOPLE_PATH, People};
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
    let text = match owner::of(cli).await? {
        Owner::Us(house) => here(&house, &asked).await?,
        Owner::Other(process) => process.post(PEOPLE_PATH, &asked).await?,
    };
    say_made(cli.json, &text);
    Ok(Exit::Done)
}

/// Carries an order out in this process, and gives the words or the JSON to print.
pub async fn here(house: &House, asked: &People) -> anyhow::Result<String> {
    let team = house.team().await?;
    match &asked.order {
        Order::List => list(house, &team, asked.json).await,
        Order::Add { id, role } => add(house, &team, id, *role, asked.json).await,
        Order::Forget { id } => {
            let id = id_of(house, id).unwrap_or_else(|_| id.as_str().into());
            let forgotten = forget::forget(house, &team, &id).await?;
            if asked.json {
                return Ok(serde_json::to_string_pretty(&forgotten)?);
            }
            Ok(forgotten.to_string())
        }
    }
}

/// The id of a person: by any of their names in the local Slack, by the id itself in a real one.
pub fn id_of(house: &House, wanted: &str) -> anyhow::Result<UserId> {
    let Some(slack) = &house.slack else {
        return Ok(wanted.into());
    };
    Ok(crate::ask::person(slack, wanted)?.id.into())
}

async fn list(house: &House, team: &TeamId, json: bool) -> anyhow::Result<String> {
    let people = users::list(&*house.ports.store, team).await?;
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
    house: &House,
    team: &TeamId,
    id: &str,
    role: Role,
    json: bool,
) -> anyhow::Result<String> {
    let person = known_to_slack(house, id).await?;
    let ports = &house.ports;
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

async fn known_to_slack(house: &House, id: &str) -> anyhow::Result<ChatUser> {
    let nobody = || anyhow!("Slack knows nobody with the id {id}");
    if let Some(slack) = &house.slack {
        let mut people = slack.people()?.into_iter();
        let found = people.find(|person| person.id == id && !person.is_bot);
        return found.map(house::chat_user).ok_or_else(nobody);
    }
    match house.ports.chat.user(&id.into()).await? {
        Some(person) if person.is_person => Ok(person),
        Some(_) => bail!("{id} is an app, and no person"),
        None => Err(nobody()),
    }
}
