//! The picture as a drawing.

mod bar;
mod canvas;
mod chip;
mod day;
mod week;

use crate::Timeline;

/// The timeline as SVG: one day with all its details, or its days side by side.
pub fn svg(timeline: &Timeline) -> String {
    match timeline.days.as_slice() {
        [day] => day::draw(timeline, day),
        days => week::draw(timeline, days),
    }
}
