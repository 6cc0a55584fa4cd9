//! Loads a person's stored data for counting patterns.

use alfred_core::ports::{AccountError, MailQuery, MailStatus};
use alfred_planner::patterns::{Answer, Observations, Offer, Offered, Remark, Said, Seen};
use alfred_planner::{Task, TimeBlock, block, dst};
use jiff::Span;
use std::collections::BTreeMap;

use super::history;
use super::remarks;
use crate::prelude::*;
use crate::schedule::day::Day;
use crate::schedule::meetings::Meetings;
use crate::task::{events, store};

/// Most rows that one call reads.
const REMARKS: usize = 500;
const WORKFLOWS: usize = 500;
const TASK_CALLS: usize = 2_000;
const MAILS: usize = 100;
/// Days of the calendar to read, the newest.
const CALENDAR: i64 = 90;
/// For more days than this, the index is read first to find those with blocks.
const ONE_BY_ONE: usize = 31;

/// What patterns are about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum About {
    Days,
    Meetings,
    Tasks,
    Feedback,
    Proposals,
    Mail,
}

impl About {
    pub const ALL: &'static [Self] = &[
        Self::Days,
        Self::Meetings,
        Self::Tasks,
        Self::Feedback,
        Self::Proposals,
        Self::Mail,
    ];
}

/// Loads the data about these topics from `first` to `last`. `since` is when the first day began. The second
/// value has sentences on what couldn't be read.
pub async fn observe(
    context: &ToolContext,
    about: &[About],
    (first, last): (Date, Date),
    since: Timestamp,
) -> Result<(Observations, Vec<String>), ToolError> {
    let mut seen = Observations::new(context.zone());
    let (mut notes, mut unreadable) = (Vec::new(), 0);
    let mut days: BTreeMap<Date, Vec<TimeBlock>> = BTreeMap::new();
    if about.contains(&About::Days) {
        for day in stored_days(context, first, last).await? {
            days.insert(day.date, day.blocks);
        }
    }
    if about.contains(&About::Meetings) {
        let from = first.max(last.saturating_sub(Span::new().days(CALENDAR - 1)));
        let (meetings, note) = Meetings::over(context, from, last).await;
        notes.extend(note);
        for (date, blocks) in meetings {
            add(days.entry(date).or_default(), blocks);
        }
    }
    let day = |(date, blocks)| Seen { date, blocks };
    seen.days = days.into_iter().map(day).collect();
    if about.contains(&About::Tasks) {
        let happened = events::since(context, since, TASK_CALLS).await?;
        unreadable += happened.unreadable;
        seen.tasks = happened.items;
    }
    let (feedback, proposals) = (About::Feedback, About::Proposals);
    if about.contains(&feedback) || about.contains(&proposals) {
        let done = history::since(context, since, WORKFLOWS).await?;
        unreadable += done.unreadable;
        if about.contains(&feedback) {
            let remarks = remarks::since(context, since, REMARKS).await?;
            unreadable += remarks.unreadable;
            seen.said = said(context, &done.items, remarks.items);
        }
        if about.contains(&proposals) {
            seen.offers = offers(context, &done.items).await?;
        }
    }
    if about.contains(&About::Mail) {
        let (answers, note) = answers(context, since).await?;
        seen.answers = answers;
        notes.extend(note);
    }
    notes.extend((unreadable > 0).then(|| newer_entries_left_out(unreadable)));
    Ok((seen, notes))
}

pub(crate) fn newer_entries_left_out(count: usize) -> String {
    match count {
        1 => "One entry was written by a newer version of me and is left out.".into(),
        n => format!("{n} entries were written by a newer version of me and are left out."),
    }
}

async fn stored_days(
    context: &ToolContext,
    first: Date,
    last: Date,
) -> Result<Vec<Day>, ToolError> {
    let all = first.series(Span::new().days(1));
    let all: Vec<Date> = all.take_while(|date| *date <= last).collect();
    if all.len() <= ONE_BY_ONE {
        return Day::with_blocks(context, all).await;
    }
    let dates = Day::dates(context).await?;
    Day::with_blocks(context, dates.range(first..=last).copied()).await
}

/// Adds meetings to a day, except those that a stored block with the same title and times represents.
fn add(day: &mut Vec<TimeBlock>, meetings: Vec<TimeBlock>) {
    let what = |block: &TimeBlock| (block.kind, block.start, block.end, block.title.clone());
    let known: Vec<_> = day.iter().map(what).collect();
    day.extend(
        meetings
            .into_iter()
            .filter(|meeting| !known.contains(&what(meeting))),
    );
    block::sort(day);
}

