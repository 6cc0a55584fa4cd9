//! `email_analyzeTone`: returns samples of the person's own mails for an analysis of their writing style.

use alfred_agent::store::users;

use super::TOOLSET;
use super::sent::{self, Sample};
use crate::prelude::*;

/// Default number of mails.
const COUNT: usize = 15;

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
    count: Option<Number<1, { sent::MOST }>>,
    /// 3 to 25, for specific.
    email_ids: Option<Vec<String>>,
}

pub fn tool() -> SharedTool {
    let description =
        "Shows e-mails the person wrote, to find how they write; then call email_setTone.";
    // Untrusted, as is the default: an undetected quote may put another person's words into a sample.
    let def = ToolDef::new(TOOLSET, "email_analyzeTone", description);
    tool::full(def, analyze)
}

async fn analyze(context: ToolContext, args: Arguments) -> Result<ToolOutput> {
    let saved = users::get(context.store.as_ref(), &context.team, context.user_id()).await?;
    let saved = saved.and_then(|stored| stored.user.preferences.email_tone);
    let wrong = |problem| Err(refused("emailIds", "", problem));
    let samples = match (args.mode, args.email_ids.as_deref()) {
        (Mode::Saved, _) => {
            let only = json!({"emailsAnalyzed": 0, "saved": saved});
            return Ok(ToolOutput::data(&only)?.bringing(Flow::PRIVATE));
        }
        (Mode::Specific, Some(ids)) => sent::named(&context, ids).await?,
        (Mode::Specific, None) => return wrong("is missing: mode specific needs it."),
        (Mode::Recent, Some(_)) => return wrong("is of no use here: it belongs to specific."),
        (Mode::Recent, None) => {
            let count = args.count.map_or(COUNT, |count| count.value as usize);
            sent::newest(&context, count.max(sent::LEAST)).await?
        }
    };
    let day = |sample: &Sample| sample.at.to_zoned(context.zone()).date();
    let days = samples.iter().map(day);
    let range = days.clone().min().zip(days.max());
    let emails = samples.iter();
    let emails = emails.map(|sample| json!({"emailId": sample.id, "text": sample.text}));
    ToolOutput::data(&json!({
        "emailsAnalyzed": samples.len(),
        "dateRange": range.map(|(from, to)| json!({"from": from, "to": to})),
        "emails": emails.collect::<Vec<_>>(),
        "saved": saved,
    }))
}
