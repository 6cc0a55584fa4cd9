//! Connects, uses and disconnects a Google account on the page, in a real browser.

use alfred_slack_local::seed::ANA;
use alfred_testkit::chromium::Tab;
use base64::Engine;
use serde_json::{Value, json};

use crate::local::cli::Cli;
use crate::local::office::Office;
use crate::local::process::Serving;
use crate::local::puppet;

impl Office {
    async fn with_puppet() -> Self {
        let cli = Cli::new();
        let command = cli.with_puppet("serve --port 0", puppet::serve().await);
        let serving = Serving::start(command, cli.data()).await;
        Self::on(cli, serving)
    }

    fn presses(&self, name: &str) {
        let button = json!(name);
        let found = format!(
            "[...document.querySelectorAll('#message-list button')].filter(b => b.textContent.includes({button}) && !b.disabled).at(-1)"
        );
        self.page.until(&format!("!!{found}"));
        self.page.eval(&format!("{found}.click()"));
    }

    fn calls(&self, tool: &str, arguments: &Value) {
        self.page.writes(&format!("{tool} {arguments}"));
    }

    fn answered(&self, times: usize) {
        let shown = "document.getElementById('message-list').innerText";
        let ended = format!("{shown}.split('That is all.').length > {times}");
        self.page.until(&ended);
    }

    fn pictured(&self, name: &str) {
        self.page.pictured(&format!("google-{name}"));
    }

    fn file(&self, name: &str) -> Value {
        let google = self.google();
        let files = google["accounts"]["ana@example.com"]["drive"].as_object();
        let mut named = files.unwrap().values().filter(|file| file["name"] == name);
        let file = named.next().expect("the file is there").clone();
        assert!(named.next().is_none(), "there is one {name}");
        file
    }

    /// Opens the provider's consent from the page. Allows all scopes but those in `unticked`.
    fn connects(&self, unticked: &[&str]) -> Tab {
        let shown = "document.querySelector('#accounts a')?.href";
        let link = self.page.until(shown);
        let link = link.as_str().unwrap();
        assert!(link.ends_with(&format!("/connect/{ANA}")), "{link}");
        let consent = self.browser.open(link);
        consent.until("!!document.body?.innerText.includes('Alfred may')");
        for scope in unticked {
            let tick = json!(format!("input[value$='{scope}']"));
            consent.eval(&format!("document.querySelector({tick}).click()"));
        }
        consent.eval_and_leave("document.querySelector('button[value=allow]').click()");
        consent.until("!!document.body?.innerText.includes('is connected')");
        consent
    }

    fn google(&self) -> Value {
        let kept = std::fs::read(self.cli.data().join("google.json")).unwrap();
        serde_json::from_slice(&kept).unwrap()
    }

