use super::{TOOLSET, local_time};
use crate::prelude::*;

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Arguments {
    /// IANA zone, city ("Portland, Maine") or offset ("UTC+5:30"); the person's own when left out.
    timezone: Option<Zone>,
}

pub fn tool() -> SharedTool {
    let description = "Date, time, weekday and UTC offset now, here or elsewhere.";
    let def = ToolDef::new(TOOLSET, "time_now", description)
        .flow(Flow::NEUTRAL)
        .rules(&["Never guess the time anywhere: ask time_now, time_convert or time_add."]);
    tool::read(def, now)
}

async fn now(context: ToolContext, args: Arguments) -> Result<Value> {
    let zone = args.timezone.map(|zone| zone.value);
    let zone = zone.unwrap_or_else(|| context.zone());
    Ok(local_time(&context.now.to_zoned(zone)))
}
