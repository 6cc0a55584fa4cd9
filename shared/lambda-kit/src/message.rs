//! What a queue record may hold.

use alfred_core::envelope::unreadable;
use alfred_core::{Envelope, Failure};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

pub trait Message: Clone {
    /// Reads the body of a record. Fails with `Retry` for one of a newer release, else with `Bug`, without any of the
    /// body's text.
    fn decode(body: &str) -> Result<Self, Failure>;

    /// The envelope, for the span; `None` for inline contracts.
    fn envelope(&self) -> Option<&Envelope>;
}

impl Message for Envelope {
    fn decode(body: &str) -> Result<Self, Failure> {
        Self::read(body)
    }

    fn envelope(&self) -> Option<&Envelope> {
        Some(self)
    }
}

/// An envelope, or a contract of the seeds sent to the function as it is.
#[derive(Clone, Debug, PartialEq)]
pub enum Inbound<T> {
    /// The usual way: the run's row holds the input.
    Envelope(Box<Envelope>),
    /// The input itself; the record's message id identifies it.
    Inline(Box<T>),
}

/// An envelope is the one with a version.
#[derive(Deserialize)]
struct Probe {
    v: Option<Value>,
}

impl<T: DeserializeOwned + Clone> Message for Inbound<T> {
    fn decode(body: &str) -> Result<Self, Failure> {
        let probe: Probe = serde_json::from_str(body).map_err(|error| unreadable(&error))?;
        if probe.v.is_some() {
            return Envelope::read(body).map(|envelope| Self::Envelope(Box::new(envelope)));
        }
        let input = serde_json::from_str(body).map_err(|error| unreadable(&error))?;
        Ok(Self::Inline(Box::new(input)))
    }

    fn envelope(&self) -> Option<&Envelope> {
        match self {
            Self::Envelope(envelope) => Some(envelope),
            Self::Inline(_) => None,
        }
    }
}
