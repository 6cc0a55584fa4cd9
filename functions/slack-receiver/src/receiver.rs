use alfred_core::Payload;
use alfred_core::envelope::{Click, Content};
use alfred_core::ports::{Chat, ChatError, Clock, Outgoing, Queue, QueueError};
use jiff::Timestamp;
use serde::Deserialize;
use serde_json::{Value, json};
use std::sync::{Arc, LazyLock};
use std::time::Duration;

use crate::events::Event;
use crate::incoming::{Incoming, Refusal};
use crate::interactivity::Parsed;
use crate::{RawRequest, Reply, SigningSecrets, commands, events, interactivity, verify, views};

pub const MAX_BODY_BYTES: usize = 1_000_000;

/// Slack shows its own error after three seconds.
const ANSWER_WITHIN: Duration = Duration::from_millis(2_700);
/// Leaves time to queue the click.
const OPEN_WITHIN: Duration = Duration::from_millis(1_500);

type MakeChat = Box<dyn Fn() -> Arc<dyn Chat> + Send + Sync>;

pub struct Receiver {
    queue: Arc<dyn Queue>,
    secrets: SigningSecrets,
    clock: Arc<dyn Clock>,
    /// Built at the first click that opens a view: a client costs start-up time and memory.
    chat: Option<LazyLock<Arc<dyn Chat>, MakeChat>>,
}

#[derive(Deserialize)]
struct Form {
    payload: Option<String>,
    command: Option<String>,
    ssl_check: Option<String>,
}

impl Receiver {
    pub fn new(queue: Arc<dyn Queue>, secrets: SigningSecrets, clock: Arc<dyn Clock>) -> Self {
        Self {
            queue,
            secrets,
            clock,
            chat: None,
        }
    }

    pub fn with_chat(mut self, make: impl Fn() -> Arc<dyn Chat> + Send + Sync + 'static) -> Self {
        let make: MakeChat = Box::new(make);
        self.chat = Some(LazyLock::new(make));
        self
    }

    /// A queue failure answers 500, so that Slack retries events.
    pub async fn handle(&self, request: RawRequest) -> Reply {
        let bytes = request.body.len();
        if bytes > MAX_BODY_BYTES {
            tracing::warn!(http.body_bytes = bytes, "refused a body over the limit");
            return Reply::text(413, "body too large");
        }
        let signed = self.secrets.signed_at(&request).and_then(|at| {
            self.clock.witness(at);
            verify::fresh(at, self.clock.now())
        });
        if let Err(error) = signed {
            tracing::warn!(slack.error = %error, "refused a request that isn't Slack's");
            return Reply::text(401, "invalid signature");
        }
        match request.media_type().as_str() {
            "application/json" => self.event(&request.body).await,
            "application/x-www-form-urlencoded" => self.form(&request.body).await,
            _ => {
                tracing::warn!("refused a content type that Slack doesn't send");
                Reply::text(415, "unsupported content type")
            }
        }
    }

    /// Takes the payload of an envelope of Socket Mode. Slack doesn't sign it, because only the app's own token opens
    /// the connection. Replies as [`Self::handle`] does; a JSON body is for the acknowledgement.
    pub async fn envelope(&self, content: Content, payload: Value) -> Reply {
        let text = payload.to_string();
        if text.len() > MAX_BODY_BYTES {
            tracing::warn!(bytes = text.len(), "refused an envelope over the limit");
            return Reply::text(413, "payload too large");
        }
        let parsed = match content {
            Content::Event => return self.event(text.as_bytes()).await,
            Content::Interaction => return self.interaction(&text).await,
            Content::Command => serde_json::from_value(payload)
                .map_err(|_| Refusal::Malformed("no fields of a command"))
                .and_then(commands::parse),
        };
        self.enqueue_parsed(parsed).await
    }

    async fn event(&self, body: &[u8]) -> Reply {
        match events::parse(body) {
            Ok(Event::Challenge(challenge)) => Reply::text(200, challenge),
            Ok(Event::Incoming(incoming)) => self.enqueue(*incoming).await,
            Err(refusal) => refused(&refusal),
        }
    }

