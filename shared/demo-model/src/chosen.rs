//! One of several things, chosen by its button: the call that listed them, made with that one.

use alfred_core::ports::Message;
use serde_json::{Deserializer, Map, Value, json};

use crate::call::Call;

const ORDINALS: [&str; 5] = ["first", "second", "third", "fourth", "fifth"];

/// The call that goes on with what was chosen; `None` where nothing was, or the list can't be read.
pub(crate) fn call(said: &str, before: &[Message]) -> Option<Call> {
    let nth = said.strip_prefix("The ")?.strip_suffix(" of these.")?;
    let nth = ORDINALS.iter().position(|one| *one == nth)?;
    let listed = before.iter().rev().find_map(|message| match message {
        Message::User { text } => Some(text.split_once("<listed>\n")?.1),
        _ => None,
    })?;
    let (tool, rest) = listed.split_once(" with ")?;
    let mut arguments = Deserializer::from_str(rest).into_iter::<Map<String, Value>>();
    let mut called = arguments.next()?.ok()?;
    let given = rest[arguments.byte_offset()..].strip_prefix(" gave ")?;
    let given: Value = Deserializer::from_str(given).into_iter().next()?.ok()?;
    let times = ["times", "alternatives"];
    if let Some(time) = times.iter().find_map(|name| given[*name].get(nth)) {
        let start = format!("{}T{}", time["date"].as_str()?, time["startTime"].as_str()?);
        if tool == "calendar_rescheduleMeeting" {
            called.insert("newTime".into(), start.into());
            return Some(Call::new(tool, called));
        }
        called.retain(|name, _| name != "from" && name != "until");
        called.insert("preferredTimes".into(), json!([start]));
        return Some(Call::new("calendar_scheduleMeeting", called));
    }
    // `to: "Ben" is not clear, two match: @ben.lindqvist (U8), @ben.okafor (U7). Give the id.`
    let (field, problem) = given["error"].as_str()?.split_once(": ")?;
    let (named, things) = problem.split_once(" is not clear, ")?;
    let id = ids(things).nth(nth)?;
    match called.get_mut(field)? {
        Value::Array(all) => {
            let meant = all.iter_mut().find(|one| *one == named.trim_matches('"'))?;
            *meant = id.into();
        }
        one => *one = id.into(),
    }
    Some(Call::new(tool, called))
}

/// What stands in parentheses at the end of each of the things.
fn ids(things: &str) -> impl Iterator<Item = &str> {
    let ends = things.match_indices(')').filter(|(at, _)| {
        let next = things[at + 1..].chars().next();
        next.is_none_or(|next| ",.".contains(next))
    });
    ends.filter_map(|(at, _)| Some(things[..at].rsplit_once('(')?.1))
}