    /// Ids of Ana's sent mails, as the local Google returns them.
    fn sent_ids(&self) -> Vec<String> {
        let google = self.google();
        let messages = &google["accounts"]["ana@example.com"]["mailbox"]["messages"];
        let messages = messages.as_object().unwrap().iter();
        let sent = messages.filter(|(_, message)| {
            let labels = message["labels"].as_array().unwrap();
            labels.contains(&json!("SENT"))
        });
        // The local Google's id format.
        let id = |number: u64| format!("{:016x}", 0x19ab_0000_0000_0000 + number);
        sent.map(|(number, _)| id(number.parse().unwrap()))
            .collect()
    }

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
    let opens = |tab| {
        drop(
            office
                .page
                .eval(&format!("document.getElementById('tab-{tab}').click()")),
        )
    };
    let home = "document.getElementById('home').innerText";
    let at_home = |words| {
        drop(
            office
                .page
                .until(&format!("{home}.includes({})", json!(words))),
        )
    };
    opens("home");
    at_home("You haven't connected an account.");
    let consent = office.connects(&[]);
    at_home("Google: ana@example.com");
    opens("messages");
    let back = consent.eval("document.querySelector('main a').getAttribute('href')");
    assert_eq!(back, "/");
    let accounts = "document.getElementById('accounts').innerText";
    let connected = "Google connected (ana@example.com)";
    let page = &office.page;
    page.until(&format!("{accounts}.includes('{connected}')"));
    page.shows("Your Google account ana@example.com is connected, for reading and sorting mail");
    // In the future in every time zone, even if midnight passes.
    let today = jiff::Zoned::now().date();
    let monday = today.nth_weekday(2, jiff::civil::Weekday::Monday).unwrap();
    page.writes(&format!("plan my day for {monday}"));
    page.shows("Team meeting");
    office.presses("Approve");
    page.shows("Created");
    page.writes("reply to the Quarterly numbers mail: \"that works for me\"");
    office.presses("Approve");
    page.shows("Sent an e-mail reply to");
    assert_eq!(office.mails("SENT", "that works for me"), 1);
    let folder = office.cli.data().join("workspace/ana/mail/sent");
    let before = std::fs::read_dir(folder).unwrap().count();
    assert_eq!(before, 3, "the folder's mail isn't touched");
    opens("home");
    at_home("Google: ana@example.com");
    page.clicks("Disconnect Google, ana@example.com");
    at_home("You haven't connected an account.");
    opens("messages");
    drop(office.connects(&[]));
    page.writes("/alfred disconnect google");
    page.shows("The access has ended at Google too");
    assert_eq!(office.google()["oauth"]["grants"], json!({}));
    office.serving.kill().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_document_and_a_sheet_are_made_and_others_are_read_and_changed() {
    let office = Office::with_puppet().await;
    drop(office.connects(&[]));
    office.page.shows("documents, sheets");
    let text = "# Offsite plan\n\n- Find a room";
    let plan = json!({"title": "Offsite plan", "text": text});
    office.calls("docs_createDocument", &plan);
    office.page.shows("That is all.");
    let more = json!({"documentId": "Offsite plan", "text": "- Book the train"});
    office.calls("docs_appendToDocument", &more);
    office.page.shows("Add to a document");
    office.pictured("append");
    office.presses("Approve");
    office.answered(2);
    let written = office.file("Offsite plan").to_string();
    for line in ["Find a room", "Book the train"] {
        assert_eq!(written.matches(line).count(), 1, "{line}: {written}");
    }
    let header = json!({"title": "Offsite costs", "header": ["What", "Euro"]});
    office.calls("sheets_createSheet", &header);
    office.answered(3);
    let row = json!({"sheetId": "Offsite costs", "rows": [["Train", "99.5"]]});
    office.calls("sheets_appendRows", &row);
    office.page.shows("Add a row to a sheet");
    office.pictured("row");
    office.presses("Approve");
    office.answered(4);
    let written = office.file("Offsite costs").to_string();
    assert_eq!(written.matches("99.5").count(), 1, "{written}");
    let mail =
        json!({"to": ["ben@example.com"], "subject": "Offsite", "text": "The plan is ready."});
    office.calls("email_sendEmail", &mail);
    office.page.shows("Send an e-mail");
    office.pictured("mail");
    office.presses("Approve");
    office.answered(5);
    assert_eq!(office.mails("SENT", "The plan is ready."), 1);
    // Files that Alfred didn't make are read, and changed after another approval.
    assert_eq!(office.file("Offsite notes")["by_app"], false);
    office.calls("docs_readDocument", &json!({"documentId": "Offsite notes"}));
    office.answered(6);
    let more = json!({"documentId": "Offsite notes", "text": "Bring a map."});
    office.calls("docs_appendToDocument", &more);
    office.page.shows("Add to a document");
    office.presses("Approve");
    office.answered(7);
    let written = office.file("Offsite notes").to_string();
    assert_eq!(written.matches("Bring a map.").count(), 1, "{written}");
    office.serving.kill().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_draft_is_kept_in_the_words_that_its_owner_writes() {
    let office = Office::with_puppet().await;
    drop(office.connects(&[]));
    office.page.shows("reading and sorting mail");
    office.calls("email_analyzeTone", &json!({"mode": "recent"}));
    office.answered(1);
    let tone = json!({
        "formality": 4,
        "overallTone": ["warm", "brief"],
        "signaturePhrases": ["All the best"],
        "emailIds": office.sent_ids(),
    });
    office.calls("email_setTone", &tone);
    // The text is literally hers, so nothing is asked.
    office.answered(2);
    office.page.shows("Remembered how you write e-mails");
    office.pictured("tone");
    let draft = json!({
        "emailId": "Quarterly numbers",
        "action": "draft_reply",
        "replyText": "Hi,\n\non Monday they are yours.\n\n{phrase}\nAna",
    });
    office.calls("email_processEmail", &draft);
    office.answered(3);
    office.page.shows("Kept a draft to");
    office.pictured("draft");
    assert_eq!(office.mails("DRAFT", "on Monday they are yours."), 1);
    assert_eq!(office.mails("DRAFT", "All the best"), 1);
    office.presses("Undo");
    office.page.shows("Deleted 1 draft");
    assert_eq!(office.mails("DRAFT", "on Monday they are yours."), 0);
    office.serving.kill().await;
}
