//! Connecting a Google account: the button, the link, the consent, the callback.

use alfred_accounts::oauth::{Connections, OAuthClient};
use alfred_agent::slack::connect::{CONNECT, OPEN_LINK};
use alfred_agent::store::timer::{Timer, arm};
use alfred_core::ports::{Account as Owner, Accounts, Clock, NamedCredentials, Provider};
use alfred_core::{Envelope, Payload, Role, text};
use alfred_google::{Endpoints, Google};
use alfred_google_local::docs::Document;
use alfred_google_local::drive::{Content, File};
use alfred_google_local::{Account, Client, GoogleLocal, Options, Running};
use alfred_oauth_callback::{OauthCallback, Page, Visit};
use alfred_schedule::due;
use alfred_testkit::{MemorySecrets, calls, says};
use alfred_tests::{command, event};
use serde_json::Value;
use std::sync::Arc;
use std::time::Duration;

use crate::in_memory::world::{World, click, dm, simple, turns_taken};

const CONNECT_USED: &str = "This link was used before; each works once. `/alfred accounts` in Slack shows what is connected.";

const LINK_TOO_OLD: &str =
    "This link is older than ten minutes. Please ask for a new one in Slack: `/alfred connect`.";

const HERE: &str = "https://alfred.example/oauth/callback";

struct Office {
    world: World,
    google: Running,
    callback: OauthCallback,
}

