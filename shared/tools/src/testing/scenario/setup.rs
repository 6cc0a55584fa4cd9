//! What a scenario gives: mails, events, people, documents, pages of the web.

use serde::Deserialize;

use crate::documents::desk::document;
use crate::testing::*;
use alfred_core::ports::{
    Answer, Attachment, Attendance, Cell, Domains, Event, Found, FoundPage, MailMessage, OneClick,
    PageError, Pages, Search, SearchError, WebPage,
};
use alfred_google_local::drive::File;
use std::collections::BTreeMap;
use std::sync::Mutex;
use std::time::Duration;

/// `Name <address>`, or an address.
pub(super) fn mailbox(text: &str) -> Mailbox {
    match text.strip_suffix('>').and_then(|text| text.split_once('<')) {
        Some((name, address)) => Mailbox::new(name.strip_suffix(' ').unwrap_or(name), address),
        None => Mailbox::new("", text),
    }
}

fn mailboxes(list: &[String]) -> Vec<Mailbox> {
    list.iter().map(|one| mailbox(one)).collect()
}

#[derive(Default, Deserialize)]
#[serde(default, rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct GivenMail {
    id: String,
    from: String,
    subject: String,
    text: String,
    to: Vec<String>,
    cc: Vec<String>,
    reply_to: Vec<String>,
    received: Option<jiff::Timestamp>,
    status: Option<MailStatus>,
    automated: bool,
    disguised_link: bool,
    /// Names and sizes.
    files: BTreeMap<String, u64>,
    references: Vec<String>,
    unsubscribe: Option<Unsubscribe>,
    one_click: Option<OneClick>,
}

impl From<GivenMail> for MailMessage {
    fn from(given: GivenMail) -> Self {
        let mut mail = arriving(&given.id, "", &given.subject, &given.text);
        mail.summary.from = mailbox(&given.from);
        mail.summary.to = mailboxes(&given.to);
        mail.summary.received_at = given.received.unwrap_or(mail.summary.received_at);
        mail.summary.status = given.status.unwrap_or(mail.summary.status);
        mail.summary.automated = given.automated;
        (mail.cc, mail.reply_to) = (mailboxes(&given.cc), mailboxes(&given.reply_to));
        mail.disguised_link = given.disguised_link;
        let file = |(name, bytes)| Attachment {
            name,
            content_type: "application/pdf".into(),
            bytes,
        };
        mail.attachments = given.files.into_iter().map(file).collect();
        let own = format!("{}@example.com", given.id);
        mail.references = given.references.into_iter().chain([own.clone()]).collect();
        mail.message_id = Some(own);
        (mail.unsubscribe, mail.one_click) = (given.unsubscribe, given.one_click);
        mail
    }
}

#[derive(Default, Deserialize)]
#[serde(default, rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct GivenEvent {
    id: String,
    title: String,
    /// Local start and end, or the whole day.
    at: Vec<String>,
    with: Vec<String>,
    /// Somebody else's event.
    organizer: Option<String>,
    description: String,
    answer: Option<Attendance>,
    /// Three dates, a week apart.
    weekly: bool,
    free: bool,
}

impl GivenEvent {
    pub(super) fn events(self) -> Vec<Event> {
        let with: Vec<&str> = self.with.iter().map(String::as_str).collect();
        let (from, to) = (&self.at[0], self.at.get(1));
        let day = span("2026-11-20T00:00", "2026-11-21T00:00");
        let time = to.map_or(day, |to| span(from, to));
        let mut event = own(&self.id, &self.title, time, &with);
        if to.is_none() {
            let [first, last] = [from, from].map(|day| day.parse().unwrap());
            event.time = EventTime::AllDay { first, last };
        }
        event.organizer = self.organizer.as_deref().map(mailbox);
        event.own = event.organizer.is_none();
        if !event.own {
            let unanswered = Attendance::Unanswered;
            event.attendance = self.answer.unwrap_or(unanswered);
            for one in &mut event.attendees {
                one.attendance = unanswered;
            }
        }
        (event.description, event.busy) = (self.description, !self.free);
        if self.weekly {
            weekly(&event)
        } else {
            vec![event]
        }
    }
}

#[derive(Default, Deserialize)]
#[serde(default, rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct GivenFile {
    id: String,
    title: String,
    day: Option<String>,
    text: Option<String>,
    /// Entries as typed, by tab of a sheet.
    tabs: BTreeMap<String, Vec<Vec<String>>>,
    read_only: bool,
}

