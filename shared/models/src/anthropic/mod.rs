//! Anthropic's Messages API (<https://platform.claude.com/docs/en/api/messages>).

mod answer;
mod wire;

use alfred_core::ports::TurnRequest;

use super::connection::Connection;
use super::native::{Form, Ways};
use super::tool_list::ToolCache;

pub(super) struct Anthropic;

impl Form for Anthropic {
    const PATH: &'static str = "/messages";
    type Answer = answer::Answer;

    fn body(
        connection: &Connection,
        request: &TurnRequest,
        tools: &ToolCache,
        ways: Ways,
    ) -> Result<Vec<u8>, serde_json::Error> {
        wire::body(connection, request, tools, ways)
    }
}
