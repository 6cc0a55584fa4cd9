//! A first morning through the page's requests: plan the day, change one item, approve; triage mail, approve.

use alfred_slack_local::seed::{ANA, ANA_DM};
use alfred_testkit::{LIMIT, eventually};
use insta::assert_snapshot;
use serde_json::{Map, Value, json};
use std::fs;
use std::path::Path;

use crate::local::process::{Serving, alfred};

/// On a day far enough in the future that the clock doesn't matter.
const CALENDAR: &str = "BEGIN:VCALENDAR\r\nVERSION:2.0\r\nPRODID:-//example//EN\r\nBEGIN:VEVENT\r\nUID:board@example.com\r\nDTSTAMP:20300101T000000Z\r\nDTSTART;TZID=Europe/Lisbon:20310305T100000\r\nDTEND;TZID=Europe/Lisbon:20310305T110000\r\nSUMMARY:Board meeting\r\nEND:VEVENT\r\nEND:VCALENDAR\r\n";

/// File name, sender, subject, automation headers, text.
const MAILS: [(&str, &str, &str, &str, &str); 5] = [
    (
        "1",
        "Marta Reis <marta@legal.example>",
        "URGENT: contract expires",
        "",
        "Could you sign the contract by tomorrow?",
    ),
    (
        "2",
        "Ben Okafor <ben@example.com>",
        "Offsite",
        "",
        "Shall we go to Sintra?",
    ),
    (
        "3",
        "Ben Okafor <ben@example.com>",
        "Offsite rooms",
        "",
        "Which rooms do you want?",
    ),
    (
        "4",
        "Design Weekly <news@design.example>",
        "Issue 214",
        "List-Unsubscribe: <mailto:off@design.example>\r\n",
        "Chairs that last.",
    ),
    (
        "5",
        "Rail <noreply@rail.example>",
        "Your receipt",
        "Auto-Submitted: auto-generated\r\n",
        "Lisbon to Porto.",
    ),
];

fn workspace(root: &Path) {
    let inbox = root.join("mail/inbox");
    fs::create_dir_all(&inbox).unwrap();
    fs::write(root.join("calendar.ics"), CALENDAR).unwrap();
    for (name, from, subject, headers, text) in MAILS {
        let mail = format!(
            "From: {from}\r\nTo: Ana Marques <ana@example.com>\r\nSubject: {subject}\r\nDate: Mon, 0{name} Jun 2026 09:00:00 +0000\r\nMessage-ID: <{name}@mail.example>\r\n{headers}Content-Type: text/plain; charset=utf-8\r\n\r\n{text}\r\n"
        );
        fs::write(inbox.join(format!("{name}.eml")), mail).unwrap();
    }
}

struct Morning {
    serving: Serving,
    folder: tempfile::TempDir,
}

impl Morning {
    async fn begins() -> Self {
        let folder = crate::local::cli::folder();
        let own = folder.path().join("own");
        workspace(&own);
        let data = folder.path().join("data");
        let own = own.to_str().unwrap();
        let command = alfred(&data, &["serve", "--port", "0", "--workspace", own]);
        let serving = Serving::start(command, &data).await;
        Self { serving, folder }
    }

    async fn posted(&self) -> Vec<Value> {
        let page = format!("/client/messages?channel={ANA_DM}");
        let page = self.serving.get(&page).await;
        let mut messages = page["messages"].as_array().unwrap().clone();
        messages.retain(|message| message["bot_id"].is_string());
        messages
    }

    /// Waits for a matching message after the first `seen` ones.
    async fn sees(&self, seen: usize, what: &str, is: impl Fn(&Value) -> bool) -> Value {
        eventually(LIMIT, what, async || {
            let messages = self.posted().await;
            messages.into_iter().skip(seen).find(|message| is(message))
        })
        .await
    }

    async fn says(&self, text: &str) {
        let said = json!({"user": ANA, "text": text});
        assert_eq!(self.serving.post("/client/post", &said).await.status(), 200);
    }

    async fn clicks(&self, message: &Value, action: &str) {
        let click =
            json!({"user": ANA, "channel": ANA_DM, "ts": message["ts"], "action_id": action});
        assert_eq!(
            self.serving.post("/client/click", &click).await.status(),
            200
        );
    }

