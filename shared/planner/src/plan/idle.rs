//! Why a stretch stays free.

use super::outcome::Idle;
use super::reason::IdleWhy;
use super::rules::Rules;
use super::timeline::{Piece, Timeline, Use};
use crate::gaps::LEAST_GAP;
use crate::span::Span;

/// A stretch of one kind.
struct Stretch {
    from: usize,
    to: usize,
    kind: Kind,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    /// A wish keeps it free.
    Kept,
    /// A wish keeps focus work from it.
    Unfocused,
    Open,
}

impl Kind {
    fn from_piece(piece: Piece, span: Span, rules: &Rules) -> Option<Self> {
        match piece.use_ {
            Use::KeptFree => Some(Self::Kept),
            Use::Free if rules.forbids_focus(span).is_some() => Some(Self::Unfocused),
            Use::Free => Some(Self::Open),
            Use::Rest | Use::Email | Use::Work | Use::Meeting => None,
        }
    }
}

/// What became of the places of a layout.
pub(super) struct Places {
    /// They have a block.
    pub taken: Vec<(usize, usize)>,
    /// They were given back, so that the day keeps its slack.
    pub freed: Vec<(usize, usize)>,
    /// Percent of the day that stay free for what comes up.
    pub slack: u32,
}

/// The stretches of 15 minutes and more that have no block, explained.
pub(super) fn explain(time: &Timeline, places: &Places, rules: &Rules) -> Vec<Idle> {
    let mut idle = Vec::new();
    // Of a day that has only minutes left, these are explained too.
    let whole = time.minutes(0, time.marks.len() - 1);
    let least = if whole < rules.shortest_work() {
        1
    } else {
        LEAST_GAP
    };
    let stretches = stretches(time, &places.taken, rules);
    for stretch in &stretches {
        let minutes = time.minutes(stretch.from, stretch.to);
        let Some(span) = time.span(stretch.from, stretch.to) else {
            continue;
        };
        // A few minutes beside time that is kept free make that gap longer.
        let beside = |other: &Stretch| other.to == stretch.from || other.from == stretch.to;
        if minutes >= least || stretches.iter().any(beside) {
            let for_slack = IdleWhy::Slack {
                percent: places.slack,
            };
            let freed = |(from, to): &(usize, usize)| *from < stretch.to && stretch.from < *to;
            let why = match places.freed.iter().any(freed) {
                true => for_slack,
                false => why(time, stretch, span, rules).unwrap_or(for_slack),
            };
            idle.push(Idle { span, minutes, why });
        }
    }
    idle
}

fn stretches(time: &Timeline, taken: &[(usize, usize)], rules: &Rules) -> Vec<Stretch> {
    let mut found: Vec<Stretch> = Vec::new();
    for (at, piece) in time.pieces.iter().enumerate() {
        let kind = time.span(at, at + 1);
        let Some(kind) = kind.and_then(|span| Kind::from_piece(*piece, span, rules)) else {
            continue;
        };
        if taken.iter().any(|(from, to)| (*from..*to).contains(&at)) {
            continue;
        }
        match found.last_mut() {
            Some(last) if last.to == at && last.kind == kind => last.to = at + 1,
            _ => found.push(Stretch {
                from: at,
                to: at + 1,
                kind,
            }),
        }
    }
    found
}

/// `None` for what is kept for what comes up.
fn why(time: &Timeline, stretch: &Stretch, span: Span, rules: &Rules) -> Option<IdleWhy> {
    let wish = match stretch.kind {
        Kind::Kept => rules.keeps_free(span),
        Kind::Unfocused => rules.forbids_focus(span),
        Kind::Open => None,
    };
    if let Some(wish) = wish {
        return Some(IdleWhy::Wished(wish));
    }
    if rules.is_slack(span) {
        return None;
    }
    let pieces = &time.pieces[stretch.from..stretch.to];
    if longest(time, stretch, Piece::takes_work) < rules.shortest_work() {
        if pieces.iter().any(|piece| piece.buffered) {
            let buffer = rules.buffer;
            return Some(IdleWhy::Buffer { buffer });
        }
        return Some(IdleWhy::TooShort);
    }
    let shown = u32::from(span.end().minutes() - span.start().minutes());
    if time.minutes(stretch.from, stretch.to) > shown {
        return Some(IdleWhy::RepeatedHour);
    }
    Some(match rules.break_every {
        Some(after) => IdleWhy::BreakDue { after },
        None => IdleWhy::TooShort,
    })
}

/// Minutes of the longest part whose pieces pass.
fn longest(time: &Timeline, stretch: &Stretch, passes: impl Fn(Piece) -> bool + Copy) -> u32 {
    (stretch.from..stretch.to)
        .map(|from| time.minutes(from, time.reach(from, passes).min(stretch.to).max(from)))
        .max()
        .unwrap_or(0)
}
