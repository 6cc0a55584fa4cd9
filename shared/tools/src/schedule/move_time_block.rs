use alfred_core::id::BlockId;
use alfred_planner::{ClockTime, DayClock, InputError, Span, TimeBlock};

use super::day::Day;
use super::meetings::{self, Meetings};
use super::taken::TakenBlock;
use super::{BlockView, TOOLSET, kind_and_title, listed, times};
use crate::args;
use crate::prelude::*;
use crate::task::store;

pub(crate) const NAME: &str = "schedule_moveTimeBlock";

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Arguments {
    /// Its id, or words of its title.
    block_id: Ref<TakenBlock>,
    /// When it starts then: "09:00", "9am".
    new_start_time: Clock,
    /// The new day: "tomorrow" or a date; the same when left out.
    new_date: Option<args::Day>,
    /// The new end; the same length when left out.
    new_end_time: Option<Clock>,
}

pub fn tool() -> SharedTool {
    let description = "Moves one time block, or changes its length. Meetings of the calendar: calendar_rescheduleMeeting.";
    let def = ToolDef::new(TOOLSET, NAME, description)
        .flow(Flow::PRIVATE)
        .effect(Effect::ReversibleWrite);
    edit::tool(def, relocate)
}

async fn relocate(context: ToolContext, args: Arguments) -> Result<Edit<TakenBlock>> {
    let taken = args.block_id.find(&context).await?;
    let before = taken.day.date;
    let date = match &args.new_date {
        Some(day) => day.on(&context)?,
        None => before,
    };
    let clock = meetings::clock(&context, "newDate", date)?;
    let span = span(&args, &taken.block, &clock).map_err(invalid)?;
    let written = &*args.new_start_time.written;
    times::check_ahead(&context, &clock, "newStartTime", written, span.end()).map_err(invalid)?;
    if (date, span) == (before, taken.block.span) {
        let problem = format!("is when the block already starts, on {}.", short_date(date));
        return Err(refused("newStartTime", written, problem));
    }
    let to = Target {
        clock: &clock,
        span,
        written,
        beside: &[],
    };
    let (edit, back) = put(&context, taken, &to).await?;
    Ok(match back {
        Some(back) => edit.undone_by(NAME, back),
        None => edit.not_undoable(),
    })
}

/// The new time. Refuses an end after midnight, and times that don't exist on that day.
fn span(args: &Arguments, block: &TimeBlock, clock: &DayClock) -> Result<Span, InputError> {
    let (field, start) = ("newStartTime", &args.new_start_time);
    let length = block.span.wall_minutes();
    let same = || ClockTime::from_minutes(start.minutes() + length);
    let end = args.new_end_time.as_deref().copied().or_else(same);
    let end = end.ok_or_else(|| {
        let problem = format!(
            "is too late: the block takes {length} minutes and has to end on the same day."
        );
        InputError::new(field, &start.written, problem)
    })?;
    clock.check_start(field, **start)?;
    clock.check_end(field, end)?;
    Span::new(**start, end).ok_or_else(|| InputError::new(field, &start.written, "is empty."))
}

pub(crate) struct Target<'a> {
    pub clock: &'a DayClock,
    pub span: Span,
    /// The start, as the arguments wrote it.
    pub written: &'a str,
    /// Meetings that it may overlap.
    pub beside: &'a [BlockId],
}

/// Moves a block; returns also the call that moves it back. Fails if the place is taken or the calendar can't be read.
pub(crate) async fn put(
    context: &ToolContext,
    taken: TakenBlock,
    to: &Target<'_>,
) -> Result<(Edit<TakenBlock>, Option<Value>)> {
    let (before, date) = (taken.day.date, to.clock.date());
    let was_on = if date == before {
        to.clock.clone()
    } else {
        meetings::clock(context, "blockId", before)?
    };
    let here = Meetings::load(context, &was_on).await?;
    let overlapped = here.conflicts(&taken.day.blocks, &taken.block);
    let mut after = taken.clone();
    let (from, on) = (short_date(before), short_date(date));
    let there = if date == before {
        here
    } else {
        after.day = Day::load(context, date).await?;
        Meetings::load(context, to.clock).await?
    };
    after.block.span = to.span;
    let mut in_the_way = there.conflicts(&after.day.blocks, &after.block);
    in_the_way.retain(|other| !to.beside.contains(&other.id));
    if !in_the_way.is_empty() {
        let problem = format!(
            "is taken on {on}: the block would overlap {}. Choose another time.",
            listed(in_the_way.iter())
        );
        return Err(refused("newStartTime", to.written, problem));
    }
    let tasks = store::find(context, taken.block.task_ids()).await?;
    let block = &taken.block;
    let (start, end) = (block.span.start(), block.span.end());
    let stays = (before, start) == (date, to.span.start());
    let receipt = format!(
        "{} {} from {from} {} to {on} {}",
        if stays { "Changed" } else { "Moved" },
        kind_and_title(block),
        block.span,
        to.span
    );
    let previous = json!({"date": before, "startTime": start, "endTime": end});
    let mut back = json!({"blockId": block.id, "newStartTime": start, "newDate": before});
    if block.span.wall_minutes() != to.span.wall_minutes() {
        back["newEndTime"] = json!(end);
    }
    let view = BlockView::new(&after.block, &tasks);
    let edit = Edit::change("Move a time block", taken, after)
        .receipt(receipt)
        .tainted(tasks.iter().any(|task| task.tainted))
        .data("date", date)
        .data("block", view)
        .data("previousTime", previous);
    // If it overlapped something before, it can't move back.
    Ok((edit, overlapped.is_empty().then_some(back)))
}
