//! What a queue record may hold.

use alfred_core::Envelope;
use alfred_core::envelope::ENVELOPE_VERSION;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

/// A body that the batch runner can decode.
pub trait Message: Sized {
    /// Reads the body of a record.
    ///
    /// # Errors
    /// What is wrong, without any of the body's text.
    fn decode(body: &str) -> Result<Self, String>;

    /// The envelope, for the span; `None` for inline contracts.
    fn envelope(&self) -> Option<&Envelope>;
}

impl Message for Envelope {
    fn decode(body: &str) -> Result<Self, String> {
        let envelope: Self = serde_json::from_str(body).map_err(|error| position(&error))?;
        if envelope.v > ENVELOPE_VERSION {
            return Err(format!(
                "envelope version {} is newer than {ENVELOPE_VERSION}: deploy this function too",
                envelope.v
            ));
        }
        Ok(envelope)
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

impl<T: DeserializeOwned> Message for Inbound<T> {
    fn decode(body: &str) -> Result<Self, String> {
        let probe: Probe = serde_json::from_str(body).map_err(|error| position(&error))?;
        if probe.v.is_some() {
            return Envelope::decode(body).map(|envelope| Self::Envelope(Box::new(envelope)));
        }
        serde_json::from_str(body)
            .map(|input| Self::Inline(Box::new(input)))
            .map_err(|error| position(&error))
    }

    fn envelope(&self) -> Option<&Envelope> {
        match self {
            Self::Envelope(envelope) => Some(envelope),
            Self::Inline(_) => None,
        }
    }
}

/// serde's own message may quote the body.
fn position(error: &serde_json::Error) -> String {
    let what = match error.classify() {
        serde_json::error::Category::Data => "JSON of another shape",
        serde_json::error::Category::Syntax => "no JSON",
        serde_json::error::Category::Eof => "cut JSON",
        serde_json::error::Category::Io => "unreadable",
    };
    format!("{what}, at line {} column {}", error.line(), error.column())
}
