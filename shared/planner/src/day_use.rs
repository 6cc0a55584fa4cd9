//! How full a day is: one judgement, of the planner about what it proposes and of the analyser about what is there.

use crate::block::{BlockType, takes_the_day};
use crate::day_clock::DayClock;
use crate::gaps;
use crate::span::Span;
use crate::suggestion::Suggestion;

/// More than this many percent of a working day are too full, whatever slack is wanted.
const FULL: u32 = 90;
/// Less than this many percent leave room, unless more slack is wanted.
const ROOMY: u32 = 70;

/// How much of a stretch has a block: what the planner and the analyser both judge by. Minutes that pass, each once.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DayUse {
    /// Those of the stretch.
    pub minutes: u32,
    /// Those that have a block.
    pub planned: u32,
    /// Those that have a meeting or are blocked, so that no plan can leave them free.
    pub fixed: u32,
}

impl DayUse {
    /// How much of `within` these take. What says something of a whole day takes no hours of it.
    pub fn of(
        blocks: impl Iterator<Item = (BlockType, Span)> + Clone,
        within: Span,
        clock: &DayClock,
    ) -> Self {
        let minutes = clock.minutes(within);
        let timed = blocks.filter(|(kind, span)| !takes_the_day(*kind, *span));
        let taken = |taken: &mut dyn Iterator<Item = Span>| {
            let free = gaps::free(taken, within, clock);
            minutes - free.iter().map(|gap| gap.duration).sum::<u32>()
        };
        let is_fixed = |kind| matches!(kind, BlockType::Meeting | BlockType::Blocked);
        let fixed = timed.clone().filter(|(kind, _)| is_fixed(*kind));
        Self {
            minutes,
            planned: taken(&mut timed.map(|(_, span)| span)),
            fixed: taken(&mut fixed.map(|(_, span)| span)),
        }
    }

    /// How much of a working day these take. Work and mail outside the hours count too: it may be more than all.
    pub fn of_day(
        blocks: impl Iterator<Item = (BlockType, Span)> + Clone,
        working: Span,
        clock: &DayClock,
    ) -> Self {
        let is_own = |kind| matches!(kind, BlockType::Work | BlockType::Email);
        let work = blocks.clone().filter(|(kind, _)| is_own(*kind));
        let busy = gaps::merged(work.map(|(_, span)| span));
        let all: u32 = busy.iter().map(|span| clock.minutes(*span)).sum();
        let inside = Self::of(
            busy.iter().map(|span| (BlockType::Work, *span)),
            working,
            clock,
        );
        let day = Self::of(blocks, working, clock);
        Self {
            planned: day.planned + all - inside.planned,
            ..day
        }
    }

    /// Percent of the stretch that have a block, rounded half up.
    pub fn percent(self) -> u32 {
        percent(self.planned, self.minutes).unwrap_or(0)
    }

    /// Minutes that so many percent of slack are: of the time that isn't fixed.
    pub const fn slack(self, percent: u32) -> u32 {
        (self.minutes - self.fixed) * percent / 100
    }

    /// That it is too full for someone who wants so many percent of slack, if it is: of the time that isn't fixed
    /// more than 90 %, or than the slack leaves, has a block.
    pub fn too_full(self, slack: u32) -> Option<Suggestion> {
        let most = FULL.max(100 - slack.min(100));
        let own = percent(self.planned - self.fixed, self.minutes - self.fixed);
        let full = self.minutes > 0 && own.is_none_or(|own| own > most);
        full.then(|| Suggestion::TooFull(self.percent()))
    }

    /// That there is room for more, if there is.
    pub fn room_for_more(self, slack: u32) -> Option<Suggestion> {
        let percent = self.percent();
        (percent < ROOMY.min(100 - slack.min(100))).then_some(Suggestion::RoomForMore(percent))
    }
}

fn percent(part: u32, whole: u32) -> Option<u32> {
    (part * 100 + whole / 2).checked_div(whole)
}
