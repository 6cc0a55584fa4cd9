//! Days with blocks, meetings and tasks, as data and as a timeline.

use alfred_core::id::TaskId;
use alfred_planner::{BlockType, DayStats, Span, Task, TaskPart, TimeBlock};
use alfred_timeline::{Bar, Timeline};

use super::day::Day;
use super::meetings::{self, Meetings};
use super::{BlockView, times};
use crate::fields::{LISTED, is_weekend};
use crate::prelude::*;
use crate::task::store;

/// Most bars in a day's timeline.
const BARS: usize = 150;

pub struct Shown {
    pub days: Vec<ShownDay>,
    tasks: Vec<Task>,
}

pub struct ShownDay {
    pub date: Date,
    /// Blocks and meetings by start, without deleted tasks.
    pub blocks: Vec<TimeBlock>,
    pub meetings: Meetings,
}

impl Shown {
    /// Reads days, and gives one for each date. If the calendar can't be read, a note says so.
    pub async fn load(context: &ToolContext, dates: &[Date]) -> Result<Self> {
        let clock = |date: &Date| meetings::clock(context, "date", *date);
        let clocks = dates.iter().map(clock).collect::<Result<Vec<_>, _>>()?;
        let calendar = Meetings::of_days_or_note(context, &clocks).await;
        let stored = Day::all(context, dates.iter().copied()).await?;
        let day = |(day, meetings): (Day, Meetings)| ShownDay {
            date: day.date,
            blocks: meetings.with(&day.blocks),
            meetings,
        };
        let mut days: Vec<ShownDay> = stored.into_iter().zip(calendar).map(day).collect();
        let blocks = days.iter().flat_map(|day| &day.blocks);
        let tasks = store::find(context, blocks.flat_map(TimeBlock::task_ids)).await?;
        let is_left = |part: &TaskPart| tasks.iter().any(|task| task.id == part.id);
        for block in days.iter_mut().flat_map(|day| &mut day.blocks) {
            block.tasks.retain(is_left);
        }
        Ok(Self { days, tasks })
    }

    pub async fn output(&self, context: &ToolContext, data: &Value) -> Result<ToolOutput> {
        let is_tainted = |day: &ShownDay| {
            !day.meetings.all_day.is_empty() || day.blocks.iter().any(|block| block.tainted)
        };
        let tainted =
            self.days.iter().any(is_tainted) || self.tasks.iter().any(|task| task.tainted);
        let output = ToolOutput::data(data)?.bringing(Flow::of_stored(tainted));
        Ok(output.picturing(self.timeline(context).await?))
    }

    pub fn view(&self, day: &ShownDay) -> Value {
        let view = |block| day.meetings.view(block, &self.tasks);
        let blocks: Vec<BlockView> = day.blocks.iter().map(view).collect();
        let mut view = json!({
            "date": day.date,
            "weekday": day.date.strftime("%A").to_string(),
            "blocks": blocks,
            "stats": DayStats::from_blocks(&day.blocks),
        });
        add(&mut view, "allDay", json!(day.meetings.all_day));
        add(&mut view, "overlaps", json!(overlaps(&day.blocks)));
        view
    }

    /// The days as a timeline. Invalid working hours are left out.
    pub async fn timeline(&self, context: &ToolContext) -> Result<Timeline> {
        let works = match times::working(context).await {
            Ok(works) => Some(works),
            Err(ToolError::Failed(_)) => None,
            Err(error) => return Err(error),
        };
        let day = |day: &ShownDay| {
            let blocks = day.blocks.iter().take(BARS);
            let blocked = |title: &String| Bar::new(BlockType::Blocked, Span::WHOLE_DAY, title, []);
            let all_day = day.meetings.all_day.iter().map(blocked);
            alfred_timeline::Day {
                date: day.date,
                works: works.filter(|_| !is_weekend(day.date)),
                bars: all_day.chain(blocks.map(|block| self.bar(block))).collect(),
                note: match day.blocks.len() {
                    0..=BARS => day.meetings.note.clone(),
                    all => Some(format!("and {} more", all - BARS)),
                },
            }
        };
        Ok(Timeline {
            zone: context.user.timezone.clone(),
            now: context.now.to_zoned(context.zone()).datetime(),
            days: self.days.iter().map(day).collect(),
        })
    }

    fn bar(&self, block: &TimeBlock) -> Bar {
        let task = |id: &TaskId| self.tasks.iter().find(|task| task.id == *id);
        let tasks = block.task_ids().filter_map(task);
        let titles = tasks.map(|task| task.title.clone());
        Bar::new(block.kind, block.span, &block.title, titles)
    }
}

/// The pairs of blocks that overlap, such as "Lunch and Review overlap". Blocks of the whole day don't count.
fn overlaps(blocks: &[TimeBlock]) -> Vec<String> {
    let timed = || blocks.iter().filter(|one| one.span != Span::WHOLE_DAY);
    let pairs = timed().enumerate().flat_map(|(at, one)| {
        let later = timed().skip(at + 1);
        let over = later.filter(|other| one.span.overlaps(other.span));
        over.map(|other| format!("{} and {} overlap", one.title, other.title))
    });
    pairs.take(LISTED).collect()
}

/// The picture of a person's day today.
pub async fn day_picture(context: &ToolContext) -> Result<Timeline> {
    let shown = Shown::load(context, &[today(context)]).await?;
    shown.timeline(context).await
}

impl ShownDay {
    pub async fn load(context: &ToolContext, date: Date) -> Result<Self> {
        let mut shown = Shown::load(context, &[date]).await?;
        Ok(shown.days.remove(0))
    }
}
