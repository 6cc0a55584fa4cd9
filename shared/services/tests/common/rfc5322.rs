//! The mails of the conformance suite as they come over the wire.

use alfred_core::ports::{MailMessage, Mailbox};
use alfred_testkit::conformance::mail;
use mail_builder::MessageBuilder;
use mail_builder::headers::address::Address;
use mail_builder::headers::raw::Raw;

/// This mail's bytes.
pub fn rfc5322(mail: &MailMessage) -> Vec<u8> {
    let address = |m: &Mailbox| Address::new_address(Some(m.name.clone()), m.address.clone());
    let list = |all: &[Mailbox]| Address::new_list(all.iter().map(address).collect());
    let summary = &mail.summary;
    let mut message = MessageBuilder::new()
        .from(address(&summary.from))
        .to(list(&summary.to))
        .subject(summary.subject.clone())
        .date(summary.received_at.as_second())
        .message_id(mail.message_id.clone().unwrap())
        .text_body(mail.text.clone());
    if !mail.cc.is_empty() {
        message = message.cc(list(&mail.cc));
    }
    if !mail.reply_to.is_empty() {
        message = message.reply_to(list(&mail.reply_to));
    }
    if let [before @ .., _] = mail.references.as_slice()
        && !before.is_empty()
    {
        message = message.references(before);
    }
    if summary.automated {
        message = message.header("List-Unsubscribe", Raw::new(mail::LIST_UNSUBSCRIBE));
    }
    for file in &mail.attachments {
        let content = vec![b'x'; usize::try_from(file.bytes).unwrap()];
        message = message.attachment(file.content_type.clone(), file.name.clone(), content);
    }
    message.write_to_vec().unwrap()
}
