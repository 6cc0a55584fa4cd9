//! A block to prepare for a meeting.

use alfred_core::id::BlockId;
use alfred_core::ports::Span;
use alfred_planner::{BlockType, TimeBlock, conflicts};

use super::busy::Busy;
use crate::fields::MAX_TITLE;
use crate::prelude::*;
use crate::schedule::day::Day;

const MOST: i64 = 15;

/// Minutes to prepare for a meeting of this length: half of it, at most 15.
pub fn minutes(duration: i64) -> i64 {
    (duration / 2).min(MOST)
}

pub fn span(meeting: &Span, minutes: i64) -> Option<Span> {
    let length = SignedDuration::from_mins(minutes);
    let (start, end) = (meeting.start.checked_sub(length).ok()?, meeting.start);
    (start < end).then_some(Span { start, end })
}

/// The block to add, and its writes.
pub struct Prep {
    pub block: TimeBlock,
    pub writes: Vec<Write>,
}

impl Prep {
    /// Plans the block; `None` if the time is past, taken in calendar or day plan, or on two days, or if the day is
    /// full. A full day must not fail the call after the invitations are out.
    pub async fn before(
        context: &ToolContext,
        meeting: &Span,
        minutes: i64,
        title: &str,
    ) -> Result<Option<Self>> {
        let Some(span) = span(meeting, minutes).filter(|span| span.start > context.now) else {
            return Ok(None);
        };
        let zone = context.zone();
        let start = span.start.to_zoned(zone.clone());
        let end = span.end.to_zoned(zone);
        let times = alfred_planner::Span::new(start.time().into(), end.time().into());
        let Some(times) = times.filter(|_| start.date() == end.date()) else {
            return Ok(None);
        };
        let busy = Busy::look(context, &[], span, None).await?;
        let mut day = Day::load(context, start.date()).await?;
        let taken = conflicts(&day.blocks, times).next();
        if taken.is_some() || !busy.is_free(&span) {
            return Ok(None);
        }
        let title = format!("Prepare: {title}");
        let title: String = title.chars().take(MAX_TITLE).collect();
        let id = BlockId::new(&*context.ids);
        let block = TimeBlock {
            tainted: context.tainted,
            ..TimeBlock::new(id, BlockType::Work, &title, times)
        };
        let added = day.add(context, block.clone());
        let writes = added.and_then(|index| Ok(vec![day.write(context)?, index]));
        Ok(known(writes)?.map(|writes| Self { block, writes }))
    }
}
