use super::*;
use crate::wait::panic_message;

const LIST: &str = "GET gmail.users.messages.list /gmail/v1/users/me/messages";

/// Calls with what is wrong with them: verb, id, URL, body, answer, and the status if it isn't 200.
const CALLS: &str = r#"LIST null {"messages":[{"id":"1","threadId":"1"}]} -- nothing
LIST?q=is:unread&labelIds=A&labelIds=B&maxResults=7 null {} -- nothing
LIST?fields=messages null {} -- nothing
LIST?query=x null {} -- ('query' was unexpected)
LIST?q=x&q=y null {} -- /query/q:
LIST?maxResults=many null {} -- /query/maxResults/0:
LIST?userId=me null {} -- ('userId' was unexpected)
LIST null {"messages":[{"subject":"x"}]} -- ('subject' was unexpected)
LIST null {"messages":[{"subject":"x"}]} 404 -- nothing
LIST null {"messages":[{"internalDate":17}]} -- /internalDate:
LIST {"q":1} {} -- /body:
POST gmail.users.messages.list /gmail/v1/users/me/messages null {} -- /verb:
GET gmail.users.messages.list /gmail/v1/users/messages null {} -- /path:
GET gmail.users.messages.list /gmail/v1/users//messages null {} -- /path:
GET gmail.users.list /gmail/v1/users null {} -- no such method
POST docs.documents.batchUpdate /v1/documents/a%40b:batchUpdate {} {} -- nothing
POST docs.documents.batchUpdate /v1/documents/1 {} {} -- /path:
POST calendar.events.quickAdd /calendar/v3/calendars/1/events/quickAdd?text=Tea null {} -- nothing
POST calendar.events.quickAdd /calendar/v3/calendars/1/events/quickAdd null {} -- "text" is a required property
POST calendar.events.insert /calendar/v3/calendars/1/events?conferenceDataVersion=1 {} {} -- nothing
POST calendar.events.insert /calendar/v3/calendars/1/events?conferenceDataVersion=2 {} {} -- /conferenceDataVersion/0:
PATCH calendar.events.patch /calendar/v3/calendars/1/events/2 {"location":null} {} -- nothing"#;

fn wrong(call: &str) -> String {
    let call = call.replace("LIST", LIST);
    let words: Vec<&str> = call.split(' ').collect();
    let (path, query) = words[2].split_once('?').unwrap_or((words[2], ""));
    let pairs = query.split('&').filter_map(|pair| pair.split_once('='));
    let query: Vec<(String, String)> = pairs
        .map(|(name, value)| (name.into(), value.into()))
        .collect();
    let json = |text: &str| serde_json::from_str::<Value>(text).unwrap();
    let call = ApiCall {
        id: words[1],
        verb: words[0],
        path,
        query: &query,
        body: &json(words[3]),
        status: words.get(5).map_or(200, |status| status.parse().unwrap()),
        answer: &json(words[4]),
    };
    match std::panic::catch_unwind(|| Discovery::shared().check(&call)) {
        Ok(()) => "nothing".into(),
        Err(cause) => panic_message(&*cause).into(),
    }
}

#[test]
fn a_call_is_held_against_the_documents() {
    for line in CALLS.lines() {
        let (call, expected) = line.split_once(" -- ").unwrap();
        let wrong = wrong(call);
        assert!(wrong.contains(expected), "{call}: {wrong}");
    }
}
