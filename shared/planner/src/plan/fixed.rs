//! What is there already: blocks that stay, and those that wishes take away or move.

use super::explain;
use super::outcome::{Change, Note, PlannedBlock};
use super::reason::Why;
use super::rules::Rules;
use crate::block::{self, BlockType, TimeBlock};
use crate::clock_time::ClockTime;
use crate::day_clock::DayClock;
use crate::span::Span;
use crate::wish::{Wish, is_meant};

/// Minutes from which on a break around lunch time is lunch.
const LUNCH_LIKE: u32 = 30;

impl PlannedBlock {
    /// One that is there and stays; `None` for a row that ends before it starts.
    fn standing(block: &TimeBlock) -> Option<Self> {
        Some(Self {
            id: Some(block.id.clone()),
            kind: block.kind,
            title: block.title.clone(),
            span: block.span()?,
            change: Change::Kept,
            tasks: Vec::new(),
            why: Why::AlreadyPlanned,
        })
    }

    /// A new block of focus work.
    pub(super) fn focus(span: Span, why: Why) -> Self {
        Self {
            id: None,
            kind: BlockType::Work,
            title: explain::FOCUS_TITLE.to_owned(),
            span,
            change: Change::New,
            tasks: Vec::new(),
            why,
        }
    }

    /// Whether it says something of a whole day, such as a holiday.
    pub(super) fn takes_the_day(&self) -> bool {
        block::takes_the_day(self.kind, self.span)
    }
}

/// Puts blocks in the order of a day, the same however they were given.
pub(super) fn sort(blocks: &mut [PlannedBlock]) {
    blocks.sort_by(|a, b| (a.span, &a.title, &a.id).cmp(&(b.span, &b.title, &b.id)));
}

/// A block that needs another place.
#[derive(Clone, Debug)]
pub(super) struct Uprooted {
    pub block: PlannedBlock,
    pub wish: Wish,
    /// Where it is to start; near its old place when `None`.
    pub to: Option<ClockTime>,
}

/// The day before anything new is planned.
#[derive(Clone, Debug, Default)]
pub(super) struct Present {
    pub standing: Vec<PlannedBlock>,
    pub uprooted: Vec<Uprooted>,
    /// Lunch and e-mail that were planned and are placed anew.
    pub lunch: Option<PlannedBlock>,
    pub email: Option<PlannedBlock>,
    pub removed: Vec<PlannedBlock>,
}

/// What decides over a block.
pub(super) struct Circumstances<'a> {
    pub rules: &'a Rules,
    pub wishes: &'a [Wish],
    pub clock: &'a DayClock,
    /// What starts before stays as it is.
    pub from: ClockTime,
}

enum Fate {
    Stays,
    Goes(Wish),
    Moves(Wish, Option<ClockTime>),
    LunchAgain,
    EmailAgain,
}

impl Present {
    pub fn new(blocks: &[TimeBlock], at: &Circumstances<'_>) -> Self {
        let mut present = Self::default();
        let mut blocks = blocks.to_vec();
        block::sort(&mut blocks);
        for block in blocks.iter().filter_map(PlannedBlock::standing) {
            present.add(block, at);
        }
        sort(&mut present.standing);
        present
    }

    fn add(&mut self, block: PlannedBlock, at: &Circumstances<'_>) {
        match at.fate(&block) {
            Fate::Stays => self.standing.push(block),
            Fate::LunchAgain if self.lunch.is_none() => self.lunch = Some(block),
            Fate::EmailAgain if self.email.is_none() => self.email = Some(block),
            Fate::LunchAgain | Fate::EmailAgain => self.standing.push(block),
            Fate::Moves(wish, to) => self.uprooted.push(Uprooted { block, wish, to }),
            Fate::Goes(wish) => self.removed.push(PlannedBlock {
                why: Why::Wished(wish),
                ..block
            }),
        }
    }

    /// Pairs of meetings that share time, as notes.
    pub fn overlaps(&self) -> Vec<Note> {
        let meetings: Vec<&PlannedBlock> = self
            .standing
            .iter()
            .filter(|block| matches!(block.kind, BlockType::Meeting | BlockType::Blocked))
            .filter(|block| !block.takes_the_day())
            .collect();
        let mut notes = Vec::new();
        for (i, first) in meetings.iter().enumerate() {
            for second in &meetings[i + 1..] {
                let start = first.span.start().max(second.span.start());
                if let Some(span) = Span::new(start, first.span.end().min(second.span.end())) {
                    notes.push(Note::Overlap {
                        first: first.title.clone(),
                        second: second.title.clone(),
                        span,
                    });
                }
            }
        }
        notes
    }
}

impl Circumstances<'_> {
    /// Meetings and blocked time never move; the past doesn't either.
    fn fate(&self, block: &PlannedBlock) -> Fate {
        let own = matches!(
            block.kind,
            BlockType::Work | BlockType::Email | BlockType::Break
        );
        if !own || block.span.start() < self.from {
            return Fate::Stays;
        }
        for wish in self.wishes.iter().rev() {
            match wish {
                Wish::Drop(title) if is_meant(&block.title, title) => {
                    return Fate::Goes(wish.clone());
                }
                Wish::Move { title, to } if is_meant(&block.title, title) => {
                    return Fate::Moves(wish.clone(), Some(*to));
                }
                Wish::NoLunch if self.is_lunch(block) => return Fate::Goes(wish.clone()),
                Wish::LunchAt(_) | Wish::LunchLength(_) if self.is_lunch(block) => {
                    return Fate::LunchAgain;
                }
                Wish::NoEmail if block.kind == BlockType::Email => return Fate::Goes(wish.clone()),
                Wish::EmailAt(_) | Wish::EmailFirst | Wish::EmailLength(_)
                    if block.kind == BlockType::Email =>
                {
                    return Fate::EmailAgain;
                }
                Wish::NoBreaks if block.kind == BlockType::Break && !self.is_lunch(block) => {
                    return Fate::Goes(wish.clone());
                }
                _ => {}
            }
        }
        self.in_the_way(block)
            .map_or(Fate::Stays, |wish| Fate::Moves(wish, None))
    }

    /// The wish that its place goes against.
    fn in_the_way(&self, block: &PlannedBlock) -> Option<Wish> {
        let of_focus = match block.kind {
            BlockType::Work => self.rules.forbids_focus(block.span),
            _ => None,
        };
        let outside = self.wishes.iter().find(|wish| match wish {
            Wish::StartAt(time) => block.span.start() < *time,
            Wish::EndAt(time) => block.span.end() > *time,
            _ => false,
        });
        self.rules
            .keeps_free(block.span)
            .or(of_focus)
            .or_else(|| outside.cloned())
    }

    /// By its title, or as a long break at the usual time.
    pub fn is_lunch(&self, block: &PlannedBlock) -> bool {
        if block.kind != BlockType::Break {
            return false;
        }
        let usual = self.rules.lunch.as_ref().is_some_and(|lunch| {
            let usual = Span::new(lunch.at, lunch.at.plus(60));
            usual.is_some_and(|usual| usual.overlaps(block.span))
        });
        is_meant(&block.title, "lunch") || (usual && self.clock.minutes(block.span) >= LUNCH_LIKE)
    }
}
