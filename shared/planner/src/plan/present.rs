//! Existing blocks: which stay, which a wish removes, and where the others go.

use super::day::{Stretch, nearest, without};
use super::{Change, Day, PlannedBlock, Rule};
use crate::{BlockType, ClockTime, Span, TimeBlock, Wish, is_meant};

/// A break of so many minutes at lunch time is lunch.
const LUNCH_LIKE: u32 = 30;

enum Fate {
    Stays,
    Removed(Wish),
    /// It moves to the time of a wish, or else to the nearest free one.
    Moves(Wish, Option<ClockTime>),
    /// The rule for lunch or e-mail places it anew.
    PlacedAnew,
}

struct Move {
    block: PlannedBlock,
    wish: Wish,
    to: Option<ClockTime>,
}

impl Day<'_> {
    pub fn add_existing(&mut self) {
        let mut moves = Vec::new();
        let mut existing: Vec<PlannedBlock> = self.request.blocks.iter().map(planned).collect();
        existing.sort_by(|a, b| (a.span, &a.id).cmp(&(b.span, &b.id)));
        for block in existing {
            match self.fate(&block) {
                Fate::Stays => self.add(block),
                Fate::Removed(wish) => self.removed.push(PlannedBlock {
                    rule: Rule::Wished(wish),
                    ..block
                }),
                Fate::Moves(wish, to) => moves.push(Move { block, wish, to }),
                Fate::PlacedAnew if self.replaced.iter().any(|one| one.kind == block.kind) => {
                    self.add(block);
                }
                Fate::PlacedAnew => self.replaced.push(block),
            }
        }
        self.settle(&moves);
    }

    /// Moves blocks. If they can't all move, each that can't stays, and no other one takes its place.
    fn settle(&mut self, moves: &[Move]) {
        let mut together = self.clone();
        together.place_lunch_anew();
        if moves.iter().all(|one| together.follow(one)) {
            *self = together;
            return;
        }
        let old = moves.iter().map(|one| one.block.clone());
        self.moving.extend(old);
        self.place_lunch_anew();
        for one in moves {
            self.moving.retain(|block| block.id != one.block.id);
            if !self.follow(one) {
                self.add(one.block.clone());
                let (title, wish) = (&one.block.title, &one.wish);
                self.note(format!(
                    "\"{title}\" stays where it is: there is no room to move it ({wish})."
                ));
            }
        }
    }

    fn place_lunch_anew(&mut self) {
        if self.replaced.iter().any(|one| one.kind == BlockType::Break) {
            self.place_lunch();
        }
    }

    /// Moves one block; `false` if there is no room for it.
    fn follow(&mut self, one: &Move) -> bool {
        let minutes = self.clock.minutes(one.block.span);
        let span = match one.to {
            Some(to) => self.exactly(minutes, to),
            None => self.near(&one.block, minutes),
        };
        let Some(span) = span else { return false };
        let mut block = one.block.clone();
        if span != block.span {
            block.rule = Rule::Wished(one.wish.clone());
            block.move_to(span);
        }
        self.add(block);
        true
    }

    /// The time that a wish names, also outside the working hours, if nothing is there and it isn't past.
    pub fn exactly(&self, minutes: u32, to: ClockTime) -> Option<Span> {
        let span = Span::new(to, self.clock.plus(to, minutes)?)?;
        let mut blocks = self.blocks.iter().chain(self.reserved());
        let taken = blocks.any(|block| block.span.overlaps(span));
        (!taken && to >= self.from).then_some(span)
    }

    /// The nearest free time, if possible not at lunch time.
    fn near(&self, block: &PlannedBlock, minutes: u32) -> Option<Span> {
        let at = self.stretch(block.span).from;
        let free = match block.kind {
            BlockType::Work => self.work_time(),
            _ => self.free(),
        };
        let lunch = self.limits.lunch_time().filter(|_| self.wants_lunch());
        let beside = lunch.map(|lunch| without(free.clone(), self.stretch(lunch)));
        let place = |stretches: &[Stretch]| nearest(stretches, at, minutes..=minutes);
        let place = place(&beside.unwrap_or_default()).or_else(|| place(&free))?;
        self.span(place)
    }

    /// Meetings, blocked time and the past never change.
    fn fate(&self, block: &PlannedBlock) -> Fate {
        if block.kind.is_fixed() || block.span.start() < self.from {
            return Fate::Stays;
        }
        let (lunch, email) = (self.is_lunch(block), block.kind == BlockType::Email);
        let pause = block.kind == BlockType::Break && !lunch;
        let decided = self.request.wishes.iter().rev().find_map(|wish| {
            Some(match wish {
                Wish::Drop(title) if is_meant(&block.title, title) => Fate::Removed(wish.clone()),
                Wish::Move { title, to } if is_meant(&block.title, title) => {
                    Fate::Moves(wish.clone(), Some(*to))
                }
                Wish::NoLunch if lunch => Fate::Removed(wish.clone()),
                Wish::NoEmail if email => Fate::Removed(wish.clone()),
                Wish::NoBreaks if pause => Fate::Removed(wish.clone()),
                Wish::LunchAt(_) | Wish::LunchLength(_) if lunch => Fate::PlacedAnew,
                Wish::EmailAt(_) | Wish::EmailFirst | Wish::EmailLength(_) if email => {
                    Fate::PlacedAnew
                }
                _ => return None,
            })
        });
        let against = || Some(Fate::Moves(self.wish_against(block)?, None));
        decided.or_else(against).unwrap_or(Fate::Stays)
    }

    fn wish_against(&self, block: &PlannedBlock) -> Option<Wish> {
        let outside = self.request.wishes.iter().find(|wish| match wish {
            Wish::StartAt(time) => block.span.start() < *time,
            Wish::EndAt(time) => block.span.end() > *time,
            _ => false,
        });
        let against = self.limits.wish_against(block.kind, block.span);
        against.or(outside).cloned()
    }

    /// Whether a block is lunch: by its title, or as a long break at the usual time.
    pub fn is_lunch(&self, block: &PlannedBlock) -> bool {
        let at = self.limits.lunch.at;
        let usual = at.and_then(|at| Span::new(at, at.plus(60)));
        let usual = usual.is_some_and(|usual| usual.overlaps(block.span));
        let long = self.clock.minutes(block.span) >= LUNCH_LIKE;
        block.kind == BlockType::Break && (is_meant(&block.title, "lunch") || (usual && long))
    }
}

fn planned(block: &TimeBlock) -> PlannedBlock {
    PlannedBlock {
        id: Some(block.id.clone()),
        change: Change::Kept,
        ..PlannedBlock::new(block.kind, &block.title, block.span, Rule::AlreadyPlanned)
    }
}
