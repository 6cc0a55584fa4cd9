//! Imports that many tools use.

pub(crate) use alfred_agent::model::Preview;
pub(crate) use alfred_agent::tool::{
    self, Effect, Flow, Receipt, Settled, SharedTool, ToolContext, ToolDef, ToolError, ToolOutput,
    Toolset,
};
pub(crate) use alfred_core::ports::Write;
pub(crate) use alfred_core::{Failure, keys, text};
pub(crate) use alfred_planner::dst;
pub(crate) use async_trait::async_trait;
pub(crate) use jiff::civil::Date;
pub(crate) use jiff::tz::TimeZone;
pub(crate) use jiff::{SignedDuration, Timestamp};
pub(crate) use schemars::JsonSchema;
pub(crate) use serde::{Deserialize, Serialize};
pub(crate) use serde_json::{Value, json};
pub(crate) use std::sync::Arc;

pub(crate) use crate::account::{not_done, not_read};
pub(crate) use crate::args::{Clock, Day, NamedZone, Number, Text, Title, Words, Zone};
pub(crate) use crate::edit::{self, Edit};
pub(crate) use crate::entity::{Entity, Ref};
pub(crate) use crate::fields::{
    MAX_DESCRIPTION, add, check_count, invalid, refused, request_date, short_date, short_moment,
    text_up_to, today, within,
};
pub(crate) use crate::fold::fold;
pub(crate) use crate::light::{heavy, varying};
pub(crate) use crate::outward::{self, Outward, known, settled};

pub(crate) type Result<T, E = ToolError> = std::result::Result<T, E>;
