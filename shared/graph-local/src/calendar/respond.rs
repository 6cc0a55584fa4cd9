//! Answers to invitations (<https://learn.microsoft.com/graph/api/event-accept>). Each tells the organiser, also the
//! same once more; what is declined leaves the calendar unless its owner wants it kept.

use super::Calendar;
use super::event::{Notice, Told};
use super::shown;
use crate::asked::Asked;
use crate::error::ApiError;
use crate::exchange::Given;

pub(super) fn answer(calendar: &mut Calendar, asked: &Asked, id: &str) -> Result<Given, ApiError> {
    let body = asked.body(&["comment", "sendResponse"])?;
    let said = match asked.path.last().map(String::as_str) {
        Some("accept") => "accepted",
        Some("decline") => "declined",
        _ => "tentativelyAccepted",
    };
    let place = calendar.find(id)?;
    let stored = calendar.stored(place.0)?;
    let organizer = stored.organizer["emailAddress"]["address"].as_str();
    let organizer = organizer.unwrap_or_default().to_owned();
    if calendar.is_own(stored) {
        let words = "Your request can't be completed. You can't respond to this meeting because you're the meeting organizer.";
        return Err(ApiError::new(400, "ErrorInvalidRequest", words));
    }
    calendar.edit(place, |item| item.response = said.to_owned())?;
    if body["sendResponse"] == true {
        calendar.notices.push(Notice {
            to: organizer,
            told: Told::Answered,
            comment: body["comment"].as_str().unwrap_or_default().to_owned(),
            event: shown::event(calendar, place, &Asked::of_owner())?,
        });
    }
    if said == "declined" && !calendar.keeps_declined {
        calendar.remove(place);
    }
    Ok(Given::Nothing(202))
}
