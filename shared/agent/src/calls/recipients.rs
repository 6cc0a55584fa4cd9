//! Decides which recipients need no warning on the approval card: those that the owner named, and known people of the
//! workspace. Also decides whether a call would send text of a members-only conversation elsewhere.

use alfred_core::ports::{ChatChannel, Store};
use alfred_core::{Result, User};

use crate::model::{Preview, Recipient, Run};
use crate::policy::tool_def::ToolDef;
use crate::store::ports::Ports;
use crate::store::users;

pub async fn judged(
    ports: &Ports,
    run: &Run,
    named: Vec<String>,
    owner_words: &[String],
) -> Result<Vec<Recipient>> {
    let recipients = named.into_iter().map(|who| Recipient {
        trusted: written_by_owner(&who, owner_words),
        who,
    });
    let mut recipients: Vec<Recipient> = recipients.collect();
    let unknown = |to: &&mut Recipient| !to.trusted;
    let linked = owner_words.iter().any(|text| text.contains("<#"));
    let is_new_channel = |to: &Recipient| !to.trusted && to.who.starts_with('#');
    if linked && recipients.iter().any(is_new_channel) {
        // In the owner's message Slack replaced `#channel` by its id, but recipients are names: get the ids' names.
        let mut channels = channels(ports, run).await;
        channels.retain(|channel| written_by_owner(channel.id.as_str(), owner_words));
        for to in recipients.iter_mut().filter(unknown) {
            to.trusted = channels.iter().any(|one| is_named(one, &to.who));
        }
    }
    if recipients.iter().any(|to| !to.trusted) {
        let mut people = users::list(&*ports.store, &run.team).await?;
        people.retain(|known| known.user.is_active);
        for to in recipients.iter_mut().filter(unknown) {
            let users = people.iter().map(|known| &known.user);
            let called = users.clone().filter(|user| is_called(&to.who, user));
            to.trusted = called.count() == 1 || users.clone().any(|user| is_person(&to.who, user));
        }
    }
    Ok(recipients)
}

/// The ids of recipients who aren't registered with Alfred. The card warns of them, even if the owner named them.
pub async fn outside(store: &dyn Store, run: &Run, preview: &Preview) -> Result<Vec<String>> {
    // A Slack channel's id, not an address that starts with these letters.
    let is_channel = |id: &String| id.starts_with(['C', 'G']) && !id.contains('@');
    let people = preview.audience.iter().flat_map(|of| &of.people);
    let ids = people.filter_map(|one| one.id.clone());
    let mut ids: Vec<String> = ids.filter(|id| !is_channel(id)).collect();
    if !ids.is_empty() {
        let mut served = users::list(store, &run.team).await?;
        served.retain(|known| known.user.is_active);
        ids.retain(|id| !served.iter().any(|known| is_person(id, &known.user)));
    }
    Ok(ids)
}

/// Whether the owner wrote it as a whole word. A name is enough, as the card shows which person it was resolved to.
fn written_by_owner(who: &str, words: &[String]) -> bool {
    let who = bare(who).to_lowercase();
    let has_word = |text: &String| has_word(&unlinked(text).to_lowercase(), &who);
    !who.is_empty() && words.iter().any(has_word)
}

/// Replaces Slack's mentions: `<#C1|general>` becomes `C1 #general`.
fn unlinked(text: &str) -> String {
    let mut parts = text.split('<');
    let mut out = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let mention = part.split_once('>');
        let mention = mention.filter(|_| part.starts_with(['@', '#']));
        let Some((mention, rest)) = mention else {
            out += &format!("<{part}");
            continue;
        };
        let (sign, inner) = mention.split_at(1);
        out += &match inner.split_once('|') {
            Some((id, label)) if !label.is_empty() => format!(" {id} {sign}{label} {rest}"),
            Some((id, _)) => format!(" {id} {rest}"),
            None => format!(" {inner} {rest}"),
        };
    }
    out
}

fn has_word(text: &str, word: &str) -> bool {
    let is_part = |c: char| c.is_alphanumeric() || "@._+-#%".contains(c);
    text.match_indices(word).any(|(at, _)| {
        let behind = &text[at + word.len()..];
        // A full stop ends a sentence, unless an address continues after it.
        let behind = behind.strip_prefix('.').unwrap_or(behind);
        !text[..at].ends_with(is_part) && !behind.starts_with(is_part)
    })
}

