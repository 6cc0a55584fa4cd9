//! Which of a server's mailboxes holds what.

use alfred_core::ports::AccountError;
use async_imap::types::{Name, NameAttribute};
use futures_util::TryStreamExt;

use crate::open::{Signed, not_reached, unknown};

/// Where a mail is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum Shelf {
    Inbox,
    Archive,
    Sent,
    Drafts,
}

impl Shelf {
    /// All with mails that came or went.
    pub const ALL: [Self; 3] = [Self::Inbox, Self::Archive, Self::Sent];

    /// As mail programs name it where the server doesn't say which it is, the usual name first.
    fn usual(self) -> &'static [&'static str] {
        match self {
            Self::Inbox => &["INBOX"],
            Self::Archive => &["Archive", "Archives"],
            Self::Sent => &["Sent", "Sent Items", "Sent Messages", "Sent Mail"],
            Self::Drafts => &["Drafts"],
        }
    }

    fn is(self, attribute: &NameAttribute<'_>) -> bool {
        match self {
            Self::Inbox => false,
            Self::Archive => *attribute == NameAttribute::Archive,
            Self::Sent => *attribute == NameAttribute::Sent,
            Self::Drafts => *attribute == NameAttribute::Drafts,
        }
    }
}

/// The server's names.
#[derive(Debug)]
pub(crate) struct Shelves {
    archive: Option<String>,
    sent: Option<String>,
    drafts: Option<String>,
    /// What a new mailbox's name begins with.
    prefix: String,
}

impl Shelves {
    /// Asks for them.
    pub async fn find(session: &mut Signed) -> Result<Self, AccountError> {
        let names = session.list(None, Some("*")).await;
        let names = names.map_err(|error| not_reached(&error))?;
        let names: Vec<Name> = names
            .try_collect()
            .await
            .map_err(|error| not_reached(&error))?;
        Ok(Self {
            archive: named(&names, Shelf::Archive),
            sent: named(&names, Shelf::Sent),
            drafts: named(&names, Shelf::Drafts),
            prefix: prefix(&names),
        })
    }

    /// `None` where there is none yet.
    pub fn name(&self, shelf: Shelf) -> Option<&str> {
        match shelf {
            Shelf::Inbox => Some("INBOX"),
            Shelf::Archive => self.archive.as_deref(),
            Shelf::Sent => self.sent.as_deref(),
            Shelf::Drafts => self.drafts.as_deref(),
        }
    }

    /// The name of one that is there, made if need be.
    pub async fn ensure(
        &mut self,
        session: &mut Signed,
        shelf: Shelf,
    ) -> Result<String, AccountError> {
        if let Some(name) = self.name(shelf) {
            return Ok(name.to_owned());
        }
        let name = format!("{}{}", self.prefix, shelf.usual()[0]);
        let made = session.create(&name).await;
        made.map_err(|error| unknown(&error))?;
        match shelf {
            Shelf::Inbox => {}
            Shelf::Archive => self.archive = Some(name.clone()),
            Shelf::Sent => self.sent = Some(name.clone()),
            Shelf::Drafts => self.drafts = Some(name.clone()),
        }
        Ok(name)
    }
}

/// The one that the server says it is, else the one that is called so.
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

/// Some servers keep everybody's mailboxes within `INBOX` and take no others.
fn prefix(names: &[Name]) -> String {
    let mut others = names
        .iter()
        .filter(|name| !name.name().eq_ignore_ascii_case("INBOX"));
    let within = others.next().and_then(|first| {
        let prefix = format!("INBOX{}", first.delimiter()?);
        let inside = |name: &Name| name.name().to_uppercase().starts_with(&prefix);
        (inside(first) && others.all(inside)).then_some(prefix)
    });
    within.unwrap_or_default()
}
