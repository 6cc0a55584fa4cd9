//! Access to the page. A link admits one browser, once. The browser then has a session that survives
//! restarts. A session has two secrets. The page can't read the cookie, but browsers send it to every port of
//! 127.0.0.1, where another account may listen. The page of this port keeps the key and sends it with each
//! request. Neither is enough alone.

use alfred_core::digest::sha256_hex;
use alfred_core::ports::{Clock, Commit, Ids, Key, Store, StoreError, Write, random_secret};
use axum::http::{HeaderMap, header};
use jiff::{SignedDuration, Timestamp};
use serde_json::json;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

/// How long an unopened link is valid.
pub const LINK_MINUTES: i64 = 60;
const SESSION_DAYS: i64 = 30;
/// Digits of a link's secret. The link must fit a terminal line.
const LINK_DIGITS: usize = 32;
const PARTITION: &str = "local#page";

/// Open links, and sessions of admitted browsers.
pub struct Sessions {
    store: Arc<dyn Store>,
    clock: Arc<dyn Clock>,
    ids: Arc<dyn Ids>,
    /// Cookies ignore ports, so the name contains the port.
    cookie: String,
    /// Digests of links, with their expiry.
    links: Mutex<HashMap<String, Timestamp>>,
}

pub struct Admitted {
    pub cookie: String,
    /// The page sends it with every request.
    pub key: String,
}

pub struct Session {
    key: String,
}

impl Session {
    pub fn has_key(&self, key: &str) -> bool {
        self.key == sha256_hex(key.as_bytes())
    }
}

impl Sessions {
    pub fn new(store: Arc<dyn Store>, clock: Arc<dyn Clock>, ids: Arc<dyn Ids>, port: u16) -> Self {
        Self {
            store,
            clock,
            ids,
            cookie: format!("alfred_{port}"),
            links: Mutex::default(),
        }
    }

    pub fn link(&self) -> String {
        let mut secret = random_secret();
        secret.truncate(LINK_DIGITS);
        let now = self.clock.now();
        let mut links = self.links.lock().unwrap_or_else(PoisonError::into_inner);
        links.retain(|_, until| *until > now);
        let until = now + SignedDuration::from_mins(LINK_MINUTES);
        links.insert(sha256_hex(secret.as_bytes()), until);
        secret
    }

    /// Uses a link up and begins a session. `None` if the link is unknown or expired. If the session can't be
    /// stored, the link is still used up.
    pub async fn open(&self, link: &str) -> Result<Option<Admitted>, StoreError> {
        let now = self.clock.now();
        let until = {
            let mut links = self.links.lock().unwrap_or_else(PoisonError::into_inner);
            links.remove(&sha256_hex(link.as_bytes()))
        };
        if until.is_none_or(|until| until <= now) {
            return Ok(None);
        }
        let (cookie, key) = (random_secret(), random_secret());
        let lasts = SignedDuration::from_hours(24 * SESSION_DAYS);
        let write = Write::create(place(&cookie), json!({"key": sha256_hex(key.as_bytes())}));
        let writes = vec![write.expiring(now + lasts)];
        self.store.commit(&Commit::new(&*self.ids, writes)).await?;
        let name = &self.cookie;
        let seconds = lasts.as_secs();
        let cookie =
            format!("{name}={cookie}; Path=/; Max-Age={seconds}; HttpOnly; SameSite=Strict");
        Ok(Some(Admitted { cookie, key }))
    }

    /// The session of a request's cookie.
    pub async fn session(&self, headers: &HeaderMap) -> Result<Option<Session>, StoreError> {
        let fields = headers.get_all(header::COOKIE).iter();
        let fields = fields.filter_map(|field| field.to_str().ok());
        let pairs = fields.flat_map(|field| field.split(';'));
        let pairs = pairs.filter_map(|pair| pair.trim().split_once('='));
        for (_, value) in pairs.filter(|(name, _)| *name == self.cookie) {
            // Only digests are stored, so a copy of the database grants no access.
            if let Some(item) = self.store.get(&place(value)).await? {
                let key = item.body["key"].as_str().unwrap_or_default().to_owned();
                return Ok(Some(Session { key }));
            }
        }
        Ok(None)
    }
}

fn place(cookie: &str) -> Key {
    Key::state(PARTITION, sha256_hex(cookie.as_bytes()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use alfred_testkit::{ManualClock, MemoryStore, SequentialIds};
    use std::time::Duration;

    const MINUTE: Duration = Duration::from_secs(60);
    const DAY: Duration = Duration::from_hours(24);

    fn sessions(clock: &ManualClock) -> Sessions {
        let clock: Arc<dyn Clock> = Arc::new(clock.clone());
        let store = Arc::new(MemoryStore::new(clock.clone()));
        Sessions::new(store, clock, Arc::new(SequentialIds::default()), 4141)
    }

    #[tokio::test]
    async fn a_link_that_nobody_opened_within_an_hour_is_stale() {
        let clock = ManualClock::default();
        let sessions = sessions(&clock);
        let [first, second] = [sessions.link(), sessions.link()];
        clock.advance(59 * MINUTE);
        assert!(sessions.open(&first).await.unwrap().is_some());
        clock.advance(MINUTE);
        assert!(sessions.open(&second).await.unwrap().is_none());
        assert!(sessions.open("").await.unwrap().is_none());
    }

    #[tokio::test]
    async fn a_session_ends_after_thirty_days() {
        let clock = ManualClock::default();
        let sessions = sessions(&clock);
        let admitted = sessions.open(&sessions.link()).await.unwrap().unwrap();
        let (cookie, rest) = admitted.cookie.split_once(';').unwrap();
        assert!(cookie.starts_with("alfred_4141=") && rest.contains("Max-Age=2592000"));
        let mut headers = HeaderMap::new();
        headers.insert(header::COOKIE, cookie.parse().unwrap());
        clock.advance(30 * DAY - MINUTE);
        let session = sessions.session(&headers).await.unwrap().expect("still in");
        assert!(session.has_key(&admitted.key) && !session.has_key(""));
        clock.advance(2 * MINUTE);
        assert!(sessions.session(&headers).await.unwrap().is_none());
    }
}
