//! Loads a person's stored data for counting patterns.

use alfred_planner::Task;
use alfred_planner::patterns::{self, Asked, Observations, Offer, Offered, Pattern, patterns};
use jiff::Span;
use std::collections::BTreeMap;

use super::history::{self, Executed};
use super::remarks::{self, Remark};
use crate::prelude::*;
use crate::schedule::day::Day;
use crate::task::{events, store};

/// Most rows that one call reads.
const REMARKS: usize = 500;
const WORKFLOWS: usize = 500;
const TASK_CALLS: usize = 2_000;
/// For more days than this, the index is read first to find those with blocks.
const ONE_BY_ONE: usize = 31;

/// What patterns are about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum About {
    Days,
    Tasks,
    Feedback,
    Proposals,
}

#[derive(Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Timeframe {
    Week,
    Month,
    AllTime,
}

pub struct Observed {
    pub first: Date,
    pub last: Date,
    pub observations: Observations,
    /// What couldn't be read.
    pub note: Option<String>,
}

pub async fn observe(context: &ToolContext, time: Timeframe, about: &[About]) -> Result<Observed> {
    let last = today(context);
    // Today included.
    let days_back = match time {
        Timeframe::Week => 7,
        Timeframe::Month => 30,
        Timeframe::AllTime => 365,
    };
    let first = last.saturating_sub(Span::new().days(days_back - 1));
    let start = first.to_zoned(context.zone());
    let since = start.map_or(Timestamp::MIN, |start| start.timestamp());
    let mut seen = Observations::default();
    let mut unreadable = 0;
    if about.contains(&About::Days) {
        let days = days(context, first, last).await?.into_iter();
        let day = |Day { date, blocks, .. }| patterns::Day { date, blocks };
        seen.days = days.map(day).collect();
    }
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
            seen.asked = asked(context, &done.items, &remarks.items);
        }
        if about.contains(&proposals) {
            seen.offers = offers(context, &done.items).await?;
        }
    }
    Ok(Observed {
        first,
        last,
        observations: seen,
        note: (unreadable > 0).then(|| newer_entries_left_out(unreadable)),
    })
}

/// The sure habits of the last month on these topics, surest first.
pub async fn sure_patterns(context: &ToolContext, about: &[About]) -> Result<Vec<Pattern>> {
    let observed = observe(context, Timeframe::Month, about).await?;
    let mut found = patterns(&observed.observations, &context.zone());
    found.retain(Pattern::is_sure);
    Ok(found)
}

pub(crate) fn newer_entries_left_out(count: usize) -> String {
    match count {
        1 => "One entry was written by a newer version of me and is left out.".into(),
        n => format!("{n} entries were written by a newer version of me and are left out."),
    }
}

async fn days(context: &ToolContext, first: Date, last: Date) -> Result<Vec<Day>> {
    let all = first.series(Span::new().days(1));
    let all: Vec<Date> = all.take_while(|date| *date <= last).collect();
    if all.len() <= ONE_BY_ONE {
        return Day::with_blocks(context, all).await;
    }
    let dates = Day::dates(context).await?;
    Day::with_blocks(context, dates.range(first..=last).copied()).await
}

/// Wishes of remarks and of executed plans. Tainted ones are left out, since plans would follow them.
fn asked(context: &ToolContext, done: &[Executed], remarks: &[Remark]) -> Vec<Asked> {
    let remarks = remarks.iter();
    let remarks = remarks.map(|remark| (remark.at, remark.followed()));
    let plans = done.iter().filter(|one| !one.tainted);
    let plans = plans.map(|one| (one.executed_at, &*one.wishes));
    let stated = remarks.chain(plans).filter(|(_, all)| !all.is_empty());
    let asked = stated.map(|(at, wishes)| Asked {
        date: dst::date_at(at, &context.zone()),
        wishes: wishes.to_vec(),
    });
    asked.collect()
}

/// Parts of past proposals; tainted ones aren't counted. Deleted tasks are left out; the others have their current
/// titles. The mails of a sender count once for a proposal, as taken if any of them was archived.
async fn offers(context: &ToolContext, done: &[Executed]) -> Result<Vec<Offer>> {
    let counted = || done.iter().filter(|one| !one.tainted);
    let is_task = |offer: &history::Offer| matches!(offer, history::Offer::Task { .. });
    let mut tasks: Vec<Task> = Vec::new();
    if counted().any(|one| one.offers.iter().any(is_task)) {
        tasks = store::list(context).await?;
    }
    let mut offers = Vec::new();
    for one in counted() {
        let date = dst::date_at(one.executed_at, &context.zone());
        let mut senders: BTreeMap<&str, bool> = BTreeMap::new();
        for offer in &one.offers {
            match offer {
                history::Offer::Task { id, taken, .. } => {
                    let task = tasks.iter().find(|task| task.id.as_str() == id);
                    offers.extend(task.map(|task| Offer {
                        date,
                        what: Offered::Task {
                            id: id.clone(),
                            title: task.title.clone(),
                        },
                        taken: *taken,
                        tainted: task.tainted,
                    }));
                }
                history::Offer::Archiving { sender, taken } => {
                    *senders.entry(sender).or_default() |= *taken;
                }
            }
        }
        offers.extend(senders.into_iter().map(|(sender, taken)| Offer {
            date,
            what: Offered::Archiving(sender.to_owned()),
            taken,
            tainted: true,
        }));
    }
    Ok(offers)
}
