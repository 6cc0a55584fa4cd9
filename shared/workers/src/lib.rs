//! Worker files: what an agent is, read strictly, and the agents made of a program of them.

mod bind;
mod file;
mod folder;
mod personality;
mod policy;
mod program;
mod prompt;
pub mod registry;
mod toolsets;

pub use bind::{BindError, alone, program};
pub use file::{FileError, FileLimits, Mode, WorkerFile};
pub use folder::{FolderError, find};
pub use policy::check_policy;
pub use program::Settings;
pub use prompt::system_prompt;
pub use registry::Registry;
