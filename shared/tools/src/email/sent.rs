//! Text samples of mails that the person wrote.

use alfred_core::id::MailId;
use alfred_core::invisible::removed;
use alfred_core::ports::{MailMessage, MailQuery};
use alfred_planner::mail::own_words;

use super::find;
use crate::fields::counted;
use crate::prelude::*;

pub const MOST: u32 = 25;
/// Fewer samples are too few for an analysis.
pub const LEAST: usize = 3;
/// Fewer characters aren't enough for an analysis.
const SHORTEST: usize = 50;
/// Characters kept per mail.
const LONGEST: usize = 2_000;
/// Newest sent mails that are searched for samples.
const LISTED: usize = 50;

pub struct Sample {
    pub id: MailId,
    pub at: Timestamp,
    /// Without quotes and signature.
    pub text: String,
}

/// Returns the newest samples with enough text. Fails if there are too few.
pub async fn newest(context: &ToolContext, count: usize) -> Result<Vec<Sample>> {
    let query = MailQuery {
        sent: true,
        limit: LISTED,
        ..MailQuery::default()
    };
    let listed = find::list(context, &query).await?.mails;
    let by_hand = listed.into_iter().filter(|mail| !mail.automated);
    let ids: Vec<MailId> = by_hand.map(|mail| mail.id).collect();
    let mut samples = Vec::new();
    for some in ids.chunks(count.max(1)) {
        for (_, mail) in find::each(context, some).await? {
            samples.extend(mail.as_ref().and_then(sample));
        }
        if samples.len() >= count {
            break;
        }
    }
    samples.truncate(count);
    enough(samples)
}

/// Returns the samples with enough text. Fails if there are too few, or for an unknown or another person's mail.
pub async fn named(context: &ToolContext, ids: &[String]) -> Result<Vec<Sample>> {
    let field = "emailIds";
    let ids = find::ids(field, ids)?;
    check_count(field, ids.len(), "ids", 0..=MOST as usize)?;
    let own = find::own_address(context).await?;
    let mut samples = Vec::new();
    for (id, mail) in find::each(context, &ids).await? {
        let mail = mail.filter(|mail| mail.summary.from.address == own);
        let mail = mail.ok_or_else(|| find::wrong(field, &id, "isn't one that you sent."))?;
        samples.extend(sample(&mail));
    }
    enough(samples)
}

fn sample(mail: &MailMessage) -> Option<Sample> {
    let own = own_words(&removed(&mail.text));
    let text: String = own.chars().take(LONGEST).collect();
    (text.chars().count() > SHORTEST).then(|| Sample {
        id: mail.summary.id.clone(),
        at: mail.summary.received_at,
        text,
    })
}

/// Fails with the number found if there are fewer than [`LEAST`] samples.
fn enough(samples: Vec<Sample>) -> Result<Vec<Sample>> {
    let found = match samples.len() {
        LEAST.. => return Ok(samples),
        0 => "no e-mail".to_owned(),
        few => counted(few, "e-mail"),
    };
    Err(ToolError::failed(format!(
        "I found {found} of yours with enough text to tell how you write; I need at least {LEAST}."
    )))
}
