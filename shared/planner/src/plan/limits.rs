//! Preferences and wishes combined: the limits that a plan keeps.

use super::habits::{self, Habits};
use crate::input::within;
use crate::{BlockType, ClockTime, DayClock, InputError, Span, Wish};

/// Minutes of a break when no wish says otherwise.
const BREAK: u32 = 15;
/// Minutes of the shortest focus block, unless whole ones are shorter.
const SHORTEST_FOCUS: u32 = 30;
/// Minutes that stay free around meetings when buffers give way.
const LEAST_BUFFER: u32 = 5;

/// Lunch or the e-mail block.
#[derive(Clone, Debug)]
pub(super) struct Fixture {
    /// Its preferred start; e-mail has one only if a wish names it.
    pub at: Option<ClockTime>,
    /// Minutes; 0 if none is wanted.
    pub length: u32,
    /// The wish that named the start; without one, the wish that named the length of lunch.
    pub wish: Option<Wish>,
}

/// The limits of one plan. Lengths are minutes.
#[derive(Clone, Debug)]
pub(super) struct Limits {
    pub working: Span,
    pub lunch: Fixture,
    pub email: Fixture,
    pub focus: u32,
    pub focus_at_most: Option<u32>,
    /// Work after which a break is due; `None` if no breaks are wanted.
    pub break_every: Option<u32>,
    pub break_length: u32,
    pub buffer: u32,
    /// Percent of the time beside meetings that stays free.
    pub slack: u32,
    /// Whether parts of urgent tasks may go into short gaps.
    pub parts_in_gaps: bool,
    /// Times without new blocks, and the wishes that say so.
    pub keep_free: Vec<(Span, Wish)>,
    /// Times without new focus work, likewise.
    pub no_focus: Vec<(Span, Wish)>,
}

impl Limits {
    /// Later wishes override earlier ones, and all override preferences.
    pub fn new(habits: &Habits, wishes: &[Wish], clock: &DayClock) -> Result<Self, InputError> {
        let fixture = |at, length| Fixture {
            at,
            length,
            wish: None,
        };
        let mut limits = Self {
            working: habits.working,
            lunch: fixture(Some(habits.lunch), habits.lunch_length),
            email: fixture(None, habits.email),
            focus: habits.focus,
            focus_at_most: None,
            break_every: Some(habits.break_every),
            break_length: BREAK,
            buffer: habits.buffer,
            slack: habits.slack,
            parts_in_gaps: false,
            keep_free: Vec::new(),
            no_focus: Vec::new(),
        };
        let (mut from, mut until) = (habits.working.start(), habits.working.end());
        for wish in wishes {
            limits.add(wish, clock)?;
            match wish {
                Wish::StartAt(time) => from = *time,
                Wish::EndAt(time) => until = *time,
                _ => {}
            }
        }
        limits.working = Span::new(from, until).ok_or_else(|| {
            let problem = format!("must be later than the start of the working day ({from}).");
            InputError::new("changes.endAt", &until.to_string(), problem)
        })?;
        Ok(limits)
    }

    /// Times must exist on that day, and lengths must be in range.
    fn add(&mut self, wish: &Wish, clock: &DayClock) -> Result<(), InputError> {
        let start = |time| clock.check_start(wish.field(), time).map(|()| time);
        let end = |time| clock.check_end(wish.field(), time).map(|()| time);
        let lasts = |minutes, range| within(wish.field(), minutes, range, "minutes");
        let named = Some(wish.clone());
        match wish {
            Wish::LunchAt(time) => (self.lunch.at, self.lunch.wish) = (Some(start(*time)?), named),
            Wish::LunchLength(minutes) => {
                let length = lasts(*minutes, habits::LUNCH)?;
                (self.lunch.length, self.lunch.wish) = (length, self.lunch.wish.take().or(named));
            }
            Wish::NoLunch => self.lunch.length = 0,
            Wish::EmailAt(time) => (self.email.at, self.email.wish) = (Some(start(*time)?), named),
            Wish::EmailFirst => {
                (self.email.at, self.email.wish) = (Some(ClockTime::MIDNIGHT), named);
            }
            Wish::EmailLength(minutes) => self.email.length = lasts(*minutes, habits::EMAIL)?,
            Wish::NoEmail => self.email.length = 0,
            Wish::FocusLength(minutes) => self.focus = lasts(*minutes, habits::FOCUS)?,
            Wish::FocusAtMost(minutes) => self.focus_at_most = Some(lasts(*minutes, 0..=1_440)?),
            Wish::BreakEvery(minutes) => self.break_every = Some(lasts(*minutes, habits::BREAKS)?),
            Wish::BreakLength(minutes) => self.break_length = lasts(*minutes, 5..=60)?,
            Wish::NoBreaks => self.break_every = None,
            Wish::KeepFree(span) => {
                start(span.start()).and_then(|_| end(span.end()))?;
                self.keep_free.push((*span, wish.clone()));
            }
            Wish::NoFocusBefore(time) => self.forbid(ClockTime::MIDNIGHT, start(*time)?, wish),
            Wish::NoFocusAfter(time) => self.forbid(end(*time)?, ClockTime::END_OF_DAY, wish),
            // These wishes set no limit. They concern single blocks or the bounds of the day.
            Wish::NoMeetingsBefore(time)
            | Wish::OnlyFrom(time)
            | Wish::StartAt(time)
            | Wish::Move { to: time, .. } => drop(start(*time)?),
            Wish::NoMeetingsAfter(time) | Wish::EndAt(time) => drop(end(*time)?),
            Wish::Drop(_) | Wish::First(_) => {}
        }
        Ok(())
    }

    fn forbid(&mut self, from: ClockTime, until: ClockTime, wish: &Wish) {
        let no_focus = &mut self.no_focus;
        no_focus.retain(|(_, earlier)| earlier.field() != wish.field());
        no_focus.extend(Span::new(from, until).map(|span| (span, wish.clone())));
    }

    pub fn lunch_time(&self) -> Option<Span> {
        let at = self.lunch.at?;
        Span::new(at, at.plus(self.lunch.length))
    }

    pub fn shortest_focus(&self) -> u32 {
        SHORTEST_FOCUS.min(self.focus)
    }

    /// Minutes around meetings that no task may take.
    pub fn least_buffer(&self) -> u32 {
        self.buffer.min(LEAST_BUFFER)
    }

    /// The wish that a block of this kind and time goes against, if any.
    pub fn wish_against(&self, kind: BlockType, span: Span) -> Option<&Wish> {
        let no_focus = self.no_focus.iter().filter(|_| kind == BlockType::Work);
        let mut times = self.keep_free.iter().chain(no_focus);
        let found = times.find(|(times, _)| times.overlaps(span));
        found.map(|(_, wish)| wish)
    }
}
