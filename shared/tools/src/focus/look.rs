//! Finds focus blocks that meetings landed on since their owner was last notified.

use alfred_core::id::BlockId;
use alfred_core::ports::{AccountError, Key, Query, Range};
use alfred_planner::{BlockType, DayClock, Task, TaskStatus, TimeBlock};
use std::collections::BTreeSet;

use super::place::{OpenDay, place};
use super::{Arguments, DAYS, Landed, Move, Place};
use crate::prelude::*;
use crate::schedule::day::Day;
use crate::schedule::meetings::Meetings;
use crate::schedule::times::working;
use crate::task::store;

/// How long a notification is remembered. Longer than the days that a look covers.
const KEPT: SignedDuration = SignedDuration::from_hours(24 * 30);

/// Checks today and the coming days. An unreachable calendar gives nothing; the next look tries again.
pub(super) async fn look(context: &ToolContext) -> Result<Arguments> {
    let zone = context.zone();
    let dates = today(context).series(jiff::Span::new().days(1)).take(DAYS);
    let clocks = dates.filter_map(|date| DayClock::new(date, &zone).ok());
    let clocks: Vec<DayClock> = clocks.collect();
    let days = Day::with_blocks(context, clocks.iter().map(DayClock::date)).await?;
    let coming = to_come(context, &clocks, &days).await?;
    if coming.is_empty() {
        return Ok(Arguments::default());
    }
    let meetings = match Meetings::of_days(context, &clocks).await {
        Ok(meetings) => meetings,
        Err(away @ (AccountError::NotReached { .. } | AccountError::Unknown { .. })) => {
            tracing::warn!(error = %away, "focus blocks can't be guarded just now");
            return Ok(Arguments::default());
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
    let mut found = Arguments::default();
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

impl Arguments {
    fn add(&mut self, open: &mut [OpenDay], date: Date, block: &TimeBlock, meetings: Vec<Landed>) {
        let span = block.span;
        let from = Place { date, span };
        let to = place(open, block, date);
        let one = Move {
            block_id: block.id.clone(),
            title: block.title.clone(),
            from,
            to: to.unwrap_or(from),
            meetings,
            back: false,
        };
        let Some(to) = to else {
            return self.stuck.push(one);
        };
        for day in open.iter_mut().filter(|day| day.clock.date() == to.date) {
            // A copy under its own id takes the new place, since the block still occupies the old one.
            let mut there = block.clone();
            there.span = to.span;
            there.id.0.push_str("~to");
            day.taken.push(there);
        }
        self.moves.push(one);
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
) -> Result<Vec<(Date, &'a TimeBlock)>> {
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
        let is_in = |task: &&Task| block.task_ids().any(|id| *id == task.id);
        let mut its = tasks.iter().filter(is_in).peekable();
        its.peek().is_some() && its.all(|task| task.status == TaskStatus::Completed)
    };
    coming.retain(|(_, block)| !is_done(block));
    Ok(coming)
}

/// The pairs of block and meeting of which the owner was already notified.
async fn told(context: &ToolContext) -> Result<BTreeSet<String>> {
    let partition = keys::focus_told(&context.team, context.user_id());
    let items = Query::state(partition, Range::All).all(&*context.store);
    let items = items.await?;
    Ok(items.into_iter().map(|item| item.key.range).collect())
}

fn pair(block: &BlockId, meeting: &Landed) -> String {
    format!("{block}#{}", meeting.id)
}

pub(super) fn telling(context: &ToolContext, found: &Arguments) -> Vec<Write> {
    let partition = keys::focus_told(&context.team, context.user_id());
    let mut writes = Vec::new();
    for one in found.moves.iter().chain(&found.stuck) {
        for meeting in &one.meetings {
            let key = Key::state(&*partition, pair(&one.block_id, meeting));
            let write = Write::put(key, None, json!({"told": context.now}));
            writes.push(write.kept(context.now, KEPT));
        }
    }
    writes
}
