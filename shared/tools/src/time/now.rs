use super::{LocalTime, TOOLSET, zone_or_own};
use crate::prelude::*;

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Arguments {
    /// IANA zone, city ("Portland, Maine") or offset ("UTC+5:30"); the person's own when left out.
    timezone: Option<String>,
}

pub fn tool() -> SharedTool {
    let def = ToolDef::new(
        TOOLSET,
        "time_now",
        "Date, time, weekday and UTC offset now, here or elsewhere.",
    )
    .flow(Flow::NEUTRAL)
    .rules(&["Never guess the time anywhere: ask time_now, time_convert or time_add."]);
    tool::read(def, now)
}

async fn now(context: ToolContext, args: Arguments) -> Result<LocalTime, ToolError> {
    let zone = zone_or_own(&context, "timezone", args.timezone.as_deref())?;
    Ok(LocalTime::new(&context.now.to_zoned(zone)))
}

#[cfg(test)]
mod tests {
    use crate::testing::*;

    #[tokio::test]
    async fn the_present_here_and_elsewhere() {
        let harness = ToolHarness::at("2026-11-21T23:30:15Z").zone("Europe/Berlin");
        let here = harness.ok("time_now", json!({})).await;
        assert_eq!(
            here,
            json!({
                "timezone": "Europe/Berlin", "date": "2026-11-22", "time": "00:30",
                "weekday": "Sunday", "utcOffset": "+01:00", "abbreviation": "CET",
                "dateTime": "2026-11-22T00:30:15+01:00",
            })
        );
        let there = harness
            .ok("time_now", json!({"timezone": "kathmandu"}))
            .await;
        assert_eq!(there["timezone"], "Asia/Kathmandu");
        assert_eq!(there["time"], "05:15");
        assert_eq!(there["utcOffset"], "+05:45");
        assert_eq!(harness.ok("time_now", json!({})).await, here);
    }
}
