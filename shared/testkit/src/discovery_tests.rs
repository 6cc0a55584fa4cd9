use super::*;

fn wrong(call: ApiCall<'_>) -> String {
    let checked = std::panic::catch_unwind(|| Discovery::shared().check(&call));
    match checked {
        Ok(()) => String::new(),
        Err(panic) => panic.downcast_ref::<String>().unwrap().clone(),
    }
}

#[test]
fn a_call_is_held_against_the_documents() {
    let (none, query) = (Value::Null, Vec::new());
    let list = ApiCall {
        id: "gmail.users.messages.list",
        verb: "GET",
        path: "/gmail/v1/users/me/messages",
        query: &query,
        body: &none,
        status: 200,
        answer: &json!({"messages": [{"id": "1", "threadId": "1"}], "resultSizeEstimate": 1}),
    };
    assert_eq!(wrong(list), "");
    let pairs = |pairs: &[(&str, &str)]| -> Vec<(String, String)> {
        let owned = |&(name, value): &(&str, &str)| (name.to_owned(), value.to_owned());
        pairs.iter().map(owned).collect()
    };
    let queries: [(&[(&str, &str)], &str); 6] = [
        (
            &[("q", "is:unread"), ("labelIds", "A"), ("labelIds", "B")],
            "",
        ),
        (&[("fields", "messages")], ""),
        (&[("query", "x")], "none of its parameters"),
        (&[("q", "x"), ("q", "y")], "stands twice"),
        (&[("maxResults", "many")], "maxResults=many"),
        (&[("userId", "me")], "none of its parameters"),
    ];
    for (query, expected) in queries {
        let query = pairs(query);
        let said = wrong(ApiCall {
            query: &query,
            ..list
        });
        assert!(
            said.contains(expected) && said.is_empty() == expected.is_empty(),
            "{said}"
        );
    }
    let answer = json!({"messages": [{"id": "1", "subject": "x"}]});
    assert!(
        wrong(ApiCall {
            answer: &answer,
            ..list
        })
        .contains("subject")
    );
    assert_eq!(
        wrong(ApiCall {
            answer: &answer,
            status: 404,
            ..list
        }),
        ""
    );
    let answer = json!({"messages": [{"id": "1", "internalDate": 17}]});
    assert!(
        wrong(ApiCall {
            answer: &answer,
            ..list
        })
        .contains("internalDate")
    );
    assert!(
        wrong(ApiCall {
            body: &json!({"q": 1}),
            ..list
        })
        .contains("no body")
    );
    assert!(
        wrong(ApiCall {
            verb: "POST",
            ..list
        })
        .contains("verb")
    );
    assert!(
        wrong(ApiCall {
            path: "/gmail/v1/users/messages",
            ..list
        })
        .contains("path")
    );
    assert!(
        wrong(ApiCall {
            id: "gmail.users.list",
            ..list
        })
        .contains("no such method")
    );
}

#[test]
fn a_path_fits_its_template() {
    for (template, path, expected) in [
        (
            "calendar/v3/calendars/{calendarId}/events",
            "/calendar/v3/calendars/a%40b/events",
            true,
        ),
        (
            "v1/documents/{documentId}:batchUpdate",
            "/v1/documents/1:batchUpdate",
            true,
        ),
        (
            "v1/documents/{documentId}:batchUpdate",
            "/v1/documents/1",
            false,
        ),
        ("v1/documents/{documentId}", "/v1/documents/", false),
    ] {
        assert_eq!(fits(template, path), expected, "{template} {path}");
    }
}
