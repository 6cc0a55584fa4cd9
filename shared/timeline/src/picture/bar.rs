//! The box of a block or meeting, with as much text as it has room for.

use alfred_planner::BlockType;

use super::canvas::{Area, Canvas, faint, plain, strong};
use super::font;
use crate::words::{ALL_DAY, name};
use crate::{Bar, Day};

/// A lower bar has no text.
const MIN_TEXT_HEIGHT: f32 = 9.0;
/// A lower bar has one line of text.
const MIN_TWO_LINES_HEIGHT: f32 = 38.0;
const EDGE: f32 = 4.0;
/// The height of an all-day bar, with the gap under it.
const ALL_DAY_HEIGHT: f32 = 30.0;
/// Maximum lines of all-day bars. If there are more bars, the last line says how many.
const MAX_ALL_DAY_LINES: u8 = 5;

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
    let text = boxed(canvas, area, bar.kind);
    if area.height < MIN_TEXT_HEIGHT {
        return;
    }
    let times = bar.span.to_string();
    if area.height < MIN_TWO_LINES_HEIGHT {
        let size = size.min(area.height - 1.0);
        let y = area.y + area.height / 2.0 + size * 0.35;
        canvas.text(text.x, y, strong(size, text.width), &bar.title);
        let used = font::width(&bar.title, size) + size;
        if used + font::width(&times, size) <= text.width {
            canvas.text(text.x + used, y, faint(size, text.width), &times);
        }
        return;
    }
    let mut y = area.y + size + 5.0;
    canvas.text(text.x, y, strong(size, text.width), &bar.title);
    let times = format!("{times} · {}", name(bar.kind));
    let items = bar.items.iter().map(|item| format!("• {item}"));
    let items = items.map(|item| (plain(size - 2.0, text.width), item));
    let times = std::iter::once((faint(size - 2.0, text.width), times));
    for (style, line) in times.chain(items) {
        y += size + 3.0;
        if y > area.bottom() - 3.0 {
            return;
        }
        canvas.text(text.x, y, style, &line);
    }
}

pub fn all_day_height(day: &Day) -> f32 {
    let count = u8::try_from(day.all_day().count()).unwrap_or(MAX_ALL_DAY_LINES);
    f32::from(count.min(MAX_ALL_DAY_LINES)) * ALL_DAY_HEIGHT
}

/// Draws a day's all-day bars below each other, from the top of an area on.
pub fn all_day(canvas: &mut Canvas, area: Area, day: &Day) {
    let count = day.all_day().count();
    let all_fit = count <= usize::from(MAX_ALL_DAY_LINES);
    let shown = MAX_ALL_DAY_LINES - u8::from(!all_fit);
    let height = ALL_DAY_HEIGHT - 6.0;
    let y = |row: u8| area.y + f32::from(row) * ALL_DAY_HEIGHT;
    for (row, bar) in (0..shown).zip(day.all_day()) {
        let y = y(row);
        let text = boxed(canvas, Area { y, height, ..area }, bar.kind);
        let title = format!("{} · {ALL_DAY}", bar.title);
        canvas.text(text.x, y + 17.0, strong(13.0, text.width), &title);
    }
    if !all_fit {
        let more = format!("and {} more", count - usize::from(shown));
        let text = text_area(area);
        canvas.text(text.x, y(shown) + 17.0, faint(13.0, text.width), &more);
    }
}

/// Draws the box and returns the area for its text.
fn boxed(canvas: &mut Canvas, area: Area, kind: BlockType) -> Area {
    let (fill, edge) = colours(kind);
    canvas.rect(area, 4.0, fill);
    let width = EDGE.min(area.width);
    canvas.rect(Area { width, ..area }, 2.0, edge);
    text_area(area)
}

fn text_area(area: Area) -> Area {
    let (x, width) = (area.x + EDGE + 7.0, area.width - EDGE - 12.0);
    Area { x, width, ..area }
}
