//! Drafts of a plan: what it gives up, one after the other, for work that has no place otherwise.

use super::assign::{self, Assigned, Ranked, Slot};
use super::compose::Day;
use super::explain;
use super::outcome::{Note, PlannedBlock};
use super::place::Layout;
use super::timeline::Piece;
use crate::block::BlockType;
use crate::fit::{TIERS, URGENT};
use crate::wish::Wish;

/// So many minutes of a task don't wait for another day where they can follow at once.
const OVERRUN: u32 = 10;

/// What a plan gives up.
#[derive(Clone, Copy)]
enum Gives {
    /// The buffers in gaps that hold no block otherwise.
    ShortGaps,
    /// What is kept for what comes up.
    Slack,
    /// All buffers.
    Buffers,
    /// The time for e-mail, unless a wish names one.
    Email,
}

/// A plan with its tasks, before it is put in words.
pub(super) struct Draft<'a> {
    pub day: Day<'a>,
    pub layout: Option<Layout>,
    pub blocks: Vec<PlannedBlock>,
    pub slots: Vec<Slot>,
    pub assigned: Assigned,
}

impl<'a> Draft<'a> {
    /// The draft that gives up no more than it has to.
    pub fn best(day: &Day<'a>, ranked: &[Ranked<'_>]) -> Self {
        let mut best = Self::new(day.clone(), ranked);
        for gives in [Gives::ShortGaps, Gives::Slack, Gives::Buffers, Gives::Email] {
            let tiers = match gives {
                Gives::ShortGaps => TIERS,
                Gives::Slack | Gives::Buffers | Gives::Email => URGENT,
            };
            let short = |(task, found): (usize, &Ranked<'_>)| {
                let job = found.job();
                job.tier < tiers && best.assigned.placed(task) < job.minutes
            };
            if !ranked.iter().enumerate().any(short) {
                continue;
            }
            let other = Self::new(day.giving(gives, &best.day), ranked);
            if other.assigned.done(ranked)[..tiers] > best.assigned.done(ranked)[..tiers] {
                best = other;
            }
        }
        best
    }

    fn new(mut day: Day<'a>, ranked: &[Ranked<'_>]) -> Self {
        let layout = day.lay_out();
        let mut draft = Self::laid_out(day, layout, ranked);
        while let Some(layout) = draft.overrun(ranked) {
            draft = Self::laid_out(draft.day, Some(layout), ranked);
        }
        draft
    }

    /// The layout with a block that is longer by the few minutes that a task lacks, if there is one.
    fn overrun(&self, ranked: &[Ranked<'_>]) -> Option<Layout> {
        let layout = self.layout.as_ref()?;
        let time = &layout.time;
        let few = |task: &usize| {
            let left = ranked[*task].task.minutes() - self.assigned.placed(*task);
            (1..=OVERRUN).contains(&left).then_some(left)
        };
        let lacking = (0..ranked.len()).filter_map(|task| Some((task, few(&task)?)));
        lacking.into_iter().find_map(|(task, left)| {
            let last = self.assigned.parts.iter().rfind(|part| part.job == task)?;
            let span = self.blocks[self.slots[last.room].block].span;
            let mut placed = layout.placed.iter();
            let at = placed.position(|placed| time.span(placed.from, placed.to) == Some(span))?;
            let from = layout.placed[at].to;
            let to = (from + 1..time.marks.len()).find(|to| time.minutes(from, *to) >= left)?;
            let next = layout.placed.get(at + 1).map_or(to, |next| next.from);
            let span = time.span(from, to)?;
            let free = time.reach(from, Piece::is_free) >= to && next >= to;
            if !free || self.day.rules.forbids_focus(span).is_some() {
                return None;
            }
            let mut longer = layout.clone();
            longer.placed[at].to = to;
            Some(longer)
        })
    }

    fn laid_out(day: Day<'a>, layout: Option<Layout>, ranked: &[Ranked<'_>]) -> Self {
        let blocks = explain::blocks(&day, layout.as_ref());
        let slots = day.slots(&blocks, ranked);
        let assigned = assign::assign(ranked, &slots);
        Self {
            day,
            layout,
            blocks,
            slots,
            assigned,
        }
    }
}

impl<'a> Day<'a> {
    /// This day with one thing more given up than in another draft of it.
    fn giving(&self, gives: Gives, before: &Day<'a>) -> Self {
        let mut day = self.clone();
        day.rules.short_gaps = before.rules.short_gaps;
        day.rules.slack = before.rules.slack;
        day.rules.buffer = before.rules.buffer;
        day.rules.email.clone_from(&before.rules.email);
        match gives {
            Gives::ShortGaps => day.rules.short_gaps = true,
            Gives::Slack => day.rules.slack = 0,
            Gives::Buffers => day.rules.buffer = day.rules.least_buffer(),
            Gives::Email => day.rules.email = day.rules.email.filter(|email| email.wish.is_some()),
        }
        day
    }

    /// Whether e-mail is to be planned as long as nothing takes its time.
    fn wants_email(&self) -> bool {
        let unwanted = |wish: &Wish| *wish == Wish::NoEmail;
        let mut standing = self.present.standing.iter();
        let has = standing.any(|block| block.kind == BlockType::Email);
        !has && !self.request.wishes.iter().any(unwanted)
    }

    /// What is to be said of what was given up.
    pub fn given_up(&self) -> Vec<Note> {
        let (percent, left) = (self.request.habits.slack, self.rules.buffer);
        let slack = (self.rules.slack < percent).then_some(Note::SlackTaken { percent });
        let buffers = (left < self.request.habits.buffer).then_some(Note::BuffersTaken { left });
        let email = self.rules.email.is_none() && self.wants_email();
        let email = email.then_some(Note::EmailTaken);
        slack.into_iter().chain(buffers).chain(email).collect()
    }
}
