//! `events.insert`, `events.patch`, `events.delete`.

use serde_json::Value;

use super::conference;
use super::event::{Attendee, Event, PRIVATE, Person};
use super::guests::{SendUpdates, Told, answer, spread};
use crate::error::ApiError;
use crate::exchange::{Given, Scene};

/// Base32hex (RFC 2938), in lower case.
fn is_id(id: &str) -> bool {
    (5..=1_024).contains(&id.len()) && id.chars().all(|c| matches!(c, '0'..='9' | 'a'..='v'))
}

pub(super) fn insert(scene: &mut Scene<'_>) -> Result<Given, ApiError> {
    let (asked, email) = (scene.asked, scene.email.clone());
    let how = SendUpdates::read(asked)?;
    let body = asked.body()?;
    let display_name = Some(scene.account()?.name.clone()).filter(|name| !name.is_empty());
    let id = match body.get("id") {
        None | Some(Value::Null) => format!("local{:08}", scene.state.next()),
        Some(id) => id.as_str().unwrap_or_default().to_owned(),
    };
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
            email: email.clone(),
            display_name,
        },
        ..Event::default()
    };
    let mut event = new.patched(&body, &calendar.zone())?;
    conference::made(&mut event, asked, &email)?;
    let shown = kept(scene, &event)?;
    spread(scene, &event, (Told::Invited, how));
    Ok(shown.into())
}

/// Keeps an event in the caller's calendar; as it is shown then.
fn kept(scene: &mut Scene<'_>, event: &Event) -> Result<Value, ApiError> {
    let email = scene.email.clone();
    let calendar = scene.calendar()?;
    calendar.keep(event.clone());
    let kept = calendar.find(&event.id).ok_or_else(ApiError::not_found)?;
    Ok(kept.shown(&email))
}

/// What is to be changed: there, and of the version that the caller knows.
fn current(scene: &mut Scene<'_>) -> Result<Event, ApiError> {
    let asked = scene.asked;
    let event = scene.calendar()?.find(asked.param("eventId"));
    let event = event.ok_or_else(ApiError::not_found)?;
    if event.is_cancelled() {
        return Err(ApiError::new(410, "deleted", "Resource has been deleted"));
    }
    let known = asked.header("if-match");
    if known.is_some_and(|known| known != "*" && known != event.etag()) {
        let message = "Precondition Failed";
        return Err(ApiError::new(412, "conditionNotMet", message));
    }
    Ok(event)
}

pub(super) fn patch(scene: &mut Scene<'_>) -> Result<Given, ApiError> {
    let (asked, email) = (scene.asked, scene.email.clone());
    let how = SendUpdates::read(asked)?;
    let mut body = asked.body()?;
    let event = current(scene)?;
    let own_answer = own_answer(&mut body, &event, &email)?;
    if event.series.is_some() && body.get("recurrence").is_some_and(|rule| !rule.is_null()) {
        let message = "Recurrence can't be set on an instance.";
        return Err(ApiError::new(400, "invalid", message));
    }
    let mut changed = event.patched(&body, &scene.calendar()?.zone())?;
    if let Some(own) = &own_answer {
        for attendee in changed
            .attendees
            .iter_mut()
            .filter(|one| one.email == email)
        {
            *attendee = own.clone();
        }
    }
    if !event.is_organised_by(&email) && !only_own(&event, &changed, &email) {
        let message = "Shared properties can only be changed by the organizer of the event.";
        return Err(ApiError::new(403, "forbiddenForNonOrganizer", message));
    }
    conference::made(&mut changed, asked, &email)?;
    let shown = kept(scene, &changed)?;
    if event.is_organised_by(&email) {
        spread(scene, &changed, (Told::Changed, how));
    } else if let Some(own) = changed.attendee(&email).cloned()
        && event.attendee(&email) != Some(&own)
    {
        answer(scene, &changed, &own, how);
    }
    Ok(shown.into())
}

/// With `attendeesOmitted` the list holds what the caller answers, and says nothing of the others.
fn own_answer(body: &mut Value, event: &Event, email: &str) -> Result<Option<Attendee>, ApiError> {
    if body["attendeesOmitted"] != true {
        return Ok(None);
    }
    let attendees = body["attendees"].take();
    if let Value::Object(fields) = body {
        fields.remove("attendees");
    }
    let listed: Vec<Value> = serde_json::from_value(attendees).unwrap_or_default();
    let is_own = |one: &&Value| {
        one["email"]
            .as_str()
            .is_some_and(|e| e.eq_ignore_ascii_case(email))
    };
    let Some(said) = listed.iter().find(is_own) else {
        return Ok(None);
    };
    let said: Attendee = serde_json::from_value(said.clone())
        .map_err(|error| ApiError::invalid(format!("Invalid value: {error}")))?;
    let known = event.attendee(email);
    let known = known.ok_or_else(|| ApiError::new(400, "invalid", "Invalid attendee email."))?;
    Ok(Some(Attendee {
        response_status: said.response_status,
        comment: said.comment.filter(|comment| !comment.is_empty()),
        ..known.clone()
    }))
}

/// Whether nothing is changed that all copies share.
fn only_own(event: &Event, changed: &Event, email: &str) -> bool {
    let shared = |event: &Event| {
        let mut event = event.clone();
        event
            .rest
            .retain(|name, _| !PRIVATE.contains(&name.as_str()));
        event.attendees.retain(|attendee| attendee.email != email);
        event
    };
    shared(event) == shared(changed)
}

pub(super) fn delete(scene: &mut Scene<'_>) -> Result<Given, ApiError> {
    let how = SendUpdates::read(scene.asked)?;
    let mut event = current(scene)?;
    let email = scene.email.clone();
    scene.calendar()?.cancel(event.clone());
    if event.is_organised_by(&email) {
        event.set_cancelled();
        spread(scene, &event, (Told::Cancelled, how));
    } else if let Some(own) = event.attendee(&email).cloned() {
        // Whoever takes it out of their own calendar declines.
        let response_status = "declined".into();
        let own = Attendee {
            response_status,
            ..own
        };
        answer(scene, &event, &own, how);
    }
    Ok(Given::Nothing)
}
