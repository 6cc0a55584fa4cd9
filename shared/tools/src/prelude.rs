//! Imports that nearly every tool uses.

pub(crate) use alfred_agent::model::Preview;
pub(crate) use alfred_agent::tool::{
    self, Effect, Flow, SharedTool, ToolContext, ToolDef, ToolError, ToolOutput,
};
pub(crate) use alfred_core::{Failure, text};
pub(crate) use jiff::civil::Date;
pub(crate) use jiff::{SignedDuration, Timestamp};
pub(crate) use schemars::JsonSchema;
pub(crate) use serde::{Deserialize, Serialize};
pub(crate) use serde_json::{Value, json};

pub(crate) use crate::fields::{invalid, refused, text_up_to, today, within};
pub(crate) use crate::light::{heavy, varying};
