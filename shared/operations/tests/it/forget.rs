use alfred_core::Config;
use alfred_core::ports::{Account, Clock, Ids, SystemClock, SystemIds, Unconnected};
use alfred_operations::forget::{Forget, ForgetError, Forgotten};
use std::sync::Arc;

use crate::person::Person;
use crate::sides::Side;

const GONE: &str = "U0GONE";
const STAYS: &str = "U0STAYS";

async fn forget(side: &Side, account: &Account) -> Result<Forgotten, ForgetError> {
    let forget = Forget {
        store: &side.store,
        clock: &(Arc::new(SystemClock) as Arc<dyn Clock>),
        ids: &(Arc::new(SystemIds) as Arc<dyn Ids>),
        config: &Config::default(),
        connect: &Unconnected,
        erasure: &*side.erasure,
    };
    forget.forget(account).await
}

fn about(user: &str, everything: &[String]) -> Vec<String> {
    let about = |one: &&String| one.contains(user);
    everything.iter().filter(about).cloned().collect()
}

/// Nothing of a person is left but their audit; of others all is.
async fn nothing_is_left(side: Side) {
    let bodies = |all: &[String]| all.iter().filter(|one| one.starts_with("body")).count();
    let [gone, stays] = [GONE, STAYS].map(|user| Account::of(&"T1".into(), &user.into()));
    let mut audited = Vec::new();
    for account in [&stays, &gone] {
        let person = Person {
            store: &side.store,
            account: account.clone(),
        };
        person.stored(side.keeps_expired()).await;
        audited.push(person.audited().await);
        side.put_credential(account).await;
    }
    let before = side.everything().await;
    let others = before.iter().filter(|one| !one.contains(GONE)).cloned();
    let others: Vec<String> = others.collect();
    let forgotten = forget(&side, &gone).await.unwrap();
    let after = side.everything().await;
    assert_eq!(about(GONE, &after), [""; 0], "{forgotten}");
    assert_eq!(about(STAYS, &after), about(STAYS, &others), "{forgotten}");
    assert_eq!(bodies(&after) * 2, bodies(&before), "{forgotten}");
    assert!(!side.has_credential(&gone).await, "{forgotten}");
    assert!(side.has_credential(&stays).await);
    for key in audited {
        assert!(side.store.get(&key).await.unwrap().is_some(), "{key:?}");
    }
    let words = forgotten.to_string();
    for part in ["Runs stopped: 1.", "end its access at: Microsoft 365."] {
        assert!(words.contains(part), "{words}");
    }
    let again = forget(&side, &gone).await.unwrap_err();
    assert!(matches!(again, ForgetError::Nothing { .. }), "{again}");
    let nothing = format!("nothing is stored of {GONE} in the workspace T1");
    assert_eq!(again.to_string(), nothing);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn on_one_machine_nothing_of_a_forgotten_person_is_left() {
    nothing_is_left(Side::one_machine()).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn on_aws_nothing_of_a_forgotten_person_is_left() {
    nothing_is_left(Side::aws().await).await;
}
