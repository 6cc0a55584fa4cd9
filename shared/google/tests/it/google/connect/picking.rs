//! Selecting further files in Google's file picker.

use alfred_accounts::oauth::ConsentError;
use alfred_core::ports::{AccountService, Connect, Provider};
use alfred_google_local::drive::{Content, File};
use reqwest::Url;
use std::collections::BTreeMap;

use super::{ANA, EVERYTHING, World};
use crate::google::support::account;

#[tokio::test]
async fn files_are_picked_by_a_link_of_their_own_and_leave_the_consent() {
    let world = World::new().await;
    world.connect(&EVERYTHING, ANA, &[]).await.unwrap();
    let before = world.connections.connections(&account()).await.unwrap();
    let now = "2026-11-20T08:00:00Z".parse().unwrap();
    for (email, id) in [
        (ANA, "doc-1"),
        (ANA, "doc-2"),
        ("ana@home.example", "doc-3"),
    ] {
        let mut file = File::new("Plans", Content::Document(Default::default()), now);
        file.open = false;
        let put = |account: &mut alfred_google_local::Account| account.drive.put(id, file);
        world.google().with_account(email, put).unwrap();
    }
    let is_open = |email: &str, id: &str| {
        let open =
            |account: &mut alfred_google_local::Account| account.drive.file(id).unwrap().open;
        world.google().with_account(email, open).unwrap()
    };
    let pick = || async {
        let link = world.connections.pick(&account(), Provider::Google).await;
        link.unwrap()
    };
    let link = pick().await;
    assert!(link.contains("login_hint=ana%40example.com"), "{link}");
    let back = world.google().pick(&link, ANA, &["doc-1", "doc-3"]);
    let back = Url::parse(&back.unwrap()).unwrap();
    let back: BTreeMap<String, String> = back.query_pairs().into_owned().collect();
    assert_eq!(back["picked_file_ids"], "doc-1");
    let (state, code) = (&back["state"], &back["code"]);
    let arriving = world.connections.arriving(state).await.unwrap();
    assert!(arriving.picked);
    assert_eq!(world.connections.picked(state, code).await, Ok(()));
    let again = world.connections.picked(state, code).await;
    assert_eq!(again, Err(ConsentError::Used));
    let open = [
        (ANA, "doc-1"),
        (ANA, "doc-2"),
        ("ana@home.example", "doc-3"),
    ];
    assert_eq!(
        open.map(|(email, id)| is_open(email, id)),
        [true, false, false]
    );
    let there = world.connections.connections(&account()).await.unwrap();
    assert_eq!(there, before);
    assert!(world.access(AccountService::Mail).await.is_ok());
    // Google picks with no other scope along.
    let more = pick().await.replace("drive.file", "drive.file+openid");
    let refused = world.google().pick(&more, ANA, &["doc-2"]).unwrap_err();
    assert!(refused.contains("drive.file alone"), "{refused}");
}
