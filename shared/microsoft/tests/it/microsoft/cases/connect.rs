//! Connecting an account, as far as Microsoft's consents differ from Google's, whose tests hold the rest.

use alfred_accounts::oauth::{
    CachedSecret, Connections, OAuthClient, OAuthProvider, Several, Tokens,
};
use alfred_core::ports::{Account, AccountService, Connect, ConnectError, Credentials, Provider};
use alfred_microsoft::Endpoints;
use alfred_testkit::MemorySecrets;
use alfred_testkit::conformance::show_error;
use reqwest::Url;
use secrecy::ExposeSecret;
use serde_json::Value;
use std::collections::BTreeMap;
use std::sync::Arc;

use super::Played;
use crate::microsoft::support::account;

impl Played {
    /// Connections of a process that just began.
    fn connections(&self, provider: impl Into<OAuthProvider>, secret: CachedSecret) -> Connections {
        let client = OAuthClient {
            id: "11111111-2222-3333-4444-555555555555".into(),
            secret,
            redirect_uri: "http://127.0.0.1:1/oauth/callback".into(),
        };
        let (store, clock) = (self.outlook.store.clone(), self.outlook.clock.clone());
        let credentials = Arc::new(self.credentials.clone());
        Connections::new(client, provider, store, credentials, Arc::new(clock))
    }

    pub(super) async fn connect(&self, call: &[&str]) -> String {
        let of = account();
        let endpoints = Endpoints::at(&self.outlook.url, &self.outlook.url, "common");
        let known = || CachedSecret::from("local-client-secret");
        let connections = self.connections(endpoints.clone(), known());
        match *call {
            ["link", service] => shown(link(&connections, service).await),
            ["link", service, "unconfigured"] => {
                let (secrets, clock) = (MemorySecrets::default(), self.outlook.clock.clone());
                let (secrets, clock) = (Arc::new(secrets), Arc::new(clock));
                let missing = CachedSecret::from_settings(&["secret"], |_| None, secrets, clock);
                shown(link(&self.connections(endpoints, missing), service).await)
            }
            ["connect", service] => {
                let link = link(&connections, service).await.unwrap();
                self.outlook.mailbox().scope = granted(&link["scope"]);
                let consent = connections.redeem(&link["state"], "code").await.unwrap();
                let done = connections.keep(consent).await.unwrap();
                assert_eq!(done.missing, []);
                format!("{}: {:?}", done.connection.email, done.connection.services)
            }
            ["access", service] => {
                let service = AccountService::named(service).unwrap();
                let token = connections.access(&of, service).await;
                token.map_or_else(show_error, |_| "a token".into())
            }
            ["secret"] => {
                let secret = self.credentials.get(&of, Provider::Microsoft).await;
                let secret = secret.unwrap().unwrap();
                let secret: Value = serde_json::from_str(secret.expose_secret()).unwrap();
                secret["refresh_token"].to_string()
            }
            ["beside", "google"] => {
                let google = alfred_google::Endpoints::at("http://127.0.0.1:1");
                beside(self.connections(google, known()), connections).await
            }
            _ => panic!("no call {call:?}"),
        }
    }
}

/// The fields of a consent's link.
async fn link(
    connections: &Connections,
    service: &str,
) -> Result<BTreeMap<String, String>, ConnectError> {
    let services = [AccountService::named(service).unwrap()];
    let of = account();
    let link = connections
        .begin(&of, Provider::Microsoft, &services)
        .await?;
    let link = Url::parse(&link).unwrap();
    assert_eq!(link.path(), "/common/oauth2/v2.0/authorize");
    Ok(link.query_pairs().into_owned().collect())
}

fn shown(link: Result<BTreeMap<String, String>, ConnectError>) -> String {
    let link = match link {
        Ok(link) => link,
        Err(error) => return error.to_string(),
    };
    let lines = link.iter().map(|(name, value)| match name.as_str() {
        "state" | "code_challenge" => format!("{name}, secret: {}", !value.is_empty()),
        _ => format!("{name}: {value}"),
    });
    lines.collect::<Vec<_>>().join("\n")
}

/// The scopes that Microsoft names when all that a link asks for is consented to.
fn granted(asked: &str) -> String {
    let scopes = asked.split(' ').filter(|scope| *scope != "offline_access");
    let scopes = scopes.map(|scope| {
        let of_graph = scope.contains('.');
        let prefix = if of_graph {
            "https://graph.microsoft.com/"
        } else {
            ""
        };
        format!("{prefix}{scope}")
    });
    scopes.collect::<Vec<_>>().join(" ")
}

/// Whose a link of Microsoft's is, and what the two have together.
async fn beside(google: Connections, microsoft: Connections) -> String {
    let state = link(&microsoft, "mail").await.unwrap()["state"].clone();
    let forged = state.replace("microsoft.", "google.");
    let mut shown = Vec::new();
    for (connections, state) in [(&google, &forged), (&google, &state), (&microsoft, &state)] {
        shown.push(match connections.arriving(state).await {
            Ok(arriving) => arriving.provider.as_str().to_owned(),
            Err(error) => error.to_string(),
        });
    }
    let several = Several::new(vec![Arc::new(google), Arc::new(microsoft)]);
    shown.push(format!("{:?}", several.providers()));
    for user in ["U1", "U2"] {
        let of = Account {
            user: user.into(),
            ..account()
        };
        let all = several.connections(&of).await.unwrap();
        let all: Vec<Provider> = all.iter().map(|one| one.provider).collect();
        shown.push(format!("{user}: {all:?}"));
    }
    shown.join("\n")
}
