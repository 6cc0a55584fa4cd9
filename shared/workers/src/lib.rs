//! Parses worker files strictly, and builds programs of agents from them. Includes Alfred's own programs, and
//! the tools that a worker's file brings: JavaScript functions and MCP servers.

mod agent_file;
mod beside;
mod bind;
mod counterpart;
mod file;
mod folder;
mod folder_error;
mod level;
#[cfg(feature = "mcp")]
pub mod mcp;
pub mod models;
mod own;
mod places;
mod policy;
mod problem;
mod program;
pub mod programs;
mod prompt;
pub mod registry;
mod script;
mod skill;
mod skill_folder;
mod skills;
mod toolsets;

pub use agent_file::left_out;
pub use bind::{BindError, alone, limits, problems, program};
pub use file::{FileError, FileLimits, Mode, WorkerFile};
pub use folder::{Below, Found, find};
pub use folder_error::FolderError;
pub use level::{Level, Listed};
pub use own::is_own;
pub use policy::check_policy;
pub use problem::Problem;
pub use program::Settings;
pub use programs::built_in;
pub use prompt::system_prompt;
pub use registry::Registry;
