//! OpenAI's Responses API (<https://platform.openai.com/docs/api-reference/responses>). Nothing is stored
//! there: reasoning comes encrypted and is sent back with the calls that followed it.

mod answer;
mod wire;

use alfred_core::ports::TurnRequest;

use super::connection::Connection;
use super::native::{Form, Ways};
use super::tool_list::ToolCache;

pub(super) struct Responses;

impl Form for Responses {
    const PATH: &'static str = "/responses";
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
