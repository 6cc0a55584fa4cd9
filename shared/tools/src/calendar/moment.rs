//! Parses the start of a meeting.

use alfred_planner::{ClockTime, DayClock, Moment, parse_moment};
use jiff::civil::DateTime;

use crate::prelude::*;

pub enum Point {
    Day(Date),
    At(Timestamp),
}

/// Parses a day or a time. A time without a day is on `of_day`, or today by default. Fails for a time that is
/// skipped by a clock change.
pub fn point(
    context: &ToolContext,
    field: &str,
    text: &str,
    of_day: Option<Date>,
) -> Result<Point> {
    let today = request_date(context);
    if let (Some(day), Ok(time)) = (of_day, ClockTime::parse(field, text)) {
        return local(context, field, text, time.on(day)).map(Point::At);
    }
    Ok(match parse_moment(field, text, today).map_err(invalid)? {
        Moment::Instant(at) => Point::At(at),
        Moment::Local(at) => Point::At(local(context, field, text, at)?),
        Moment::Now => Point::At(context.now),
        Moment::Day(day) => Point::Day(day),
    })
}

/// Parses a start. Days count from the start of the run, so that "tomorrow" keeps its meaning if the approval
/// comes after midnight. A time without a day is on `of_day`. Fails for a day without a time.
pub fn start(
    context: &ToolContext,
    field: &str,
    text: &str,
    of_day: Option<Date>,
) -> Result<Timestamp> {
    match point(context, field, text, of_day)? {
        Point::At(at) => Ok(at),
        Point::Day(_) => {
            let problem = "names no time of a day. One such as tomorrow 2:30 pm would do.";
            Err(refused(field, text, problem))
        }
    }
}

fn local(context: &ToolContext, field: &str, text: &str, at: DateTime) -> Result<Timestamp> {
    let zone = context.zone();
    let day = DayClock::new(at.date(), &zone);
    let exists = day.and_then(|day| day.check_start(field, at.time().into()));
    exists.map_err(|error| refused(field, text, error.problem))?;
    // For a time that occurs twice, the first one is taken; the card shows it.
    let moment = zone.to_timestamp(at);
    moment.map_err(|_| refused(field, text, "is out of range."))
}

pub fn ahead(context: &ToolContext, field: &str, text: &str, at: Timestamp) -> Result<()> {
    if at <= context.now {
        let shown = |at| short_moment(at, &context.zone());
        let problem = format!("is past; it is {} now.", shown(context.now));
        let said = format!("{} {problem}", shown(at));
        return Err(refused(field, text, problem).say(said));
    }
    Ok(())
}
