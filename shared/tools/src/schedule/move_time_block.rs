use alfred_core::id::BlockId;
use alfred_planner::{
    ClockTime, DayClock, Happened, InputError, Task, TaskEvent, TaskStatus, TimeBlock, conflicts,
    dst, parse_date,
};
use jiff::tz::TimeZone;

use super::day::Day;
use super::meetings::{self, Meetings};
use super::taken::TakenBlock;
use super::{BlockView, TOOLSET, kind_and_title, listed, times};
use crate::prelude::*;
use crate::task::{events, store};

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Arguments {
    /// Its id, or words of its title.
    block_id: String,
    /// When it starts then: "09:00", "9am".
    new_start_time: String,
    /// The new day: "2026-11-21", "tomorrow" or a weekday; the same when left out.
    new_date: Option<String>,
}

#[derive(Clone, Copy, Serialize)]
#[serde(rename_all = "camelCase")]
struct Place {
    date: Date,
    start_time: ClockTime,
    end_time: ClockTime,
}

impl Place {
    fn call_back(&self, block: &TimeBlock) -> Value {
        json!({
            "blockId": block.id,
            "newStartTime": self.start_time,
            "newDate": self.date,
        })
    }
}

pub fn tool() -> SharedTool {
    let def = ToolDef::new(TOOLSET, "schedule_moveTimeBlock",
        "Moves one time block to another time or day; it keeps its length. Meetings of the calendar: calendar_rescheduleMeeting.",
    ).flow(Flow::PRIVATE)
    .effect(Effect::ReversibleWrite);
    tool::shown(def, preview, relocate)
}

async fn preview(context: ToolContext, args: Arguments) -> Result<Preview, ToolError> {
    let taken = TakenBlock::find(&context, "blockId", &args.block_id).await?;
    let (block, before) = (&taken.block, taken.day.date);
    let date = args.date(&context, before)?;
    let (start, end) = args.span(block, date, &context.zone()).map_err(invalid)?;
    let was = format!("{before} {}–{}", block.start, block.end);
    Ok(Preview::new("Move a time block")
        .field("Block", &block.title)
        .change("When", was, format!("{date} {start}–{end}")))
}

async fn relocate(context: ToolContext, args: Arguments) -> Result<ToolOutput, ToolError> {
    let mut taken = TakenBlock::find(&context, "blockId", &args.block_id).await?;
    context.ensure_as_left(&taken.block.title, taken.block.tainted, &taken.left())?;
    let (before, starts) = (taken.day.date, taken.block.start);
    let date = args.date(&context, before)?;
    let (start, end) = args
        .span(&taken.block, date, &context.zone())
        .map_err(invalid)?;
    let clock = meetings::clock(&context, "newDate", date)?;
    let written = &*args.new_start_time;
    times::check_ahead(&context, &clock, ("newStartTime", written), end).map_err(invalid)?;
    if (date, start) == (before, starts) {
        let problem = format!("is when the block already starts, on {date}.");
        return Err(refused("newStartTime", written, problem));
    }
    taken.block.tainted |= context.tainted;
    let to = Target {
        clock: &clock,
        span: (start, end),
        written,
        beside: &[],
    };
    put(&context, taken, &to).await
}

pub(crate) struct Target<'a> {
    pub clock: &'a DayClock,
    /// First minute, and the minute after the last.
    pub span: (ClockTime, ClockTime),
    /// The start, as the arguments wrote it.
    pub written: &'a str,
    /// Meetings that it may overlap.
    pub beside: &'a [BlockId],
}

