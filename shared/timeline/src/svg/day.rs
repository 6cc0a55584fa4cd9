//! A day, its hours from top to bottom.

use alfred_planner::BlockType;

use super::canvas::{AWAY, Area, Canvas, LINE, NOW, faint, strong};
use super::{bar, chip};
use crate::columns::columns;
use crate::frame::Frame;
use crate::words::kind_of_block;
use crate::{Bar, Day, Timeline, font, words};

const WIDTH: f32 = 760.0;
pub const MARGIN: f32 = 24.0;
/// Left of the bars stand the hours.
pub const GUTTER: f32 = 56.0;
const HEADER: f32 = 78.0;
pub const FOOTER: f32 = 44.0;
const GAP: f32 = 2.0;
const LETTERS: f32 = 15.0;

/// The height of an hour: a quarter of one still holds a line of text, and a long day stays on one screen.
fn hour_height(frame: Frame) -> f32 {
    match frame.hours() {
        0..=10 => 72.0,
        11..=14 => 64.0,
        _ => 52.0,
    }
}

/// The picture of one day.
pub fn draw(timeline: &Timeline, day: &Day) -> String {
    let frame = Frame::from_days(std::slice::from_ref(day));
    let hour = hour_height(frame);
    let top = HEADER + chip::height(day);
    let bottom = top + hour * f32::from(frame.hours());
    let mut canvas = Canvas::new(WIDTH, bottom + FOOTER);
    header(&mut canvas, timeline, day);
    let field = Area {
        x: MARGIN + GUTTER,
        y: top,
        width: WIDTH - 2.0 * MARGIN - GUTTER,
        height: bottom - top,
    };
    chip::draw(&mut canvas, Area { y: HEADER, ..field }, day);
    away(&mut canvas, field, frame, day);
    hours(&mut canvas, field, frame);
    bars(&mut canvas, field, frame, day, LETTERS);
    if day.bars.is_empty() {
        let middle = (
            field.x + field.width / 2.0,
            field.y + field.height / 2.0 + 5.0,
        );
        canvas.centred(middle, field.width, faint(18.0), "Nothing planned yet");
    }
    now(&mut canvas, field, frame, timeline, day);
    legend(&mut canvas, bottom + FOOTER - 16.0, day.bars.iter());
    canvas.finish()
}

fn header(canvas: &mut Canvas, timeline: &Timeline, day: &Day) {
    let room = WIDTH - 2.0 * MARGIN;
    canvas.text((MARGIN, 36.0), room, strong(23.0), &words::date(day.date));
    let sums = words::sums(timeline, day);
    canvas.text((MARGIN, 59.0), room, faint(14.0), &sums);
}

/// The hours in which a day's owner doesn't work.
pub fn away(canvas: &mut Canvas, field: Area, frame: Frame, day: &Day) {
    let hour = field.height / f32::from(frame.hours());
    let Some((start, end)) = day.works else {
        return canvas.rect(field, 0.0, AWAY);
    };
    let (start, end) = (
        frame.at(start.minutes()) * hour,
        frame.at(end.minutes()) * hour,
    );
    for (from, to) in [(0.0, start), (end, field.height)] {
        let (y, height) = (field.y + from, to - from);
        if height > 0.0 {
            canvas.rect(Area { y, height, ..field }, 0.0, AWAY);
        }
    }
}

/// A line for each hour, with its name.
pub fn hours(canvas: &mut Canvas, field: Area, frame: Frame) {
    let hour = field.height / f32::from(frame.hours());
    for step in 0..=frame.hours() {
        let y = field.y + f32::from(step) * hour;
        canvas.line((field.x, y), (field.x + field.width, y), LINE, 1.0);
        let label = format!("{:02}:00", frame.from + step);
        canvas.ending((field.x - 10.0, y + 4.5), GUTTER, faint(13.0), &label);
    }
}

/// The bars of a day in its field.
pub fn bars(canvas: &mut Canvas, field: Area, frame: Frame, day: &Day, letters: f32) {
    let hour = field.height / f32::from(frame.hours());
    let timed: Vec<&Bar> = day.bars.iter().filter(|bar| !bar.takes_the_day()).collect();
    for (bar, column) in timed.iter().zip(columns(&timed)) {
        let share = |count: usize| f32::from(u8::try_from(count).unwrap_or(u8::MAX));
        let width = field.width / share(column.of);
        let (start, end) = (frame.at(bar.start.minutes()), frame.at(bar.end.minutes()));
        let area = Area {
            x: field.x + share(column.at) * width + GAP,
            y: field.y + start * hour + GAP / 2.0,
            width: (width - 2.0 * GAP).max(1.0),
            height: ((end - start) * hour - GAP).max(3.0),
        };
        bar::draw(canvas, area, bar, letters);
    }
}

/// A line where the clock stands.
pub fn now(canvas: &mut Canvas, field: Area, frame: Frame, timeline: &Timeline, day: &Day) {
    let minutes = u16::try_from(timeline.now.hour()).unwrap_or(0) * 60
        + u16::try_from(timeline.now.minute()).unwrap_or(0);
    let shown = frame.from * 60..=frame.to * 60;
    if timeline.now.date() != day.date || !shown.contains(&minutes) {
        return;
    }
    let hour = field.height / f32::from(frame.hours());
    let y = field.y + frame.at(minutes) * hour;
    canvas.line((field.x - 6.0, y), (field.x + field.width, y), NOW, 2.0);
    let dot = Area {
        x: field.x - 10.0,
        y: y - 4.0,
        width: 8.0,
        height: 8.0,
    };
    canvas.rect(dot, 4.0, NOW);
}

/// Which colour is what, for the kinds there are.
pub fn legend<'a>(canvas: &mut Canvas, y: f32, bars: impl Iterator<Item = &'a Bar> + Clone) {
    let mut x = MARGIN;
    let there = |kind: &BlockType| bars.clone().any(|bar| bar.kind == *kind);
    for kind in BlockType::ALL.iter().filter(|kind| there(kind)) {
        let (_, edge) = bar::colours(*kind);
        let mark = Area {
            x,
            y: y - 10.0,
            width: 11.0,
            height: 11.0,
        };
        canvas.rect(mark, 3.0, edge);
        let name = kind_of_block(kind.as_str());
        canvas.text((x + 17.0, y), 200.0, faint(13.0), name);
        x += 17.0 + font::width(name, 13.0) + 22.0;
    }
}
