//! Views of files, and files among what is stored.

mod sandbox;
mod stored;

pub use sandbox::{Narrowing, Sandbox};
pub use stored::StoredFiles;
