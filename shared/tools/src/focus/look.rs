//! Finds focus blocks that meetings landed on since their owner was last notified.

use alfred_core::id::BlockId;
use alfred_core::keys;
use alfred_core::ports::{AccountError, Key, Query, Range, Write};
use alfred_planner::{BlockType, DayClock, TaskStatus, TimeBlock};
use std::collections::BTreeSet;

use super::place::{OpenDay, place};
use super::{DAYS, Landed, Move, Place, Stuck};
use crate::account::not_read;
use crate::prelude::*;
use crate::schedule::day::Day;
use crate::schedule::meetings::Meetings;
use crate::schedule::times::working;
use crate::task::store;

/// How long a notification is remembered. Longer than the days that a look covers.
const KEPT: SignedDuration = SignedDuration::from_hours(24 * 30);

#[derive(Default)]
pub(super) struct Found {
    pub moves: Vec<Move>,
    pub stuck: Vec<Stuck>,
}

/// Checks today and the coming days. An unreachable calendar gives nothing; the next look tries again.
pub(super) async fn look(context: &ToolContext) -> Result<Found, ToolError> {
    let zone = context.zone();
    let dates = today(context).series(jiff::Span::new().days(1));
    let clocks: Vec<DayClock> = dates
        .take(usize::try_from(DAYS).unwrap_or_default())
        .filter_map(|date| DayClock::new(date, &zone).ok())
        .collect();
    let days = Day::with_blocks(context, clocks.iter().map(DayClock::date)).await?;
    let coming = to_come(context, &clocks, &days).await?;
    if coming.is_empty() {
        return Ok(Found::default());
    }
    let meetings = match Meetings::of_days(context, &clocks).await {
        Ok(meetings) => meetings,
        Err(away @ (AccountError::NotReached { .. } | AccountError::Unknown { .. })) => {
            tracing::warn!(error = %away, "focus blocks can't be guarded just now");
            return Ok(Found::default());
        }
        Err(error) => return Err(not_read(error)),
    };
    let told = told(context).await?;
    let works = working(context).await?;
    let open = clocks.into_iter().zip(&meetings).map(|(clock, meetings)| {
        let own = days.iter().find(|day| day.date == clock.date());
        let taken = meetings.with(own.map_or(&[], |day| &day.blocks));
        OpenDay::new(clock, taken, works, context.now)
    });
    let mut open: Vec<OpenDay> = open.collect();
    let mut found = Found::default();
    for (date, block) in coming {
        let Some(at) = open.iter().position(|day| day.clock.date() == date) else {
            continue;
        };
        let landed: Vec<Landed> = meetings[at].on(block).map(Landed::of).collect();
        let is_new = |meeting: &Landed| !told.contains(&pair(&block.id, meeting));
        if landed.iter().any(is_new) {
            found.add(&mut open, date, block, landed);
        }
    }
    Ok(found)
}

impl Found {
    /// Adds a block, and reserves its new place.
    fn add(&mut self, open: &mut [OpenDay], date: Date, block: &TimeBlock, meetings: Vec<Landed>) {
        let (block_id, title) = (block.id.clone(), block.title.clone());
        let span = block.span;
        let at = Place { date, span };
        let Some(to) = place(open, block, date) else {
            return self.stuck.push(Stuck {
                block_id,
                title,
                at,
                meetings,
            });
        };
        for day in open.iter_mut().filter(|day| day.clock.date() == to.date) {
            // A copy under its own id takes the new place, since the block still occupies the old one.
            let mut there = block.clone();
            there.span = to.span;
            there.id.0.push_str("~to");
            day.taken.push(there);
        }
        self.moves.push(Move {
            block_id,
            title,
            from: at,
            to,
            meetings,
            back: false,
        });
    }
}

impl Landed {
    fn of(meeting: &TimeBlock) -> Self {
        Self {
            id: meeting.id.clone(),
            title: meeting.title.clone(),
            span: meeting.span,
        }
    }
}

/// Focus blocks that haven't begun and have an open task or no task at all.
async fn to_come<'a>(
    context: &ToolContext,
    clocks: &[DayClock],
    days: &'a [Day],
) -> Result<Vec<(Date, &'a TimeBlock)>, ToolError> {
    let all = days.iter().flat_map(|day| {
        let clock = clocks.iter().find(|clock| clock.date() == day.date);
        let now = clock.and_then(|clock| clock.at_or_after(context.now));
        let ahead = day.blocks.iter().filter(move |block| {
            block.kind == BlockType::Work && now.is_some_and(|now| block.span.start() > now)
        });
        ahead.map(|block| (day.date, block))
    });
    let mut coming: Vec<(Date, &TimeBlock)> = all.collect();
    let ids = coming.iter().flat_map(|(_, block)| block.task_ids());
    let tasks = store::find(context, ids).await?;
    let is_done = |block: &TimeBlock| {
        let mut its = tasks
            .iter()
            .filter(|task| block.task_ids().any(|id| *id == task.id))
            .peekable();
        its.peek().is_some() && its.all(|task| task.status == TaskStatus::Completed)
    };
    coming.retain(|(_, block)| !is_done(block));
    Ok(coming)
}

/// The pairs of block and meeting of which the owner was already notified.
async fn told(context: &ToolContext) -> Result<BTreeSet<String>, ToolError> {
    let partition = keys::focus_told(&context.team, context.user_id());
    let items = Query::state(partition, Range::All)
        .all(&*context.store)
        .await?;
    Ok(items.into_iter().map(|item| item.key.range).collect())
}

fn pair(block: &BlockId, meeting: &Landed) -> String {
    format!("{block}#{}", meeting.id)
}

/// The writes that record the notification.
pub(super) fn telling(context: &ToolContext, moves: &[Move], stuck: &[Stuck]) -> Vec<Write> {
    let partition = keys::focus_told(&context.team, context.user_id());
    let moves = moves.iter().map(|one| (&one.block_id, &one.meetings));
    let stuck = stuck.iter().map(|one| (&one.block_id, &one.meetings));
    let pairs = moves
        .chain(stuck)
        .flat_map(|(block, meetings)| meetings.iter().map(move |meeting| pair(block, meeting)));
    let write = |pair: String| {
        let key = Key::state(&*partition, &pair);
        Write::put(key, None, json!({"told": context.now})).kept(context.now, KEPT)
    };
    pairs.map(write).collect()
}
