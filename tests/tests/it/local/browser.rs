//! The page in a real browser, beside attackers' pages.

use alfred_slack_local::seed::{ANA, ANA_DM};
use alfred_slack_local::signature;
use alfred_testkit::chromium::{Chromium, Tab};
use axum::http::HeaderMap;
use axum::response::Html;
use axum::routing::get;
use serde_json::{Value, json};
use std::sync::{Arc, Mutex};
use tokio::net::TcpListener;

use crate::local::office::Office;
use crate::local::process::now_ms;
use crate::local::raw::{ask, host};
use crate::local::routes::secret;

/// Sends an attacker's requests in every way a page can, and returns the results.
const ATTACK: &str = include_str!("browser/attack.js");
/// A message in Ana's direct message, and one that an attacker tries to add.
const PRIVATE: &str = "Add a task: the merger is secret";
const FORGED: &str = "Add a task: forged";

impl Office {
    /// An approval waits.
    async fn asking() -> Self {
        let office = Self::open().await;
        office.page.writes(PRIVATE);
        office.page.shows("Created task");
        let told = office.cli.ends(3, "ask 'tell Ben that lunch is at noon'");
        told.await;
        office.page.until(&button("Approve"));
        office
    }

    async fn waiting(&self) -> usize {
        let waiting = self.cli.said_json("--json approvals list").await;
        waiting.as_array().unwrap().len()
    }

    async fn messages(&self) -> Vec<Value> {
        let path = format!("/client/messages?channel={ANA_DM}");
        let page = self.serving.get(&path).await;
        page["messages"].as_array().unwrap().clone()
    }

    /// The attacker's page gets even what it can't know.
    async fn config(&self) -> Value {
        let messages = self.messages().await;
        let is_card = |message: &&Value| message["blocks"].to_string().contains("Approve");
        let card = messages.iter().find(is_card).expect("a card");
        let blocks = card["blocks"].as_array().unwrap().iter();
        let elements = blocks.filter_map(|block| block["elements"].as_array());
        let mut elements = elements.flatten();
        let approve = elements.find(|element| element["text"]["text"] == "Approve");
        let kept = |name: &str| match self.cli.data().join("secrets.json").exists() {
            true => secret(self.cli.data(), name),
            false => String::new(),
        };
        let now = now_ms() / 1_000;
        let event = json!({
            "type": "event_callback", "team_id": "T0LOCAL001", "event_id": "EvFORGED",
            "event": {"type": "message", "channel_type": "im", "channel": ANA_DM, "user": ANA,
                      "text": FORGED, "ts": format!("{now}.000100")},
        })
        .to_string();
        let secrets = [
            "local-signing-secret".to_owned(),
            kept("alfred/LOCAL_SLACK_SIGNING_SECRET"),
        ];
        let signed = secrets.map(|secret| signature(&secret, now, event.as_bytes()));
        json!({
            "base": self.serving.address,
            "tokens": ["xoxb-local", kept("alfred/LOCAL_SLACK_BOT_TOKEN"), self.serving.token],
            "user": ANA, "channel": ANA_DM, "text": FORGED,
            "card": {"ts": card["ts"], "action_id": approve.expect("its button")["action_id"]},
            "event": {"body": event, "at": now, "signatures": signed},
        })
    }

    async fn is_untouched(&self, seen: &Value) {
        assert!(!seen.to_string().contains("merger"), "it was read: {seen}");
        let tries = seen.as_array().unwrap();
        assert!(tries.len() > 20, "{seen}");
        // `-1`: blocked by the browser. 0: opaque response.
        for one in tries {
            assert!([-1, 0, 403].contains(&one[1].as_i64().unwrap()), "{one}");
        }
        let messages = self.messages().await;
        let texts = messages.iter().map(|message| message["text"].to_string());
        let forged = texts.filter(|text| text.contains("forged"));
        assert_eq!(forged.count(), 0, "something was written: {messages:?}");
        assert_eq!(self.waiting().await, 1, "something was decided");
        let tasks = self.cli.said("ask 'show my tasks'").await;
        assert!(tasks.contains("merger"), "{tasks}");
        assert!(!tasks.contains("orged"), "{tasks}");
    }
}

fn button(label: &str) -> String {
    format!(
        "[...document.querySelectorAll('#message-list button')].find((one) => one.textContent === '{label}') !== undefined"
    )
}

