//! Resolves the recipient of a message. Anything but exactly one match is an error.

use alfred_core::ports::ChatChannel;
use alfred_core::{ChannelId, User, UserId};

use super::not_read;
use crate::fields::unclear;
use crate::prelude::*;
use crate::user::active;
use crate::user::matching::{self, LISTED, is_id, linked, mentioned};

/// In characters of a name, an address or an id.
pub const MAX_TO: usize = 200;

pub struct Target {
    pub address: ChannelId,
    /// Short, for a receipt.
    pub name: String,
    /// For a receipt.
    pub place: &'static str,
    /// In full, for a card. A handle and a channel's name are unique.
    pub shown: String,
    /// Last change of the user row from which the name was resolved. `None` for an id or a channel.
    pub read_from: Option<Timestamp>,
}

impl Target {
    fn person(id: &UserId, name: &str, handle: &str) -> Self {
        Self {
            address: ChannelId::from(id.as_str()),
            name: name.to_owned(),
            place: "direct message",
            shown: format!("{name} (@{handle}), a direct message"),
            read_from: None,
        }
    }

    fn user(user: &User) -> Self {
        Self::person(&user.slack_user_id, &user.name, &user.slack_username)
    }

    fn channel(channel: &ChatChannel) -> Self {
        let name = format!("#{}", channel.name);
        let private = channel.is_private;
        let kind = if private { "private" } else { "public" };
        Self {
            address: channel.id.clone(),
            shown: format!("{name}, a {kind} channel"),
            name,
            place: "",
            read_from: None,
        }
    }
}

/// Resolves `to`. Fails when nobody or several match, or when Alfred can't write there.
pub async fn resolve(context: &ToolContext, to: &str) -> Result<Target> {
    if to.trim_start_matches(['@', '#']).is_empty() {
        let problem = "is empty. Name a person or a channel.";
        return Err(refused("to", to, problem));
    }
    if let Some(id) = mentioned(to) {
        return by_id(context, to, id).await?.ok_or_else(|| nobody(to));
    }
    let named = to.strip_prefix('#');
    let bare = linked(to, "<#").unwrap_or(named.unwrap_or(to));
    if linked(to, "<#").is_some() || is_id(bare, ['C', 'G']) {
        return channel(context, to, |channel| channel.id.as_str() == bare).await;
    }
    if let Some(name) = named.map(str::to_lowercase) {
        return channel(context, to, |channel| channel.name.to_lowercase() == name).await;
    }
    let bare = to.trim_start_matches('@');
    if is_id(bare, ['U', 'W'])
        && let Some(person) = by_id(context, to, bare).await?
    {
        return Ok(person);
    }
    by_name(context, to).await
}

/// A registered person, or one whom Slack knows.
async fn by_id(context: &ToolContext, to: &str, id: &str) -> Result<Option<Target>> {
    let people = active(context).await?;
    if let Some(user) = people.iter().find(|user| user.slack_user_id.as_str() == id) {
        return Ok(Some(Target::user(user)));
    }
    let known = context.chat.user(&UserId::from(id)).await;
    match known.map_err(not_read)? {
        None => Ok(None),
        Some(other) if !other.is_person => {
            let problem = "is a bot or an account that was closed.";
            Err(refused("to", to, problem))
        }
        Some(it) => Ok(Some(Target::person(&it.id, &it.name, &it.username))),
    }
}

async fn by_name(context: &ToolContext, to: &str) -> Result<Target> {
    let people = active(context).await?;
    match matching::named(&people, to).as_slice() {
        [] => Err(nobody(to)),
        [one] => Ok(Target {
            read_from: Some(one.updated_at),
            ..Target::user(one)
        }),
        several => Err(matching::several("to", to, several)),
    }
}

async fn channel(
    context: &ToolContext,
    to: &str,
    fits: impl Fn(&ChatChannel) -> bool,
) -> Result<Target> {
    let known = context.chat.channels(context.user_id()).await;
    let found: Vec<ChatChannel> = known.map_err(not_read)?.into_iter().filter(fits).collect();
    let problem = match found.as_slice() {
        [one] if one.is_member => return Ok(Target::channel(one)),
        [_] => "is a channel Alfred isn't in. Somebody there has to invite it first.",
        [] => "is no channel that you and Alfred can both see.",
        several => {
            let shown = |it: &ChatChannel| (format!("#{}", it.name), it.id.to_string());
            let things: Vec<_> = several.iter().take(LISTED).map(shown).collect();
            let error = unclear("to", to, &things, several.len());
            // Only members may learn of a private channel.
            return Err(if several.iter().any(|channel| channel.is_private) {
                error.bringing(Flow::UNKNOWN)
            } else {
                error
            });
        }
    };
    Err(refused("to", to, problem))
}

fn nobody(to: &str) -> ToolError {
    let problem = "isn't anyone I know. Please give an @handle, an e-mail address or a #channel.";
    refused("to", to, problem).hint("user_lookup finds people.")
}
