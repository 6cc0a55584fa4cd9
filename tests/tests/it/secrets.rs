//! Runs whose token or key is rotated or missing.

use alfred_aws::QueueUrls;
use alfred_core::config::{ALFRED_MODEL, ALFRED_MODEL_URL, SLACK_API_URL};
use alfred_core::ports::{
    Clock, Model, ModelHost, NamedCredentials, ProviderPorts, SecretError, Secrets, SystemClock,
    SystemIds,
};
use alfred_core::{Deadline, WorkerInput};
use alfred_http::CachedSecret;
use alfred_lambda_kit::{Function, SqsEvent};
use alfred_slack_local::seed::ANA_DM;
use alfred_slack_local::{Options, Running, SlackLocal};
use alfred_testkit::stand_in::{self, Reply};
use alfred_testkit::{LIMIT, ManualClock, MemorySecrets, MemoryStore, ScriptedModel, says, within};
use alfred_utility_worker::UtilityWorker;
use async_trait::async_trait;
use futures_util::FutureExt;
use secrecy::{ExposeSecret, SecretString};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

const INLINE: &str = include_str!("../../../events/utility-worker.inline.json");
const TOKEN: &str = "alfred/SLACK_BOT_TOKEN";
const KEY: &str = "alfred/OPENAI_API_KEY";

struct Host(Arc<ScriptedModel>);

impl ModelHost for Host {
    fn model(&self, _: &str) -> Arc<dyn Model> {
        self.0.clone()
    }
}

fn put(secrets: &MemorySecrets, name: &str, value: &str) {
    let put = secrets.put(name, &value.into()).now_or_never();
    put.unwrap().unwrap();
}

/// A local Slack, and the secrets of a deployment that has its token.
async fn slack() -> (Running, Arc<MemorySecrets>) {
    drop(rustls::crypto::ring::default_provider().install_default());
    let (clock, ids) = (Arc::new(SystemClock), Arc::new(SystemIds));
    let slack = SlackLocal::open(Options::default(), clock, ids).unwrap();
    let running = slack.listen().await.unwrap();
    let secrets = Arc::new(MemorySecrets::default());
    put(&secrets, TOKEN, &running.slack.seed().bot_token);
    (running, secrets)
}

/// What the person reads after two requests to a worker with these settings.
async fn answered(
    slack: &Running,
    secrets: &Arc<MemorySecrets>,
    model: &'static str,
    model_url: Option<String>,
    host: ScriptedModel,
) -> String {
    let sdk = alfred_aws::from_lookup(|_| Some("http://127.0.0.1:1".into())).await;
    let queue = Arc::new(alfred_aws::queue(&sdk.unwrap(), QueueUrls::default()));
    let outside = ProviderPorts {
        store: Arc::new(MemoryStore::new(Arc::new(SystemClock))),
        queue: queue.clone(),
        redelivery: queue,
        credentials: Arc::new(NamedCredentials(secrets.clone())),
        secrets: secrets.clone(),
        models: Some(Arc::new(Host(Arc::new(host)))),
    };
    let url = slack.api_url();
    let function = Function::wire("utility-worker", outside, move |name| match name {
        SLACK_API_URL => Some(url.clone()),
        ALFRED_MODEL => Some(model.to_owned()),
        ALFRED_MODEL_URL => model_url.clone(),
        _ => None,
    });
    let worker = UtilityWorker::new(function.unwrap().ports()).unwrap();
    let event: SqsEvent = serde_json::from_str(INLINE).unwrap();
    let body = event.records[0].body.clone().unwrap();
    let deadline = Deadline::after(SystemClock.now(), 4 * LIMIT);
    for message in ["first", "second"] {
        let input: WorkerInput = serde_json::from_str(&body).unwrap();
        let handled = worker.handle_inline(input, message, deadline);
        within(LIMIT, "the end of the run", handled).await.unwrap();
    }
    let messages = slack.slack.messages(ANA_DM, 10).unwrap();
    messages.into_iter().map(|message| message.text).collect()
}

