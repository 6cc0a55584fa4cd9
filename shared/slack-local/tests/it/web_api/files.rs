//! Pictures: an address, the bytes, the end of the upload, and who names and sees the file then.

use alfred_slack_local::seed::{ANA, ANA_DM, BEN, BEN_DM, CHIYO, GENERAL, LEADERS};
use alfred_slack_local::{FILE_BYTES, Fault, Options, Running, UPLOAD};
use serde_json::{Value, json};

use crate::web_api::error;
use crate::web_api::support::{
    App, call, client, expect, form, picture, png, send, served, soon, uploaded,
};

const URL: &str = "files.getUploadURLExternal";
const COMPLETE: &str = "files.completeUploadExternal";

async fn complete(running: &Running, id: &str) -> Value {
    let files = json!({"files": [{"id": id, "title": "Saturday"}]});
    call(running, COMPLETE, files).await
}

async fn info(running: &Running, id: &str) -> Value {
    form(running, "files.info", &[("file", id)]).await
}

async fn show(running: &Running, channel: &str, id: &str) -> Value {
    let post = json!({"channel": channel, "text": "Your day", "blocks": [picture(id)]});
    call(running, "chat.postMessage", post).await
}

#[tokio::test]
async fn a_picture_goes_all_the_way() {
    let (running, _) = served(Options::default()).await;
    let bytes = png(1200, 700);
    let (address, id) = expect(&running, bytes.len()).await;
    assert!(address.starts_with(&running.url), "{address}");
    assert_eq!(info(&running, &id).await["error"], "file_not_found");
    let (status, said) = send(&address, bytes.clone()).await;
    assert_eq!((status, said.as_str()), (200, "OK - 29"));
    assert_eq!(info(&running, &id).await["error"], "file_not_found");
    let done = complete(&running, &id).await;
    assert_eq!(done["files"], json!([{"id": id, "title": "Saturday"}]));
    // Nobody has looked, so nobody can know that it is ready.
    assert_eq!(
        show(&running, GENERAL, &id).await["error"],
        "invalid_blocks"
    );
    let file = info(&running, &id).await["file"].clone();
    assert_eq!(file["mimetype"], "image/png");
    assert_eq!(file["title"], "Saturday");
    assert_eq!(file["alt_txt"], "A day");
    assert_eq!(file["original_w"], 1200);
    assert_eq!(file["original_h"], 700);
    assert_eq!(file["size"], 29);
    let posted = show(&running, GENERAL, &id).await;
    let block = &posted["message"]["blocks"][0];
    assert_eq!(block["image_width"], 1200, "{posted}");
    assert_eq!(block["image_height"], 700, "{posted}");
    show(&running, LEADERS, &id).await;
    show(&running, ANA_DM, &id).await;
    let file = info(&running, &id).await["file"].clone();
    assert_eq!(file["channels"], json!([GENERAL]));
    assert_eq!(file["groups"], json!([LEADERS]));
    assert_eq!(file["ims"], json!([ANA_DM]));
    assert_eq!(running.slack.file(ANA, &id).unwrap().png, bytes);
}

#[tokio::test]
async fn an_address_is_refused_with_slacks_codes() {
    let (running, _) = served(Options::default()).await;
    let cases = [
        (json!({"length": 1}), "invalid_arguments"),
        (json!({"filename": "", "length": 1}), "invalid_arguments"),
        (json!({"filename": "a.png"}), "invalid_arguments"),
        (
            json!({"filename": "a.png", "length": "many"}),
            "invalid_arguments",
        ),
        (
            json!({"filename": "a.png", "length": -1}),
            "invalid_arguments",
        ),
        (
            json!({"filename": "a.png", "length": 0}),
            "missing_argument",
        ),
        (
            json!({"filename": "a.png", "length": 1, "alt_txt": "é".repeat(1_001)}),
            "alt_txt_too_large",
        ),
        (
            json!({"filename": "a.png", "length": FILE_BYTES + 1}),
            "file_upload_size_restricted",
        ),
        (
            json!({"filename": "a.rs", "length": 1, "snippet_type": "rust"}),
            "invalid_arguments",
        ),
    ];
    for (arguments, code) in cases {
        assert_eq!(error(&running, URL, arguments).await, code);
    }
    let most = "é".repeat(1_000);
    let length = FILE_BYTES.to_string();
    let fields = [
        ("filename", "a.png"),
        ("length", &length),
        ("alt_txt", &most),
    ];
    assert_eq!(form(&running, URL, &fields).await["ok"], true);
}

