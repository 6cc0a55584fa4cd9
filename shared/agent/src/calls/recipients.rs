//! Decides whether a call's recipients are trusted: those that the owner wrote, and known people of
//! the workspace.

use alfred_core::ports::Store;
use alfred_core::{Failure, User};

use crate::calls::members::{self, bare};
use crate::model::approval::Recipient;
use crate::model::preview::Preview;
use crate::model::run::Run;
use crate::store::ports::Ports;
use crate::store::users;

/// The recipients with their trust.
pub async fn judged(
    ports: &Ports,
    run: &Run,
    named: Vec<String>,
    owner_words: &[String],
) -> Result<Vec<Recipient>, Failure> {
    let recipients = named.into_iter().map(|who| Recipient {
        trusted: written_by_owner(&who, owner_words),
        who,
    });
    let mut recipients: Vec<Recipient> = recipients.collect();
    let linked = owner_words.iter().any(|text| text.contains("<#"));
    let is_channel_name = |to: &Recipient| !to.trusted && to.who.starts_with('#');
    if linked && recipients.iter().any(is_channel_name) {
        // For a linked channel, the owner's message has only the channel's id.
        let mut channels = members::channels(ports, run).await;
        channels.retain(|channel| written_by_owner(channel.id.as_str(), owner_words));
        for to in recipients.iter_mut().filter(|to| !to.trusted) {
            to.trusted = channels.iter().any(|one| members::is_named(one, &to.who));
        }
    }
    if recipients.iter().any(|to| !to.trusted) {
        let people = users::list(&*ports.store, &run.team).await?;
        let people = people.iter().map(|known| &known.user);
        let active = || people.clone().filter(|user| user.is_active);
        for to in recipients.iter_mut().filter(|to| !to.trusted) {
            to.trusted = active().any(|user| is_person(&to.who, user))
                || active().filter(|user| is_called(&to.who, user)).count() == 1;
        }
    }
    Ok(recipients)
}

/// The ids of recipients who aren't registered with Alfred. The card warns of them, even if the owner named them.
pub async fn outside(
    store: &dyn Store,
    run: &Run,
    preview: &Preview,
) -> Result<Vec<String>, Failure> {
    let people = preview.audience.iter().flat_map(|of| &of.people);
    let ids = people.filter_map(|one| one.id.as_ref());
    let ids: Vec<&String> = ids.filter(|id| !is_channel(id)).collect();
    if ids.is_empty() {
        return Ok(Vec::new());
    }
    let served = users::list(store, &run.team).await?;
    let unknown = |id: &&&String| {
        let mut served = served.iter().filter(|known| known.user.is_active);
        !served.any(|known| is_person(id, &known.user))
    };
    Ok(ids.iter().filter(unknown).map(|id| (*id).clone()).collect())
}

/// Whether it is a Slack channel id, not an address that starts with these letters.
fn is_channel(id: &str) -> bool {
    id.starts_with(['C', 'G']) && !id.contains('@')
}

/// Whether the owner wrote this id, address or name as a whole word. A name is enough here, because the approval
/// card shows which person it was resolved to.
fn written_by_owner(who: &str, words: &[String]) -> bool {
    let who = bare(who).to_lowercase();
    !who.is_empty()
        && words
            .iter()
            .any(|text| has_word(&unlinked(text).to_lowercase(), &who))
}

/// Replaces Slack mentions in a message: `<#C1|general>` becomes `C1 #general`, `<@U1|ben>` becomes
/// `U1 @ben`.
fn unlinked(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('<') {
        let (before, mention) = rest.split_at(at);
        out.push_str(before);
        let sign = mention.chars().nth(1).filter(|c| "@#".contains(*c));
        match (sign, mention.find('>')) {
            (Some(sign), Some(end)) => {
                let inner = &mention[2..end];
                let (id, label) = inner.split_once('|').unwrap_or((inner, ""));
                out.push_str(&format!(" {id} "));
                if !label.is_empty() {
                    out.push_str(&format!("{sign}{label} "));
                }
                rest = &mention[end + 1..];
            }
            _ => {
                out.push('<');
                rest = &mention[1..];
            }
        }
    }
    out.push_str(rest);
    out
}

fn has_word(text: &str, word: &str) -> bool {
    let part_of_address = |c: char| c.is_alphanumeric() || "@._+-#%".contains(c);
    text.match_indices(word).any(|(at, _)| {
        let before = text[..at].chars().next_back();
        let mut behind = text[at + word.len()..].chars();
        let (next, after) = (behind.next(), behind.next());
        // A full stop ends a sentence, unless an address continues after it.
        let ends = match next {
            None => true,
            Some('.') => after.is_none_or(|c| !part_of_address(c)),
            Some(c) => !part_of_address(c),
        };
        before.is_none_or(|c| !part_of_address(c)) && ends
    })
}

/// Matches the full or first name. The caller requires a unique match, and the card shows who it is.
fn is_called(who: &str, user: &User) -> bool {
    let (who, name) = (who.trim().to_lowercase(), user.name.to_lowercase());
    who == name || name.split_whitespace().next() == Some(&who)
}

/// Matches Slack id, handle or mail address. Names aren't enough, since anybody can choose one.
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
    fn an_address_counts_only_as_a_whole_word() {
        let words = vec!["Write to Ben@example.com. And to #general, please".to_owned()];
        assert!(written_by_owner("ben@example.com", &words));
        assert!(written_by_owner("#general", &words));
        for other in [
            "en@example.com",
            "ben@example.co",
            "ben@example.com.evil.example",
            "#gen",
            "",
        ] {
            assert!(!written_by_owner(other, &words), "{other}");
        }
    }

    #[test]
    fn slacks_mentions_are_the_owners_words() {
        let words = vec!["Tell <@U0BEN> and <#C0GEN|general>, not <!here> or < @x".to_owned()];
        for named in [
            "U0BEN",
            "<@U0BEN>",
            "<@U0BEN|ben>",
            "C0GEN",
            "#general",
            "<#C0GEN|general>",
        ] {
            assert!(written_by_owner(named, &words), "{named}");
        }
        for other in ["U0BE", "<@U0ANA>", "#gen", "general", "<#C0OTHER|general>"] {
            assert!(!written_by_owner(other, &words), "{other}");
        }
    }

    /// Registered people: Ben, and Mallory, who uses another person's name.
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
        [
            user("U0BEN", "ben", "Ben Okafor"),
            user("U0MAL", "mallory", "The Boss"),
        ]
    }

    #[test]
    fn a_name_is_trusted_only_from_its_owner() {
        let people = people();
        let known = |who: &str| people.iter().any(|user| is_person(who, user));
        for who in [
            "U0BEN",
            "<@U0BEN>",
            "<@U0BEN|anything>",
            "@ben",
            "@Ben",
            "Ben@Example.com",
        ] {
            assert!(known(who), "{who}");
        }
        for who in [
            "Ben Okafor",
            "The Boss",
            "@The Boss",
            "boss",
            "U0BE",
            "<@>",
            "",
        ] {
            assert!(!known(who), "{who}");
        }
        let asked = vec!["Write to the boss that I'm late".to_owned()];
        assert!(written_by_owner("The Boss", &asked));
        assert!(!written_by_owner("Ben Okafor", &asked));
    }
}
