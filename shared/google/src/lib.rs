//! Clients of people's Google accounts. The tests check all requests against Google's discovery documents.

mod calendar;
mod docs;
mod drive;
mod endpoints;
mod gmail;
mod oauth;
mod refusal;
mod sheets;

pub use endpoints::Endpoints;

use alfred_core::ports::{Account, AccountError, Clock, Store};
use jiff::{SignedDuration, Timestamp};
use serde::de::DeserializeOwned;
use std::sync::Arc;

use alfred_accounts::api::{Api, CallError, CallResult, shaped, unsure};
use alfred_accounts::ask::Ask;
use alfred_accounts::oauth::Tokens;
use alfred_accounts::turns::Turns;

type Result<T, E = AccountError> = std::result::Result<T, E>;

/// No retry asks for a change that is older than this.
const SETTLED: SignedDuration = SignedDuration::from_hours(24);

/// `Unknown` if the stamp of a recent change may have been dropped from its file. `oldest` is the time of the oldest
/// stamp, in milliseconds since 1970, if the file holds as many as are kept.
fn check_stamps(oldest: Option<i64>, now: Timestamp) -> Result<()> {
    let settled = now.saturating_sub(SETTLED).unwrap_or(now).as_millisecond();
    if oldest.is_none_or(|at| at <= settled) {
        return Ok(());
    }
    let why = "so much was changed since that it can't be told any more";
    Err(AccountError::unknown(why))
}

/// Whether a text can be an id. Only ids become part of a URL.
fn is_id(id: &str) -> bool {
    let fits = |byte: u8| byte.is_ascii_alphanumeric() || b"-_".contains(&byte);
    (1..=1_024).contains(&id.len()) && id.bytes().all(fits)
}

/// `None` if the provider answers with one of these statuses.
fn found<T>(answer: CallResult<T>, gone: &[u16]) -> Result<Option<T>> {
    match answer {
        Ok(found) => Ok(Some(found)),
        Err(CallError::Status { code, .. }) if gone.contains(&code) => Ok(None),
        Err(error) => Err(error.into()),
    }
}

pub struct Google {
    api: Api<Endpoints>,
    /// Holds the rows of outgoing drafts and of files being made.
    store: Arc<dyn Store>,
    clock: Arc<dyn Clock>,
    mailboxes: gmail::Mailboxes,
    sending: Turns,
    /// Serialises changes of a sheet.
    changing: Turns,
}

impl Google {
    /// Connects to nothing before the first call.
    pub fn new(
        endpoints: Endpoints,
        tokens: Arc<dyn Tokens>,
        store: Arc<dyn Store>,
        clock: Arc<dyn Clock>,
    ) -> Self {
        Self {
            api: Api::new(endpoints, refusal::MANNER, tokens, clock.clone()),
            store,
            clock,
            mailboxes: gmail::Mailboxes::default(),
            sending: Turns::default(),
            changing: Turns::default(),
        }
    }

    /// `Unknown` if a change was made whose answer has another shape.
    async fn call<T: DeserializeOwned>(&self, account: &Account, ask: &Ask) -> CallResult<T> {
        let answer = shaped(self.api.call(account, ask).await?);
        Ok(if ask.is_read {
            answer?
        } else {
            answer.map_err(unsure)?
        })
    }
}

#[cfg(test)]
mod tests {
    use super::is_id;

    #[test]
    fn only_an_id_becomes_part_of_a_url() {
        for foreign in ["", "../x", "a/b", "a?b", "a%2Fb", "ä", &"a".repeat(1_025)] {
            assert!(!is_id(foreign), "{foreign}");
        }
        assert!(is_id("r-12_aZ"));
    }
}
