//! A turn of the model: the messages that it sees, the files in them, and its limits.

pub mod attached;
pub mod chat;
pub mod conversation;
pub mod direct;
pub mod exhausted;
pub mod fence;
pub mod files;
pub mod model_turn;
pub mod request;
