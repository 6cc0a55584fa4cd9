//! A missing right is a defect that names the right. Nothing is repeated.

use alfred_aws::{EncryptedCredentials, QueueUrls, Sessions};
use alfred_core::ports::{
    Account, Blobs, Clock, Credentials, Key, Provider, Query, Queue, QueueName, Range, Redelivery,
    Secrets, Store, SystemIds, Vault,
};
use alfred_testkit::{ManualClock, MemoryStore};
use std::fmt::Debug;
use std::sync::Arc;
use std::time::Duration;

use super::proxy::Act;
use super::queue::message;
use super::scene::Scene;
use super::{BUCKET, VAULT, sdk_at};

const RIGHT: &str = "User: arn:aws:sts::1:assumed-role/w/w is not authorized to perform: a:B on resource: arn:aws:x";
const CALLS: [(&str, &str); 9] = [
    ("GetItem", "AccessDeniedException"),
    ("Query", "AccessDeniedException"),
    ("PutItem", "AccessDeniedException"),
    ("TransactWriteItems", "AccessDeniedException"),
    ("SendMessage", "AccessDenied"),
    ("ChangeMessageVisibility", "KmsAccessDenied"),
    ("GetSecretValue", "AccessDeniedException"),
    ("PutSecretValue", "AccessDeniedException"),
    ("Encrypt", "AccessDeniedException"),
];

#[tokio::test]
async fn a_missing_right_is_a_defect_that_names_it() {
    let scene = Scene::new().await;
    let (proxy, store) = (&scene.proxy, &scene.store);
    for (operation, code) in CALLS {
        proxy.always(operation, Act::error(code, RIGHT));
    }
    let xml = format!("<Error><Code>AccessDenied</Code><Message>{RIGHT}</Message></Error>");
    for method in ["GET", "PUT"] {
        proxy.always(method, Act::Answer(403, xml.clone()));
    }
    let sdk = sdk_at(&proxy.endpoint()).await;
    let clock = Arc::new(ManualClock::default());
    let team = |name: &str| (name == "TEAM_QUEUE_URL").then(|| "http://x/0/team.fifo".to_owned());
    let queue = alfred_aws::queue(&sdk, QueueUrls::from_lookup(team));
    let secrets = alfred_aws::secrets(&sdk, clock.clone());
    let sessions = Sessions::new(&sdk, None, clock.clone());
    let rows = Arc::new(MemoryStore::new(clock.clone()));
    let credentials = EncryptedCredentials::new(sessions, "key".into(), rows, Arc::new(SystemIds));
    let blobs = alfred_aws::blobs(&sdk, BUCKET);
    let vault = alfred_aws::vault(&sdk, VAULT);
    let account = Account::of(&"T1".into(), &"U1".into());
    let (name, secret, zero) = ("alfred/NAME", "x".into(), Duration::ZERO);
    let before = clock.now();
    let wrong = [
        unlike(store.get(&Key::state("p", "r")).await),
        unlike(store.query(&Query::state("p", Range::All)).await),
        unlike(store.commit(&scene.create(&["a"])).await),
        unlike(store.commit(&scene.create(&["a", "b"])).await),
        unlike(queue.send(&message(QueueName::Team)).await),
        unlike(queue.delay(QueueName::Team, "receipt", zero).await),
        unlike(secrets.get(name).await),
        unlike(secrets.put(name, &secret).await),
        unlike(credentials.put(&account, Provider::Google, &secret).await),
        unlike(blobs.get("T1/U1", "digest").await),
        unlike(blobs.put("T1/U1", b"x").await),
        unlike(vault.read("T1/day.json").await),
        unlike(vault.lock("T1/day.json", b"x").await),
    ];
    let wrong: Vec<String> = wrong.into_iter().flatten().collect();
    assert!(wrong.is_empty(), "{wrong:#?}");
    assert_eq!(clock.now(), before);
    for (operation, _) in CALLS {
        assert_eq!(proxy.count(operation), 1, "{operation}");
    }
}

/// The error, unless it is a refusal that names the right.
fn unlike<T: Debug, E: Debug>(result: Result<T, E>) -> Option<String> {
    let error = format!("{:?}", result.unwrap_err());
    let refused = error.starts_with("Denied") || error.starts_with("Refused");
    (!refused || !error.contains(RIGHT)).then_some(error)
}
