//! Who else has an event in their calendar, and what they are told of it.

use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::BTreeMap;

use super::event::{Attendee, Event, PRIVATE};
use crate::account::Account;
use crate::error::ApiError;
use crate::exchange::{Asked, Scene};

/// What somebody is told.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Told {
    /// They are invited.
    Invited,
    /// It has changed.
    Changed,
    /// It is off.
    Cancelled,
    /// Of a guest's answer; its organiser is.
    Answered,
}

/// A mail that Google would have sent.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Notice {
    /// To whom.
    pub to: String,
    /// Why.
    pub told: Told,
    /// The event as they see it then.
    pub event: Value,
}

/// The query's `sendUpdates`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum SendUpdates {
    All,
    /// Those whose calendars aren't here.
    ExternalOnly,
    None,
}

impl SendUpdates {
    pub fn read(asked: &Asked) -> Result<Self, ApiError> {
        match asked.query("sendUpdates") {
            Some("all") => Ok(Self::All),
            Some("externalOnly") => Ok(Self::ExternalOnly),
            Some("none") | None => Ok(Self::None),
            Some(_) => Err(ApiError::invalid("Invalid value for: sendUpdates")),
        }
    }

    fn reaches(self, email: &str, accounts: &BTreeMap<String, Account>) -> bool {
        match self {
            Self::All => true,
            Self::ExternalOnly => !accounts.contains_key(email),
            Self::None => false,
        }
    }
}

/// Brings the calendars of all guests to what the organiser, who calls, made of an event, and tells the guests.
pub(super) fn spread(scene: &mut Scene<'_>, event: &Event, (told, how): (Told, SendUpdates)) {
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
        match event.is_cancelled() || !invited {
            true => account.calendar.cancel(copy),
            false => account.calendar.keep(copy),
        }
    }
    let guests = event.attendees.iter().map(|guest| &guest.email);
    let guests = guests.filter(|guest| **guest != scene.email);
    let guests: Vec<String> = guests.cloned().collect();
    for guest in guests {
        tell(scene, event, &guest, (told, how));
    }
}

/// Takes down what the caller answers, in every copy, and tells the organiser.
pub(super) fn answer(scene: &mut Scene<'_>, event: &Event, said: &Attendee, how: SendUpdates) {
    let me = scene.email.clone();
    for (email, account) in &mut scene.state.accounts {
        let copy = account.calendar.find(&event.id);
        let copy = copy.filter(|copy| copy.organizer == event.organizer && *email != me);
        let Some(mut copy) = copy else { continue };
        for attendee in copy.attendees.iter_mut().filter(|one| one.email == me) {
            *attendee = said.clone();
        }
        account.calendar.keep(copy);
    }
    let organizer = event.organizer.email.clone();
    tell(scene, event, &organizer, (Told::Answered, how));
}

fn tell(scene: &mut Scene<'_>, event: &Event, to: &str, (told, how): (Told, SendUpdates)) {
    if !how.reaches(to, &scene.state.accounts) {
        return;
    }
    let notice = Notice {
        to: to.to_owned(),
        told,
        event: event.shown(to),
    };
    if let Ok(account) = scene.account() {
        account.calendar.notices.push(notice);
    }
}