/// Moves a block that was taken out of its day. Fails if the place is taken or the calendar can't be read.
pub(crate) async fn put(
    context: &ToolContext,
    mut taken: TakenBlock,
    to: &Target<'_>,
) -> Result<ToolOutput, ToolError> {
    let before = Place {
        date: taken.day.date,
        start_time: taken.block.start,
        end_time: taken.block.end,
    };
    let (date, (start, end)) = (to.clock.date(), to.span);
    let place = taken.as_place();
    let was_on = match date == before.date {
        true => to.clock.clone(),
        false => meetings::clock(context, "blockId", before.date)?,
    };
    let here = Meetings::load(context, &was_on).await?;
    let was_free = overlapped(&here, &taken.day, &taken.block).is_empty();
    let (target, there) = match date == before.date {
        true => (None, here),
        false => {
            let day = Day::load(context, date).await?;
            (Some(day), Meetings::load(context, to.clock).await?)
        }
    };
    (taken.block.start, taken.block.end) = (start, end);
    let mut in_the_way = overlapped(&there, target.as_ref().unwrap_or(&taken.day), &taken.block);
    in_the_way.retain(|other| !to.beside.contains(&other.id));
    if !in_the_way.is_empty() {
        return Err(occupied(to.written, date, &in_the_way));
    }
    // If it overlapped something before, it can't move back, so it has no undo.
    let left = left(date, (start, end));
    let undo = was_free.then(|| before.call_back(&taken.block));
    let (output, tasks) = moved(context, &taken.block, date, before).await?;
    let action = format!(
        "Moved {} from {} {}–{} to {date} {start}–{end}",
        kind_and_title(&taken.block),
        before.date,
        before.start_time,
        before.end_time
    );
    let mut writes = match target {
        Some(day) => taken.moved(context, day)?,
        None => taken.put_back(context)?,
    };
    if date > before.date {
        let open = tasks
            .iter()
            .filter(|task| task.status == TaskStatus::Scheduled);
        let put_off =
            |task| TaskEvent::new(Happened::PutOff, context.now, task, Some(place.clone()));
        writes.extend(events::write(context, open.map(put_off).collect())?);
    }
    Ok(output
        .with_effect(action, writes)
        .at_place(date.strftime("%A").to_string())
        .undone_by("schedule_moveTimeBlock", undo)
        .leaving([left]))
}

/// The values that show whether a moved block was moved again.
pub(crate) fn left(date: Date, (start, end): (ClockTime, ClockTime)) -> Value {
    json!({"date": date, "start": start, "end": end})
}

fn overlapped(meetings: &Meetings, day: &Day, block: &TimeBlock) -> Vec<TimeBlock> {
    let others = meetings.around(&day.blocks, block);
    conflicts(&others, block.start, block.end)
        .cloned()
        .collect()
}

/// The output with the moved block, and its tasks.
async fn moved(
    context: &ToolContext,
    block: &TimeBlock,
    date: Date,
    before: Place,
) -> Result<(ToolOutput, Vec<Task>), ToolError> {
    let ids: Vec<_> = block.task_ids.iter().collect();
    let tasks = store::find(context, &ids).await?;
    let tainted = block.tainted || tasks.iter().any(|task| task.tainted);
    let moved = json!({
        "date": date,
        "block": BlockView::new(block, &tasks),
        "previousTime": before,
    });
    let output = ToolOutput::data(&moved)?.bringing(Flow::of_stored(tainted));
    Ok((output, tasks))
}

impl Arguments {
    fn date(&self, context: &ToolContext, before: Date) -> Result<Date, ToolError> {
        match &self.new_date {
            Some(text) => parse_date("newDate", text, today(context)).map_err(invalid),
            None => Ok(before),
        }
    }

    /// The new first minute, and the minute after the last. Refuses an end after midnight, and times that
    /// don't exist on that day.
    fn span(
        &self,
        block: &TimeBlock,
        date: Date,
        zone: &TimeZone,
    ) -> Result<(ClockTime, ClockTime), InputError> {
        let field = "newStartTime";
        let start = ClockTime::parse(field, &self.new_start_time)?;
        let length = block.end.minutes() - block.start.minutes();
        let end = ClockTime::from_minutes(start.minutes() + length).ok_or_else(|| {
            let problem = format!(
                "is too late: the block takes {length} minutes and has to end on the same day."
            );
            InputError::new(field, &self.new_start_time, problem)
        })?;
        dst::check_start(field, date, start, zone)?;
        dst::check_end(field, date, end, zone)?;
        Ok((start, end))
    }
}

fn occupied(written: &str, date: Date, overlapped: &[TimeBlock]) -> ToolError {
    let problem = format!(
        "is taken on {date}: the block would overlap {}. Choose another time.",
        listed(overlapped.iter())
    );
    refused("newStartTime", written, problem)
}

#[cfg(test)]
#[path = "move_time_block_tests.rs"]
mod tests;
