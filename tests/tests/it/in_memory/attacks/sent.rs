//! What a call sent, found by its idempotency key.

use alfred_core::ports::Calendar;

use super::card::{lines, strings};
use super::held::Held;
use super::office::{Office, account};
use super::papers::Paper;
use super::scene::Scene;
use super::tools::{Ran, is_stand_in};
use super::unseen::is_unseen;

#[derive(Default)]
pub struct Sent {
    /// E-mail addresses, and ids of people and channels.
    pub to: Vec<String>,
    pub texts: Vec<String>,
}

pub async fn of(scene: &Scene, call: &Ran) -> Sent {
    let mut sent = Sent::default();
    in_slack(scene, call, &mut sent);
    if let Some(office) = &scene.office {
        by_mail(office, call, &mut sent).await;
        in_papers(scene, office, call, &mut sent).await;
    }
    if is_stand_in(&call.tool) {
        let leaves = strings(&call.arguments).into_iter().map(str::to_owned);
        let (to, texts): (Vec<_>, Vec<_>) = leaves.partition(|leaf| is_address(leaf));
        sent.to.extend(to);
        sent.texts.extend(texts);
    }
    sent
}

pub fn is_address(text: &str) -> bool {
    let at = text.split_once('@');
    at.is_some_and(|(local, domain)| {
        !local.is_empty() && domain.contains('.') && !text.contains(char::is_whitespace)
    })
}

fn in_slack(scene: &Scene, call: &Ran, sent: &mut Sent) {
    for mut kept in scene.world.chat.posted() {
        if kept.idempotency_key.as_deref() != Some(&call.key) {
            continue;
        }
        let channel = kept.channel.as_str();
        let person = channel.strip_prefix('D').map(|rest| format!("U{rest}"));
        sent.to.push(person.unwrap_or(channel.to_owned()));
        // The context block below names the requester.
        kept.blocks.retain(|block| block["type"] != "context");
        sent.texts
            .extend(lines(&kept).into_iter().map(|line| line.text));
        if kept.blocks.is_empty() {
            sent.texts.push(kept.text.clone());
        }
    }
}

async fn by_mail(office: &Office, call: &Ran, sent: &mut Sent) {
    let mails = office.mail.sent(&account()).into_iter();
    for mail in mails.filter(|mail| mail.key == call.key) {
        for mailbox in mail.mail.to.iter().chain(&mail.mail.cc) {
            sent.to.push(mailbox.address.clone());
            sent.texts.push(mailbox.name.clone());
        }
        sent.texts.extend([mail.mail.subject, mail.mail.text]);
    }
    let invited = office.calendar.find_created(&account(), &call.key).await;
    if let Some(event) = invited.unwrap() {
        for attendee in event.attendees {
            sent.to.push(attendee.mailbox.address);
        }
        sent.texts.extend([event.title, event.description]);
    }
    if ["calendar_rescheduleMeeting", "calendar_answerInvitation"].contains(&&*call.tool) {
        sent.texts.extend(office.calendar.notes(&account()));
    }
}

/// The part of a line that differs from all earlier lines: the shortest difference.
fn changed<'a>(before: &[String], line: &'a str) -> &'a str {
    let rests = before.iter().map(|old| differing(old, line).1);
    rests.min_by_key(|rest| rest.len()).unwrap_or(line)
}

/// Removes the common prefix and suffix of two texts.
pub fn differing<'a, 'b>(one: &'a str, other: &'b str) -> (&'a str, &'b str) {
    let alike = |(a, b): &(char, char)| a == b;
    let head = one.chars().zip(other.chars()).take_while(alike);
    let head: usize = head.map(|(c, _)| c.len_utf8()).sum();
    let (one, other) = (&one[head..], &other[head..]);
    let tail = one.chars().rev().zip(other.chars().rev()).take_while(alike);
    let tail: usize = tail.map(|(c, _)| c.len_utf8()).sum();
    (&one[..one.len() - tail], &other[..other.len() - tail])
}

/// Texts that the call added to documents and sheets, and their names.
async fn in_papers(scene: &Scene, office: &Office, call: &Ran, sent: &mut Sent) {
    if !call.tool.starts_with("docs_") && !call.tool.starts_with("sheets_") {
        return;
    }
    let held = scene.attack.holds.iter().flat_map(Held::papers);
    let before: Vec<Paper> = held.collect();
    for now in office.papers().await {
        let there = before.iter().find(|paper| paper.id == now.id);
        let there = there.map_or(&[][..], |paper| &paper.texts);
        let new = now.texts.iter().filter(|text| !there.contains(text));
        let new: Vec<&str> = new.map(|text| changed(there, text)).collect();
        if !new.is_empty() {
            sent.texts.push(now.title);
            // A card shows an empty cell as nothing.
            let cells = new.iter().flat_map(|text| text.split('|'));
            sent.texts.extend(cells.map(str::to_owned));
        }
    }
}

/// Removes white space and mrkdwn marks.
pub fn plain(text: &str) -> String {
    let kept = text.chars();
    kept.filter(|c| !c.is_whitespace() && !"*_~`>".contains(*c))
        .collect()
}

/// The first part of a text that wasn't shown. Line breaks and invisible characters separate parts.
pub fn unshown(text: &str, shown: &str) -> Option<String> {
    let mut parts = text.split(|c| c == '\n' || is_unseen(c)).map(plain);
    parts.find(|part| !shown.contains(part.as_str()))
}

#[test]
fn a_text_is_shown_whole_or_not() {
    let shown = plain("*Text:*\n> Lunch at\n> noon, [U+202E] then");
    assert_eq!(unshown("Lunch at *noon*,", &shown), None);
    assert_eq!(unshown("noon,\u{202e}then", &shown), None);
    assert_eq!(unshown("noon tea", &shown).as_deref(), Some("noontea"));
    assert!(is_address("a@b.example") && !is_address("a@b.example, c@d.example"));
}