/// Remarks, and wishes of executed plans. Tainted ones are left out, since plans would follow them.
fn said(
    context: &ToolContext,
    done: &[history::Executed],
    remarks: Vec<remarks::Remark>,
) -> Vec<Said> {
    let date = |at: Timestamp| dst::date_at(at, &context.zone());
    let mut said: Vec<Said> = Vec::new();
    for remark in remarks {
        if !remark.tainted {
            said.push(Said {
                date: date(remark.at),
                wishes: remark.followed().to_vec(),
                remark: Some(Remark {
                    kind: remark.kind,
                    category: remark.category,
                    message: remark.message,
                }),
            });
        }
    }
    let plans = done
        .iter()
        .filter(|one| !one.tainted && !one.wishes.is_empty());
    said.extend(plans.map(|one| Said {
        date: date(one.executed_at),
        wishes: one.wishes.clone(),
        remark: None,
    }));
    said
}

/// Parts of past proposals. Deleted tasks are left out; the others have their current titles.
async fn offers(
    context: &ToolContext,
    done: &[history::Executed],
) -> Result<Vec<Offer>, ToolError> {
    let mut all: Vec<(Timestamp, history::Offer)> = Vec::new();
    // Tainted ones aren't counted.
    for one in done.iter().filter(|one| !one.tainted) {
        let offers = once_a_sender(&one.offers);
        all.extend(offers.into_iter().map(|offer| (one.executed_at, offer)));
    }
    let is_task =
        |(_, offer): &(Timestamp, history::Offer)| matches!(offer, history::Offer::Task { .. });
    let tasks: Vec<Task> = match all.iter().any(is_task) {
        true => store::list(context).await?,
        false => Vec::new(),
    };
    let offer = |(at, offer): (Timestamp, history::Offer)| {
        let date = dst::date_at(at, &context.zone());
        let (what, taken, tainted) = match offer {
            history::Offer::Task { id, taken, .. } => {
                let task = tasks.iter().find(|task| task.id.as_str() == id)?;
                let title = task.title.clone();
                (Offered::Task { id, title }, taken, task.tainted)
            }
            history::Offer::Archiving { sender, taken } => {
                (Offered::Archiving(sender), taken, true)
            }
        };
        Some(Offer {
            date,
            what,
            taken,
            tainted,
        })
    };
    Ok(all.into_iter().filter_map(offer).collect())
}

/// Combines the mails of a sender into one offer. It is taken if any of its mails was archived.
fn once_a_sender(offers: &[history::Offer]) -> Vec<history::Offer> {
    let mut senders: BTreeMap<&str, bool> = BTreeMap::new();
    let mut once: Vec<history::Offer> = Vec::new();
    for offer in offers {
        match offer {
            history::Offer::Task { .. } => once.push(offer.clone()),
            history::Offer::Archiving { sender, taken } => {
                *senders.entry(sender).or_default() |= *taken;
            }
        }
    }
    let archiving = |(sender, taken): (&str, bool)| history::Offer::Archiving {
        sender: sender.to_owned(),
        taken,
    };
    once.extend(senders.into_iter().map(archiving));
    once
}

/// Handled mail: answered, or read or archived without an answer.
async fn answers(
    context: &ToolContext,
    since: Timestamp,
) -> Result<(Vec<Answer>, Option<String>), ToolError> {
    let query = MailQuery {
        status: vec![
            MailStatus::Processed,
            MailStatus::Read,
            MailStatus::Archived,
        ],
        since: Some(since),
        limit: MAILS,
        ..MailQuery::default()
    };
    let page = match context.accounts.mail.list(&context.account(), &query).await {
        Ok(page) => page,
        Err(AccountError::NotConnected(_) | AccountError::NotGranted(_)) => {
            return Ok((Vec::new(), None));
        }
        Err(error) => {
            tracing::warn!(%error, "habits are looked for without the mail");
            return Ok((
                Vec::new(),
                Some(
                    "The mail could not be read just now, so who is answered is missing here."
                        .to_owned(),
                ),
            ));
        }
    };
    let mails = page.mails.iter().filter(|mail| !mail.automated);
    let answers = mails.map(|mail| Answer {
        date: dst::date_at(mail.received_at, &context.zone()),
        sender: mail.from.address.to_lowercase(),
        answered: mail.status == MailStatus::Processed,
    });
    Ok((answers.collect(), None))
}
