//! `email_processEmail`: one of five actions on one mail. Sending always needs approval.

use alfred_agent::policy::AuthorizedArgs;
use alfred_agent::tool::{ApprovalDefault, Settled, Tool};
use alfred_core::ports::{MailMessage, MailStatus};
use async_trait::async_trait;
use std::sync::Arc;

use super::attach::Attach;
use super::doubt::mail_may_pretend;
use super::drafts;
use super::letter::{self, Kind};
use super::reply::{Answer, Reply};
use super::unsubscribe::{self, Way};
use super::{TOOLSET, addresses, doubt, find, head, line, moving, named, people, shown, task};
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
    /// Whether everybody gets the answer whom the e-mail went to.
    reply_all: Option<bool>,
    /// Whether the e-mail is quoted below it; true when left out.
    quote: Option<bool>,
    /// Files that go along.
    attach: Option<Vec<Attach>>,
    /// Title, for convert_to_task.
    task_title: Option<String>,
}

/// One definition per effect; `send` is the strictest.
struct ProcessEmail {
    send: ToolDef,
    change: ToolDef,
    task: ToolDef,
    /// A draft that is only shown.
    draft: ToolDef,
    /// A draft that is saved.
    keep: ToolDef,
}

pub fn tool() -> SharedTool {
    let def = ToolDef::new(TOOLSET, NAME,
        "Deals with one e-mail: archives it (several: email_archiveBatch), makes a task of it, keeps a draft answer, sends one, or asks its list to be left.",
    ).flow(Flow::UNKNOWN)
    .rules(&[
        "For an answer call email_processEmail with draft_reply alone to see to whom it goes, then with send_reply and replyText.",
    ])
    .effect(Effect::Outward);
    let change = def.clone().effect(Effect::ReversibleWrite);
    // Its effect is a read, but its role stays that of the other actions.
    let mut draft = change.clone();
    draft.effect = Effect::Read;
    Arc::new(ProcessEmail {
        send: def.approval(ApprovalDefault::Always),
        task: change.clone().with(|def| def.adds = true),
        keep: change.clone().with(|def| def.adds = true),
        change,
        draft,
    })
}

