//! Whom a call reaches, and whether the owner or the workspace vouches for them:
//! an address the owner wrote, or a known person of the workspace, is trusted.

use alfred_core::{Failure, User};

use crate::gate::Recipient;
use crate::ports::Ports;
use crate::run::Run;
use crate::users;

/// The named recipients with what is known of them.
///
/// # Errors
/// When the store doesn't answer.
pub async fn judged(
    ports: &Ports,
    run: &Run,
    named: Vec<String>,
    owner_words: &[String],
) -> Result<Vec<Recipient>, Failure> {
    let mut recipients: Vec<Recipient> = named
        .into_iter()
        .map(|who| Recipient {
            trusted: written_by_owner(&who, owner_words),
            who,
        })
        .collect();
    if recipients.iter().any(|to| !to.trusted) {
        let people = users::list(&*ports.store, &run.team).await?;
        for to in recipients.iter_mut().filter(|to| !to.trusted) {
            to.trusted = people
                .iter()
                .any(|known| known.user.is_active && is_person(&to.who, &known.user));
        }
    }
    Ok(recipients)
}

/// What the owner wrote in this conversation, this request included.
#[must_use]
pub fn owner_words(run: &Run) -> Vec<String> {
    let earlier = run.history.iter().map(|exchange| exchange.request.clone());
    // A team's task was written by a model; the person's words are not in it.
    let own = match &run.input {
        crate::run::RunInput::Worker(input) => Some(input.task_prompt.clone()),
        crate::run::RunInput::Team(_) => None,
    };
    earlier.chain(own).collect()
}

/// Whether the address stands in the owner's words as a word of its own.
fn written_by_owner(who: &str, words: &[String]) -> bool {
    let who = who.trim().to_lowercase();
    !who.is_empty()
        && words
            .iter()
            .any(|text| has_word(&text.to_lowercase(), &who))
}

fn has_word(text: &str, word: &str) -> bool {
    let part_of_address = |c: char| c.is_alphanumeric() || "@._+-#%".contains(c);
    text.match_indices(word).any(|(at, _)| {
        let before = text[..at].chars().next_back();
        let mut behind = text[at + word.len()..].chars();
        let (next, after) = (behind.next(), behind.next());
        // A full stop ends a sentence unless an address goes on behind it.
        let ends = match next {
            None => true,
            Some('.') => after.is_none_or(|c| !part_of_address(c)),
            Some(c) => !part_of_address(c),
        };
        before.is_none_or(|c| !part_of_address(c)) && ends
    })
}

/// By Slack id, handle or address. Names aren't enough: anybody can take one.
fn is_person(who: &str, user: &User) -> bool {
    let bare = who
        .trim()
        .trim_start_matches("<@")
        .trim_end_matches('>')
        .trim_start_matches('@');
    let bare = bare.split('|').next().unwrap_or_default();
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
}
