//! The connection of one call.

use crate::Result;
use alfred_mime::Raw;
use async_imap::types::{Fetch, Flag, Mailbox};
use futures_util::TryStreamExt;
use jiff::{SignedDuration, Timestamp};
use std::collections::HashMap;

use crate::imap::entry::{ASKED, Entry};
use crate::imap::id::Name;
use crate::imap::open::{ImapServer, Signed, not_reached, unknown};
use crate::imap::shelf::{Shelf, Shelves};

/// Mails in one command, since servers limit line length (RFC 7162, 4, requires 8,192 bytes).
pub(crate) const AT_ONCE: usize = 400;
/// The server's zone may give another date than ours.
pub(crate) const A_DAY: SignedDuration = SignedDuration::from_hours(24);

pub(crate) struct Line {
    pub session: Signed,
    shelves: Option<Shelves>,
    selected: Option<(Shelf, Mailbox)>,
}

/// The read part of a mail.
pub(crate) struct Bytes {
    /// The whole header and the requested part of the rest.
    bytes: Vec<u8>,
    pub entry: Entry,
}

impl Bytes {
    pub fn raw(&self) -> Raw<'_> {
        Raw {
            bytes: &self.bytes,
            whole: self.bytes.len() as u64 >= self.entry.size.into(),
            size: self.entry.size.into(),
            modified: self.entry.at,
        }
    }

    pub fn name(&self) -> Name {
        Name::of(self.entry.at, &self.raw())
    }
}

impl Line {
    pub async fn open(server: &ImapServer) -> Result<Self> {
        Ok(Self {
            session: server.open().await?,
            shelves: None,
            selected: None,
        })
    }

    async fn shelves(&mut self) -> Result<(&mut Shelves, &mut Signed)> {
        let known = match self.shelves.take() {
            Some(known) => known,
            None => Shelves::find(&mut self.session).await?,
        };
        Ok((self.shelves.insert(known), &mut self.session))
    }

    /// The server's name of this mailbox, created if missing.
    pub async fn ensure(&mut self, shelf: Shelf) -> Result<String> {
        let (shelves, session) = self.shelves().await?;
        shelves.ensure(session, shelf).await
    }

    /// Selects this mailbox. False if it doesn't exist.
    pub async fn select(&mut self, shelf: Shelf) -> Result<bool> {
        let selected = self.selected.as_ref();
        if selected.is_some_and(|(there, _)| *there == shelf) {
            return Ok(true);
        }
        let name = match shelf {
            // Needs no list of the mailboxes.
            Shelf::Inbox => "INBOX".to_owned(),
            _ => match self.shelves().await?.0.name(shelf) {
                Some(name) => name.to_owned(),
                None => return Ok(false),
            },
        };
        self.selected = None;
        let opened = self.session.select(&name).await;
        self.selected = Some((shelf, opened.map_err(not_reached)?));
        Ok(true)
    }

