//! Asks to leave a mailing list as the mail's headers specify: with one request to its page (RFC 8058) if the
//! mail's server signed it, else by mail (RFC 2369).

use alfred_agent::tool::{Receipt, Settled};
use alfred_core::ports::{MailMessage, MailSummary, OneClick, OutgoingMail, PageError};
use std::future::ready;

use super::letter::{self, Kind, Letter};
use super::{doubt, find, named, reached};
use crate::account::not_read;
use crate::prelude::*;

const UNSUBSCRIBE_TITLE: &str = "Ask to leave a mailing list";

/// The usual request text if the header gives none.
const WORD: &str = "unsubscribe";

pub enum Way {
    ByMail(Box<Letter>),
    ByPage(Box<Visit>),
}

/// One request to the page of a list.
pub struct Visit {
    page: OneClick,
    pub card: Preview,
    about: MailSummary,
}

impl Way {
    /// Fails if the mail doesn't exist or names no way to unsubscribe.
    pub async fn prepare(context: &ToolContext, email_id: &str) -> Result<Self, ToolError> {
        let original = find::one(context, "emailId", email_id).await?;
        match original.one_click.clone().filter(|page| page.signed) {
            Some(page) => Ok(Self::ByPage(Box::new(
                Visit::prepare(context, page, original).await?,
            ))),
            None => Ok(Self::ByMail(Box::new(letter(context, &original).await?))),
        }
    }
}

/// Checks whether the request was made, after its result was lost. For a page request this can't be checked.
pub async fn settle(
    context: &ToolContext,
    tool: &str,
    email_id: &str,
) -> Result<Settled, ToolError> {
    let prepared = match Way::prepare(context, email_id).await {
        Ok(Way::ByPage(_)) => return Ok(Settled::Unknown),
        Ok(Way::ByMail(letter)) => Ok(*letter),
        Err(gone @ ToolError::Failed(_)) => Err(gone),
        Err(other) => return Err(other),
    };
    let is_gone = prepared.is_err();
    let (whom, prepared) = ((Kind::Unsubscribe, "the sender"), ready(prepared));
    match letter::settle(context, tool, whom, prepared).await? {
        // The mail is gone, so the request may have been a page request.
        Settled::NotDone if is_gone => Ok(Settled::Unknown),
        settled => Ok(settled),
    }
}

impl Visit {
    async fn prepare(
        context: &ToolContext,
        page: OneClick,
        original: MailMessage,
    ) -> Result<Self, ToolError> {
        let how = format!("one request to {}; nothing on the page is read", page.host);
        let preview = Preview::new(UNSUBSCRIBE_TITLE)
            .field("List", named(&original.summary))
            .field("Address", &page.url)
            .field("How", how);
        Ok(Self {
            card: doubt::shown(context, preview, &original).await?,
            page,
            about: original.summary,
        })
    }

    pub async fn make(self, context: &ToolContext) -> Result<ToolOutput, ToolError> {
        match context.web.pages.leave_list(&self.page.url).await {
            Ok(()) => {}
            Err(PageError::Unanswered { detail }) => return Err(ToolError::Unknown(detail)),
            Err(why) => {
                tracing::info!(error = %why, "a list's page didn't take a request");
                return Err(ToolError::failed(list_not_left(&why)).kind(why.kind()));
            }
        }
        let (host, about) = (&self.page.host, &self.about);
        let data = json!({"action": "unsubscribe", "sent": true, "to": host, "emailId": about.id, "status": about.status});
        let receipt = Receipt {
            what: format!("Asked {host} to take you off its list"),
            at: Some(context.clock.now()),
            ..Receipt::default()
        };
        Ok(ToolOutput::data(&data)?.with_receipt(receipt))
    }
}

fn list_not_left(why: &PageError) -> &'static str {
    match why {
        PageError::Inward => "The page of this list lies in a private network, so I don't open it.",
        PageError::Status(_) | PageError::NotFound | PageError::TooManyRedirects => {
            "The list's page didn't confirm that you are unsubscribed. Try the link in the mail."
        }
        PageError::NotSetUp => "I can't open the pages of lists here. Use the link in the mail.",
        _ => "I can't reach the page of this list at the moment. Nothing was asked of it.",
    }
}

async fn letter(context: &ToolContext, original: &MailMessage) -> Result<Letter, ToolError> {
    let Some(asked) = &original.unsubscribe else {
        let problem = match original.one_click {
            Some(_) => {
                "has an unsubscribe page, but I can't verify that it comes from the sender. Use the link in the mail if you trust it."
            }
            None => "names no address to leave its list by. Use the link in it.",
        };
        return Err(refused("emailId", original.summary.id.as_str(), problem));
    };
    let or_word = |said: &str| match said.trim() {
        "" => WORD.to_owned(),
        said => said.to_owned(),
    };
    let mail = OutgoingMail {
        to: vec![asked.to.clone()],
        subject: or_word(&asked.subject),
        text: or_word(&asked.text),
        ..OutgoingMail::default()
    };
    mail.check().map_err(not_read)?;
    let preview = Preview::new(UNSUBSCRIBE_TITLE)
        .reaching(text::RECIPIENTS_LABEL, reached(&mail))
        .field("List", named(&original.summary))
        .field("Subject", &mail.subject)
        .body(&mail.text);
    Ok(Letter {
        kind: Kind::Unsubscribe,
        card: doubt::shown(context, preview, original).await?,
        mail,
        about: Some(original.summary.clone()),
    })
}
