//! Reads the metadata of mails from the newest to the oldest, in windows of arrival. So a page of a large mailbox costs
//! some weeks of it.

use crate::Result;
use jiff::{SignedDuration, Timestamp};

use crate::imap::entry::Entry;
use crate::imap::line::{A_DAY, AT_ONCE, Line, date};
use crate::imap::shelf::Shelf;

/// Length of the first window; each further one is four times as long.
const FIRST: SignedDuration = SignedDuration::from_hours(30 * 24);

/// The numbers of mails.
type Found = Vec<(Shelf, Vec<u32>)>;

#[derive(Default)]
pub(crate) struct Newest {
    searches: Vec<(Shelf, String)>,
    /// Mails that match the searches.
    pub all: usize,
    /// How many of them may still come.
    left: usize,
    /// The next window.
    start: Option<Timestamp>,
    end: Option<Timestamp>,
    length: SignedDuration,
    /// Read mails that haven't come yet. Some of the next window may be newer.
    pending: Vec<Entry>,
}

impl Newest {
    /// Mails that arrived after `cursor` may be left out.
    pub async fn new(
        line: &mut Line,
        searches: Vec<(Shelf, String)>,
        cursor: Option<Timestamp>,
        now: Timestamp,
    ) -> Result<Self> {
        let mut newest = Self {
            searches,
            length: FIRST,
            ..Self::default()
        };
        let found = newest.search(line).await?;
        newest.all = count(&found);
        newest.left = newest.all;
        if newest.is_small() {
            newest.read(line, found).await?;
            return Ok(newest);
        }
        newest.end = cursor.and_then(|at| at.checked_add(A_DAY * 2).ok());
        if newest.end.is_some() {
            newest.left = count(&newest.search(line).await?);
        }
        newest.start = earlier(newest.end.unwrap_or(now), FIRST);
        Ok(newest)
    }

    /// Whether one command reads all mails, so that they come at once.
    pub const fn is_small(&self) -> bool {
        self.all <= AT_ONCE
    }

    /// The numbers of the next window's mails.
    async fn search(&self, line: &mut Line) -> Result<Found> {
        let since = self.start.map(|start| format!(" SINCE {}", date(start)));
        let before = self.end.map(|end| format!(" BEFORE {}", date(end)));
        let range = [since, before].into_iter().flatten().collect::<String>();
        let mut found = Vec::with_capacity(self.searches.len());
        for (shelf, search) in &self.searches {
            let uids = line.search(*shelf, &format!("{search}{range}")).await?;
            found.push((*shelf, uids));
        }
        Ok(found)
    }

    async fn read(&mut self, line: &mut Line, found: Found) -> Result<()> {
        for (shelf, uids) in found {
            self.pending.extend(line.entries_of(shelf, &uids).await?);
            self.left = self.left.saturating_sub(uids.len());
        }
        if self.start.is_none() {
            self.left = 0;
        }
        Ok(())
    }

    /// The next mails, newest first. `None` at the end.
    pub async fn next(&mut self, line: &mut Line) -> Result<Option<Vec<Entry>>> {
        if self.left > 0 {
            let found = self.search(line).await?;
            self.read(line, found).await?;
        } else if self.pending.is_empty() {
            return Ok(None);
        }
        self.pending
            .sort_by_key(|entry| std::cmp::Reverse(entry.order()));
        // The server's dates are in a zone that may differ for each mail.
        let sure = self.start.filter(|_| self.left > 0);
        let sure = sure.map(|start| start + A_DAY);
        let is_sure = |entry: &Entry| sure.is_none_or(|sure| entry.at >= sure);
        let rest = self.pending.partition_point(is_sure);
        let rest = self.pending.split_off(rest);
        self.length *= 4;
        self.end = self.start;
        self.start = self.end.and_then(|end| earlier(end, self.length));
        Ok(Some(std::mem::replace(&mut self.pending, rest)))
    }
}

fn count(found: &Found) -> usize {
    found.iter().map(|(_, uids)| uids.len()).sum()
}

/// `None` if no mail is that old.
fn earlier(at: Timestamp, length: SignedDuration) -> Option<Timestamp> {
    let earlier = at.checked_sub(length).ok();
    earlier.filter(|at| *at > Timestamp::UNIX_EPOCH)
}
