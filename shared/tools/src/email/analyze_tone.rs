//! `email_analyzeTone`: returns samples of the person's own mails for an analysis of their writing style.

use alfred_agent::store::users;
use alfred_core::Tone;

use super::TOOLSET;
use super::sent::{self, Sample};
use crate::prelude::*;

/// Default number of mails.
const COUNT: i64 = 15;
/// Fewer samples are too few for an analysis.
pub const LEAST: usize = 3;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum Mode {
    Recent,
    Specific,
    Saved,
}

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Arguments {
    /// The newest e-mails, those of emailIds, or only what is saved.
    mode: Mode,
    /// How many, for recent, up to 25; 15 when left out.
    count: Option<i64>,
    /// 3 to 25, for specific.
    email_ids: Option<Vec<String>>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Analyzed {
    emails_analyzed: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    date_range: Option<DateRange>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    emails: Vec<Shown>,
    saved: Option<Tone>,
}

#[derive(Serialize)]
struct DateRange {
    from: Date,
    to: Date,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Shown {
    email_id: String,
    text: String,
}

pub fn tool() -> SharedTool {
    let def = ToolDef::new(
        TOOLSET,
        "email_analyzeTone",
        "Shows e-mails the person wrote, to find how they write; then call email_setTone.",
    )
    // An undetected quote may put another person's words into a sample.
    .flow(Flow::UNKNOWN);
    tool::full(def, analyze)
}

async fn analyze(context: ToolContext, args: Arguments) -> Result<ToolOutput, ToolError> {
    let saved = users::get(context.store.as_ref(), &context.team, context.user_id()).await?;
    let saved = saved.and_then(|stored| stored.user.preferences.email_tone);
    let samples = match (args.mode, args.email_ids.as_deref()) {
        (Mode::Saved, _) => {
            let only = Analyzed {
                emails_analyzed: 0,
                date_range: None,
                emails: Vec::new(),
                saved,
            };
            return Ok(ToolOutput::data(&only)?.bringing(Flow::PRIVATE));
        }
        (Mode::Specific, Some(ids)) => sent::named(&context, "emailIds", ids).await?,
        (Mode::Specific, None) => {
            return Err(refused(
                "emailIds",
                "",
                "is missing: mode specific needs it.",
            ));
        }
        (Mode::Recent, Some(_)) => {
            return Err(refused(
                "emailIds",
                "",
                "is of no use here: it belongs to specific.",
            ));
        }
        (Mode::Recent, None) => {
            let most = u32::try_from(sent::MOST).unwrap_or(u32::MAX);
            let count = within("count", args.count.unwrap_or(COUNT), &(1..=most));
            let count = usize::try_from(count.map_err(invalid)?).unwrap_or(sent::MOST);
            sent::newest(&context, count.max(LEAST)).await?
        }
    };
    enough(&samples)?;
    let day = |sample: &Sample| sample.at.to_zoned(context.zone()).date();
    let days = samples.iter().map(day);
    let range = days.clone().min().zip(days.max());
    ToolOutput::data(&Analyzed {
        emails_analyzed: samples.len(),
        date_range: range.map(|(from, to)| DateRange { from, to }),
        emails: samples.into_iter().map(Shown::from).collect(),
        saved,
    })
}

/// Fails with the number found if there are fewer than [`LEAST`] samples.
pub fn enough(samples: &[Sample]) -> Result<(), ToolError> {
    match samples.len() {
        LEAST.. => Ok(()),
        few => Err(ToolError::failed(too_few_sent_mails(few, LEAST))),
    }
}

fn too_few_sent_mails(found: usize, least: usize) -> String {
    let found = match found {
        0 => "no e-mail".to_owned(),
        1 => "1 e-mail".to_owned(),
        more => format!("{more} e-mails"),
    };
    format!(
        "I found {found} of yours with enough text to tell how you write; I need at least {least}."
    )
}

impl From<Sample> for Shown {
    fn from(sample: Sample) -> Self {
        Self {
            email_id: sample.id.0,
            text: sample.text,
        }
    }
}
