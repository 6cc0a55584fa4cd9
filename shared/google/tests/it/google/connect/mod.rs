//! Plays `connect.txt`. A command holds calls, separated by `; `. `a & b` makes both at once.

use alfred_accounts::oauth::{Connected, Connections, Consent, ConsentError, OAuthClient, Tokens};
use alfred_core::ports::{
    Account, AccountService, Connect, Connection, Credentials, NamedCredentials, Provider,
};
use alfred_google::Endpoints;
use alfred_google_local::{Account as GoogleAccount, Client, Options};
use alfred_testkit::MemorySecrets;
use alfred_testkit::conformance::show_error;
use alfred_testkit::play::{Interpreter, assert_played};
use async_trait::async_trait;
use futures_util::future::join_all;
use reqwest::Url;
use secrecy::ExposeSecret;
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use crate::google::support::{ANA, World, account, fault};

const HERE: &str = "http://127.0.0.1:1/oauth/callback";

#[tokio::test]
async fn accounts_are_connected_as_the_text_says() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/it/google");
    assert_played(&format!("{folder}/connect/connect.txt"), Played::new).await;
}

struct Played {
    world: World,
    credentials: NamedCredentials,
    connections: Connections,
    /// Another process, with nothing in memory at first.
    other: Connections,
    /// What Google sent back for each link: its state and its code.
    links: Mutex<BTreeMap<String, (String, String)>>,
    consents: Mutex<BTreeMap<String, Consent>>,
    tokens: Mutex<Vec<String>>,
}

#[async_trait]
impl Interpreter for Played {
    async fn perform(&mut self, command: &str) -> String {
        let mut shown = Vec::new();
        for call in command.split("; ") {
            let at_once = call.split(" & ").map(|call| self.by_whom(call));
            shown.extend(join_all(at_once).await);
        }
        shown.retain(|line| !line.is_empty());
        shown.join("\n")
    }
}

impl Played {
    async fn new() -> Self {
        let mut options = Options::default();
        options.client.redirect_uris = vec![HERE.into()];
        let world = World::with(options).await;
        let private = GoogleAccount::new("ana@home.example", "Ana Marques");
        world.local().put_account(private);
        let credentials = NamedCredentials(Arc::new(MemorySecrets::default()));
        let connections = || {
            let known = Client::default();
            let client = OAuthClient {
                id: known.id,
                secret: known.secret.into(),
                redirect_uri: HERE.into(),
            };
            let endpoints = Endpoints::at(&world.running.url);
            let credentials = Arc::new(credentials.clone());
            let (store, clock) = (world.store.clone(), Arc::new(world.clock.clone()));
            Connections::new(client, endpoints, store, credentials, clock)
        };
        Self {
            connections: connections(),
            other: connections(),
            world,
            credentials,
            links: Mutex::default(),
            consents: Mutex::default(),
            tokens: Mutex::default(),
        }
    }

    async fn by_whom(&self, call: &str) -> String {
        let words: Vec<&str> = call.split(' ').collect();
        match *words {
            ["other", ref call @ ..] => self.call(&self.other, call).await,
            ref call => self.call(&self.connections, call).await,
        }
    }

    async fn call(&self, connections: &Connections, call: &[&str]) -> String {
        let of = account();
        match *call {
            ["connect", services, "as", email, ref how @ ..] => {
                let done = self.connect(services, email, how).await;
                done.map_or_else(|error| error.to_string(), |done| connected(&done))
            }
            ["begin", link] => self.consent(link, "everything", ANA, &[]).await,
            ["begin", link, "as", email] => self.consent(link, "everything", email, &[]).await,
            ["arriving", link] => {
                let arriving = connections.arriving(&self.back(link).0).await.unwrap();
                let Account { team, user } = arriving.account;
                format!("{team} {user} {}", arriving.provider.as_str())
            }
            ["forge", link] => {
                let state = self.back(link).0;
                let cut = state.replace('.', "x.");
                let theirs = state.replace("U1", "U2");
                let forged = ["", "a.b", &cut, &theirs];
                let each = forged.map(|state| connections.arriving(state));
                let each = join_all(each).await.into_iter();
                each.map(|arriving| arriving.unwrap_err().to_string() + "\n")
                    .collect()
            }
            ["redeem", link] => self.redeem(connections, link, link).await,
            ["redeem", link, "with", other] => self.redeem(connections, link, other).await,
            ["keep", link] => {
                let consent = self.consents.lock().unwrap().remove(link).unwrap();
                // The later of two may be refused.
                let _ = connections.keep(consent).await;
                String::new()
            }
            ["decline", link] => {
                connections.decline(&self.back(link).0).await.unwrap();
                String::new()
            }
            ["connection"] => {
                let all = connections.connections(&of).await.unwrap();
                assert!(all.len() < 2, "{all:?}");
                all.first().map_or("none".into(), shown)
            }
            ["access", service] => self.access(connections, &of, service).await,
            ["stranger", "access", service] => {
                let user = "U2".into();
                let stranger = Account { user, ..of };
                self.access(connections, &stranger, service).await
            }
            ["whose", "mail"] => {
                let named = connections.connections(&of).await.unwrap().remove(0).email;
                match connections.access(&of, AccountService::Mail).await {
                    Ok(token) => {
                        let whose = self.world.local().whose(token.expose_secret());
                        assert_eq!(whose, Some(named));
                    }
                    Err(error) => assert_eq!(show_error(error), "mail expired"),
                }
                String::new()
            }
            ["refuse", "token", number] => {
                let number: usize = number.parse().unwrap();
                let token = self.tokens.lock().unwrap()[number - 1].clone();
                connections.refused(&of, &token.into()).await;
                String::new()
            }
            ["disconnect"] => match connections.disconnect(&of, Provider::Google).await.unwrap() {
                Some(gone) => format!(
                    "{} disconnected, revoked {}, erased {}",
                    gone.connection.email, gone.revoked, gone.erased
                ),
                None => "nothing was connected".into(),
            },
            ["secret"] => {
                let secret = self.credentials.get(&of, Provider::Google).await.unwrap();
                secret.map_or("none", |_| "kept").into()
            }
            ["spoil", "secret"] => {
                let unreadable = "unreadable".into();
                let put = self.credentials.put(&of, Provider::Google, &unreadable);
                put.await.unwrap();
                String::new()
            }
            _ => self.at_google(call),
        }
    }

