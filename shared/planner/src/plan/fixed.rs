//! What is there already: events, blocks that stay, and those that wishes take away or move.

use alfred_core::id::BlockId;

use super::event::{CalendarEvent, EventTime};
use super::explain;
use super::outcome::{Change, Note, RemovedBlock, Why};
use super::rules::Rules;
use crate::block::{BlockType, TimeBlock};
use crate::clock_time::ClockTime;
use crate::day_clock::DayClock;
use crate::span::Span;
use crate::wish::{Wish, is_meant};

/// Minutes from which on a break around lunch time is lunch.
const LUNCH_LIKE: u32 = 30;

/// A block that has its place.
#[derive(Clone, Debug)]
pub(super) struct Standing {
    pub id: Option<BlockId>,
    pub event_id: Option<String>,
    pub kind: BlockType,
    pub title: String,
    pub span: Span,
    pub change: Change,
    pub why: Why,
    pub tainted: bool,
}

impl Standing {
    /// A new block of focus work.
    pub fn focus(span: Span, why: Why, tainted: bool) -> Self {
        Self {
            id: None,
            event_id: None,
            kind: BlockType::Work,
            title: explain::FOCUS_TITLE.to_owned(),
            span,
            change: Change::New,
            why,
            tainted,
        }
    }

    /// The order of a day, the same however its blocks were given.
    pub fn order(&self) -> (Span, &str, Option<&BlockId>, Option<&String>) {
        (
            self.span,
            &self.title,
            self.id.as_ref(),
            self.event_id.as_ref(),
        )
    }
}

/// A block that needs another place.
#[derive(Clone, Debug)]
pub(super) struct Uprooted {
    pub block: Standing,
    pub wish: Wish,
    /// Where it is to start; near its old place when `None`.
    pub to: Option<ClockTime>,
}

/// The day before anything new is planned.
#[derive(Clone, Debug, Default)]
pub(super) struct Present {
    pub standing: Vec<Standing>,
    pub uprooted: Vec<Uprooted>,
    /// Lunch and e-mail that were planned and are placed anew.
    pub lunch: Option<Standing>,
    pub email: Option<Standing>,
    pub removed: Vec<RemovedBlock>,
    pub notes: Vec<Note>,
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
    pub fn new(blocks: &[TimeBlock], events: &[CalendarEvent], at: &Circumstances<'_>) -> Self {
        let mut present = Self::default();
        let mut blocks: Vec<&TimeBlock> = blocks.iter().collect();
        blocks.sort_by(|a, b| (a.start, a.end, &a.id).cmp(&(b.start, b.end, &b.id)));
        for block in blocks {
            if let Some(span) = Span::new(block.start, block.end) {
                present.add(standing(block, span), at);
            }
        }
        for event in events {
            present.add_event(event, at.clock);
        }
        present.standing.sort_by(|a, b| a.order().cmp(&b.order()));
        present
    }

    fn add(&mut self, block: Standing, at: &Circumstances<'_>) {
        match at.fate(&block) {
            Fate::Stays => self.standing.push(block),
            Fate::LunchAgain if self.lunch.is_none() => self.lunch = Some(block),
            Fate::EmailAgain if self.email.is_none() => self.email = Some(block),
            Fate::LunchAgain | Fate::EmailAgain => self.standing.push(block),
            Fate::Moves(wish, to) => self.uprooted.push(Uprooted { block, wish, to }),
            Fate::Goes(wish) => match block.id {
                Some(id) => self.removed.push(RemovedBlock {
                    id,
                    title: block.title,
                    span: block.span,
                    why: Why::Wished(wish),
                }),
                None => self.standing.push(block),
            },
        }
    }

    fn add_event(&mut self, event: &CalendarEvent, clock: &DayClock) {
        let Some((kind, span)) = event.takes(clock) else {
            return self.note(event, clock);
        };
        let why = match event.when {
            EventTime::Timed { .. } => Why::Calendar,
            EventTime::AllDay { .. } => Why::AllDay,
        };
        // A meeting that Alfred booked is a block and an event.
        let twin = self
            .standing
            .iter_mut()
            .find(|block| block.kind == kind && block.span == span && block.title == event.title);
        if let Some(twin) = twin {
            twin.event_id = Some(event.id.clone());
            return;
        }
        self.standing.push(Standing {
            id: None,
            event_id: Some(event.id.clone()),
            kind,
            title: event.title.clone(),
            span,
            change: Change::Kept,
            why,
            tainted: true,
        });
    }

    /// A day that has a name, such as a birthday, is told and takes no time.
    fn note(&mut self, event: &CalendarEvent, clock: &DayClock) {
        if let EventTime::AllDay { from, until } = event.when
            && (from..until).contains(&clock.date())
        {
            let title = event.title.clone();
            self.notes.push(Note::AllDay { title });
        }
    }

    /// Pairs of meetings that share time, as notes.
    pub fn overlaps(&self) -> Vec<Note> {
        let meetings: Vec<&Standing> = self
            .standing
            .iter()
            .filter(|block| matches!(block.kind, BlockType::Meeting | BlockType::Blocked))
            .filter(|block| block.why != Why::AllDay)
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
    fn fate(&self, block: &Standing) -> Fate {
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
    fn in_the_way(&self, block: &Standing) -> Option<Wish> {
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
    pub fn is_lunch(&self, block: &Standing) -> bool {
        if block.kind != BlockType::Break {
            return false;
        }
        let usual = self.rules.lunch.as_ref().is_some_and(|lunch| {
            let end = lunch.at.minutes().saturating_add(60).min(1_440);
            ClockTime::from_minutes(end)
                .and_then(|end| Span::new(lunch.at, end))
                .is_some_and(|lunch| lunch.overlaps(block.span))
        });
        is_meant(&block.title, "lunch") || (usual && self.clock.minutes(block.span) >= LUNCH_LIKE)
    }
}

fn standing(block: &TimeBlock, span: Span) -> Standing {
    Standing {
        id: Some(block.id.clone()),
        event_id: None,
        kind: block.kind,
        title: block.title.clone(),
        span,
        change: Change::Kept,
        why: Why::AlreadyPlanned,
        tainted: block.tainted,
    }
}
