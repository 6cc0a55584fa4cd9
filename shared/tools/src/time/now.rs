use super::{LocalTime, TOOLSET};
use crate::args::Zone;
use crate::prelude::*;

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Arguments {
    /// IANA zone, city ("Portland, Maine") or offset ("UTC+5:30"); the person's own when left out.
    timezone: Option<Zone>,
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
    let zone = args
        .timezone
        .map_or_else(|| context.zone(), |zone| zone.value);
    Ok(LocalTime::new(&context.now.to_zoned(zone)))
}
