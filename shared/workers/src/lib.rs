//! Worker files: what an agent is, read strictly, and the agent made of it.

mod bind;
mod file;
mod personality;
mod policy;
mod program;
mod prompt;

pub use bind::{BindError, agent, from_text};
pub use file::{FileError, FileLimits, Mode, ToolsetConfig, WorkerFile};
pub use policy::check_policy;
pub use program::check_program;
pub use prompt::system_prompt;