impl Office {
    async fn open() -> Self {
        drop(rustls::crypto::ring::default_provider().install_default());
        let look = calls(&[("c1", "calendar_viewMeetings", r#"{"from": "tomorrow"}"#)]);
        let read = calls(&[("c1", "docs_readDocument", r#"{"documentId": "plans"}"#)]);
        let model = simple(move |asked| match turns_taken(asked) {
            0 if format!("{asked:?}").contains("my plans") => Ok(read.clone()),
            0 => Ok(look.clone()),
            _ => Ok(says("Here is your day.")),
        });
        let mut world = World::new(model).await;
        world.register("U2", "Ben", Role::Member).await;
        let client = Client {
            redirect_uris: vec![HERE.into()],
            ..Client::default()
        };
        let options = Options {
            client,
            ..Options::default()
        };
        let clock = world.ports.clock.clone();
        let google = GoogleLocal::open(options, clock.clone()).unwrap();
        for email in ["ana@home.example", "ben@example.com"] {
            google.put_account(Account::new(email, "Somebody"));
        }
        let google = google.listen().await.unwrap();
        let endpoints = Endpoints::at(&google.url);
        let known = Client::default();
        let client = OAuthClient {
            id: known.id,
            secret: known.secret.into(),
            redirect_uri: HERE.into(),
        };
        let store = world.ports.store.clone();
        let secrets = Arc::new(NamedCredentials(Arc::new(MemorySecrets::default())));
        let (places, kept) = (endpoints.clone(), store.clone());
        let connections = Connections::new(client, places, kept, secrets, clock.clone());
        let connections = Arc::new(connections);
        let clients = Google::new(endpoints, connections.clone(), store.clone(), clock);
        let clients = Arc::new(clients);
        let accounts = Accounts {
            mail: clients.clone(),
            calendar: clients.clone(),
            documents: clients.clone(),
            sheets: clients,
            connect: connections.clone(),
        };
        world.change_ports(|ports| ports.accounts = accounts);
        let callback = OauthCallback {
            connections: vec![connections],
            servers: None,
            store,
            chat: world.ports.chat.clone(),
        };
        Self {
            world,
            google,
            callback,
        }
    }

    async fn say(&mut self, said: Envelope) {
        self.world.say(said).await;
    }

    fn button(&self) -> Option<String> {
        let posted = self.world.chat.posted();
        let blocks = posted.last()?.blocks.clone();
        let found = blocks.iter().find(|block| block["block_id"] == CONNECT)?;
        Some(found["elements"][0]["value"].as_str()?.to_owned())
    }

    fn link(&self) -> (String, String) {
        let ephemerals = self.world.chat.ephemerals();
        let (to, post) = ephemerals.last().expect("a private answer");
        let elements = post.blocks.iter().flat_map(|block| {
            let elements: Option<&Vec<Value>> = block["elements"].as_array();
            elements.into_iter().flatten()
        });
        let mut opens = elements.filter(|element| element["action_id"] == OPEN_LINK);
        let url = opens.next().expect("a link")["url"].as_str().unwrap();
        (to.to_string(), url.to_owned())
    }

    /// Consents as this account; returns the callback's query.
    fn back(&self, link: &str, email: &str) -> String {
        let back = self.google.google.allow(link, email, &[]).unwrap();
        back.split_once('?').unwrap().1.to_owned()
    }

    /// Asks for a link and consents as this account; returns the callback's query.
    async fn consents(&mut self, trigger: &str, email: &str) -> String {
        self.say(command("U1", "connect google", trigger)).await;
        self.back(&self.link().1, email)
    }

    async fn arrives(&self, query: &str) -> Page {
        self.callback.handle(&Visit::arriving(query)).await
    }

    async fn confirms(&self, query: &str) -> Page {
        let visit = Visit::confirming(query.as_bytes());
        self.callback.handle(&visit).await
    }
}

fn says_so(page: &Page, status: u16, words: &str) {
    let plain = words.replace('`', "").replace('&', "&amp;");
    assert_eq!(page.status, status, "{page:?}");
    assert!(page.body.contains(&plain), "{words}: {}", page.body);
}

#[tokio::test]
async fn connect_button_leads_to_a_connected_account() {
    let mut office = Office::open().await;
    office.say(dm("U1", "1.1", "what's on tomorrow?")).await;
    let value = office.button().expect("a button");
    assert_eq!(value, r#"["google",["calendar"]]"#);
    office.say(click("U1", CONNECT, &value, "c1")).await;
    let (to, link) = office.link();
    assert_eq!(to, "U1");
    let query = office.back(&link, "ana@home.example");
    let asked = office.arrives(&query).await;
    assert_eq!(asked.status, 200);
    assert!(asked.body.contains("Ana"), "{asked:?}");
    assert!(asked.body.contains("<form"), "{asked:?}");
    // Viewing the confirmation doesn't use up the link.
    assert_eq!(office.arrives(&query).await, asked);
    let done = office.confirms(&query).await;
    says_so(&done, 200, "ana@home.example is connected, for calendar.");
    let told = office.world.chat.posted();
    let told = told.last().unwrap();
    assert_eq!(told.channel.as_str(), "D1");
    assert!(told.text.contains("ana@home.example is connected"));
    says_so(&office.confirms(&query).await, 410, CONNECT_USED);
    office.say(dm("U1", "2.1", "what's on tomorrow?")).await;
    assert_eq!(office.button(), None, "{:?}", office.world.said());
    office.say(click("U1", OPEN_LINK, "", "c2")).await;
    office.say(command("U1", "disconnect google", "t1")).await;
    assert_eq!(office.google.google.grants("ana@home.example"), 0);
    office.say(dm("U1", "3.1", "what's on tomorrow?")).await;
    assert!(office.button().is_some());
}

#[tokio::test]
async fn home_tab_offers_missing_accounts_until_one_is_connected_in_the_browser() {
    let mut office = Office::open().await;
    let buttons = |office: &Office| {
        let blocks = office.world.chat.homes().remove(&"U1".into()).unwrap();
        let mut blocks = blocks.into_iter();
        let connect = blocks.find(|block| block["block_id"] == CONNECT);
        connect.map_or(Value::Null, |found| found["elements"][0]["value"].clone())
    };
    office
        .say(event("U1", "evt:h1", Payload::Home { opened: true }))
        .await;
    let all = r#"["google",["mail","mail_send","calendar","documents","sheets"]]"#;
    assert_eq!(buttons(&office), all);
    let (ports, owner) = (
        office.world.ports.clone(),
        Owner::of(&"T1".into(), &"U1".into()),
    );
    let now = ports.clock.now();
    let other = arm(now, &Timer::connect(&owner, Provider::Microsoft, now)).unwrap();
    ports.commit(vec![other]).await.unwrap();
    office.say(click("U1", CONNECT, all, "c1")).await;
    let query = office.back(&office.link().1, "ana@home.example");
    let look = Duration::from_secs(60);
    office.world.clock.advance(look);
    office.world.sweep().await;
    assert_eq!(buttons(&office), all);
    office.confirms(&query).await;
    office.world.clock.advance(look);
    office.world.sweep().await;
    assert_eq!(buttons(&office), Value::Null);
    // The other provider's link was looked after all the time. A link that isn't used is forgotten.
    office.say(click("U1", CONNECT, all, "c2")).await;
    for (minutes, awaited) in [(10, 2), (1, 1), (60, 0)] {
        office.world.clock.advance(look * minutes);
        let due = due::due(&*ports.store, ports.clock.now()).await.unwrap();
        assert_eq!(due.timers.len(), awaited);
        office.world.sweep().await;
    }
}

#[tokio::test]
async fn nobodys_account_is_connected_to_somebody_elses_alfred() {
    let mut office = Office::open().await;
    let query = office.consents("t1", "ben@example.com").await;
    let asked = office.arrives(&query).await;
    assert!(asked.body.contains("Ana"), "{asked:?}");
    let refused = office.confirms(&query).await;
    says_so(&refused, 403, "ben@example.com is somebody else");
    office.say(command("U1", "accounts", "t2")).await;
    let told = office.world.chat.ephemerals();
    let told = &told.last().unwrap().1.text;
    assert_eq!(told, "You haven't connected an account.");
    // A forged state, and one of a removed user.
    let forged = office.arrives("state=a.b&code=x").await;
    says_so(&forged, 400, "one of Alfred");
    office.say(command("U2", "connect google mail", "t3")).await;
    let (to, link) = office.link();
    assert_eq!(to, "U2");
    let query = office.back(&link, "ben@example.com");
    office.world.register("U5", "Rita", Role::Admin).await;
    office.say(command("U5", "users remove U2", "t4")).await;
    says_so(&office.confirms(&query).await, 403, text::NOT_RECOGNISED);
    office.say(command("U2", "connect google", "t5")).await;
    assert_eq!(office.world.said().last().unwrap(), text::NOT_RECOGNISED);
}

#[tokio::test]
async fn a_no_and_a_late_yes_connect_nothing() {
    let mut office = Office::open().await;
    let query = office.consents("t1", "ana@home.example").await;
    let no = query.replace("code=", "error=access_denied&no=");
    says_so(&office.arrives(&no).await, 200, "Nothing was connected.");
    says_so(&office.confirms(&query).await, 410, CONNECT_USED);
    let query = office.consents("t2", "ana@home.example").await;
    office.world.clock.advance(Duration::from_secs(600));
    says_so(&office.arrives(&query).await, 410, LINK_TOO_OLD);
}

#[tokio::test]
async fn a_file_that_its_owner_wrote_is_read() {
    let mut office = Office::open().await;
    let plans = Document::of_lines("Three tables.");
    let now = office.world.clock.now();
    let mut file = File::new("Table plans", Content::Document(plans), now);
    file.by_app = false;
    let put = |account: &mut Account| account.drive.put("1plans", file);
    let google = &office.google.google;
    google.with_account("ana@home.example", put).unwrap();
    let query = office.consents("t1", "ana@home.example").await;
    office.confirms(&query).await;
    office.say(dm("U1", "1.1", "what is in my plans?")).await;
    let asked = office.world.model.requests();
    let told = format!("{:?}", asked.last().unwrap());
    assert!(told.contains("Three tables."), "{told}");
}
