//! The language models: each is asked for a word.

use alfred_core::ConfigError;
use alfred_core::ports::{
    Clock, Message, Model, ModelError, ModelHost, SecretError, TurnRequest, Usage,
};
use alfred_models::{Endpoint, Selection};
use futures_util::future::join_all;
use std::sync::Arc;
use std::time::Duration;

use super::{Finding, READ_SECRETS};

const NAME: &str = "model";
/// Less than a check's limit, so that the model's own error is shown.
const PATIENCE: Duration = Duration::from_secs(8);
/// The fewest that all providers accept.
const TOKENS: u32 = 16;

/// What answers the requests.
pub struct Models {
    pub selected: Result<Selection, ConfigError>,
    /// Those of Bedrock, if they can be used.
    pub host: Option<Arc<dyn ModelHost>>,
    pub clock: Arc<dyn Clock>,
    /// Whether the demo model may answer, as on one machine.
    pub has_demo: bool,
}

impl Models {
    pub async fn check(self) -> Vec<Finding> {
        match &self.selected {
            Ok(Selection::Demo) if self.has_demo => {
                vec![Finding::ok(NAME, "demo:offline, which needs no key")]
            }
            Ok(Selection::Demo) => {
                let next = "Deploy with Model and its key (docs/models.md).";
                vec![Finding::problem(NAME, "none is set", next)]
            }
            Ok(Selection::Endpoints(all)) => {
                join_all(all.iter().map(|endpoint| self.ask(endpoint))).await
            }
            Err(error) => {
                let next = "Correct it; docs/models.md has examples.";
                vec![Finding::problem(NAME, error.to_string(), next)]
            }
        }
    }

    async fn ask(&self, endpoint: &Endpoint) -> Finding {
        if let Some(key) = &endpoint.key
            && let Err(error @ SecretError::Denied { .. }) = key.get().await
        {
            return Finding::warning(NAME, error.to_string(), READ_SECRETS);
        }
        let only = Selection::Endpoints(vec![endpoint.clone()]);
        let model = match only.open(self.host.as_deref(), self.clock.clone()) {
            Ok(model) => model,
            Err(error) => {
                let next = "Build alfred with --features aws, and set a region and credentials.";
                return Finding::problem(NAME, error.to_string(), next);
            }
        };
        let messages = vec![Message::user("Answer with the word: yes")];
        let request = TurnRequest::new(messages, TOKENS, PATIENCE);
        let began = self.clock.now();
        let answer = model.turn(&request, &mut Usage::default()).await;
        let taken = self.clock.now().duration_since(began).as_millis();
        match answer {
            Ok(turn) => Finding::ok(NAME, format!("{} answered in {taken} ms", turn.model)),
            Err(error) => failed(&*model, &error, self.has_demo),
        }
    }
}

/// `is_here` if the model is asked with the same credentials when Alfred serves.
fn failed(model: &dyn Model, error: &ModelError, is_here: bool) -> Finding {
    // The name of one that was chosen from a list is only in the error.
    let (name, detail) = (model.name(), error.to_string());
    let found = if detail.contains(&name) {
        detail
    } else {
        format!("{name}: {detail}")
    };
    let next = match error {
        ModelError::RateLimited { .. } => {
            let next = "Wait, or raise the limit at the provider.";
            return Finding::warning(NAME, found, next);
        }
        ModelError::NotConfigured { .. } => {
            "Set its key; on AWS store it as the secret of that name (docs/models.md)."
        }
        ModelError::Refused { .. } if found.contains("AccessDenied") => {
            let next = "Let your credentials call bedrock:InvokeModelWithResponseStream.";
            if !is_here {
                return Finding::warning(NAME, found, next);
            }
            next
        }
        ModelError::Refused { .. } if found.contains("status 401") => {
            "Set the key that its provider shows (docs/models.md)."
        }
        ModelError::Refused { .. } => "docs/models.md has names of models and their addresses.",
        ModelError::TooLong { .. } => "Give the model a larger context (docs/models.md).",
        ModelError::Timeout { .. } => "It may still be loading: repeat this.",
        ModelError::Unavailable { .. } if found.contains("status 5") => "Repeat this later.",
        ModelError::Unavailable { .. } => {
            "Look whether its server is up and ALFRED_MODEL_URL is right."
        }
        ModelError::Unusable { .. } => "Look whether ALFRED_MODEL_URL leads to a model.",
    };
    Finding::problem(NAME, found, next)
}
