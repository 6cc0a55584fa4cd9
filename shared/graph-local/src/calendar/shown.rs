//! An event as it is told.

use mail_parser::decoders::html::html_to_text;
use serde_json::{Value, json};

use super::Calendar;
use super::event::{Item, Place, Stored};
use crate::asked::Asked;
use crate::error::ApiError;

/// Everything that may be selected.
const FIELDS: [&str; 19] = [
    "id",
    "changeKey",
    "iCalUId",
    "subject",
    "body",
    "start",
    "end",
    "isAllDay",
    "location",
    "onlineMeeting",
    "attendees",
    "organizer",
    "isOrganizer",
    "responseStatus",
    "showAs",
    "isCancelled",
    "type",
    "seriesMasterId",
    "originalStartTimeZone",
];

/// The dates of a series that were changed, as `$expand` names them.
const EXCEPTIONS: &str = "exceptionOccurrences";

/// The extended properties that are asked for with an event.
fn expanded(asked: &Asked) -> Result<Vec<String>, ApiError> {
    let Some(expand) = asked
        .query("$expand")
        .filter(|expand| *expand != EXCEPTIONS)
    else {
        return Ok(Vec::new());
    };
    let bad = || ApiError::bad_request(format!("$expand={expand}"));
    let inner = expand.strip_prefix("singleValueExtendedProperties($filter=");
    let inner = inner.and_then(|rest| rest.strip_suffix(')'));
    let each = inner.ok_or_else(bad)?.split(" or ").map(|term| {
        let id = term.trim().strip_prefix("id eq '")?.strip_suffix('\'')?;
        Some(id.to_owned())
    });
    each.collect::<Option<_>>().ok_or_else(bad)
}

/// An event with what is selected.
pub(super) fn event(calendar: &Calendar, place: Place, asked: &Asked) -> Result<Value, ApiError> {
    let selected: Vec<&str> = match asked.query("$select") {
        Some(names) => names.split(',').collect(),
        None => FIELDS.to_vec(),
    };
    if let Some(unknown) = selected.iter().find(|name| !FIELDS.contains(name)) {
        let words = format!("Could not find a property named '{unknown}'");
        return Err(ApiError::bad_request(words));
    }
    let (stored, item) = (calendar.stored(place.0)?, calendar.item(place)?);
    let mut shown = json!({
        "id": Calendar::told(place, asked.immutable()),
        "@odata.etag": format!("W/\"{}\"", calendar.change_key(place)?),
    });
    for name in selected {
        if name != "id" {
            shown[name] = field(calendar, (place, stored, &item), name, asked)?;
        }
    }
    let wanted = expanded(asked)?;
    let properties = item.properties.iter().filter(|(id, _)| wanted.contains(id));
    let properties: Vec<Value> = properties
        .map(|(id, value)| json!({"id": id, "value": value}))
        .collect();
    if !properties.is_empty() {
        shown["singleValueExtendedProperties"] = json!(properties);
    }
    if asked.query("$expand") == Some(EXCEPTIONS) {
        let dates = stored.dates.iter().filter(|(_, item)| item.is_some());
        let places = dates.map(|(date, _)| (place.0, Some(*date)));
        let each = places.map(|place| event(calendar, place, &Asked::of_owner()));
        shown[EXCEPTIONS] = json!(each.collect::<Result<Vec<_>, _>>()?);
    }
    Ok(shown)
}

fn field(
    calendar: &Calendar,
    (place, stored, item): (Place, &Stored, &Item),
    name: &str,
    asked: &Asked,
) -> Result<Value, ApiError> {
    let zone = asked.prefers("outlook.timezone").unwrap_or("UTC".into());
    let series = stored.pattern.is_some();
    let changed = place.1.is_some_and(|date| stored.dates.contains_key(&date));
    Ok(match name {
        "changeKey" => json!(calendar.change_key(place)?),
        "iCalUId" => json!(format!("040000008200E00074C5B7101A82E008{:08}", place.0)),
        "subject" => json!(item.subject),
        "body" => match asked.prefers("outlook.body-content-type").as_deref() {
            Some("text") => json!({"contentType": "text", "content": html_to_text(&item.html)}),
            _ => json!({"contentType": "html", "content": item.html}),
        },
        "start" => item.when.shown(&zone)?[0].clone(),
        "end" => item.when.shown(&zone)?[1].clone(),
        "isAllDay" => json!(item.when.all_day),
        "location" => json!({"displayName": item.location}),
        "onlineMeeting" => match &item.join {
            Some(url) => json!({"joinUrl": url}),
            None => Value::Null,
        },
        "attendees" => json!(item.attendees),
        "organizer" => stored.organizer.clone(),
        "isOrganizer" => json!(calendar.is_own(stored)),
        "responseStatus" => json!({"response": item.response}),
        "showAs" => json!(item.show_as),
        "isCancelled" => json!(item.is_cancelled),
        "type" => json!(match place.1 {
            None if series => "seriesMaster",
            None => "singleInstance",
            Some(_) if changed => "exception",
            Some(_) => "occurrence",
        }),
        "seriesMasterId" => match place.1 {
            Some(_) => json!(Calendar::told((place.0, None), asked.immutable())),
            None => Value::Null,
        },
        "originalStartTimeZone" => json!(item.when.zone),
        _ => Value::Null,
    })
}
