//! Each `.txt` file has the answers of one provider or server, and what a run must see.

pub mod player;

use crate::support::{endpoint, install_tls};
use alfred_models::{Fallbacks, Wire};
use player::Provider;
use std::sync::Arc;

const FOLDER: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/it/model_conformance");
const PROVIDERS: Provider = Provider {
    open: |url, name, format, clock| {
        install_tls();
        let wire = match format {
            "chat" => Wire::Chat,
            "messages" => Wire::Messages,
            "responses" => Wire::Responses,
            other => panic!("{other}"),
        };
        let endpoint = endpoint(&format!("{url}/v1"), name, wire);
        Fallbacks::new(vec![endpoint], None, Arc::new(clock)).unwrap()
    },
    encode: |_| {},
};

#[tokio::test]
async fn every_provider_is_understood() {
    PROVIDERS.assert_all_seen(FOLDER, 15, false).await;
}

#[tokio::test]
async fn an_answer_is_the_same_however_its_bytes_arrive() {
    PROVIDERS.assert_all_seen(FOLDER, 15, true).await;
}
