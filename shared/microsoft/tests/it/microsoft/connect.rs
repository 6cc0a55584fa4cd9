//! Connecting, refreshing and disconnecting a Microsoft account, alone and beside one of Google's.

use alfred_accounts::oauth::{
    ClientSecret, Connected, Connections, ConsentError, OAuthClient, Several, Tokens,
};
use alfred_core::ports::{
    Account, AccountError, AccountService, Connect, Credentials, NamedCredentials, Provider,
    SystemIds,
};
use alfred_microsoft::Endpoints;
use alfred_testkit::{ManualClock, MemorySecrets, MemoryStore};
use reqwest::Url;
use secrecy::ExposeSecret;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use crate::microsoft::support::account;
use crate::outlook::{ANA, Fault, Player, Running};

const CLIENT: &str = "11111111-2222-3333-4444-555555555555";
const SECRET: &str = "local-client-secret";
const HERE: &str = "http://127.0.0.1:1/oauth/callback";
const BOTH: [AccountService; 2] = [AccountService::Mail, AccountService::MailSend];

struct World {
    running: Running,
    clock: ManualClock,
    store: Arc<MemoryStore>,
    credentials: NamedCredentials,
    connections: Arc<Connections>,
}

impl World {
    async fn new() -> Self {
        let _ = rustls::crypto::ring::default_provider().install_default();
        let clock = ManualClock::at("2026-11-23T09:00:00Z".parse().unwrap());
        let running = Player::listen(clock.clone()).await;
        let store = Arc::new(MemoryStore::new(Arc::new(clock.clone())));
        let credentials = NamedCredentials(Arc::new(MemorySecrets::default()));
        let connections = Arc::new(connections(&running.url, &store, &credentials, &clock));
        Self {
            connections,
            running,
            clock,
            store,
            credentials,
        }
    }

    fn graph(&self) -> &Player {
        &self.running.player
    }

    /// As another process has it: with nothing in memory.
    fn another_process(&self) -> Connections {
        connections(
            &self.running.url,
            &self.store,
            &self.credentials,
            &self.clock,
        )
    }

    /// The fields of a consent's link.
    async fn link(&self, services: &[AccountService]) -> BTreeMap<String, String> {
        let whose = account();
        let link = self
            .connections
            .begin(&whose, Provider::Microsoft, services);
        let link = Url::parse(&link.await.unwrap()).unwrap();
        assert_eq!(link.path(), "/common/oauth2/v2.0/authorize");
        link.query_pairs().into_owned().collect()
    }

    /// Consents to all that the link asks for.
    async fn connect(&self, services: &[AccountService]) -> Result<Connected, ConsentError> {
        let link = self.link(services).await;
        self.graph().tokens().scope = link["scope"].replace("offline_access ", "");
        let consent = self.connections.redeem(&link["state"], "code").await?;
        self.connections.keep(consent).await
    }

    async fn secret(&self) -> Option<String> {
        let secret = self.credentials.get(&account(), Provider::Microsoft).await;
        secret
            .unwrap()
            .map(|secret| secret.expose_secret().to_owned())
    }
}

fn connections(
    url: &str,
    store: &Arc<MemoryStore>,
    credentials: &NamedCredentials,
    clock: &ManualClock,
) -> Connections {
    let client = OAuthClient {
        id: CLIENT.into(),
        secret: ClientSecret::Known(SECRET.into()),
        redirect_uri: HERE.into(),
    };
    Connections::new(
        client,
        Endpoints::at(url, url, "common"),
        store.clone(),
        Arc::new(credentials.clone()),
        (Arc::new(clock.clone()), Arc::new(SystemIds)),
    )
}

