//! Reads the metadata of mails from the newest to the oldest, in windows of arrival. So a page of a large mailbox costs
//! some weeks of it.

use alfred_core::ports::AccountError;
use jiff::{SignedDuration, Timestamp};

use crate::imap::entry::Entry;
use crate::imap::line::{A_DAY, AT_ONCE, Line, date};
use crate::imap::shelf::Shelf;

/// Length of the first window; each further one is four times as long.
const FIRST: SignedDuration = SignedDuration::from_hours(30 * 24);

pub(crate) struct Newest {
    searches: Vec<(Shelf, String)>,
    /// Mails that match the searches.
    pub all: usize,
    /// How many of them may still come.
    left: usize,
    start: Option<Timestamp>,
    end: Option<Timestamp>,
    length: SignedDuration,
    /// Read mails that may be older than some of the next window.
    pending: Vec<Entry>,
}

impl Newest {
    /// Mails that arrived after `cursor` may be left out.
    pub async fn new(
        line: &mut Line,
        searches: Vec<(Shelf, String)>,
        cursor: Option<Timestamp>,
        now: Timestamp,
    ) -> Result<Self, AccountError> {
        let mut newest = Self {
            searches,
            all: 0,
            left: 0,
            start: None,
            end: None,
            length: FIRST,
            pending: Vec::new(),
        };
        newest.all = newest.count(line).await?;
        newest.left = newest.all;
        // Fewer are read by one command.
        if newest.all > AT_ONCE {
            newest.end = cursor.and_then(|at| at.checked_add(A_DAY * 2).ok());
            newest.left = newest.count(line).await?;
            newest.start = earlier(newest.end.unwrap_or(now), FIRST);
        }
        Ok(newest)
    }

    /// Whether all mails come at once.
    pub const fn is_small(&self) -> bool {
        self.all <= AT_ONCE
    }

    async fn count(&self, line: &mut Line) -> Result<usize, AccountError> {
        let mut count = 0;
        for (shelf, search) in &self.searches {
            count += line.search(*shelf, &self.within(search)).await?.len();
        }
        Ok(count)
    }

    fn within(&self, search: &str) -> String {
        let since = self.start.map(|start| format!(" SINCE {}", date(start)));
        let before = self.end.map(|end| format!(" BEFORE {}", date(end)));
        [Some(search.to_owned()), since, before]
            .into_iter()
            .flatten()
            .collect()
    }

    /// The next mails, newest first. `None` at the end.
    pub async fn next(&mut self, line: &mut Line) -> Result<Option<Vec<Entry>>, AccountError> {
        if self.left == 0 {
            return Ok(None);
        }
        for (shelf, search) in &self.searches {
            let found = line.entries(*shelf, &self.within(search)).await?;
            self.left = self.left.saturating_sub(found.len());
            self.pending.extend(found);
        }
        if self.start.is_none() {
            self.left = 0;
        }
        self.pending
            .sort_by_key(|entry| std::cmp::Reverse(entry.order()));
        // The server's dates are in a zone that may differ for each mail.
        let sure = self
            .start
            .filter(|_| self.left > 0)
            .map(|start| start + A_DAY);
        let known = self
            .pending
            .partition_point(|entry| sure.is_none_or(|sure| entry.at >= sure));
        let rest = self.pending.split_off(known);
        self.length *= 4;
        self.end = self.start;
        self.start = self.end.and_then(|end| earlier(end, self.length));
        Ok(Some(std::mem::replace(&mut self.pending, rest)))
    }
}

/// `None` if no mail is that old.
fn earlier(at: Timestamp, length: SignedDuration) -> Option<Timestamp> {
    let earlier = at.checked_sub(length).ok();
    earlier.filter(|at| *at > Timestamp::UNIX_EPOCH)
}
