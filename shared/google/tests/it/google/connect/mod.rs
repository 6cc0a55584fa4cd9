//! Connecting, refreshing and disconnecting, through the local Google's own consent page.

mod disconnecting;

use alfred_accounts::oauth::{
    Arriving, ClientSecret, Connected, Connections, Consent, ConsentError, OAuthClient, Tokens,
};
use alfred_core::ports::{
    Account, AccountError, AccountService, Connect, Connection, NamedCredentials, Provider,
};
use alfred_google::Endpoints;
use alfred_google_local::{Client, Fault, GoogleLocal, Options, Running, scope};
use alfred_testkit::{ManualClock, MemorySecrets, MemoryStore};
use reqwest::Url;
use secrecy::ExposeSecret;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use crate::google::support::{ANA, account};

const ANA_AT_HOME: &str = "ana@home.example";
const HERE: &str = "http://127.0.0.1:1/oauth/callback";
const EVERYTHING: [AccountService; 5] = AccountService::ALL;

struct World {
    running: Running,
    clock: Arc<ManualClock>,
    store: Arc<MemoryStore>,
    credentials: NamedCredentials,
    connections: Connections,
}

impl World {
    async fn new() -> Self {
        let _ = rustls::crypto::ring::default_provider().install_default();
        let clock = Arc::new(ManualClock::at("2026-11-23T09:00:00Z".parse().unwrap()));
        let mut options = Options::default();
        options.client.redirect_uris = vec![HERE.into()];
        let google = GoogleLocal::open(options, clock.clone()).unwrap();
        for email in [ANA, ANA_AT_HOME] {
            google.put_account(alfred_google_local::Account::new(email, "Ana Marques"));
        }
        let running = google.listen().await.unwrap();
        let store = Arc::new(MemoryStore::new(clock.clone()));
        let credentials = NamedCredentials(Arc::new(MemorySecrets::default()));
        Self {
            connections: connections(&running.url, &store, &credentials, &clock),
            running,
            clock,
            store,
            credentials,
        }
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

    /// Consents as this account, to everything but these scopes. Returns what Google sends back.
    fn consent(&self, link: &str, email: &str, unticked: &[&str]) -> Back {
        let location = self.google().allow(link, email, unticked).unwrap();
        assert!(location.starts_with(HERE), "{location}");
        Back::of(&location)
    }

    async fn redeem(&self, state: &str, code: &str) -> Result<Consent, ConsentError> {
        self.connections.redeem(state, code).await
    }

    async fn connect(
        &self,
        services: &[AccountService],
        email: &str,
        unticked: &[&str],
    ) -> Result<Connected, ConsentError> {
        let link = self.begin(services).await;
        self.consented(&link, email, unticked).await
    }

    async fn consented(
        &self,
        link: &str,
        email: &str,
        unticked: &[&str],
    ) -> Result<Connected, ConsentError> {
        let Back { state, code, .. } = self.consent(link, email, unticked);
        let consent = self.redeem(&state, &code).await?;
        self.connections.keep(consent).await
    }

    async fn connection(&self) -> Option<Connection> {
        let all = self.connections.connections(&account()).await;
        let mut all = all.unwrap();
        assert!(all.len() < 2, "{all:?}");
        all.pop()
    }

    async fn access(&self, service: AccountService) -> Result<String, AccountError> {
        let token = self.connections.access(&account(), service).await?;
        Ok(token.expose_secret().to_owned())
    }

    fn refreshes(&self) -> u64 {
        let counts = self.google().call_counts();
        counts.get("oauth2.token").copied().unwrap_or(0)
    }
}

/// What Google's page sends back with the browser.
struct Back {
    state: String,
    code: String,
}

impl Back {
    fn of(location: &str) -> Self {
        let back = Url::parse(location).unwrap();
        let mut back: BTreeMap<String, String> = back.query_pairs().into_owned().collect();
        Self {
            state: back.remove("state").unwrap(),
            code: back.remove("code").unwrap(),
        }
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
        clock.clone(),
    )
}

fn is_not_connected<T>(result: &Result<T, AccountError>) -> bool {
    matches!(result, Err(AccountError::NotConnected(_)))
}

#[tokio::test]
async fn an_unticked_scope_is_missing_by_name() {
    let world = World::new().await;
    let unticked = [scope::GMAIL_COMPOSE, scope::SPREADSHEETS];
    let connected = world.connect(&EVERYTHING, ANA, &unticked).await.unwrap();
    let missing = [AccountService::MailSend, AccountService::Sheets];
    assert_eq!(connected.missing, missing);
    assert_eq!(connected.connection.email, ANA);
    assert_eq!(world.connection().await, Some(connected.connection));
    assert!(world.access(AccountService::Calendar).await.is_ok());
    let denied = world.access(AccountService::MailSend).await;
    assert!(matches!(
        denied,
        Err(AccountError::NotGranted(AccountService::MailSend))
    ));
    let mail = AccountService::Mail;
    let stranger = Account {
        user: "U2".into(),
        ..account()
    };
    let denied = world.connections.access(&stranger, mail).await;
    assert!(is_not_connected(&denied));
}

#[tokio::test]
async fn grants_add_up_and_another_account_is_refused() {
    let world = World::new().await;
    let (mail, calendar) = ([AccountService::Mail], [AccountService::Calendar]);
    let first = world.connect(&calendar, ANA, &[]).await.unwrap();
    assert_eq!(first.connection.services, calendar);
    let both = [AccountService::Mail, AccountService::Calendar];
    let second = world.connect(&mail, ANA, &[]).await.unwrap();
    assert_eq!(second.connection.services, both);
    // Everything unticked: Google counts what was granted before.
    let third = world.connect(&mail, ANA, &[scope::GMAIL_MODIFY]).await;
    assert_eq!(third.unwrap().connection.services, both);
    let other = world.connect(&EVERYTHING, ANA_AT_HOME, &[]).await;
    assert_eq!(other.unwrap_err(), ConsentError::Another(ANA.into()));
    let link = world.begin(&mail).await;
    let included = |is: bool| format!("include_granted_scopes={is}");
    let alone = link.replace(&included(true), &included(false));
    let less = world.consented(&alone, ANA, &[]).await;
    assert_eq!(less.unwrap_err(), ConsentError::Narrower);
    assert_eq!(world.connection().await.unwrap().services, both);
    // Withdrawn at Google meanwhile: only the new consent counts.
    world.google().revoke_all(ANA);
    let anew = world.connect(&mail, ANA, &[]).await.unwrap();
    assert_eq!(anew.connection.services, mail);
}

#[tokio::test]
async fn a_link_works_once_for_ten_minutes_and_for_whom_it_was_made() {
    let world = World::new().await;
    let begin = async || {
        let link = world.begin(&EVERYTHING).await;
        world.consent(&link, ANA, &[])
    };
    let Back { state, code, .. } = begin().await;
    let arriving = Arriving {
        account: account(),
        provider: Provider::Google,
    };
    assert_eq!(world.connections.arriving(&state).await, Ok(arriving));
    let redeem = || world.redeem(&state, &code);
    let (first, second) = tokio::join!(redeem(), redeem());
    let outcomes = [first.err(), second.err()];
    assert!(outcomes.contains(&None) && outcomes.contains(&Some(ConsentError::Used)));
    let again = world.another_process().redeem(&state, &code).await;
    assert_eq!(again.unwrap_err(), ConsentError::Used);
    let late = begin().await;
    world.clock.advance(Duration::from_secs(600));
    let late = world.redeem(&late.state, &late.code).await;
    assert_eq!(late.unwrap_err(), ConsentError::Late);
    for forged in [
        "",
        "a.b",
        &state.replace('.', "x."),
        &state.replace("U1", "U2"),
    ] {
        let arriving = world.connections.arriving(forged).await;
        assert_eq!(arriving, Err(ConsentError::Forged));
    }
    // A code of another link: the verifier isn't its own.
    let (one, other) = (begin().await, begin().await);
    let mixed = world.redeem(&one.state, &other.code).await;
    assert_eq!(mixed.unwrap_err(), ConsentError::Code);
    let declined = world.connections.decline(&other.state).await;
    assert_eq!(declined, Ok(()));
    let declined = world.redeem(&other.state, "4/0x").await;
    assert_eq!(declined.unwrap_err(), ConsentError::Used);
}

#[tokio::test]
async fn a_token_is_fetched_once_and_again_when_it_ends_or_is_refused() {
    let world = World::new().await;
    world.connect(&EVERYTHING, ANA, &[]).await.unwrap();
    let before = world.refreshes();
    let fetch = || world.access(AccountService::Mail);
    let (a, b, c) = tokio::join!(fetch(), fetch(), fetch());
    let token = a.unwrap();
    assert_eq!([b.unwrap(), c.unwrap()], [token.clone(), token.clone()]);
    assert_eq!(world.refreshes(), before + 1);
    let refused = token.clone().into();
    world.connections.refused(&account(), &refused).await;
    let second = world.access(AccountService::Calendar).await.unwrap();
    assert_ne!(second, token);
    world.clock.advance(Duration::from_secs(3_600));
    assert_ne!(fetch().await.unwrap(), second);
    assert_eq!(world.refreshes(), before + 3);
}

#[tokio::test]
async fn only_a_withdrawn_consent_ends_it_and_its_owner_can_connect_again() {
    let world = World::new().await;
    world.connect(&EVERYTHING, ANA, &[]).await.unwrap();
    for fault in [
        Fault::DropBefore,
        Fault::ErrorAfter { status: 503 },
        Fault::GarbledAfter,
        Fault::Error {
            status: 429,
            reason: "rateLimitExceeded",
            retry_after: None,
        },
    ] {
        world.google().fail_next("oauth2.token", 1, fault.clone());
        let away = world.access(AccountService::Mail).await;
        assert!(
            matches!(away, Err(AccountError::NotReached { .. })),
            "{fault:?}"
        );
    }
    assert!(world.access(AccountService::Mail).await.is_ok());
    world.google().revoke_all(ANA);
    world.clock.advance(Duration::from_secs(3_600));
    let asked = world.refreshes();
    for _ in 0..3 {
        let ended = world.access(AccountService::Mail).await;
        assert!(matches!(
            ended,
            Err(AccountError::Expired(AccountService::Mail))
        ));
    }
    // A dead token isn't tried again.
    assert_eq!(world.refreshes(), asked + 1);
    assert!(world.connection().await.unwrap().ended);
    let again = world.connect(&[AccountService::Mail], ANA, &[]).await;
    assert!(!again.unwrap().connection.ended);
    assert!(world.access(AccountService::Mail).await.is_ok());
}

#[tokio::test]
async fn two_consents_at_once_never_leave_one_accounts_name_on_the_others_mail() {
    let world = World::new().await;
    let redeem = async |email| {
        let link = world.begin(&EVERYTHING).await;
        let back = world.consent(&link, email, &[]);
        world.redeem(&back.state, &back.code).await.unwrap()
    };
    let (one, other) = (redeem(ANA).await, redeem(ANA_AT_HOME).await);
    let (_, _) = tokio::join!(world.connections.keep(one), world.connections.keep(other));
    let connection = world.connection().await.unwrap();
    match world.access(AccountService::Mail).await {
        Ok(token) => assert_eq!(world.google().whose(&token), Some(connection.email)),
        Err(AccountError::Expired(_)) => {}
        Err(error) => panic!("{error}"),
    }
}
