use alfred_agent::Ports;
use alfred_agent::slack::home;
use alfred_agent::store::users;
use alfred_core::invisible::shown_on_one_line;
use alfred_core::ports::{Account, ChatError, Write};
use alfred_core::{Envelope, Result, Role, User, UserId, keys, text};
use serde_json::json;

const PAUSED_NOW: &str = "Paused: I send and change nothing for anybody until an administrator writes `/alfred resume`. Reading still works.";
const USERS_USAGE: &str = "I didn't get that. Try `/alfred users add @person member` (or admin, or guest), `/alfred users remove @person`, or `/alfred users list`.";
const NOT_YOURSELF: &str = "You can't change your own role. Please ask another administrator.";
const NOBODY_OF_THAT_ID: &str =
    "I can't find that person. Please mention somebody of this workspace.";

/// People in one answer. Slack shows about 4,000 characters of a message without folding.
const MOST_LISTED: usize = 50;

#[derive(Debug, PartialEq, Eq)]
pub enum Order {
    List,
    /// `users add @person [admin|member|guest]`. The default is member.
    Add(UserId, Role),
    Remove(UserId),
    /// `pause` (true) or `resume` (false): the switch for all effects of the workspace.
    Pause(bool),
    Unclear,
}

impl Order {
    /// Parses a command's text. `None` if it is an ordinary request, even with the same first words.
    pub fn parse(text: &str) -> Option<Self> {
        let words: Vec<&str> = text.split_whitespace().collect();
        match words.as_slice() {
            ["users", "list"] => Some(Self::List),
            ["pause"] => Some(Self::Pause(true)),
            ["resume"] => Some(Self::Pause(false)),
            ["users", verb @ ("add" | "remove"), person, rest @ ..] => {
                let person = mentioned(person)?;
                Some(match (*verb, rest) {
                    ("add", []) => Self::Add(person, Role::Member),
                    ("add", [role]) => match role_named(role) {
                        Some(role) => Self::Add(person, role),
                        None => Self::Unclear,
                    },
                    ("remove", []) => Self::Remove(person),
                    _ => Self::Unclear,
                })
            }
            _ => None,
        }
    }
}

/// `<@U012AB3CD|ben>`, as Slack writes a mention in a command, or the bare id.
fn mentioned(word: &str) -> Option<UserId> {
    let opened = word.strip_prefix("<@");
    let inner = opened.and_then(|word| word.strip_suffix('>'));
    let id = inner.unwrap_or(word).split('|').next()?;
    let plain = |b: u8| b.is_ascii_uppercase() || b.is_ascii_digit();
    (id.len() > 1 && id.starts_with(['U', 'W']) && id.bytes().all(plain)).then(|| id.into())
}

fn role_named(word: &str) -> Option<Role> {
    serde_json::from_value(word.into()).ok()
}

pub async fn carry_out(
    ports: &Ports,
    envelope: &Envelope,
    by: &User,
    order: Order,
) -> Result<String> {
    if by.role != Role::Admin {
        let words = "Only an administrator can do that. I can look people up for you instead.";
        return Ok(words.to_owned());
    }
    let (said, whom) = match order {
        Order::Unclear => return Ok(USERS_USAGE.to_owned()),
        Order::List => return list(ports, envelope).await,
        Order::Add(id, _) | Order::Remove(id) if id == by.slack_user_id => {
            return Ok(NOT_YOURSELF.to_owned());
        }
        Order::Pause(paused) => (pause(ports, envelope, by, paused).await?, None),
        Order::Add(id, role) => (register(ports, envelope, &id, role).await?, Some(id)),
        Order::Remove(id) => (deactivate(ports, envelope, &id).await?, Some(id)),
    };
    show(ports, envelope, whom).await;
    Ok(said)
}

/// Publishes the Home tabs that show what was changed: those of the administrators, and that of the person concerned.
/// Failures are only logged.
async fn show(ports: &Ports, envelope: &Envelope, whom: Option<UserId>) {
    let people = match users::list(&*ports.store, &envelope.team).await {
        Ok(people) => people,
        Err(error) => return tracing::warn!(%error, "Home tabs don't show a change"),
    };
    for user in people.into_iter().map(|stored| stored.user) {
        let is_concerned = whom.as_ref() == Some(&user.slack_user_id);
        let shows_it = is_concerned || user.role == Role::Admin && user.is_active;
        // That a stranger opened the tab isn't remembered, so whoever is added gets it in any case.
        if shows_it && (user.opened_home || is_concerned && user.is_active) {
            let owner = Account::of(&envelope.team, &user.slack_user_id);
            let trace = &envelope.trace_id;
            home::changed_for(ports, &owner, trace, trace.as_str()).await;
        }
    }
}

