//! The toolset `mcp`: named tools of MCP servers (Model Context Protocol, revision 2026-07-28 and those before), over
//! stdio on one machine and over streamable HTTP everywhere. What a server says of itself is a stranger's word.

mod client;
mod error;
mod host;
mod pin;
mod process;
mod session;
mod settings;
mod tool;

pub use error::{ServerError, Why};
pub use host::Host;
pub use pin::{LearnError, learn};
pub use tool::{checked, toolset};

/// What the toolset is called in worker files.
pub const NAME: &str = "mcp";
