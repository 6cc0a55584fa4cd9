//! Disconnecting deletes the connection here first, and then ends the access at Google.

use alfred_accounts::oauth::Tokens;
use alfred_core::ports::{AccountService, Connect, Credentials, Disconnected, Provider};
use alfred_google_local::Fault;

use super::{EVERYTHING, World, is_not_connected};
use crate::google::support::{ANA, account};

async fn disconnect(world: &World) -> Option<Disconnected> {
    let whose = account();
    let gone = world.connections.disconnect(&whose, Provider::Google).await;
    gone.unwrap()
}

/// Nothing of the connection is left, for this and any other process.
async fn is_deleted(world: &World) {
    assert_eq!(world.connection().await, None);
    let secret = world.credentials.get(&account(), Provider::Google).await;
    assert!(secret.unwrap().is_none());
    let other = world.another_process();
    for tokens in [&world.connections, &other] {
        let denied = tokens.access(&account(), AccountService::Mail).await;
        assert!(is_not_connected(&denied));
    }
}

#[tokio::test]
async fn disconnecting_ends_the_access_in_every_process() {
    let world = World::new().await;
    assert!(disconnect(&world).await.is_none());
    world.connect(&EVERYTHING, ANA, &[]).await.unwrap();
    let other = world.another_process();
    let mail = AccountService::Mail;
    assert!(other.access(&account(), mail).await.is_ok());
    let gone = disconnect(&world).await.unwrap();
    assert_eq!(gone.connection.email, ANA);
    assert!(gone.revoked && gone.erased);
    assert_eq!(world.google().grants(ANA), 0);
    is_deleted(&world).await;
    // This process had a token in memory.
    assert!(is_not_connected(&other.access(&account(), mail).await));
    assert!(disconnect(&world).await.is_none());
}

#[tokio::test]
async fn disconnect_succeeds_while_google_is_down() {
    let come_back_later = Fault::Error {
        status: 503,
        reason: "backendError",
        retry_after: Some(30),
    };
    for (fault, failures, still_granted) in [
        (Fault::DropBefore, 1, 0),
        (come_back_later, 1, 0),
        (Fault::DropBefore, 9, 1),
    ] {
        let world = World::new().await;
        world.connect(&EVERYTHING, ANA, &[]).await.unwrap();
        let google = world.google();
        google.fail_next("oauth2.revoke", failures, fault);
        let gone = disconnect(&world).await.unwrap();
        assert!(gone.erased);
        assert_eq!(gone.revoked, still_granted == 0, "{failures} failures");
        assert_eq!(google.grants(ANA), still_granted, "{failures} failures");
        is_deleted(&world).await;
    }
}

#[tokio::test]
async fn an_unreadable_secret_can_be_disconnected() {
    let world = World::new().await;
    world.connect(&EVERYTHING, ANA, &[]).await.unwrap();
    let (whose, unreadable) = (account(), "unreadable".into());
    let put = world.credentials.put(&whose, Provider::Google, &unreadable);
    put.await.unwrap();
    let gone = disconnect(&world).await.unwrap();
    assert!(gone.erased && !gone.revoked);
    is_deleted(&world).await;
}
