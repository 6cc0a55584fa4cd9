//! The picture as SVG: a column for each day, its hours from top to bottom.

pub mod bar;
pub mod canvas;
pub mod font;
pub mod layout;
pub mod png;

use alfred_planner::{BlockType, ClockTime, Span};

use crate::words::{self, SEPARATOR};
use crate::{Bar, Day, Timeline};
use canvas::{Area, Canvas, LINE, NOW, OFF_WORK, faint, strong};
use layout::{Hours, columns};

const MARGIN: f32 = 24.0;
const GUTTER: f32 = 56.0;
const FOOTER: f32 = 44.0;
const GAP: f32 = 2.0;
/// A shorter bar is drawn this long, in minutes. It stays visible, and bars that follow it get their own column.
const MIN_MINUTES: u32 = 5;

/// A day and its part of the drawing.
struct Column<'a> {
    day: &'a Day,
    hours: Hours,
    area: Area,
}

/// One day with all its details, or several days side by side.
pub fn svg(timeline: &Timeline) -> String {
    let days = &timeline.days;
    let hours = Hours::from_days(days);
    let (width, header_height, font) = match days.len() {
        1 => (760.0, 78.0, 15.0),
        _ => (1_180.0, 120.0, 13.0),
    };
    let all_day = days.iter().map(bar::all_day_height).fold(0.0, f32::max);
    let area = Area {
        x: MARGIN + GUTTER,
        y: header_height + all_day,
        width: width - 2.0 * MARGIN - GUTTER,
        height: hour_height(days.len(), hours) * f32::from(hours.count()),
    };
    let share = area.width / number(days.len().max(1));
    let column = |(index, day)| {
        let x = area.x + number(index) * share;
        let area = Area::new(x, area.y, share, area.height);
        Column { day, hours, area }
    };
    let columns: Vec<Column<'_>> = days.iter().enumerate().map(column).collect();
    let mut canvas = Canvas::default();
    header(&mut canvas, width, timeline);
    for column in &columns {
        column.off_work(&mut canvas);
    }
    hour_lines(&mut canvas, area, hours);
    for column in &columns {
        let top = header_height;
        match columns.len() {
            1 => column.empty_note(&mut canvas),
            _ => column.heading(&mut canvas, top, timeline),
        }
        let inner = Area::new(column.area.x + GAP, top, share - 2.0 * GAP, all_day);
        bar::all_day(&mut canvas, inner, column.day);
        column.bars(&mut canvas, font);
        column.now(&mut canvas, timeline);
    }
    let height = area.bottom() + FOOTER;
    legend(&mut canvas, height - 16.0, days);
    canvas.finish(width, height)
}

/// In the picture of one day, a quarter of an hour holds a line of text.
fn hour_height(days: usize, hours: Hours) -> f32 {
    match (days, hours.count()) {
        (1, 0..=10) => 72.0,
        (1, 11..=14) => 64.0,
        (1, _) => 52.0,
        _ => 58.0,
    }
}

fn number(count: usize) -> f32 {
    f32::from(u16::try_from(count).unwrap_or(u16::MAX))
}

fn header(canvas: &mut Canvas, width: f32, timeline: &Timeline) {
    let room = width - 2.0 * MARGIN;
    let title = title(&timeline.days);
    canvas.text(MARGIN, 36.0, strong(23.0, room), &title);
    let line = match (timeline.days.as_slice(), words::note(timeline)) {
        ([day], _) => words::sums(timeline, day),
        (_, Some(note)) => [&timeline.zone, note].join(SEPARATOR),
        (_, None) => timeline.zone.clone(),
    };
    canvas.text(MARGIN, 59.0, faint(14.0, room), &line);
}

/// The day, or the first and last day: "28 September – 4 October 2026".
fn title(days: &[Day]) -> String {
    match days {
        [] => String::new(),
        [day] => words::long_date(day.date),
        [first, .., last] => {
            let one_month = first.date.first_of_month() == last.date.first_of_month();
            let format = if one_month { "%-d" } else { "%-d %B" };
            let from = first.date.strftime(format);
            format!("{from} – {}", last.date.strftime("%-d %B %Y"))
        }
    }
}

fn hour_lines(canvas: &mut Canvas, area: Area, hours: Hours) {
    for hour in hours.from..=hours.to {
        let y = area.y + hours.share(hour * 60) * area.height;
        canvas.rect(Area::new(area.x, y - 0.5, area.width, 1.0), 0.0, LINE);
        let style = faint(13.0, GUTTER).anchored("end");
        canvas.text(area.x - 10.0, y + 4.5, style, &format!("{hour:02}:00"));
    }
}

