use alfred_planner::dst::DstAdjustment;
use alfred_planner::{InputError, Moment, parse_moment};
use jiff::civil::DateTime;
use jiff::{Span, Zoned};

use super::{TOOLSET, local_time};
use crate::prelude::*;

/// Limit per unit, in both directions.
const MOST: i64 = 1_000_000;

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Arguments {
    /// "now" (when left out), "2026-11-21T14:00", "tomorrow 9am", or a date: its midnight.
    start: Option<String>,
    /// Zone of start and result: IANA name or city; the person's own when left out.
    timezone: Option<Zone>,
    /// Years to add.
    years: Option<i64>,
    /// Months to add.
    months: Option<i64>,
    /// Weeks to add.
    weeks: Option<i64>,
    /// Calendar days to add.
    days: Option<i64>,
    /// Hours to add.
    hours: Option<i64>,
    /// Minutes to add.
    minutes: Option<i64>,
}

pub fn tool() -> SharedTool {
    let description = "Adds to a moment; negative numbers go back. Years to days follow the calendar; hours and minutes are elapsed.";
    let def = ToolDef::new(TOOLSET, "time_add", description).flow(Flow::NEUTRAL);
    tool::read(def, shift)
}

/// The amount by unit: months and days follow the calendar, minutes are elapsed time.
struct Amount {
    months: i64,
    days: i64,
    minutes: i64,
}

impl Arguments {
    fn amount(&self) -> Result<Amount> {
        let units = [
            ("years", self.years),
            ("months", self.months),
            ("weeks", self.weeks),
            ("days", self.days),
            ("hours", self.hours),
            ("minutes", self.minutes),
        ];
        for (field, value) in units {
            if value.is_some_and(|n| !(-MOST..=MOST).contains(&n)) {
                let shown = value.unwrap_or_default().to_string();
                let bounds = format!("{} to {MOST}", -MOST);
                return Err(invalid(InputError::out_of_bounds(field, &shown, &bounds)));
            }
        }
        if units.iter().all(|(_, value)| value.is_none()) {
            let names = units.map(|(field, _)| field).join(", ");
            let problem = format!("nothing to add: give at least one of {names}.");
            return Err(ToolError::failed(problem));
        }
        let of = |value: Option<i64>| value.unwrap_or(0);
        Ok(Amount {
            months: of(self.years) * 12 + of(self.months),
            days: of(self.weeks) * 7 + of(self.days),
            minutes: of(self.hours) * 60 + of(self.minutes),
        })
    }
}

async fn shift(context: ToolContext, args: Arguments) -> Result<Value> {
    let amount = args.amount()?;
    let zone = args.timezone.map(|zone| zone.value);
    let zone = zone.unwrap_or_else(|| context.zone());
    let text = args.start.as_deref().unwrap_or("now");
    let today = dst::date_at(context.now, &zone);
    let (start, start_resolution) = match parse_moment("start", text, today).map_err(invalid)? {
        Moment::Now => Ok((context.now.to_zoned(zone), None)),
        Moment::Instant(at) => Ok((at.to_zoned(zone), None)),
        Moment::Local(at) => dst::resolve(at, &zone),
        Moment::Day(date) => dst::resolve(date.at(0, 0, 0, 0), &zone),
    }
    .map_err(|_| refused("start", text, "is out of range."))?;
    let far = "the result lies outside the years that can be represented (up to 9999). Add less.";
    let advanced = advance(&start, &amount).map_err(|_| ToolError::failed(far));
    let (result, resolution, note) = advanced?;
    let mut added = json!({"start": local_time(&start), "result": local_time(&result)});
    // Set if the start, or the result of the calendar units, was skipped or occurs twice.
    add(&mut added, "startResolution", json!(start_resolution));
    add(&mut added, "resolution", json!(resolution));
    add(&mut added, "note", json!(note));
    Ok(added)
}

/// The result, how its local time was resolved, and a note if a month was too short for the day.
type Advanced = (Zoned, Option<DstAdjustment>, Option<String>);

fn advance(start: &Zoned, amount: &Amount) -> Result<Advanced, jiff::Error> {
    let (calendar, note) = by_calendar(start.datetime(), amount)?;
    // Without calendar units, the exact start counts: it may be the second of two equal local times.
    let (at, resolution) = if amount.months == 0 && amount.days == 0 {
        (start.clone(), None)
    } else {
        dst::resolve(calendar, start.time_zone())?
    };
    let result = at.checked_add(Span::new().try_minutes(amount.minutes)?)?;
    Ok((result, resolution, note))
}

fn by_calendar(start: DateTime, added: &Amount) -> Result<(DateTime, Option<String>), jiff::Error> {
    let moved = start.checked_add(Span::new().try_months(added.months)?)?;
    let (month, day) = (moved.strftime("%B %Y"), start.day());
    let note = format!("{month} has no day {day}; its last day was taken.");
    let note = (moved.day() != day).then_some(note);
    Ok((moved.checked_add(Span::new().try_days(added.days)?)?, note))
}
