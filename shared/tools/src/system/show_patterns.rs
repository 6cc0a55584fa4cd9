//! Loads what is stored; `alfred_planner::patterns` counts it.

use alfred_planner::patterns::{Observations, Pattern, What, patterns};
use jiff::Span;

use super::TOOLSET;
use super::observed::{self, About};
use crate::prelude::*;

#[derive(Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Timeframe {
    Week,
    Month,
    AllTime,
}

impl Timeframe {
    /// Days back, today included.
    const fn days(self) -> i64 {
        match self {
            Self::Week => 7,
            Self::Month => 30,
            Self::AllTime => 365,
        }
    }
}

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Arguments {
    /// How far back; week when left out.
    timeframe: Option<Timeframe>,
    /// All when left out.
    about: Option<Vec<About>>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Shown {
    timeframe: Timeframe,
    from: Date,
    until: Date,
    patterns: Vec<View>,
    considered: Considered,
    #[serde(skip_serializing_if = "Option::is_none")]
    note: Option<String>,
}

pub(crate) struct Seen {
    from: Date,
    until: Date,
    observations: Observations,
    pub patterns: Vec<Pattern>,
    note: Option<String>,
}

#[derive(Serialize)]
struct Considered {
    days: usize,
    tasks: usize,
    requests: usize,
    proposals: usize,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct View {
    pattern: String,
    /// 0–1: the lower end of the Wilson interval of `agree` of `of`.
    confidence: f64,
    examples: Vec<String>,
    agree: usize,
    of: usize,
    /// Whether it is sure enough for plans to follow it.
    followed: bool,
    #[serde(flatten)]
    what: What,
}

impl From<Pattern> for View {
    fn from(found: Pattern) -> Self {
        Self {
            pattern: found.what.to_string(),
            confidence: found.confidence(),
            followed: found.is_sure(),
            examples: found.examples,
            agree: found.agree,
            of: found.of,
            what: found.what,
        }
    }
}

pub fn tool() -> SharedTool {
    let def = ToolDef::new(TOOLSET, "system_showPatterns",
        "Says what the person's days, tasks, feedback and proposals have in common, with examples and how sure it is.",
    ).flow(Flow::PRIVATE);
    tool::full(def, show)
}

async fn show(context: ToolContext, args: Arguments) -> Result<ToolOutput, ToolError> {
    let timeframe = args.timeframe.unwrap_or(Timeframe::Week);
    let about = args.about.filter(|about| !about.is_empty());
    let about = about.unwrap_or_else(|| About::ALL.to_vec());
    let seen = seen(&context, timeframe, &about).await?;
    let tainted = seen.patterns.iter().any(|pattern| pattern.tainted);
    let shown = Shown {
        timeframe,
        from: seen.from,
        until: seen.until,
        considered: Considered::from_observations(&seen.observations),
        patterns: seen.patterns.into_iter().map(View::from).collect(),
        note: seen.note,
    };
    Ok(ToolOutput::data(&shown)?.bringing(Flow::of_stored(tainted)))
}

pub(crate) async fn seen(
    context: &ToolContext,
    timeframe: Timeframe,
    about: &[About],
) -> Result<Seen, ToolError> {
    let until = today(context);
    let from = until.saturating_sub(Span::new().days(timeframe.days() - 1));
    let since = start_of(context, from);
    let (observations, note) = observed::observe(context, about, (from, until), since).await?;
    Ok(Seen {
        from,
        until,
        patterns: patterns(&observations),
        observations,
        note,
    })
}

/// The first moment of a day in the person's time zone.
fn start_of(context: &ToolContext, day: Date) -> Timestamp {
    let start = day.to_zoned(context.zone());
    start.map_or(Timestamp::MIN, |start| start.timestamp())
}

impl Considered {
    fn from_observations(seen: &Observations) -> Self {
        Self {
            days: seen.days.len(),
            tasks: seen.tasks.len(),
            requests: seen.asked.len(),
            proposals: seen.offers.len(),
        }
    }
}

#[cfg(test)]
#[path = "show_patterns_tests.rs"]
mod tests;
