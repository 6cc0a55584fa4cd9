//! Commits: a single write, or a transaction.

use alfred_core::digest::sha256_hex;
use alfred_core::ports::{Commit, Condition, Key, Op, StoreError, Write};
use aws_sdk_dynamodb::error::{BuildError, SdkError};
use aws_sdk_dynamodb::operation::put_item::PutItemError;
use aws_sdk_dynamodb::operation::transact_write_items::TransactWriteItemsError;
use aws_sdk_dynamodb::types::{
    CancellationReason, ConditionCheck, Delete, Put, ReturnValuesOnConditionCheckFailure,
    TransactWriteItem,
};

use super::backoff::Backoff;
use super::condition::Clause;
use super::fault::Fault;
use super::plan::Planned;
use super::row::{Attributes, Header, Row, key_attributes};
use super::{DynamoStore, Result};

const ALL_OLD: ReturnValuesOnConditionCheckFailure = ReturnValuesOnConditionCheckFailure::AllOld;
const CONDITION_FAILED: &str = "ConditionalCheckFailed";

enum Outcome {
    Done,
    /// A condition of the caller's failed, on this item first.
    Lost(Key),
    /// An item without a condition changed after its version was read.
    Overtaken,
    /// The request token was used with other parameters: the same commit was sent at another time.
    TokenTaken,
    Failed(Fault),
}

impl DynamoStore {
    pub(super) async fn write(&self, commit: &Commit) -> Result<()> {
        let now = self.now();
        let mut backoff = Backoff::new(&*self.clock);
        let mut round = 0_u32;
        loop {
            let Some(plan) = self.plan(commit, now).await? else {
                return Ok(());
            };
            // Tries of one round are the same request, so that their token makes them one.
            let fault = loop {
                match self.send(commit, &plan, now, round).await? {
                    Outcome::Done => return Ok(()),
                    Outcome::Lost(key) => return Err(StoreError::Conflict { key }),
                    Outcome::Overtaken => break Fault::Busy("overtaken by other writers".into()),
                    Outcome::TokenTaken => break Fault::Busy("the token was used before".into()),
                    Outcome::Failed(fault) => backoff.again(fault).await?,
                }
            };
            backoff.again(fault).await?;
            round += 1;
        }
    }

