//! The AWS side: deletes a person from the tables, the bucket and Secrets Manager.

use alfred_aws::{Bucket, DynamoStore, SdkConfig, SecretsManager, blob_failed};
use alfred_core::config::{AUDIT_TABLE, BLOBS_BUCKET, STATE_TABLE, variable};
use alfred_core::ports::{
    Account, BlobError, Clock, Commit, EXPIRING, Item, Key, MAX_WRITES, Provider, Query, Range,
    Secrets, Store, StoreError, SystemClock, SystemIds, Write, credential_name, spilled,
};
use alfred_core::{Config, ConfigError, keys};
use async_trait::async_trait;
use futures_util::{StreamExt, TryStreamExt, stream};
use jiff::Timestamp;
use object_store::path::Path;
use object_store::{ObjectMeta, ObjectStore};
use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use crate::forget::{Erased, Erasure, ForgetError};

/// Partitions that are read concurrently.
const AT_ONCE: usize = 16;

/// Deletes from these tables, this bucket and the account's secrets, with the administrator's own rights:
/// `dynamodb:Query` and `DeleteItem`, `s3:ListBucket` and `DeleteObject`, `secretsmanager:DeleteSecret`.
///
/// Messages can't be searched in SQS. Those of a forgotten person find no run and no registration, and end there.
pub struct AwsErasure {
    rows: DynamoStore,
    bodies: Bucket,
    secrets: SecretsManager,
}

impl AwsErasure {
    pub fn new(sdk: &SdkConfig, state: String, audit: String, bucket: String) -> Self {
        Self {
            rows: alfred_aws::store(sdk, state, audit, Arc::new(BeforeExpiry)),
            bodies: Bucket::new(sdk, bucket),
            secrets: alfred_aws::secrets(sdk, Arc::new(SystemClock)),
        }
    }

    /// Of the deployment that the environment names.
    pub fn from_env(sdk: &SdkConfig) -> Result<Self, ConfigError> {
        let named = |name| Config::required(variable, name);
        let (state, audit) = (named(STATE_TABLE)?, named(AUDIT_TABLE)?);
        Ok(Self::new(sdk, state, audit, named(BLOBS_BUCKET)?))
    }

    async fn items(&self, partition: String) -> Result<Vec<Item>, StoreError> {
        Query::state(partition, Range::All).all(&self.rows).await
    }

    /// Deletes these bodies, by scope and digest, and all of these scopes. Returns their number.
    async fn delete_bodies(
        &self,
        bodies: &[(String, String)],
        scopes: &[String],
    ) -> Result<usize, BlobError> {
        let client = self.bodies.client().await.map_err(blob_failed)?;
        let path = |(scope, digest): &(String, String)| -> Path {
            scope.split('/').chain([digest.as_str()]).collect()
        };
        let mut found: BTreeSet<Path> = bodies.iter().map(path).collect();
        for scope in scopes {
            let listed = client.list(Some(&scope.split('/').collect()));
            let listed: Vec<ObjectMeta> = listed.try_collect().await.map_err(blob_failed)?;
            found.extend(listed.into_iter().map(|object| object.location));
        }
        let deleted = client.delete_stream(stream::iter(found).map(Ok).boxed());
        let deleted: Vec<Path> = deleted.try_collect().await.map_err(blob_failed)?;
        Ok(deleted.len())
    }

    async fn delete(&self, keys: &[Key]) -> Result<(), StoreError> {
        for keys in keys.chunks(MAX_WRITES) {
            let writes = keys.iter().map(|key| Write::delete(key.clone(), None));
            let commit = Commit::new(&SystemIds, writes.collect());
            self.rows.commit(&commit).await?;
        }
        Ok(())
    }
}

/// A clock at 1970, for which nothing has expired: DynamoDB keeps expired rows for days, and they are found so.
struct BeforeExpiry;

#[async_trait]
impl Clock for BeforeExpiry {
    fn now(&self) -> Timestamp {
        Timestamp::UNIX_EPOCH
    }

    async fn sleep(&self, duration: Duration) {
        SystemClock.sleep(duration).await;
    }
}

#[async_trait]
impl Erasure for AwsErasure {
    fn rows(&self) -> &dyn Store {
        &self.rows
    }

    /// Bodies go first: the rows lead a repeated erasure to them.
    async fn erase(
        &self,
        partitions: BTreeSet<String>,
        account: &Account,
    ) -> Result<Erased, ForgetError> {
        let reads = stream::iter(partitions).map(|partition| self.items(partition));
        let items: Vec<Vec<Item>> = reads.buffer_unordered(AT_ONCE).try_collect().await?;
        let items: Vec<Item> = items.into_iter().flatten().collect();
        let Account { team, user } = account;
        let scopes = [
            format!("{team}/{user}"),
            format!("{EXPIRING}/{team}/{user}"),
        ];
        // Other people's runs may share a program's files, which the bucket deletes after 30 days.
        let is_own = |item: &&Item| item.key.range != keys::PROGRAM_RANGE;
        let own = items.iter().filter(is_own);
        let own = own.filter_map(|item| spilled(&item.key.partition, &item.body));
        let own: Vec<(String, String)> = own.collect();
        let bodies = self.delete_bodies(&own, &scopes).await?;
        let keys: Vec<Key> = items.into_iter().map(|item| item.key).collect();
        self.delete(&keys).await?;
        for provider in Provider::ALL {
            let name = credential_name(account, provider)?;
            self.secrets.delete(&name).await?;
        }
        Ok(Erased {
            items: keys,
            others: vec![("large bodies", bodies)],
        })
    }
}
