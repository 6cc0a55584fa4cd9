//! `email_processEmail`: one of six actions on one mail. Sending always needs approval.

use alfred_core::ports::{MailMessage, MailStatus};

use super::attach::Attach;
use super::letter::{self, Kind, Letter};
use super::reply::{Answer, Reply};
use super::states;
use super::{
    TOOLSET, addresses, doubt, drafts, find, head, line, named, people, shown, task, unsubscribe,
};
use crate::prelude::*;

const DRAFT_REPLY_TITLE: &str = "Draft an e-mail reply";

const NAME: &str = "email_processEmail";
const ANSWERS: &[(&str, &str)] = &[
    ("send_reply", "Send the reply"),
    ("draft_reply", "Save it as a draft"),
];
/// Characters of the original that a draft shows.
const ORIGINAL: usize = 4_000;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum Action {
    Archive,
    Delete,
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
    /// What is done with it; delete moves it to the bin.
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
    let description = "Handles one e-mail: archives it (several: email_archiveBatch), deletes it, makes a task of it, saves a draft reply, sends one, or unsubscribes from its list.";
    let def = ToolDef::new(TOOLSET, NAME, description)
    .rules(&[
        "To reply, call email_processEmail with draft_reply and no text to see the recipients, then with send_reply and replyText.",
    ]);
    let change = def.clone().effect(Effect::ReversibleWrite);
    let add = change.clone().with(|def| def.adds = true);
    // A draft that is only shown is a read, but its role stays that of the other actions.
    let show = change.clone().with(|def| def.effect = Effect::Read);
    let delete = change.clone().effect(Effect::Destructive);
    outward::varying::<Processing>(def, vec![change, add, show, delete])
}

