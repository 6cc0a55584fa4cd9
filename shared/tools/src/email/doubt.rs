//! Phishing checks of mails, and their warnings on cards.

use alfred_core::User;
use alfred_core::ports::{MailMessage, Mailbox};
use alfred_planner::categorize;
use alfred_planner::mail::Phishing;

use super::{facts, line};
use crate::prelude::*;
use crate::user::active;

/// Returns a warning if a mail looks like phishing.
pub async fn of(context: &ToolContext, mail: &MailMessage) -> Result<Option<String>> {
    let people = active(context).await?;
    let triage = categorize(&facts(context, mail, &people));
    let why = reason(&triage.phishing);
    Ok(why.map(|why| format!("This e-mail looks like phishing: {why}.")))
}

/// Joins the signs; `None` without any.
pub fn reason(signs: &[Phishing]) -> Option<String> {
    let signs: Vec<String> = signs.iter().map(Phishing::to_string).collect();
    (!signs.is_empty()).then(|| signs.join("; "))
}

/// Adds a warning to the card if the mail looks like phishing.
pub async fn shown(context: &ToolContext, preview: Preview, mail: &MailMessage) -> Result<Preview> {
    let warning = of(context, mail).await?;
    Ok(preview.any(text::CAREFUL, warning.unwrap_or_default()))
}

/// Whether the sender's displayed name is the full name of a registered person with another mail domain, or
/// contains an address other than the sender's.
pub fn is_borrowed(from: &Mailbox, people: &[User]) -> bool {
    let name = line(&from.name).to_lowercase();
    let is_theirs = |user: &User| {
        let same = line(&user.name).to_lowercase() == name;
        same && !user.email.is_empty() && domain(&user.email) != domain(&from.address)
    };
    // Many people share a first name, and "Ann @ Shop" is no address.
    let named = name.contains(' ') && people.iter().any(is_theirs);
    let mut words = name.split(|c: char| c.is_whitespace() || "<>()\"',;".contains(c));
    let another = |word: &str| {
        let address = Mailbox::new("", word);
        address.is_addressable() && domain(word).contains('.') && address.address != from.address
    };
    named || words.any(another)
}

/// Whether all `Reply-To` addresses are in another domain than the sender's.
pub fn answers_elsewhere(mail: &MailMessage) -> bool {
    let own = domain(&mail.summary.from.address);
    let elsewhere = |to: &Mailbox| domain(&to.address) != own;
    !mail.reply_to.is_empty() && mail.reply_to.iter().all(elsewhere)
}

fn domain(address: &str) -> String {
    let domain = address.rsplit_once('@').map_or("", |(_, domain)| domain);
    domain.trim().to_lowercase()
}
