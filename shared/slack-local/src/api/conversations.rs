//! `conversations.*`.

use serde_json::{Value, json};

use super::args::Args;
use super::chat::member_channel;
use super::{Answer, ApiError};
use crate::db::{self, Window};
use crate::state::SlackLocal;
use crate::types::{Channel, ChannelKind, Message};

/// A cursor is the id of the last item before the page.
fn window(args: &Args, default: usize) -> Result<Window, ApiError> {
    Ok(Window {
        oldest: args.ts("oldest", "invalid_ts_oldest")?,
        latest: args.ts("latest", "invalid_ts_latest")?,
        inclusive: args.flag("inclusive"),
        cursor: args.ts("cursor", "invalid_cursor")?,
        limit: args.limit(default, 999)?,
    })
}

fn readable(slack: &SlackLocal, args: &Args) -> Result<Channel, ApiError> {
    member_channel(slack, args.required("channel")?)
}

/// The first `limit` of these, and the cursor after them if there are more.
fn page<T>(mut items: Vec<T>, limit: usize, id: impl Fn(&T) -> &str) -> (Vec<T>, String) {
    let more = items.len() > limit;
    items.truncate(limit);
    let next = items.last().filter(|_| more);
    let next = next.map_or(String::new(), |last| id(last).to_owned());
    (items, next)
}

/// One page of messages; `messages` holds one more than the limit when there are more.
fn message_page(slack: &SlackLocal, args: &Args, messages: Vec<Message>, limit: usize) -> Answer {
    let (messages, next) = page(messages, limit, |message| &message.ts);
    let with_metadata = args.flag("include_all_metadata");
    let shown = |message: &Message| slack.slack_message(message, with_metadata);
    Ok(json!({
        "messages": messages.iter().map(shown).collect::<Vec<_>>(),
        "has_more": !next.is_empty(),
        "response_metadata": {"next_cursor": next},
    }))
}

pub(super) fn history(slack: &SlackLocal, args: &Args) -> Answer {
    let channel = readable(slack, args)?;
    let mut window = window(args, 100)?;
    let limit = window.limit;
    window.limit += 1;
    let messages = slack.db().read().history(&channel.id, &window)?;
    message_page(slack, args, messages, limit)
}

pub(super) fn replies(slack: &SlackLocal, args: &Args) -> Answer {
    let channel = readable(slack, args)?;
    let unknown = "thread_not_found";
    let ts = args.ts("ts", "invalid_ts")?.ok_or(unknown)?;
    let mut window = window(args, 999)?;
    let limit = window.limit;
    let db = slack.db();
    let asked = db.read().message(&channel.id, &ts)?.ok_or(unknown)?;
    let root = match &asked.thread_ts {
        Some(root) if asked.is_reply() => db.read().message(&channel.id, root)?,
        _ => Some(asked),
    };
    let root = root.ok_or(unknown)?;
    let root_ts = root.ts.clone();
    // The root comes first and always, whatever the bounds say.
    let mut messages: Vec<Message> = match window.cursor {
        None => vec![root],
        Some(_) => Vec::new(),
    };
    window.limit = limit + 1 - messages.len();
    messages.extend(db.read().replies(&channel.id, &root_ts, &window)?);
    drop(db);
    message_page(slack, args, messages, limit)
}

pub(super) fn open(slack: &SlackLocal, args: &Args) -> Answer {
    let user = args.text("users")?.ok_or("users_list_not_supplied")?;
    // A list of several users is unknown as well: the local Slack has no group direct messages.
    let person = slack.db().read().person(user)?;
    match person {
        None => Err("user_not_found".into()),
        Some(person) if person.is_bot => Err("cannot_dm_bot".into()),
        Some(person) if person.deleted => Err("user_disabled".into()),
        Some(_) => Ok(json!({"channel": {"id": slack.open_dm(user)?.id}})),
    }
}

fn shown(slack: &SlackLocal, channel: &Channel) -> Value {
    let bot = &slack.seed().bot_user;
    let mut out = json!({
        "id": channel.id,
        "created": channel.created,
        "is_channel": channel.kind == ChannelKind::Public,
        "is_group": channel.kind == ChannelKind::Private,
        "is_im": channel.kind == ChannelKind::Im,
        "is_mpim": false,
        "is_private": channel.kind != ChannelKind::Public,
        "is_archived": false,
        "context_team_id": slack.seed().team_id,
    });
    if channel.kind == ChannelKind::Im {
        out["user"] = json!(channel.members.iter().find(|member| *member != bot));
    } else {
        out["name"] = channel.name.clone().into();
        out["is_member"] = channel.has(bot).into();
    }
    out
}

fn kinds(args: &Args) -> Result<Vec<ChannelKind>, ApiError> {
    let mut kinds = Vec::new();
    for kind in args.text("types")?.unwrap_or("public_channel").split(',') {
        match kind.trim() {
            "public_channel" => kinds.push(ChannelKind::Public),
            "private_channel" => kinds.push(ChannelKind::Private),
            "im" => kinds.push(ChannelKind::Im),
            "mpim" => {}
            _ => return Err("invalid_types".into()),
        }
    }
    Ok(kinds)
}

/// `users.conversations`: where somebody is a member; where that isn't public, only together with the caller.
pub(super) fn of_user(slack: &SlackLocal, args: &Args) -> Answer {
    let bot = &slack.seed().bot_user;
    let user = args.text("user")?.unwrap_or(bot);
    if slack.db().read().person(user)?.is_none() {
        return Err("user_not_found".into());
    }
    let mut listed = listed(slack, args, |channel| {
        channel.has(user) && (channel.kind == ChannelKind::Public || channel.has(bot))
    })?;
    // Slack leaves it out here.
    let channels = listed["channels"].as_array_mut().into_iter().flatten();
    for fields in channels.filter_map(Value::as_object_mut) {
        fields.remove("is_member");
    }
    Ok(listed)
}

pub(super) fn list(slack: &SlackLocal, args: &Args) -> Answer {
    let bot = &slack.seed().bot_user;
    let is_open = |it: &Channel| it.kind == ChannelKind::Public || it.has(bot);
    listed(slack, args, is_open)
}

/// A page of channels of the wanted kinds, sorted by id.
fn listed(slack: &SlackLocal, args: &Args, includes: impl Fn(&Channel) -> bool) -> Answer {
    let kinds = kinds(args)?;
    let after = args.text("cursor")?.unwrap_or_default();
    let limit = args.limit(100, 1000)?;
    let mut channels: Vec<Channel> = slack.db().read().all(db::CHANNEL)?;
    channels.retain(|one| *one.id > *after && kinds.contains(&one.kind) && includes(one));
    let (channels, next) = page(channels, limit, |channel| &channel.id);
    let shown = channels.iter().map(|channel| shown(slack, channel));
    Ok(json!({
        "channels": shown.collect::<Vec<_>>(),
        "response_metadata": {"next_cursor": next},
    }))
}
