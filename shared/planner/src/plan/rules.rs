//! Preferences and wishes together: what a plan has to keep to.

use super::habits::{self, Habits};
use super::outcome::Note;
use crate::clock_time::ClockTime;
use crate::day_clock::DayClock;
use crate::dst;
use crate::input::{InputError, within};
use crate::span::Span;
use crate::wish::Wish;

/// Minutes of a break when no wish says otherwise.
const BREAK: u32 = 15;
/// The shortest work block, unless focus blocks are shorter.
const SHORTEST_WORK: u32 = 30;
/// The shortest work block in a gap that holds no other.
pub(super) const SHORT_WORK: u32 = 15;
/// Minutes that stay free around meetings where buffers give way.
const LEAST_BUFFER: u32 = 5;

/// What a plan has to keep to. Lengths are minutes.
#[derive(Clone, Debug)]
pub(super) struct Rules {
    pub working: Span,
    pub lunch: Option<Meal>,
    pub email: Option<Mail>,
    pub focus: u32,
    /// `None` when no breaks are wanted.
    pub break_every: Option<u32>,
    pub break_length: u32,
    pub buffer: u32,
    /// Percent of the time there is that stays free.
    pub slack: u32,
    /// Whether buffers give way in gaps that hold no block otherwise.
    pub short_gaps: bool,
    pub kept_free: Vec<Span>,
    pub focus_from: Option<ClockTime>,
    pub focus_until: Option<ClockTime>,
    pub focus_at_most: Option<u32>,
    /// When that much focus work is done.
    pub focus_done: Option<ClockTime>,
    /// From when on focus work would take of the slack.
    pub slack_from: Option<ClockTime>,
    pub notes: Vec<Note>,
}

#[derive(Clone, Debug)]
pub(super) struct Meal {
    pub at: ClockTime,
    pub length: u32,
    /// What asked for that time.
    pub wish: Option<Wish>,
}

#[derive(Clone, Debug)]
pub(super) struct Mail {
    pub length: u32,
    /// The time that is asked for, and what asked for it.
    pub wish: Option<(ClockTime, Wish)>,
}

impl Rules {
    /// Later wishes win over earlier ones, and all over preferences.
    pub fn new(habits: &Habits, wishes: &[Wish], clock: &DayClock) -> Result<Self, InputError> {
        let mut rules = Self {
            working: habits.working,
            lunch: Some(Meal {
                at: habits.lunch,
                length: habits.lunch_length,
                wish: None,
            }),
            email: Some(Mail {
                length: habits.email,
                wish: None,
            }),
            focus: habits.focus,
            break_every: Some(habits.break_every),
            break_length: BREAK,
            buffer: habits.buffer,
            slack: habits.slack,
            short_gaps: false,
            kept_free: Vec::new(),
            focus_from: None,
            focus_until: None,
            focus_at_most: None,
            focus_done: None,
            slack_from: None,
            notes: Vec::new(),
        };
        let (mut from, mut until) = (habits.working.start(), habits.working.end());
        for wish in wishes {
            check(wish, clock)?;
            match wish {
                Wish::StartAt(time) => from = *time,
                Wish::EndAt(time) => until = *time,
                _ => rules.add(wish),
            }
        }
        rules.working = Span::new(from, until).ok_or_else(|| {
            let problem = format!("must be later than the start of the working day ({from}).");
            InputError::new("changes.endAt", &until.to_string(), problem)
        })?;
        rules.lunch = rules.lunch.filter(|lunch| lunch.length > 0);
        rules.focus_ends_for_a_break();
        Ok(rules)
    }

    /// E-mail that comes first comes when what is left of the day begins.
    pub fn begins_at(&mut self, time: ClockTime) {
        if let Some((at, Wish::EmailFirst)) = self.email.as_mut().and_then(|e| e.wish.as_mut()) {
            *at = time;
        }
    }

