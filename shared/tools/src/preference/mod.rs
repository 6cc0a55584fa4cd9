//! What a person may change about how Alfred serves them.

pub mod settings;
pub mod update_preferences;

mod changes;
