//! Graph's people (<https://learn.microsoft.com/graph/api/resources/recipient>).

use alfred_core::ports::Mailbox;
use alfred_mime::clean;
use serde::Deserialize;
use serde_json::{Value, json};

#[derive(Clone, Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(super) struct Recipient {
    pub email_address: EmailAddress,
}

#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct EmailAddress {
    pub name: String,
    pub address: String,
}

pub(super) fn mailbox(recipient: &Recipient) -> Mailbox {
    let EmailAddress { name, address } = &recipient.email_address;
    // Graph repeats the address as the name of people without a name.
    let is_repeated = name.eq_ignore_ascii_case(address);
    let name = if is_repeated { "" } else { name };
    Mailbox::new(clean::line(name), &clean::line(address))
}

pub(super) fn written(mailbox: &Mailbox) -> Value {
    let address = alfred_mime::ascii_domain(&mailbox.address);
    let name = clean::line(&mailbox.name);
    if name.is_empty() {
        return json!({"emailAddress": {"address": address}});
    }
    json!({"emailAddress": {"name": name, "address": address}})
}