#[tokio::test]
async fn an_address_takes_its_bytes_once_and_no_token() {
    let (running, _) = served(Options::default()).await;
    let bytes = png(3, 2);
    let (address, id) = expect(&running, bytes.len()).await;
    assert_eq!(send(&address, bytes[1..].to_vec()).await.0, 400);
    let tokened = client().post(&address).bearer_auth("xoxb-local");
    let tokened = soon(tokened.body(bytes.clone()).send()).await.unwrap();
    assert_eq!(tokened.status(), 400);
    assert_eq!(tokened.text().await.unwrap(), "unwanted_token");
    assert_eq!(complete(&running, &id).await["error"], "file_not_found");
    assert_eq!(send(&address, bytes.clone()).await.0, 200);
    assert_eq!(send(&address, bytes).await.0, 404);
    let astray = format!("{}/upload/v1/0", running.url);
    assert_eq!(send(&astray, vec![0]).await.0, 404);
    let most = usize::try_from(FILE_BYTES).unwrap();
    let (address, _) = expect(&running, most).await;
    assert_eq!(send(&address, vec![0; most + 1]).await.0, 413);
    assert_eq!(send(&address, vec![0; most]).await.0, 200);
}

#[tokio::test]
async fn an_upload_is_finished_once_and_for_all_files_or_none() {
    let (running, _) = served(Options::default()).await;
    let bytes = png(3, 2);
    let (address, id) = expect(&running, bytes.len()).await;
    send(&address, bytes).await;
    for (arguments, code) in [
        (json!({}), "invalid_arguments"),
        (json!({"files": []}), "invalid_arguments"),
        (json!({"files": "F1"}), "invalid_arguments"),
        (json!({"files": ["F1"]}), "invalid_arguments"),
        (
            json!({"files": [{"id": id, "title": 1}]}),
            "invalid_arguments",
        ),
        (json!({"files": [{"id": "F0"}]}), "file_not_found"),
        (
            json!({"files": [{"id": id}, {"id": "F0"}]}),
            "file_not_found",
        ),
        (
            json!({"files": [{"id": id}], "channel_id": GENERAL}),
            "invalid_arguments",
        ),
    ] {
        assert_eq!(error(&running, COMPLETE, arguments).await, code);
        assert_eq!(info(&running, &id).await["error"], "file_not_found");
    }
    let files = json!([{"id": id}]).to_string();
    let done = form(&running, COMPLETE, &[("files", &files)]).await;
    assert_eq!(done["files"][0]["title"], "day.png");
    assert_eq!(complete(&running, &id).await["error"], "file_not_found");
}

#[tokio::test]
async fn processing_takes_as_many_looks_as_it_is_told() {
    let options = Options {
        file_looks: 2,
        ..Options::default()
    };
    let (running, _) = served(options).await;
    let bytes = png(3, 2);
    let (address, id) = expect(&running, bytes.len()).await;
    send(&address, bytes).await;
    complete(&running, &id).await;
    for _ in 0..2 {
        assert_eq!(info(&running, &id).await["file"]["mimetype"], "");
        let refused = show(&running, GENERAL, &id).await;
        assert_eq!(refused["error"], "invalid_blocks");
        assert_eq!(
            refused["response_metadata"]["messages"][0],
            "invalid slack file [json-pointer:/blocks/0/slack_file]"
        );
    }
    assert_eq!(info(&running, &id).await["file"]["mimetype"], "image/png");
    assert_eq!(show(&running, GENERAL, &id).await["ok"], true);
}

#[tokio::test]
async fn only_pictures_that_are_there_are_shown() {
    let (running, _) = served(Options::default()).await;
    let id = uploaded(&running, png(3, 2)).await;
    let text = uploaded(&running, b"no picture".to_vec()).await;
    let accessory = |id: &str| json!({"type": "section", "text": {"type": "plain_text", "text": "x"}, "accessory": picture(id)});
    let context = |id: &str| json!({"type": "context", "elements": [picture(id)]});
    for wrong in ["F0", &text] {
        for (block, at) in [
            (picture(wrong), "/blocks/0/slack_file"),
            (accessory(wrong), "/blocks/0/accessory/slack_file"),
            (context(wrong), "/blocks/0/elements/0/slack_file"),
        ] {
            let post = json!({"channel": GENERAL, "text": "x", "blocks": [block]});
            let refused = call(&running, "chat.postMessage", post).await;
            assert_eq!(refused["error"], "invalid_blocks");
            let why = refused["response_metadata"]["messages"][0]
                .as_str()
                .unwrap();
            assert!(why.contains(at), "{why}");
        }
    }
    let blocks = [picture(&id), accessory(&id), context(&id)];
    let post = json!({"channel": GENERAL, "text": "x", "blocks": blocks});
    let posted = call(&running, "chat.postMessage", post).await;
    assert_eq!(
        posted["message"]["blocks"][2]["elements"][0]["image_width"],
        3
    );
    assert_eq!(running.slack.messages(GENERAL, 9).unwrap().len(), 1);
    let whisper = json!({"channel": GENERAL, "user": ANA, "text": "x", "blocks": [picture("F0")]});
    assert_eq!(
        error(&running, "chat.postEphemeral", whisper).await,
        "invalid_blocks"
    );
    let update =
        json!({"channel": GENERAL, "ts": posted["ts"], "text": "x", "blocks": [picture("F0")]});
    assert_eq!(
        error(&running, "chat.update", update).await,
        "invalid_blocks"
    );
}