/// A foreign server on this machine that records the cookies it gets.
async fn other_server() -> (u16, Arc<Mutex<Vec<String>>>) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    let cookies: Arc<Mutex<Vec<String>>> = Arc::default();
    let kept = cookies.clone();
    let page = get(async move |headers: HeaderMap| {
        let sent = headers.get_all("cookie").iter();
        let sent = sent.map(|value| value.to_str().unwrap().to_owned());
        kept.lock().unwrap().extend(sent);
        Html("<p>Kittens</p>")
    });
    let router = axum::Router::new().fallback(page);
    tokio::spawn(async move { axum::serve(listener, router).await.unwrap() });
    (port, cookies)
}

fn attack(tab: &Tab, config: &Value) -> Value {
    tab.eval(&format!("({ATTACK})({config})"))
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_page_works_from_its_link_on() {
    let office = Office::asking().await;
    let page = &office.page;
    let home = format!("{}/", office.serving.address);
    assert_eq!(page.eval("location.href"), home);
    assert_eq!(page.eval("document.cookie"), "", "no page reads it");
    page.eval("[...document.querySelectorAll('#message-list button')].find((one) => one.textContent === 'Approve').click()");
    office.page.shows("Sent");
    assert_eq!(office.waiting().await, 0);
    // After the link is used up, the browser stays signed in, in new tabs too.
    for address in [&office.serving.address, &office.serving.link] {
        let tab = office.browser.open(address);
        tab.until("document.getElementById('message-list').innerText.includes('merger')");
    }
    let other = Chromium::start();
    let closed = other.open(&office.serving.link);
    let words = closed.eval("document.body.innerText").to_string();
    assert!(words.contains("alfred page"), "{words}");
    assert!(words.contains("opened before"), "{words}");
    closed.go(office.cli.said("page").await.trim());
    closed.until("document.getElementById('message-list').innerText.includes('merger')");
    office.serving.kill().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_page_goes_on_when_alfred_is_started_anew() {
    let office = Office::asking().await;
    let page = &office.page;
    office.serving.kill().await;
    page.until("!document.getElementById('offline').hidden");
    let again = office.cli.serve().await;
    page.until("document.getElementById('offline').hidden");
    let said = json!({"user": ANA, "text": "said meanwhile"});
    assert_eq!(again.post("/client/post", &said).await.status(), 200);
    page.until("document.getElementById('message-list').innerText.includes('said meanwhile')");
    again.kill().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_name_that_was_bound_to_this_machine_gets_nothing() {
    let office = Office::asking().await;
    let port = host(&office.serving.address).rsplit_once(':').unwrap().1;
    let rebound = format!("http://evil.example:{port}");
    let tab = office.browser.open(&format!("{rebound}/"));
    let mut config = office.config().await;
    config["base"] = rebound.into();
    let seen = attack(&tab, &config);
    office.is_untouched(&seen).await;
    office.serving.kill().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn pages_of_other_sites_and_ports_get_nothing() {
    let office = Office::asking().await;
    let address = &office.serving.address;
    let (port, cookies) = other_server().await;
    for site in ["evil.example", "127.0.0.1", "localhost"] {
        let tab = office.browser.open(&format!("http://{site}:{port}/"));
        let seen = attack(&tab, &office.config().await);
        office.is_untouched(&seen).await;
        let targets = tab.call("Target.getTargets", &json!({}));
        let frames = tab.call("Page.getFrameTree", &json!({}));
        let targets = targets["targetInfos"].as_array().unwrap().iter();
        let framed = targets.filter(|target| target["type"] == "iframe");
        let framed: Vec<Value> = framed.cloned().chain([frames]).collect();
        let framed = json!(framed).to_string();
        let refused = framed.contains("chrome-error://");
        assert!(refused, "something was framed: {framed}");
        let ours = format!("\"url\":\"{address}");
        assert!(!framed.contains(&ours), "{framed}");
        tab.eval_and_leave(&format!("void (location.href = '{address}/')"));
        tab.until("document.body?.innerText.includes('Another page asked')");
    }
    // Cookies are shared between ports, so another server gets half of the credentials.
    let mut sent = cookies.lock().unwrap().clone().into_iter();
    let stolen = sent.find(|cookie| cookie.contains("alfred_"));
    let stolen = stolen.expect("the browser sends the cookie to the other port");
    let body = json!({"user": ANA, "text": FORGED}).to_string();
    let steal = |method, path: &str| {
        let headers = [
            ("cookie", stolen.as_str()),
            ("content-type", "application/json"),
        ];
        ask(address, method, path, &headers, &body)
    };
    for (method, path) in [
        ("GET", format!("/client/messages?channel={ANA_DM}")),
        ("GET", "/client/events".into()),
        ("POST", "/client/post".into()),
    ] {
        assert_eq!(steal(method, &path).status, 401, "{path}");
    }
    assert!(!steal("GET", "/").body.contains("merger"));
    office.serving.kill().await;
}
