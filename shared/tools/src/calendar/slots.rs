//! Free times for everybody within the person's working hours.

use alfred_agent::tool::{ToolContext, ToolError};
use alfred_agent::users;
use alfred_core::ports::Span;
use alfred_core::user::DayPreferences;
use alfred_planner::{BlockType, ClockTime, DayClock};
use jiff::civil::{Date, Weekday};
use jiff::{SignedDuration, Timestamp, ToSpan};

use super::busy::{Busy, Moving};
use super::prep;
use crate::fields::invalid;
use crate::schedule::day::Day;

/// Days that are searched, the first included.
const DAYS: i32 = 10;
/// Times a meeting may start at: every so many minutes of working time.
const STEP: u16 = 15;
/// Nobody is invited to what begins sooner than this after they were asked.
const LEAD: SignedDuration = SignedDuration::from_mins(60);

/// What is looked for.
pub struct Wanted<'a> {
    /// For error texts.
    pub tool: &'a str,
    /// Of those who must have time.
    pub addresses: &'a [String],
    /// How long.
    pub length: SignedDuration,
    /// Minutes before it that should be free for its owner; 0 for none.
    pub prep: i64,
    /// The day on which the search begins; today when left out.
    pub from: Option<Date>,
    /// What is moved.
    pub moving: Option<&'a Moving<'a>>,
}

/// Free times, and whose calendars could not be seen.
pub struct Free {
    /// In order; at most as many as were asked for.
    pub spans: Vec<Span>,
    /// Not seen.
    pub unseen: Vec<String>,
}

/// The first free times. It counts from when the run began, and not from now:
/// what a person was shown is still the first one when they approve it.
///
/// # Errors
/// What calendar and store say.
pub async fn find(
    context: &ToolContext,
    wanted: &Wanted<'_>,
    count: usize,
) -> Result<Free, ToolError> {
    let zone = context.zone();
    let began = context.began.to_zoned(zone.clone()).date();
    let first = wanted.from.map_or(began, |from| from.max(began));
    let hours = hours(context).await?;
    let dates: Vec<Date> = (0..DAYS)
        .filter_map(|n| first.checked_add(n.days()).ok())
        .filter(|date| !matches!(date.weekday(), Weekday::Saturday | Weekday::Sunday))
        .collect();
    let days: Vec<DayClock> = dates
        .iter()
        .filter_map(|date| DayClock::new(*date, &zone).ok())
        .collect();
    let (Some(open), Some(close)) = (days.first(), days.last()) else {
        return Ok(Free {
            spans: Vec::new(),
            unseen: Vec::new(),
        });
    };
    let moment = |clock: &DayClock, time: ClockTime| {
        let minutes = i64::from(clock.elapsed(time));
        let midnight = clock.date().to_zoned(zone.clone()).ok()?.timestamp();
        midnight
            .checked_add(SignedDuration::from_mins(minutes))
            .ok()
    };
    let ends = moment(close, ClockTime::END_OF_DAY).unwrap_or(Timestamp::MAX);
    let window = Span {
        start: moment(open, ClockTime::MIDNIGHT).unwrap_or(context.now),
        end: ends,
    };
    let mut busy = Busy::look(
        context,
        wanted.tool,
        wanted.addresses,
        window,
        wanted.moving,
    )
    .await?;
    for clock in &days {
        busy.also(planned(context, clock.date()).await?);
        let lunch = (moment(clock, hours.lunch.0), moment(clock, hours.lunch.1));
        if let (Some(start), Some(end)) = lunch
            && start < end
        {
            busy.also([Span { start, end }]);
        }
    }
    let earliest = context.began.checked_add(LEAD).unwrap_or(context.now);
    let mut candidates = Vec::new();
    for clock in &days {
        let Some(close) = moment(clock, hours.end) else {
            continue;
        };
        let starts = (hours.start.minutes()..hours.end.minutes()).step_by(usize::from(STEP));
        for start in starts.filter_map(ClockTime::from_minutes) {
            let at = moment(clock, start).filter(|_| clock.exists(start));
            let span = at.and_then(|start| {
                let end = start.checked_add(wanted.length).ok()?;
                Some(Span { start, end })
            });
            let Some(span) = span.filter(|span| span.end <= close) else {
                continue;
            };
            if span.start >= earliest && span.start > context.now && busy.is_free(&span) {
                candidates.push(span);
            }
        }
    }
    let prepared =
        |span: &Span| prep::span(span, wanted.prep).is_none_or(|prep| busy.is_free(&prep));
    let (best, rest): (Vec<Span>, Vec<Span>) = candidates.into_iter().partition(prepared);
    let mut spans: Vec<Span> = Vec::new();
    for span in best.into_iter().chain(rest) {
        if spans.len() < count && !spans.iter().any(|taken| taken.touches(&span)) {
            spans.push(span);
        }
    }
    Ok(Free {
        spans,
        unseen: busy.unseen,
    })
}

struct Hours {
    start: ClockTime,
    end: ClockTime,
    lunch: (ClockTime, ClockTime),
}

/// The person's working day as they set it.
async fn hours(context: &ToolContext) -> Result<Hours, ToolError> {
    let stored = users::get(&*context.store, &context.team, context.user_id()).await?;
    let day = stored.map_or_else(DayPreferences::default, |stored| {
        stored.user.preferences.day
    });
    let lunch = ClockTime::parse("lunchTime", &day.lunch_time).map_err(invalid)?;
    let until = u32::from(lunch.minutes()).saturating_add(day.lunch_duration);
    let until = u16::try_from(until).ok().and_then(ClockTime::from_minutes);
    Ok(Hours {
        start: ClockTime::parse("workStartTime", &day.work_start_time).map_err(invalid)?,
        end: ClockTime::parse_end("workEndTime", &day.work_end_time).map_err(invalid)?,
        lunch: (lunch, until.unwrap_or(ClockTime::END_OF_DAY)),
    })
}

/// The blocks of a day that aren't to be planned over: work and mail can move.
async fn planned(context: &ToolContext, date: Date) -> Result<Vec<Span>, ToolError> {
    let day = Day::load(context, date).await?;
    let fixed = day.blocks.iter().filter(|block| match block.kind {
        BlockType::Meeting | BlockType::Blocked => true,
        BlockType::Work | BlockType::Email | BlockType::Break => false,
    });
    Ok(fixed
        .filter_map(|block| prep::on_calendar(date, block.start, block.end, &context.zone()))
        .collect())
}
