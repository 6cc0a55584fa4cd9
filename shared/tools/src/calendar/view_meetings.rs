use alfred_core::ports::{Attendance, Attendee, Availability, Event, EventTime, Mailbox, Span};
use alfred_planner::dst;
use jiff::tz::TimeZone;

use super::clocks::Clocks;
use super::moment::{self, Point};
use super::slots::at_odd_hours;
use super::{EventView, TOOLSET, Times};
use crate::account::not_read;
use crate::email::shown;
use crate::prelude::*;
use crate::schedule::meetings::entries_not_read;
use crate::user::people::People;

/// Default length of a question about a time.
const A_WHILE: SignedDuration = SignedDuration::from_mins(30);
/// Default length without any time.
const A_WEEK: SignedDuration = SignedDuration::from_hours(7 * 24);
/// Longest span; providers answer about two months per request.
const LONGEST: SignedDuration = SignedDuration::from_hours(62 * 24);
const SHOWN: usize = 30;

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Arguments {
    /// Whose calendar: "@handle", full name or e-mail address; the person's own when left out.
    person: Option<String>,
    /// A day, or a time: "thursday", "tomorrow 3pm"; now and a week ahead when left out.
    from: Option<String>,
    /// When left out the end of that day, or 30 minutes after that time.
    until: Option<String>,
}

