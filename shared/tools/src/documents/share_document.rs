//! `docs_shareDocument`. Its undo gives the person the access that they had.

use alfred_core::invisible::shown_on_one_line;
use alfred_core::ports::{Access, Document, Mailbox, Share};

use super::TOOLSET;
use super::file::{self, RemoteFile};
use crate::email;
use crate::prelude::*;
use crate::user::people::{FROM_MAIL, People};

const NAME: &str = "docs_shareDocument";

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Arguments {
    /// Its id, or words of its title that fit it alone.
    document_id: String,
    /// "@handle", full name, e-mail address or Slack id.
    person: String,
    /// What they may do from now on.
    access: Access,
}

fn words(access: Access) -> &'static str {
    match access {
        Access::None => "can't see it",
        Access::Reader => "can read it",
        Access::Commenter => "can comment on it",
        Access::Writer => "can edit it",
        Access::Owner => "owns it",
    }
}

pub fn shown(share: &Share) -> String {
    format!("{} {}", email::shown(&share.with), words(share.access))
}

pub fn tool() -> SharedTool {
    let description = "Sets what somebody may do with a document. A card asks first.";
    let def = ToolDef::new(TOOLSET, NAME, description).flow(Flow::UNKNOWN);
    let ending = def.clone().effect(Effect::ReversibleWrite);
    outward::varying::<Sharing>(def, vec![ending])
}

struct Sharing {
    document: Document,
    with: Mailbox,
    before: Access,
    wanted: Access,
    card: Preview,
}

impl Sharing {
    async fn read(context: &ToolContext, args: &Arguments) -> Result<Self> {
        let document: Document = file::one(context, &args.document_id).await?;
        let shares = document.shares.as_ref();
        let shares = shares.map_err(|why| ToolError::failed(why.clone()))?;
        let mut people = People::load(context).await?;
        let with = people.one(context, "person", &args.person).await?;
        let before = shares.iter().find(|one| one.with.address == with.address);
        let (before, wanted) = (before.map_or(Access::None, |one| one.access), args.access);
        let is_new = before == Access::None && wanted != before;
        let card = Preview::new("Share a document")
            .reaching("With", vec![email::addressee(&with)])
            .field("Document", &*document.summary.title)
            .bound([document.summary.id.to_string()])
            .change("They", words(before), words(wanted))
            .any("Then", if is_new { "they get an e-mail" } else { "" })
            .any(FROM_MAIL, people.origins())
            .any(text::CAREFUL, file::careful(context, &document).await?);
        Ok(Self {
            document,
            with,
            before,
            wanted,
            card,
        })
    }

    fn done(&self, context: &ToolContext) -> Result<ToolOutput> {
        let (file, who) = (&self.document, email::shown(&self.with));
        let title = shown_on_one_line(&file.summary.title);
        let what = match self.wanted {
            Access::None => format!("Stopped sharing \"{title}\" with {who}"),
            wanted => format!("Shared \"{title}\": {who} {}", words(wanted)),
        };
        let (id, person) = (&file.summary.id, &self.with.address);
        let undo = json!({"documentId": id, "person": person, "access": self.before});
        // After a lost answer it isn't known what they could do before.
        let undo = (self.before != self.wanted).then_some(undo);
        let output = ToolOutput::data(&json!({"document": file.view(context)}))?;
        let output = output.with_receipt(file.receipt(context, what));
        Ok(output.undone_by(NAME, undo).leaving([json!(self.wanted)]))
    }
}

#[async_trait]
impl Outward for Sharing {
    type Arguments = Arguments;

    fn milder(args: &Arguments) -> Option<usize> {
        (args.access == Access::None).then_some(0)
    }

    async fn recipients(context: &ToolContext, args: &Arguments) -> Result<Vec<String>> {
        let mut people = People::load(context).await?;
        let person = std::slice::from_ref(&args.person);
        people.recipients(context, "person", person).await
    }

    async fn prepare(context: &ToolContext, args: &Arguments) -> Result<Self> {
        let sharing = Self::read(context, args).await?;
        let (before, title) = (sharing.before, &sharing.document.summary.title);
        context.ensure_as_left(title, true, &json!(before))?;
        let is_done = before == sharing.wanted && before != Access::None;
        if is_done || [before, sharing.wanted].contains(&Access::Owner) {
            let problem = format!("{} already.", words(before));
            return Err(refused("person", &args.person, problem));
        }
        Ok(sharing)
    }

    fn preview(&self, _: &ToolContext) -> Preview {
        self.card.clone()
    }

    async fn act(self, context: &ToolContext) -> Result<ToolOutput> {
        let (id, address) = (&self.document.summary.id, &self.with.address);
        let (account, documents) = (context.account(), &context.accounts.documents);
        let shared = documents.set_access(&account, id, address, self.wanted);
        if shared.await.map_err(not_done)? {
            self.done(context)
        } else {
            Err(ToolError::failed(text::DOCUMENT_GONE))
        }
    }

    async fn settle(context: &ToolContext, args: Arguments) -> Result<Settled> {
        Ok(match known(Self::read(context, &args).await)? {
            Some(read) if read.before == read.wanted => Settled::Done(read.done(context)?.into()),
            Some(_) => Settled::NotDone,
            None => Settled::Unknown,
        })
    }
}
