//! Converse through the real SDK, at a stand-in that speaks its event streams and refuses as Bedrock does
//! (<https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_ConverseStream.html>): the suite that
//! every endpoint of a model passes, and what is Bedrock's own.

mod own;
mod reading;
mod stream;

use alfred_aws::SdkConfig;
use alfred_core::ports::{Clock, Model};
use alfred_models::{Endpoint, Fallbacks, Wire};
use alfred_testkit::conformance::model::{Heard, Provider, Say};
use alfred_testkit::stand_in::{Asked, Reply};
use std::sync::Arc;

const CLAUDE: &str = "eu.anthropic.claude-sonnet-4-6";

struct Bedrock;

alfred_testkit::model_conformance!(Arc::new(Bedrock));

impl Provider for Bedrock {
    fn model(&self, url: &str, clock: Arc<dyn Clock>) -> Arc<dyn Model> {
        model(url, CLAUDE, clock)
    }

    fn reply(&self, say: &Say) -> Reply {
        stream::reply(say)
    }

    fn hear(&self, asked: &Asked) -> Result<Heard, String> {
        reading::hear(asked)
    }
}

/// A model at an address, with the attempts and waits of a list.
fn model(url: &str, id: &str, clock: Arc<dyn Clock>) -> Arc<dyn Model> {
    let endpoint = Endpoint {
        provider: "bedrock".into(),
        model: Some(id.into()),
        wire: Wire::Hosted,
        base_url: String::new(),
        key: None,
        streamed: true,
        context: None,
    };
    let bedrock = alfred_aws::bedrock(&sdk(url));
    Arc::new(Fallbacks::new(vec![endpoint], Some(&bedrock), clock).unwrap())
}

/// Settings as a function finds them in its environment.
fn sdk(url: &str) -> SdkConfig {
    let url = url.to_owned();
    let read = alfred_aws::from_lookup(move |name| match name {
        "AWS_ENDPOINT_URL" => Some(url.clone()),
        "AWS_ACCESS_KEY_ID" | "AWS_SECRET_ACCESS_KEY" => Some("k".into()),
        _ => None,
    });
    // With keys in the environment nothing is waited for.
    futures_util::FutureExt::now_or_never(read)
        .unwrap()
        .unwrap()
}
