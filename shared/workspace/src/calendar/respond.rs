//! Answers to others' invitations.

use crate::Result;
use alfred_core::id::EventId;
use alfred_core::ports::{AccountError, Attendance, Event, EventTime, Mailbox, Response};
use alfred_core::text;
use calcard::icalendar::{
    ICalendarComponentType, ICalendarEntry, ICalendarParameter as Parameter,
    ICalendarParameterName as Name, ICalendarParticipationStatus, ICalendarProperty as Property,
};
use jiff::Timestamp;

use super::edit::{Change, Edit, Target};
use super::invite::Message;
use super::series::Series;
use super::{CalendarFolder, Pass, Step, answer_of, edit, vevent};
use crate::person::Identity;
use alfred_mime::clean;

impl CalendarFolder {
    pub fn respond(&mut self, id: &EventId, response: &Response, pass: &Pass) -> Result<Step> {
        let found = self.find(id)?.ok_or_else(Event::gone)?;
        let (event, who) = (&found.event, self.who.clone());
        let organizer = invited(event, response)?;
        if event.attendance == response.attendance {
            return Ok(Step::Done(Some(found.event)));
        }
        let message = Message::answered(event, organizer, &who, response, &pass.key);
        let answered = |target: &Target<'_>| answered(target, event.time, &who, response, pass.at);
        let is_done = |series: &Series| {
            let now = found.now(series, &who);
            now.is_some_and(|now| answer_of(now.event, &who.mailbox) == Some(response.attendance))
        };
        let notify = self.apply(&found, pass.unsent([message]), answered, is_done)?;
        notify.map_or_else(|| self.event(id).map(Step::Done), Ok)
    }
}

fn invited<'a>(event: &'a Event, response: &Response) -> Result<&'a Mailbox> {
    let organizer = event.organizer.as_ref().filter(|_| event.invited);
    let organizer = organizer.filter(|_| response.attendance != Attendance::Unanswered);
    let organizer =
        organizer.ok_or_else(|| AccountError::refused(text::not_invited(&event.title)))?;
    if !organizer.is_addressable() {
        let reason = text::no_address("organizer", &organizer.address);
        return Err(AccountError::refused(reason));
    }
    Ok(organizer)
}

/// The event with the answer. An occurrence of a series gets its own component.
fn answered(
    target: &Target<'_>,
    time: EventTime,
    who: &Identity,
    response: &Response,
    now: Timestamp,
) -> Option<Change> {
    let mut edit = Edit::default();
    edit.set(edit::utc(Property::Dtstamp, now));
    edit.set(edit::utc(Property::LastModified, now));
    let mut mine = None;
    let own = target.attendees();
    for (line, _, entry) in own.filter(|(_, address, _)| *address == who.mailbox.address) {
        edit.out.push(line.to_owned());
        mine.get_or_insert(entry);
    }
    let mut mine = mine?;
    answer(&mut mine, response.attendance);
    edit.new.push(mine.clone());
    if let Some(original) = &target.original {
        edit.date(original, time)?;
    }
    let text = target.rewritten(&edit);
    let notice = reply(&text, mine, response, now)?;
    Some(target.changed(&text, &notice))
}

fn answer(entry: &mut ICalendarEntry, answer: Attendance) {
    let is_kept = |one: &Parameter| !matches!(one.name, Name::Partstat | Name::Rsvp);
    entry.params.retain(is_kept);
    let answer = match answer {
        Attendance::Unanswered => ICalendarParticipationStatus::NeedsAction,
        Attendance::Accepted => ICalendarParticipationStatus::Accepted,
        Attendance::Tentative => ICalendarParticipationStatus::Tentative,
        Attendance::Declined => ICalendarParticipationStatus::Declined,
    };
    entry.add_param(Parameter::partstat(answer));
}

/// The reply (RFC 5546, 3.2.3), without this person's notes, alarms and other attendees.
fn reply(event: &str, mine: ICalendarEntry, response: &Response, now: Timestamp) -> Option<String> {
    let mut event = vevent::component(event, &ICalendarComponentType::VEvent)?;
    event.entries.retain(|entry| {
        matches!(
            entry.name,
            Property::Uid
                | Property::Sequence
                | Property::Organizer
                | Property::Summary
                | Property::Dtstart
                | Property::Dtend
                | Property::RecurrenceId
        )
    });
    event
        .entries
        .extend([mine, edit::utc(Property::Dtstamp, now)]);
    let note = clean::lines(&response.note);
    if !note.trim().is_empty() {
        event.add_property(Property::Comment, note);
    }
    Some(edit::text_of(event))
}
