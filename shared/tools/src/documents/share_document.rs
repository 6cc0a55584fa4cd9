//! `docs_shareDocument`. Its undo gives the person the access that they had.

use alfred_core::ports::{Access, Document, Share};

use super::TOOLSET;
use super::access::{self, CHOICES, words};
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

pub fn tool() -> SharedTool {
    let description = "Sets what somebody may do with a document. A card asks first.";
    let def = ToolDef::new(TOOLSET, NAME, description).flow(Flow::UNKNOWN);
    let ending = def.clone().effect(Effect::ReversibleWrite);
    outward::varying::<Sharing>(def, vec![ending])
}

struct Sharing {
    document: Document,
    share: Share,
    before: Access,
    card: Preview,
}

impl Sharing {
    async fn read(context: &ToolContext, args: &Arguments) -> Result<Self> {
        let document: Document = file::one(context, &args.document_id).await?;
        let mut people = People::load(context).await?;
        let with = people.one(context, "person", &args.person).await?;
        let access = args.access;
        let before = access::now(&document, &with.address)?;
        let is_new = before == Access::None && access != before;
        let card = Preview::new("Share a document")
            .reaching("With", vec![email::addressee(&with)])
            .field("Document", &*document.summary.title)
            .bound([document.summary.id.to_string()])
            .change("They", words(before), words(access))
            .input("person", "With", &[])
            .input("access", "They", CHOICES)
            .any("Then", if is_new { "they get an e-mail" } else { "" })
            .any(FROM_MAIL, people.origins())
            .any(text::CAREFUL, file::careful(context, &document).await?);
        Ok(Self {
            document,
            share: Share { with, access },
            before,
            card,
        })
    }

    fn done(&self, context: &ToolContext) -> Result<ToolOutput> {
        let (file, person, before) = (&self.document, &self.share.with.address, self.before);
        let what = access::changed(&file.summary.title, &self.share);
        let undo = json!({"documentId": file.summary.id, "person": person, "access": before});
        let output = ToolOutput::data(&json!({"document": file.view(context)}))?;
        let output = output.with_receipt(file.receipt(context, what));
        // After a lost answer it isn't known what they could do before.
        let output = output.undone_by(NAME, (before != self.share.access).then_some(undo));
        Ok(output.leaving([json!(self.share.access)]))
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
        people.recipients(context, "person", &[&args.person]).await
    }

    async fn prepare(context: &ToolContext, args: &Arguments) -> Result<Self> {
        let sharing = Self::read(context, args).await?;
        let (before, title) = (sharing.before, &sharing.document.summary.title);
        context.ensure_as_left(title, true, &json!(before))?;
        if before == Access::Owner || (before == args.access && before != Access::None) {
            let problem = format!("{} already.", words(before));
            return Err(refused("person", &args.person, problem));
        }
        Ok(sharing)
    }

    fn preview(&self, _: &ToolContext) -> Preview {
        self.card.clone()
    }

    async fn act(self, context: &ToolContext) -> Result<ToolOutput> {
        let (account, id) = (context.account(), &self.document.summary.id);
        let documents = &context.accounts.documents;
        let shared = documents.set_access(&account, id, &self.share).await;
        shared.map_err(not_done)?;
        self.done(context)
    }

    async fn settle(context: &ToolContext, args: Arguments) -> Result<Settled> {
        let read = Self::read(context, &args).await?;
        if read.before != args.access {
            return Ok(Settled::NotDone);
        }
        Ok(Settled::Done(read.done(context)?.into()))
    }
}
