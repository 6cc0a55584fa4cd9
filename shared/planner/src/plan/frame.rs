//! The rules for lunch and e-mail, and the order of all rules for new blocks.

use std::ops::RangeInclusive;

use super::day::{Stretch, nearest};
use super::limits::Fixture;
use super::{Day, PlannedBlock, Rule};
use crate::{BlockType, Wish};

pub(super) const FOCUS_TITLE: &str = "Focus work";
pub(super) const SHORT_TITLE: &str = "Short tasks";
pub const BREAK_TITLE: &str = "Break";
pub const LUNCH_TITLE: &str = "Lunch";
pub const EMAIL_TITLE: &str = "E-mail";

/// All titles that a plan gives to new blocks.
pub const OWN_TITLES: [&str; 5] = [
    FOCUS_TITLE,
    SHORT_TITLE,
    LUNCH_TITLE,
    BREAK_TITLE,
    EMAIL_TITLE,
];

/// Minutes between lunch and its usual time, at most.
const LUNCH_RANGE: u32 = 90;
/// Minutes of the shortest lunch and e-mail block, unless whole ones are shorter.
const SHORTEST_LUNCH: u32 = 30;
const SHORTEST_EMAIL: u32 = 15;
/// A gap that has fewer minutes besides is the right one for e-mail.
const HARDLY_LONGER: u32 = 15;

impl Day<'_> {
    pub fn place_frame(&mut self) {
        if self.wants_lunch() {
            self.place_lunch();
        }
        self.place_fixture(BlockType::Email, EMAIL_TITLE, Self::email_place);
        self.place_focus();
        self.pull_email_forward();
        self.place_short_tasks();
    }

    /// Whether there is no lunch yet, and its usual time isn't over.
    pub fn wants_lunch(&self) -> bool {
        let (window, working) = (self.window, self.limits.working);
        let in_time = self.limits.lunch_time().is_some_and(|lunch| {
            let ahead = window.is_some_and(|window| window.start() < lunch.end());
            ahead && lunch.end() <= working.end()
        });
        in_time && !self.blocks.iter().any(|block| self.is_lunch(block))
    }

    pub fn wants_email(&self) -> bool {
        self.limits.email.length > 0 && self.of_kind(BlockType::Email).next().is_none()
    }

    pub fn place_lunch(&mut self) {
        self.place_fixture(BlockType::Break, LUNCH_TITLE, Self::lunch_place);
    }

    /// Lunch is at its usual time if all of it is free, else at the nearest time that holds all of it, else shorter.
    fn lunch_place(&self) -> Option<(Stretch, Rule)> {
        if !self.wants_lunch() {
            return None;
        }
        let Fixture { at, length, wish } = self.limits.lunch.clone();
        let preferred = at?;
        let at = self.clock.elapsed(preferred);
        let free = self.free();
        let near = |least: u32| {
            let place = nearest(&free, at, least..=length);
            place.filter(|place| place.from.abs_diff(at) <= LUNCH_RANGE)
        };
        let place = near(length).or_else(|| near(SHORTEST_LUNCH.min(length)))?;
        let usual = Stretch::new(at, at + length);
        let rule = match wish {
            Some(wish) if place == usual => Rule::Wished(wish),
            Some(Wish::LunchLength(minutes)) if place.minutes() == minutes => {
                Rule::Wished(Wish::LunchLength(minutes))
            }
            None if place == usual => Rule::Lunch,
            _ if place.from == at => self.lunch_near("shorter".to_owned(), usual),
            _ => self.lunch_near(format!("not at {preferred}"), usual),
        };
        Some((place, rule))
    }

    /// The reason of lunch at another time or of another length: the blocks that are in its way.
    fn lunch_near(&self, how: String, usual: Stretch) -> Rule {
        let blocks = self.blocks.iter();
        let there = blocks.filter(|block| self.stretch(block.span).overlaps(usual));
        let there: Vec<String> = there.map(|block| format!("\"{}\"", block.title)).collect();
        let why = match there.as_slice() {
            [] => "that time isn't free".to_owned(),
            [one] => format!("{one} is in the way"),
            several => format!("{} are in the way", several.join(" and ")),
        };
        Rule::LunchNear { how, why }
    }

    /// E-mail is where a wish wants it, else late in the day, if possible in a gap that is hardly longer.
    fn email_place(&self) -> Option<(Stretch, Rule)> {
        if !self.wants_email() {
            return None;
        }
        let Fixture { at, length, wish } = self.limits.email.clone();
        let quiet = self.quiet();
        let at = at.map(|at| self.clock.elapsed(at));
        let place = |least: u32| match at {
            Some(at) => nearest(&quiet, at, least..=length),
            None => self.late(&quiet, least..=length),
        };
        let place = place(length).or_else(|| place(SHORTEST_EMAIL.min(length)))?;
        let wish = wish.filter(|_| at == Some(place.from));
        Some((place, wish.map_or(Rule::Email, Rule::Wished)))
    }

    fn late(&self, quiet: &[Stretch], minutes: RangeInclusive<u32>) -> Option<Stretch> {
        let (least, most) = minutes.into_inner();
        let long = quiet.iter().filter(|one| one.minutes() >= least);
        let best = long.max_by_key(|one| (one.minutes() < most + HARDLY_LONGER, one.from))?;
        let from = self.grid_before(best.to - best.minutes().min(most));
        Some(Stretch::new(from, best.to))
    }

    /// E-mail follows the last focus block before it, so that the rest of the day is free in one piece.
    fn pull_email_forward(&mut self) {
        let new = |block: &PlannedBlock| block.rule == Rule::Email;
        let Some(at) = self.blocks.iter().position(new) else {
            return;
        };
        let mut email = self.blocks.remove(at);
        let old = self.stretch(email.span);
        let around = self.quiet().into_iter().find(|one| one.overlaps(old));
        let from = around.map_or(old.from, |one| one.from.min(old.from));
        let span = self.span(Stretch::new(from, from + old.minutes()));
        email.span = span.unwrap_or(email.span);
        self.add(email);
    }

    /// Places lunch or e-mail: the existing block anew, or a new one. Without a place an existing block goes back.
    fn place_fixture(
        &mut self,
        kind: BlockType,
        title: &str,
        find: fn(&Self) -> Option<(Stretch, Rule)>,
    ) {
        let was = self.replaced.iter().position(|block| block.kind == kind);
        let was = was.map(|at| self.replaced.remove(at));
        let place = find(self).and_then(|(place, rule)| Some((self.span(place)?, rule)));
        match (was, place) {
            (Some(was), Some((span, rule))) => {
                let mut moved = PlannedBlock { rule, ..was };
                moved.move_to(span);
                self.add(moved);
            }
            (Some(was), None) => self.add(was),
            (None, Some((span, rule))) => self.add(PlannedBlock::new(kind, title, span, rule)),
            (None, None) => {}
        }
    }
}
