//! The box of a block or meeting, with as much text as it has room for.

use alfred_planner::BlockType;

use super::canvas::{Area, Canvas, Slot, faint, plain, strong};
use crate::words::{ALL_DAY, name};
use crate::{Bar, Day, font};

/// A lower bar has no text.
const LOWEST: f32 = 9.0;
/// A lower bar has one line of text.
const TWO_LINES: f32 = 38.0;
/// The width of the dark left edge.
const EDGE: f32 = 4.0;
/// The height of an all-day bar, with the gap under it.
const ALL_DAY_HEIGHT: f32 = 30.0;
/// Most lines of all-day bars. If there are more bars, the last line says how many.
const ALL_DAY_LINES: u8 = 5;

/// Fill and edge.
pub const fn colours(kind: BlockType) -> (&'static str, &'static str) {
    match kind {
        BlockType::Work => ("#dfecfb", "#1264a3"),
        BlockType::Meeting => ("#f1e3f5", "#7c3085"),
        BlockType::Email => ("#fdf0cd", "#a87400"),
        BlockType::Break => ("#ddf2e6", "#2b8a57"),
        BlockType::Blocked => ("#e6e6ea", "#66666c"),
    }
}

/// Draws a bar with its times. `size` is the font size of the title.
pub fn timed(canvas: &mut Canvas, area: Area, bar: &Bar, size: f32) {
    let slot = boxed(canvas, area, bar.kind);
    if area.height < LOWEST {
        return;
    }
    let times = bar.span.to_string();
    if area.height < TWO_LINES {
        let size = size.min(area.height - 1.0);
        let y = area.y + area.height / 2.0 + size * 0.35;
        canvas.text(Slot { y, ..slot }, strong(size), &bar.title);
        let used = font::width(&bar.title, size) + size;
        let width = slot.width - used;
        if font::width(&times, size) <= width {
            canvas.text(Slot::new(slot.x + used, y, width), faint(size), &times);
        }
        return;
    }
    let mut y = area.y + size + 5.0;
    canvas.text(Slot { y, ..slot }, strong(size), &bar.title);
    let times = format!("{times} · {}", name(bar.kind));
    let items = bar.items.iter().map(|item| format!("• {item}"));
    let items = items.map(|item| (plain(size - 2.0), item));
    for (style, line) in std::iter::once((faint(size - 2.0), times)).chain(items) {
        y += size + 3.0;
        if y > area.bottom() - 3.0 {
            return;
        }
        canvas.text(Slot { y, ..slot }, style, &line);
    }
}

/// The height of a day's all-day bars.
pub fn all_day_height(day: &Day) -> f32 {
    let count = u8::try_from(day.all_day().count()).unwrap_or(ALL_DAY_LINES);
    f32::from(count.min(ALL_DAY_LINES)) * ALL_DAY_HEIGHT
}

/// Draws a day's all-day bars below each other from `y` on.
pub fn all_day(canvas: &mut Canvas, column: Area, y: f32, day: &Day) {
    let count = day.all_day().count();
    let all_fit = count <= usize::from(ALL_DAY_LINES);
    let shown = ALL_DAY_LINES - u8::from(!all_fit);
    let line = |row: u8| Area {
        y: y + f32::from(row) * ALL_DAY_HEIGHT,
        height: ALL_DAY_HEIGHT - 6.0,
        ..column
    };
    for (row, bar) in (0..shown).zip(day.all_day()) {
        let slot = boxed(canvas, line(row), bar.kind);
        let title = format!("{} · {ALL_DAY}", bar.title);
        canvas.text(slot, strong(13.0), &title);
    }
    if !all_fit {
        let more = format!("and {} more", count - usize::from(shown));
        canvas.text(slot(line(shown)), faint(13.0), &more);
    }
}

/// Draws the box and returns the place for its text, in the vertical middle.
fn boxed(canvas: &mut Canvas, area: Area, kind: BlockType) -> Slot {
    let (fill, edge) = colours(kind);
    canvas.rect(area, 4.0, fill);
    let width = EDGE.min(area.width);
    canvas.rect(Area { width, ..area }, 2.0, edge);
    slot(area)
}

fn slot(area: Area) -> Slot {
    let y = area.y + area.height / 2.0 + 5.0;
    Slot::new(area.x + EDGE + 7.0, y, area.width - EDGE - 12.0)
}
