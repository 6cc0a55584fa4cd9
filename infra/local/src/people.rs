//! `alfred users`: who is registered.

use alfred_agent::users;
use alfred_core::{Role, TeamId, User};
use anyhow::{anyhow, bail};

use crate::cli::Cli;
use crate::exit::{Exit, say};
use crate::house::{self, House};

async fn house(cli: &Cli) -> anyhow::Result<House> {
    house::furnish(house::open_folder(&cli.data)?, "http://127.0.0.1:0").await
}

fn team(house: &House) -> anyhow::Result<TeamId> {
    match &house.slack {
        Some(slack) => Ok(TeamId::from(slack.seed().team_id.as_str())),
        None => bail!("with a real Slack, administrators add people by ALFRED_ADMINS and in Slack"),
    }
}

/// Lists everybody.
pub async fn list(cli: &Cli) -> anyhow::Result<Exit> {
    let house = house(cli).await?;
    let people = users::list(&*house.ports.store, &team(&house)?).await?;
    if cli.json {
        let all: Vec<&User> = people.iter().map(|stored| &stored.user).collect();
        say(&serde_json::to_string_pretty(&all)?);
        return Ok(Exit::Done);
    }
    for stored in people {
        let user = stored.user;
        let state = if user.is_active { "" } else { ", inactive" };
        say(&format!(
            "{}  {}  {}  {}  {:?}{state}",
            user.slack_user_id, user.name, user.email, user.timezone, user.role
        ));
    }
    Ok(Exit::Done)
}

/// Registers somebody whom Slack knows, or changes their role.
pub async fn add(cli: &Cli, id: &str, role: &str) -> anyhow::Result<Exit> {
    let role: Role = serde_json::from_value(role.into())
        .map_err(|_| anyhow!("--role: \"{role}\" is none of admin, member, guest"))?;
    let house = house(cli).await?;
    let team = team(&house)?;
    let slack = house
        .slack
        .as_ref()
        .ok_or_else(|| anyhow!("there is no local Slack"))?;
    let known = slack
        .people()?
        .into_iter()
        .find(|person| person.id == id && !person.is_bot);
    let person = known.ok_or_else(|| anyhow!("Slack knows nobody with the id {id}"))?;
    let now = house.ports.clock.now();
    let stored = users::get(&*house.ports.store, &team, &id.into()).await?;
    let version = stored.as_ref().map(|stored| stored.version);
    let user = match stored {
        Some(stored) => User {
            role,
            is_active: true,
            updated_at: now,
            ..stored.user
        },
        None => {
            let zone = &house.ports.config.default_timezone;
            User::register(house::chat_user(person), role, zone, now)
        }
    };
    let ports = &house.ports;
    users::put(&*ports.store, &*ports.ids, &team, &user, version).await?;
    say(&format!("{} is registered as {role:?}.", user.name));
    Ok(Exit::Done)
}
