//! Why a stretch stays free.

use super::outcome::{Idle, IdleWhy};
use super::rules::Rules;
use super::timeline::{Piece, Timeline};
use crate::gaps::LEAST_GAP;
use crate::span::Span;

/// A stretch of one kind: kept free, or open.
struct Stretch {
    from: usize,
    to: usize,
    kept: bool,
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
    for stretch in stretches(time, taken) {
        let minutes = time.minutes(stretch.from, stretch.to);
        let Some(span) = time.span(stretch.from, stretch.to) else {
            continue;
        };
        if minutes >= least {
            let why = why(time, &stretch, span, rules);
            idle.push(Idle { span, minutes, why });
        }
    }
    idle
}

fn stretches(time: &Timeline, taken: &[(usize, usize)]) -> Vec<Stretch> {
    let mut found: Vec<Stretch> = Vec::new();
    for (at, piece) in time.pieces.iter().enumerate() {
        let kept = piece.use_ == super::timeline::Use::KeptFree;
        let busy = !kept && !piece.is_free();
        if busy || taken.iter().any(|(from, to)| (*from..*to).contains(&at)) {
            continue;
        }
        match found.last_mut() {
            Some(last) if last.to == at && last.kept == kept => last.to = at + 1,
            _ => found.push(Stretch {
                from: at,
                to: at + 1,
                kept,
            }),
        }
    }
    found
}

fn why(time: &Timeline, stretch: &Stretch, span: Span, rules: &Rules) -> IdleWhy {
    let pieces = &time.pieces[stretch.from..stretch.to];
    if stretch.kept {
        return rules
            .keeps_free(span)
            .map_or(IdleWhy::TooShort, IdleWhy::Wished);
    }
    let usable = longest(time, stretch, Piece::takes_work);
    if usable < rules.shortest_work() {
        if pieces
            .iter()
            .any(|piece| piece.unfocused && !piece.buffered)
            && let Some(wish) = rules.forbids_focus(span)
        {
            return IdleWhy::Wished(wish);
        }
        if pieces.iter().any(|piece| piece.buffered) {
            let buffer = rules.buffer;
            return IdleWhy::Buffer { buffer };
        }
        return IdleWhy::TooShort;
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
