//! When events are: spans, and the dates of a series.

use alfred_core::ports::{Recurrence, Span};
use jiff::civil::DateTime;
use jiff::tz::TimeZone;
use serde_json::{Value, json};

use super::{each, text};

fn zone(event: &Value) -> TimeZone {
    TimeZone::get(text(&event["start"]["timeZone"])).unwrap()
}

/// When an event is. Whole days are days in UTC.
pub fn span(event: &Value) -> Span {
    let all_day = event["isAllDay"] == true;
    let zone = if all_day { TimeZone::UTC } else { zone(event) };
    let at = |name: &str| {
        let time: DateTime = text(&event[name]["dateTime"]).parse().unwrap();
        time.to_zoned(zone.clone()).unwrap().timestamp()
    };
    Span {
        start: at("start"),
        end: at("end"),
    }
}

/// Gives an event the times of a span, by the clocks of a zone.
pub fn set(event: &mut Value, span: Span, zone: &TimeZone) {
    for (name, at) in [("start", span.start), ("end", span.end)] {
        let time = zone
            .to_datetime(at)
            .strftime("%Y-%m-%dT%H:%M:%S.0000000")
            .to_string();
        event[name] = json!({"dateTime": time, "timeZone": zone.iana_name()});
    }
}

/// The rule of a series, by the port's words.
fn rule(event: &Value) -> Recurrence {
    let (pattern, range) = (
        &event["recurrence"]["pattern"],
        &event["recurrence"]["range"],
    );
    let days = each(&pattern["daysOfWeek"]).map(|day| text(day)[..2].to_uppercase());
    let days: Vec<String> = days.collect();
    let frequency = match text(&pattern["type"]) {
        "daily" => "DAILY".to_owned(),
        "weekly" => format!("WEEKLY;BYDAY={}", days.join(",")),
        "absoluteMonthly" => "MONTHLY".to_owned(),
        other => panic!("a pattern of type {other}"),
    };
    let end = match text(&range["type"]) {
        "noEnd" => String::new(),
        "numbered" => format!(";COUNT={}", range["numberOfOccurrences"]),
        _ => format!(";UNTIL={}", text(&range["endDate"]).replace('-', "")),
    };
    let rule = format!("FREQ={frequency};INTERVAL={}{end}", pattern["interval"]);
    rule.parse().unwrap()
}

/// The dates of a series that begin before an instant, each with its id.
pub fn occurrences(series: &Value, before: jiff::Timestamp) -> Vec<Value> {
    let (zone, rule) = (zone(series), rule(series));
    let spans = rule.spans(span(series), zone.clone());
    let spans = spans.take_while(|span| span.start < before);
    let each = spans.map(|span| {
        let mut one = series.clone();
        let (id, day) = (text(&series["id"]), zone.to_datetime(span.start));
        one["id"] = json!(format!("{id}_{}", day.strftime("%Y%m%d")));
        one["type"] = json!("occurrence");
        one["seriesMasterId"] = json!(id);
        one["recurrence"] = Value::Null;
        set(&mut one, span, &zone);
        one
    });
    each.collect()
}
