use alfred_planner::dst::{self, DstAdjustment};
use alfred_planner::{Moment, parse_moment};
use jiff::civil::DateTime;
use jiff::{Span, Zoned};

use super::{LocalTime, TOOLSET, zone_or_own};
use crate::prelude::*;

/// Limit per unit, in both directions.
const MOST: i64 = 1_000_000;

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Arguments {
    /// "now" (when left out), "2026-11-21T14:00", "tomorrow 9am", or a date: its midnight.
    start: Option<String>,
    /// Zone of start and result: IANA name or city; the person's own when left out.
    timezone: Option<String>,
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

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Added {
    start: LocalTime,
    result: LocalTime,
    /// Set if the start was skipped or occurs twice.
    #[serde(skip_serializing_if = "Option::is_none")]
    start_resolution: Option<DstAdjustment>,
    /// Likewise for the result of the calendar units.
    #[serde(skip_serializing_if = "Option::is_none")]
    resolution: Option<DstAdjustment>,
    /// Set if a month was too short for the day.
    #[serde(skip_serializing_if = "Option::is_none")]
    note: Option<String>,
}

pub fn tool() -> SharedTool {
    let def = ToolDef::new(TOOLSET, "time_add",
        "Adds to a moment; negative numbers go back. Years to days follow the calendar, hours and minutes really pass.",
    ).flow(Flow::NEUTRAL);
    tool::read(def, add)
}

/// The amount by unit: months and days follow the calendar, minutes are elapsed time.
struct Amount {
    months: i64,
    days: i64,
    minutes: i64,
}

impl Arguments {
    fn amount(&self) -> Result<Amount, ToolError> {
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
                let problem = format!("is out of range: {} to {MOST}.", -MOST);
                return Err(refused(field, &shown, problem));
            }
        }
        if units.iter().all(|(_, value)| value.is_none()) {
            let names: Vec<&str> = units.iter().map(|(field, _)| *field).collect();
            return Err(ToolError::failed(format!(
                "nothing to add: give at least one of {}.",
                names.join(", ")
            )));
        }
        let of = |value: Option<i64>| value.unwrap_or(0);
        Ok(Amount {
            months: of(self.years) * 12 + of(self.months),
            days: of(self.weeks) * 7 + of(self.days),
            minutes: of(self.hours) * 60 + of(self.minutes),
        })
    }
}

async fn add(context: ToolContext, args: Arguments) -> Result<Added, ToolError> {
    let amount = args.amount()?;
    let zone = zone_or_own(&context, "timezone", args.timezone.as_deref())?;
    let text = args.start.as_deref().unwrap_or("now");
    let today = dst::date_at(context.now, &zone);
    let moment = parse_moment("start", text, today).map_err(invalid)?;
    let (start, start_resolution) = match moment {
        Moment::Now => Ok((context.now.to_zoned(zone), None)),
        Moment::Instant(at) => Ok((at.to_zoned(zone), None)),
        Moment::Local(at) => dst::resolve(at, &zone),
        Moment::Day(date) => dst::resolve(date.at(0, 0, 0, 0), &zone),
    }
    .map_err(|_| refused("start", text, "is out of range."))?;
    let (result, resolution, note) = advance(&start, &amount).map_err(|_| {
        ToolError::failed(
            "the result lies outside the years that can be represented (up to 9999). Add less.",
        )
    })?;
    Ok(Added {
        start: LocalTime::new(&start),
        result: LocalTime::new(&result),
        start_resolution,
        resolution,
        note,
    })
}

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

fn by_calendar(
    start: DateTime,
    amount: &Amount,
) -> Result<(DateTime, Option<String>), jiff::Error> {
    let moved = start.checked_add(Span::new().try_months(amount.months)?)?;
    let note = (moved.day() != start.day()).then(|| {
        format!(
            "{} has no day {}; its last day was taken.",
            moved.strftime("%B %Y"),
            start.day()
        )
    });
    let moved = moved.checked_add(Span::new().try_days(amount.days)?)?;
    Ok((moved, note))
}

#[cfg(test)]
mod tests {
    use crate::testing::*;

    async fn add(args: Value) -> Value {
        ToolHarness::at("2026-11-21T12:00:00Z")
            .ok("time_add", args)
            .await
    }

    #[tokio::test]
    async fn days_keep_the_time_of_day_and_hours_pass() {
        let start = "2026-03-28T12:00";
        let day = add(json!({"start": start, "timezone": "Berlin", "days": 1})).await;
        assert_eq!(day["result"]["dateTime"], "2026-03-29T12:00:00+02:00");
        let hours = add(json!({"start": start, "timezone": "Berlin", "hours": 24})).await;
        assert_eq!(hours["result"]["dateTime"], "2026-03-29T13:00:00+02:00");
    }

    #[tokio::test]
    async fn units_of_both_signs_add_up() {
        let args =
            json!({"years": 1, "months": -2, "weeks": 1, "days": -1, "hours": 1, "minutes": -90});
        let there = add(args).await;
        assert_eq!(there["start"]["timezone"], "UTC");
        assert_eq!(there["result"]["dateTime"], "2027-09-27T11:30:00+00:00");
        let same = add(json!({"minutes": 0})).await;
        assert_eq!(same["start"], same["result"]);
    }

    #[tokio::test]
    async fn a_short_month_is_said() {
        let there = add(json!({"start": "2027-01-31", "months": 1})).await;
        assert_eq!(there["result"]["date"], "2027-02-28");
        assert_eq!(
            there["note"],
            "February 2027 has no day 31; its last day was taken."
        );
        let leap = add(json!({"start": "2028-02-29", "years": 4})).await;
        assert_eq!(leap["result"]["date"], "2032-02-29");
        assert!(leap.get("note").is_none());
    }

    #[tokio::test]
    async fn gaps_and_folds_on_the_way() {
        let zone = "America/New_York";
        let gap = add(json!({"start": "2026-03-07T02:30", "timezone": zone, "days": 1})).await;
        assert_eq!(gap["result"]["dateTime"], "2026-03-08T03:30:00-04:00");
        assert_eq!(gap["resolution"]["kind"], "gap");
        // One hour after the first 01:30 is the second 01:30, and it stays the second.
        let fold = add(json!({"start": "2026-11-01T01:30", "timezone": zone, "hours": 1})).await;
        assert_eq!(fold["result"]["dateTime"], "2026-11-01T01:30:00-05:00");
        assert_eq!(fold["startResolution"]["kind"], "fold");
        let second = json!({"start": "2026-11-01T01:30:00-05:00", "timezone": zone, "minutes": 15});
        assert_eq!(
            add(second).await["result"]["dateTime"],
            "2026-11-01T01:45:00-05:00"
        );
    }
}
