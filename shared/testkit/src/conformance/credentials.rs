//! What every side of `Credentials` must do.

use alfred_core::ports::{Account, Credentials, Provider, SecretError};
use secrecy::{ExposeSecret, SecretString};

use super::unique;

/// Makes a test of each function of this suite; the argument makes a `Credentials`.
#[macro_export]
macro_rules! credentials_conformance {
    ($credentials:expr) => {
        $crate::conformance_tests!(
            credentials,
            $credentials,
            [
                a_secret_is_kept_replaced_and_deleted,
                people_and_teams_are_apart,
                ids_that_could_name_another_are_refused,
            ]
        );
    };
}

fn account(team: &str, user: &str) -> Account {
    Account {
        team: team.into(),
        user: user.into(),
    }
}

fn fresh() -> Account {
    let id = unique().replace(|c: char| !c.is_ascii_alphanumeric(), "");
    account("T1", &format!("U{id}"))
}

async fn value(credentials: &impl Credentials, of: &Account) -> Option<String> {
    let secret = credentials.get(of, Provider::Google).await.unwrap()?;
    Some(secret.expose_secret().to_owned())
}

async fn put(credentials: &impl Credentials, of: &Account, value: &str) {
    let secret = SecretString::from(value);
    let put = credentials.put(of, Provider::Google, &secret).await;
    put.unwrap();
}

/// At once; deleting what isn't there is fine.
pub async fn a_secret_is_kept_replaced_and_deleted(credentials: &impl Credentials) {
    let ana = fresh();
    assert_eq!(value(credentials, &ana).await, None);
    let long = "0123456789abcdef".repeat(200);
    for text in ["x", "{\"refresh_token\": \"1//é 🦀\"}", &long, &long] {
        put(credentials, &ana, text).await;
        assert_eq!(value(credentials, &ana).await.as_deref(), Some(text));
    }
    for _ in 0..2 {
        credentials.delete(&ana, Provider::Google).await.unwrap();
        assert_eq!(value(credentials, &ana).await, None);
    }
    put(credentials, &ana, "again").await;
    assert_eq!(value(credentials, &ana).await.as_deref(), Some("again"));
}

/// Also where one id begins like the other.
pub async fn people_and_teams_are_apart(credentials: &impl Credentials) {
    let ana = fresh();
    let others = [
        account("T2", ana.user.as_str()),
        account("T1", &format!("{}0", ana.user)),
    ];
    put(credentials, &ana, "hers").await;
    for other in &others {
        assert_eq!(value(credentials, other).await, None);
        credentials.delete(other, Provider::Google).await.unwrap();
    }
    assert_eq!(value(credentials, &ana).await.as_deref(), Some("hers"));
}

/// By every call.
pub async fn ids_that_could_name_another_are_refused(credentials: &impl Credentials) {
    let secret = SecretString::from("x");
    for user in ["", "U1/google", "../U1", "U1#accounts", "U 1", "*"] {
        let account = account("T1", user);
        let refused = [
            credentials.get(&account, Provider::Google).await.err(),
            credentials
                .put(&account, Provider::Google, &secret)
                .await
                .err(),
            credentials.delete(&account, Provider::Google).await.err(),
        ];
        for error in refused {
            assert!(
                matches!(error, Some(SecretError::Name { .. })),
                "{user:?}: {error:?}"
            );
        }
    }
}
