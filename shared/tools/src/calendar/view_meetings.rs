use alfred_core::ports::{Attendance, Attendee, Availability, Event, EventTime, Mailbox, Span};

use super::clocks::Clocks;
use super::moment::{self, Point};
use super::{TOOLSET, event, view};
use crate::email::line;
use crate::fields::local;
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
    /// Only the person's own ones with these words in title, people or description.
    words: Option<String>,
}

pub fn tool() -> SharedTool {
    let description = "Lists meetings with their ids, people and answers; for somebody else, only busy times, if they share them.";
    let def = ToolDef::new(TOOLSET, "calendar_viewMeetings", description).flow(Flow::UNKNOWN);
    tool::read(def, look)
}

async fn look(context: ToolContext, args: Arguments) -> Result<Value> {
    let span = args.span(&context)?;
    let words = args.words.as_deref().unwrap_or_default();
    let Some(named) = &args.person else {
        return own(&context, span, words).await;
    };
    let mut people = People::load(&context).await?;
    let person = people.one(&context, "person", named).await?;
    let own_address = people.own_address(&context);
    if own_address.eq_ignore_ascii_case(&person.address) {
        return own(&context, span, words).await;
    }
    let addresses = [person.address.clone()];
    let clocks = Clocks::new(&context, &people.known, &addresses);
    let (account, calendar) = (context.account(), &context.accounts.calendar);
    let seen = calendar.availability(&account, &addresses, span).await;
    let busy = match seen.map_err(not_read)?.into_iter().next() {
        Some(Availability::Busy(busy)) => Some(busy),
        Some(Availability::Hidden) | None => None,
    };
    Ok(hours(&context, &person, span, busy.as_deref(), &clocks))
}

fn period(span: &Span, zone: &TimeZone) -> Value {
    let clock = |at: Timestamp| local(at, zone, "%Y-%m-%d %H:%M");
    json!({"from": clock(span.start), "until": clock(span.end)})
}

async fn own(context: &ToolContext, span: Span, words: &str) -> Result<Value> {
    let (account, zone) = (context.account(), context.zone());
    let page = context.accounts.calendar.events(&account, span).await;
    let (mut page, words) = (page.map_err(not_read)?, fold(words));
    let fits = |event: &Event| words.is_empty() || event::fits(event, &words);
    page.events.retain(fits);
    let (all, unread) = (page.events.len(), page.unreadable.len());
    let shown = page.events.iter().take(SHOWN);
    let meetings: Vec<Value> = shown.map(|event| meeting(event, &zone)).collect();
    let mut found = period(&span, &zone);
    found["meetings"] = meetings.into();
    let more = all.checked_sub(SHOWN).filter(|more| *more > 0);
    add(&mut found, "more", json!(more));
    let note = (unread > 0).then(|| entries_not_read(unread));
    add(&mut found, "note", json!(note));
    Ok(found)
}

/// Titles, places and descriptions may be other people's words.
fn meeting(event: &Event, zone: &TimeZone) -> Value {
    let others = event.organizer.as_ref().filter(|_| !event.own);
    let attendees = event.attendees.iter().map(with_answer);
    let mut shown = view(event, zone);
    shown["attendees"] = json!(attendees.collect::<Vec<_>>());
    shown["weekday"] = local(event.time.span(zone).start, zone, "%A").into();
    let all_day = matches!(event.time, EventTime::AllDay { .. });
    for (field, value) in [
        ("seriesId", json!(event.series)),
        ("allDay", all_day.into()),
        ("organizer", json!(others.map(crate::email::shown))),
        ("answer", json!(others.map(|_| event.attendance))),
        ("description", line(&event.description).into()),
    ] {
        add(&mut shown, field, value);
    }
    shown
}

/// Busy times of another person; `None` if they aren't shared.
fn hours(
    context: &ToolContext,
    person: &Mailbox,
    span: Span,
    busy: Option<&[Span]>,
    clocks: &Clocks,
) -> Value {
    let is_short = span.end.duration_since(span.start) < SignedDuration::from_hours(12);
    let note = match busy {
        None => {
            let who = match person.name.as_str() {
                "" => person.address.as_str(),
                name => name,
            };
            format!(
                "{who} doesn't share a calendar with you, so nobody can tell from here when they are free."
            )
        }
        Some(_) if is_short => clocks.odd_hours(&span),
        Some(_) => String::new(),
    };
    let mut found = period(&span, &context.zone());
    found["person"] = crate::email::shown(person).into();
    found["shared"] = busy.is_some().into();
    if let Some(busy) = busy {
        found["free"] = busy.is_empty().into();
    }
    let busy = busy.into_iter().flatten().take(SHOWN);
    found["busy"] = busy.map(|span| clocks.times(span)).collect();
    add(&mut found, "there", json!(clocks.elsewhere(&span)));
    add(&mut found, "note", note.into());
    found
}

impl Arguments {
    fn span(&self, context: &ToolContext) -> Result<Span> {
        let zone = context.zone();
        let day = |date: Date| {
            let [first, last] = [date, date];
            EventTime::AllDay { first, last }.span(&zone)
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

fn with_answer(attendee: &Attendee) -> String {
    let said = match attendee.attendance {
        Attendance::Unanswered => return crate::email::shown(&attendee.mailbox),
        Attendance::Accepted => "accepted",
        Attendance::Tentative => "maybe",
        Attendance::Declined => "declined",
    };
    format!("{} ({said})", crate::email::shown(&attendee.mailbox))
}
