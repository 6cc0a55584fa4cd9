//! A Google account connected on the page, used, and disconnected, in a real browser.

use alfred_slack_local::seed::ANA;
use alfred_testkit::chromium::{Chromium, Tab};
use base64::Engine;
use serde_json::{Value, json};
use std::sync::Arc;

use crate::cli::Cli;
use crate::conversation::Conversation;
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
    office.page.writes("/alfred accounts");
    office.page.shows("You haven't connected an account.");
    let consent = office.connects(&[]);
    drop(consent);
    office
        .page
        .shows("Your Google account ana@example.com is connected, for reading and sorting mail");
    office.page.writes("plan monday");
    office.page.shows("Team meeting");
    office.presses("Approve");
    office.page.shows("Created");
    office
        .page
        .writes("reply to the Quarterly numbers mail: \"that works for me\"");
    office.presses("Approve");
    office.page.shows("Your answer went to");
    assert_eq!(office.mails("SENT", "that works for me"), 1);
    let folder = office.cli.data().join("workspace/ana/mail/sent");
    let before = std::fs::read_dir(folder).unwrap().count();
    assert_eq!(before, 3, "the folder's mail isn't touched");
    office.page.writes("/alfred disconnect google");
    office.page.shows("was ended there and deleted here");
    let google = office.google();
    assert_eq!(google["oauth"]["grants"], json!({}));
    office.serving.kill().await;
}
