//! A block that is taken out of its day.

use alfred_core::id::BlockId;
use alfred_core::ports::Condition;
use alfred_planner::{TimeBlock, block};

use super::day::Day;
use super::{BlockView, label, meetings};
use crate::entity::{Candidate, Field, Noun};
use crate::fields;
use crate::prelude::*;
use crate::resolve_by_title::resolve_by_title;

/// Most lookups of a block that moves between the read of its index and the read of its day.
const MOVES: u32 = 3;
/// Days after today in which titles are searched.
const COMING: i64 = 14;

#[derive(Serialize, Deserialize)]
pub(super) struct IndexRow {
    pub date: Date,
}

#[derive(Clone, Debug, PartialEq)]
pub struct TakenBlock {
    pub block: TimeBlock,
    /// The day without the block.
    pub day: Day,
    /// `None` for a new block.
    index_version: Option<u64>,
}

impl TakenBlock {
    /// A block without an index row that was read.
    pub const fn new(block: TimeBlock, day: Day) -> Self {
        Self {
            block,
            day,
            index_version: None,
        }
    }

    /// Takes a block out of its day. Its index row isn't read, so it can be put back but not moved or deleted.
    pub fn of_day(mut day: Day, at: usize) -> Self {
        Self::new(day.blocks.remove(at), day)
    }

    pub fn planning(&self, tasks: &[String]) -> Preview {
        let title = match tasks.len() {
            1 => "Plan one task for a block".to_owned(),
            more => format!("Plan {more} tasks for a block"),
        };
        Preview::new(title)
            .field("Block", &self.block.title)
            .field("When", self.when())
            .body(tasks.join("\n"))
    }

    fn when(&self) -> String {
        format!("{} {}", short_date(self.day.date), self.block.span)
    }

    pub fn put_back(mut self, context: &ToolContext) -> Result<Write> {
        self.day.blocks.push(self.block);
        block::sort(&mut self.day.blocks);
        self.day.write(context)
    }
}

/// The date of a block, and the version of its index row.
pub(super) async fn index(context: &ToolContext, id: &BlockId) -> Result<Option<(Date, u64)>> {
    let key = keys::block_date(&context.team, context.user_id(), id);
    let Some(item) = context.store.get(&key).await? else {
        return Ok(None);
    };
    let version = item.version;
    let row: IndexRow = item.decode("day of a block")?;
    Ok(Some((row.date, version)))
}

#[async_trait]
impl Entity for TakenBlock {
    const NOUN: Noun = Noun {
        name: "block",
        label: "Block",
        argument: "blockId",
        id_prefix: "blk_",
        empty: "is empty: give a block's id or its title.",
        unknown: "isn't among the blocks, today or in the coming 14 days.",
        hint: "schedule_viewSchedule gives the ids.",
        create: "schedule_createTimeBlock",
        update: "schedule_moveTimeBlock",
        delete: "schedule_deleteTimeBlock",
    };

    fn id(&self) -> &str {
        self.block.id.as_str()
    }

    fn title(&self) -> &str {
        &self.block.title
    }

    fn fields(&self, _: &ToolContext) -> Vec<Field> {
        let (block, date) = (&self.block, self.day.date);
        let when = json!({"date": date, "start": block.span.start(), "end": block.span.end()});
        vec![
            Field::argument("title", &block.title),
            Field::shown("when", when, self.when()),
            Field::argument("type", block.kind),
            Field::argument("description", &block.description),
            Field::created("date", date),
            Field::created("startTime", block.span.start()),
            Field::created("endTime", block.span.end()),
            Field::compared("tasks", &block.tasks),
        ]
    }

    fn view(&self, _: &ToolContext) -> Value {
        json!(BlockView::new(&self.block, &[]))
    }

    fn is_tainted(&self) -> bool {
        self.block.tainted
    }

    fn absorb_taint(&mut self, context: &ToolContext) {
        self.block.tainted |= context.tainted;
    }

    async fn load(context: &ToolContext, id: &str) -> Result<Option<Self>> {
        let id = BlockId(id.to_owned());
        for _ in 0..MOVES {
            let Some((date, version)) = index(context, &id).await? else {
                break;
            };
            let day = Day::load(context, date).await?;
            if let Some(at) = day.blocks.iter().position(|block| block.id == id) {
                return Ok(Some(Self {
                    index_version: Some(version),
                    ..Self::of_day(day, at)
                }));
            }
        }
        Ok(None)
    }

    /// Blocks of today, then those of the coming two weeks.
    async fn candidates(context: &ToolContext, group: usize) -> Result<Option<Vec<Candidate>>> {
        let first = today(context);
        let coming = first.series(jiff::Span::new().days(1)).skip(1);
        let dates: Vec<Date> = match group {
            0 => vec![first],
            1 => coming.take_while(|date| *date <= last(context)).collect(),
            _ => return Ok(None),
        };
        let days = Day::with_blocks(context, dates).await?;
        let candidate = |(date, block): (Date, &TimeBlock)| Candidate {
            id: block.id.to_string(),
            title: block.title.clone(),
            label: format!("{} on {}", label(block), short_date(date)),
            option: format!("{}, {} {}", block.title, short_date(date), block.span),
        };
        let blocks = days.iter().flat_map(Day::dated_blocks);
        Ok(Some(blocks.map(candidate).collect()))
    }

    fn writes(context: &ToolContext, old: Option<&Self>, new: Option<&Self>) -> Result<Vec<Write>> {
        let version = old.and_then(|old| old.index_version);
        let version = version.map(Condition::Version);
        match (old, new) {
            (Some(old), Some(new)) if old.day.date == new.day.date => {
                Ok(vec![new.clone().put_back(context)?])
            }
            (old, Some(new)) => {
                let mut day = new.day.clone();
                let mut index = day.add(context, new.block.clone())?;
                index.condition = version.or(index.condition);
                let left = old.map(|old| old.day.clone().write(context));
                let mut writes = Vec::from_iter(left.transpose()?);
                writes.extend([day.write(context)?, index]);
                Ok(writes)
            }
            (Some(old), None) => {
                let key = keys::block_date(&context.team, context.user_id(), &old.block.id);
                let index = Write::delete(key, version);
                Ok(vec![old.day.clone().write(context)?, index])
            }
            (None, None) => Ok(Vec::new()),
        }
    }

    /// Says so if the words match a meeting of the calendar. Without a readable calendar it doesn't.
    async fn unknown(context: &ToolContext, argument: &str, text: &str) -> ToolError {
        let is_meeting = if text.trim().starts_with(meetings::PREFIX) {
            true
        } else if fields::id(argument, text, Self::NOUN.id_prefix).is_ok() {
            false
        } else {
            let page = meetings::events(context, today(context), last(context)).await;
            let page = page.inspect_err(|error| {
                tracing::warn!(%error, "a block is looked for without the calendar");
            });
            let events = page.unwrap_or_default().events.into_iter();
            let titles = events.map(|event| event.title).collect();
            !resolve_by_title(titles, text, String::as_str).is_empty()
        };
        if is_meeting {
            refused(argument, text, "is a meeting of the calendar, and no block.").hint(
                "calendar_rescheduleMeeting changes it, with its eventId from schedule_viewSchedule.",
            )
        } else {
            refused(argument, text, Self::NOUN.unknown).hint(Self::NOUN.hint)
        }
    }
}

fn last(context: &ToolContext) -> Date {
    today(context).saturating_add(jiff::Span::new().days(COMING))
}
