//! Models on Bedrock, asked by Converse
//! (<https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_ConverseStream.html>).

mod answer;
mod refusal;
mod request;

use alfred_core::ports::{Model, ModelError, ModelHost, TextSink, Turn, TurnRequest, Usage};
use async_trait::async_trait;
use aws_config::SdkConfig;
use aws_sdk_bedrockruntime::Client;
use aws_sdk_bedrockruntime::config::retry::RetryConfig;
use aws_sdk_bedrockruntime::config::timeout::TimeoutConfig;
use aws_sdk_bedrockruntime::config::{Builder, StalledStreamProtectionConfig};
use aws_sdk_bedrockruntime::operation::converse_stream::ConverseStreamOutput;
use aws_smithy_types::body::SdkBody;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use answer::Answer;
use refusal::Refusal;
use request::Ways;

pub(crate) const PROVIDER: &str = "bedrock";

/// The models of a region. Needs `bedrock:InvokeModelWithResponseStream` on those that are asked.
#[derive(Clone)]
pub struct Bedrock {
    sdk: SdkConfig,
}

/// The models of the region of these settings. Nothing is made before one is asked.
pub fn bedrock(sdk: &SdkConfig) -> Bedrock {
    Bedrock { sdk: sdk.clone() }
}

impl ModelHost for Bedrock {
    /// By the id of a model or of an inference profile, or by a profile's ARN.
    fn model(&self, id: &str) -> Arc<dyn Model> {
        Arc::new(Converse {
            id: id.to_owned(),
            sdk: self.sdk.clone(),
            client: OnceLock::new(),
            ways: Mutex::new(Ways::of(id)),
        })
    }
}

struct Converse {
    id: String,
    sdk: SdkConfig,
    client: OnceLock<Client>,
    ways: Mutex<Ways>,
}

impl Converse {
    /// A model thinks for longer than a table does, and whoever asks it has the time and the attempts in hand.
    fn client(&self) -> &Client {
        self.client.get_or_init(|| {
            let timeouts = TimeoutConfig::builder().disable_operation_attempt_timeout();
            let config = Builder::from(&self.sdk)
                .timeout_config(timeouts.build())
                .retry_config(RetryConfig::disabled())
                .stalled_stream_protection(StalledStreamProtectionConfig::disabled())
                .build();
            Client::from_conf(config)
        })
    }

    /// The body is written here: the SDK's own documents are hash maps, whose order is another in each process,
    /// and what is cached is found by its beginning.
    async fn send(&self, body: Vec<u8>) -> Result<ConverseStreamOutput, Refusal> {
        let asked = self.client().converse_stream().model_id(&self.id);
        let asked = asked.customize().mutate_request(move |request| {
            let length = body.len().to_string();
            request.headers_mut().insert("content-length", length);
            *request.body_mut() = SdkBody::from(body.as_slice());
        });
        asked.send().await.map_err(|error| Refusal::of(&error))
    }

    /// Reads a stream. After an error, `answer` has what came before it.
    async fn read(
        &self,
        output: ConverseStreamOutput,
        answer: &mut Answer,
        sink: &TextSink,
    ) -> Result<(), ModelError> {
        let mut stream = output.stream;
        loop {
            match stream.recv().await {
                Ok(Some(event)) => {
                    let taken = answer.take(event);
                    taken.map_err(|unusable| self.unusable(unusable.0))?;
                    sink.write(|| answer.text());
                }
                Ok(None) if answer.is_finished() => return Ok(()),
                Ok(None) => return Err(self.unusable("the stream was cut")),
                // All that matters had arrived.
                Err(_) if answer.is_finished() => return Ok(()),
                Err(error) => return Err(Refusal::of(&error).error(&self.name())),
            }
        }
    }

    fn unusable(&self, what: &str) -> ModelError {
        let detail = format!("{}: {what}", self.name());
        ModelError::Unusable { detail }
    }
}

#[async_trait]
impl Model for Converse {
    /// Said again in another way where the model refuses only the way it was said.
    async fn turn(&self, request: &TurnRequest, wasted: &mut Usage) -> Result<Turn, ModelError> {
        let known = *self.ways.lock().unwrap_or_else(PoisonError::into_inner);
        let mut ways = known;
        loop {
            let body = request::body(&self.id, request, ways);
            let body = serde_json::to_vec(&body).map_err(|error| ModelError::Refused {
                detail: format!("the request can't be written as JSON: {error}"),
            })?;
            let sent = request.weight(body.len());
            let output = match self.send(body).await {
                Ok(output) => output,
                Err(refusal) => {
                    let other = ways.after(&refusal, request);
                    ways = other.ok_or_else(|| refusal.error(&self.name()))?;
                    continue;
                }
            };
            let before = *wasted;
            // If the caller gives up in the middle, the input has been paid for.
            *wasted = before.plus(&Usage::estimated(sent, 0));
            let mut answer = Answer::default();
            let read = self.read(output, &mut answer, &request.sink).await;
            let said = answer.said();
            *wasted = before.plus(&said.used(sent));
            read?;
            let turn = said.turn(self.name(), sent, request.messages.len());
            let turn = turn.map_err(|unusable| self.unusable(unusable.0))?;
            *wasted = before;
            *self.ways.lock().unwrap_or_else(PoisonError::into_inner) = ways;
            return Ok(turn);
        }
    }

    fn name(&self) -> String {
        format!("{PROVIDER}:{}", self.id)
    }
}
