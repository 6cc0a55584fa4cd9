//! `email_sendEmail`: sends a new or forwarded mail, or saves it as a draft.

use alfred_core::ports::{MailMessage, OutgoingMail};

use super::attach::{self, Attach};
use super::letter::{self, Kind, Letter};
use super::{LINE, MAX_TEXT, TOOLSET, doubt, drafts, find, quote, reached};
use crate::fields::words_up_to;
use crate::prelude::*;
use crate::user::people::{FROM_MAIL, People};

const NAME: &str = "email_sendEmail";
const EMPTY: &str = "is empty. Write it.";
/// People per list.
const MOST: usize = 50;

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Arguments {
    /// Up to 50 people: "@handle", full name, e-mail address or Slack id.
    to: Vec<String>,
    /// Who gets a copy, named likewise.
    cc: Option<Vec<String>>,
    /// What it is about, on one line. Only with forward it may be left out.
    subject: Option<String>,
    /// The whole e-mail, plain text. Only with forward it may be left out.
    text: Option<String>,
    /// Files that go along.
    attach: Option<Vec<Attach>>,
    /// Id of an e-mail that is forwarded below the text, with its files.
    forward: Option<String>,
    /// Whether it is kept as a draft instead; nothing is sent then.
    as_draft: Option<bool>,
}

pub fn tool() -> SharedTool {
    let description =
        "Sends a new e-mail, or forwards one. A card asks first. An answer: email_processEmail.";
    let def = ToolDef::new(TOOLSET, NAME, description);
    let keep = def.clone().effect(Effect::ReversibleWrite);
    outward::varying::<NewMail>(def, vec![keep.with(|def| def.adds = true)])
}

struct NewMail {
    letter: Letter,
    as_draft: bool,
}

/// Builds the mail from the arguments and the forwarded mail, if any, without its recipients.
async fn composed(
    context: &ToolContext,
    args: &Arguments,
    original: Option<&MailMessage>,
) -> Result<OutgoingMail> {
    let words = text::one_line(args.subject.as_deref().unwrap_or_default());
    let subject = match original {
        Some(mail) if words.is_empty() => quote::subject("Fwd", mail),
        _ => words_up_to("subject", &words, LINE, EMPTY)?,
    };
    let own = args.text.as_deref().unwrap_or_default();
    let text = match original {
        None => words_up_to("text", own, MAX_TEXT, EMPTY)?,
        Some(mail) => {
            let own = text_up_to("text", own, MAX_TEXT).map_err(invalid)?;
            let below = quote::forwarded(mail, &context.zone());
            format!("{own}\n\n{below}").trim_start().to_owned()
        }
    };
    let with_files = original.filter(|mail| !mail.attachments.is_empty());
    let mut attach: Vec<Attach> = with_files.map(Attach::all_of).into_iter().collect();
    attach.extend(args.attach.iter().flatten().cloned());
    Ok(OutgoingMail {
        subject,
        text,
        files: attach::files(context, &attach).await?,
        ..OutgoingMail::default()
    })
}

#[async_trait]
impl Outward for NewMail {
    type Arguments = Arguments;

    fn milder(args: &Arguments) -> Option<usize> {
        (args.as_draft == Some(true)).then_some(0)
    }

    async fn recipients(context: &ToolContext, args: &Arguments) -> Result<Vec<String>> {
        let mut people = People::load_for_mail(context).await?;
        let mut to = people.recipients(context, "to", &args.to).await?;
        let cc = args.cc.as_deref().unwrap_or_default();
        to.extend(people.recipients(context, "cc", cc).await?);
        Ok(to)
    }

    async fn prepare(context: &ToolContext, args: &Arguments) -> Result<Self> {
        let original = match args.forward.as_deref() {
            Some(id) => Some(find::one(context, "forward", id).await?),
            None => None,
        };
        let mut mail = composed(context, args, original.as_ref()).await?;
        let mut known = People::load_for_mail(context).await?;
        check_count("to", args.to.len(), "people", 0..=MOST)?;
        mail.to = known.all(context, "to", &args.to, &[]).await?;
        if mail.to.is_empty() {
            return Err(refused("to", "", "is empty. Name who gets it."));
        }
        let cc = args.cc.as_deref().unwrap_or_default();
        check_count("cc", cc.len(), "people", 0..=MOST)?;
        mail.cc = known.all(context, "cc", cc, &mail.to).await?;
        mail.check().map_err(not_read)?;
        let as_draft = args.as_draft.unwrap_or(false);
        let (kind, title) = match original {
            Some(_) => (Kind::Forward, "Forward an e-mail"),
            None => (Kind::New, "Send an e-mail"),
        };
        let mut card = if as_draft {
            drafts::card("Keep a draft", &mail)
        } else {
            Preview::new(title)
                .reaching(text::RECIPIENTS_LABEL, reached(&mail))
                .field("Subject", &mail.subject)
        };
        card = card.any(FROM_MAIL, known.origins());
        if let Some(original) = &original {
            card = card.field("Forwards", super::named(&original.summary));
            card = doubt::shown(context, card, original).await?;
        }
        if !as_draft {
            card = attach::shown(card, &mail.files).body(&mail.text);
        }
        let letter = Letter {
            kind,
            mail,
            page: None,
            card,
            about: None,
        };
        Ok(Self { letter, as_draft })
    }

    fn preview(&self, _: &ToolContext) -> Preview {
        self.letter.card.clone()
    }

    async fn act(self, context: &ToolContext) -> Result<ToolOutput> {
        if !self.as_draft {
            return self.letter.send(context).await;
        }
        let kept = drafts::keep(context, self.letter.mail, &context.call.key).await?;
        let data = json!({"to": kept.to, "subject": kept.subject});
        drafts::output(data, &[kept])
    }

    async fn settle(context: &ToolContext, args: Arguments) -> Result<Settled> {
        let forward = args.forward.as_ref();
        let kind = forward.map_or(Kind::New, |_| Kind::Forward);
        let to = [&*args.to, args.cc.as_deref().unwrap_or_default()].concat();
        let prepared = async { Ok(Self::prepare(context, &args).await?.letter) };
        letter::settle(context, NAME, kind, &to.join(", "), prepared).await
    }
}