impl Arguments {
    fn check(&self) -> Result<(), ToolError> {
        let answers = matches!(self.action, Action::DraftReply | Action::SendReply);
        if let Some(text) = self.reply_text.as_ref().filter(|_| !answers) {
            let problem = "is of no use here: it belongs to draft_reply and send_reply.";
            return Err(refused("replyText", text, problem));
        }
        let ways = [
            ("replyAll", self.reply_all.is_some()),
            ("quote", self.quote.is_some()),
            ("attach", self.attach.is_some()),
        ];
        let given = ways.iter().find(|(_, given)| *given);
        if let Some((field, _)) = given.filter(|_| !answers) {
            let problem = "is of no use here: it belongs to draft_reply and send_reply.";
            return Err(refused(field, "", problem));
        }
        if let Some(title) = &self.task_title
            && self.action != Action::ConvertToTask
        {
            let problem = "is of no use here: it belongs to convert_to_task.";
            return Err(refused("taskTitle", title, problem));
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

    /// The card of the actions that send nothing.
    fn card(&self, mail: &MailMessage) -> Preview {
        let title = match self.action {
            Action::Archive => "Archive an e-mail",
            Action::ConvertToTask => return task::preview(mail, self.task_title.as_deref()),
            Action::DraftReply | Action::SendReply | Action::Unsubscribe => DRAFT_REPLY_TITLE,
        };
        let preview = Preview::new(title).field("E-mail", named(&mail.summary));
        preview.body(self.reply_text.as_deref().unwrap_or_default())
    }

    async fn reply(&self, context: &ToolContext) -> Result<Reply, ToolError> {
        let answer = Answer {
            email_id: &self.email_id,
            text: self.reply_text.as_deref().unwrap_or_default(),
            to_all: self.reply_all.unwrap_or(false),
            quotes: self.quote.unwrap_or(true),
            attach: self.attach.as_deref(),
        };
        Reply::prepare(context, &answer).await
    }

    fn sends(&self) -> Option<Kind> {
        match self.action {
            Action::SendReply => Some(Kind::Reply),
            Action::Unsubscribe => Some(Kind::Unsubscribe),
            Action::Archive | Action::ConvertToTask | Action::DraftReply => None,
        }
    }

    async fn way(&self, context: &ToolContext, kind: Kind) -> Result<Way, ToolError> {
        match kind {
            Kind::Reply => {
                let reply = self.reply(context).await?;
                Ok(Way::ByMail(Box::new(reply.letter(context).await?)))
            }
            Kind::Unsubscribe => Way::prepare(context, &self.email_id).await,
        }
    }

    async fn send(&self, context: &ToolContext, kind: Kind) -> Result<ToolOutput, ToolError> {
        self.way(context, kind).await?.take(context).await
    }
}

fn read(arguments: &Value) -> Result<Arguments, ToolError> {
    let args: Arguments = tool::parsed(arguments.clone())?;
    args.check()?;
    Ok(args)
}

#[async_trait]
impl Tool for ProcessEmail {
    fn def(&self) -> &ToolDef {
        &self.send
    }

    fn def_of(&self, arguments: &Value) -> &ToolDef {
        let Ok(args) = tool::parsed::<Arguments>(arguments.clone()) else {
            return &self.send;
        };
        match args.action {
            Action::Archive => &self.change,
            Action::ConvertToTask => &self.task,
            Action::DraftReply if args.says() => &self.keep,
            Action::DraftReply => &self.draft,
            Action::SendReply | Action::Unsubscribe => &self.send,
        }
    }

    fn schema(&self) -> Value {
        tool::arguments_schema::<Arguments>()
    }

    async fn recipients(
        &self,
        context: &ToolContext,
        args: &Value,
    ) -> Result<Vec<String>, ToolError> {
        let args = read(args)?;
        let Some(kind) = args.sends() else {
            return Ok(Vec::new());
        };
        Ok(match args.way(context, kind).await? {
            Way::ByMail(letter) => addresses(&letter.mail),
            Way::ByPage(_) => Vec::new(),
        })
    }

    async fn preview(&self, context: &ToolContext, args: &Value) -> Result<Preview, ToolError> {
        let read = read(args)?;
        match read.sends() {
            Some(kind) => Ok(read.way(context, kind).await?.preview()),
            None if read.action == Action::DraftReply && read.says() => {
                let reply = read.reply(context).await?;
                let card = drafts::card(DRAFT_REPLY_TITLE, &reply.mail);
                doubt::shown(context, card, &reply.original).await
            }
            None => {
                let mail = find::one(context, "emailId", &read.email_id).await?;
                doubt::shown(context, read.card(&mail), &mail).await
            }
        }
    }

    async fn run(
        &self,
        context: ToolContext,
        arguments: AuthorizedArgs,
    ) -> Result<ToolOutput, ToolError> {
        let args = read(arguments.value())?;
        match args.action {
            Action::Archive => archive(&context, &args).await,
            Action::ConvertToTask => {
                let mail = find::one(&context, "emailId", &args.email_id).await?;
                let title = args.task_title.as_deref();
                task::made_of(&context, &mail, "taskTitle", title).await
            }
            Action::DraftReply => {
                let reply = args.reply(&context).await?;
                match args.says() {
                    true => keep(&context, reply).await,
                    false => draft(&reply),
                }
            }
            Action::SendReply => args.send(&context, Kind::Reply).await,
            Action::Unsubscribe => args.send(&context, Kind::Unsubscribe).await,
        }
    }

    async fn settle(&self, context: &ToolContext, arguments: &Value) -> Result<Settled, ToolError> {
        let args = read(arguments)?;
        match args.sends() {
            Some(Kind::Reply) => {
                let prepared = async { args.reply(context).await?.letter(context).await };
                letter::settle(context, (NAME, Kind::Reply), prepared).await
            }
            Some(Kind::Unsubscribe) => unsubscribe::settle(context, NAME, &args.email_id).await,
            // The other actions are safe to repeat.
            None => Ok(Settled::NotDone),
        }
    }
}

async fn archive(context: &ToolContext, args: &Arguments) -> Result<ToolOutput, ToolError> {
    let begun = moving::begun(context).await?;
    let begun = begun.and_then(|ids| ids.into_iter().next());
    let named = begun.map_or_else(|| args.email_id.clone(), |id| id.0);
    let mail = find::one(context, "emailId", &named).await?.summary;
    let id = mail.id;
    let one = std::slice::from_ref(&id);
    let archived = moving::all(context, one, MailStatus::Archived).await?;
    if let Some(problem) = archived.problems.first() {
        return Err(ToolError::failed(&problem.reason));
    }
    let data = json!({"emailId": id, "action": "archive", "status": MailStatus::Archived});
    let what = format!("Archived \"{}\"", line(&mail.subject));
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
