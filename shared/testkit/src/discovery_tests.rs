use super::*;
use crate::wait::panic_message;

/// Checks a call that lists mails, with some of its fields changed. Returns what is wrong with it.
fn wrong(changed: &Value) -> String {
    let mut call = json!({
        "id": "gmail.users.messages.list",
        "verb": "GET",
        "path": "/gmail/v1/users/me/messages",
        "query": [],
        "status": 200,
        "answer": {"messages": [{"id": "1", "threadId": "1"}], "resultSizeEstimate": 1},
    });
    for (name, value) in changed.as_object().unwrap() {
        call[name] = value.clone();
    }
    let query: Vec<(String, String)> = serde_json::from_value(call["query"].clone()).unwrap();
    let call = ApiCall {
        id: call["id"].as_str().unwrap(),
        verb: call["verb"].as_str().unwrap(),
        path: call["path"].as_str().unwrap(),
        query: &query,
        body: &call["body"],
        status: serde_json::from_value(call["status"].clone()).unwrap(),
        answer: &call["answer"],
    };
    match std::panic::catch_unwind(|| Discovery::shared().check(&call)) {
        Ok(()) => "nothing".into(),
        Err(cause) => panic_message(&*cause).into(),
    }
}

#[test]
fn a_call_is_held_against_the_documents() {
    let subject = json!({"messages": [{"id": "1", "subject": "x"}]});
    let date = json!({"messages": [{"id": "1", "internalDate": 17}]});
    let labels = [["q", "is:unread"], ["labelIds", "A"], ["labelIds", "B"]];
    for (changed, expected) in [
        (json!({}), "nothing"),
        (json!({"query": labels}), "nothing"),
        (json!({"query": [["fields", "messages"]]}), "nothing"),
        (json!({"query": [["query", "x"]]}), "none of its parameters"),
        (json!({"query": [["q", "x"], ["q", "y"]]}), "stands twice"),
        (
            json!({"query": [["maxResults", "many"]]}),
            "maxResults=many",
        ),
        (
            json!({"query": [["userId", "me"]]}),
            "none of its parameters",
        ),
        (json!({"answer": subject}), "subject"),
        (json!({"answer": subject, "status": 404}), "nothing"),
        (json!({"answer": date}), "internalDate"),
        (json!({"body": {"q": 1}}), "no body"),
        (json!({"verb": "POST"}), "verb"),
        (json!({"path": "/gmail/v1/users/messages"}), "path"),
        (json!({"id": "gmail.users.list"}), "no such method"),
    ] {
        let wrong = wrong(&changed);
        assert!(wrong.contains(expected), "{changed}: {wrong}");
    }
}

#[test]
fn a_path_fits_its_template() {
    for (template, path, expected) in [
        (
            "calendars/{calendarId}/events",
            "/calendars/a%40b/events",
            true,
        ),
        (
            "documents/{documentId}:batchUpdate",
            "/documents/1:batchUpdate",
            true,
        ),
        ("documents/{documentId}:batchUpdate", "/documents/1", false),
        ("documents/{documentId}", "/documents/", false),
    ] {
        assert_eq!(fits(template, path), expected, "{template} {path}");
    }
}
