//! What is to become of e-mails: a triage, the archive, a task, an answer.

use super::mail_selection::{Selection, is_noun, selection};
use super::{Call, Reading, Wanted};
use crate::model::demo::dates::{self, Now};
use crate::model::demo::lex::{Word, at, find, has};

pub(super) const TRIAGE: &str = "workflow_fillEmailBlock";
/// The most e-mails that are archived at once.
const MOST: i64 = 100;

/// All of these requests.
pub(super) fn change(words: &[Word], _: &Now) -> Reading {
    let call = task(words)
        .or_else(|| archive(words))
        .or_else(|| reply(words))
        .or_else(|| triage(words))?;
    Some(Ok(vec![call]))
}

/// "triage my mail", "help me get through my inbox but keep everything from Ana".
fn triage(words: &[Word]) -> Option<Call> {
    const VERBS: [&[&str]; 22] = [
        &["triage"],
        &["process"],
        &["sort", "out"],
        &["sort", "through"],
        &["sort"],
        &["clean", "up"],
        &["clear", "out"],
        &["clear"],
        &["tidy", "up"],
        &["tidy"],
        &["go", "through"],
        &["get", "through"],
        &["work", "through"],
        &["deal", "with"],
        &["do"],
        &["organise"],
        &["organize"],
        &["handle"],
        &["fill", "my", "email", "block"],
        &["fill", "the", "email", "block"],
        &["fill", "my", "mail", "block"],
        &["empty"],
    ];
    let start = [&["help", "me", "to"][..], &["help", "me"], &["we"]]
        .iter()
        .find(|opening| at(words, 0, opening))
        .map_or(0, |opening| opening.len());
    let verb = VERBS
        .iter()
        .filter(|verb| at(words, start, verb))
        .max_by_key(|verb| verb.len())?;
    let behind = start + verb.len();
    let end = if verb[0] == "fill" {
        behind
    } else {
        let noun = words[behind..].iter().take(4).position(is_noun)? + behind;
        let plain = ["my", "the", "all", "our", "unread", "new", "waiting"];
        let only = words[behind..noun]
            .iter()
            .all(|word| plain.contains(&word.low.as_str()));
        if !only {
            return None;
        }
        noun + 1
    };
    let call = Call::new(TRIAGE);
    let wish = words[end..].iter().position(|word| {
        matches!(
            word.low.as_str(),
            "but" | "keep" | "except" | "leave" | "without"
        )
    });
    let rest = &words[end..wish.map_or(words.len(), |wish| end + wish)];
    let plain = [
        "now", "please", "me", "for", "today", "with", "block", "a", "bit",
    ];
    if !rest.iter().all(|word| plain.contains(&word.low.as_str())) {
        return None;
    }
    Some(match wish {
        Some(wish) => {
            let wish = &words[end + wish..];
            let wish = if wish[0].low == "but" {
                &wish[1..]
            } else {
                wish
            };
            call.wanting_unmet(super::punctuated(wish))
        }
        None => call,
    })
}

/// "archive the mail from LinkedIn", "get the newsletters out of my inbox": found first, then archived by their ids.
fn archive(words: &[Word]) -> Option<Call> {
    const OUT: [&[&str]; 4] = [
        &["out", "of", "my", "inbox"],
        &["out", "of", "the", "inbox"],
        &["from", "my", "inbox"],
        &["off", "my", "inbox"],
    ];
    let out = OUT
        .iter()
        .find(|out| words.len() > out.len() && at(words, words.len() - out.len(), out));
    let opening = [
        &["archive"][..],
        &["clear", "out"],
        &["clear", "away"],
        &["file", "away"],
    ]
    .into_iter()
    .find(|opening| at(words, 0, opening));
    let moves = at(words, 0, &["get"]) || at(words, 0, &["take"]) || at(words, 0, &["clear"]);
    let start = match opening {
        Some(opening) => opening.len(),
        None if out.is_some() && moves => 1,
        None => return None,
    };
    let named = &words[start..words.len() - out.map_or(0, |out| out.len())];
    let which = selection(named)?;
    // Without a word of whom or what, it would be the whole inbox.
    which.named()?;
    Some(look_up(&which).wanting(Wanted::Archive { one: which.one }))
}