/// Whether a call would send text out of a members-only conversation. Slack is asked only if the run's taint doesn't
/// decide already. Channels that Slack doesn't list as public count as closed.
pub async fn leave_members(ports: &Ports, run: &Run, def: &ToolDef, to: &[Recipient]) -> bool {
    let said_in = &run.taint.conversations;
    let decided = run.taint.untrusted.is_empty() || !run.taint.private.is_empty();
    if !def.reaches_out() || said_in.is_empty() || decided {
        return false;
    }
    let channels = channels(ports, run).await;
    said_in.iter().any(|id| {
        let listed = channels.iter().find(|channel| channel.id == *id);
        let open = listed.is_some_and(|channel| !channel.is_private);
        let back = |to: &Recipient| listed.is_some_and(|channel| is_named(channel, &to.who));
        !open && (to.is_empty() || !to.iter().all(back))
    })
}

/// The channels that the owner may know of. Empty if Slack fails.
async fn channels(ports: &Ports, run: &Run) -> Vec<ChatChannel> {
    match ports.chat.channels(&run.user).await {
        Ok(channels) => channels,
        Err(error) => {
            tracing::warn!(run.id = %run.id, error = %error, "which channels there are isn't known");
            Vec::new()
        }
    }
}

/// Whether `who` is the channel's id or its name, which is unique in the workspace.
fn is_named(channel: &ChatChannel, who: &str) -> bool {
    let bare = bare(who);
    let name = bare.strip_prefix('#');
    let id = name.unwrap_or(bare);
    id == channel.id.as_str() || name.is_some_and(|name| name.eq_ignore_ascii_case(&channel.name))
}

fn bare(who: &str) -> &str {
    let who = who.trim();
    let mut opens = ["<@", "<#"].iter();
    let inner = opens.find_map(|open| who.strip_prefix(open)?.strip_suffix('>'));
    inner.map_or(who, |inner| inner.split('|').next().unwrap_or(inner))
}

/// Matches the full or first name. The caller requires a unique match, and the card shows who it is.
fn is_called(who: &str, user: &User) -> bool {
    let (who, name) = (who.trim().to_lowercase(), user.name.to_lowercase());
    who == name || name.split_whitespace().next() == Some(&who)
}

/// Whether `who` is the user's Slack id, handle or mail address. Display names don't count: anybody can choose one.
fn is_person(who: &str, user: &User) -> bool {
    let bare = bare(who).trim_start_matches('@');
    bare == user.slack_user_id.as_str()
        || bare.eq_ignore_ascii_case(&user.slack_username)
        || (!user.email.is_empty() && bare.eq_ignore_ascii_case(&user.email))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_or_a_mention_counts_only_as_a_whole_word() {
        let words = [
            "Write to Ben@example.com. And to #general, please",
            "Tell <@U0ANA> and <#C0DEV|dev>, not <!here> or < @x",
        ];
        let words = words.map(str::to_owned);
        let named = "ben@example.com #general U0ANA <@U0ANA> <@U0ANA|ana> C0DEV #dev <#C0DEV|dev>";
        for who in named.split(' ') {
            assert!(written_by_owner(who, &words), "{who}");
        }
        let others = "en@example.com ben@example.co ben@example.com.evil.example #gen U0AN <@U0BEN> #de dev <#C0OTHER|dev>";
        for who in others.split(' ').chain([""]) {
            assert!(!written_by_owner(who, &words), "{who}");
        }
    }

    fn people() -> [User; 2] {
        let user = |id: &str, handle: &str, name: &str| {
            let known = alfred_core::ports::ChatUser {
                id: id.into(),
                username: handle.into(),
                name: name.into(),
                email: format!("{handle}@example.com"),
                timezone: None,
                is_person: true,
            };
            let at = jiff::Timestamp::UNIX_EPOCH;
            User::register(known, alfred_core::Role::Member, "UTC", at)
        };
        let ben = user("U0BEN", "ben", "Ben Okafor");
        [ben, user("U0MAL", "mallory", "The Boss")]
    }

    #[test]
    fn a_name_is_trusted_only_from_its_owner() {
        let people = people();
        let known = |who: &str| people.iter().any(|user| is_person(who, user));
        for who in "U0BEN <@U0BEN> <@U0BEN|anything> @ben @Ben Ben@Example.com".split(' ') {
            assert!(known(who), "{who}");
        }
        for who in "Ben Okafor,The Boss,@The Boss,boss,U0BE,<@>,".split(',') {
            assert!(!known(who), "{who}");
        }
        let asked = vec!["Write to the boss that I'm late".to_owned()];
        assert!(written_by_owner("The Boss", &asked));
        assert!(!written_by_owner("Ben Okafor", &asked));
    }
}
