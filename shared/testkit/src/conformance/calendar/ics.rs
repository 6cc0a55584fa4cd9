//! The calendars of the suite as iCalendar (RFC 5545).

use alfred_core::ports::{Attendance, Event, EventTime};
use jiff::Timestamp;

use super::{Given, colleague, given};

/// When [`COLLEAGUE`](super::COLLEAGUE) is busy, as iCalendar.
pub fn colleague_ics() -> String {
    let busy = colleague().into_iter().map(|span| {
        let (start, end) = (utc(span.start), utc(span.end));
        format!("BEGIN:VEVENT\nUID:{start}{end}\nDTSTART:{start}\nDTEND:{end}\nEND:VEVENT\n")
    });
    let text: String = busy.collect();
    format!("BEGIN:VCALENDAR\n{text}END:VCALENDAR\n")
}

fn utc(at: Timestamp) -> String {
    at.strftime("%Y%m%dT%H%M%SZ").to_string()
}

/// What is given, as iCalendar.
pub fn ics() -> String {
    let mut text = String::from("BEGIN:VCALENDAR\r\nVERSION:2.0\r\n");
    for Given {
        event,
        weeks,
        cancelled,
    } in &given()
    {
        text.push_str(&vevent(event, *weeks, *cancelled));
    }
    text.push_str("END:VCALENDAR\r\n");
    text
}

fn vevent(event: &Event, weeks: i64, cancelled: bool) -> String {
    let mut lines = vec!["BEGIN:VEVENT".into(), format!("UID:{}@test", event.title)];
    match event.time {
        EventTime::Timed { start, end } => {
            lines.push(format!("DTSTART:{}", utc(start)));
            lines.push(format!("DTEND:{}", utc(end)));
        }
        EventTime::AllDay { first, last } => {
            lines.push(format!("DTSTART;VALUE=DATE:{}", first.strftime("%Y%m%d")));
            let end = last.tomorrow().unwrap();
            lines.push(format!("DTEND;VALUE=DATE:{}", end.strftime("%Y%m%d")));
        }
    }
    let escaped = |text: &str| {
        text.replace(';', "\\;")
            .replace(',', "\\,")
            .replace('\n', "\\n")
    };
    lines.push(format!("SUMMARY:{}", escaped(&event.title)));
    lines.push(format!("DESCRIPTION:{}", escaped(&event.description)));
    lines.push(format!("LOCATION:{}", escaped(&event.location)));
    if weeks > 1 {
        lines.push(format!("RRULE:FREQ=WEEKLY;COUNT={weeks}"));
    }
    if !event.busy && event.attendance != Attendance::Declined {
        lines.push("TRANSP:TRANSPARENT".into());
    }
    if cancelled {
        lines.push("STATUS:CANCELLED".into());
    }
    if let Some(organizer) = &event.organizer {
        lines.push(format!(
            "ORGANIZER;CN={}:mailto:{}",
            organizer.name, organizer.address
        ));
    }
    for attendee in &event.attendees {
        let said = match attendee.attendance {
            Attendance::Unanswered => "NEEDS-ACTION",
            Attendance::Accepted => "ACCEPTED",
            Attendance::Tentative => "TENTATIVE",
            Attendance::Declined => "DECLINED",
        };
        let (name, address) = (&attendee.mailbox.name, &attendee.mailbox.address);
        lines.push(format!(
            "ATTENDEE;CN={name};PARTSTAT={said}:MAILTO:{address}"
        ));
    }
    lines.push("END:VEVENT\r\n".into());
    lines.join("\r\n")
}
