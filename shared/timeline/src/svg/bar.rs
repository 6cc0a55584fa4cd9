//! One bar, with as much text as it has room for.

use alfred_planner::BlockType;

use super::canvas::{Area, Canvas, Style, faint, plain, strong};
use crate::words::kind_of_block;
use crate::{Bar, font};

/// Under this height a bar has no text.
const LOWEST: f32 = 9.0;
/// From this height on a bar has a line for its times.
const TWO_LINES: f32 = 38.0;
const EDGE: f32 = 4.0;

/// Fill and edge of a kind.
pub const fn colours(kind: BlockType) -> (&'static str, &'static str) {
    match kind {
        BlockType::Work => ("#dfecfb", "#1264a3"),
        BlockType::Meeting => ("#f1e3f5", "#7c3085"),
        BlockType::Email => ("#fdf0cd", "#a87400"),
        BlockType::Break => ("#ddf2e6", "#2b8a57"),
        BlockType::Blocked => ("#e6e6ea", "#66666c"),
    }
}

/// Draws a bar into its area.
pub fn draw(canvas: &mut Canvas, area: Area, bar: &Bar, size: f32) {
    let (fill, edge) = colours(bar.kind);
    canvas.rect(area, 4.0, fill);
    canvas.rect(
        Area {
            width: EDGE,
            ..area
        },
        2.0,
        edge,
    );
    if area.height < LOWEST {
        return;
    }
    let (x, room) = (area.x + EDGE + 7.0, area.width - EDGE - 12.0);
    let times = format!("{}–{}", bar.start, bar.end);
    if area.height < TWO_LINES {
        // The letters of a low bar are as high as it allows.
        let size = size.min(area.height - 1.0);
        let y = area.y + area.height / 2.0 + size * 0.35;
        let behind = font::width(&bar.title, size) + size;
        canvas.text((x, y), room, strong(size), &bar.title);
        if behind + font::width(&times, size) <= room {
            canvas.text((x + behind, y), room, faint(size), &times);
        }
        return;
    }
    let mut y = area.y + size + 5.0;
    canvas.text((x, y), room, strong(size), &bar.title);
    let details = format!("{times} · {}", kind_of_block(bar.kind.as_str()));
    let lines = std::iter::once((faint(size - 2.0), details));
    let items = bar
        .items
        .iter()
        .map(|item| (plain(size - 2.0), format!("• {item}")));
    let lines: Vec<(Style, String)> = lines.chain(items).collect();
    for (style, line) in lines {
        y += size + 3.0;
        if y > area.y + area.height - 3.0 {
            return;
        }
        canvas.text((x, y), room, style, &line);
    }
}