    /// Whether the selected mailbox stores this keyword. A server that doesn't say accepts all.
    pub fn keeps(&self, keyword: &str) -> bool {
        let Some((_, mailbox)) = &self.selected else {
            return false;
        };
        let taken = |flag: &Flag<'_>| match flag {
            Flag::MayCreate => true,
            Flag::Custom(known) => known.eq_ignore_ascii_case(keyword),
            _ => false,
        };
        mailbox.permanent_flags.is_empty() || mailbox.permanent_flags.iter().any(taken)
    }

    /// The numbers of a mailbox's mails that match this search (RFC 3501, 6.4.4), and selects it. Empty if it doesn't exist.
    pub async fn search(&mut self, shelf: Shelf, search: &str) -> Result<Vec<u32>> {
        if !self.select(shelf).await? {
            return Ok(Vec::new());
        }
        let uids = self.session.uid_search(search).await;
        Ok(Vec::from_iter(uids.map_err(not_reached)?))
    }

    /// As [`Self::search`], with the metadata of each mail.
    pub async fn entries(&mut self, shelf: Shelf, search: &str) -> Result<Vec<Entry>> {
        let uids = self.search(shelf, search).await?;
        self.entries_of(shelf, &uids).await
    }

    /// The metadata of these mails.
    pub async fn entries_of(&mut self, shelf: Shelf, uids: &[u32]) -> Result<Vec<Entry>> {
        if uids.is_empty() || !self.select(shelf).await? {
            return Ok(Vec::new());
        }
        let fetched = self.fetch(uids, ASKED).await?;
        let entries = fetched.iter().filter_map(|one| Entry::read(shelf, one));
        Ok(entries.collect())
    }

    /// The header and up to `most` bytes of the body of each mail, unordered, without deleted ones.
    pub async fn read(&mut self, entries: &[Entry], most: usize) -> Result<Vec<Bytes>> {
        let asked = match most {
            0 => "(UID BODY.PEEK[HEADER])".to_owned(),
            most => format!("(UID BODY.PEEK[HEADER] BODY.PEEK[TEXT]<0.{most}>)"),
        };
        let mut found = Vec::with_capacity(entries.len());
        for shelf in Shelf::ALL.into_iter().chain([Shelf::Drafts]) {
            let here = entries.iter().filter(|entry| entry.shelf == shelf);
            let here: HashMap<u32, Entry> = here.map(|entry| (entry.uid, *entry)).collect();
            if here.is_empty() || !self.select(shelf).await? {
                continue;
            }
            let uids: Vec<u32> = here.keys().copied().collect();
            for one in self.fetch(&uids, &asked).await? {
                let entry = one.uid.and_then(|uid| here.get(&uid));
                if let (Some(entry), Some(header)) = (entry, one.header()) {
                    let text = one.text().unwrap_or_default();
                    let (bytes, entry) = ([header, text].concat(), *entry);
                    found.push(Bytes { bytes, entry });
                }
            }
        }
        Ok(found)
    }

    /// Finds mails on these shelves.
    pub async fn locate(
        &mut self,
        names: &[Name],
        shelves: &[Shelf],
    ) -> Result<HashMap<Name, Entry>> {
        let mut found = HashMap::new();
        let times = names.iter().map(|name| name.at);
        let (Some(first), Some(last)) = (times.clone().min(), times.max()) else {
            return Ok(found);
        };
        let since = date(first.saturating_sub(A_DAY).unwrap_or(first));
        let before = date(last.saturating_add(A_DAY * 2).unwrap_or(last));
        let search = format!("SINCE {since} BEFORE {before}");
        for &shelf in shelves {
            let mut alike = self.entries(shelf, &search).await?;
            alike.retain(|entry| {
                let is = |name: &&Name| (name.at, name.size) == (entry.at, entry.size);
                names.iter().any(|name| is(&name))
            });
            for bytes in self.read(&alike, 0).await? {
                let name = bytes.name();
                if names.contains(&name) {
                    found.entry(name).or_insert(bytes.entry);
                }
            }
            if names.iter().all(|name| found.contains_key(name)) {
                break;
            }
        }
        Ok(found)
    }

    pub async fn append(
        &mut self,
        shelf: Shelf,
        flags: &str,
        at: Timestamp,
        mail: &[u8],
    ) -> Result<()> {
        let name = self.ensure(shelf).await?;
        let date = format!("\"{}\"", at.strftime("%d-%b-%Y %H:%M:%S +0000"));
        let put = self.session.append(name, Some(flags), Some(&date), mail);
        put.await.map_err(unknown)
    }

    async fn fetch(&mut self, uids: &[u32], asked: &str) -> Result<Vec<Fetch>> {
        let mut found = Vec::with_capacity(uids.len());
        for some in uids.chunks(AT_ONCE) {
            let fetched = self.session.uid_fetch(set(some), asked).await;
            let fetched = fetched.map_err(not_reached)?.try_collect::<Vec<_>>();
            found.extend(fetched.await.map_err(not_reached)?);
        }
        Ok(found)
    }
}

pub(crate) fn set(uids: &[u32]) -> String {
    let uids: Vec<String> = uids.iter().map(u32::to_string).collect();
    uids.join(",")
}

pub(crate) fn date(at: Timestamp) -> String {
    at.strftime("%-d-%b-%Y").to_string()
}
