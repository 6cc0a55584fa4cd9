//! Recurrence rules in Graph's form (<https://learn.microsoft.com/graph/api/resources/patternedrecurrence>).

use crate::Result;
use alfred_core::ports::{AccountError, Frequency, Recurrence, RepeatEnd};
use jiff::ToSpan;
use jiff::civil::{Date, Weekday};
use serde_json::{Value, json};

fn weekday(day: &Weekday) -> String {
    format!("{day:?}").to_lowercase()
}

/// Refuses rules that Outlook would repeat on other days: it doesn't skip months without the day.
pub(super) fn check(rule: &Recurrence, first: Date) -> Result<()> {
    let day = first.day();
    if rule.frequency != Frequency::Monthly || day <= 28 {
        return Ok(());
    }
    let months = first.series(i64::from(rule.interval).months());
    let has_day = |date: Date| date.day() == day;
    let all_have_it = match rule.end {
        // Every rule without an end reaches a February.
        RepeatEnd::Never => false,
        RepeatEnd::After(count) => months.take(usize::from(count)).all(has_day),
        RepeatEnd::On(last) => months.take_while(|date| *date <= last).all(has_day),
    };
    if all_have_it {
        return Ok(());
    }
    Err(AccountError::refused(outlook_month_ends(day)))
}

fn outlook_month_ends(day: i8) -> String {
    format!(
        "`repeat`: where a month has no day {day}, Outlook takes its last day instead of leaving it out. Please choose a day from 1 to 28, or an end before that."
    )
}

/// The rule of an event whose first day in this zone is `first`.
pub(super) fn written(rule: &Recurrence, first: Date, zone: &str) -> Value {
    let mut pattern = json!({"interval": rule.interval});
    match rule.frequency {
        Frequency::Daily => pattern["type"] = json!("daily"),
        Frequency::Weekly => {
            let own = [first.weekday()];
            let days = if rule.days.is_empty() {
                &own[..]
            } else {
                &rule.days
            };
            pattern["type"] = json!("weekly");
            pattern["daysOfWeek"] = days.iter().map(weekday).collect();
            pattern["firstDayOfWeek"] = json!("monday");
        }
        Frequency::Monthly => {
            pattern["type"] = json!("absoluteMonthly");
            pattern["dayOfMonth"] = json!(first.day());
        }
    }
    let mut range = json!({"startDate": first.to_string(), "recurrenceTimeZone": zone});
    match rule.end {
        RepeatEnd::Never => range["type"] = json!("noEnd"),
        RepeatEnd::After(count) => {
            range["type"] = json!("numbered");
            range["numberOfOccurrences"] = json!(count);
        }
        RepeatEnd::On(last) => {
            range["type"] = json!("endDate");
            range["endDate"] = json!(last.to_string());
        }
    }
    json!({"pattern": pattern, "range": range})
}
