//! What is said of a whole day: a line each, above its hours.

use super::bar;
use super::canvas::{Area, Canvas, faint, strong};
use crate::words::ALL_DAY;
use crate::{Bar, Day};

/// The height of one, with the gap below.
const HEIGHT: f32 = 30.0;
const GAP: f32 = 6.0;
/// Lines; of more, the last one counts.
const LINES: u8 = 5;

/// The height that these lines take.
pub fn height(day: &Day) -> f32 {
    let count = day.bars.iter().filter(|bar| bar.takes_the_day()).count();
    f32::from(u8::try_from(count).unwrap_or(LINES).min(LINES)) * HEIGHT
}

/// Draws them from the top of an area down; its height doesn't matter.
pub fn draw(canvas: &mut Canvas, area: Area, day: &Day) {
    let whole: Vec<&Bar> = day.bars.iter().filter(|bar| bar.takes_the_day()).collect();
    let all_fit = whole.len() <= usize::from(LINES);
    let named = if all_fit { LINES } else { LINES - 1 };
    let line = |row: u8| Area {
        y: area.y + f32::from(row) * HEIGHT,
        height: HEIGHT - GAP,
        ..area
    };
    for (row, bar) in (0..named).zip(&whole) {
        one(canvas, line(row), bar);
    }
    if !all_fit {
        let more = format!("and {} more", whole.len() - usize::from(named));
        let at = (area.x + 11.0, line(named).y + HEIGHT / 2.0 + 2.0);
        canvas.text(at, area.width - 16.0, faint(13.0), &more);
    }
}

fn one(canvas: &mut Canvas, area: Area, bar: &Bar) {
    let (fill, edge) = bar::colours(bar.kind);
    canvas.rect(area, 4.0, fill);
    canvas.rect(Area { width: 4.0, ..area }, 2.0, edge);
    let at = (area.x + 11.0, area.y + area.height / 2.0 + 5.0);
    let line = format!("{} · {ALL_DAY}", bar.title);
    canvas.text(at, area.width - 16.0, strong(13.0), &line);
}