    fn at_google(&self, call: &[&str]) -> String {
        let google = self.world.local();
        match *call {
            ["withdraw"] => google.revoke_all(ANA),
            ["wait", seconds] => {
                let seconds = Duration::from_secs(seconds.parse().unwrap());
                self.world.clock.advance(seconds);
            }
            ["fail", method, times, ref words @ ..] => {
                let times = times.parse().unwrap();
                google.fail_next(&format!("oauth2.{method}"), times, fault(words));
            }
            ["grants"] => return google.grants(ANA).to_string(),
            ["exchanges"] => return google.call_counts()["oauth2.token"].to_string(),
            _ => panic!("no call {call:?}"),
        }
        String::new()
    }

    /// Consents to a new link, to everything but the unticked scopes.
    async fn consent(&self, link: &str, services: &str, email: &str, how: &[&str]) -> String {
        let named = services.split(' ').filter_map(AccountService::named);
        let services: Vec<_> = match services {
            "everything" => AccountService::ALL.to_vec(),
            _ => named.collect(),
        };
        let of = account();
        let begun = self.connections.begin(&of, Provider::Google, &services);
        let mut url = begun.await.unwrap();
        let mut unticked = Vec::new();
        match how {
            ["alone"] => url = url.replace("granted_scopes=true", "granted_scopes=false"),
            ["unticked", scopes] => {
                let full = |scope: &str| format!("https://www.googleapis.com/auth/{scope}");
                unticked.extend(scopes.split(',').map(full));
            }
            _ => {}
        }
        let unticked: Vec<&str> = unticked.iter().map(String::as_str).collect();
        let back = self.world.local().allow(&url, email, &unticked).unwrap();
        assert!(back.starts_with(HERE), "{back}");
        let back = Url::parse(&back).unwrap();
        let back: BTreeMap<_, _> = back.query_pairs().into_owned().collect();
        let back = (back["state"].clone(), back["code"].clone());
        self.links.lock().unwrap().insert(link.into(), back);
        String::new()
    }

    fn back(&self, link: &str) -> (String, String) {
        self.links.lock().unwrap()[link].clone()
    }

    async fn connect(
        &self,
        services: &str,
        email: &str,
        how: &[&str],
    ) -> Result<Connected, ConsentError> {
        self.consent("new", services, email, how).await;
        let (state, code) = self.back("new");
        let consent = self.connections.redeem(&state, &code).await?;
        self.connections.keep(consent).await
    }

    async fn redeem(&self, connections: &Connections, link: &str, other: &str) -> String {
        let (state, code) = (self.back(link).0, self.back(other).1);
        match connections.redeem(&state, &code).await {
            Ok(consent) => {
                self.consents.lock().unwrap().insert(link.into(), consent);
                "redeemed".into()
            }
            Err(error) => error.to_string(),
        }
    }

    async fn access(&self, connections: &Connections, of: &Account, service: &str) -> String {
        let service = AccountService::named(service).unwrap();
        let token = match connections.access(of, service).await {
            Ok(token) => token.expose_secret().to_owned(),
            Err(error) => return show_error(error),
        };
        let mut tokens = self.tokens.lock().unwrap();
        let known = tokens.iter().position(|known| *known == token);
        let at = known.unwrap_or_else(|| {
            tokens.push(token);
            tokens.len() - 1
        });
        format!("token {}", at + 1)
    }
}

fn connected(done: &Connected) -> String {
    let connection = shown(&done.connection);
    if done.missing.is_empty() {
        return connection;
    }
    format!("{connection}, without {}", names(&done.missing))
}

fn shown(connection: &Connection) -> String {
    let ended = if connection.ended { ", ended" } else { "" };
    let services = names(&connection.services);
    format!("{}: {services}{ended}", connection.email)
}

fn names(services: &[AccountService]) -> String {
    let names: Vec<&str> = services.iter().map(|service| service.as_str()).collect();
    names.join(" ")
}
