//! Days with blocks, meetings and tasks, as data and as a timeline.

use alfred_core::id::TaskId;
use alfred_planner::{Task, TimeBlock};
use alfred_timeline::{Bar, Timeline};
use jiff::civil::Weekday;

use super::BlockView;
use super::day::Day;
use super::meetings::{self, Meetings};
use super::times;
use crate::prelude::*;
use crate::task::store;

/// Most bars in a day's timeline.
const BARS: usize = 150;

pub(super) struct Shown {
    pub days: Vec<ShownDay>,
    tasks: Vec<Task>,
}

pub(super) struct ShownDay {
    pub date: Date,
    /// Blocks and meetings by start.
    pub blocks: Vec<TimeBlock>,
    meetings: Meetings,
}

impl Shown {
    /// Reads days; `field` names their argument in errors. If the calendar can't be read, a note says so.
    pub async fn load(
        context: &ToolContext,
        field: &str,
        dates: &[Date],
    ) -> Result<Self, ToolError> {
        let clock = |date: &Date| meetings::clock(context, field, *date);
        let clocks = dates.iter().map(clock).collect::<Result<Vec<_>, _>>()?;
        let calendar = Meetings::of_days_or_note(context, &clocks).await;
        let mut days = Vec::with_capacity(dates.len());
        let stored = Day::all(context, dates.iter().copied()).await?;
        for (day, meetings) in stored.into_iter().zip(calendar) {
            days.push(ShownDay {
                date: day.date,
                blocks: meetings.with(&day.blocks),
                meetings,
            });
        }
        let blocks = days.iter().flat_map(|day| &day.blocks);
        let tasks = store::find(context, blocks.flat_map(TimeBlock::task_ids)).await?;
        Ok(Self { days, tasks })
    }

    /// Whether other people's words may be in it.
    pub fn tainted(&self) -> bool {
        let blocks = self.days.iter().flat_map(|day| &day.blocks);
        let all_day = self.days.iter().any(|day| !day.all_day().is_empty());
        all_day
            || blocks.into_iter().any(|block| block.tainted)
            || self.tasks.iter().any(|task| task.tainted)
    }

    pub fn views(&self, day: &ShownDay) -> Vec<BlockView> {
        let view =
            |block| BlockView::new(block, &self.tasks).in_calendar(day.meetings.event_id(block));
        day.blocks.iter().map(view).collect()
    }

    /// The days as a timeline. Invalid working hours are left out.
    pub async fn timeline(&self, context: &ToolContext) -> Result<Timeline, ToolError> {
        let works = match times::working(context).await {
            Ok(works) => Some(works),
            Err(ToolError::Failed(_)) => None,
            Err(error) => return Err(error),
        };
        let day = |day: &ShownDay| {
            let rests = matches!(day.date.weekday(), Weekday::Saturday | Weekday::Sunday);
            alfred_timeline::Day {
                date: day.date,
                works: works.filter(|_| !rests),
                bars: day
                    .blocks
                    .iter()
                    .take(BARS)
                    .map(|block| self.bar(block))
                    .collect(),
                note: match day.blocks.len() {
                    0..=BARS => day.note(),
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

impl ShownDay {
    /// Titles of whole-day events that take no time, which are other people's words.
    pub fn all_day(&self) -> &[String] {
        &self.meetings.all_day
    }

    /// Whether no calendar is connected.
    pub fn unconnected(&self) -> bool {
        self.meetings.unconnected
    }

    /// What is missing, as a sentence.
    pub fn note(&self) -> Option<String> {
        self.meetings.note.clone()
    }
}
