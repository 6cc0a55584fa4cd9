//! Why a stretch stays free.

use super::outcome::{Idle, IdleWhy};
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
    fn from_piece(piece: Piece) -> Option<Self> {
        match piece.use_ {
            Use::KeptFree => Some(Self::Kept),
            Use::Free if piece.unfocused => Some(Self::Unfocused),
            Use::Free => Some(Self::Open),
            Use::Rest | Use::Email | Use::Work | Use::Meeting => None,
        }
    }
}

/// The stretches of 15 minutes and more that have no block, explained. `taken`
/// are the new blocks.
pub(super) fn explain(time: &Timeline, taken: &[(usize, usize)], rules: &Rules) -> Vec<Idle> {
    let mut idle = Vec::new();
    // Of a day that has only minutes left, these are explained too.
    let whole = time.minutes(0, time.marks.len() - 1);
    let least = if whole < rules.shortest_work() {
        1
    } else {
        LEAST_GAP
    };
    let stretches = stretches(time, taken);
    for stretch in &stretches {
        let minutes = time.minutes(stretch.from, stretch.to);
        let Some(span) = time.span(stretch.from, stretch.to) else {
            continue;
        };
        // A few minutes beside time that is kept free make that gap longer.
        let beside = |other: &Stretch| other.to == stretch.from || other.from == stretch.to;
        if minutes >= least || stretches.iter().any(beside) {
            let why = why(time, stretch, span, rules);
            idle.push(Idle { span, minutes, why });
        }
    }
    idle
}

fn stretches(time: &Timeline, taken: &[(usize, usize)]) -> Vec<Stretch> {
    let mut found: Vec<Stretch> = Vec::new();
    for (at, piece) in time.pieces.iter().enumerate() {
        let Some(kind) = Kind::from_piece(*piece) else {
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

fn why(time: &Timeline, stretch: &Stretch, span: Span, rules: &Rules) -> IdleWhy {
    let wish = match stretch.kind {
        Kind::Kept => rules.keeps_free(span),
        Kind::Unfocused => rules.forbids_focus(span),
        Kind::Open => None,
    };
    if let Some(wish) = wish {
        return IdleWhy::Wished(wish);
    }
    let pieces = &time.pieces[stretch.from..stretch.to];
    if longest(time, stretch, Piece::takes_work) < rules.shortest_work() {
        if pieces.iter().any(|piece| piece.buffered) {
            let buffer = rules.buffer;
            return IdleWhy::Buffer { buffer };
        }
        return IdleWhy::TooShort;
    }
    let shown = u32::from(span.end().minutes() - span.start().minutes());
    if time.minutes(stretch.from, stretch.to) > shown {
        return IdleWhy::RepeatedHour;
    }
    match rules.break_every {
        Some(after) => IdleWhy::BreakDue { after },
        None => IdleWhy::TooShort,
    }
}

/// Minutes of the longest part whose pieces pass.
fn longest(time: &Timeline, stretch: &Stretch, passes: impl Fn(Piece) -> bool + Copy) -> u32 {
    (stretch.from..stretch.to)
        .map(|from| time.minutes(from, time.reach(from, passes).min(stretch.to).max(from)))
        .max()
        .unwrap_or(0)
}
