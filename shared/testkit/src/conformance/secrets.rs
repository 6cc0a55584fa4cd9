//! What every store of secrets must do.

use alfred_core::ports::{SecretError, Secrets};
use secrecy::{ExposeSecret, SecretString};

use super::unique;

/// Makes a test of each function of this suite; the argument makes a `Secrets`.
#[macro_export]
macro_rules! secrets_conformance {
    ($secrets:expr) => {
        $crate::conformance_tests!(
            secrets,
            $secrets,
            [
                a_secret_comes_back,
                a_secret_is_replaced,
                a_deleted_secret_is_gone_and_can_return,
                bad_names_are_refused,
                secrets_are_apart,
            ]
        );
    };
}

fn name(of: &str) -> String {
    format!("T1/conformance/{}/{of}", unique())
}

async fn value(secrets: &impl Secrets, name: &str) -> Option<String> {
    let secret = secrets.get(name).await.unwrap()?;
    Some(secret.expose_secret().to_owned())
}

async fn put(secrets: &impl Secrets, name: &str, value: &str) {
    secrets.put(name, &SecretString::from(value)).await.unwrap();
}

/// Whatever text it is: quotes, lines, other scripts, and long.
pub async fn a_secret_comes_back(secrets: &impl Secrets) {
    let name = name("a");
    assert_eq!(value(secrets, &name).await, None);
    let long = "0123456789abcdef".repeat(2_000);
    for text in ["x", "{\"token\": \"a'b\\\"\"}\n\té 🦀", long.as_str()] {
        put(secrets, &name, text).await;
        assert_eq!(value(secrets, &name).await.as_deref(), Some(text));
    }
}

/// The last value counts, at once; putting the same again is fine.
pub async fn a_secret_is_replaced(secrets: &impl Secrets) {
    let name = name("a");
    for n in 0..5 {
        let text = format!("value {n}");
        put(secrets, &name, &text).await;
        put(secrets, &name, &text).await;
        assert_eq!(value(secrets, &name).await, Some(text));
    }
}

/// Deleting works at once, twice, and on what never was; the name can be used again.
pub async fn a_deleted_secret_is_gone_and_can_return(secrets: &impl Secrets) {
    let name = name("a");
    secrets.delete(&name).await.unwrap();
    put(secrets, &name, "first").await;
    secrets.delete(&name).await.unwrap();
    assert_eq!(value(secrets, &name).await, None);
    secrets.delete(&name).await.unwrap();
    put(secrets, &name, "second").await;
    assert_eq!(value(secrets, &name).await.as_deref(), Some("second"));
}

/// Names outside Secrets Manager's rule are refused by every call.
pub async fn bad_names_are_refused(secrets: &impl Secrets) {
    let long = "n".repeat(513);
    let secret = SecretString::from("value");
    for bad in ["", "with space", "é", "a#b", "a\nb", "a:b", long.as_str()] {
        let results = [
            secrets.get(bad).await.map(|_| ()),
            secrets.put(bad, &secret).await,
            secrets.delete(bad).await,
        ];
        for result in results {
            match result {
                Err(SecretError::Name { name }) => assert_eq!(name, bad),
                other => panic!("{bad:?} should be refused, got {other:?}"),
            }
        }
    }
    let odd = format!("{}+=.@-_/..", name("a"));
    put(secrets, &odd, "value").await;
    assert_eq!(value(secrets, &odd).await.as_deref(), Some("value"));
}

/// Names that begin alike, or differ in case, are different secrets.
pub async fn secrets_are_apart(secrets: &impl Secrets) {
    let base = name("a");
    let names = [
        base.clone(),
        format!("{base}/b"),
        format!("{base}b"),
        format!("{base}B"),
    ];
    for name in &names {
        put(secrets, name, name).await;
    }
    secrets.delete(&names[0]).await.unwrap();
    assert_eq!(value(secrets, &names[0]).await, None);
    for name in &names[1..] {
        assert_eq!(value(secrets, name).await.as_ref(), Some(name));
    }
}
