//! What changes events. Guests are told of every change but that of extended properties: Graph has no way around it.

use alfred_core::html;
use serde_json::{Value, json};
use std::collections::BTreeMap;

use super::Calendar;
use super::event::{Item, Notice, Place, Stored, Told};
use super::series::Pattern;
use super::shown;
use super::when::When;
use crate::asked::Asked;
use crate::error::ApiError;
use crate::exchange::Given;

const JOIN: &str = "https://teams.microsoft.com/l/meetup-join/19%3ameeting_";

fn invalid(what: &str) -> ApiError {
    ApiError::new(400, "ErrorInvalidRequest", what)
}

fn properties(body: &Value) -> Result<BTreeMap<String, String>, ApiError> {
    let given = body["singleValueExtendedProperties"].as_array();
    let each = given.into_iter().flatten().map(|property| {
        let (id, value) = (property["id"].as_str(), property["value"].as_str());
        id.zip(value)
            .map(|(id, value)| (id.to_owned(), value.to_owned()))
            .ok_or_else(|| invalid("singleValueExtendedProperties"))
    });
    each.collect()
}

fn attendees(body: &Value) -> Result<Vec<Value>, ApiError> {
    let each = body["attendees"].as_array().into_iter().flatten();
    let read = each.map(|one| {
        let person = &one["emailAddress"];
        let address = person["address"].as_str().unwrap_or_default();
        if address.matches('@').count() != 1 || address.contains([' ', ',', '\r', '\n']) {
            return Err(ApiError::new(400, "ErrorInvalidRecipients", "an address"));
        }
        let said = one["status"]["response"].as_str().unwrap_or("none");
        let name = person["name"].as_str().unwrap_or(address);
        Ok(json!({
            "type": one["type"].as_str().unwrap_or("required"),
            "status": {"response": said},
            "emailAddress": {"name": name, "address": address},
        }))
    });
    read.collect()
}

fn html_of(body: &Value) -> Result<String, ApiError> {
    let content = body["content"].as_str().unwrap_or_default();
    match body["contentType"].as_str() {
        Some("html") => Ok(content.to_owned()),
        Some("text") => {
            let lines: Vec<String> = content.lines().map(html::escaped).collect();
            Ok(format!("<html><body>{}</body></html>", lines.join("<br>")))
        }
        _ if body.is_null() => Ok(String::new()),
        _ => Err(invalid("body.contentType")),
    }
}

impl Calendar {
    pub(super) fn item_of(&self, body: &Value) -> Result<Item, ApiError> {
        let all_day = body["isAllDay"].as_bool().unwrap_or_default();
        let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        Ok(Item {
            subject: text(&body["subject"]),
            html: html_of(&body["body"])?,
            location: text(&body["location"]["displayName"]),
            when: When::read(&body["start"], &body["end"], all_day)?,
            attendees: attendees(body)?,
            response: "organizer".into(),
            show_as: body["showAs"].as_str().unwrap_or("busy").to_owned(),
            is_cancelled: body["isCancelled"].as_bool().unwrap_or_default(),
            join: None,
            properties: properties(body)?,
            changes: 0,
        })
    }

    /// Tells everybody who is invited.
    fn tell(&mut self, place: Place, told: Told, comment: &str) -> Result<(), ApiError> {
        let event = shown::event(self, place, &Asked::of_owner())?;
        let others = self.item(place)?.attendees;
        let others = others.iter().filter_map(|one| {
            let address = one["emailAddress"]["address"].as_str()?;
            (address != self.email).then(|| address.to_owned())
        });
        let others: Vec<String> = others.collect();
        self.notices.extend(others.into_iter().map(|to| Notice {
            to,
            told,
            comment: comment.to_owned(),
            event: event.clone(),
        }));
        Ok(())
    }

    /// While an event is of the version that is asked for, if one is.
    fn unchanged(&self, place: Place, asked: &Asked) -> Result<(), ApiError> {
        let wanted = asked.headers.get("if-match");
        let wanted = wanted.and_then(|value| value.to_str().ok());
        let key = self.change_key(place)?;
        match wanted.is_none_or(|wanted| wanted == format!("W/\"{key}\"")) {
            true => Ok(()),
            false => Err(ApiError::new(
                412,
                "ErrorIrresolvableConflict",
                "The change key passed in the request does not match.",
            )),
        }
    }
}

