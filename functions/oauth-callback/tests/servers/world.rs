use alfred_core::keys;
use alfred_core::ports::{
    Account, ChatUser, Commit, Connect, Credentials, NamedCredentials, Provider, Store, SystemIds,
    Write,
};
use alfred_core::{Role, User};
use alfred_mail_servers::{Allowed, ServerAccounts};
use alfred_oauth_callback::{OauthCallback, Page, Visit};
use alfred_testkit::conformance::calendar;
use alfred_testkit::pymap::{PASSWORD, Pymap};
use alfred_testkit::radicale::Radicale;
use alfred_testkit::smtp_server::Server;
use alfred_testkit::{ManualClock, MemorySecrets, MemoryStore, RecordingChat};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, OnceLock};

pub const HERE: &str = "https://alfred.example/oauth/callback";

pub struct World {
    pub smtp: Server,
    pub clock: Arc<ManualClock>,
    pub store: Arc<MemoryStore>,
    pub chat: Arc<RecordingChat>,
    pub credentials: NamedCredentials,
    pub servers: Arc<ServerAccounts>,
    pub callback: OauthCallback,
    pub login: &'static str,
}

pub fn account(user: &str) -> Account {
    Account::of(&"T1".into(), &user.into())
}

pub fn pymap() -> &'static Pymap {
    static SHARED: OnceLock<Pymap> = OnceLock::new();
    SHARED.get_or_init(|| Pymap::start(true))
}

fn logins() -> &'static [String] {
    static LOGINS: OnceLock<Vec<String>> = OnceLock::new();
    LOGINS.get_or_init(|| (0..100).map(|n| format!("ana{n}")).collect())
}

pub fn radicale() -> &'static Radicale {
    static SHARED: OnceLock<Radicale> = OnceLock::new();
    let names: Vec<&str> = logins().iter().map(String::as_str).collect();
    SHARED.get_or_init(|| Radicale::start(&names))
}

impl World {
    pub async fn new() -> Self {
        Self::allowing(Allowed::new(None, vec!["127.0.0.1".into()])).await
    }

    pub async fn allowing(allowed: Allowed) -> Self {
        drop(rustls::crypto::ring::default_provider().install_default());
        static NEXT: AtomicUsize = AtomicUsize::new(0);
        let clock = Arc::new(ManualClock::default());
        let store = Arc::new(MemoryStore::new(clock.clone()));
        let chat = Arc::new(RecordingChat::new(clock.clone()));
        let credentials = NamedCredentials(Arc::new(MemorySecrets::default()));
        let keys = Arc::new(credentials.clone());
        let servers = ServerAccounts::new(allowed, HERE, store.clone(), keys, clock.clone());
        let servers = Arc::new(servers);
        let smtp = Server::start();
        smtp.offer(&["AUTH PLAIN"]);
        let world = Self {
            smtp,
            callback: OauthCallback {
                connections: Vec::new(),
                servers: Some(servers.clone()),
                store: store.clone(),
                chat: chat.clone(),
            },
            servers,
            clock,
            store,
            chat,
            credentials,
            login: &logins()[NEXT.fetch_add(1, Ordering::SeqCst)],
        };
        let owner = calendar::owner();
        world.register("UANA", &owner.name, &owner.address).await;
        let ben = world.register("UBEN", "Ben Okafor", "ben@corp.example");
        ben.await;
        world
    }

    async fn register(&self, id: &str, name: &str, email: &str) {
        let person = ChatUser {
            id: id.into(),
            username: name.to_lowercase(),
            email: email.into(),
            name: name.into(),
            timezone: Some("Europe/Lisbon".into()),
            is_person: true,
        };
        let user = User::register(person, Role::Member, "UTC", jiff::Timestamp::UNIX_EPOCH);
        let key = keys::user(&"T1".into(), &id.into());
        let write = Write::create(key, serde_json::to_value(user).unwrap());
        let commit = Commit::new(&SystemIds, vec![write]);
        self.store.commit(&commit).await.unwrap();
    }

    pub async fn link(&self) -> String {
        let (ana, services) = (account("UANA"), Provider::Servers.services());
        let begun = self.servers.begin(&ana, Provider::Servers, services);
        let link = begun.await.unwrap();
        let (page, state) = link.split_once("?state=").unwrap();
        assert_eq!(page, HERE);
        state.to_owned()
    }

    pub async fn opens(&self, state: &str) -> Page {
        let visit = Visit::arriving(&format!("state={state}"));
        self.callback.handle(&visit).await
    }

    pub fn form(&self, state: &str, but: &[(&str, &str)]) -> String {
        let (imap, smtp) = (pymap().port(), self.smtp.port);
        let mut fields: Vec<(&str, String)> = vec![
            ("state", state.into()),
            ("email", calendar::owner().address),
            ("password", PASSWORD.into()),
            ("user", self.login.into()),
            ("imap", format!("127.0.0.1:{imap}")),
            ("smtp", format!("127.0.0.1:{smtp}")),
            ("calendar", String::new()),
        ];
        for (name, value) in &mut fields {
            let other = but.iter().find(|(other, _)| other == name);
            *value = other.map_or(value.clone(), |(_, other)| (*other).to_owned());
        }
        serde_urlencoded::to_string(fields).unwrap()
    }

    pub async fn sends(&self, state: &str, but: &[(&str, &str)]) -> Page {
        let visit = Visit::confirming(self.form(state, but).as_bytes());
        self.callback.handle(&visit).await
    }

    /// Sends the form of a new link.
    pub async fn connects(&self, but: &[(&str, &str)]) -> Page {
        self.sends(&self.link().await, but).await
    }

    pub fn calendar_url(&self) -> String {
        let port = radicale().port();
        format!("http://127.0.0.1:{port}/{}/calendar/", self.login)
    }

    pub async fn secret(&self) -> Option<secrecy::SecretString> {
        let account = account("UANA");
        let found = self.credentials.get(&account, Provider::Servers);
        found.await.unwrap()
    }
}

pub fn says(page: &Page, status: u16, words: &str) {
    let is_said = page.status == status && page.body.contains(words);
    assert!(is_said, "{status} {words}: {page:?}");
}
