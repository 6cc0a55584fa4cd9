//! Pictures: which of them a message may show, and who sees them then.

use alfred_slack_local::Options;
use alfred_slack_local::seed::{ANA, BEN, CHIYO, GENERAL, LEADERS};
use serde_json::{Value, json};

use crate::support::{call, client, form, picture, png, send, served, uploaded};

async fn show(channel: &str, running: &alfred_slack_local::Running, block: Value) -> Value {
    let post = json!({"channel": channel, "text": "Your day", "blocks": [block]});
    call(running, "chat.postMessage", post).await
}

#[tokio::test]
async fn only_a_picture_whose_processing_was_looked_at_is_shown() {
    let options = Options {
        file_looks: 1,
        ..Options::default()
    };
    let (running, _) = served(options).await;
    let info = async |id: &str| form(&running, "files.info", &[("file", id)]).await;
    let (day, text) = (
        uploaded(&running, png(1200, 700)).await,
        uploaded(&running, b"no picture".to_vec()).await,
    );
    for mimetype in ["", "image/png"] {
        let early = show(GENERAL, &running, picture(&day)).await;
        assert_eq!(early["error"], "invalid_blocks");
        assert_eq!(info(&day).await["file"]["mimetype"], mimetype);
        info(&text).await;
    }
    let label = json!({"type": "plain_text", "text": "x"});
    let accessory = |id: &str| json!({"type": "section", "text": label, "accessory": picture(id)});
    let context = |id: &str| json!({"type": "context", "elements": [picture(id)]});
    for wrong in ["F0", &text] {
        for (block, at) in [
            (picture(wrong), "/blocks/0/slack_file"),
            (accessory(wrong), "/blocks/0/accessory/slack_file"),
            (context(wrong), "/blocks/0/elements/0/slack_file"),
        ] {
            let refused = show(GENERAL, &running, block).await;
            let why = format!("invalid slack file [json-pointer:{at}]");
            assert_eq!(refused["response_metadata"]["messages"], json!([why]));
        }
    }
    for block in [picture(&day), accessory(&day), context(&day)] {
        let shown = show(GENERAL, &running, block).await;
        assert!(
            shown.to_string().contains("\"image_width\":1200"),
            "{shown}"
        );
    }
}

#[tokio::test]
async fn a_picture_is_visible_where_its_message_is() {
    let (running, _) = served(Options::default()).await;
    let id = uploaded(&running, png(3, 2)).await;
    form(&running, "files.info", &[("file", &id)]).await;
    let seen = || [ANA, BEN, CHIYO].map(|user| running.slack.file(user, &id).is_ok());
    assert_eq!(seen(), [false, false, false]);
    let posted = show(LEADERS, &running, picture(&id)).await;
    assert_eq!(seen(), [true, true, false]);
    let bare = json!({"channel": LEADERS, "ts": posted["ts"], "text": "later", "blocks": []});
    call(&running, "chat.update", bare).await;
    assert_eq!(seen(), [false, false, false]);
    let whisper = json!({"channel": GENERAL, "user": CHIYO, "text": "x", "blocks": [picture(&id)]});
    call(&running, "chat.postEphemeral", whisper).await;
    assert_eq!(seen(), [false, false, true]);
}

#[tokio::test]
async fn a_page_gets_a_picture_that_runs_nothing() {
    let (running, _) = served(Options::default()).await;
    let id = uploaded(&running, png(3, 2)).await;
    form(&running, "files.info", &[("file", &id)]).await;
    show(LEADERS, &running, picture(&id)).await;
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}/client/file", listener.local_addr().unwrap());
    let routes = running.slack.person_routes();
    tokio::spawn(async move { axum::serve(listener, routes).await.unwrap() });
    let id = id.as_str();
    let fetch = |user| send(client().get(&url).query(&[("user", user), ("file", id)]));
    assert_eq!(fetch(CHIYO).await.status(), 404);
    let shown = fetch(ANA).await;
    for (name, value) in [
        ("content-type", "image/png"),
        ("content-security-policy", "default-src 'none'; sandbox"),
    ] {
        assert_eq!(shown.headers()[name], value);
    }
    assert_eq!(shown.bytes().await.unwrap(), png(3, 2));
}
