//! OpenAI's Responses API (<https://platform.openai.com/docs/api-reference/responses>). Nothing is stored
//! there: reasoning comes encrypted and is sent back with the calls that followed it.

mod answer;
mod wire;

pub(super) use wire::Responses;
