//! Days side by side.

use jiff::fmt::strtime;

use super::canvas::{Area, Canvas, LINE, faint, strong};
use super::chip;
use super::day::{self, FOOTER, GUTTER, MARGIN};
use crate::frame::Frame;
use crate::{Day, Timeline, words};

const WIDTH: f32 = 1_180.0;
const HEADER: f32 = 74.0;
/// Name and sum of each day.
const NAMES: f32 = 46.0;
const HOUR: f32 = 58.0;
const LETTERS: f32 = 13.0;

/// The picture of several days.
pub fn draw(timeline: &Timeline, days: &[Day]) -> String {
    let frame = Frame::from_days(days);
    let chips = days.iter().map(chip::height).fold(0.0, f32::max);
    let field = Area {
        x: MARGIN + GUTTER,
        y: HEADER + NAMES + chips,
        width: WIDTH - 2.0 * MARGIN - GUTTER,
        height: HOUR * f32::from(frame.hours()),
    };
    let bottom = field.y + field.height;
    let mut canvas = Canvas::new(WIDTH, bottom + FOOTER);
    let room = WIDTH - 2.0 * MARGIN;
    canvas.text((MARGIN, 36.0), room, strong(23.0), &words::title(timeline));
    let note = words::note(timeline).map(|note| format!("  ·  {note}"));
    let line = format!("{}{}", timeline.zone, note.unwrap_or_default());
    canvas.text((MARGIN, 59.0), room, faint(14.0), &line);
    let columns = columns(field, days);
    for (column, one) in &columns {
        day::away(&mut canvas, *column, frame, one);
    }
    day::hours(&mut canvas, field, frame);
    for (column, one) in &columns {
        name(&mut canvas, *column, chips, timeline, one);
        day::bars(&mut canvas, *column, frame, one, LETTERS);
        day::now(&mut canvas, *column, frame, timeline, one);
    }
    let bars = days.iter().flat_map(|day| &day.bars);
    day::legend(&mut canvas, bottom + FOOTER - 16.0, bars);
    canvas.finish()
}

/// The days and their shares of the field.
fn columns(field: Area, days: &[Day]) -> Vec<(Area, &Day)> {
    let count = f32::from(u8::try_from(days.len().max(1)).unwrap_or(u8::MAX));
    let width = field.width / count;
    let column = |at: u8| Area {
        x: field.x + f32::from(at) * width,
        width,
        ..field
    };
    (0_u8..)
        .zip(days)
        .map(|(at, day)| (column(at), day))
        .collect()
}

/// What stands above the hours of a day.
fn name(canvas: &mut Canvas, column: Area, chips: f32, timeline: &Timeline, day: &Day) {
    let top = column.y - chips;
    let edge = column.x + column.width;
    canvas.line(
        (edge, top - NAMES),
        (edge, column.y + column.height),
        LINE,
        1.0,
    );
    let (x, room) = (column.x + 6.0, column.width - 12.0);
    let short = strtime::format("%a %-d", day.date).unwrap_or_default();
    let short = if day.date == timeline.now.date() {
        format!("{short} · today")
    } else {
        short
    };
    canvas.text((x, top - 26.0), room, strong(15.0), &short);
    canvas.text((x, top - 9.0), room, faint(12.0), &words::planned(day));
    let area = Area {
        x: column.x + 2.0,
        y: top,
        width: column.width - 4.0,
        ..column
    };
    chip::draw(canvas, area, day);
}
