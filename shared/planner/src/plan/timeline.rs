//! The part of a day that is planned, cut at every time at which something can start or end.

use super::outcome::PlannedBlock;
use super::rules::Rules;
use crate::block::BlockType;
use crate::clock_time::ClockTime;
use crate::day_clock::DayClock;
use crate::span::Span;

/// New blocks start and end at multiples of this many minutes, or where something else does.
pub(super) const GRID: u16 = 5;

/// A time at which something can start or end.
#[derive(Clone, Copy, Debug)]
pub(super) struct Mark {
    pub time: ClockTime,
    /// Minutes since the day began.
    pub at: u32,
}

/// What a piece of time between two marks is taken by.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Use {
    Free,
    KeptFree,
    Rest,
    Email,
    Work,
    Meeting,
}

/// A piece of time between two marks.
#[derive(Clone, Copy, Debug)]
pub(super) struct Piece {
    pub use_: Use,
    /// In a meeting's buffer.
    pub buffered: bool,
    /// A wish or the slack keeps focus work from it.
    pub unfocused: bool,
    /// In a gap that holds only a short block.
    pub short: bool,
}

impl Piece {
    pub fn takes_work(self) -> bool {
        self.takes_email() && !self.unfocused
    }

    pub fn takes_email(self) -> bool {
        self.is_free() && !self.buffered
    }

    pub fn is_free(self) -> bool {
        self.use_ == Use::Free
    }
}

/// Marks in order, and the pieces between them.
#[derive(Clone, Debug)]
pub(super) struct Timeline {
    pub marks: Vec<Mark>,
    pub pieces: Vec<Piece>,
}

impl Timeline {
    pub fn new(window: Span, standing: &[PlannedBlock], rules: &Rules, clock: &DayClock) -> Self {
        let marks = marks(window, standing, rules, clock);
        let around = Around {
            standing,
            rules,
            clock,
        };
        let pieces = marks
            .windows(2)
            .filter_map(|pair| Span::new(pair[0].time, pair[1].time))
            .map(|span| around.piece(span, rules.buffer))
            .collect();
        let mut time = Self { marks, pieces };
        if rules.short_gaps {
            time.open_short_gaps(&around);
        }
        time
    }

    /// Where buffers leave a gap without a block, they give way.
    fn open_short_gaps(&mut self, around: &Around<'_>) {
        let mut from = 0;
        while from < self.pieces.len() {
            let to = self.reach(from, Piece::is_free);
            let longest = (from..to).map(|at| self.minutes(at, self.reach(at, Piece::takes_work)));
            let holds_none = longest.max().unwrap_or(0) < around.rules.shortest_work();
            for at in from..to {
                if let Some(span) = self.span(at, at + 1).filter(|_| holds_none) {
                    let piece = around.piece(span, around.rules.least_buffer());
                    self.pieces[at] = Piece {
                        short: true,
                        ..piece
                    };
                }
            }
            from = to.max(from + 1);
        }
    }

    /// Minutes between two marks.
    pub fn minutes(&self, from: usize, to: usize) -> u32 {
        self.marks[to].at - self.marks[from].at
    }

    /// Minutes that nothing takes yet.
    pub fn free(&self) -> u32 {
        let open = |at: &usize| matches!(self.pieces[*at].use_, Use::Free | Use::KeptFree);
        let pieces = (0..self.pieces.len()).filter(open);
        pieces.map(|at| self.minutes(at, at + 1)).sum()
    }

    /// The stretch between two marks.
    pub fn span(&self, from: usize, to: usize) -> Option<Span> {
        Span::new(self.marks[from].time, self.marks[to].time)
    }

    /// The last mark to which all pieces from this one on pass.
    pub fn reach(&self, from: usize, passes: impl Fn(Piece) -> bool) -> usize {
        let stopped = self.pieces[from..].iter().position(|piece| !passes(*piece));
        stopped.map_or(self.marks.len() - 1, |pieces| from + pieces)
    }

    /// The first stretch of that length in which all pieces pass, from marks in the order given.
    pub fn room(
        &self,
        starts: impl IntoIterator<Item = usize>,
        minutes: u32,
        passes: impl Fn(Piece) -> bool + Copy,
    ) -> Option<(usize, usize)> {
        starts.into_iter().find_map(|from| {
            let reach = self.reach(from, passes);
            let to = (from + 1..=reach).find(|to| self.minutes(from, *to) >= minutes)?;
            Some((from, to))
        })
    }
}

fn marks(window: Span, standing: &[PlannedBlock], rules: &Rules, clock: &DayClock) -> Vec<Mark> {
    let edges = standing
        .iter()
        .map(|block| block.span)
        .chain(rules.kept_free.iter().copied());
    let limits = [
        rules.focus_from,
        rules.focus_until,
        rules.focus_done,
        rules.slack_from,
    ]
    .into_iter()
    .flatten();
    let mut times: Vec<ClockTime> = (0..=1_440)
        .step_by(usize::from(GRID))
        .filter_map(ClockTime::from_minutes)
        .chain(edges.flat_map(|span| [span.start(), span.end()]))
        .chain(limits)
        .filter(|time| window.start() <= *time && *time <= window.end())
        .chain([window.start(), window.end()])
        .collect();
    times.sort();
    let mut marks: Vec<Mark> = Vec::new();
    for time in times {
        let at = clock.elapsed(time);
        // Skipped times are all the moment of the change; the last name of it is one that exists.
        match marks.last_mut() {
            Some(last) if last.at == at => last.time = time,
            _ => marks.push(Mark { time, at }),
        }
    }
    marks
}

/// What a piece is decided by.
struct Around<'a> {
    standing: &'a [PlannedBlock],
    rules: &'a Rules,
    clock: &'a DayClock,
}

impl Around<'_> {
    fn piece(&self, span: Span, buffer: u32) -> Piece {
        let Self {
            standing,
            rules,
            clock,
        } = self;
        let taken = standing
            .iter()
            .filter(|block| block.span.overlaps(span))
            .map(|block| use_of(block.kind))
            .max();
        let kept_free = rules.keeps_free(span).map(|_| Use::KeptFree);
        let (start, end) = (clock.elapsed(span.start()), clock.elapsed(span.end()));
        let buffered = standing
            .iter()
            .filter(|block| block.kind == BlockType::Meeting)
            .any(|meeting| {
                let from = clock.elapsed(meeting.span.start()).saturating_sub(buffer);
                start < clock.elapsed(meeting.span.end()) + buffer && from < end
            });
        Piece {
            use_: taken.or(kept_free).unwrap_or(Use::Free),
            buffered,
            unfocused: rules.without_focus(span),
            short: false,
        }
    }
}

const fn use_of(kind: BlockType) -> Use {
    match kind {
        BlockType::Work => Use::Work,
        BlockType::Meeting => Use::Meeting,
        BlockType::Email => Use::Email,
        BlockType::Break | BlockType::Blocked => Use::Rest,
    }
}