async fn pause(ports: &Ports, envelope: &Envelope, by: &User, paused: bool) -> Result<String> {
    let key = keys::effects_switch(&envelope.team);
    let body = json!({ "paused": paused, "by": by.slack_user_id, "at": ports.clock.now() });
    ports.commit(vec![Write::put(key, None, body)]).await?;
    tracing::warn!(effects.paused = paused, user.id = %by.slack_user_id, "the switch for all effects was set");
    Ok(if paused {
        PAUSED_NOW.to_owned()
    } else {
        "Resumed: I may send and change things again, under the usual approvals.".to_owned()
    })
}

async fn list(ports: &Ports, envelope: &Envelope) -> Result<String> {
    let people = users::list(&*ports.store, &envelope.team).await?;
    let mut people: Vec<User> = people.into_iter().map(|stored| stored.user).collect();
    people.sort_by_key(|user| user.name.to_lowercase());
    let more = people.len().saturating_sub(MOST_LISTED);
    let lines = people.iter().take(MOST_LISTED).map(|user| {
        let name = shown_on_one_line(&user.name);
        registered_person(&name, user.role, user.is_active)
    });
    let lines: Vec<String> = lines.collect();
    let mut list = format!("Registered with me:\n{}", lines.join("\n"));
    if more > 0 {
        list.push_str(&format!("\nand {more} more. Ask me for anybody by name."));
    }
    Ok(list)
}

fn registered_person(name: &str, role: Role, is_active: bool) -> String {
    let role = match role {
        Role::Admin => "administrator",
        Role::Member => "member",
        Role::Guest => "guest",
    };
    let served = if is_active { "" } else { ", no longer served" };
    format!("• {name}: {role}{served}")
}

async fn register(ports: &Ports, envelope: &Envelope, id: &UserId, role: Role) -> Result<String> {
    let now = ports.clock.now();
    let (known, version) = users::registered(&*ports.store, &envelope.team, id).await?;
    let user = match known {
        Some(known) => known.registered_again(role, now),
        None => match ports.chat.user(id).await {
            Ok(Some(person)) if person.is_person => {
                User::register(person, role, &ports.config.default_timezone, now)
            }
            Ok(_) | Err(ChatError::Refused { .. }) => return Ok(NOBODY_OF_THAT_ID.to_owned()),
            Err(error) => return Err(error.into()),
        },
    };
    users::put(&*ports.store, &*ports.ids, &envelope.team, &user, version).await?;
    tracing::info!(user.id = %id, user.role = ?role, "an administrator registered somebody");
    Ok(registered(&user.name, role))
}

fn registered(name: &str, role: Role) -> String {
    let limit = match role {
        Role::Admin | Role::Member => "",
        Role::Guest => ", who may only read",
    };
    let role = text::with_article(role);
    format!("{name} is registered as {role}{limit}.")
}

async fn deactivate(ports: &Ports, envelope: &Envelope, id: &UserId) -> Result<String> {
    let Some(stored) = users::get(&*ports.store, &envelope.team, id).await? else {
        return Ok(NOBODY_OF_THAT_ID.to_owned());
    };
    let mut user = stored.user;
    (user.is_active, user.updated_at) = (false, ports.clock.now());
    let version = Some(stored.version);
    users::put(&*ports.store, &*ports.ids, &envelope.team, &user, version).await?;
    tracing::info!(user.id = %id, "an administrator removed somebody");
    Ok(format!(
        "{} is no longer served. Their data stays until it is deleted.",
        user.name
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn orders_are_told_from_requests() {
        let ben = || UserId::from("U0BEN");
        for (text, order) in [
            ("users add <@U0BEN|ben>", Order::Add(ben(), Role::Member)),
            ("users add U0BEN guest", Order::Add(ben(), Role::Guest)),
            ("users remove <@U0BEN>", Order::Remove(ben())),
            (" users  list ", Order::List),
        ] {
            assert_eq!(Order::parse(text), Some(order), "{text}");
        }
        let unclear = "add <@U0BEN> king,add <@U0BEN> guest please,remove <@U0BEN> now";
        for unclear in unclear.split(',').map(|words| format!("users {words}")) {
            assert_eq!(Order::parse(&unclear), Some(Order::Unclear), "{unclear}");
        }
        let requests = "users|users keep asking me for the slides, write them a reply|users list and their time zones|\
            users add|users add value when they onboard|users remove old accounts how often?|Users list|what time is it|";
        for request in requests.split('|') {
            assert_eq!(Order::parse(request), None, "{request}");
        }
    }
}
