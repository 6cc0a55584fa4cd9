//! `events.insert`, `events.patch`, `events.delete`.

use alfred_core::digest::sha256_hex;
use serde_json::Value;

use super::event::{Attendee, Event, PRIVATE, Person};
use super::guests::{Told, answer, sends_updates, spread};
use crate::error::ApiError;
use crate::exchange::{Given, Scene};

/// Base32hex (RFC 2938), in lower case.
fn is_id(id: &str) -> bool {
    (5..=1_024).contains(&id.len()) && id.chars().all(|c| matches!(c, '0'..='9' | 'a'..='v'))
}

/// The caller chooses the id.
pub(super) fn insert(scene: &mut Scene<'_>) -> Result<Given, ApiError> {
    let (asked, email) = (scene.asked, scene.email.clone());
    let told = sends_updates(asked)?.then_some(Told::Invited);
    let body = asked.body()?;
    let display_name = Some(scene.account()?.name.clone()).filter(|name| !name.is_empty());
    let id = body["id"].as_str().unwrap_or_default().to_owned();
    if !is_id(&id) {
        return Err(ApiError::new(400, "invalid", "Invalid resource id value."));
    }
    let calendar = scene.calendar()?;
    if calendar.events.contains_key(&id) {
        let message = "The requested identifier already exists.";
        return Err(ApiError::new(409, "duplicate", message));
    }
    let new = Event {
        ical_uid: format!("{id}@google.com"),
        id,
        organizer: Person {
            email,
            display_name,
        },
        ..Event::default()
    };
    let mut event = new.patched(&body, &calendar.zone())?;
    if asked.query("conferenceDataVersion") != Some("1") {
        // Google ignores the conference without this version.
        event.rest.remove("conferenceData");
    } else if event.rest.contains_key("conferenceData") {
        let code = sha256_hex(event.id.as_bytes());
        event.hangout_link = Some(format!("https://meet.google.com/{}", &code[..10]));
    }
    let shown = kept(scene, &event)?;
    spread(scene, None, &event, told);
    Ok(shown.into())
}

/// Stores an event in the caller's calendar. Returns it as the API shows it.
fn kept(scene: &mut Scene<'_>, event: &Event) -> Result<Value, ApiError> {
    let email = scene.email.clone();
    let calendar = scene.calendar()?;
    calendar.keep(event.clone());
    let kept = calendar.find(&event.id).ok_or_else(ApiError::not_found)?;
    Ok(kept.shown(&email))
}

/// The event to change, if it exists in the version that the caller knows.
fn current(scene: &mut Scene<'_>) -> Result<Event, ApiError> {
    let asked = scene.asked;
    let event = scene.calendar()?.find(asked.param("eventId"));
    let event = event.ok_or_else(ApiError::not_found)?;
    if event.is_cancelled() {
        return Err(ApiError::new(410, "deleted", "Resource has been deleted"));
    }
    let known = asked.header("if-match");
    if known.is_some_and(|known| known != event.etag()) {
        let message = "Precondition Failed";
        return Err(ApiError::new(412, "conditionNotMet", message));
    }
    Ok(event)
}

pub(super) fn patch(scene: &mut Scene<'_>) -> Result<Given, ApiError> {
    let (asked, email) = (scene.asked, scene.email.clone());
    let tells = sends_updates(asked)?;
    let mut body = asked.body()?;
    let event = current(scene)?;
    let own = own_answer(&mut body, &event, &email)?;
    let mut changed = event.patched(&body, &scene.calendar()?.zone())?;
    if let Some(own) = &own {
        changed.answer(own);
    }
    if !event.is_organised_by(&email) && !only_own(&event, &changed, &email) {
        let message = "Shared properties can only be changed by the organizer of the event.";
        return Err(ApiError::new(403, "forbiddenForNonOrganizer", message));
    }
    let shown = kept(scene, &changed)?;
    if event.is_organised_by(&email) {
        let told = tells.then_some(Told::Changed);
        spread(scene, Some(&event), &changed, told);
    } else if let Some(own) = own {
        answer(scene, &changed, &own, tells);
    }
    Ok(shown.into())
}

/// With `attendeesOmitted`, the list holds the caller's answer alone. Takes it out of the body.
fn own_answer(body: &mut Value, event: &Event, email: &str) -> Result<Option<Attendee>, ApiError> {
    if body["attendeesOmitted"] != true {
        return Ok(None);
    }
    let invalid = || ApiError::new(400, "invalid", "Invalid attendee email.");
    let fields = body.as_object_mut();
    let listed = fields.and_then(|fields| fields.remove("attendees"));
    let listed: Vec<Attendee> = serde_json::from_value(listed.unwrap_or_default())
        .map_err(|error| ApiError::invalid(error.to_string()))?;
    let said = listed.into_iter().find(|one| one.email == email);
    let said = said.ok_or_else(invalid)?;
    let known = event.attendee(email).ok_or_else(invalid)?;
    Ok(Some(Attendee {
        response_status: said.response_status,
        comment: said.comment.filter(|comment| !comment.is_empty()),
        ..known.clone()
    }))
}

/// Whether everything that all copies share is as before.
fn only_own(event: &Event, changed: &Event, email: &str) -> bool {
    let shared = |event: &Event| {
        let mut event = event.clone();
        let rest = &mut event.rest;
        rest.retain(|name, _| !PRIVATE.contains(&name.as_str()));
        event.attendees.retain(|attendee| attendee.email != email);
        event
    };
    shared(event) == shared(changed)
}

/// Only its organiser deletes an event.
pub(super) fn delete(scene: &mut Scene<'_>) -> Result<Given, ApiError> {
    let told = sends_updates(scene.asked)?.then_some(Told::Cancelled);
    let mut event = current(scene)?;
    if !event.is_organised_by(&scene.email) {
        return Err(ApiError::new(403, "forbiddenForNonOrganizer", "Forbidden"));
    }
    scene.calendar()?.cancel(event.clone());
    event.set_cancelled();
    spread(scene, None, &event, told);
    Ok(Given::Nothing)
}
