//! A Google account connected on the page, used, and disconnected, in a real browser.

use alfred_slack_local::seed::ANA;
use alfred_testkit::chromium::{Chromium, Tab};
use base64::Engine;
use serde_json::{Value, json};
use std::sync::Arc;

use crate::cli::Cli;
use crate::process::Serving;

struct Office {
    cli: Cli,
    serving: Serving,
    browser: Arc<Chromium>,
    page: Tab,
}

impl Office {
    async fn open() -> Self {
        let cli = Cli::new();
        let serving = cli.serve().await;
        let browser = Chromium::start();
        let page = browser.open(&serving.link);
        page.until("!document.getElementById('prompts').hidden");
        Self {
            cli,
            serving,
            browser,
            page,
        }
    }

    /// Writes into the page's box, and presses Enter.
    fn writes(&self, text: &str) {
        let text = json!(text);
        self.page.eval(&format!(
            "(() => {{
               const box = document.getElementById('composer-text');
               box.value = {text};
               box.dispatchEvent(new Event('input'));
               box.dispatchEvent(new KeyboardEvent('keydown', {{ key: 'Enter', bubbles: true, cancelable: true }}));
             }})()"
        ));
    }

    fn shows(&self, text: &str) {
        let text = json!(text);
        self.page.until(&format!(
            "document.getElementById('message-list').innerText.includes({text})"
        ));
    }

    fn presses(&self, name: &str) {
        let button = json!(name);
        let found = format!(
            "[...document.querySelectorAll('#message-list button')].filter(b => b.textContent.includes({button}) && !b.disabled).at(-1)"
        );
        self.page.until(&format!("!!{found}"));
        self.page.eval(&format!("{found}.click()"));
    }

    /// What the page's own entry opens: the provider's consent. Unticks what is named, and allows the rest.
    fn connects(&self, unticked: &[&str]) -> Tab {
        let link = self.page.eval("document.getElementById('connect').href");
        let link = link.as_str().unwrap();
        assert!(link.ends_with(&format!("/connect/{ANA}")), "{link}");
        let consent = self.browser.open(link);
        consent.until("!!document.body?.innerText.includes('Alfred may')");
        for scope in unticked {
            let tick = json!(format!("input[value$='{scope}']"));
            consent.eval(&format!("document.querySelector({tick}).click()"));
        }
        consent.eval("document.querySelector('button[value=allow]').click()");
        consent.until("!!document.body?.innerText.includes('is connected')");
        consent
    }

    /// What the local Google keeps.
    fn google(&self) -> Value {
        let kept = std::fs::read(self.cli.data().join("google.json")).unwrap();
        serde_json::from_slice(&kept).unwrap()
    }

    /// The mails of Ana's account under this label that say so.
    fn mails(&self, label: &str, words: &str) -> usize {
        let google = self.google();
        let messages = &google["accounts"]["ana@example.com"]["mailbox"]["messages"];
        let says = |message: &&Value| {
            let raw = message["raw"].as_str().unwrap();
            let raw = base64::prelude::BASE64_STANDARD.decode(raw).unwrap();
            let labels = message["labels"].as_array().unwrap();
            labels.contains(&json!(label)) && String::from_utf8_lossy(&raw).contains(words)
        };
        messages.as_object().unwrap().values().filter(says).count()
    }
}

#[tokio::test]
async fn an_account_is_connected_used_and_disconnected() {
    let office = Office::open().await;
    office.writes("/alfred accounts");
    office.shows("You haven't connected an account.");
    let consent = office.connects(&[]);
    drop(consent);
    office.shows("Your Google account ana@example.com is connected, for reading and sorting mail");
    office.writes("plan monday");
    office.shows("Team meeting");
    office.presses("Approve");
    office.shows("Created");
    office.writes("reply to the Quarterly numbers mail: \"that works for me\"");
    office.presses("Approve");
    office.shows("Your answer went to");
    assert_eq!(office.mails("SENT", "that works for me"), 1);
    let folder = office.cli.data().join("workspace/ana/mail/sent");
    let before = std::fs::read_dir(folder).unwrap().count();
    assert_eq!(before, 3, "the folder's mail isn't touched");
    office.writes("/alfred disconnect google");
    office.shows("was ended there and deleted here");
    let google = office.google();
    assert_eq!(google["oauth"]["grants"], json!({}));
    office.serving.kill().await;
}
