//! `email_draftReplies`: saves a draft answer for each of several mails.

use alfred_core::ports::OutgoingMail;

use super::reply::{Answer, Reply};
use super::{TOOLSET, doubt, drafts, line};
use crate::fields::counted;
use crate::prelude::*;

/// Drafts per call: as many as a person can review.
const MOST: usize = 10;

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Arguments {
    /// Up to 10 answers.
    drafts: Vec<Wanted>,
}

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Wanted {
    // Without words: each is part of every turn with these tools.
    email_id: String,
    text: String,
}

pub fn tool() -> SharedTool {
    let description = "Keeps a draft answer for each of several e-mails, such as all of category needs_reply; read them first. Nothing is sent.";
    let def = ToolDef::new(TOOLSET, "email_draftReplies", description)
        .effect(Effect::ReversibleWrite)
        .with(|def| def.adds = true);
    tool::shown(def, preview, run)
}

fn check(args: &Arguments) -> Result<()> {
    check_count("drafts", args.drafts.len(), "drafts", 1..=MOST)?;
    let mut ids: Vec<&str> = args.drafts.iter().map(|one| one.email_id.trim()).collect();
    ids.sort_unstable();
    match ids.windows(2).find(|pair| pair[0] == pair[1]) {
        Some(pair) => Err(refused("drafts", pair[0], "is answered twice.")),
        None => Ok(()),
    }
}

async fn drafted(context: &ToolContext, wanted: &Wanted) -> Result<OutgoingMail> {
    if wanted.text.trim().is_empty() {
        return Err(ToolError::failed("There is no text for this draft."));
    }
    let answer = Answer {
        email_id: &wanted.email_id,
        text: &wanted.text,
        quotes: true,
        ..Answer::default()
    };
    let reply = Reply::prepare(context, &answer).await?;
    match doubt::of(context, &reply.original).await? {
        Some(warning) => Err(ToolError::failed(format!("I kept no draft. {warning}"))),
        None => Ok(reply.mail),
    }
}

async fn preview(context: ToolContext, args: Arguments) -> Result<Preview> {
    check(&args)?;
    let mut whole = Vec::new();
    for wanted in &args.drafts {
        whole.push(match drafted(&context, wanted).await {
            Ok(mail) => drafts::card(&line(&mail.subject), &mail).as_text(),
            Err(ToolError::Failed(why)) if why.data.is_empty() => why.said(),
            Err(other) => return Err(other),
        });
    }
    let title = format!("Keep {}", counted(args.drafts.len(), "draft"));
    Ok(Preview::new(title).body(whole.join("\n\n")))
}

async fn run(context: ToolContext, args: Arguments) -> Result<ToolOutput> {
    check(&args)?;
    let (mut kept, mut answered, mut problems) = (Vec::new(), Vec::new(), Vec::new());
    for wanted in &args.drafts {
        let email_id = &wanted.email_id;
        let key = format!("{}:{}", context.call.key, email_id.trim());
        let keep = async { drafts::keep(&context, drafted(&context, wanted).await?, &key).await };
        match keep.await {
            Ok(one) => {
                answered.push(json!({"emailId": email_id, "to": one.to}));
                kept.push(one);
            }
            // A problem with one mail doesn't stop the others. An unconnected mailbox fails the call, unless drafts
            // were saved, because those need a receipt.
            Err(ToolError::Failed(why)) if why.data.is_empty() || !kept.is_empty() => {
                problems.push(json!({"emailId": email_id, "reason": why.said()}));
            }
            Err(other) => return Err(other),
        }
    }
    let data = json!({"kept": answered, "problems": problems});
    drafts::output(data, &kept)
}
