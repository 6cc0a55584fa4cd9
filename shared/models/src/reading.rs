//! Reads answers: a stream of events, or one object.

use alfred_core::model::Said;
use alfred_core::ports::{ModelError, TextSink};
use alfred_http::up_to;
use bytes::Bytes;
use futures_util::{Stream, StreamExt, stream};
use reqwest::header::CONTENT_TYPE;
use reqwest::{Response, StatusCode};
use serde_json::Value;
use std::time::Duration;

use super::error_body::ErrorBody;
use super::events::Events;
use super::refusal::{self, Fault};

const MAX_ANSWER_BYTES: usize = 16 * 1024 * 1024;
const TOO_LARGE: &str = "the answer is too large";
/// Time to read the rest of a stream after its last event, so the connection can be reused.
const DRAIN: Duration = Duration::from_millis(100);
/// Appended to a stream, since some servers omit the empty line after their last event.
const END: &[u8] = b"\n\n";
const BYTE_ORDER_MARK: &[u8] = b"\xEF\xBB\xBF";

/// An answer of one wire form, assembled from its parts.
pub(super) trait Incoming: Default + Into<Said> + Send {
    /// Processes the data of one event. True for the last relevant one.
    fn event(&mut self, data: &[u8], reader: &Reader) -> Result<bool, Fault>;

    /// Processes an answer that came as one object.
    fn whole(&mut self, object: &[u8], reader: &Reader) -> Result<(), Fault>;

    fn is_finished(&self) -> bool;

    /// The text so far, without reasoning.
    fn text(&self) -> String;
}

/// The model's name, for error messages, and who receives the text of a stream.
pub(super) struct Reader(pub(super) String, pub(super) TextSink);

impl Reader {
    /// Reads an answer as a stream or, if the server doesn't stream, as one object. After an error, `answer`
    /// has what came before it. Returns false for a body without a byte.
    pub(super) async fn answer(
        &self,
        response: Response,
        answer: &mut impl Incoming,
    ) -> Result<bool, Fault> {
        let kind = response.headers().get(CONTENT_TYPE);
        let kind = kind.and_then(|kind| kind.to_str().ok()).unwrap_or_default();
        if kind.to_ascii_lowercase().starts_with("text/event-stream") {
            return self.events(response.bytes_stream(), answer).await;
        }
        let whole = self.whole(response).await?;
        let text = whole.strip_prefix(BYTE_ORDER_MARK).unwrap_or(&whole);
        match text.trim_ascii_start().first() {
            Some(b'{') => answer.whole(text, self).map(|()| true),
            Some(b'<') => Err(self.refused("a web page came instead of an answer: check the URL")),
            _ => {
                let events = stream::iter([Ok::<_, reqwest::Error>(Bytes::from(whole))]);
                self.events(events, answer).await
            }
        }
    }

    pub(super) async fn whole(&self, response: Response) -> Result<Vec<u8>, Fault> {
        let read = up_to(response, MAX_ANSWER_BYTES).await;
        let (whole, has_more) = read.map_err(|error| self.transport(&error))?;
        if has_more {
            return Err(self.unusable(TOO_LARGE));
        }
        Ok(whole)
    }

    async fn events(
        &self,
        bytes: impl Stream<Item = reqwest::Result<Bytes>> + Send,
        answer: &mut impl Incoming,
    ) -> Result<bool, Fault> {
        let (mut events, mut left) = (Events::default(), MAX_ANSWER_BYTES);
        let mut bytes = std::pin::pin!(bytes.chain(stream::iter([Ok(Bytes::from_static(END))])));
        while let Some(piece) = bytes.next().await {
            let piece = match piece {
                Ok(piece) => piece,
                // Everything relevant has arrived.
                Err(_) if answer.is_finished() => return Ok(true),
                Err(error) => return Err(self.transport(&error)),
            };
            let Some(after) = left.checked_sub(piece.len()) else {
                return Err(self.unusable(TOO_LARGE));
            };
            left = after;
            for data in events.take(&piece) {
                if answer.event(&data, self)? {
                    let rest = async { while bytes.next().await.is_some() {} };
                    // A timeout here only costs the connection.
                    let _ = tokio::time::timeout(DRAIN, rest).await;
                    return Ok(true);
                }
            }
            self.1.write(|| answer.text());
        }
        if answer.is_finished() {
            Ok(true)
        } else if left + END.len() == MAX_ANSWER_BYTES {
            Ok(false)
        } else {
            Err(self.unusable("the stream was cut"))
        }
    }

    pub(super) fn parse(&self, json: &[u8]) -> Result<Value, Fault> {
        let object = serde_json::from_slice(json).map(Value::Object);
        object.map_err(|_| self.unusable("truncated or invalid JSON"))
    }

    /// An error sent inside a 200.
    pub(super) fn told(&self, json: &[u8]) -> Fault {
        let error = ErrorBody::parse(json);
        let status = error.status().unwrap_or(StatusCode::BAD_GATEWAY);
        refusal::fault(status, &error, None, &self.0)
    }

    pub(super) fn refused(&self, why: &str) -> Fault {
        Fault::Next(ModelError::Refused {
            detail: format!("{}: {why}", self.0),
        })
    }

    pub(super) fn unusable(&self, what: &str) -> Fault {
        Fault::again(ModelError::Unusable {
            detail: format!("{}: {what}", self.0),
        })
    }

    /// A request without a whole answer. The URL is left out, since it may contain a password.
    pub(super) fn transport(&self, error: &reqwest::Error) -> Fault {
        let what = if error.is_connect() {
            "can't connect"
        } else if error.is_timeout() {
            "no answer in time"
        } else {
            "the connection broke"
        };
        Fault::again(ModelError::Unavailable {
            detail: format!("{}: {what}", self.0),
        })
    }
}
