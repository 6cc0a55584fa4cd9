//! The list that is shown where a yes could mean several things: each with its answers, until it is decided,
//! wherever that is done.

use alfred_core::ports::{Commit, Post, Write};
use alfred_core::{ApprovalId, ChannelId, Failure, TeamId, UserId, keys, text};
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::pending::load;
use super::{Approval, Status, card, show};
use crate::ports::Ports;
use crate::rich_text;
use crate::row::{ROW_VERSION, body, read};

/// Approvals a list names, and characters of each.
const MOST_LISTED: usize = 20;
const LINE_CHARS: usize = 200;

/// A person's last list, as it is stored.
#[derive(Serialize, Deserialize)]
struct Listed {
    v: u8,
    channel: ChannelId,
    thread_ts: Option<String>,
    idempotency_key: String,
    at: Timestamp,
    approvals: Vec<ApprovalId>,
}

/// The list of these, as words and as blocks.
pub fn shown(approvals: &[Approval]) -> (String, Vec<Value>) {
    rendered(approvals, true)
}

/// Keeps in mind that a message lists these, before it is posted. The one before it loses its buttons.
///
/// # Errors
/// When the store or Slack doesn't answer.
pub async fn remember(
    ports: &Ports,
    (team, user): (&TeamId, &UserId),
    post: &Post,
    approvals: &[Approval],
) -> Result<(), Failure> {
    let now = ports.clock.now();
    let before = last(ports, team, user).await?;
    let listed = Listed {
        v: ROW_VERSION,
        channel: post.channel.clone(),
        thread_ts: post.thread_ts.clone(),
        idempotency_key: post.idempotency_key.clone(),
        at: now,
        approvals: approvals.iter().map(|one| one.id.clone()).collect(),
    };
    let write = Write::put(keys::listed(team, user), None, body(&listed)?);
    let write = write.expiring(ports.kept_until(now)?);
    let commit = Commit::new(&*ports.ids, vec![write]);
    ports.store.commit(&commit).await?;
    match before.filter(|before| before.idempotency_key != listed.idempotency_key) {
        Some(before) => before.render(ports, team, false).await,
        None => Ok(()),
    }
}

/// Brings the list that names an approval to what is so now.
///
/// # Errors
/// When the store or Slack doesn't answer.
pub(super) async fn refresh(ports: &Ports, approval: &Approval) -> Result<(), Failure> {
    let last = last(ports, &approval.team, &approval.owner).await?;
    match last.filter(|last| last.approvals.contains(&approval.id)) {
        Some(listed) => listed.render(ports, &approval.team, true).await,
        None => Ok(()),
    }
}

async fn last(ports: &Ports, team: &TeamId, user: &UserId) -> Result<Option<Listed>, Failure> {
    let stored = ports.store.get(&keys::listed(team, user)).await?;
    stored.map(|item| read(item.body)).transpose()
}

impl Listed {
    async fn render(&self, ports: &Ports, team: &TeamId, open: bool) -> Result<(), Failure> {
        let mut approvals = Vec::new();
        for id in &self.approvals {
            match load(&*ports.store, team, id).await {
                Ok(found) => approvals.extend(found.map(|(approval, _)| approval)),
                // What can't be read has a card that says so.
                Err(Failure::Bug { .. }) => {}
                Err(other) => return Err(other),
            }
        }
        let (words, blocks) = rendered(&approvals, open);
        match show::find(ports, &self.post(), self.at).await? {
            Some(posted) => show::put(ports, &posted, &words, &blocks).await,
            None => Ok(()),
        }
    }

    /// The message as far as it takes to find it.
    fn post(&self) -> Post {
        Post {
            channel: self.channel.clone(),
            thread_ts: self.thread_ts.clone(),
            text: String::new(),
            blocks: Vec::new(),
            idempotency_key: self.idempotency_key.clone(),
        }
    }
}

/// What waits, by what it does, with its answers where the list is `open`; what is decided, by what became of it.
fn rendered(approvals: &[Approval], open: bool) -> (String, Vec<Value>) {
    let waits = |one: &&Approval| one.status == Status::Pending;
    let mut blocks = Vec::new();
    let words = match approvals.iter().any(|one| waits(&one)) {
        true => text::which_one(),
        false => text::all_decided(),
    };
    // Titles and names are values: in `rich_text` nothing of them acts.
    blocks.push(line(&words));
    for one in approvals.iter().take(MOST_LISTED) {
        let text = one.preview.body.as_deref();
        let text = text.map(|text| format!(": “{text}”"));
        let whole = one.preview.in_short() + &text.unwrap_or_default();
        blocks.push(line(&rich_text::cut(&whole, LINE_CHARS)));
        match waits(&one) {
            true => blocks.extend(card::listed_answers(one).filter(|_| open)),
            false => blocks.push(card::became(one)),
        }
    }
    (words, blocks)
}

fn line(words: &str) -> Value {
    rich_text::block(vec![rich_text::section(vec![rich_text::line(words)])])
}