pub(super) fn create(calendar: &mut Calendar, asked: &Asked) -> Result<Given, ApiError> {
    let body = asked.body(&[
        "subject",
        "body",
        "start",
        "end",
        "attendees",
        "recurrence",
        "isOnlineMeeting",
        "onlineMeetingProvider",
        "transactionId",
        "singleValueExtendedProperties",
    ])?;
    if let Some(transaction) = body["transactionId"].as_str()
        && let Some((number, words)) = calendar.transactions.get(transaction)
        && calendar.events.contains_key(number)
    {
        return match *words == body {
            true => Ok(Given::Json(
                201,
                shown::event(calendar, (*number, None), asked)?,
            )),
            false => Err(ApiError::new(
                409,
                "ErrorDuplicateTransactionId",
                "The TransactionId has already been used to create a different event.",
            )),
        };
    }
    let mut item = calendar.item_of(&body)?;
    // Where there is no Teams, an event is made without it.
    if body["isOnlineMeeting"] == true && calendar.teams {
        if body["onlineMeetingProvider"] != "teamsForBusiness" {
            return Err(invalid("onlineMeetingProvider"));
        }
        let join = format!("{JOIN}{}", calendar.sequence);
        item.html
            .push_str(&format!("<div>________________<br>Join: {join}</div>"));
        item.join = Some(join);
    }
    let stored = Stored {
        organizer: calendar.me(),
        pattern: Pattern::read(&body["recurrence"], &item.when)?,
        item,
        dates: BTreeMap::new(),
    };
    let number = calendar.add(stored);
    if let Some(transaction) = body["transactionId"].as_str() {
        let transaction = transaction.to_owned();
        calendar.transactions.insert(transaction, (number, body));
    }
    calendar.tell((number, None), Told::Invited, "")?;
    Ok(Given::Json(
        201,
        shown::event(calendar, (number, None), asked)?,
    ))
}

pub(super) fn patch(calendar: &mut Calendar, asked: &Asked, id: &str) -> Result<Given, ApiError> {
    let body = asked.body(&[
        "start",
        "end",
        "isAllDay",
        "body",
        "singleValueExtendedProperties",
    ])?;
    let place = calendar.find(id)?;
    calendar.unchanged(place, asked)?;
    let mut item = calendar.item(place)?;
    let visible = ["start", "end", "isAllDay", "body"]
        .iter()
        .any(|name| !body[*name].is_null());
    if visible && !calendar.is_own(calendar.stored(place.0)?) {
        return Err(ApiError::new(
            403,
            "ErrorCalendarIsNotOrganizer",
            "Not the organizer.",
        ));
    }
    if !body["start"].is_null() {
        let all_day = body["isAllDay"].as_bool().unwrap_or(item.when.all_day);
        item.when = When::read(&body["start"], &body["end"], all_day)?;
        within_neighbours(calendar, place, &item.when)?;
    }
    if !body["body"].is_null() {
        item.html = html_of(&body["body"])?;
        // Without its link in the words there is no meeting any more.
        item.join = item.join.filter(|join| item.html.contains(join.as_str()));
    }
    item.properties.extend(properties(&body)?);
    calendar.edit(place, |known| {
        let changes = known.changes;
        *known = Item { changes, ..item };
    })?;
    if visible {
        calendar.tell(place, Told::Changed, "")?;
    }
    Ok(Given::Json(200, shown::event(calendar, place, asked)?))
}

/// A date of a series stays between those before and behind it.
fn within_neighbours(calendar: &Calendar, place: Place, to: &When) -> Result<(), ApiError> {
    let (number, Some(date)) = place else {
        return Ok(());
    };
    let stored = calendar.stored(number)?;
    let day = to.start.date();
    let dates = stored.dates(date.saturating_add(jiff::ToSpan::years(2)));
    let crosses = dates.iter().filter(|other| **other != date).any(|other| {
        let there = stored
            .on(Some(*other))
            .map_or(*other, |item| item.when.start.date());
        (*other < date && day <= there) || (*other > date && day >= there)
    });
    match crosses {
        true => Err(ApiError::new(
            400,
            "ErrorOccurrenceCrossingBoundary",
            "Modified occurrence is crossing or overlapping adjacent occurrence.",
        )),
        false => Ok(()),
    }
}

pub(super) fn delete(calendar: &mut Calendar, asked: &Asked, id: &str) -> Result<Given, ApiError> {
    let place = calendar.find(id)?;
    calendar.unchanged(place, asked)?;
    if calendar.is_own(calendar.stored(place.0)?) {
        calendar.tell(place, Told::Cancelled, "")?;
    }
    calendar.remove(place);
    Ok(Given::Nothing(204))
}

pub(super) fn cancel(calendar: &mut Calendar, asked: &Asked, id: &str) -> Result<Given, ApiError> {
    let body = asked.body(&["comment"])?;
    let place = calendar.find(id)?;
    if !calendar.is_own(calendar.stored(place.0)?) {
        return Err(invalid("You need to be an organizer to cancel a meeting."));
    }
    if calendar.item(place)?.attendees.is_empty() {
        return Err(invalid("There is nobody to tell."));
    }
    let comment = body["comment"].as_str().unwrap_or_default();
    calendar.tell(place, Told::Cancelled, comment)?;
    calendar.remove(place);
    Ok(Given::Nothing(202))
}
