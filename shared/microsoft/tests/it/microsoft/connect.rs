//! Connecting, refreshing and disconnecting a Microsoft account, alone and beside one of Google's.

use alfred_accounts::oauth::{
    ClientSecret, Connected, Connections, ConsentError, OAuthClient, OAuthProvider, Several, Tokens,
};
use alfred_core::ports::{
    Account, AccountError, AccountService, Connect, ConnectError, Credentials, NamedCredentials,
    Provider,
};
use alfred_microsoft::Endpoints;
use alfred_testkit::MemorySecrets;
use reqwest::Url;
use secrecy::ExposeSecret;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use crate::microsoft::support::{Outlook, account};
use crate::outlook::{ANA, Fault};

const CLIENT: &str = "11111111-2222-3333-4444-555555555555";
const SECRET: &str = "local-client-secret";
const HERE: &str = "http://127.0.0.1:1/oauth/callback";
const BOTH: [AccountService; 2] = [AccountService::Mail, AccountService::MailSend];

struct World {
    outlook: Outlook,
    credentials: NamedCredentials,
    connections: Arc<Connections>,
}

impl World {
    async fn new() -> Self {
        let outlook = Outlook::new().await;
        let credentials = NamedCredentials(Arc::new(MemorySecrets::default()));
        let connections = connections(&outlook, &credentials, endpoints(&outlook));
        Self {
            connections: Arc::new(connections),
            outlook,
            credentials,
        }
    }

    /// As another process has it: with nothing in memory.
    fn another_process(&self) -> Connections {
        connections(&self.outlook, &self.credentials, endpoints(&self.outlook))
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
        self.outlook.mailbox().scope = link["scope"].replace("offline_access ", "");
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

fn endpoints(outlook: &Outlook) -> Endpoints {
    Endpoints::at(&outlook.url, &outlook.url, "common")
}

fn connections(
    outlook: &Outlook,
    credentials: &NamedCredentials,
    provider: impl Into<OAuthProvider>,
) -> Connections {
    let client = OAuthClient {
        id: CLIENT.into(),
        secret: ClientSecret::Known(SECRET.into()),
        redirect_uri: HERE.into(),
    };
    let (store, clock) = (outlook.store.clone(), Arc::new(outlook.clock.clone()));
    Connections::new(
        client,
        provider,
        store,
        Arc::new(credentials.clone()),
        clock,
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
    world.outlook.clock.advance(Duration::from_hours(2));
    access(&world.connections).await.unwrap();
    assert_eq!(world.secret().await, first);
    world.outlook.clock.advance(Duration::from_hours(24));
    // Given, and nobody has heard of it: the one before still works.
    world
        .outlook
        .graph()
        .fail_next("oauth2.token", 1, Fault::DropAfter);
    let lost = access(&world.connections).await;
    assert!(matches!(lost, Err(AccountError::NotReached { .. })));
    assert_eq!(world.secret().await, first);
    access(&world.another_process()).await.unwrap();
    assert_ne!(world.secret().await, first);
}

#[tokio::test]
async fn the_token_endpoint_says_when_to_come_back() {
    let world = World::new().await;
    world.connect(&BOTH).await.unwrap();
    let year = 365 * 24 * 3_600;
    for (after, seconds) in [
        ("7", 7..8),
        ("Sat, 21 Nov 2099 09:00:12 GMT", year..99 * year),
    ] {
        let busy = Fault::Error(503, "temporarily_unavailable", Some(after));
        world.outlook.graph().fail_next("oauth2.token", 1, busy);
        let told = world.another_process();
        let told = told.access(&account(), AccountService::Mail).await;
        let Err(AccountError::NotReached { retry_after, .. }) = told else {
            panic!("{told:?}");
        };
        assert!(seconds.contains(&retry_after.unwrap().as_secs()), "{after}");
    }
}

#[tokio::test]
async fn each_provider_reads_its_own_links() {
    let world = World::new().await;
    let link = world.link(&BOTH).await;
    let google = alfred_google::Endpoints::at("http://127.0.0.1:1");
    let google = connections(&world.outlook, &world.credentials, google);
    let forged = link["state"].replace("microsoft.", "google.");
    let foreign = google.arriving(&forged).await;
    assert_eq!(foreign.err(), Some(ConsentError::Forged));
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

#[tokio::test]
async fn no_link_is_made_without_the_clients_secret() {
    let world = World::new().await;
    let client = OAuthClient {
        id: CLIENT.into(),
        secret: ClientSecret::named(Arc::new(MemorySecrets::default()), "secret"),
        redirect_uri: HERE.into(),
    };
    let connections = Connections::new(
        client,
        endpoints(&world.outlook),
        world.outlook.store.clone(),
        Arc::new(world.credentials.clone()),
        Arc::new(world.outlook.clock.clone()),
    );
    let whose = account();
    let begun = connections.begin(&whose, Provider::Microsoft, &BOTH);
    assert!(matches!(begun.await, Err(ConnectError::Unavailable { .. })));
}