#[tokio::test]
async fn who_does_not_see_a_message_does_not_see_its_picture() {
    let (running, _) = served(Options::default()).await;
    let slack = &running.slack;
    let id = uploaded(&running, png(3, 2)).await;
    let sees = |user: &str| match slack.file(user, &id) {
        Ok(_) => true,
        Err(error) => {
            assert_eq!(error.to_string(), "file_not_found");
            false
        }
    };
    assert_eq!([ANA, BEN, CHIYO].map(sees), [false, false, false]);
    let posted = show(&running, LEADERS, &id).await;
    assert_eq!([ANA, BEN, CHIYO].map(sees), [true, true, false]);
    let bare = json!({"channel": LEADERS, "ts": posted["ts"], "text": "later", "blocks": []});
    call(&running, "chat.update", bare).await;
    assert_eq!([ANA, BEN, CHIYO].map(sees), [false, false, false]);
    let posted = show(&running, BEN_DM, &id).await;
    assert_eq!([ANA, BEN, CHIYO].map(sees), [false, true, false]);
    let bare = json!({"channel": BEN_DM, "ts": posted["ts"], "text": "later", "blocks": []});
    call(&running, "chat.update", bare).await;
    assert_eq!([ANA, BEN, CHIYO].map(sees), [false, false, false]);
    let whisper = json!({"channel": GENERAL, "user": CHIYO, "text": "x", "blocks": [picture(&id)]});
    call(&running, "chat.postEphemeral", whisper).await;
    assert_eq!([ANA, BEN, CHIYO].map(sees), [false, false, true]);
    assert!(slack.file("U0X", &id).is_err());
    assert!(slack.file(CHIYO, "F0").is_err());
}

#[tokio::test]
async fn a_views_picture_is_seen_by_who_has_it_open() {
    let mut app = App::start().await;
    let options = Options {
        request_url: app.url(),
        ..Options::default()
    };
    let (running, _) = served(options).await;
    let slack = &running.slack;
    let id = uploaded(&running, png(3, 2)).await;
    slack.command(BEN, BEN_DM, "/alfred", "").await.unwrap();
    let trigger = app.next().await.form()["trigger_id"].clone();
    let view = |id: &str| {
        let title = json!({"type": "plain_text", "text": "Your day"});
        json!({"type": "modal", "title": title, "blocks": [picture(id)]})
    };
    let wrong = json!({"trigger_id": trigger, "view": view("F0")});
    let refused = call(&running, "views.open", wrong).await;
    assert_eq!(refused["error"], "invalid_arguments", "{refused}");
    let right = json!({"trigger_id": trigger, "view": view(&id)});
    let opened = call(&running, "views.open", right).await;
    assert!(slack.file(BEN, &id).is_ok());
    assert!(slack.file(ANA, &id).is_err());
    let view = opened["view"]["id"].as_str().unwrap();
    slack.close_view(BEN, view).unwrap();
    assert!(slack.file(BEN, &id).is_err());
}

#[tokio::test]
async fn a_file_outlives_the_process() {
    let folder = tempfile::tempdir().unwrap();
    let options = || Options {
        path: Some(folder.path().join("slack.db")),
        ..Options::default()
    };
    let bytes = png(3, 2);
    let id = {
        let (running, _) = served(options()).await;
        let id = uploaded(&running, bytes.clone()).await;
        show(&running, ANA_DM, &id).await;
        id
    };
    let (running, _) = served(options()).await;
    assert_eq!(running.slack.file(ANA, &id).unwrap().png, bytes);
    assert!(running.slack.file(BEN, &id).is_err());
    assert_eq!(info(&running, &id).await["file"]["mimetype"], "image/png");
}

#[tokio::test]
async fn sending_the_bytes_fails_on_demand() {
    let (running, _) = served(Options::default()).await;
    let slack = &running.slack;
    let bytes = png(3, 2);
    let (address, id) = expect(&running, bytes.len()).await;
    slack.fail_next(UPLOAD, 1, Fault::RateLimited { seconds: 7 });
    let limited = soon(client().post(&address).body(bytes.clone()).send());
    let limited = limited.await.unwrap();
    assert_eq!(
        (limited.status().as_u16(), &limited.headers()["retry-after"]),
        (429, &"7".parse().unwrap())
    );
    slack.fail_next(UPLOAD, 1, Fault::Status { status: 503 });
    assert_eq!(send(&address, bytes.clone()).await.0, 503);
    let code = "file_type_not_allowed".to_owned();
    slack.fail_next(UPLOAD, 1, Fault::Error { code });
    let refused = send(&address, bytes.clone()).await;
    assert_eq!(refused, (400, "file_type_not_allowed".to_owned()));
    slack.fail_next(UPLOAD, 1, Fault::DropBefore);
    let lost = client().post(&address).body(bytes.clone()).send();
    assert!(lost.await.unwrap_err().is_request());
    assert_eq!(complete(&running, &id).await["error"], "file_not_found");
    slack.fail_next(UPLOAD, 1, Fault::DropAfter);
    let lost = client().post(&address).body(bytes).send();
    assert!(lost.await.unwrap_err().is_request());
    assert_eq!(complete(&running, &id).await["ok"], true);
    assert_eq!(slack.call_counts()[UPLOAD], 5);
}
