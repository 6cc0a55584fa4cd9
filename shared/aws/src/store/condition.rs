//! Conditions as expressions. Names that start with an underscore need a placeholder.

use alfred_core::ports::Condition;
use aws_sdk_dynamodb::types::AttributeValue;
use std::collections::HashMap;
use uuid::Uuid;

use super::row::{COMMIT, EXPIRES, VERSION, commit_id, number};

/// A condition with the names and values it uses; DynamoDB refuses unused ones.
pub(super) struct Clause {
    pub(super) text: &'static str,
    pub(super) names: HashMap<String, String>,
    pub(super) values: HashMap<String, AttributeValue>,
}

const NOT_THERE: &str = "attribute_not_exists(pk) OR #x <= :now";
/// A put that expired since must not be done again by its own repeat.
const NOT_THERE_NOR_OURS: &str = "attribute_not_exists(pk) OR (#x <= :now AND #c <> :c)";
const OF_VERSION: &str = "#v = :v AND (attribute_not_exists(#x) OR #x > :now)";

impl Clause {
    /// For a put by this commit.
    pub(super) fn for_put(condition: Condition, now: i64, commit: Uuid) -> Self {
        match condition {
            Condition::Absent => Self::new(NOT_THERE_NOR_OURS, now)
                .with("#c", COMMIT)
                .value(":c", commit_id(commit)),
            Condition::Version(_) => Self::for_other(condition, now),
        }
    }

    /// For a removal or a check.
    pub(super) fn for_other(condition: Condition, now: i64) -> Self {
        match condition {
            Condition::Absent => Self::new(NOT_THERE, now),
            Condition::Version(version) => Self::new(OF_VERSION, now)
                .with("#v", VERSION)
                .value(":v", number(version)),
        }
    }

    fn new(text: &'static str, now: i64) -> Self {
        Self {
            text,
            names: HashMap::from([("#x".to_owned(), EXPIRES.to_owned())]),
            values: HashMap::from([(":now".to_owned(), number(now))]),
        }
    }

    fn with(mut self, placeholder: &str, name: &str) -> Self {
        self.names.insert(placeholder.to_owned(), name.to_owned());
        self
    }

    fn value(mut self, placeholder: &str, value: AttributeValue) -> Self {
        self.values.insert(placeholder.to_owned(), value);
        self
    }
}
