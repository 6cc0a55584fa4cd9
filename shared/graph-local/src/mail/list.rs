//! A folder's messages, newest first (<https://learn.microsoft.com/graph/api/user-list-messages>): filtered, or
//! searched.

use mail_parser::MessageParser;
use serde_json::json;

use super::mailbox::{Folder, Mailbox};
use super::shown;
use super::stored::Stored;
use crate::asked::Asked;
use crate::error::ApiError;
use crate::exchange::Given;

/// The most of a page, and of a search over all its pages.
const PAGE: usize = 1_000;
const SEARCHED: usize = 1_000;
const OPTIONS: [&str; 8] = [
    "$select",
    "$filter",
    "$orderby",
    "$top",
    "$search",
    "$count",
    "$skiptoken",
    "$skip",
];

fn bad(what: &str) -> ApiError {
    ApiError::new(400, "ErrorInvalidUrlQuery", what)
}

/// What a message must be.
#[derive(Debug)]
enum Term {
    From(String),
    Until(String),
    IsRead(bool),
    MessageId(String),
    Property(String, String),
}

fn quoted(text: &str) -> Option<String> {
    let inner = text.trim().strip_prefix('\'')?.strip_suffix('\'')?;
    Some(inner.replace("''", "'"))
}

impl Term {
    fn read(text: &str) -> Result<Self, ApiError> {
        let text = text.trim();
        if let Some(inner) = text.strip_prefix("singleValueExtendedProperties/Any(ep: ") {
            let both = inner.strip_suffix(')').and_then(|inner| {
                let (id, value) = inner.split_once(" and ep/value eq ")?;
                let id = quoted(id.strip_prefix("ep/id eq ")?)?;
                Some((id, quoted(value)?))
            });
            let (id, value) = both.ok_or_else(|| bad("extended property"))?;
            return Ok(Self::Property(id, value));
        }
        let words: Vec<&str> = text.splitn(3, ' ').collect();
        match words.as_slice() {
            ["receivedDateTime", "ge", at] => Ok(Self::From((*at).to_owned())),
            ["receivedDateTime", "le", at] => Ok(Self::Until((*at).to_owned())),
            ["isRead", "eq", "true"] => Ok(Self::IsRead(true)),
            ["isRead", "eq", "false"] => Ok(Self::IsRead(false)),
            ["internetMessageId", "eq", id] => {
                let id = quoted(id).ok_or_else(|| bad("internetMessageId"))?;
                Ok(Self::MessageId(id.trim_matches(['<', '>']).to_owned()))
            }
            _ => Err(bad("an unknown filter")),
        }
    }

    fn fits(&self, stored: &Stored) -> bool {
        let at = stored.at.to_string();
        match self {
            Self::From(from) => at >= *from,
            Self::Until(until) => at <= *until,
            Self::IsRead(is_read) => stored.is_read == *is_read,
            Self::MessageId(id) => {
                let raw = stored.mime();
                let parsed = MessageParser::default().parse(&raw).unwrap_or_default();
                parsed.message_id() == Some(id)
            }
            Self::Property(id, value) => stored.properties.get(id) == Some(value),
        }
    }
}

/// The terms of a filter. What it is ordered by must come first in it.
fn terms(asked: &Asked) -> Result<Vec<Term>, ApiError> {
    let filter = asked.query("$filter").unwrap_or_default();
    match asked.query("$orderby") {
        None | Some("receivedDateTime desc") => {}
        Some(_) => return Err(bad("$orderby")),
    }
    if asked.query("$orderby").is_some()
        && !filter.is_empty()
        && !filter.starts_with("receivedDateTime ")
    {
        let words = "The restriction or sort order is too complex for this operation.";
        return Err(ApiError::new(400, "InefficientFilter", words));
    }
    if filter.starts_with("singleValueExtendedProperties") {
        return Ok(vec![Term::read(filter)?]);
    }
    let each = filter.split(" and ").filter(|term| !term.is_empty());
    each.map(Term::read).collect()
}

/// Where a phrase is looked for.
#[derive(Clone, Copy)]
enum Within {
    Anywhere,
    Sender,
    Recipients,
}

