//! One suite for each port; every side passes the same one.
//!
//! A suite is a set of async functions over a fixture, and a macro that makes
//! a `#[tokio::test]` of each, so that a new function reaches all sides:
//!
//! ```text
//! alfred_testkit::store_conformance!(Fixture::new().await);
//! ```
//!
//! The expression is evaluated once for each test, in its async context. Keys
//! and names are fresh in every run, so tests may share one table; queue tests
//! need queues of their own.

use alfred_core::ports::{AccountError, AccountService};

pub mod blobs;
pub mod calendar;
pub mod credentials;
pub mod documents;
pub mod files;
pub mod mail;
pub mod model;
pub mod queue;
pub mod secrets;
pub mod sheets;
pub mod store;
pub mod vault;

/// Makes a test of each named function of a suite. Called by the suites' own macros.
#[doc(hidden)]
#[macro_export]
macro_rules! conformance_tests {
    ($suite:ident, $fixture:expr, [$($name:ident),* $(,)?]) => {
        $(
            #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
            async fn $name() {
                let fixture = $fixture;
                $crate::conformance::$suite::$name(&fixture).await;
            }
        )*
    };
}

/// A part of a name that no other run has.
pub fn unique() -> String {
    uuid::Uuid::now_v7().simple().to_string()
}

/// A call that a provider refused, with a reason.
fn refused<T: std::fmt::Debug>(result: Result<T, AccountError>) {
    match result {
        Err(AccountError::Refused { reason }) => assert!(!reason.is_empty()),
        other => panic!("{other:?}"),
    }
}

/// Somebody without this account was told so.
fn not_connected(error: Option<AccountError>, of: AccountService) {
    match error {
        Some(AccountError::NotConnected(service)) => assert_eq!(service, of),
        other => panic!("{other:?}"),
    }
}
