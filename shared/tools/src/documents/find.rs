//! Finds documents and sheets by id or title.

use alfred_agent::slack::connect::NOT_FOUND;
use alfred_core::id::DocumentId;
use alfred_core::ports::{Document, DocumentSummary};

use super::minute;
use crate::account::not_read;
use crate::fields::unclear;
use crate::fold::fold;
use crate::prelude::*;
use crate::resolve_by_title::resolve_by_title;

pub const FIELD: &str = "documentId";
/// Characters of an id or of search words.
const MAX_ID: usize = 500;
const LISTED: usize = 5;
const LOOKED_AT: usize = 100;

/// Finds the document with this id, or the only one whose title matches these words. The error shows no titles
/// to the model.
pub async fn one(context: &ToolContext, named: &str) -> Result<Document, ToolError> {
    let named = name(FIELD, named)?;
    let (account, port) = (context.account(), &context.accounts.documents);
    let read = async |id| port.read(&account, &id).await.map_err(not_read);
    if let Some(document) = read(DocumentId(named.clone())).await? {
        return Ok(document);
    }
    let found = port.find(&account, &words(&named), LOOKED_AT).await;
    let found = found.map_err(not_read)?.into_iter().map(|one| Named {
        id: one.id.0,
        title: one.title,
        modified: one.modified,
    });
    let id = pick(context, FIELD, &named, found.collect())?;
    let document = read(DocumentId(id)).await?;
    document.ok_or_else(|| nothing(FIELD, &named))
}

/// Whether another document has a title that reads the same.
pub async fn has_namesake(context: &ToolContext, of: &DocumentSummary) -> Result<bool, ToolError> {
    let (account, port) = (context.account(), &context.accounts.documents);
    let found = port.find(&account, &words(&of.title), LOOKED_AT).await;
    let mut others = found.map_err(not_read)?.into_iter();
    Ok(others.any(|one| one.id != of.id && reads_alike(&one.title, &of.title)))
}

pub fn reads_alike(one: &str, other: &str) -> bool {
    fold(one) == fold(other)
}

pub struct Named {
    pub id: String,
    pub title: String,
    pub modified: Timestamp,
}

/// Returns the id of the only match. Fails if none or several match.
pub fn pick(
    context: &ToolContext,
    field: &str,
    words: &str,
    found: Vec<Named>,
) -> Result<String, ToolError> {
    let titles: Vec<(usize, &str)> = found.iter().map(|one| &*one.title).enumerate().collect();
    let mut meant = resolve_by_title(titles, words, |(_, title)| *title);
    if meant.is_empty() {
        meant = found.iter().map(|one| &*one.title).enumerate().collect();
    }
    let meant: Vec<&Named> = meant.iter().filter_map(|(at, _)| found.get(*at)).collect();
    match meant.as_slice() {
        [] => Err(nothing(field, words)),
        [one] => Ok(one.id.clone()),
        several => {
            let shown = |one: &&Named| {
                let label = format!("one changed {}", minute(context, one.modified));
                (label, one.id.clone())
            };
            let things: Vec<_> = several.iter().take(LISTED).map(shown).collect();
            let error = unclear(field, words, (&things, several.len()));
            Err(error.offering(several.iter().map(|one| one.title.clone())))
        }
    }
}

pub fn name(field: &str, named: &str) -> Result<String, ToolError> {
    let named = text_up_to(field, named, MAX_ID).map_err(invalid)?;
    match named.is_empty() {
        true => Err(refused(
            field,
            &named,
            "is empty. Give the id, or words of the title.",
        )),
        false => Ok(named),
    }
}

pub fn words(named: &str) -> Vec<String> {
    named.split_whitespace().map(str::to_owned).collect()
}

fn nothing(field: &str, named: &str) -> ToolError {
    let error = refused(field, named, "isn't there.");
    let error = error.with(NOT_FOUND, json!(true));
    error.hint("Give the id, or words of the title.")
}
