//! Connecting, refreshing and disconnecting, through the local Google's own consent page.

mod disconnecting;
mod picking;

use alfred_accounts::oauth::{
    Arriving, ClientSecret, Connected, Connections, ConsentError, OAuthClient, Tokens,
};
use alfred_core::ports::{
    Account, AccountError, AccountService, Connect, NamedCredentials, Provider, SystemIds,
};
use alfred_google::Endpoints;
use alfred_google_local::{Client, Fault, GoogleLocal, Options, Running, scope};
use alfred_testkit::{ManualClock, MemorySecrets, MemoryStore};
use reqwest::Url;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use crate::google::support::account;

const ANA: &str = "ana@example.com";
const HERE: &str = "http://127.0.0.1:1/oauth/callback";
const EVERYTHING: [AccountService; 5] = AccountService::ALL;

struct World {
    running: Running,
    clock: Arc<ManualClock>,
    store: Arc<MemoryStore>,
    credentials: NamedCredentials,
    connections: Arc<Connections>,
}

impl World {
    async fn new() -> Self {
        let _ = rustls::crypto::ring::default_provider().install_default();
        let clock = Arc::new(ManualClock::at("2026-11-23T09:00:00Z".parse().unwrap()));
        let client = Client {
            redirect_uris: vec![HERE.into()],
            ..Client::default()
        };
        let options = Options {
            client,
            ..Options::default()
        };
        let google = GoogleLocal::open(options, clock.clone()).unwrap();
        for (email, name) in [(ANA, "Ana Marques"), ("ana@home.example", "Ana M.")] {
            google.put_account(alfred_google_local::Account::new(email, name));
        }
        let running = google.listen().await.unwrap();
        let store = Arc::new(MemoryStore::new(clock.clone()));
        let credentials = NamedCredentials(Arc::new(MemorySecrets::default()));
        let mut world = Self {
            connections: Arc::new(connections(&running.url, &store, &credentials, &clock)),
            running,
            clock,
            store,
            credentials,
        };
        world.connections = Arc::new(world.another_process());
        world
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

    fn google(&self) -> &GoogleLocal {
        &self.running.google
    }

    async fn begin(&self, services: &[AccountService]) -> String {
        let whose = account();
        let begun = self.connections.begin(&whose, Provider::Google, services);
        begun.await.unwrap()
    }

    /// Consents as this account, to what is asked for but these; the fields Google sends back.
    fn consent(&self, link: &str, email: &str, unticked: &[&str]) -> BTreeMap<String, String> {
        let location = self.google().allow(link, email, unticked).unwrap();
        assert!(location.starts_with(HERE), "{location}");
        let back = Url::parse(&location).unwrap();
        back.query_pairs().into_owned().collect()
    }

    async fn connect(
        &self,
        services: &[AccountService],
        email: &str,
        unticked: &[&str],
    ) -> Result<Connected, ConsentError> {
        let link = self.begin(services).await;
        self.consented_as(&link, email, unticked).await
    }

    async fn consented(&self, link: &str) -> Result<Connected, ConsentError> {
        self.consented_as(link, ANA, &[]).await
    }

    async fn consented_as(
        &self,
        link: &str,
        email: &str,
        unticked: &[&str],
    ) -> Result<Connected, ConsentError> {
        let back = self.consent(link, email, unticked);
        let consent = self
            .connections
            .redeem(&back["state"], &back["code"])
            .await?;
        self.connections.keep(consent).await
    }

    async fn access(&self, service: AccountService) -> Result<String, AccountError> {
        let token = self.connections.access(&account(), service).await?;
        Ok(secrecy::ExposeSecret::expose_secret(&token).to_owned())
    }

    fn refreshes(&self) -> u64 {
        self.google()
            .call_counts()
            .get("oauth2.token")
            .copied()
            .unwrap_or(0)
    }
}

fn connections(
    url: &str,
    store: &Arc<MemoryStore>,
    credentials: &NamedCredentials,
    clock: &Arc<ManualClock>,
) -> Connections {
    let known = Client::default();
    let client = OAuthClient {
        id: known.id,
        secret: ClientSecret::Known(known.secret.into()),
        redirect_uri: HERE.into(),
    };
    Connections::new(
        client,
        Endpoints::at(url),
        store.clone(),
        Arc::new(credentials.clone()),
        (clock.clone(), Arc::new(SystemIds)),
    )
}

#[tokio::test]
async fn what_was_granted_is_there_and_what_was_unticked_is_missing_by_name() {
    let world = World::new().await;
    let unticked = [scope::GMAIL_COMPOSE];
    let connected = world.connect(&EVERYTHING, ANA, &unticked).await.unwrap();
    assert_eq!(connected.missing, [AccountService::MailSend]);
    let there = world.connections.connections(&account()).await.unwrap();
    assert_eq!(there, [connected.connection]);
    assert_eq!(there[0].email, ANA);
    assert!(world.access(AccountService::Calendar).await.is_ok());
    let denied = world.access(AccountService::MailSend).await;
    assert!(matches!(
        denied,
        Err(AccountError::NotGranted(AccountService::MailSend))
    ));
    // Nobody else's.
    let ben = Account {
        user: "U2".into(),
        ..account()
    };
    let denied = world.connections.access(&ben, AccountService::Mail).await;
    assert!(matches!(denied, Err(AccountError::NotConnected(_))));
}

#[tokio::test]
async fn more_is_granted_on_top_and_another_account_takes_the_place_of_none() {
    let world = World::new().await;
    let first = world
        .connect(&[AccountService::Calendar], ANA, &[])
        .await
        .unwrap();
    assert_eq!(first.connection.services, [AccountService::Calendar]);
    let mail = [AccountService::Mail];
    let second = world.connect(&mail, ANA, &[]).await.unwrap();
    let both = [AccountService::Mail, AccountService::Calendar];
    assert_eq!(second.connection.services, both);
    // Everything unticked: Google counts what was granted before.
    let third = world
        .connect(&mail, ANA, &[scope::GMAIL_MODIFY])
        .await
        .unwrap();
    assert_eq!(third.connection.services, both);
    let other = world.connect(&EVERYTHING, "ana@home.example", &[]).await;
    assert_eq!(other.unwrap_err(), ConsentError::Another(ANA.into()));
    let link = world.begin(&mail).await;
    let alone = link.replace(
        "include_granted_scopes=true",
        "include_granted_scopes=false",
    );
    let less = world.consented(&alone).await;
    assert_eq!(less.unwrap_err(), ConsentError::Narrower);
    let there = world.connections.connections(&account()).await.unwrap();
    assert_eq!(there[0].services, both);
    // Withdrawn at Google meanwhile: what is left is what was consented to anew.
    world.google().revoke_all(ANA);
    let link = world.begin(&mail).await;
    let anew = world.consented(&link).await.unwrap();
    assert_eq!(anew.connection.services, mail);
}

#[tokio::test]
async fn a_link_works_once_for_ten_minutes_and_for_whom_it_was_made() {
    let world = World::new().await;
    let link = world.begin(&EVERYTHING).await;
    let back = world.consent(&link, ANA, &[]);
    let (state, code) = (&back["state"], &back["code"]);
    assert_eq!(
        world.connections.arriving(state).await.unwrap(),
        Arriving {
            account: account(),
            provider: Provider::Google,
            picked: false,
        }
    );
    let (first, second) = tokio::join!(
        world.connections.redeem(state, code),
        world.connections.redeem(state, code),
    );
    let outcomes = [first.err(), second.err()];
    assert!(outcomes.contains(&None) && outcomes.contains(&Some(ConsentError::Used)));
    let again = world.another_process().redeem(state, code).await;
    assert_eq!(again.unwrap_err(), ConsentError::Used);
    let late = world.begin(&EVERYTHING).await;
    let back = world.consent(&late, ANA, &[]);
    world.clock.advance(Duration::from_secs(600));
    let redeemed = world
        .connections
        .redeem(&back["state"], &back["code"])
        .await;
    assert_eq!(redeemed.unwrap_err(), ConsentError::Late);
    for forged in ["", "a.b", &state.replace('.', "x.")] {
        assert_eq!(
            world.connections.arriving(forged).await,
            Err(ConsentError::Forged)
        );
    }
    // A code of another link: the verifier isn't its own.
    let [one, other] = [
        world.begin(&EVERYTHING).await,
        world.begin(&EVERYTHING).await,
    ];
    let (one, other) = (
        world.consent(&one, ANA, &[]),
        world.consent(&other, ANA, &[]),
    );
    let mixed = world
        .connections
        .redeem(&one["state"], &other["code"])
        .await;
    assert_eq!(mixed.unwrap_err(), ConsentError::Code);
    let declined = world.connections.decline(&other["state"]).await;
    assert_eq!(declined, Ok(()));
    let declined = world.connections.redeem(&other["state"], "4/0x").await;
    assert_eq!(declined.unwrap_err(), ConsentError::Used);
}

#[tokio::test]
async fn a_token_is_fetched_once_and_again_when_it_ends_or_isnt_taken() {
    let world = World::new().await;
    world.connect(&EVERYTHING, ANA, &[]).await.unwrap();
    let before = world.refreshes();
    let fetch = || world.access(AccountService::Mail);
    let (a, b, c, d) = tokio::join!(fetch(), fetch(), fetch(), fetch());
    let token = a.unwrap();
    for other in [b, c, d] {
        assert_eq!(other.unwrap(), token);
    }
    assert_eq!(world.refreshes(), before + 1);
    let refused = token.clone().into();
    world.connections.refused(&account(), &refused).await;
    let second = world.access(AccountService::Calendar).await.unwrap();
    assert_ne!(second, token);
    world.clock.advance(Duration::from_secs(3_600));
    assert_ne!(world.access(AccountService::Mail).await.unwrap(), second);
    assert_eq!(world.refreshes(), before + 3);
}

#[tokio::test]
async fn only_a_withdrawn_consent_ends_it_and_its_owner_can_connect_again() {
    let world = World::new().await;
    world.connect(&EVERYTHING, ANA, &[]).await.unwrap();
    let away = [
        Fault::DropBefore,
        Fault::ErrorAfter { status: 503 },
        Fault::GarbledAfter,
        Fault::Error {
            status: 429,
            reason: "rateLimitExceeded",
            retry_after: None,
        },
    ];
    for fault in away {
        world.google().fail_next("oauth2.token", 1, fault.clone());
        let told = world.access(AccountService::Mail).await;
        assert!(
            matches!(told, Err(AccountError::NotReached { .. })),
            "{fault:?}"
        );
    }
    assert!(world.access(AccountService::Mail).await.is_ok());
    world.google().revoke_all(ANA);
    world.clock.advance(Duration::from_secs(3_600));
    let asked = world.refreshes();
    for _ in 0..3 {
        let told = world.access(AccountService::Mail).await;
        assert!(matches!(
            told,
            Err(AccountError::Expired(AccountService::Mail))
        ));
    }
    assert_eq!(
        world.refreshes(),
        asked + 1,
        "a dead token isn't tried again"
    );
    let there = world.connections.connections(&account()).await.unwrap();
    assert!(there[0].ended);
    let mail = [AccountService::Mail];
    let again = world.connect(&mail, ANA, &[]).await.unwrap();
    assert!(!again.connection.ended);
    assert!(world.access(AccountService::Mail).await.is_ok());
}

#[tokio::test]
async fn two_consents_at_once_never_leave_one_accounts_name_on_the_others_mail() {
    let world = World::new().await;
    let [one, other] = [
        world.begin(&EVERYTHING).await,
        world.begin(&EVERYTHING).await,
    ];
    let one = world.consent(&one, ANA, &[]);
    let other = world.consent(&other, "ana@home.example", &[]);
    let redeem = |back: BTreeMap<String, String>| {
        let connections = world.connections.clone();
        async move {
            connections
                .redeem(&back["state"], &back["code"])
                .await
                .unwrap()
        }
    };
    let (one, other) = (redeem(one).await, redeem(other).await);
    let (_, _) = tokio::join!(world.connections.keep(one), world.connections.keep(other));
    let there = world.connections.connections(&account()).await.unwrap();
    match world.access(AccountService::Mail).await {
        Ok(token) => assert_eq!(world.google().whose(&token), Some(there[0].email.clone())),
        Err(AccountError::Expired(_)) => {}
        Err(error) => panic!("{error}"),
    }
}
