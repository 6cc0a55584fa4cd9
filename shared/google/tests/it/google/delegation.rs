//! A service account acts for everybody of a domain, and for nobody who said no.

use alfred_accounts::oauth::{Delegation, Tokens};
use alfred_core::ports::{
    Account, AccountError, AccountService, Clock, Commit, Connect, ConnectError, Mail, Provider,
    Store, SystemIds, Write,
};
use alfred_core::{Role, User, keys};
use alfred_google::{Endpoints, Google};
use alfred_google_local::{GoogleLocal, Options, Running, ServiceAccount, scope};
use alfred_testkit::{ManualClock, MemorySecrets, MemoryStore, rsa};
use secrecy::ExposeSecret;
use serde_json::json;
use std::sync::Arc;
use std::time::Duration;

const ROBOT: &str = "alfred@project.iam.gserviceaccount.com";

struct World {
    running: Running,
    clock: Arc<ManualClock>,
    store: Arc<MemoryStore>,
    delegation: Arc<Delegation>,
}

impl World {
    async fn new(allowed: &[&str]) -> Self {
        let _ = rustls::crypto::ring::default_provider().install_default();
        let clock = Arc::new(ManualClock::at("2026-11-23T09:00:00Z".parse().unwrap()));
        let (private_key, public_key) = rsa::key_pair();
        let options = Options {
            service_account: Some(ServiceAccount {
                email: ROBOT.into(),
                public_key: public_key.clone(),
                scopes: allowed.iter().map(|&scope| scope.to_owned()).collect(),
            }),
            ..Options::default()
        };
        let google = GoogleLocal::open(options, clock.clone()).unwrap();
        for (email, name) in [("ana@example.com", "Ana"), ("ben@example.com", "Ben")] {
            google.put_account(alfred_google_local::Account::new(email, name));
        }
        let running = google.listen().await.unwrap();
        let store = Arc::new(MemoryStore::new(clock.clone()));
        let key =
            json!({"type": "service_account", "client_email": ROBOT, "private_key": private_key});
        let delegation = Delegation::from_settings(
            |_| Some(key.to_string()),
            Arc::new(MemorySecrets::default()),
            store.clone(),
            Endpoints::at(&running.url),
            (clock.clone(), Arc::new(SystemIds)),
        );
        let world = Self {
            delegation: Arc::new(delegation.unwrap()),
            running,
            clock,
            store,
        };
        world.register("U1", "ana@example.com", true).await;
        world.register("U2", "ben@example.com", true).await;
        world
    }

    async fn register(&self, id: &str, email: &str, is_active: bool) {
        let user = User {
            slack_user_id: id.into(),
            slack_username: id.to_lowercase(),
            email: email.into(),
            name: id.into(),
            role: Role::Member,
            timezone: "UTC".into(),
            is_active,
            preferences: Default::default(),
            created_at: self.clock.now(),
            updated_at: self.clock.now(),
        };
        let body = serde_json::to_value(user).unwrap();
        let write = Write::put(keys::user(&"T1".into(), &id.into()), None, body);
        let commit = Commit::new(&SystemIds, vec![write]);
        self.store.commit(&commit).await.unwrap();
    }

    /// Whose mail this person's calls reach.
    async fn reaches(&self, user: &str) -> Result<String, AccountError> {
        let endpoints = Endpoints::at(&self.running.url);
        let tokens = self.delegation.clone();
        let google = Google::new(endpoints, tokens, self.store.clone(), self.clock.clone());
        Ok(google.address(&account(user)).await?.address)
    }
}

fn account(user: &str) -> Account {
    Account::of(&"T1".into(), &user.into())
}

const ALL: [&str; 5] = [
    scope::GMAIL_MODIFY,
    scope::GMAIL_COMPOSE,
    scope::CALENDAR_EVENTS,
    scope::CALENDAR_FREEBUSY,
    scope::DRIVE_FILE,
];

#[tokio::test]
async fn everybody_reaches_the_account_of_their_own_address() {
    let world = World::new(&ALL).await;
    assert_eq!(world.reaches("U1").await.unwrap(), "ana@example.com");
    assert_eq!(world.reaches("U2").await.unwrap(), "ben@example.com");
    let there = world.delegation.connections(&account("U1")).await.unwrap();
    assert_eq!(
        (there[0].email.as_str(), there[0].delegated),
        ("ana@example.com", true)
    );
    for (user, email, active) in [
        ("U3", "", true),
        ("U4", "guest@elsewhere.example", true),
        ("U5", "ana@example.com", false),
    ] {
        world.register(user, email, active).await;
    }
    for nobody in ["U3", "U4", "U5", "U6"] {
        let told = world.reaches(nobody).await;
        assert!(
            matches!(told, Err(AccountError::NotConnected(_))),
            "{nobody}: {told:?}"
        );
    }
}

#[tokio::test]
async fn a_token_is_fetched_once_an_hour() {
    let world = World::new(&ALL).await;
    let ana = account("U1");
    let access = || world.delegation.access(&ana, AccountService::Mail);
    let (one, two) = tokio::join!(access(), access());
    assert_eq!(one.unwrap().expose_secret(), two.unwrap().expose_secret());
    let asked = || world.running.google.call_counts()["oauth2.token"];
    assert_eq!(asked(), 1);
    world.clock.advance(Duration::from_secs(3_600));
    access().await.unwrap();
    assert_eq!(asked(), 2);
}

#[tokio::test]
async fn whoever_says_no_is_left_alone_until_they_take_it_back() {
    let world = World::new(&ALL).await;
    let ana = account("U1");
    world.reaches("U1").await.unwrap();
    let gone = world
        .delegation
        .disconnect(&ana, Provider::Google)
        .await
        .unwrap();
    assert!(gone.unwrap().delegated);
    assert!(matches!(
        world.reaches("U1").await,
        Err(AccountError::NotConnected(_))
    ));
    assert_eq!(world.delegation.connections(&ana).await.unwrap(), []);
    assert!(world.reaches("U2").await.is_ok());
    let again = world.delegation.begin(&ana, Provider::Google, &[]).await;
    assert!(matches!(again, Err(ConnectError::ByAdministrator(_))));
    assert!(world.reaches("U1").await.is_ok());
}

#[tokio::test]
async fn what_the_administrator_doesnt_allow_is_the_deployments_trouble() {
    let world = World::new(&ALL[..4]).await;
    let told = world.reaches("U1").await;
    assert!(
        matches!(told, Err(AccountError::Refused { .. })),
        "{told:?}"
    );
    let there = world.delegation.connections(&account("U1")).await.unwrap();
    assert_eq!(there.len(), 1, "nobody is disconnected by it");
}
