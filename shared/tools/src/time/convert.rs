use alfred_planner::{Moment, parse_moment};

use super::{TOOLSET, local_time};
use crate::prelude::*;

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Arguments {
    /// "14:00", "tomorrow 2:30 pm", "2026-03-29T14:00" or "now"; a time alone means today there.
    time: String,
    /// Zone of the given time: IANA name or city.
    from: Zone,
    /// Zone to convert to: IANA name or city.
    to: Zone,
}

pub fn tool() -> SharedTool {
    let description = "Converts a time from one time zone to another.";
    let def = ToolDef::new(TOOLSET, "time_convert", description).flow(Flow::NEUTRAL);
    tool::read(def, convert)
}

async fn convert(context: ToolContext, args: Arguments) -> Result<Value> {
    let (from, to) = (args.from.value, args.to.value);
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
    let mut converted = json!({
        "from": local_time(&at),
        "to": local_time(&there),
        // -1, 0 or 1.
        "dayDifference": there.date().duration_since(at.date()).as_hours() / 24,
    });
    add(&mut converted, "resolution", json!(resolution));
    Ok(converted)
}
