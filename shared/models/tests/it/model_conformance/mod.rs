//! Each `.txt` file has the answers of one provider or server, and what a run must see.

pub mod player;

use alfred_models::Fallbacks;
use player::Provider;
use std::sync::Arc;

const FOLDER: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/it/model_conformance");
const PROVIDERS: Provider = Provider {
    open: |_, endpoints, clock| {
        // The second test of a process finds it installed.
        let _ = rustls::crypto::ring::default_provider().install_default();
        Fallbacks::new(endpoints, None, Arc::new(clock)).unwrap()
    },
    encode: |_| {},
};

#[tokio::test]
async fn every_provider_is_understood() {
    PROVIDERS.assert_all_seen(FOLDER, 18, false).await;
}

#[tokio::test]
async fn an_answer_is_the_same_however_its_bytes_arrive() {
    PROVIDERS.assert_all_seen(FOLDER, 18, true).await;
}