#[tokio::test]
async fn answer_arrives_after_the_token_was_rotated_in_the_middle_of_the_run() {
    let (running, secrets) = slack().await;
    let (slack, kept) = (running.slack.clone(), secrets.clone());
    let turns = AtomicUsize::new(0);
    let model = ScriptedModel::answering(move |_| {
        // The first answer was posted with the old token.
        if turns.fetch_add(1, Ordering::Relaxed) == 0 {
            return Ok(says("It is nine in Tokyo."));
        }
        slack.rotate_token("xoxb-new");
        put(&kept, TOKEN, "xoxb-new");
        Ok(says("It is noon in Tokyo."))
    });
    let answer = answered(&running, &secrets, "bedrock:m", None, model).await;
    assert!(answer.contains("noon in Tokyo"), "{answer:?}");
}

#[tokio::test]
async fn model_that_refuses_a_rotated_key_is_asked_again_with_the_new_one() {
    let (running, secrets) = slack().await;
    put(&secrets, KEY, "old");
    let kept = secrets.clone();
    let url = stand_in::serve(move |asked| {
        put(&kept, KEY, "new");
        let (status, body) = if asked.header("authorization") == Some("Bearer new") {
            let message = r#"{"role":"assistant","content":"It is noon in Tokyo."}"#;
            let choice = format!(r#"{{"message":{message},"finish_reason":"stop"}}"#);
            (200, format!(r#"{{"choices":[{choice}]}}"#))
        } else {
            (401, "{}".to_owned())
        };
        Reply::new(status, "application/json", body)
    });
    let none = ScriptedModel::new([]);
    let answer = answered(&running, &secrets, "openai:m", Some(url), none).await;
    assert!(answer.contains("noon in Tokyo"), "{answer:?}");
}

#[tokio::test]
async fn missing_model_key_is_answered_with_a_sentence() {
    let (running, secrets) = slack().await;
    let none = ScriptedModel::new([]);
    let answer = answered(&running, &secrets, "openai:gpt-5.2", None, none).await;
    let words = "no language model yet: its key or its settings are missing. Please tell";
    assert!(answer.contains(words), "{answer:?}");
}

#[tokio::test]
async fn secret_is_read_again_after_five_minutes() {
    let (clock, secrets) = (ManualClock::default(), Arc::new(MemorySecrets::default()));
    let source = (secrets.clone(), Arc::new(clock.clone()));
    let cached = CachedSecret::from_settings(&["A"], |_| None, source.0, source.1);
    for (seconds, value) in [(0, "1"), (299, "1"), (1, "3")] {
        clock.advance(Duration::from_secs(seconds));
        // With a line end, as a file has one.
        put(&secrets, "alfred/A", if seconds == 0 { "1" } else { "3\n" });
        assert_eq!(cached.get().await.unwrap().expose_secret(), value);
    }
}

#[tokio::test]
async fn missing_secret_is_named_without_the_stage_of_a_deployment() {
    let source = Arc::new(MemorySecrets::default());
    let clock = Arc::new(ManualClock::default());
    let cached = CachedSecret::from_settings(&["A", "B"], |_| None, source, clock);
    let missing = cached.required().await.unwrap_err();
    assert_eq!(missing.to_string(), "there is no secret A or B");
}

/// Answers once, and is away from then on.
#[derive(Default)]
struct AnswersOnce(AtomicUsize);

#[async_trait]
impl Secrets for AnswersOnce {
    async fn get(&self, _: &str) -> Result<Option<SecretString>, SecretError> {
        if self.0.fetch_add(1, Ordering::Relaxed) == 0 {
            return Ok(Some("1".into()));
        }
        let detail = "away".into();
        Err(SecretError::Unavailable { detail })
    }

    async fn put(&self, _: &str, _: &SecretString) -> Result<(), SecretError> {
        panic!("nothing is written")
    }

    async fn delete(&self, _: &str) -> Result<(), SecretError> {
        panic!("nothing is deleted")
    }
}

#[tokio::test]
async fn old_value_is_used_and_seldom_asked_for_while_no_secret_can_be_read() {
    let (clock, secrets) = (ManualClock::default(), Arc::new(AnswersOnce::default()));
    let source = (secrets.clone(), Arc::new(clock.clone()));
    let cached = CachedSecret::from_settings(&["A"], |_| None, source.0, source.1);
    for (seconds, reads) in [(0, 1), (300, 2), (29, 2), (1, 3)] {
        clock.advance(Duration::from_secs(seconds));
        assert_eq!(cached.get().await.unwrap().expose_secret(), "1");
        assert_eq!(secrets.0.load(Ordering::Relaxed), reads);
    }
}