    async fn send(
        &self,
        commit: &Commit,
        plan: &[Planned<'_>],
        now: i64,
        round: u32,
    ) -> Result<Outcome> {
        match plan {
            [] => Ok(Outcome::Done),
            [only] => match (&only.write.op, only.condition) {
                (Op::Put { .. }, Some(condition)) => {
                    self.put_one(commit, only, condition, now).await
                }
                (Op::Delete, None) => Ok(self.delete_one(&only.write.key).await),
                _ => self.transact(commit, plan, now, round).await,
            },
            _ => self.transact(commit, plan, now, round).await,
        }
    }

    async fn put_one(
        &self,
        commit: &Commit,
        planned: &Planned<'_>,
        condition: Condition,
        now: i64,
    ) -> Result<Outcome> {
        let clause = Clause::for_put(condition, now, commit.id);
        let answer = self
            .client
            .put_item()
            .table_name(self.table(planned.write.key.table))
            .set_item(Some(attributes(commit, planned)?))
            .condition_expression(clause.text)
            .set_expression_attribute_names(Some(clause.names))
            .set_expression_attribute_values(Some(clause.values))
            .return_values_on_condition_check_failure(ALL_OLD)
            .send()
            .await;
        let Err(error) = answer else {
            return Ok(Outcome::Done);
        };
        if let Some(PutItemError::ConditionalCheckFailedException(failed)) =
            error.as_service_error()
        {
            return Ok(judge(commit, &[(planned, failed.item())]));
        }
        Ok(Outcome::Failed(Fault::from_sdk(&error)))
    }

    async fn delete_one(&self, key: &Key) -> Outcome {
        let delete = self.client.delete_item().table_name(self.table(key.table));
        let answer = delete.set_key(Some(key_attributes(key))).send().await;
        match answer {
            Ok(_) => Outcome::Done,
            Err(error) => Outcome::Failed(Fault::from_sdk(&error)),
        }
    }

    async fn transact(
        &self,
        commit: &Commit,
        plan: &[Planned<'_>],
        now: i64,
        round: u32,
    ) -> Result<Outcome> {
        let mut items = Vec::with_capacity(plan.len());
        for planned in plan {
            items.push(self.transact_item(commit, planned, now)?);
        }
        let call = self.client.transact_write_items();
        let call = call.client_request_token(token(commit, round));
        let answer = call.set_transact_items(Some(items)).send().await;
        Ok(match answer {
            Ok(_) => Outcome::Done,
            Err(error) => cancelled(commit, plan, &error),
        })
    }

    fn transact_item(
        &self,
        commit: &Commit,
        planned: &Planned<'_>,
        now: i64,
    ) -> Result<TransactWriteItem> {
        let Write { key, op, .. } = planned.write;
        let table = self.table(key.table);
        let clause = planned.condition.map(|condition| match op {
            Op::Put { .. } => Clause::for_put(condition, now, commit.id),
            Op::Delete | Op::Check => Clause::for_other(condition, now),
        });
        let (text, names, values) = match clause {
            Some(clause) => (
                Some(clause.text.to_owned()),
                Some(clause.names),
                Some(clause.values),
            ),
            None => (None, None, None),
        };
        // Three builders of the SDK's with the same methods and no trait over them.
        macro_rules! guarded {
            ($builder:expr) => {
                $builder
                    .table_name(table)
                    .set_condition_expression(text)
                    .set_expression_attribute_names(names)
                    .set_expression_attribute_values(values)
                    .return_values_on_condition_check_failure(ALL_OLD)
                    .build()
                    .map_err(refused)?
            };
        }
        let (item, at) = (TransactWriteItem::builder(), Some(key_attributes(key)));
        let item = match op {
            Op::Put { .. } => {
                let attributes = Some(attributes(commit, planned)?);
                item.put(guarded!(Put::builder().set_item(attributes)))
            }
            Op::Delete => item.delete(guarded!(Delete::builder().set_key(at))),
            Op::Check => item.condition_check(guarded!(ConditionCheck::builder().set_key(at))),
        };
        Ok(item.build())
    }
}

fn refused(error: BuildError) -> StoreError {
    let reason = error.to_string();
    StoreError::Refused { reason }
}

fn attributes(commit: &Commit, planned: &Planned<'_>) -> Result<Attributes> {
    let Op::Put { body, expires_at } = &planned.write.op else {
        let reason = "only a put has a body".into();
        return Err(StoreError::Refused { reason });
    };
    Row {
        key: &planned.write.key,
        body,
        version: planned.next_version(),
        commit: commit.id,
        expires_at: *expires_at,
    }
    .attributes()
}

/// The commit's id; a later round is another request and needs another token (36 characters at most).
fn token(commit: &Commit, round: u32) -> String {
    let id = commit.id.simple().to_string();
    if round == 0 {
        return id;
    }
    let mut token = sha256_hex(format!("{id}\n{round}").as_bytes());
    token.truncate(id.len());
    token
}

fn cancelled<R: std::fmt::Debug>(
    commit: &Commit,
    plan: &[Planned<'_>],
    error: &SdkError<TransactWriteItemsError, R>,
) -> Outcome {
    match error.as_service_error() {
        Some(TransactWriteItemsError::IdempotentParameterMismatchException(_)) => {
            Outcome::TokenTaken
        }
        Some(TransactWriteItemsError::TransactionCanceledException(cancelled)) => {
            weigh(commit, plan, cancelled.cancellation_reasons())
        }
        _ => Outcome::Failed(Fault::from_sdk(error)),
    }
}

/// A failed condition decides; else what repeating can't mend comes before what it can.
fn weigh(commit: &Commit, plan: &[Planned<'_>], reasons: &[CancellationReason]) -> Outcome {
    let mut failed = Vec::new();
    let mut fault = Fault::Unknown("cancelled without a reason".into());
    for (planned, reason) in plan.iter().zip(reasons) {
        match reason.code() {
            None | Some("None") => {}
            Some(CONDITION_FAILED) => failed.push((planned, reason.item())),
            Some(_) if matches!(fault, Fault::Refused(_) | Fault::Broken(_)) => {}
            Some(code) => fault = Fault::from_code(code, reason.message().unwrap_or_default()),
        }
    }
    if failed.is_empty() {
        Outcome::Failed(fault)
    } else {
        judge(commit, &failed)
    }
}

/// What failed conditions mean: our own write found again, a lost race, or only a stale look.
fn judge(commit: &Commit, failed: &[(&Planned<'_>, Option<&Attributes>)]) -> Outcome {
    let is_ours =
        |found: &Attributes| Header::from_attributes(found).is_some_and(|h| h.is_by(commit.id));
    if failed.iter().any(|(_, found)| found.is_some_and(is_ours)) {
        return Outcome::Done;
    }
    match failed.iter().find(|(planned, _)| planned.is_asked_for()) {
        Some((planned, _)) => Outcome::Lost(planned.write.key.clone()),
        None => Outcome::Overtaken,
    }
}
