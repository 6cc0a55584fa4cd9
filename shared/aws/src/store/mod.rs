//! `Store` on DynamoDB: two tables of the keys `pk` and `sk`, with time to live on `_x`.

mod backoff;
mod commit;
mod condition;
mod fault;
mod plan;
mod read;
mod row;

use alfred_core::ports::{Clock, Commit, Item, Key, Page, Query, Store, StoreError, Table};
use async_trait::async_trait;
use aws_config::SdkConfig;
use aws_sdk_dynamodb::Client;
use aws_sdk_dynamodb::config::retry::RetryConfig;
use std::sync::Arc;

type Result<T, E = StoreError> = std::result::Result<T, E>;

/// State and audit in two DynamoDB tables.
///
/// A commit of several writes, a conditional removal and a check are `TransactWriteItems` with a request token made of
/// the commit's id; a single put is a `PutItem` at half the price, told from a lost race by the commit id that is
/// stored with each item. A put without a condition reads the item's version first. A removal leaves nothing to know it
/// by: when the same commit of removals only is repeated by another call, it gets a conflict.
///
/// Needs `dynamodb:` `GetItem`, `Query`, `PutItem`, `DeleteItem` and `ConditionCheckItem` on the state table,
/// `GetItem`, `Query` and `PutItem` on the audit table; transactions need no right of their own
/// (<https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/transaction-apis-iam.html>).
#[derive(Clone)]
pub struct DynamoStore {
    client: Client,
    state: String,
    audit: String,
    clock: Arc<dyn Clock>,
}

/// The store in these two tables. The clock decides what has expired, and waits between tries.
pub fn store(
    sdk: &SdkConfig,
    state_table: impl Into<String>,
    audit_table: impl Into<String>,
    clock: Arc<dyn Clock>,
) -> DynamoStore {
    // The adapter retries, because only it knows which failures are safe to repeat.
    let config = aws_sdk_dynamodb::config::Builder::from(sdk)
        .retry_config(RetryConfig::disabled())
        .build();
    DynamoStore {
        client: Client::from_conf(config),
        state: state_table.into(),
        audit: audit_table.into(),
        clock,
    }
}

impl DynamoStore {
    fn table(&self, table: Table) -> &str {
        match table {
            Table::State => &self.state,
            Table::Audit => &self.audit,
        }
    }

    fn now(&self) -> i64 {
        self.clock.now().as_second()
    }
}

#[async_trait]
impl Store for DynamoStore {
    async fn get(&self, key: &Key) -> Result<Option<Item>> {
        self.read_item(key).await
    }

    async fn query(&self, query: &Query) -> Result<Page> {
        self.read_page(query).await
    }

    async fn commit(&self, commit: &Commit) -> Result<()> {
        commit.validate()?;
        self.write(commit).await
    }
}
