//! A token or key that may be rotated while the process runs.

use alfred_core::ports::{Clock, SecretError, Secrets};
use jiff::{SignedDuration, Timestamp};
use secrecy::{ExposeSecret, SecretString};
use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

/// How long a value is used before it is read again.
const LASTS: SignedDuration = SignedDuration::from_mins(5);
/// How long an old value is used before a read that failed is tried again.
const RETRIED: SignedDuration = SignedDuration::from_secs(30);

/// A token or key. One of the settings never changes. A secret is read at its first use, again after five minutes, and
/// whenever a service refused its value. A value is empty if there is no such secret.
#[derive(Clone)]
pub struct CachedSecret {
    source: Option<Arc<Source>>,
    /// The last value, and when it was read.
    last: Arc<Mutex<(SecretString, Option<Timestamp>)>>,
}

struct Source {
    secrets: Arc<dyn Secrets>,
    /// Of the secrets `alfred/NAME`, the first one that exists is used.
    names: Vec<String>,
    clock: Arc<dyn Clock>,
}

impl<T> From<T> for CachedSecret
where
    SecretString: From<T>,
{
    fn from(value: T) -> Self {
        let last = Arc::new(Mutex::new((value.into(), None)));
        Self { source: None, last }
    }
}

impl CachedSecret {
    /// The first of these settings that isn't blank, otherwise the first of the secrets `alfred/NAME` that exists.
    pub fn from_settings(
        names: &[&str],
        lookup: impl Fn(&str) -> Option<String>,
        secrets: Arc<dyn Secrets>,
        clock: Arc<dyn Clock>,
    ) -> Self {
        let mut set = names.iter().filter_map(|name| lookup(name));
        if let Some(value) = set.find(|value| !value.trim().is_empty()) {
            return value.trim().into();
        }
        let source = Source {
            secrets,
            names: names.iter().map(ToString::to_string).collect(),
            clock,
        };
        let (source, last) = (Some(Arc::new(source)), Arc::default());
        Self { source, last }
    }

    /// An old value is used while a new one can't be read.
    pub async fn get(&self) -> Result<SecretString, SecretError> {
        let (value, read_at) = self.last();
        let Some(source) = &self.source else {
            return Ok(value);
        };
        let is_fresh = |at| source.clock.now().duration_since(at) < LASTS;
        if read_at.is_some_and(is_fresh) {
            return Ok(value);
        }
        match self.read(source).await {
            Err(_) if is_set(&value) => {
                self.keep(&value, source.clock.now() - LASTS + RETRIED);
                Ok(value)
            }
            read => read,
        }
    }

    /// As [`Self::get`]; `Missing` if there is no such secret at this moment.
    pub async fn required(&self) -> Result<SecretString, SecretError> {
        let mut value = self.get().await?;
        if is_set(&value) || self.renew(&mut value).await {
            return Ok(value);
        }
        let name = format!("{self:?}");
        Err(SecretError::Missing { name })
    }

    /// Replaces a value that a service refused. False if there is no other.
    pub async fn renew(&self, refused: &mut SecretString) -> bool {
        let Some(source) = &self.source else {
            return false;
        };
        let old = std::mem::replace(refused, self.last().0);
        let is_other = |new: &SecretString| new.expose_secret() != old.expose_secret();
        // Another call may have read a new value since.
        if !is_other(refused)
            && let Ok(value) = self.read(source).await
        {
            *refused = value;
        }
        is_set(refused) && is_other(refused)
    }

    fn last(&self) -> (SecretString, Option<Timestamp>) {
        let last = self.last.lock().unwrap_or_else(PoisonError::into_inner);
        last.clone()
    }

    async fn read(&self, source: &Source) -> Result<SecretString, SecretError> {
        let mut value = SecretString::default();
        for name in &source.names {
            if !is_set(&value) {
                let found = source.secrets.get(&format!("alfred/{name}")).await;
                let found = found.inspect_err(|error| tracing::error!(%error, "no secret is read"));
                value = found?.unwrap_or_default();
            }
        }
        // A line end may have come with the value.
        let value = value.expose_secret().trim().into();
        self.keep(&value, source.clock.now());
        Ok(value)
    }

    fn keep(&self, value: &SecretString, at: Timestamp) {
        let mut last = self.last.lock().unwrap_or_else(PoisonError::into_inner);
        *last = (value.clone(), Some(at));
    }
}

fn is_set(value: &SecretString) -> bool {
    !value.expose_secret().trim().is_empty()
}

/// The names alone.
impl fmt::Debug for CachedSecret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names = self.source.as_ref().map(|source| source.names.join(" or "));
        f.write_str(names.as_deref().unwrap_or("a setting"))
    }
}