    async fn form(&self, body: &[u8]) -> Reply {
        let Ok(form) = serde_urlencoded::from_bytes::<Form>(body) else {
            return refused(&Refusal::Malformed("not a form"));
        };
        let parsed = match (form.payload, form.command, form.ssl_check) {
            (Some(payload), _, _) => return self.interaction(&payload).await,
            (None, Some(_), _) => serde_urlencoded::from_bytes(body)
                .map_err(|_| Refusal::Malformed("not a command's form"))
                .and_then(commands::parse),
            (None, None, Some(_)) => return Reply::empty(200),
            (None, None, None) => Err(Refusal::Malformed("neither payload nor command")),
        };
        self.enqueue_parsed(parsed).await
    }

    async fn interaction(&self, payload: &str) -> Reply {
        match interactivity::parse(payload) {
            Ok(Parsed::Event(incoming)) => self.enqueue(*incoming).await,
            // Slack tells the person that this failed.
            Ok(Parsed::Form { trigger, view }) => match self.open(&trigger, &view).await {
                Some(_) => Reply::empty(200),
                None => Reply::text(500, "try again"),
            },
            Err(refusal) => refused(&refusal),
        }
    }

    async fn enqueue_parsed(&self, parsed: Result<Incoming, Refusal>) -> Reply {
        match parsed {
            Ok(incoming) => self.enqueue(incoming).await,
            Err(refusal) => refused(&refusal),
        }
    }

    async fn enqueue(&self, mut incoming: Incoming) -> Reply {
        let received_at = self.clock.now();
        match &mut incoming.payload {
            Payload::View(view) => {
                let errors = views::errors(&view.callback_id, &view.values);
                if !errors.is_empty() {
                    // <https://docs.slack.dev/surfaces/modals/#displaying_errors>
                    return Reply::json(&json!({"response_action": "errors", "errors": errors}));
                }
            }
            Payload::Click(click) => self.open_view(&incoming.trigger, click).await,
            _ => {}
        }
        let is_command = matches!(incoming.payload, Payload::Command(_));
        let message = incoming.into_outgoing(received_at);
        let trace = &message.envelope.trace_id;
        match self.send(&message, received_at).await {
            Ok(()) => {
                tracing::info!(trace.id = %trace, slack.trigger = message.envelope.trigger, "queued");
                Reply::empty(200)
            }
            Err(error) => {
                tracing::error!(trace.id = %trace, error = %error, "the queue didn't take it");
                if is_command {
                    // Slack doesn't retry commands, so the answer asks the person to.
                    let text = "I couldn't take that just now. Please try again.";
                    Reply::json(&json!({"response_type": "ephemeral", "text": text}))
                } else {
                    Reply::text(500, "try again")
                }
            }
        }
    }

    /// A send that is cut off may still have reached the queue, which then drops Slack's retry as a duplicate.
    async fn send(&self, message: &Outgoing, since: Timestamp) -> Result<(), QueueError> {
        let spent = Duration::try_from(self.clock.now().duration_since(since));
        let left = ANSWER_WITHIN.saturating_sub(spent.unwrap_or_default());
        tokio::select! {
            biased;
            sent = self.queue.send(message) => sent,
            () = self.clock.sleep(left) => {
                let detail = "no answer while Slack waited".into();
                Err(QueueError::Unavailable { detail })
            }
        }
    }

    /// If opening the view fails, the click is still queued and the handler notifies the person.
    async fn open_view(&self, trigger: &str, click: &mut Click) {
        if let Some(view) = views::skeleton(&click.action_id, &click.value) {
            click.view_id = self.open(trigger, &view).await;
        }
    }

    /// The id of the opened view.
    async fn open(&self, trigger: &str, view: &Value) -> Option<String> {
        let Some(chat) = &self.chat else {
            tracing::error!("no chat to open a view with");
            return None;
        };
        tokio::select! {
            biased;
            opened = chat.open_view(trigger, view) => match opened {
                Ok(view_id) => return Some(view_id),
                // Such as a token that was replaced: nobody can open a form until this function is deployed anew.
                Err(error @ ChatError::Refused { .. }) => {
                    tracing::error!(error = %error, "Slack refuses to open a view");
                }
                Err(error) => tracing::warn!(error = %error, "couldn't open a view"),
            },
            () = self.clock.sleep(OPEN_WITHIN) => tracing::warn!("opening a view took too long"),
        }
        None
    }
}

fn refused(refusal: &Refusal) -> Reply {
    match refusal {
        Refusal::Malformed(reason) => {
            tracing::warn!(slack.reason = reason, "refused a malformed request");
            Reply::text(400, *reason)
        }
        Refusal::Unserved(reason) => {
            tracing::info!(slack.reason = reason, "nothing for us");
            Reply::empty(200)
        }
    }
}
