//! Connecting, refreshing and disconnecting a Microsoft account, alone and beside one of Google's.

use alfred_accounts::oauth::{
    ClientSecret, Connected, Connections, ConsentError, OAuthClient, Several, Tokens,
};
use alfred_core::ports::{
    Account, AccountError, AccountService, Connect, Credentials, NamedCredentials, Provider,
    SystemIds,
};
use alfred_graph_local::{Client, Fault, GraphLocal, Options, Running};
use alfred_microsoft::Endpoints;
use alfred_testkit::{ManualClock, MemorySecrets, MemoryStore};
use reqwest::Url;
use secrecy::ExposeSecret;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use crate::microsoft::support::{ANA, account};

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
        let options = Options {
            client: Client {
                redirect_uris: vec![HERE.into()],
                ..Client::default()
            },
            ..Options::default()
        };
        let graph = GraphLocal::new(options, Arc::new(clock.clone()));
        graph.put_mailbox(ANA, "Ana Marques");
        let running = graph.listen().await.unwrap();
        let store = Arc::new(MemoryStore::new(Arc::new(clock.clone())));
        let credentials = NamedCredentials(Arc::new(MemorySecrets::default()));
        let connections = connections(&running.url, &store, &credentials, &clock);
        Self {
            connections: Arc::new(connections),
            running,
            clock,
            store,
            credentials,
        }
    }

    fn graph(&self) -> &GraphLocal {
        &self.running.graph
    }

    /// As another process has it: with nothing in memory.
    fn another_process(&self) -> Connections {
        let World {
            running,
            clock,
            store,
            credentials,
            ..
        } = self;
        connections(&running.url, store, credentials, clock)
    }

    /// Consents to these services; the fields Microsoft sends back.
    async fn consent(&self, services: &[AccountService]) -> BTreeMap<String, String> {
        let whose = account();
        let link = self
            .connections
            .begin(&whose, Provider::Microsoft, services);
        let back = self.graph().allow(&link.await.unwrap(), ANA).unwrap();
        let back = Url::parse(&back).unwrap();
        back.query_pairs().into_owned().collect()
    }

    async fn connect(&self, services: &[AccountService]) -> Result<Connected, ConsentError> {
        let back = self.consent(services).await;
        let consent = self
            .connections
            .redeem(&back["state"], &back["code"])
            .await?;
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
    let known = Client::default();
    let client = OAuthClient {
        id: known.id,
        secret: ClientSecret::Known(known.secret.into()),
        redirect_uri: HERE.into(),
    };
    Connections::new(
        client,
        Endpoints::at(url, url, &known.tenant),
        store.clone(),
        Arc::new(credentials.clone()),
        (Arc::new(clock.clone()), Arc::new(SystemIds)),
    )
}

#[tokio::test]
async fn what_is_asked_for_is_granted_and_adds_up() {
    let world = World::new().await;
    let first = world.connect(&[AccountService::Mail]).await.unwrap();
    assert_eq!(first.connection.email, ANA);
    assert_eq!(first.connection.services, [AccountService::Mail]);
    let sending = AccountService::MailSend;
    let told = world.connections.access(&account(), sending).await;
    assert!(matches!(told, Err(AccountError::NotGranted(service)) if service == sending));
    let second = world.connect(&[sending]).await.unwrap();
    assert_eq!(
        (second.connection.services, second.missing),
        (BOTH.to_vec(), vec![])
    );
    let token = world.connections.access(&account(), sending).await;
    token.unwrap();
    // Whoever connected before there were calendars is told so, and keeps what they had.
    let calendar = AccountService::Calendar;
    let told = world.connections.access(&account(), calendar).await;
    assert!(matches!(told, Err(AccountError::NotGranted(service)) if service == calendar));
    let third = world.connect(&[calendar]).await.unwrap();
    let all = Provider::Microsoft.services();
    assert_eq!(
        (third.connection.services, third.missing),
        (all.to_vec(), vec![])
    );
    let token = world.connections.access(&account(), calendar).await;
    token.unwrap();
}

#[tokio::test]
async fn a_code_is_good_once_and_for_its_link_alone() {
    let world = World::new().await;
    let (one, other) = (world.consent(&BOTH).await, world.consent(&BOTH).await);
    let mixed = world
        .connections
        .redeem(&one["state"], &other["code"])
        .await;
    assert_eq!(mixed.err(), Some(ConsentError::Code));
    let used = world.connections.redeem(&one["state"], &one["code"]).await;
    assert_eq!(used.err(), Some(ConsentError::Used));
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
    // Month after month.
    for _ in 0..6 {
        world.clock.advance(Duration::from_hours(60 * 24));
        access(&world.another_process()).await.unwrap();
    }
}

#[tokio::test]
async fn what_was_withdrawn_has_ended() {
    let world = World::new().await;
    world.connect(&BOTH).await.unwrap();
    world.graph().revoke_all(ANA);
    let told = world
        .connections
        .access(&account(), AccountService::Mail)
        .await;
    assert!(matches!(
        told,
        Err(AccountError::Expired(AccountService::Mail))
    ));
    assert!(world.connections.connections(&account()).await.unwrap()[0].ended);
    world.connect(&BOTH).await.unwrap();
}

#[tokio::test]
async fn disconnecting_deletes_the_access_here() {
    let world = World::new().await;
    world.connect(&BOTH).await.unwrap();
    let whose = account();
    let gone = world.connections.disconnect(&whose, Provider::Microsoft);
    assert_eq!(gone.await.unwrap().unwrap().email, ANA);
    assert_eq!(world.secret().await, None);
    let told = world
        .connections
        .access(&account(), AccountService::Mail)
        .await;
    assert!(matches!(told, Err(AccountError::NotConnected(_))));
}

#[tokio::test]
async fn an_organisation_may_want_its_administrator() {
    let world = World::new().await;
    let refuse =
        |mailbox: &mut alfred_graph_local::mail::Mailbox| mailbox.needs_administrator = true;
    world.graph().with_mailbox(ANA, refuse).unwrap();
    let back = world.consent(&BOTH).await;
    assert_eq!(back["error"], "access_denied");
    assert!(back["error_description"].contains("AADSTS90094"));
    world.connections.decline(&back["state"]).await.unwrap();
}

#[tokio::test]
async fn each_provider_reads_its_own_links() {
    let world = World::new().await;
    let back = world.consent(&BOTH).await;
    let google = Connections::new(
        OAuthClient {
            id: "other".into(),
            secret: ClientSecret::Known(Client::default().secret.into()),
            redirect_uri: HERE.into(),
        },
        alfred_google::Endpoints::at("http://127.0.0.1:1"),
        world.store.clone(),
        Arc::new(world.credentials.clone()),
        (Arc::new(world.clock.clone()), Arc::new(SystemIds)),
    );
    // Even under the same secret.
    let foreign = google.arriving(&back["state"]).await;
    assert_eq!(foreign.err(), Some(ConsentError::Forged));
    let arriving = world.connections.arriving(&back["state"]).await.unwrap();
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