impl GivenFile {
    pub(super) fn file(self) -> (String, File) {
        let day = self.day.as_deref().unwrap_or("2026-11-19");
        let modified = format!("{day}T08:00:00Z").parse().unwrap();
        let cells = |row: &Vec<String>| row.iter().map(|entry| Cell::typed(entry)).collect();
        let tabs = self.tabs.iter();
        let tabs = tabs.map(|(name, rows)| (name.as_str(), rows.iter().map(cells).collect()));
        let mut file = match &self.text {
            Some(text) => document(&self.title, modified, text),
            None => File::sheet(&self.title, modified, tabs),
        };
        file.editable = !self.read_only;
        (self.id, file)
    }
}

/// A web with fixed pages and search results, which records the lists that were left.
#[derive(Default, Deserialize)]
#[serde(default)]
pub(super) struct GivenWeb {
    /// Title and text, or the kind of an error.
    pages: BTreeMap<String, Value>,
    search: Value,
    pub(super) left: Mutex<Vec<String>>,
}

const DETAIL: &str = "HTTP 401 at 127.0.0.1, key sk-secret";

fn page_error(kind: &str) -> PageError {
    let detail = || DETAIL.to_owned();
    let content_type = "video/mp4".into();
    let all = [
        PageError::BadAddress,
        PageError::NotHttps,
        PageError::Inward,
        PageError::NoSuchHost,
        PageError::TooManyRedirects,
        PageError::NotFound,
        PageError::LoginNeeded,
        PageError::NotText { content_type },
        PageError::Status(503),
        PageError::TooSlow,
        PageError::Unanswered { detail: detail() },
        PageError::Down { detail: detail() },
        PageError::NotSetUp,
    ];
    all.into_iter().find(|it| it.kind() == kind).expect(kind)
}

fn search_error(kind: &str, wait: Option<u64>) -> SearchError {
    let detail = || DETAIL.to_owned();
    let retry_after = wait.map(Duration::from_secs);
    let all = [
        SearchError::NotSetUp,
        SearchError::KeyRefused { detail: detail() },
        SearchError::Refused { detail: detail() },
        SearchError::Down { detail: detail() },
        SearchError::TooSlow,
        SearchError::OverQuota { retry_after },
    ];
    all.into_iter().find(|it| it.kind() == kind).expect(kind)
}

#[async_trait::async_trait]
impl Pages for GivenWeb {
    async fn fetch(&self, url: &str) -> Result<WebPage, PageError> {
        match &self.pages[url] {
            Value::String(kind) => Err(page_error(kind)),
            page => Ok(WebPage {
                url: page["url"].as_str().unwrap_or(url).into(),
                title: page["title"].as_str().unwrap_or_default().into(),
                text: page["text"].as_str().unwrap().into(),
                truncated: page["truncated"].as_bool().unwrap_or_default(),
            }),
        }
    }

    async fn leave_list(&self, url: &str) -> Result<(), PageError> {
        self.left.lock().unwrap().push(url.to_owned());
        match &self.pages[url] {
            Value::String(kind) => Err(page_error(kind)),
            _ => Ok(()),
        }
    }
}

#[async_trait::async_trait]
impl Search for GivenWeb {
    async fn search(&self, _: &str, _: &Domains, limit: usize) -> Result<Found, SearchError> {
        assert!((1..=10).contains(&limit));
        if let Some(kind) = self.search["error"].as_str() {
            return Err(search_error(kind, self.search["wait"].as_u64()));
        }
        let text = |page: &Value, field: &str| page[field].as_str().unwrap().to_owned();
        let page = |page: &Value| FoundPage {
            source: alfred_core::Source {
                url: text(page, "url"),
                title: text(page, "title"),
            },
            snippet: text(page, "snippet"),
        };
        let pages = self.search["pages"].as_array().into_iter().flatten();
        Ok(Found {
            answer: self.search["answer"].as_str().map(answer),
            pages: pages.map(page).collect(),
            ..Found::default()
        })
    }
}

/// `[0: words]` in a given answer is a citation of the first page, `[: words]` of none.
fn answer(marked: &str) -> Answer {
    let (mut text, mut citations) = (String::new(), Vec::new());
    let mut parts = marked.split('[');
    text += parts.next().unwrap();
    for part in parts {
        let (cited, rest) = part.split_once(']').unwrap();
        let (page, words) = cited.split_once(": ").unwrap();
        let at = text.len()..text.len() + words.len();
        let page = page.parse().ok();
        citations.push(alfred_core::ports::Citation { at, page });
        text = text + words + rest;
    }
    Answer { text, citations }
}
