//! `email_processEmail`: one of five actions on one mail. Sending always needs approval.

use alfred_agent::tool::Settled;
use alfred_core::ports::{MailMessage, MailStatus};
use async_trait::async_trait;

use super::attach::Attach;
use super::doubt::mail_may_pretend;
use super::letter::{self, Kind, Letter};
use super::reply::{Answer, Reply};
use super::states;
use super::unsubscribe::{self, Visit, Way};
use super::{TOOLSET, addresses, doubt, drafts, find, head, line, named, people, shown, task};
use crate::outward::{self, Outward};
use crate::prelude::*;

const DRAFT_REPLY_TITLE: &str = "Draft an e-mail reply";

const NAME: &str = "email_processEmail";
/// Characters of the original that a draft shows.
const ORIGINAL: usize = 4_000;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum Action {
    Archive,
    ConvertToTask,
    DraftReply,
    SendReply,
    Unsubscribe,
}

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Arguments {
    /// Its id, or words of sender or subject that fit it alone.
    email_id: String,
    /// What is done with it.
    action: Action,
    /// The whole answer, plain text. With draft_reply it is kept as a draft.
    reply_text: Option<String>,
    /// Whether the reply goes to all recipients of the e-mail.
    reply_all: Option<bool>,
    /// Whether the e-mail is quoted below it; true when left out.
    quote: Option<bool>,
    /// Files that go along.
    attach: Option<Vec<Attach>>,
    /// Title, for convert_to_task.
    task_title: Option<String>,
}

pub fn tool() -> SharedTool {
    let def = ToolDef::new(TOOLSET, NAME,
        "Handles one e-mail: archives it (several: email_archiveBatch), makes a task of it, saves a draft reply, sends one, or unsubscribes from its list.",
    ).flow(Flow::UNKNOWN)
    .rules(&[
        "To reply, call email_processEmail with draft_reply and no text to see the recipients, then with send_reply and replyText.",
    ]);
    let change = def.clone().effect(Effect::ReversibleWrite);
    let add = change.clone().with(|def| def.adds = true);
    // A draft that is only shown is a read, but its role stays that of the other actions.
    let show = change.clone().with(|def| def.effect = Effect::Read);
    outward::varying::<Processing>(def, vec![change, add, show])
}

impl Arguments {
    fn check(&self) -> Result<(), ToolError> {
        let misplaced = |field: &str, value: &str, place: &str| {
            let problem = format!("is of no use here: it belongs to {place}.");
            Err(refused(field, value, problem))
        };
        if !matches!(self.action, Action::DraftReply | Action::SendReply) {
            let text = self.reply_text.as_deref();
            let answers = [
                ("replyText", text),
                ("replyAll", self.reply_all.map(|_| "")),
                ("quote", self.quote.map(|_| "")),
                ("attach", self.attach.as_ref().map(|_| "")),
            ];
            for (field, value) in answers {
                if let Some(value) = value {
                    return misplaced(field, value, "draft_reply and send_reply");
                }
            }
        }
        match &self.task_title {
            Some(title) if self.action != Action::ConvertToTask => {
                misplaced("taskTitle", title, "convert_to_task")
            }
            _ if self.action == Action::SendReply && !self.says() => {
                let problem = "is empty. Write the whole answer.";
                Err(refused("replyText", "", problem))
            }
            _ => Ok(()),
        }
    }

    fn says(&self) -> bool {
        let text = self.reply_text.as_deref().unwrap_or_default();
        !text.trim().is_empty()
    }

    fn answer(&self) -> Answer<'_> {
        Answer {
            email_id: &self.email_id,
            text: self.reply_text.as_deref().unwrap_or_default(),
            to_all: self.reply_all.unwrap_or(false),
            quotes: self.quote.unwrap_or(true),
            attach: self.attach.as_deref(),
        }
    }

    async fn letter(&self, context: &ToolContext) -> Result<Letter, ToolError> {
        let reply = Reply::prepare(context, &self.answer()).await?;
        reply.letter(context).await
    }
}

/// What is done, and the card that says so.
struct Processing {
    step: Step,
    card: Preview,
}

enum Step {
    Archive(Box<MailMessage>),
    MakeTask(Box<MailMessage>, Option<String>),
    Keep(Box<Reply>),
    Show(Box<Reply>),
    Send(Box<Letter>),
    Visit(Box<Visit>),
}

impl Step {
    async fn prepare(context: &ToolContext, args: &Arguments) -> Result<Self, ToolError> {
        args.check()?;
        Ok(match args.action {
            Action::Archive => {
                // Words that named the mail may match nothing once it is archived.
                let begun = states::begun(context).await?;
                let begun = begun.and_then(|ids| ids.into_iter().next());
                let id = begun.map_or_else(|| args.email_id.clone(), |id| id.0);
                Self::Archive(Box::new(find::one(context, "emailId", &id).await?))
            }
            Action::ConvertToTask => {
                let mail = find::one(context, "emailId", &args.email_id).await?;
                Self::MakeTask(Box::new(mail), args.task_title.clone())
            }
            Action::DraftReply => {
                let reply = Box::new(Reply::prepare(context, &args.answer()).await?);
                if args.says() {
                    Self::Keep(reply)
                } else {
                    Self::Show(reply)
                }
            }
            Action::SendReply => Self::Send(Box::new(args.letter(context).await?)),
            Action::Unsubscribe => match Way::prepare(context, &args.email_id).await? {
                Way::ByMail(letter) => Self::Send(letter),
                Way::ByPage(visit) => Self::Visit(visit),
            },
        })
    }

