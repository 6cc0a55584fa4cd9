//! Finds model servers on this machine, to suggest them at start.

use alfred_models::{Provider, own_servers};
use serde_json::Value;
use std::time::Duration;
use tokio::task::JoinSet;

use crate::terminal::started_as;

/// A local server answers faster, or isn't waited for.
const PATIENCE: Duration = Duration::from_millis(300);

/// A line for each local server that lists a model, with the command to use it.
pub async fn offers() -> Vec<String> {
    offered_by(own_servers()).await
}

async fn offered_by(servers: impl Iterator<Item = Provider>) -> Vec<String> {
    let client = reqwest::Client::builder()
        .no_proxy()
        .redirect(reqwest::redirect::Policy::none())
        .timeout(PATIENCE)
        .build();
    let Ok(client) = client else {
        return Vec::new();
    };
    let mut looks = JoinSet::new();
    for server in servers {
        let look = client.get(format!("{}/models", server.base_url)).send();
        looks.spawn(async move {
            let listed: Value = look.await.ok()?.error_for_status().ok()?.json().await.ok()?;
            let model = listed["data"][0]["id"].as_str()?;
            // The server chose the name, and the user will type it into a shell.
            let plain = |c: char| c.is_ascii_alphanumeric() || "._:/@-".contains(c);
            (model.len() <= 100 && model.chars().all(plain)).then(|| {
                let Provider { name: provider, base_url, .. } = server;
                format!("{base_url} offers a model: `ALFRED_MODEL={provider}:{model} {} serve` uses it.", started_as())
            })
        });
    }
    let mut offers: Vec<String> = looks.join_all().await.into_iter().flatten().collect();
    offers.sort();
    offers
}

#[cfg(test)]
mod tests {
    use super::*;
    use axum::{Router, routing::get};
    use tokio::net::TcpListener;

    /// A server that answers `/v1/models` with this body. Returns its base URL.
    async fn answering(body: &'static str) -> &'static str {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let router = Router::new().route("/v1/models", get(move || async move { body }));
        tokio::spawn(async move { axum::serve(listener, router).await });
        format!("http://{address}/v1").leak()
    }

    async fn offer(base_url: &'static str) -> Vec<String> {
        // As `main` does.
        drop(rustls::crypto::ring::default_provider().install_default());
        let ollama = own_servers().next().unwrap();
        offered_by([Provider { base_url, ..ollama }].into_iter()).await
    }

    #[tokio::test]
    async fn only_servers_that_list_a_plain_name_at_once_offer_a_model() {
        let url = answering(r#"{"data": [{"id": "qwen3:8b"}, {"id": "other"}]}"#).await;
        let line = format!(
            "{url} offers a model: `ALFRED_MODEL=ollama:qwen3:8b {} serve` uses it.",
            started_as()
        );
        assert_eq!(offer(url).await, [line]);
        let shell = r#"{"data": [{"id": "a; rm -rf ~"}]}"#;
        for body in ["hello", "{}", r#"{"data": []}"#, shell] {
            assert_eq!(offer(answering(body).await).await, [""; 0], "{body}");
        }
        let silent = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}/v1", silent.local_addr().unwrap()).leak();
        assert_eq!(offer(url).await, [""; 0]);
        drop(silent);
        assert_eq!(offer(url).await, [""; 0]);
    }
}
