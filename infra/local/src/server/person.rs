//! Finds the person that a command names.

use alfred_agent::store::users;
use alfred_core::{TeamId, User, UserId};
use alfred_slack_local::{Person, SlackLocal};

use crate::app::LocalApp;
use crate::exit::Usage;

/// By any name in the local Slack; by id in a real one.
pub fn id_of(app: &LocalApp, wanted: &str) -> anyhow::Result<UserId> {
    let Some(slack) = &app.slack else {
        return Ok(wanted.into());
    };
    Ok(in_slack(slack, wanted)?.id.into())
}

/// The named person, if registered and active.
pub async fn registered(app: &LocalApp, wanted: &str) -> anyhow::Result<(TeamId, User)> {
    let team = app.team().await?;
    let id = id_of(app, wanted)?;
    match users::get(&*app.ports.store, &team, &id).await? {
        Some(stored) if stored.user.is_active => Ok((team, stored.user)),
        _ => Err(Usage::error(format!(
            "--user: {id} isn't registered; `alfred users add {id}` does it"
        ))),
    }
}

pub fn in_slack(slack: &SlackLocal, wanted: &str) -> anyhow::Result<Person> {
    let mut people = slack.people()?;
    people.retain(|person| !person.is_bot);
    let wanted_lower = wanted.trim_start_matches('@').to_lowercase();
    let found = people.iter().find(|person| {
        [&person.id, &person.username, &person.name, &person.email]
            .iter()
            .any(|name| name.to_lowercase() == wanted_lower)
    });
    found.cloned().ok_or_else(|| {
        let names = people.iter().map(|person| person.username.as_str());
        let names: Vec<&str> = names.collect();
        Usage::error(format!(
            "--user: nobody is called \"{wanted}\"; there are {}",
            names.join(", ")
        ))
    })
}
