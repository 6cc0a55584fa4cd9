use alfred_planner::dst::{self, DstAdjustment};
use alfred_planner::{Moment, parse_moment};

use super::{LocalTime, TOOLSET, zone::parse_zone};
use crate::prelude::*;

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Arguments {
    /// "14:00", "tomorrow 2:30 pm", "2026-03-29T14:00" or "now"; a time alone means today there.
    time: String,
    /// Zone of the given time: IANA name or city.
    from: String,
    /// Zone to convert to: IANA name or city.
    to: String,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Converted {
    from: LocalTime,
    to: LocalTime,
    /// Difference of the dates, `to` minus `from`: -1, 0 or 1.
    day_difference: i64,
    #[serde(skip_serializing_if = "Option::is_none")]
    resolution: Option<DstAdjustment>,
}

pub fn tool() -> SharedTool {
    let def = ToolDef::new(
        TOOLSET,
        "time_convert",
        "Converts a time from one time zone to another.",
    )
    .flow(Flow::NEUTRAL);
    tool::read(def, convert)
}

async fn convert(context: ToolContext, args: Arguments) -> Result<Converted, ToolError> {
    let from = parse_zone("from", &args.from).map_err(invalid)?;
    let to = parse_zone("to", &args.to).map_err(invalid)?;
    let today = dst::date_at(context.now, &from);
    let (at, resolution) = match parse_moment("time", &args.time, today).map_err(invalid)? {
        Moment::Now => (context.now.to_zoned(from), None),
        Moment::Instant(at) => (at.to_zoned(from), None),
        Moment::Local(at) => {
            dst::resolve(at, &from).map_err(|_| refused("time", &args.time, "is out of range."))?
        }
        Moment::Day(_) => {
            let problem = "is a date without a time. Add one, such as 14:00.";
            return Err(refused("time", &args.time, problem));
        }
    };
    let there = at.with_time_zone(to);
    Ok(Converted {
        day_difference: there.date().duration_since(at.date()).as_hours() / 24,
        from: LocalTime::new(&at),
        to: LocalTime::new(&there),
        resolution,
    })
}

#[cfg(test)]
mod tests {
    use crate::testing::*;

    async fn convert(time: &str, from: &str, to: &str) -> serde_json::Value {
        ToolHarness::at("2026-11-21T12:00:00Z")
            .ok(
                "time_convert",
                json!({"time": time, "from": from, "to": to}),
            )
            .await
    }

    #[tokio::test]
    async fn across_the_date_line_and_back() {
        let there = convert("9am", "Tokyo", "Los Angeles").await;
        assert_eq!(there["from"]["dateTime"], "2026-11-21T09:00:00+09:00");
        assert_eq!(there["to"]["dateTime"], "2026-11-20T16:00:00-08:00");
        assert_eq!(there["dayDifference"], -1);
        assert!(there.get("resolution").is_none());
        // "Today" is the date in `from`: in Auckland it is already the 22nd.
        let there = convert("01:00", "Auckland", "UTC").await;
        assert_eq!(there["from"]["date"], "2026-11-22");
        assert_eq!(there["to"]["time"], "12:00");
        let there = convert("now", "UTC", "Sao Paulo").await;
        assert_eq!(there["to"]["time"], "09:00");
        let there = convert("2026-07-01T12:00:00Z", "Berlin", "New York").await;
        assert_eq!(
            (&there["from"]["time"], &there["to"]["time"]),
            (&json!("14:00"), &json!("08:00"))
        );
    }

    #[tokio::test]
    async fn summer_time_differs_between_the_two_sides() {
        // The United States change three weeks before Europe.
        let there = convert("2026-03-16T09:00", "New York", "Berlin").await;
        assert_eq!(there["to"]["time"], "14:00");
        let there = convert("2026-04-06T09:00", "New York", "Berlin").await;
        assert_eq!(there["to"]["time"], "15:00");
    }

    #[tokio::test]
    async fn gaps_and_folds_are_resolved_and_said() {
        let gap = convert("2026-03-29T02:30", "Berlin", "UTC").await;
        assert_eq!(gap["from"]["time"], "03:30");
        assert_eq!(gap["to"]["time"], "01:30");
        assert_eq!(gap["resolution"]["kind"], "gap");
        let fold = convert("2026-10-25T02:30", "Berlin", "UTC").await;
        assert_eq!(fold["to"]["time"], "00:30");
        assert_eq!(fold["resolution"]["kind"], "fold");
        let said = fold["resolution"]["explanation"].as_str().unwrap();
        assert!(
            said.contains("the first one (UTC+02:00) was taken"),
            "{said}"
        );
    }
}
