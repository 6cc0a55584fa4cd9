//! The local Gmail refuses what Gmail refuses, and what it answers beyond the client's use is as described too.

use alfred_google_local::scope;
use reqwest::{Client, Method};
use serde_json::{Value, json};

use crate::google::mail::{ANA, Gmail, plain};

const WITH_FILE: &str = "From: ben@example.com\r\nTo: ana@example.com\r\nSubject: Numbers\r\nMIME-Version: 1.0\r\n\
    Content-Type: multipart/mixed; boundary=b\r\n\r\n--b\r\nContent-Type: text/plain\r\n\r\nHere & there.\r\n\
    --b\r\nContent-Type: text/csv; name=n.csv\r\nContent-Disposition: attachment; filename=n.csv\r\n\r\n1,2\r\n--b--\r\n";

struct Caller<'g> {
    gmail: &'g Gmail,
    token: String,
}

impl Caller<'_> {
    async fn call(&self, verb: Method, path: &str, body: Value) -> (u16, Value) {
        let url = format!("{}/gmail/v1/users/{path}", self.gmail.running.url);
        let mut request = Client::new().request(verb, url).bearer_auth(&self.token);
        if !body.is_null() {
            request = request.json(&body);
        }
        let response = request.send().await.unwrap();
        let status = response.status().as_u16();
        let text = response.text().await.unwrap();
        (status, serde_json::from_str(&text).unwrap_or_default())
    }

    async fn get(&self, path: &str) -> (u16, Value) {
        self.call(Method::GET, path, Value::Null).await
    }
}

fn caller<'g>(gmail: &'g Gmail, scopes: &[&str]) -> Caller<'g> {
    let token = gmail.google().access_token(ANA, scopes);
    Caller { gmail, token }
}

#[tokio::test]
async fn what_gmail_refuses_is_refused() {
    let gmail = Gmail::new().await;
    let id = gmail.arrive("one", "2026-11-20T08:00:01Z");
    gmail.arrive("two", "2026-11-20T08:00:02Z");
    let all = caller(&gmail, &scope::ALL);
    let (_, first) = all.get("me/messages?maxResults=1").await;
    let token = first["nextPageToken"].as_str().unwrap();
    for (path, expected) in [
        (format!("me/messages?maxResults=1&pageToken={token}"), 200),
        (format!("me/messages?q=one&pageToken={token}"), 400),
        ("me/messages?pageToken=abc".into(), 400),
        ("me/messages?labelIds=Label_99".into(), 400),
        ("me/messages?q=size%3A5".into(), 400),
        ("me/messages?maxResults=501".into(), 400),
        ("me/messages/nothing".into(), 400),
        ("me/messages/19ab00000000ffff".into(), 404),
        (format!("ben@example.com/messages/{id}"), 403),
        (format!("{ANA}/messages/{id}"), 200),
        ("me/history".into(), 400),
        ("me/history?startHistoryId=999999".into(), 404),
        ("me/drafts/r1".into(), 404),
    ] {
        assert_eq!(all.get(&path).await.0, expected, "{path}");
    }
    let modify = format!("me/messages/{id}/modify");
    for (path, body, expected) in [
        (modify.as_str(), json!({"addLabelIds": ["Label_99"]}), 400),
        (&modify, json!({"removeLabelIds": ["SENT"]}), 400),
        (&modify, json!({}), 400),
        (
            "me/messages/batchModify",
            json!({"ids": [], "addLabelIds": ["STARRED"]}),
            400,
        ),
        (
            "me/messages/batchModify",
            json!({"ids": [id], "addLabelIds": ["STARRED"]}),
            204,
        ),
        ("me/labels", json!({"name": "Plans"}), 200),
        ("me/labels", json!({"name": "plans"}), 409),
        ("me/drafts", json!({"message": {}}), 400),
        (
            "me/drafts",
            json!({"message": {"raw": "eA==", "threadId": "19ab00000000ffff"}}),
            404,
        ),
        ("me/drafts/send", json!({"id": "r1"}), 404),
    ] {
        let (status, said) = all.call(Method::POST, path, body.clone()).await;
        assert_eq!(status, expected, "{path} {body}: {said}");
    }
    // Drafts alone are no leave to read.
    let drafts = caller(&gmail, &[scope::GMAIL_COMPOSE]);
    assert_eq!(drafts.get("me/messages").await.0, 403);
    assert_eq!(drafts.get("me/drafts").await.0, 200);
}

#[tokio::test]
async fn a_message_is_told_in_each_format() {
    let gmail = Gmail::new().await;
    let at = "2026-11-20T08:00:01Z".parse().unwrap();
    let id = gmail.mailbox(|mailbox| mailbox.deliver(WITH_FILE.as_bytes(), &["INBOX"], at));
    gmail.mailbox(|mailbox| mailbox.deliver(&plain("Other"), &["SPAM"], at));
    let all = caller(&gmail, &scope::ALL);
    let (_, full) = all.get(&format!("me/messages/{id}")).await;
    assert_eq!(full["snippet"], "Here &amp; there.");
    let parts = &full["payload"]["parts"];
    assert_eq!(
        (&parts[0]["mimeType"], &parts[1]["filename"]),
        (&json!("text/plain"), &json!("n.csv"))
    );
    let file = parts[1]["body"]["attachmentId"].as_str().unwrap();
    let (_, file) = all
        .get(&format!("me/messages/{id}/attachments/{file}"))
        .await;
    assert_eq!(file["data"], "MSwy");
    let (_, head) = all
        .get(&format!(
            "me/messages/{id}?format=metadata&metadataHeaders=subject"
        ))
        .await;
    assert_eq!(
        head["payload"]["headers"],
        json!([{"name": "Subject", "value": "Numbers"}])
    );
    let (_, thread) = all.get(&format!("me/threads/{id}?format=minimal")).await;
    assert_eq!(thread["messages"][0]["id"], json!(id));
    // Spam is nowhere unless it is asked for.
    for (q, expected) in [
        ("", 1),
        ("in:spam", 1),
        ("in:anywhere", 2),
        ("has:attachment", 1),
    ] {
        let (_, found) = all.get(&format!("me/messages?q={q}")).await;
        assert_eq!(found["messages"].as_array().unwrap().len(), expected, "{q}");
    }
}