#[tokio::test]
async fn what_is_asked_for_is_granted_and_adds_up() {
    let world = World::new().await;
    let [mail, sending, calendar] = [
        AccountService::Mail,
        AccountService::MailSend,
        AccountService::Calendar,
    ];
    for granted in [&[mail][..], &[mail, sending], &[mail, sending, calendar]] {
        let new = granted[granted.len() - 1];
        let told = world.connections.access(&account(), new).await;
        assert!(
            granted.len() == 1 || matches!(told, Err(AccountError::NotGranted(it)) if it == new)
        );
        let connected = world.connect(&[new]).await.unwrap();
        assert_eq!(connected.connection.email, ANA);
        assert_eq!(
            (connected.connection.services, connected.missing),
            (granted.to_vec(), vec![])
        );
        world.connections.access(&account(), new).await.unwrap();
    }
}

#[tokio::test]
async fn a_link_asks_for_what_its_services_need() {
    let world = World::new().await;
    let mut link = world.link(&[AccountService::Calendar]).await;
    for hidden in ["state", "code_challenge"] {
        assert!(!link.remove(hidden).unwrap().is_empty());
    }
    let expected = [
        ("client_id", CLIENT),
        ("code_challenge_method", "S256"),
        ("prompt", "select_account"),
        ("redirect_uri", HERE),
        ("response_mode", "query"),
        ("response_type", "code"),
        (
            "scope",
            "Calendars.ReadWrite MailboxSettings.Read User.Read email offline_access openid profile",
        ),
    ];
    let expected = expected.map(|(name, value)| (name.to_owned(), value.to_owned()));
    assert_eq!(link, BTreeMap::from(expected));
}

#[tokio::test]
async fn a_refresh_token_gives_way_once_a_day_and_is_never_lost() {
    let world = World::new().await;
    world.connect(&BOTH).await.unwrap();
    let access = async |connections: &Connections| {
        connections.access(&account(), AccountService::Mail).await
    };
    let first = world.secret().await;
    world.clock.advance(Duration::from_hours(2));
    access(&world.connections).await.unwrap();
    assert_eq!(world.secret().await, first);
    world.clock.advance(Duration::from_hours(24));
    // Given, and nobody has heard of it: the one before still works.
    world.graph().fail_next("oauth2.token", 1, Fault::DropAfter);
    let lost = access(&world.connections).await;
    assert!(matches!(lost, Err(AccountError::NotReached { .. })));
    assert_eq!(world.secret().await, first);
    access(&world.another_process()).await.unwrap();
    assert_ne!(world.secret().await, first);
}

#[tokio::test]
async fn a_consent_that_an_organisation_refused_is_declined() {
    let world = World::new().await;
    let link = world.link(&BOTH).await;
    world.connections.decline(&link["state"]).await.unwrap();
    let used = world.connections.redeem(&link["state"], "code").await;
    assert_eq!(used.err(), Some(ConsentError::Used));
}

#[tokio::test]
async fn each_provider_reads_its_own_links() {
    let world = World::new().await;
    let link = world.link(&BOTH).await;
    let google = Connections::new(
        OAuthClient {
            id: "other".into(),
            secret: ClientSecret::Known(SECRET.into()),
            redirect_uri: HERE.into(),
        },
        alfred_google::Endpoints::at("http://127.0.0.1:1"),
        world.store.clone(),
        Arc::new(world.credentials.clone()),
        (Arc::new(world.clock.clone()), Arc::new(SystemIds)),
    );
    // Even under the same secret.
    let foreign = google.arriving(&link["state"]).await;
    assert_eq!(foreign.err(), Some(ConsentError::Forged));
    let arriving = world.connections.arriving(&link["state"]).await.unwrap();
    assert_eq!(arriving.provider, Provider::Microsoft);
    world.connect(&BOTH).await.unwrap();
    let several = Several::new(vec![Arc::new(google), world.connections.clone()]);
    assert_eq!(several.providers(), [Provider::Google, Provider::Microsoft]);
    let all = several.connections(&account()).await.unwrap();
    let of: Vec<Provider> = all.iter().map(|one| one.provider).collect();
    assert_eq!(of, [Provider::Microsoft]);
    let nobody = Account {
        user: "U2".into(),
        ..account()
    };
    assert_eq!(several.connections(&nobody).await.unwrap(), []);
}
