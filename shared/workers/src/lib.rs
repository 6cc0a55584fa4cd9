//! Worker files: what an agent is, read strictly, and the agent made of it.

mod bind;
mod file;
mod personality;
mod prompt;

pub use bind::{BindError, TextError, agent, from_text};
pub use file::{
    AttachmentPolicy, FileError, FileLimits, Mode, SandboxRestriction, ToolsetConfig, WorkerFile,
};
pub use prompt::system_prompt;
