//! `auth.test` and `users.*`.

use jiff::tz::TimeZone;
use serde_json::{Map, Value, json};

use super::args::Args;
use super::conversations::listed;
use super::{Answer, ApiError};
use crate::db::PERSON;
use crate::state::SlackLocal;
use crate::types::Person;

pub(super) fn auth_test(slack: &SlackLocal) -> Map<String, Value> {
    let seed = slack.seed();
    let bot = seed.people.iter().find(|person| person.id == seed.bot_user);
    Map::from_iter([
        (
            "url".into(),
            format!("https://{}.slack.com/", seed.team_domain).into(),
        ),
        ("team".into(), seed.team_name.clone().into()),
        ("user".into(), json!(bot.map(|bot| &bot.username))),
        ("team_id".into(), seed.team_id.clone().into()),
        ("user_id".into(), seed.bot_user.clone().into()),
        ("bot_id".into(), seed.bot_id.clone().into()),
        ("is_enterprise_install".into(), false.into()),
    ])
}

fn shown(slack: &SlackLocal, person: &Person) -> Value {
    let mut profile = json!({
        "real_name": person.name,
        "real_name_normalized": person.name,
        "display_name": person.username,
        "display_name_normalized": person.username,
        "team": slack.seed().team_id,
    });
    if !person.email.is_empty() {
        profile["email"] = person.email.clone().into();
    }
    let mut out = json!({
        "id": person.id,
        "team_id": slack.seed().team_id,
        "name": person.username,
        "deleted": person.deleted,
        "profile": profile,
        "is_bot": person.is_bot,
        "is_app_user": false,
        "updated": 1_700_000_000,
    });
    if !person.deleted {
        out["real_name"] = person.name.clone().into();
        if let Ok(zone) = TimeZone::get(&person.tz) {
            let offset = zone.to_offset(slack.0.clock.now());
            out["tz"] = person.tz.clone().into();
            out["tz_label"] = person.tz.clone().into();
            out["tz_offset"] = offset.seconds().into();
        }
    }
    out
}

pub(super) fn info(slack: &SlackLocal, args: &Args) -> Answer {
    let person = slack.db().read().person(args.required("user")?)?;
    let person = person.ok_or(ApiError::from("user_not_found"))?;
    Ok(Map::from_iter([("user".into(), shown(slack, &person))]))
}

pub(super) fn list(slack: &SlackLocal, args: &Args) -> Answer {
    let people: Vec<Person> = slack.db().read().all(PERSON)?;
    let shown = people
        .iter()
        .map(|person| (person.id.clone(), shown(slack, person)))
        .collect();
    listed("members", shown, args)
}