#[derive(Serialize)]
#[serde(untagged)]
enum Found {
    Own(Meetings),
    Others(Hours),
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Meetings {
    from: String,
    until: String,
    meetings: Vec<MeetingView>,
    #[serde(skip_serializing_if = "Option::is_none")]
    more: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    note: Option<String>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct MeetingView {
    #[serde(flatten)]
    event: EventView,
    weekday: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    series_id: Option<String>,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    all_day: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    organizer: Option<String>,
    /// The person's own answer to an invitation.
    #[serde(skip_serializing_if = "Option::is_none")]
    answer: Option<Attendance>,
    #[serde(skip_serializing_if = "String::is_empty")]
    location: String,
}

/// Busy times of another person.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Hours {
    person: String,
    from: String,
    until: String,
    shared: bool,
    /// Whether the whole span is free.
    #[serde(skip_serializing_if = "Option::is_none")]
    free: Option<bool>,
    busy: Vec<BusyView>,
    /// Start of the span in their time zone, if it differs.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    there: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    note: Option<String>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct BusyView {
    weekday: String,
    #[serde(flatten)]
    times: Times,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    there: Vec<String>,
}

pub fn tool() -> SharedTool {
    let def = ToolDef::new(
        TOOLSET,
        "calendar_viewMeetings",
        "Meetings with their ids, people and answers; of somebody else whether and when they are busy, if they share that.",
    )
    .flow(Flow::UNKNOWN);
    tool::read(def, view)
}

async fn view(context: ToolContext, args: Arguments) -> Result<Found, ToolError> {
    let span = args.span(&context)?;
    let Some(named) = &args.person else {
        return own(&context, span).await.map(Found::Own);
    };
    let mut people = People::load(&context).await?;
    let person = people.one(&context, "person", named).await?;
    if people
        .own_address(&context)
        .eq_ignore_ascii_case(&person.address)
    {
        return own(&context, span).await.map(Found::Own);
    }
    let addresses = [person.address.clone()];
    let clocks = Clocks::new(&context, &people.known, &addresses);
    let (account, calendar) = (context.account(), &context.accounts.calendar);
    let seen = calendar.availability(&account, &addresses, span).await;
    let seen = seen.map_err(not_read)?.into_iter().next();
    Ok(Found::Others(hours(
        &context,
        &person,
        span,
        (seen, &clocks),
    )))
}

async fn own(context: &ToolContext, span: Span) -> Result<Meetings, ToolError> {
    let (account, zone) = (context.account(), context.zone());
    let page = context.accounts.calendar.events(&account, span).await;
    let page = page.map_err(not_read)?;
    let (all, unread) = (page.events.len(), page.unreadable.len());
    let shown = page.events.iter().take(SHOWN);
    Ok(Meetings {
        from: clock(span.start, &zone),
        until: clock(span.end, &zone),
        meetings: shown.map(|event| MeetingView::new(event, &zone)).collect(),
        more: all.checked_sub(SHOWN).filter(|more| *more > 0),
        note: (unread > 0).then(|| entries_not_read(unread)),
    })
}

fn hours(
    context: &ToolContext,
    person: &Mailbox,
    span: Span,
    (seen, clocks): (Option<Availability>, &Clocks),
) -> Hours {
    let zone = context.zone();
    let busy = match &seen {
        Some(Availability::Busy(busy)) => Some(busy),
        Some(Availability::Hidden) | None => None,
    };
    let view = |span: &Span| BusyView {
        weekday: weekday(span.start, &zone),
        times: Times::from_span(span, &zone),
        there: clocks.elsewhere(span),
    };
    let name = match person.name.as_str() {
        "" => &person.address,
        name => name,
    };
    let asked_time = span.end.duration_since(span.start) < SignedDuration::from_hours(12);
    let odd = asked_time.then(|| clocks.odd(&span));
    let odd = odd.filter(|odd| !odd.is_empty());
    let note = match busy {
        None => Some(not_shared(name)),
        Some(_) => odd.map(|odd| at_odd_hours(&odd)),
    };
    Hours {
        person: shown(person),
        from: clock(span.start, &zone),
        until: clock(span.end, &zone),
        shared: busy.is_some(),
        free: busy.map(Vec::is_empty),
        busy: busy.into_iter().flatten().take(SHOWN).map(view).collect(),
        there: clocks.elsewhere(&span),
        note,
    }
}

fn not_shared(who: &str) -> String {
    format!(
        "{who} doesn't share a calendar with you, so nobody can tell from here when they are free."
    )
}

impl Arguments {
    fn span(&self, context: &ToolContext) -> Result<Span, ToolError> {
        let zone = context.zone();
        let day = |date| {
            EventTime::AllDay {
                first: date,
                last: date,
            }
            .span(&zone)
        };
        let today = dst::date_at(context.now, &zone);
        let from = self.from.as_deref();
        let from = from.map(|text| moment::point(context, "from", text, Some(today)));
        let (start, end) = match from.transpose()? {
            None => (context.now, context.now.saturating_add(A_WEEK)),
            Some(Point::Day(date)) => (day(date).start, Ok(day(date).end)),
            Some(Point::At(at)) => (at, at.saturating_add(A_WHILE)),
        };
        let Some(text) = self.until.as_deref() else {
            let end = end.unwrap_or(start);
            return Ok(Span { start, end });
        };
        let first = dst::date_at(start, &zone);
        let end = match moment::point(context, "until", text, Some(first))? {
            Point::Day(date) => day(date).end,
            Point::At(at) => at,
        };
        let problem = match end.duration_since(start) {
            length if length <= SignedDuration::ZERO => "isn't after the beginning.",
            length if length > LONGEST => "is more than two months after the beginning.",
            _ => return Ok(Span { start, end }),
        };
        Err(refused("until", text, problem))
    }
}

impl MeetingView {
    fn new(event: &Event, zone: &TimeZone) -> Self {
        let others = event.organizer.as_ref().filter(|_| !event.own);
        let attendees = event.attendees.iter().map(with_answer);
        Self {
            event: EventView {
                attendees: attendees.collect(),
                ..EventView::new(event, zone)
            },
            weekday: weekday(event.time.span(zone).start, zone),
            series_id: event.series.as_ref().map(ToString::to_string),
            all_day: matches!(event.time, EventTime::AllDay { .. }),
            organizer: others.map(shown),
            answer: others.map(|_| event.attendance),
            location: event.location.clone(),
        }
    }
}

fn with_answer(attendee: &Attendee) -> String {
    let said = match attendee.attendance {
        Attendance::Unanswered => return shown(&attendee.mailbox),
        Attendance::Accepted => "accepted",
        Attendance::Tentative => "maybe",
        Attendance::Declined => "declined",
    };
    format!("{} ({said})", shown(&attendee.mailbox))
}

fn clock(at: Timestamp, zone: &TimeZone) -> String {
    at.to_zoned(zone.clone())
        .strftime("%Y-%m-%d %H:%M")
        .to_string()
}

fn weekday(at: Timestamp, zone: &TimeZone) -> String {
    at.to_zoned(zone.clone()).strftime("%A").to_string()
}
