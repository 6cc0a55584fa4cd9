//! What somebody may do with a document, in words.

use alfred_core::invisible::shown_on_one_line;
use alfred_core::ports::{Access, Document, Share};

use crate::email;
use crate::prelude::*;

/// What a person can choose from.
pub const CHOICES: &[(&str, &str)] = &[
    ("reader", words(Access::Reader)),
    ("commenter", words(Access::Commenter)),
    ("writer", words(Access::Writer)),
    ("none", words(Access::None)),
];

pub const fn words(access: Access) -> &'static str {
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

/// Fails with the reason why the document can't be shared.
pub fn now(document: &Document, address: &str) -> Result<Access> {
    let shares = document.shares.as_ref();
    let shares = shares.map_err(|why| ToolError::failed(why.clone()))?;
    let of = |share: &&Share| share.with.address.eq_ignore_ascii_case(address);
    let theirs = shares.iter().find(of);
    Ok(theirs.map_or(Access::None, |share| share.access))
}

pub fn changed(title: &str, share: &Share) -> String {
    let (title, who) = (shown_on_one_line(title), email::shown(&share.with));
    match share.access {
        Access::None => format!("Stopped sharing \"{title}\" with {who}"),
        access => format!("Shared \"{title}\": {who} {}", words(access)),
    }
}
