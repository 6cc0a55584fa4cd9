//! `add`: an update that nobody can come between.

use alfred_core::ports::{Condition, Key, StoreError};
use aws_sdk_dynamodb::operation::put_item::PutItemError;
use aws_sdk_dynamodb::operation::update_item::UpdateItemError;
use aws_sdk_dynamodb::types::{ReturnValue, ReturnValuesOnConditionCheckFailure};
use jiff::Timestamp;
use serde_json::{Map, Value};
use uuid::Uuid;

use super::DynamoStore;
use super::backoff::Backoff;
use super::condition::Clause;
use super::fault::Fault;
use super::row::{self, Attributes, EXPIRES, Row, VERSION, number};

const ADD: &str = "SET #f = if_not_exists(#f, :zero) + :n, #v = #v + :one";
const LIVE: &str = "attribute_exists(pk) AND (attribute_not_exists(#x) OR #x > :now)";
const IN_RANGE: &str = "#f BETWEEN :low AND :high";

pub(super) struct Step<'a> {
    pub(super) key: &'a Key,
    pub(super) field: &'a str,
    pub(super) n: i64,
    pub(super) ceiling: Option<i64>,
    pub(super) expires_at: Option<Timestamp>,
}

enum Counted {
    To(i64),
    /// There is no live item to add to.
    Nothing,
    /// The item changed meanwhile.
    Overtaken,
    Failed(Fault),
}

impl DynamoStore {
    /// Adds to the live item, or makes one. No answer ends it: an addition can't be told from its repeat.
    pub(super) async fn count(&self, step: &Step<'_>) -> Result<i64, StoreError> {
        let mut backoff = Backoff::new(&*self.clock);
        loop {
            let counted = match self.count_on(step).await? {
                Counted::Nothing => self.count_from_zero(step).await?,
                other => other,
            };
            let fault = match counted {
                Counted::To(value) => return Ok(value),
                Counted::Nothing | Counted::Overtaken => {
                    Fault::Busy("overtaken by other writers".into())
                }
                Counted::Failed(fault @ Fault::Unknown(_)) => return Err(fault.into()),
                Counted::Failed(fault) => fault,
            };
            backoff.again(fault).await?;
        }
    }

    async fn count_on(&self, step: &Step<'_>) -> Result<Counted, StoreError> {
        let now = self.now();
        let (low, high) = step.bounds();
        let range = if step.passes_ceiling(step.n) {
            IN_RANGE.to_owned()
        } else {
            format!("(attribute_not_exists(#f) OR {IN_RANGE})")
        };
        let name = row::attribute_name(step.field);
        let answer = self
            .client
            .update_item()
            .table_name(self.table(step.key.table))
            .set_key(Some(row::key_attributes(step.key)))
            .update_expression(ADD)
            .condition_expression(format!("{LIVE} AND {range}"))
            .expression_attribute_names("#f", name.as_ref())
            .expression_attribute_names("#v", VERSION)
            .expression_attribute_names("#x", EXPIRES)
            .expression_attribute_values(":zero", number(0))
            .expression_attribute_values(":one", number(1))
            .expression_attribute_values(":n", number(step.n))
            .expression_attribute_values(":low", number(low))
            .expression_attribute_values(":high", number(high))
            .expression_attribute_values(":now", number(now))
            .return_values(ReturnValue::UpdatedNew)
            .return_values_on_condition_check_failure(ReturnValuesOnConditionCheckFailure::AllOld)
            .send()
            .await;
        let error = match answer {
            Ok(done) => return step.read(done.attributes).map(Counted::To),
            Err(error) => error,
        };
        match error.as_service_error() {
            Some(UpdateItemError::ConditionalCheckFailedException(failed)) => {
                step.explain(failed.item(), now)
            }
            _ => Ok(Counted::Failed(Fault::from_sdk(&error))),
        }
    }

    async fn count_from_zero(&self, step: &Step<'_>) -> Result<Counted, StoreError> {
        if step.passes_ceiling(step.n) {
            return Err(step.ceiling_error());
        }
        let body = Value::Object(Map::from_iter([(step.field.to_owned(), step.n.into())]));
        let row = Row {
            key: step.key,
            body: &body,
            version: 1,
            commit: Uuid::nil(),
            expires_at: step.expires_at,
        };
        let clause = Clause::for_other(Condition::Absent, self.now());
        let answer = self
            .client
            .put_item()
            .table_name(self.table(step.key.table))
            .set_item(Some(row.attributes()?))
            .condition_expression(clause.text)
            .set_expression_attribute_names(Some(clause.names))
            .set_expression_attribute_values(Some(clause.values))
            .send()
            .await;
        let error = match answer {
            Ok(_) => return Ok(Counted::To(step.n)),
            Err(error) => error,
        };
        match error.as_service_error() {
            Some(PutItemError::ConditionalCheckFailedException(_)) => Ok(Counted::Overtaken),
            _ => Ok(Counted::Failed(Fault::from_sdk(&error))),
        }
    }
}

impl Step<'_> {
    /// Between which values the field may be before the addition.
    fn bounds(&self) -> (i64, i64) {
        let low = i64::MIN.saturating_sub(self.n.min(0));
        let high = self.ceiling.unwrap_or(i64::MAX).saturating_sub(self.n);
        (low, high.max(low))
    }

    fn passes_ceiling(&self, value: i64) -> bool {
        self.ceiling.is_some_and(|ceiling| value > ceiling)
    }

    fn ceiling_error(&self) -> StoreError {
        StoreError::Ceiling {
            key: self.key.clone(),
            field: self.field.to_owned(),
            ceiling: self.ceiling.unwrap_or(i64::MAX),
        }
    }

    fn no_number(&self) -> StoreError {
        StoreError::Corrupt {
            detail: format!("{} of {:?} is no whole number", self.field, self.key),
        }
    }

    fn read(&self, updated: Option<Attributes>) -> Result<i64, StoreError> {
        let name = row::attribute_name(self.field);
        let value = updated.and_then(|mut attributes| attributes.remove(name.as_ref()));
        let value = value.ok_or_else(|| self.no_number())?;
        serde_dynamo::from_attribute_value(value).map_err(|_| self.no_number())
    }

    /// Why the condition failed, from the item as it was.
    fn explain(&self, found: Option<&Attributes>, now: i64) -> Result<Counted, StoreError> {
        let Some(attributes) = found else {
            return Ok(Counted::Nothing);
        };
        let Some(item) = row::item(self.key.table, attributes.clone(), now)? else {
            return Ok(Counted::Nothing);
        };
        let old = match item.body.get(self.field) {
            None => 0,
            Some(value) => value.as_i64().ok_or_else(|| self.no_number())?,
        };
        match old.checked_add(self.n) {
            None => Err(StoreError::Refused {
                reason: format!(
                    "{} of {:?} would leave the range of 64 bits",
                    self.field, self.key
                ),
            }),
            Some(new) if self.passes_ceiling(new) => Err(self.ceiling_error()),
            Some(_) => Ok(Counted::Overtaken),
        }
    }
}