    fn add(&mut self, wish: &Wish) {
        match wish {
            Wish::LunchAt(time) => {
                if let Some(lunch) = &mut self.lunch {
                    (lunch.at, lunch.wish) = (*time, Some(wish.clone()));
                }
            }
            Wish::LunchLength(minutes) => {
                if let Some(lunch) = &mut self.lunch {
                    lunch.length = *minutes;
                }
            }
            Wish::NoLunch => self.lunch = None,
            Wish::EmailAt(time) => {
                if let Some(email) = &mut self.email {
                    email.wish = Some((*time, wish.clone()));
                }
            }
            // When the day begins is said by `begins_at`.
            Wish::EmailFirst => {
                if let Some(email) = &mut self.email {
                    email.wish = Some((ClockTime::MIDNIGHT, wish.clone()));
                }
            }
            Wish::EmailLength(minutes) => {
                if let Some(email) = &mut self.email {
                    email.length = *minutes;
                }
            }
            Wish::NoEmail => self.email = None,
            Wish::FocusLength(minutes) => self.focus = *minutes,
            Wish::NoFocusBefore(time) => self.focus_from = Some(*time),
            Wish::NoFocusAfter(time) => self.focus_until = Some(*time),
            Wish::FocusAtMost(minutes) => self.focus_at_most = Some(*minutes),
            Wish::BreakEvery(minutes) => self.break_every = Some(*minutes),
            Wish::BreakLength(minutes) => self.break_length = *minutes,
            Wish::NoBreaks => self.break_every = None,
            Wish::KeepFree(span) => self.kept_free.push(*span),
            // These are about single blocks and tasks, or the bounds of the day.
            Wish::NoMeetingsBefore(_)
            | Wish::NoMeetingsAfter(_)
            | Wish::OnlyFrom(_)
            | Wish::StartAt(_)
            | Wish::EndAt(_)
            | Wish::Drop(_)
            | Wish::Move { .. }
            | Wish::First(_) => {}
        }
    }

    fn focus_ends_for_a_break(&mut self) {
        if let Some(after) = self.break_every
            && after < self.focus
        {
            self.notes.push(Note::FocusShortened {
                preferred: self.focus,
                planned: after,
            });
            self.focus = after;
        }
    }

    /// When lunch usually is.
    pub fn lunch_time(&self) -> Option<Span> {
        let lunch = self.lunch.as_ref()?;
        Span::new(lunch.at, lunch.at.plus(lunch.length))
    }

    /// The shortest work block.
    pub fn shortest_work(&self) -> u32 {
        SHORTEST_WORK.min(self.focus)
    }

    /// What stays free around meetings where buffers give way.
    pub fn least_buffer(&self) -> u32 {
        self.buffer.min(LEAST_BUFFER)
    }

    /// Whether no focus work is to be then.
    pub fn without_focus(&self, span: Span) -> bool {
        self.forbids_focus(span).is_some() || self.is_slack(span)
    }

    /// Whether focus work would take of the slack.
    pub fn is_slack(&self, span: Span) -> bool {
        self.slack_from.is_some_and(|from| span.end() > from)
    }

    /// The wish that keeps focus work from this time, if any.
    pub fn forbids_focus(&self, span: Span) -> Option<Wish> {
        let early = self.focus_from.filter(|from| span.start() < *from);
        let late = self.focus_until.filter(|until| span.end() > *until);
        let done = self.focus_done.filter(|done| span.end() > *done);
        early
            .map(Wish::NoFocusBefore)
            .or_else(|| late.map(Wish::NoFocusAfter))
            .or_else(|| done.and(self.focus_at_most).map(Wish::FocusAtMost))
    }

    /// The wish that keeps this time free, if any.
    pub fn keeps_free(&self, span: Span) -> Option<Wish> {
        let mut kept = self.kept_free.iter();
        kept.find(|kept| kept.overlaps(span))
            .copied()
            .map(Wish::KeepFree)
    }
}

/// Times that exist on that day, lengths in range.
fn check(wish: &Wish, clock: &DayClock) -> Result<(), InputError> {
    let start = |time| dst::check_start(wish.field(), clock.date(), time, clock.zone());
    let end = |time| dst::check_end(wish.field(), clock.date(), time, clock.zone());
    let lasts = |minutes, range| within(wish.field(), minutes, range).map(drop);
    match wish {
        Wish::LunchAt(time)
        | Wish::NoMeetingsBefore(time)
        | Wish::NoFocusBefore(time)
        | Wish::OnlyFrom(time)
        | Wish::StartAt(time)
        | Wish::EmailAt(time)
        | Wish::Move { to: time, .. } => start(*time),
        Wish::NoMeetingsAfter(time) | Wish::NoFocusAfter(time) | Wish::EndAt(time) => end(*time),
        Wish::KeepFree(span) => start(span.start()).and_then(|()| end(span.end())),
        Wish::LunchLength(minutes) => lasts(*minutes, habits::LUNCH),
        Wish::FocusLength(minutes) => lasts(*minutes, habits::FOCUS),
        Wish::BreakEvery(minutes) => lasts(*minutes, habits::BREAKS),
        Wish::BreakLength(minutes) => lasts(*minutes, 5..=60),
        Wish::EmailLength(minutes) => lasts(*minutes, habits::EMAIL),
        Wish::FocusAtMost(minutes) => lasts(*minutes, 0..=1_440),
        Wish::NoLunch
        | Wish::NoBreaks
        | Wish::EmailFirst
        | Wish::NoEmail
        | Wish::Drop(_)
        | Wish::First(_) => Ok(()),
    }
}

#[cfg(test)]
#[path = "rules_tests.rs"]
mod tests;