impl Arguments {
    fn check(&self) -> Result<()> {
        let place = "draft_reply and send_reply";
        let given = [
            ("replyText", self.reply_text.as_deref(), place),
            ("replyAll", self.reply_all.map(|_| ""), place),
            ("quote", self.quote.map(|_| ""), place),
            ("attach", self.attach.as_ref().map(|_| ""), place),
            ("taskTitle", self.task_title.as_deref(), "convert_to_task"),
        ];
        let taken_by = match self.action {
            Action::DraftReply | Action::SendReply => place,
            Action::ConvertToTask => "convert_to_task",
            Action::Archive | Action::Delete | Action::Unsubscribe => "",
        };
        for (field, value, place) in given {
            if let Some(value) = value.filter(|_| place != taken_by) {
                let problem = format!("is of no use here: it belongs to {place}.");
                return Err(refused(field, value, problem));
            }
        }
        if self.action == Action::SendReply && !self.says() {
            let problem = "is empty. Write the whole answer.";
            return Err(refused("replyText", "", problem));
        }
        Ok(())
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

    async fn letter(&self, context: &ToolContext) -> Result<Letter> {
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
    Move(Box<MailMessage>, MailStatus),
    MakeTask(Box<MailMessage>, Option<String>),
    /// With the warning if the original looks like phishing.
    Keep(Box<Reply>, Option<String>),
    Show(Box<Reply>),
    Send(Box<Letter>),
}

#[async_trait]
impl Outward for Processing {
    type Arguments = Arguments;

    fn milder(args: &Arguments) -> Option<usize> {
        match args.action {
            Action::Archive => Some(0),
            Action::Delete => Some(3),
            Action::ConvertToTask => Some(1),
            Action::DraftReply => Some(if args.says() { 1 } else { 2 }),
            Action::SendReply | Action::Unsubscribe => None,
        }
    }

    async fn recipients(context: &ToolContext, args: &Arguments) -> Result<Vec<String>> {
        args.check()?;
        if args.action == Action::SendReply {
            return Reply::recipients(context, &args.answer()).await;
        }
        let letter = unsubscribe::prepare(context, &args.email_id).await?;
        Ok(addresses(&letter.mail))
    }

    async fn prepare(context: &ToolContext, args: &Arguments) -> Result<Self> {
        args.check()?;
        let about = |title: &str, mail: &MailMessage| {
            Preview::new(title).field("E-mail", named(&mail.summary))
        };
        let (step, card) = match args.action {
            Action::Archive | Action::Delete => {
                // Words that named the mail may match nothing once it is moved.
                let begun = states::begun(context).await?;
                let id = begun.map_or_else(|| args.email_id.clone(), |id| id.0);
                let mail = find::one(context, "emailId", &id).await?;
                let (status, title) = match args.action {
                    Action::Delete => (MailStatus::Deleted, "Delete an e-mail"),
                    _ => (MailStatus::Archived, "Archive an e-mail"),
                };
                let card = doubt::shown(context, about(title, &mail), &mail).await?;
                (Step::Move(Box::new(mail), status), card)
            }
            Action::ConvertToTask => {
                let mail = find::one(context, "emailId", &args.email_id).await?;
                let title = args.task_title.clone();
                let card = task::preview(context, &mail, title.as_deref()).await?;
                (Step::MakeTask(Box::new(mail), title), card)
            }
            Action::DraftReply => {
                let reply = Box::new(Reply::prepare(context, &args.answer()).await?);
                let warning = doubt::of(context, &reply.original).await?;
                let careful = warning.clone().unwrap_or_default();
                let (card, step) = if args.says() {
                    let card = drafts::card(DRAFT_REPLY_TITLE, &reply.mail);
                    (card, Step::Keep(reply, warning))
                } else {
                    let card = about(DRAFT_REPLY_TITLE, &reply.original);
                    (card, Step::Show(reply))
                };
                (step, card.any(text::CAREFUL, careful))
            }
            Action::SendReply => send_step(args.letter(context).await?),
            Action::Unsubscribe => send_step(unsubscribe::prepare(context, &args.email_id).await?),
        };
        let card = match args.action {
            Action::SendReply | Action::DraftReply => card.input("action", "What to do", ANSWERS),
            _ => card,
        };
        Ok(Self { step, card })
    }

    fn preview(&self, _: &ToolContext) -> Preview {
        self.card.clone()
    }

    async fn act(self, context: &ToolContext) -> Result<ToolOutput> {
        match self.step {
            Step::Move(mail, status) => put(context, &mail, status).await,
            Step::MakeTask(mail, title) => {
                task::made_of(context, &mail, "taskTitle", title.as_deref()).await
            }
            Step::Keep(reply, warning) => keep(context, *reply, warning).await,
            Step::Show(reply) => draft(&reply),
            Step::Send(letter) => letter.send(context).await,
        }
    }

    async fn settle(context: &ToolContext, args: Arguments) -> Result<Settled> {
        if args.action == Action::Unsubscribe {
            return unsubscribe::settle(context, NAME, &args.email_id).await;
        }
        let letter = args.letter(context);
        letter::settle(context, NAME, Kind::Reply, "the sender", letter).await
    }
}

fn send_step(letter: Letter) -> (Step, Preview) {
    let card = letter.card.clone();
    (Step::Send(Box::new(letter)), card)
}

async fn put(context: &ToolContext, mail: &MailMessage, status: MailStatus) -> Result<ToolOutput> {
    let id = &mail.summary.id;
    let moved = states::put(context, std::slice::from_ref(id), status).await?;
    if let Some(problem) = moved.problems.first() {
        return Err(ToolError::failed(&problem.reason));
    }
    let (action, done) = match status {
        MailStatus::Deleted => ("delete", "Deleted"),
        _ => ("archive", "Archived"),
    };
    let data = json!({"emailId": id, "action": action, "status": status});
    moved.output(data, format!("{done} \"{}\"", line(&mail.summary.subject)))
}

/// Saves the answer as a draft. The original mail keeps its state.
async fn keep(context: &ToolContext, reply: Reply, warning: Option<String>) -> Result<ToolOutput> {
    let mut data = json!({"emailId": reply.original.summary.id, "action": "draft_reply"});
    add(&mut data, "warning", json!(warning));
    let kept = drafts::keep(context, reply.mail, &context.call.key).await?;
    data["to"] = json!(kept.to);
    drafts::output(data, &[kept])
}

/// Returns the answer as it would be sent, and the original mail.
fn draft(reply: &Reply) -> Result<ToolOutput> {
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
