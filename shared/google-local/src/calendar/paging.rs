//! Pages of a list, and what has changed since one was read whole.

use base64::Engine;
use base64::prelude::BASE64_URL_SAFE_NO_PAD;
use sha2::{Digest, Sha256};

use crate::error::ApiError;
use crate::exchange::Asked;

const DEFAULT_RESULTS: usize = 250;
const MOST_RESULTS: usize = 2_500;
/// What a sync token excludes (`events.list`, `syncToken`).
const NOT_WITH_SYNC: [&str; 8] = [
    "iCalUID",
    "orderBy",
    "privateExtendedProperty",
    "q",
    "sharedExtendedProperty",
    "timeMin",
    "timeMax",
    "updatedMin",
];

/// One page.
pub(super) struct Page<T> {
    pub items: Vec<T>,
    pub next: Option<String>,
    /// The calendar's version when the first page was read.
    pub version: u64,
}

impl<T> Page<T> {
    /// The page of all these that is asked for.
    pub fn of(asked: &Asked, version: u64, mut all: Vec<T>) -> Result<Self, ApiError> {
        let most = match asked.query("maxResults").map(str::parse::<usize>) {
            None => DEFAULT_RESULTS,
            Some(Ok(most)) if most > 0 => most.min(MOST_RESULTS),
            Some(_) => return Err(ApiError::invalid("Invalid value for: maxResults")),
        };
        let (from, version) = match asked.query("pageToken") {
            None => (0, version),
            Some(token) => {
                read(token, asked).ok_or_else(|| ApiError::invalid("Invalid page token value."))?
            }
        };
        let mut items = all.split_off(from.min(all.len()));
        let next = (items.len() > most).then(|| written(from + most, version, asked));
        items.truncate(most);
        Ok(Self {
            items,
            next,
            version,
        })
    }
}

/// A page token goes with the same question alone.
fn question(asked: &Asked) -> String {
    let mut digest = Sha256::new();
    digest.update(&asked.path);
    let others = asked.query.iter();
    let others = others.filter(|(name, _)| !["pageToken", "maxResults"].contains(&name.as_str()));
    for (name, value) in others {
        digest.update(format!("&{name}={value}"));
    }
    BASE64_URL_SAFE_NO_PAD.encode(&digest.finalize()[..6])
}

fn written(from: usize, version: u64, asked: &Asked) -> String {
    BASE64_URL_SAFE_NO_PAD.encode(format!("{from} {version} {}", question(asked)))
}

fn read(token: &str, asked: &Asked) -> Option<(usize, u64)> {
    let text = String::from_utf8(BASE64_URL_SAFE_NO_PAD.decode(token).ok()?).ok()?;
    let [from, version, of] = text.split(' ').collect::<Vec<_>>()[..] else {
        return None;
    };
    let read = (from.parse().ok()?, version.parse().ok()?);
    (of == question(asked)).then_some(read)
}

/// The version of which the caller knows everything.
pub(super) fn synced(asked: &Asked, since: u64) -> Result<Option<u64>, ApiError> {
    let Some(token) = asked.query("syncToken") else {
        return Ok(None);
    };
    if let Some(name) = NOT_WITH_SYNC
        .iter()
        .find(|name| asked.query(name).is_some())
    {
        let message = format!("Sync token cannot be used with {name}.");
        return Err(ApiError::invalid(message));
    }
    let decoded = BASE64_URL_SAFE_NO_PAD.decode(token).ok();
    let version = decoded.and_then(|bytes| String::from_utf8(bytes).ok()?.parse().ok());
    match version {
        None => Err(ApiError::invalid("Invalid sync token value.")),
        Some(version) if version < since => {
            let message = "Sync token is no longer valid, a full sync is required.";
            Err(ApiError::new(410, "fullSyncRequired", message))
        }
        Some(version) => Ok(Some(version)),
    }
}

/// The token for what changes from here on; a list in order has none.
pub(super) fn sync_token(asked: &Asked, version: u64) -> Option<String> {
    let ordered = asked.query("orderBy").is_some() || asked.query("q").is_some();
    (!ordered).then(|| BASE64_URL_SAFE_NO_PAD.encode(version.to_string()))
}
