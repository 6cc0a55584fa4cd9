//! Both sides, as a test sees them.

use alfred_aws::{Bucket, SdkConfig};
use alfred_core::ports::{
    Account, Clock, Credentials, NamedCredentials, Provider, Secrets, Spilling, Store, SystemClock,
};
use alfred_embedded::{DataFolder, SqliteQueue, SqliteStore};
use alfred_operations::aws::AwsErasure;
use alfred_operations::forget::Erasure;
use alfred_operations::one_machine::OneMachineErasure;
use alfred_testkit::conformance::unique;
use alfred_testkit::ministack::Ministack;
use aws_sdk_dynamodb::Client;
use aws_sdk_dynamodb::types::AttributeValue;
use futures_util::TryStreamExt;
use object_store::ObjectStore;
use rusqlite::Connection;
use std::collections::HashMap;
use std::sync::Arc;
use tempfile::TempDir;

pub struct Side {
    pub store: Arc<dyn Store>,
    pub erasure: Box<dyn Erasure>,
    credentials: NamedCredentials,
    raw: Raw,
}

enum Raw {
    Sqlite(TempDir),
    Aws {
        tables: Client,
        names: [String; 2],
        bucket: Box<Bucket>,
    },
}

impl Side {
    pub fn one_machine() -> Self {
        let folder = TempDir::new().unwrap();
        let data = DataFolder::open(folder.path()).unwrap();
        let (database, clock) = (data.database().unwrap(), Arc::new(SystemClock));
        let sqlite = SqliteStore::new(database.clone(), clock.clone());
        let secrets: Arc<dyn Secrets> = Arc::new(data.secrets());
        Self {
            store: Arc::new(Spilling::new(sqlite.clone(), sqlite.blobs())),
            erasure: Box::new(OneMachineErasure {
                sqlite,
                queue: SqliteQueue::new(database, clock, 5),
                secrets: data.secrets(),
            }),
            credentials: NamedCredentials(secrets),
            raw: Raw::Sqlite(folder),
        }
    }

    pub async fn aws() -> Self {
        let run = unique();
        let ministack = Ministack::shared();
        let names = ["state", "audit"].map(|name| format!("{name}-{run}"));
        names.iter().for_each(|name| ministack.table(name));
        let bucket = format!("bodies-{run}");
        ministack.bucket(&bucket);
        let sdk = alfred_aws::from_lookup(|name| ministack.variable(name));
        let sdk: SdkConfig = sdk.await.unwrap();
        let clock: Arc<dyn Clock> = Arc::new(SystemClock);
        let [state, audit] = names.clone();
        let tables = alfred_aws::store(&sdk, &state, &audit, clock.clone());
        let bodies = alfred_aws::blobs(&sdk, &bucket);
        let seen = Bucket::new(&sdk, &bucket);
        let secrets: Arc<dyn Secrets> = Arc::new(alfred_aws::secrets(&sdk, clock));
        Self {
            store: Arc::new(Spilling::new(tables, bodies)),
            erasure: Box::new(AwsErasure::new(&sdk, state, audit, bucket)),
            credentials: NamedCredentials(secrets),
            raw: Raw::Aws {
                tables: Client::new(&sdk),
                names,
                bucket: Box::new(seen),
            },
        }
    }

    pub fn keeps_expired(&self) -> bool {
        matches!(self.raw, Raw::Aws { .. })
    }

    pub async fn put_credential(&self, account: &Account) {
        let (google, token) = (Provider::Google, "token".into());
        let put = self.credentials.put(account, google, &token);
        put.await.unwrap();
    }

    pub async fn has_credential(&self, account: &Account) -> bool {
        let found = self.credentials.get(account, Provider::Google).await;
        found.unwrap().is_some()
    }

    /// Every row of the state table, expired or not, and every large body by its place.
    pub async fn everything(&self) -> Vec<String> {
        let mut all = match &self.raw {
            Raw::Sqlite(folder) => in_database(folder),
            Raw::Aws {
                tables,
                names: [state, _],
                bucket,
            } => {
                let rows = tables.scan().table_name(state).into_paginator().items();
                let rows = rows.send().collect::<Result<Vec<_>, _>>().await.unwrap();
                let bucket = bucket.client().await.unwrap();
                let bodies: Vec<_> = bucket.list(None).try_collect().await.unwrap();
                let bodies = bodies.iter().map(|body| format!("body {}", body.location));
                rows.iter().map(shown).chain(bodies).collect()
            }
        };
        all.sort();
        all
    }
}

/// A row by its key, its last commit, and all the words in it, in an order of their own.
fn shown(row: &HashMap<String, AttributeValue>) -> String {
    let text = format!("{row:?}");
    let mut words: Vec<&str> = text.split(|c: char| !c.is_alphanumeric()).collect();
    words.sort_unstable();
    let [partition, range, commit] = ["pk", "sk", "_c"].map(|name| &row[name]);
    let words = words.join(" ");
    format!("row {partition:?} {range:?} {commit:?} {words}")
}

fn in_database(folder: &TempDir) -> Vec<String> {
    let database = Connection::open(folder.path().join("alfred.db")).unwrap();
    let queries = [
        "SELECT 'row ' || part || ' ' || range || ' ' || body FROM items WHERE tbl = 0",
        "SELECT 'body ' || scope || '/' || digest FROM blobs",
        "SELECT 'message ' || body FROM messages",
    ];
    let found = queries.map(|query| {
        let mut query = database.prepare(query).unwrap();
        let rows = query.query_map([], |row| row.get(0)).unwrap();
        rows.map(Result::unwrap).collect::<Vec<String>>()
    });
    found.concat()
}