fn look_up(which: &Selection) -> Call {
    let mut call = Call::new("email_viewEmails").with("limit", MOST);
    if let Some(from) = &which.from {
        call = call.with("from", from.as_str());
    }
    if let Some(about) = &which.about {
        call = call.with("query", about.as_str());
    }
    if which.unread {
        call = call.with("status", serde_json::json!(["unread"]));
    }
    call
}

/// "make a task from the mail about the contract", "turn Ana's email into a task".
fn task(words: &[Word]) -> Option<Call> {
    const INTO: [&[&str]; 14] = [
        &["into", "a", "task"],
        &["into", "a", "to-do"],
        &["into", "a", "todo"],
        &["to", "a", "task"],
        &["to", "a", "to-do"],
        &["as", "a", "task"],
        &["to", "my", "tasks"],
        &["to", "my", "task", "list"],
        &["to", "my", "to-do", "list"],
        &["to", "my", "todo", "list"],
        &["to", "my", "backlog"],
        &["to", "my", "to-dos"],
        &["into", "my", "tasks"],
        &["on", "my", "task", "list"],
    ];
    const VERBS: [&str; 10] = [
        "make", "create", "turn", "convert", "add", "put", "save", "new", "task", "build",
    ];
    let verb = words.first()?;
    if !VERBS.contains(&verb.low.as_str()) || !words.iter().any(is_noun) {
        return None;
    }
    let into = INTO
        .iter()
        .find(|into| words.len() > into.len() && at(words, words.len() - into.len(), into));
    let named = match into {
        Some(into) => &words[1..words.len() - into.len()],
        None => {
            let noun = words
                .iter()
                .take(4)
                .position(|word| matches!(word.low.as_str(), "task" | "to-do" | "todo"))?;
            let from = words[noun..]
                .iter()
                .take(3)
                .position(|word| matches!(word.low.as_str(), "from" | "of" | "for"))?;
            &words[noun + from + 1..]
        }
    };
    let id = match named {
        // "task from email: budget approval"
        [noun, title @ ..] if is_noun(noun) && noun.end == Some(':') => super::written(title),
        named => selection(named)?.named()?,
    };
    Some(Call::new("email_createTaskFromEmail").with("emailId", id))
}

/// "reply to Ana's email: Tuesday works", "draft a reply to the mail from Ben saying yes".
fn reply(words: &[Word]) -> Option<Call> {
    let drafts = at(words, 0, &["draft"]) || at(words, 0, &["prepare"]);
    let sends = ["reply", "answer", "respond", "send"]
        .iter()
        .any(|verb| at(words, 0, &[verb]));
    let about = has(words, &["reply", "answer", "respond", "response"]);
    if !(drafts || sends) || !about {
        return None;
    }
    let start = find(words, &["to"]).map_or(1, |to| to + 1);
    let end = (start..words.len()).find(|&place| {
        words[place].end == Some(':')
            || matches!(
                words.get(place + 1).map(|word| word.low.as_str()),
                Some("saying" | "that")
            )
    })?;
    let which = selection(&words[start..=end])?.named()?;
    let mut said = &words[end + 1..];
    while let [first, rest @ ..] = said
        && matches!(first.low.as_str(), "saying" | "that")
    {
        said = rest;
    }
    if said.is_empty() {
        return None;
    }
    let action = if drafts { "draft_reply" } else { "send_reply" };
    let call = Call::new("email_processEmail").with("emailId", which);
    Some(
        call.with("action", action)
            .with("replyText", dates::capitalised(&super::punctuated(said))),
    )
}
