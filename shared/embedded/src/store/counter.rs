//! `add`.

use alfred_core::ports::{Key, StoreError, Table};
use rusqlite::{Connection, Transaction, TransactionBehavior, params};
use serde_json::{Map, Value};

use super::{number, stored};
use crate::database::store_error;

pub(super) struct Addition {
    pub(super) key: Key,
    pub(super) field: String,
    pub(super) n: i64,
    pub(super) ceiling: Option<i64>,
    pub(super) expires: Option<i64>,
}

/// Adds, and leaves the commit id of the item as it is: the commit that wrote
/// it may still be repeated.
pub(super) fn add(
    connection: &mut Connection,
    addition: Addition,
    now: i64,
) -> Result<i64, StoreError> {
    if addition.key.table == Table::Audit {
        return Err(StoreError::Refused {
            reason: "the audit table only takes new items".into(),
        });
    }
    let tx = connection
        .transaction_with_behavior(TransactionBehavior::Immediate)
        .map_err(store_error)?;
    let found = stored(&tx, &addition.key, now).map_err(store_error)?;
    let is_new = found.is_none();
    let mut fields = match found {
        Some(stored) => match stored.item(addition.key.clone()).body {
            Value::Object(fields) => fields,
            _ => return Err(corrupt(&addition, "its body is no object")),
        },
        None => Map::new(),
    };
    let value = sum(&fields, &addition)?;
    fields.insert(addition.field.clone(), value.into());
    let body = Value::Object(fields).to_string();
    write(&tx, &addition, is_new, &body).map_err(store_error)?;
    tx.commit().map_err(store_error)?;
    Ok(value)
}

fn sum(fields: &Map<String, Value>, addition: &Addition) -> Result<i64, StoreError> {
    let old = match fields.get(&addition.field) {
        None => 0,
        Some(value) => value
            .as_i64()
            .ok_or_else(|| corrupt(addition, "it is no whole number"))?,
    };
    let new = old
        .checked_add(addition.n)
        .ok_or_else(|| StoreError::Refused {
            reason: format!(
                "{} of {:?} would leave 64 bits",
                addition.field, addition.key
            ),
        })?;
    match addition.ceiling {
        Some(ceiling) if new > ceiling => Err(StoreError::Ceiling {
            key: addition.key.clone(),
            field: addition.field.clone(),
            ceiling,
        }),
        _ => Ok(new),
    }
}

fn write(
    tx: &Transaction<'_>,
    addition: &Addition,
    is_new: bool,
    body: &str,
) -> rusqlite::Result<()> {
    let (table, partition) = (number(addition.key.table), &addition.key.partition);
    let range = &addition.key.range;
    if is_new {
        // Replaces what has expired under the same key.
        tx.prepare_cached(
            "INSERT OR REPLACE INTO items (tbl, part, range, version, body, expires)
             VALUES (?1, ?2, ?3, 1, ?4, ?5)",
        )?
        .execute(params![table, partition, range, body, addition.expires])?;
    } else {
        tx.prepare_cached(
            "UPDATE items SET version = version + 1, body = ?4
             WHERE tbl = ?1 AND part = ?2 AND range = ?3",
        )?
        .execute(params![table, partition, range, body])?;
    }
    Ok(())
}

fn corrupt(addition: &Addition, what: &str) -> StoreError {
    StoreError::Corrupt {
        detail: format!("{} of {:?}: {what}", addition.field, addition.key),
    }
}