    async fn unticks_the_first(&self) {
        let view = eventually(LIMIT, "a modal with boxes", async || {
            let screen = self
                .serving
                .get(&format!("/client/screen?user={ANA}"))
                .await;
            let view = screen["views"].as_array().unwrap().last().cloned()?;
            boxes(&view).is_some().then_some(view)
        })
        .await;
        let (block, element) = boxes(&view).unwrap();
        let all = element["options"].as_array().unwrap();
        let kept: Vec<&Value> = all.iter().skip(1).map(|option| &option["value"]).collect();
        let mut values = Map::new();
        let id = element["action_id"].as_str().unwrap();
        values.insert(
            block["block_id"].as_str().unwrap().into(),
            json!({id: kept}),
        );
        let sent = json!({"user": ANA, "view_id": view["id"], "values": values});
        let answer = self.serving.post("/client/view/submit", &sent).await;
        assert_eq!(answer.status(), 200, "{}", answer.text().await.unwrap());
    }

    fn files(&self, folder: &str) -> Vec<String> {
        let path = self.folder.path().join("own/mail").join(folder);
        let Ok(entries) = fs::read_dir(path) else {
            return Vec::new();
        };
        let names = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap());
        let mut names: Vec<String> = names.filter(|name| name.ends_with(".eml")).collect();
        names.sort();
        names
    }
}

/// A modal's boxes and their block.
fn boxes(view: &Value) -> Option<(&Value, &Value)> {
    let blocks = view["view"]["blocks"]
        .as_array()
        .or(view["blocks"].as_array())?;
    blocks.iter().find_map(|block| {
        let element = &block["element"];
        (element["type"] == "checkboxes").then_some((block, element))
    })
}

fn has_button(message: &Value, action: &str) -> bool {
    message["blocks"]
        .to_string()
        .contains(&format!("\"{action}\""))
}

/// The visible text of a message, without times.
fn seen(message: &Value) -> String {
    let blocks = message["blocks"].as_array().cloned().unwrap_or_default();
    let text = message["text"].as_str().unwrap_or_default();
    without_moments(&alfred_tests::seen(text, &blocks))
}

/// Removes Slack's date markup, which differs between days.
fn without_moments(text: &str) -> String {
    let mut parts = text.split("<!date^");
    let mut steady = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        steady.push_str("<a moment>");
        steady.push_str(part.split_once('>').map_or("", |(_, rest)| rest));
    }
    steady
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_day_is_planned_changed_approved_and_shown() {
    let morning = Morning::begins().await;
    morning
        .says("add a task to write the quarterly report, 60 minutes, high priority")
        .await;
    morning
        .sees(0, "a task", |message| {
            seen(message).contains("✓ Created task")
        })
        .await;
    morning.says("plan my day for 2031-03-05").await;
    let asks = |message: &Value| has_button(message, "approval_approve");
    let card = morning.sees(1, "a card", asks).await;
    assert_snapshot!("plan_proposed", seen(&card));

    morning.clicks(&card, "approval_modify").await;
    morning.unticks_the_first().await;
    let changed = morning.sees(2, "a changed card", asks).await;
    assert_snapshot!("plan_changed", seen(&changed));

    morning.clicks(&changed, "approval_approve").await;
    let pictured = |message: &Value| message["blocks"].to_string().contains("\"image\"");
    let answer = morning.sees(2, "a picture", pictured).await;
    assert_snapshot!("plan_done", seen(&answer));

    let blocks = answer["blocks"].as_array().unwrap();
    let image = blocks
        .iter()
        .find(|block| block["type"] == "image")
        .unwrap();
    let id = image["slack_file"]["id"].as_str().unwrap();
    let file = morning
        .serving
        .bytes(&format!("/client/file?user={ANA}&file={id}"))
        .await;
    assert!(file.starts_with(b"\x89PNG"));
    let old = morning
        .posted()
        .await
        .into_iter()
        .find(|message| message["ts"] == card["ts"]);
    assert!(
        !asks(&old.unwrap()),
        "the first card can't be approved any more"
    );
    morning.serving.kill().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn mail_is_triaged_and_moves_when_that_is_approved() {
    let morning = Morning::begins().await;
    morning.says("triage my mail").await;
    let asks = |message: &Value| has_button(message, "approval_approve");
    let card = morning.sees(0, "a card", asks).await;
    assert_snapshot!("triage_proposed", seen(&card));
    assert_eq!(morning.files("archive"), [""; 0], "nothing before the yes");

    morning.clicks(&card, "approval_approve").await;
    let undoable = |message: &Value| has_button(message, "effect_undo_0");
    let answer = morning.sees(1, "a receipt", undoable).await;
    assert_snapshot!("triage_done", seen(&answer));
    assert_eq!(morning.files("archive"), ["4.eml", "5.eml"]);
    assert_eq!(morning.files("inbox"), ["1.eml", "2.eml", "3.eml"]);

    morning.clicks(&answer, "effect_undo_0").await;
    morning.sees(2, "it is undone", |_| true).await;
    assert_eq!(morning.files("archive"), [""; 0]);
    assert_eq!(morning.files("inbox").len(), 5);
    morning.serving.kill().await;
}