/// The words of a search, each a phrase.
fn searched(search: &str) -> Result<Vec<(Within, String)>, ApiError> {
    let inner = search.strip_prefix('"').and_then(|s| s.strip_suffix('"'));
    let inner = inner.ok_or_else(|| bad("$search stands in double quotes"))?;
    let mut clauses = Vec::new();
    for clause in inner.split(" AND ") {
        let named = clause
            .split_once(':')
            .filter(|(name, _)| !name.contains('"'));
        let (within, phrase) = match named {
            Some(("from", phrase)) => (Within::Sender, phrase),
            Some(("to", phrase)) => (Within::Recipients, phrase),
            _ => (Within::Anywhere, clause),
        };
        let phrase = phrase
            .strip_prefix("\\\"")
            .and_then(|p| p.strip_suffix("\\\""));
        let phrase = phrase.filter(|phrase| !phrase.contains(['"', '\\']));
        let phrase = phrase.ok_or_else(|| bad("Syntax error: a phrase of $search"))?;
        clauses.push((within, phrase.to_lowercase()));
    }
    Ok(clauses)
}

fn found(clauses: &[(Within, String)], stored: &Stored) -> bool {
    let raw = stored.mime();
    let parsed = MessageParser::default().parse(&raw).unwrap_or_default();
    let sender = shown::sender(&parsed).to_lowercase();
    let subject = parsed.subject().unwrap_or_default();
    let recipients = shown::recipients(&parsed).to_lowercase();
    let all = format!("{sender} {recipients} {subject} {}", shown::text(&parsed)).to_lowercase();
    clauses.iter().all(|(within, phrase)| match within {
        Within::Anywhere => all.contains(phrase),
        Within::Sender => sender.contains(phrase),
        Within::Recipients => recipients.contains(phrase),
    })
}

pub(super) fn list(mailbox: &Mailbox, asked: &Asked) -> Result<Given, ApiError> {
    asked.only(&OPTIONS)?;
    let folder = match asked.path[1].as_str() {
        "mailFolders" => {
            let named = Folder::named(&asked.path[2]);
            Some(named.ok_or_else(|| ApiError::new(404, "ErrorFolderNotFound", "folder"))?)
        }
        _ => None,
    };
    let top = asked.query("$top").map_or(Ok(10), str::parse);
    let top = top.ok().filter(|top| (1..=PAGE).contains(top));
    let top = top.ok_or_else(|| bad("$top"))?;
    let skip: usize = asked
        .query("$skiptoken")
        .map_or(Ok(0), str::parse)
        .map_err(|_| bad("$skiptoken"))?;
    let terms = terms(asked)?;
    let clauses = asked.query("$search").map(searched).transpose()?;
    if clauses.is_some()
        && ["$filter", "$orderby", "$count"]
            .iter()
            .any(|o| asked.query(o).is_some())
    {
        let words = "The query parameter '$search' isn't supported with these.";
        return Err(ApiError::new(400, "SearchWithFilter", words));
    }
    let fits = |stored: &Stored| {
        folder.is_none_or(|folder| stored.folder == folder)
            && terms.iter().all(|term| term.fits(stored))
            && clauses
                .as_ref()
                .is_none_or(|clauses| found(clauses, stored))
    };
    let fit = mailbox.messages.iter().filter(|(_, stored)| fits(stored));
    let mut fit: Vec<_> = fit.map(|(number, stored)| (stored.at, *number)).collect();
    fit.sort_by(|a, b| b.cmp(a));
    if clauses.is_some() {
        fit.truncate(SEARCHED);
    }
    let page = fit.iter().skip(skip).take(top);
    let page = page.map(|(_, number)| shown::message(mailbox, *number, asked));
    let mut answer = json!({"value": page.collect::<Result<Vec<_>, _>>()?});
    if asked.query("$count") == Some("true") {
        answer["@odata.count"] = json!(fit.len());
    }
    if skip + top < fit.len() {
        answer["@odata.nextLink"] = json!(next_link(asked, skip + top));
    }
    Ok(Given::Json(200, answer))
}

/// The same list from here on.
pub(crate) fn next_link(asked: &Asked, skip: usize) -> String {
    let host = asked
        .headers
        .get("host")
        .and_then(|host| host.to_str().ok());
    let kept = asked.query.iter().filter(|(name, _)| name != "$skiptoken");
    let mut query: Vec<(String, String)> = kept.cloned().collect();
    query.push(("$skiptoken".into(), skip.to_string()));
    let query = serde_urlencoded::to_string(query).unwrap_or_default();
    let path = asked.path.join("/");
    format!("http://{}/v1.0/{path}?{query}", host.unwrap_or_default())
}
