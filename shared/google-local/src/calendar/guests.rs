//! Copies of an event in the calendars of its guests, and notices to them.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::event::{Attendee, Event, PRIVATE};
use crate::error::ApiError;
use crate::exchange::{Asked, Scene};

/// Why somebody gets a notice.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Told {
    Invited,
    Changed,
    Cancelled,
    /// To the organiser, about a guest's answer.
    Answered,
}

/// A mail that Google would have sent.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Notice {
    pub to: String,
    pub told: Told,
    /// As the receiver sees it then.
    pub event: Value,
}

/// Whether the query's `sendUpdates` asks for notices.
pub(super) fn sends_updates(asked: &Asked) -> Result<bool, ApiError> {
    match asked.query("sendUpdates") {
        Some("all") => Ok(true),
        Some("none") | None => Ok(false),
        Some(_) => Err(ApiError::invalid("Invalid value for: sendUpdates")),
    }
}

/// Updates the calendars of all guests after the organiser, who calls, changed an event. `None` sends no notices.
/// Of a patched event, added guests are invited and removed ones hear that it is off.
pub(super) fn spread(
    scene: &mut Scene<'_>,
    before: Option<&Event>,
    event: &Event,
    told: Option<Told>,
) {
    for (email, account) in &mut scene.state.accounts {
        let known = account.calendar.find(&event.id);
        let known = known.filter(|known| known.organizer == event.organizer);
        let invited = event.attendee(email).is_some() && !event.is_organised_by(email);
        if event.is_organised_by(email) || (known.is_none() && !invited) {
            continue;
        }
        let mut copy = event.clone();
        for name in PRIVATE {
            let own = known.as_ref().and_then(|known| known.rest.get(name));
            match own {
                Some(own) => copy.rest.insert(name.into(), own.clone()),
                None => copy.rest.remove(name),
            };
        }
        if event.is_cancelled() || !invited {
            account.calendar.cancel(copy);
        } else {
            account.calendar.keep(copy);
        }
    }
    let is_new = |email: &str| before.is_some_and(|before| before.attendee(email).is_none());
    for Attendee { email, .. } in &event.attendees {
        let told = told.map(|told| if is_new(email) { Told::Invited } else { told });
        tell(scene, event, email, told);
    }
    let gone = before.into_iter().flat_map(|before| &before.attendees);
    for Attendee { email, .. } in gone.filter(|one| event.attendee(&one.email).is_none()) {
        tell(scene, event, email, told.map(|_| Told::Cancelled));
    }
}

/// Copies the caller's answer to every calendar, and tells the organiser.
pub(super) fn answer(scene: &mut Scene<'_>, event: &Event, said: &Attendee, tells: bool) {
    let me = scene.email.clone();
    for (email, account) in &mut scene.state.accounts {
        let copy = account.calendar.find(&event.id);
        let copy = copy.filter(|copy| copy.organizer == event.organizer && *email != me);
        let Some(mut copy) = copy else { continue };
        copy.answer(said);
        account.calendar.keep(copy);
    }
    let told = tells.then_some(Told::Answered);
    tell(scene, event, &event.organizer.email, told);
}

fn tell(scene: &mut Scene<'_>, event: &Event, to: &str, told: Option<Told>) {
    let told = told.filter(|_| to != scene.email);
    if let (Some(told), Ok(account)) = (told, scene.account()) {
        account.calendar.notices.push(Notice {
            to: to.to_owned(),
            told,
            event: event.shown(to),
        });
    }
}
