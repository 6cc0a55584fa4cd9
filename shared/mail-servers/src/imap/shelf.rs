//! The roles of a server's mailboxes.

use crate::Result;
use async_imap::types::{Name, NameAttribute};
use futures_util::TryStreamExt;
use std::collections::BTreeMap;

use crate::imap::open::{Signed, not_reached, unknown};

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum Shelf {
    Inbox,
    Archive,
    Sent,
    Drafts,
    Bin,
}

impl Shelf {
    /// Received and sent mails, and those in the bin.
    pub const ALL: [Self; 4] = [Self::Inbox, Self::Archive, Self::Sent, Self::Bin];

    /// Names used by mail programs, the most common first, for servers without `SPECIAL-USE`.
    fn usual(self) -> &'static [&'static str] {
        match self {
            Self::Inbox => &["INBOX"],
            Self::Archive => &["Archive", "Archives"],
            Self::Sent => &["Sent", "Sent Items", "Sent Messages", "Sent Mail"],
            Self::Drafts => &["Drafts"],
            Self::Bin => &["Trash", "Deleted Items", "Deleted Messages", "Bin"],
        }
    }

    fn is(self, attribute: &NameAttribute<'_>) -> bool {
        match self {
            Self::Inbox => false,
            Self::Archive => *attribute == NameAttribute::Archive,
            Self::Sent => *attribute == NameAttribute::Sent,
            Self::Drafts => *attribute == NameAttribute::Drafts,
            Self::Bin => *attribute == NameAttribute::Trash,
        }
    }
}

/// The server's mailbox names.
#[derive(Debug)]
pub(crate) struct Shelves {
    names: BTreeMap<Shelf, String>,
    /// Prefix of new mailboxes.
    prefix: String,
}

impl Shelves {
    pub async fn find(session: &mut Signed) -> Result<Self> {
        let names = session.list(None, Some("*")).await.map_err(not_reached)?;
        let names: Vec<Name> = names.try_collect().await.map_err(not_reached)?;
        let inbox = (Shelf::Inbox, "INBOX".to_owned());
        let others = [Shelf::Archive, Shelf::Sent, Shelf::Drafts, Shelf::Bin].into_iter();
        let others = others.filter_map(|shelf| Some((shelf, named(&names, shelf)?)));
        Ok(Self {
            names: others.chain([inbox]).collect(),
            prefix: prefix(&names),
        })
    }

    /// `None` if it doesn't exist yet.
    pub fn name(&self, shelf: Shelf) -> Option<&str> {
        self.names.get(&shelf).map(String::as_str)
    }

    /// The name of a mailbox, created if missing.
    pub async fn ensure(&mut self, session: &mut Signed, shelf: Shelf) -> Result<String> {
        if let Some(name) = self.name(shelf) {
            return Ok(name.to_owned());
        }
        let name = format!("{}{}", self.prefix, shelf.usual()[0]);
        session.create(&name).await.map_err(unknown)?;
        self.names.insert(shelf, name.clone());
        Ok(name)
    }
}

/// The mailbox that the server marks with this role, otherwise one with a usual name.
fn named(names: &[Name], shelf: Shelf) -> Option<String> {
    let said = |name: &&Name| name.attributes().iter().any(|a| shelf.is(a));
    let called = |usual: &str| {
        names.iter().find(|name| {
            let last = match name.delimiter() {
                Some(between) => name.name().rsplit(between).next(),
                None => Some(name.name()),
            };
            last.is_some_and(|last| last.eq_ignore_ascii_case(usual))
        })
    };
    let found = names.iter().find(said);
    let found = found.or_else(|| shelf.usual().iter().find_map(|usual| called(usual)));
    found.map(|name| name.name().to_owned())
}

/// Some servers only allow mailboxes within `INBOX`.
fn prefix(names: &[Name]) -> String {
    let is_other = |name: &&Name| !name.name().eq_ignore_ascii_case("INBOX");
    let mut others = names.iter().filter(is_other);
    let within = others.next().and_then(|first| {
        let prefix = format!("INBOX{}", first.delimiter()?);
        let inside = |name: &Name| name.name().to_uppercase().starts_with(&prefix);
        (inside(first) && others.all(inside)).then_some(prefix)
    });
    within.unwrap_or_default()
}
