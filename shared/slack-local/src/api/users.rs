//! `auth.test` and `users.*`.

use jiff::tz::TimeZone;
use serde_json::{Value, json};

use super::Answer;
use super::args::Args;
use crate::state::SlackLocal;
use crate::types::Person;

pub(super) fn auth_test(slack: &SlackLocal) -> Value {
    let seed = slack.seed();
    let bot = seed.people.iter().find(|person| person.id == seed.bot_user);
    json!({
        "url": format!("https://{}.slack.com/", seed.team_domain),
        "team": seed.team_name,
        "user": bot.map(|bot| &bot.username),
        "team_id": seed.team_id,
        "user_id": seed.bot_user,
        "bot_id": seed.bot_id,
        "is_enterprise_install": false,
    })
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
    let person = person.ok_or("user_not_found")?;
    Ok(json!({"user": shown(slack, &person)}))
}
