//! Reads: one item, its header alone, or a page of a partition.

use alfred_core::ports::{Cursor, Direction, Item, Key, Page, Query, Range, StoreError, Table};
use aws_sdk_dynamodb::operation::query::builders::QueryFluentBuilder;
use aws_sdk_dynamodb::types::AttributeValue;

use super::backoff::Backoff;
use super::fault::Fault;
use super::row::{self, Attributes, COMMIT, EXPIRES, Header, PARTITION, RANGE, VERSION, text};
use super::{DynamoStore, Result};

impl DynamoStore {
    pub(super) async fn read_item(&self, key: &Key) -> Result<Option<Item>> {
        match self.read(key, None).await? {
            Some(attributes) => {
                let item = row::item(key.table, attributes, self.now())?;
                item.map(Item::readable).transpose()
            }
            None => Ok(None),
        }
    }

    /// Version, commit and expiry, whether expired or not.
    pub(super) async fn read_header(&self, key: &Key) -> Result<Option<Header>> {
        match self.read(key, Some("#v, #c, #x")).await? {
            Some(attributes) => Header::from_attributes(&attributes)
                .map(Some)
                .ok_or_else(|| row::corrupt(key.table, &row::key_attributes(key), "no version")),
            None => Ok(None),
        }
    }

    async fn read(&self, key: &Key, projection: Option<&str>) -> Result<Option<Attributes>> {
        let mut backoff = Backoff::new(&*self.clock);
        loop {
            let mut request = self
                .client
                .get_item()
                .table_name(self.table(key.table))
                .set_key(Some(row::key_attributes(key)))
                .consistent_read(true);
            if let Some(projection) = projection {
                request = request
                    .projection_expression(projection)
                    .expression_attribute_names("#v", VERSION)
                    .expression_attribute_names("#c", COMMIT)
                    .expression_attribute_names("#x", EXPIRES);
            }
            match request.send().await {
                Ok(answer) => return Ok(answer.item),
                Err(error) => backoff.again(Fault::from_sdk(&error)).await?,
            }
        }
    }

    pub(super) async fn read_page(&self, query: &Query) -> Result<Page> {
        if query.limit == 0 {
            let reason = "a query of no items".into();
            return Err(StoreError::Refused { reason });
        }
        let Some(range) = KeyRange::from_range(&query.range) else {
            let (items, cursor) = (Vec::new(), None);
            return Ok(Page { items, cursor });
        };
        let now = self.now();
        let mut backoff = Backoff::new(&*self.clock);
        let answer = loop {
            match self.page_request(query, &range, now).send().await {
                Ok(answer) => break answer,
                Err(error) => backoff.again(Fault::from_sdk(&error)).await?,
            }
        };
        let mut items = Vec::new();
        for attributes in answer.items.unwrap_or_default() {
            items.extend(row::item(query.table, attributes, now)?);
        }
        let last = answer.last_evaluated_key;
        let cursor = last.map(|last| cursor(query.table, last)).transpose()?;
        Ok(Page { items, cursor })
    }

    fn page_request(&self, query: &Query, range: &KeyRange, now: i64) -> QueryFluentBuilder {
        let start = query.cursor.as_ref().map(|Cursor(last)| {
            row::key_attributes(&Key {
                table: query.table,
                partition: query.partition.clone(),
                range: last.clone(),
            })
        });
        let mut request = self
            .client
            .query()
            .table_name(self.table(query.table))
            .consistent_read(true)
            .key_condition_expression(range.expression)
            .expression_attribute_values(":pk", text(&query.partition))
            .filter_expression("attribute_not_exists(#x) OR #x > :now")
            .expression_attribute_names("#x", EXPIRES)
            .expression_attribute_values(":now", row::number(now))
            .scan_index_forward(query.direction == Direction::Forward)
            .limit(i32::try_from(query.limit).unwrap_or(i32::MAX))
            .set_exclusive_start_key(start);
        for (name, value) in &range.values {
            request = request.expression_attribute_values(*name, text(*value));
        }
        request
    }
}

/// A range as a key condition; DynamoDB takes neither empty keys nor an upside-down range.
struct KeyRange<'a> {
    expression: &'static str,
    values: Vec<(&'static str, &'a str)>,
}

impl<'a> KeyRange<'a> {
    /// `None` when nothing can be in it.
    fn from_range(range: &'a Range) -> Option<Self> {
        let (expression, values) = match range {
            Range::Prefix(prefix) if !prefix.is_empty() => (
                "pk = :pk AND begins_with(sk, :low)",
                vec![(":low", prefix.as_str())],
            ),
            Range::All | Range::Prefix(_) => ("pk = :pk", Vec::new()),
            Range::Between(low, high) if high.is_empty() || low > high => return None,
            Range::Between(low, high) if low.is_empty() => {
                ("pk = :pk AND sk <= :high", vec![(":high", high.as_str())])
            }
            Range::Between(low, high) => (
                "pk = :pk AND sk BETWEEN :low AND :high",
                vec![(":low", low.as_str()), (":high", high.as_str())],
            ),
        };
        Some(Self { expression, values })
    }
}

/// The partition is the query's, so the range key says it all.
fn cursor(table: Table, mut last: Attributes) -> Result<Cursor> {
    match last.remove(RANGE) {
        Some(AttributeValue::S(range)) => Ok(Cursor(range)),
        _ => {
            let what = format!("no range key to go on from ({PARTITION} and {RANGE} are expected)");
            Err(row::corrupt(table, &last, &what))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_that_dynamodb_refuses_are_answered_here() {
        let between = |low: &str, high: &str| Range::Between(low.into(), high.into());
        assert!(KeyRange::from_range(&between("b", "a")).is_none());
        assert!(KeyRange::from_range(&between("", "")).is_none());
        let up_to = between("", "m");
        let range = KeyRange::from_range(&up_to).unwrap();
        assert_eq!(range.values, [(":high", "m")]);
        let all = Range::Prefix(String::new());
        assert_eq!(KeyRange::from_range(&all).unwrap().expression, "pk = :pk");
    }
}