fn legend(canvas: &mut Canvas, y: f32, days: &[Day]) {
    let mut x = MARGIN;
    for kind in BlockType::ALL {
        let mut bars = days.iter().flat_map(|day| &day.bars);
        if bars.all(|bar| bar.kind != *kind) {
            continue;
        }
        let (_, edge) = bar::colours(*kind);
        canvas.rect(Area::new(x, y - 10.0, 11.0, 11.0), 3.0, edge);
        let name = words::name(*kind);
        canvas.text(x + 17.0, y, faint(13.0, 200.0), name);
        x += 17.0 + font::width(name, 13.0) + 22.0;
    }
}

impl Column<'_> {
    /// The vertical position of a minute of the day.
    fn y(&self, minute: u16) -> f32 {
        self.area.y + self.hours.share(minute) * self.area.height
    }

    fn off_work(&self, canvas: &mut Canvas) {
        let Area { x, y, width, .. } = self.area;
        let bottom = self.area.bottom();
        let y_of = |works: Span| [works.start(), works.end()].map(|time| self.y(time.minutes()));
        let [start, end] = self.day.works.map_or([bottom; 2], y_of);
        for (from, to) in [(y, start), (end, bottom)] {
            if from < to {
                canvas.rect(Area::new(x, from, width, to - from), 0.0, OFF_WORK);
            }
        }
    }

    fn empty_note(&self, canvas: &mut Canvas) {
        if self.day.bars.is_empty() {
            let area = self.area;
            let (x, y) = (area.x + area.width / 2.0, area.y + area.height / 2.0);
            let style = faint(18.0, area.width).anchored("middle");
            canvas.text(x, y + 5.0, style, "Nothing planned yet");
        }
    }

    /// Draws the weekday and the planned time above `bottom`, and a line between this day and the next.
    fn heading(&self, canvas: &mut Canvas, bottom: f32, timeline: &Timeline) {
        let top = bottom - 46.0;
        let right = self.area.x + self.area.width;
        let edge = Area::new(right - 0.5, top, 1.0, self.area.bottom() - top);
        canvas.rect(edge, 0.0, LINE);
        let mut name = self.day.date.strftime("%a %-d").to_string();
        if self.day.date == timeline.now.date() {
            name += " · today";
        }
        let (x, width) = (self.area.x + 6.0, self.area.width - 12.0);
        canvas.text(x, bottom - 26.0, strong(15.0, width), &name);
        let planned = words::planned(self.day);
        canvas.text(x, bottom - 9.0, faint(12.0, width), &planned);
    }

    fn bars(&self, canvas: &mut Canvas, font: f32) {
        let bars: Vec<&Bar> = self.day.timed().collect();
        let spans: Vec<Span> = bars.iter().map(|bar| visible(bar.span)).collect();
        for ((bar, span), column) in bars.iter().zip(&spans).zip(columns(&spans)) {
            let width = self.area.width / number(column.of);
            let top = self.y(span.start().minutes());
            let bottom = self.y(span.end().minutes());
            let x = self.area.x + number(column.at) * width + GAP;
            let (width, height) = ((width - 2.0 * GAP).max(1.0), (bottom - top - GAP).max(3.0));
            let area = Area::new(x, top + GAP / 2.0, width, height);
            bar::timed(canvas, area, bar, font);
        }
    }

    fn now(&self, canvas: &mut Canvas, timeline: &Timeline) {
        let now = timeline.now;
        let minutes = ClockTime::from(now.time()).minutes();
        let shown = self.hours.from * 60..=self.hours.to * 60;
        if now.date() != self.day.date || !shown.contains(&minutes) {
            return;
        }
        let (x, y) = (self.area.x, self.y(minutes));
        let line = Area::new(x - 6.0, y - 1.0, self.area.width + 6.0, 2.0);
        canvas.rect(line, 0.0, NOW);
        canvas.rect(Area::new(x - 10.0, y - 4.0, 8.0, 8.0), 4.0, NOW);
    }
}

/// The minutes that a bar takes in the drawing.
fn visible(span: Span) -> Span {
    let end = span.end().max(span.start().plus(MIN_MINUTES));
    Span::new(span.start(), end).unwrap_or(span)
}
