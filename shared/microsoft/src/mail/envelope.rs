use alfred_core::ports::{MailStatus, MailSummary};
use alfred_mime::clean;

use super::wire::Message;
use crate::person::mailbox;

pub(super) fn summary(message: &Message, status: MailStatus) -> MailSummary {
    let received_at = message.received_date_time.unwrap_or_default();
    let headers = message.internet_message_headers.iter().flatten();
    let headers = headers.map(|header| (header.name.as_str(), header.value.as_str()));
    let read = alfred_mime::envelope(headers, received_at);
    let preview = message.body_preview.as_deref().unwrap_or_default();
    let to = message.to_recipients.iter().flatten();
    MailSummary {
        id: message.id.as_str().into(),
        status,
        from: message.from.as_ref().map(mailbox).unwrap_or_default(),
        to: to.map(mailbox).collect(),
        subject: clean::line(message.subject.as_deref().unwrap_or_default()),
        received_at,
        has_attachments: message.has_attachments.unwrap_or_default(),
        automated: read.is_some_and(|read| read.automated),
        snippet: MailSummary::snippet_of(&clean::line(preview)),
    }
}
