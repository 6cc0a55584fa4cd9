//! Selecting further files in Google's file picker.

use alfred_accounts::oauth::ConsentError;
use alfred_core::ports::{AccountService, Connect, Provider};
use alfred_google_local::drive::{Content, File};

use super::{ANA_AT_HOME, Back, EVERYTHING, World};
use crate::google::support::{ANA, account};

#[tokio::test]
async fn files_are_picked_by_a_link_of_their_own_and_leave_the_consent() {
    let world = World::new().await;
    world.connect(&EVERYTHING, ANA, &[]).await.unwrap();
    let before = world.connection().await;
    let now = "2026-11-20T08:00:00Z".parse().unwrap();
    let files = [(ANA, "doc-1"), (ANA, "doc-2"), (ANA_AT_HOME, "doc-3")];
    for (email, id) in files {
        let mut file = File::new("Plans", Content::Document(Default::default()), now);
        file.open = false;
        let put = |account: &mut alfred_google_local::Account| account.drive.put(id, file);
        world.google().with_account(email, put).unwrap();
    }
    let pick = async || {
        let link = world.connections.pick(&account(), Provider::Google).await;
        link.unwrap()
    };
    let link = pick().await;
    assert!(link.contains("login_hint=ana%40example.com"), "{link}");
    let back = world.google().pick(&link, ANA, &["doc-1", "doc-3"]);
    let Back {
        state,
        code,
        picked,
    } = Back::of(&back.unwrap());
    assert_eq!(picked.as_deref(), Some("doc-1"));
    let arriving = world.connections.arriving(&state).await.unwrap();
    assert!(arriving.picked);
    for expected in [Ok(()), Err(ConsentError::Used)] {
        assert_eq!(world.connections.picked(&state, &code).await, expected);
    }
    for (email, id) in files {
        let open = world
            .google()
            .with_account(email, |account| account.drive.file(id).unwrap().open);
        assert_eq!(open, Some(id == "doc-1"), "{id}");
    }
    assert_eq!(world.connection().await, before);
    assert!(world.access(AccountService::Mail).await.is_ok());
    // Google picks with no other scope along.
    let more = pick().await.replace("drive.file", "drive.file+openid");
    let refused = world.google().pick(&more, ANA, &["doc-2"]).unwrap_err();
    assert!(refused.contains("drive.file alone"), "{refused}");
}
