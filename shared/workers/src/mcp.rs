//! The toolset `mcp`: named tools of MCP servers (Model Context Protocol, revision 2026-07-28 and earlier).
//! Over stdio on one machine, over streamable HTTP everywhere. All text of a server is untrusted.

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

pub const NAME: &str = "mcp";