    async fn card(&self, context: &ToolContext) -> Result<Preview, ToolError> {
        let about = |title: &str, mail: &MailMessage| {
            Preview::new(title).field("E-mail", named(&mail.summary))
        };
        let (card, mail) = match self {
            Self::Archive(mail) => (about("Archive an e-mail", mail), mail.as_ref()),
            Self::MakeTask(mail, title) => (task::preview(mail, title.as_deref()), mail.as_ref()),
            Self::Keep(reply) => (
                drafts::card(DRAFT_REPLY_TITLE, &reply.mail),
                &reply.original,
            ),
            Self::Show(reply) => (about(DRAFT_REPLY_TITLE, &reply.original), &reply.original),
            Self::Send(letter) => return Ok(letter.card.clone()),
            Self::Visit(visit) => return Ok(visit.card.clone()),
        };
        doubt::shown(context, card, mail).await
    }
}

#[async_trait]
impl Outward for Processing {
    type Arguments = Arguments;

    fn milder(args: &Arguments) -> Option<usize> {
        match args.action {
            Action::Archive => Some(0),
            Action::ConvertToTask => Some(1),
            Action::DraftReply => Some(if args.says() { 1 } else { 2 }),
            Action::SendReply | Action::Unsubscribe => None,
        }
    }

    async fn recipients(context: &ToolContext, args: &Arguments) -> Result<Vec<String>, ToolError> {
        args.check()?;
        if args.action == Action::SendReply {
            return Reply::recipients(context, &args.answer()).await;
        }
        Ok(match Way::prepare(context, &args.email_id).await? {
            Way::ByMail(letter) => addresses(&letter.mail),
            Way::ByPage(_) => Vec::new(),
        })
    }

    async fn prepare(context: &ToolContext, args: &Arguments) -> Result<Self, ToolError> {
        let step = Step::prepare(context, args).await?;
        let card = step.card(context).await?;
        Ok(Self { step, card })
    }

    fn preview(&self, _: &ToolContext) -> Preview {
        self.card.clone()
    }

    async fn act(self, context: &ToolContext) -> Result<ToolOutput, ToolError> {
        match self.step {
            Step::Archive(mail) => archive(context, &mail).await,
            Step::MakeTask(mail, title) => {
                task::made_of(context, &mail, "taskTitle", title.as_deref()).await
            }
            Step::Keep(reply) => keep(context, *reply).await,
            Step::Show(reply) => draft(&reply),
            Step::Send(letter) => letter.send(context).await,
            Step::Visit(visit) => visit.make(context).await,
        }
    }

    async fn settle(context: &ToolContext, args: Arguments) -> Result<Settled, ToolError> {
        if args.action == Action::Unsubscribe {
            return unsubscribe::settle(context, NAME, &args.email_id).await;
        }
        let whom = (Kind::Reply, "the sender");
        letter::settle(context, NAME, whom, args.letter(context)).await
    }
}

async fn archive(context: &ToolContext, mail: &MailMessage) -> Result<ToolOutput, ToolError> {
    let id = &mail.summary.id;
    let archived = states::set_to(context, std::slice::from_ref(id), MailStatus::Archived).await?;
    if let Some(problem) = archived.problems.first() {
        return Err(ToolError::failed(&problem.reason));
    }
    let data = json!({"emailId": id, "action": "archive", "status": MailStatus::Archived});
    let what = format!("Archived \"{}\"", line(&mail.summary.subject));
    archived.output(context, data, what)
}

/// Saves the answer as a draft. The original mail keeps its state.
async fn keep(context: &ToolContext, reply: Reply) -> Result<ToolOutput, ToolError> {
    let mut data = json!({"emailId": reply.original.summary.id, "action": "draft_reply"});
    if let Some(why) = doubt::of(context, &reply.original).await? {
        data["warning"] = mail_may_pretend(&why).into();
    }
    let kept = drafts::keep(context, reply.mail, &context.call.key).await?;
    data["to"] = json!(kept.to);
    drafts::output(context, data, &[kept])
}

/// Returns the answer as it would be sent, and the original mail.
fn draft(reply: &Reply) -> Result<ToolOutput, ToolError> {
    let original = &reply.original;
    let files: Vec<&str> = reply.mail.files.iter().map(|file| &*file.name).collect();
    ToolOutput::data(&json!({
        "emailId": original.summary.id,
        "action": "draft_reply",
        "draft": {
            "to": people(&reply.mail.to),
            "cc": people(&reply.mail.cc),
            "subject": reply.mail.subject,
            "text": reply.text,
            "quotesOriginal": reply.quotes(),
            "files": files,
        },
        "original": {
            "from": shown(&original.summary.from),
            "subject": line(&original.summary.subject),
            "text": head(&original.text, ORIGINAL),
        },
        "sent": false,
    }))
}
