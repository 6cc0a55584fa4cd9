//! Copies, answers and notices.

use alfred_google_local::calendar::Told;
use reqwest::Method;
use serde_json::json;

use super::{ANA, BEN, EVENTS, OUT, World, ask, event, reason};

#[tokio::test]
async fn guests_have_copies_and_say_only_their_own() {
    let world = World::new().await;
    let guests = json!([{"email": BEN}, {"email": OUT}]);
    let (_, made) = world
        .insert(event(json!({"id": "lunch", "attendees": guests})))
        .await;
    assert_eq!(made["organizer"]["self"], true);
    let at = format!("{EVENTS}/lunch");
    let (_, copy) = world.get(BEN, &at).await;
    assert_eq!(copy["organizer"]["email"], ANA);
    assert_eq!(copy["attendees"][0]["self"], true);
    let moved = json!({"start": {"dateTime": "2026-11-27T11:00:00Z"}});
    let (status, refused) = world.patch(BEN, "lunch", moved).await;
    assert_eq!(
        (status, reason(&refused)),
        (403, "forbiddenForNonOrganizer")
    );
    let yes = json!({"email": BEN, "responseStatus": "accepted", "comment": "Hungry"});
    let (status, _) = world.patch(BEN, "lunch", json!({"attendees": [yes]})).await;
    assert_eq!(status, 403);
    let own = json!({"attendeesOmitted": true, "attendees": [yes], "transparency": "transparent"});
    let (status, said) = world.patch(BEN, "lunch", own).await;
    assert_eq!(
        (status, &said["transparency"]),
        (200, &json!("transparent"))
    );
    let (_, anas) = world.get(ANA, &at).await;
    let answers: Vec<_> = anas["attendees"]
        .as_array()
        .unwrap()
        .iter()
        .map(|one| &one["responseStatus"])
        .collect();
    assert_eq!(answers, ["accepted", "needsAction"]);
    assert_eq!(anas["attendees"][0]["comment"], "Hungry");
    assert_eq!(anas.get("transparency"), None);
    assert_eq!(world.told(BEN), [(ANA.to_owned(), Told::Answered)]);
    let (_, copy) = world
        .patch(ANA, "lunch", json!({"location": "Room 2"}))
        .await;
    assert_eq!(copy["location"], "Room 2");
    let (_, copy) = world.get(BEN, &at).await;
    assert_eq!(
        (&copy["location"], &copy["transparency"]),
        (&json!("Room 2"), &json!("transparent"))
    );
    assert_eq!(world.delete(BEN, "lunch").await, 204);
    let (_, anas) = world.get(ANA, &at).await;
    assert_eq!(anas["status"], "confirmed");
    assert_eq!(anas["attendees"][0]["responseStatus"], "declined");
}

#[tokio::test]
async fn send_updates_says_who_hears_of_it() {
    for (how, expected) in [
        ("all", vec![BEN, OUT]),
        ("externalOnly", vec![OUT]),
        ("none", vec![]),
    ] {
        let world = World::new().await;
        let guests = json!([{"email": BEN}, {"email": OUT}, {"email": ANA}]);
        let mut insert = ask(ANA, Method::POST, format!("{EVENTS}?sendUpdates={how}"));
        insert.body = event(json!({"id": "lunch", "attendees": guests}));
        assert_eq!(world.call(insert).await.0, 200);
        let path = format!("{EVENTS}/lunch?sendUpdates={how}");
        assert_eq!(world.call(ask(ANA, Method::DELETE, path)).await.0, 204);
        let told = [Told::Invited, Told::Cancelled].into_iter();
        let told = told.flat_map(|told| expected.iter().map(move |&to| (to.to_owned(), told)));
        assert_eq!(world.told(ANA), told.collect::<Vec<_>>(), "{how}");
    }
    let world = World::new().await;
    let mut insert = ask(ANA, Method::POST, format!("{EVENTS}?sendUpdates=some"));
    insert.body = event(json!({}));
    assert_eq!(world.call(insert).await.0, 400);
}
