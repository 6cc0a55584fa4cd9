//! `email_draftReplies`: saves a draft answer for each of several mails.

use alfred_core::ports::OutgoingMail;

use super::drafts::{self, Kept};
use super::reply::{Answer, Reply};
use super::{TOOLSET, doubt, line};
use crate::fields::{check_count, counted};
use crate::prelude::*;

const NAME: &str = "email_draftReplies";
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

enum Drafted {
    Ready(Box<OutgoingMail>),
    Problem(String),
}

pub fn tool() -> SharedTool {
    let def = ToolDef::new(
        TOOLSET,
        NAME,
        "Keeps a draft answer for each of several e-mails, such as all of category needs_reply; read them first. Nothing is sent.",
    )
    .flow(Flow::UNKNOWN)
    .effect(Effect::ReversibleWrite)
    .with(|def| def.adds = true);
    tool::shown(def, preview, run)
}

fn check(args: &Arguments) -> Result<(), ToolError> {
    check_count("drafts", args.drafts.len(), "drafts", 1..=MOST)?;
    let mut ids: Vec<&str> = args.drafts.iter().map(|one| one.email_id.trim()).collect();
    ids.sort_unstable();
    match ids.windows(2).find(|pair| pair[0] == pair[1]) {
        Some(pair) => Err(refused("drafts", pair[0], "is answered twice.")),
        None => Ok(()),
    }
}

/// Returns a problem of this mail as data, so that the others continue. An unreachable mailbox fails the call.
async fn drafted(context: &ToolContext, wanted: &Wanted) -> Result<Drafted, ToolError> {
    if wanted.text.trim().is_empty() {
        let problem = "There is no text for this draft.";
        return Ok(Drafted::Problem(problem.to_owned()));
    }
    let answer = Answer {
        email_id: &wanted.email_id,
        text: &wanted.text,
        to_all: false,
        quotes: true,
        attach: None,
    };
    match Reply::prepare(context, &answer).await {
        Ok(reply) => Ok(match doubt::of(context, &reply.original).await? {
            Some(why) => Drafted::Problem(format!(
                "I kept no draft: this e-mail looks like phishing ({why})."
            )),
            None => Drafted::Ready(Box::new(reply.mail)),
        }),
        Err(ToolError::Failed(why)) if why.data.is_empty() => Ok(Drafted::Problem(why.said())),
        Err(other) => Err(other),
    }
}

async fn preview(context: ToolContext, args: Arguments) -> Result<Preview, ToolError> {
    check(&args)?;
    let mut whole = Vec::new();
    for wanted in &args.drafts {
        whole.push(match drafted(&context, wanted).await? {
            Drafted::Ready(mail) => drafts::card(&line(&mail.subject), &mail).as_text(),
            Drafted::Problem(why) => why,
        });
    }
    let title = format!("Keep {}", counted(args.drafts.len(), "draft"));
    Ok(Preview::new(title).body(whole.join("\n\n")))
}

async fn run(context: ToolContext, args: Arguments) -> Result<ToolOutput, ToolError> {
    check(&args)?;
    let (mut kept, mut answered, mut problems): (Vec<Kept>, Vec<Value>, Vec<Value>) =
        Default::default();
    for wanted in &args.drafts {
        let reason = match drafted(&context, wanted).await? {
            Drafted::Ready(mail) => {
                let key = format!("{}:{}", context.call.key, wanted.email_id.trim());
                match drafts::keep(&context, *mail, &key).await {
                    Ok(one) => {
                        answered.push(json!({"emailId": wanted.email_id, "to": one.to}));
                        kept.push(one);
                        continue;
                    }
                    // The drafts that were kept need their receipt.
                    Err(ToolError::Failed(why)) if why.data.is_empty() || !kept.is_empty() => {
                        why.said()
                    }
                    Err(other) => return Err(other),
                }
            }
            Drafted::Problem(reason) => reason,
        };
        problems.push(json!({"emailId": wanted.email_id, "reason": reason}));
    }
    let data = json!({"kept": answered, "problems": problems});
    drafts::output(&context, data, &kept)
}
