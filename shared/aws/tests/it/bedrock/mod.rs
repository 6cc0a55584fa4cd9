//! Converse through the SDK
//! (<https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_ConverseStream.html>). Each `.txt` file has
//! what a model answers and what a run must see.

#[path = "../../../../models/tests/it/model_conformance/player/mod.rs"]
mod player;
mod stream;

use alfred_aws::SdkConfig;
use alfred_models::Fallbacks;
use player::Provider;
use std::sync::Arc;

const FOLDER: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/it/bedrock");
const BEDROCK: Provider = Provider {
    open: |url, endpoints, clock| {
        let bedrock = alfred_aws::bedrock(&sdk(url));
        Fallbacks::new(endpoints, Some(&bedrock), Arc::new(clock)).unwrap()
    },
    encode: stream::encode,
};

#[tokio::test]
async fn every_model_is_understood() {
    BEDROCK.assert_all_seen(FOLDER, 3, false).await;
}

#[tokio::test]
async fn an_answer_is_the_same_however_its_bytes_arrive() {
    BEDROCK.assert_all_seen(FOLDER, 3, true).await;
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
    let read = futures_util::FutureExt::now_or_never(read);
    read.unwrap().unwrap()
}
